"""Claims about other priors and other agreements, on made-up files whose verdicts are plain."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np
import pandas as pd
import pytest

from audit_helpers import frame
from uqalign.agreement import AGREEMENTS
from uqalign.audit.claimed_cases import CASES
from uqalign.audit.claims import Claim, Outcome, judge
from uqalign.audit.declared import declared, stated
from uqalign.audit.evidence import evidence_under
from uqalign.audit.settings import AUDITED, DEFINITIONS, OWN, PUBLISHED
from uqalign.audit.statements import UNMOVED, ahead_of_classical, among_best, improves, stays
from uqalign.audit.verdicts import claims_markdown, verdicts
from uqalign.audit.yardsticks import YARDSTICK_COLUMNS, by_agreement, by_level, by_money
from uqalign.contracts.alignment import ALIGNMENT_COLUMNS
from uqalign.contracts.sensitivity import LEVEL_COLUMNS
from uqalign.families import FAMILIES

LEVELS = ("base", "slight", "strong", "extreme")
SEEDS = 12
Medians = Mapping[str, float]


def level_file(family: str, dataset: str, medians: Mapping[str, Medians], spread: float = 0.01) -> pd.DataFrame:
    """Levels of one family: medians of some metrics by level, 0.1 of the others; two decisions 0.2 apart."""
    rng = np.random.default_rng(3)
    rows = []
    for level in LEVELS:
        for metric in AUDITED[FAMILIES[family].task]:
            median = medians.get(level, {}).get(metric, 0.1)
            for seed, noise in enumerate(spread * rng.normal(size=SEEDS)):
                for theta, shift in (("a", -0.1), ("b", 0.1), ("none", np.nan)):
                    value = median + noise + shift
                    rows.append((dataset, seed, family, level, "draws", theta, metric, value, 0, 0, 0, 7, ""))
                rows.append((dataset, seed, family, level, "exact", "", metric, -1.0, 0, 0, 0, 7, ""))
    return pd.DataFrame(rows, columns=LEVEL_COLUMNS)


def alignment_file(family: str, dataset: str, medians: Mapping[str, Medians], spread: float = 0.01) -> pd.DataFrame:
    """Alignment of one family: medians of some metrics by agreement, 0.1 of the others, and -1 by tau."""
    rng = np.random.default_rng(4)
    task = FAMILIES[family].task
    rows = []
    for metric in AUDITED[task]:
        for seed in range(SEEDS):
            values = [medians.get(name, {}).get(metric, 0.1) + spread * rng.normal() for name in AGREEMENTS[1:]]
            rows.append((task, dataset, seed, family, "a", metric, -1.0, *values, 7, ""))
    return pd.DataFrame(rows, columns=ALIGNMENT_COLUMNS)


def outcome(statement, others: pd.DataFrame, setting: str = DEFINITIONS) -> Outcome:
    taus = frame(np.zeros((SEEDS, 1)), ("nll",))
    return judge(Claim("c", "", "", "", (statement,)), evidence_under(taus, setting, {}, 5, others))


def verdict(statement, *files: pd.DataFrame) -> tuple[str, bool | None]:
    parts = [
        (by_level if "level" in file else by_agreement)(file, dict.fromkeys(file["dataset"], DEFINITIONS))
        for file in files
    ]
    found = outcome(statement, pd.concat(parts))
    return found.verdict, found.at_medians


def at(**levels: float) -> dict[str, Medians]:
    """Medians of pwu_k by level."""
    return {level: {"pwu_k": median} for level, median in levels.items()}


def test_means_are_over_the_decisions_that_have_a_tau() -> None:
    file = level_file("top_k", "a", at(slight=0.4), spread=0)
    table = by_level(file, {"a": PUBLISHED}).set_index(["yardstick", "metric", "seed"])["tau"]
    assert len(table) == len(LEVELS) * len(AUDITED["binary"]) * SEEDS
    assert table["slight", "pwu_k", 3] == pytest.approx(0.4)
    assert table["base", "pwu_k", 3] == pytest.approx(0.1)
    assert by_level(file, {}).empty  # a data set of no known setting
    agreements = by_agreement(alignment_file("top_k", "a", {"top_3": {"nll": 0.7}}, spread=0), {"a": PUBLISHED})
    assert list(agreements.columns) == YARDSTICK_COLUMNS
    assert set(agreements["setting"]) == {PUBLISHED}
    assert agreements.groupby("yardstick")["tau"].max().to_dict() == pytest.approx(
        {"pearson": 0.1, "top_1": 0.1, "top_3": 0.7}
    )


def test_improvement_at_each_level() -> None:
    statement = improves("pwu_k", "top_k", "slight", "strong")
    up, half = at(base=0.2, slight=0.5, strong=0.6), at(base=0.4, slight=0.6, strong=0.2)
    assert verdict(statement, level_file("top_k", "a", up)) == ("holds", True)
    assert verdict(statement, level_file("top_k", "a", half)) == ("fails", False)
    assert verdict(statement, level_file("top_k", "a", up), level_file("top_k", "b", half)) == ("fails", False)
    most = [level_file("top_k", name, up) for name in "ab"]
    assert verdict(statement, *most, level_file("top_k", "c", half)) == ("holds", True)
    same = at(base=0.5, slight=0.5, strong=0.5)
    assert verdict(statement, level_file("top_k", "a", same, spread=0)) == ("fails", False)
    assert verdict(statement, level_file("top_k", "a", up, spread=1.0))[0] == "undecided"


def test_no_effect_is_a_small_one_either_way() -> None:
    statement = stays("pwu_k", "top_k", "slight", "strong")
    near = at(base=0.5, slight=0.5 + UNMOVED / 2, strong=0.5 - UNMOVED / 2)
    assert verdict(statement, level_file("top_k", "a", near)) == ("holds", True)
    for moved in (at(base=0.5, slight=0.5, strong=0.8), at(base=0.5, slight=0.2, strong=0.5)):
        assert verdict(statement, level_file("top_k", "a", moved)) == ("fails", False)
    edge = at(base=0.5, slight=0.5 + 0.9 * UNMOVED, strong=0.5)
    assert verdict(statement, level_file("top_k", "a", edge, spread=0.05))[0] == "undecided"


def test_changes_are_drawn_with_the_same_seeds() -> None:
    """Levels that differ by a constant, seed by seed, leave no doubt, however much seeds differ."""
    file = level_file("top_k", "a", at(base=0.5, slight=0.5, strong=0.5))
    noise = file["seed"].map(dict(enumerate(np.random.default_rng(0).normal(size=SEEDS))))
    step = file["level"].map({"base": 0, "slight": 0.05, "strong": 0.08, "extreme": 0})
    file = file.assign(tau=0.5 + noise + step)
    assert verdict(improves("pwu_k", "top_k", "slight", "strong"), file) == ("holds", True)
    assert verdict(stays("pwu_k", "top_k", "slight", "strong"), file) == ("holds", True)


def test_places_under_another_prior() -> None:
    statement = among_best("pwu_k", "top_k", "extreme")
    first = {"extreme": {"pwu_k": 0.5, "nll": 0.6, "brier": 0.7}}
    fourth = {"extreme": {**first["extreme"], "ece": 0.8}, "base": {"pwu_k": 0.9}}
    assert verdict(statement, level_file("top_k", "a", first)) == ("holds", True)
    assert verdict(statement, level_file("top_k", "a", fourth)) == ("fails", False)
    assert verdict(statement, level_file("top_k", "a", fourth, spread=1.0))[0] == "undecided"


def test_ahead_of_the_classical_metrics_alone() -> None:
    statement = ahead_of_classical("pwu_k", "top_k", "top_3")
    ahead = {"top_3": {"pwu_k": 0.6, "pwu_c": 0.9, "nll": 0.4}, "pearson": {"nll": 0.9}}
    behind = {"top_3": {"pwu_k": 0.6, "nll": 0.8}, "top_1": {"pwu_k": 0.9}}
    assert verdict(statement, alignment_file("top_k", "a", ahead)) == ("holds", True)
    assert verdict(statement, alignment_file("top_k", "a", behind)) == ("fails", False)
    assert verdict(statement, alignment_file("top_k", "a", {}, spread=0)) == ("holds", True)  # a shared first place
    assert verdict(statement, alignment_file("top_k", "a", ahead, spread=1.0))[0] == "undecided"


NONE = pd.DataFrame(columns=YARDSTICK_COLUMNS)


@pytest.mark.parametrize(
    ("statement", "folder"),
    [
        (improves("pwu_k", "top_k", "slight"), "results/sensitivity/levels"),
        (among_best("pwu_k", "top_k", "extreme"), "results/sensitivity/levels"),
        (ahead_of_classical("pwu_k", "top_k", "pearson"), "results/alignment"),
    ],
)
def test_what_is_not_there_is_not_run_and_says_why(statement, folder: str) -> None:
    missing = outcome(statement, NONE)
    assert missing.verdict == "not run"
    assert missing.detail == f"nothing that it is about is in {folder}"
    settings = {"a": DEFINITIONS}
    levels, alignment = level_file("top_k", "a", {}), alignment_file("top_k", "a", {})
    others = pd.concat([by_level(levels, settings), by_agreement(alignment, settings)])
    other = outcome(statement, others, PUBLISHED)
    assert other.verdict == "not run"
    assert other.detail == f"{folder} follows the protocol of the configuration alone, here the definitions"
    assert outcome(statement, others.assign(setting=""), PUBLISHED).detail.endswith("a protocol between the two")
    assert outcome(statement, others.assign(family="binary_decision")).detail == "no data set of it was run"
    assert "leaves out" in outcome(statement, others[others["metric"] == "nll"]).detail


def run_of(setting: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Taus and other yardsticks of a run in which every claim about other priors and agreements is true."""
    taus, others = [], []
    for family in ("binary_decision", "top_k", "selective", "risk_averse_top_k"):
        dataset, own = FAMILIES[family].task, OWN[family]
        metrics = AUDITED[FAMILIES[family].task]
        taus += [frame(np.full((SEEDS, len(metrics)), 0.5), metrics, dataset, family)]
        up = {"slight": 0.6, "strong": 0.7} if family == "top_k" else {"slight": 0.5, "strong": 0.5}
        levels = {level: {own: median} for level, median in {"base": 0.5, "extreme": 0.4, **up}.items()}
        agreements = {name: {own: 0.8} for name in AGREEMENTS}
        settings = {dataset: setting}
        others += [
            by_level(level_file(family, dataset, levels), settings),
            by_agreement(alignment_file(family, dataset, agreements), settings),
        ]
    both = pd.concat(taus)
    return pd.concat([both, both.assign(setting=PUBLISHED)]), pd.concat(others)


