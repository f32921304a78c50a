"""What the paper claims, beside what the computation finds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from uqalign.scoring_rules.mixture import mixture_penalty, threshold_weight, weighted_mixture
from uqalign.scoring_rules.penalised import penalised_score
from uqalign.scoring_rules.penalties import (
    BASES,
    admissible_penalties,
    implemented_penalty,
    infimal_penalty,
    published_penalty,
)
from uqalign.scoring_rules.ties import TIES
from uqalign.scoring_rules.verification.propriety import smallest_escape

if TYPE_CHECKING:
    import pandas as pd

Found = Literal["holds", "does not hold", "settled here"]
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Claim:
    """A statement of the paper and what was found.

    Attributes:
        where: its place in the paper.
        claim: what it says.
        found: "holds", "does not hold", or "settled here" for what the paper leaves open.
        evidence: the numbers behind that.
    """

    where: str
    claim: str
    found: Found
    evidence: str


@dataclass(frozen=True)
class Checks:
    """Results of all numerical checks, one frame each."""

    endpoints: pd.DataFrame
    minimality: pd.DataFrame
    orders: pd.DataFrame
    escapes: pd.DataFrame
    strict_ties: pd.DataFrame
    boundary: pd.DataFrame
    class_thresholds: pd.DataFrame
    class_propriety: pd.DataFrame


def _verdict(holds: bool) -> Found:
    return "holds" if holds else "does not hold"


def claims(checks: Checks, seed: int) -> list[Claim]:
    """Every claim in the order of the paper."""
    return [
        *_superiority(checks),
        *_propriety(checks),
        *_published_rules(),
        _mixture(seed),
        *_open_questions(checks),
    ]


def _superiority(checks: Checks) -> Iterator[Claim]:
    e, m, o = checks.endpoints, checks.minimality, checks.orders
    span = f"c = {e['classes'].min()} to {e['classes'].max()}, both bases, three conventions"
    difference = float(e["difference"].max())
    yield Claim(
        "Propositions 2 to 5, Lemma 4",
        "beta+ = (c - 1)/c and ln c, beta- = 1/2 and ln 2, under every convention",
        _verdict(difference < 1e-9 and float(e["approached_within"].max()) < 1e-4),
        f"largest difference from optimised endpoints {difference:.1e} ({span})",
    )
    one = e["correct_attained"] != e["incorrect_attained"]
    yield Claim(
        "Lemma 1, Lemma 4",
        "for each true class exactly one of the endpoints is attained, and which one depends on the convention",
        _verdict(bool(e["attainment_found"].all() and one.all())),
        f"{int(e['attainment_found'].sum())} of {len(e)} cases as stated",
    )
    at_two = [infimal_penalty(2, base) for base in BASES]
    yield Claim(
        "Corollary 1",
        "with two classes the infimal penalty is 0",
        _verdict(max(at_two) == 0),
        ", ".join(f"{base} {value:g}" for base, value in zip(BASES, at_two, strict=True)),
    )
    below = m["margin_below"].dropna()
    yield Claim(
        "Theorem 2",
        "the infimal penalty is beta+ - beta-: nothing below it is superior, everything above is",
        _verdict(bool((below < 0).all() and (m["margin_above"] > 0).all())),
        f"margin {below.max():.1e} at 1e-6 below, {m['margin_above'].min():.1e} at 1e-6 above, {len(m)} cases",
    )
    admissible = m.groupby("ties")["admissible_at"].agg(["min", "max"])
    expected = {"permissive": True, "order": False, "strict": True}
    agrees = (m["admissible_at"] == m["attainment_allows_it"]).all() and all(
        (admissible.loc[ties] == value).all() for ties, value in expected.items()
    )
    yield Claim(
        "Theorem 2, Corollary 3, Lemma 4",
        "the infimal penalty itself is admissible under A and C, not under B",
        _verdict(bool(agrees)),
        "by attainment over all true classes: A yes, B no, C yes" if agrees else "attainment disagrees",
    )
    exact, rounded = (o["brier_exact"] == "0").all(), float(o[["brier", "log"]].abs().max().max())
    yield Claim(
        "Corollary 2",
        "under B the margin at the infimal penalty is exactly zero for every order",
        _verdict(bool(exact and rounded < _ROUNDING)),
        f"rational arithmetic gives 0 in {int((o['brier_exact'] == '0').sum())} of {len(o)} cases of four orders; "
        f"in floating point {rounded:.1e} at most, both bases",
    )


def _propriety(checks: Checks) -> Iterator[Claim]:
    e, s = checks.escapes, checks.strict_ties
    b = e[e["ties"] == "order"]
    violations = int(b["escapes"].sum() + b["other_reports_that_gain"].sum())
    draws = int(e["draws"].iloc[0])
    yield Claim(
        "Theorem 1",
        "under B the penalised rule is strictly proper at every penalty",
        _verdict(violations == 0),
        f"{violations} violations among {2 * draws * len(b)} reports",
    )
    a = e[e["ties"] == "permissive"]
    told = ", ".join(f"{r.base} {r.penalty} {r.escapes}" for r in a.itertuples())
    yield Claim(
        "Proposition 6",
        "under A the uniform report escapes the penalty above a threshold that depends on the truth",
        _verdict(bool((a["escapes"] == a["escapes_by_formula"]).all() and (a["escapes"] > 0).all())),
        f"of {draws} random truths: {told}; as many as the formula says",
    )
    failing = int((~s["holds"]).sum())
    yield Claim(
        "Proposition 7",
        "under C honesty is not optimal at any truth with a tied mode, at any penalty > 0",
        _verdict(failing == 0),
        f"{len(s)} checks, {failing} failing",
    )
    falls = {base: smallest_escape(10, base) for base in BASES}
    smallest = {base: pairs[-1][1] for base, pairs in falls.items()}
    distance = falls["brier"][-1][0]
    yield Claim(
        "Sections 5.4 and 10.2",
        "unlike C, A fails only above a threshold",
        _verdict(min(smallest.values()) > 1e-3),
        "for each truth, yes; over all truths the threshold falls to zero: "
        + ", ".join(f"{base} {value:.1e}" for base, value in smallest.items())
        + f" at distance {distance:g} from the uniform truth. No penalty > 0 is proper under A either",
    )


def _published_rules() -> Iterator[Claim]:
    counts = range(3, 51)
    inside = all(
        published_penalty(c, base) in admissible_penalties(c, base, ties=ties)
        for c in counts
        for base in BASES
        for ties in TIES
    )
    yield Claim(
        "Corollary 5",
        "the published penalties are superior but not minimal, under every convention",
        _verdict(inside and all(published_penalty(c, b) > infimal_penalty(c, b) for c in counts for b in BASES)),
        "inside the admissible set for c = 3 to 50, above its infimum everywhere",
    )
    published = [published_penalty(c) / infimal_penalty(c) for c in counts]
    implemented = [implemented_penalty(c) / infimal_penalty(c) for c in counts]
    yield Claim(
        "Section 6.2",
        "published / infimal (Brier) falls as c grows, from three classes to twenty",
        _verdict(bool(np.all(np.diff(published) < 0))),
        f"{published[0]:.3g} at c = 3, {published[10]:.3g} at 13, {published[17]:.3g} at 20, {published[44]:.3g} at 47",
    )
    yield Claim(
        "Section 6.3, below Table 4",
        "both ratios shrink as c grows",
        _verdict(bool(np.all(np.diff(implemented) < 0))),
        f"implemented / infimal is {implemented[0]:.4g} at c = 3 and 4 and grows from there: {implemented[7]:.4g} at "
        f"10, {implemented[17]:.4g} at 20, {implemented[44]:.4g} at 47; it is 2c(c - 1)/(c - 2)",
    )
    hundred = next(c for c in counts if implemented_penalty(c) / infimal_penalty(c) >= 100)
    yield Claim(
        "Introduction",
        "the released code exceeds the infimal penalty by a factor in the tens to hundreds",
        _verdict(min(implemented) >= 10),
        f"at least {min(implemented):.4g}; a hundred is passed at c = {hundred}",
    )
    width = (13 - 1) / 13
    yield Claim(
        "Section 6.3",
        "at c = 13 the implemented penalty is thirteen times as wide as the base score",
        _verdict(abs(implemented_penalty(13) / width - 13) < _ROUNDING),
        f"as wide as the base score of correct forecasts, [0, {width:.3g}]; of the whole range [0, 2] it is "
        f"{implemented_penalty(13) / 2:g} times the width",
    )


def _mixture(seed: int) -> Claim:
    rng = np.random.default_rng(seed)
    p, y = rng.dirichlet(np.ones(10), 200), rng.integers(0, 10, 200)
    worst = 0.0
    for weight in (0.0, 0.01, threshold_weight(10), 0.25, 0.9):
        mixed = weighted_mixture(y, p, weight=weight, reduction="none")
        family = penalised_score(y, p, penalty=mixture_penalty(weight, 10), reduction="none")
        worst = max(worst, float(np.abs(mixed - (1 - weight) / 10 * family).max()))
    return Claim(
        "Section 8.6, Section 10.1",
        "the weighted mixture is a member of the family and superior above a small weight",
        _verdict(worst < _ROUNDING and abs(threshold_weight(10) - 8 / 208) < _ROUNDING),
        f"equal to {worst:.1e}; threshold {threshold_weight(10):.4f} at c = 10",
    )


def _open_questions(checks: Checks) -> Iterator[Claim]:
    b, t, p = checks.boundary, checks.class_thresholds, checks.class_propriety
    clean = int(b["violations"].sum()) == 0
    yield Claim(
        "Section 2",
        "whether the guarantees of the log base extend to probabilities of zero",
        "settled here" if clean else "does not hold",
        f"they do, with infinity as a score: a report of zero where something can happen is expected to cost infinity, "
        f"every other is finite; {int(b['violations'].sum())} violations among {int(b['pairs'].sum())} reports. A "
        "correct forecast gives its class at least 1/c, so neither endpoint is touched",
    )
    unequal = p[p["penalties"] != "1, 1, 1, 1"]
    argmax, weighted = (unequal[unequal["decision"] == name] for name in ("argmax", "weighted"))
    lost = (argmax["found"] == "not proper").all()
    yield Claim(
        "Section 9.4",
        "with one penalty per true class, propriety is plausibly preserved by the same argument",
        _verdict(not lost),
        "charged against the most probable class, unequal penalties are not proper: at 1 % inequality a lie gains "
        f"{argmax['largest_gain'].min():.1e} in expectation",
    )
    kept = (weighted["found"] == "strictly proper").all() and float(t["difference"].max()) < 1e-9
    yield Claim(
        "Section 9.4",
        "(extension) charged against the largest penalty times probability",
        "settled here" if kept else "does not hold",
        f"strictly proper; the threshold in closed form is off by {t['difference'].max():.1e} at most from search, "
        f"{len(t)} random penalties",
    )