CLAIMS = [claim.id for claim in stated() if claim.id.startswith("sensitivity_") or claim.id == "ablations"]


@pytest.mark.parametrize(("setting", "other"), [(DEFINITIONS, PUBLISHED), (PUBLISHED, DEFINITIONS)])
def test_all_five_claims_hold_where_they_are_true(setting: str, other: str) -> None:
    taus, others = run_of(setting)
    table = verdicts(taus, {}, 5, others).set_index("claim").loc[CLAIMS]
    assert len(table) == 5
    assert set(table[f"{setting}_verdict"]) == {"holds"}
    assert set(table[f"{other}_verdict"]) == set(table["printed_verdict"]) == {"not run"}
    page = claims_markdown(verdicts(taus, {}, 5, others))
    line = next(line for line in page.splitlines() if line.startswith("| slight and strong changes of the prior imp"))
    assert "pwu_k" in line
    assert re.search(r"binary: slight \+0\.\d\d, strong \+0\.\d\d \|$", line)  # of whichever protocol has them
    assert "the printed tables, 5 of the claims: the paper shows it in figures, without numbers." in page
    assert "4 of the claims: results/sensitivity/levels follows the protocol of the configuration alone" in page


def test_without_other_yardsticks_the_page_says_what_is_lacking() -> None:
    taus, _ = run_of(DEFINITIONS)
    page = claims_markdown(verdicts(taus, {}, 5))
    rest = page.partition("Not run here:")[2].partition("##")[0]
    assert rest.count("nothing that it is about is in results/sensitivity/levels") == 4
    assert rest.count("nothing that it is about is in results/alignment") == 1
    assert rest.count("nothing that it is about is in results/cases") == 3


def case_file(case: str, arm: str, medians: Medians, replicates: int = SEEDS, spread: float = 0.01) -> pd.DataFrame:
    """Alignment of one arm of a case study: medians of some metrics, 0.1 of the others."""
    rng = np.random.default_rng(5)
    task = CASES[case].task
    rows = [
        (task, arm, draw, case, "", metric, medians.get(metric, 0.1) + spread * rng.normal(), 0, 0, 0, 7, "")
        for metric in (*AUDITED[task], "crps")
        for draw in range(replicates)
    ]
    return pd.DataFrame(rows, columns=ALIGNMENT_COLUMNS)


def money(*files: pd.DataFrame, setting: str = DEFINITIONS) -> pd.DataFrame:
    return pd.concat([by_money(file, dict.fromkeys(CASES, setting)) for file in files])


def about(claim: str, others: pd.DataFrame, setting: str = DEFINITIONS) -> tuple[str, bool | None]:
    chosen = next(each for each in declared() if each.id == claim)
    found = judge(chosen, evidence_under(frame(np.zeros((SEEDS, 1)), ("nll",)), setting, {}, 5, others))
    return found.verdict, found.at_medians


def test_claims_about_money() -> None:
    kaggle, pakdd = (case_file("credit", arm, {"pwu_c": median}) for arm, median in (("kaggle", 0.4), ("pakdd", -0.2)))
    assert about("credit", money(kaggle)) == ("holds", True)
    assert about("credit", money(kaggle, pakdd)) == ("fails", False)
    second = case_file("lending", "lending_club", {"pwu_k": 0.4, "rauc": 0.6})
    third = case_file("lending", "lending_club", {"pwu_k": 0.4, "rauc": 0.6, "pwu_c": 0.5})
    assert about("lending", money(second)) == ("holds", True)
    assert about("lending", money(third)) == ("fails", False)
    assert about("lending", money(second), PUBLISHED) == ("not run", None)
    assert about("lending", money(second, setting=PUBLISHED), PUBLISHED) == ("holds", True)
    assert about("lending", by_money(second, {"credit": DEFINITIONS})) == ("not run", None)


def test_draws_of_one_test_set_are_taken_as_they_are() -> None:
    """Nothing is resampled again: the probability is the share of the draws."""
    low = case_file("electricity", "days", {"pwu_lambda": 0.5}, 40, spread=0)
    high = low["tau"].where((low["seed"] >= 10) | (low["metric"] != "edet"), 0.9)
    chosen = next(each for each in declared() if each.id == "bidding")
    found = judge(chosen, evidence_under(frame(np.zeros((1, 1)), ("nll",)), DEFINITIONS, {}, 5, money(low)))
    assert (found.verdict, found.probability) == ("holds", 1.0)
    assert "crps" not in found.detail  # the published table has no such line
    unsure = evidence_under(frame(np.zeros((1, 1)), ("nll",)), DEFINITIONS, {}, 5, money(low.assign(tau=high)))
    found = judge(chosen, unsure)
    assert (found.verdict, found.at_medians, found.probability) == ("undecided", True, 0.75)
    assert about("bold_2_electricity_pwu_lambda", money(low)) == ("holds", True)
    other_arm = case_file("electricity", "blocks_3", {"edet": 0.9})
    assert about("bidding", money(other_arm)) == ("not run", None)
