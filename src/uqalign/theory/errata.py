"""Claims of the paper that do not hold, each with the numbers that show it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import Any

import numpy as np

from uqalign.agreement import kendall_tau_b
from uqalign.audit.published import datasets_of, published_tables
from uqalign.checks import FloatArray
from uqalign.metrics import accuracy
from uqalign.metrics.registry import for_task
from uqalign.priors import PRIOR_K, rank_weights, selection_weights
from uqalign.theory.identities import error_rate_acting_at_the_threshold
from uqalign.theory.verdict import numbers
from uqalign.utilities import Payoff, risk_averse_top_k_utility, top_k_utility


@dataclass(frozen=True)
class Erratum:
    """A claim and its correction.

    Attributes:
        id: unique short name.
        where: place in the paper (or in its public code).
        claim: what is said there.
        correction: what holds instead.
        evidence: numbers computed by the demonstration.
        refuted: whether these numbers refute the claim.
    """

    id: str
    where: str
    claim: str
    correction: str
    evidence: Mapping[str, float]
    refuted: bool

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON and tables."""
        return {**self.__dict__, "evidence": dict(self.evidence)}


def errata() -> list[Erratum]:
    """All errata, their demonstrations run anew."""
    return [
        _accuracy_at_n(),
        _reported_variance(),
        _tau_as_agreement(),
        _last_weight(),
        _first_row(),
        _acting_at_the_threshold(),
        _headings_of_table_2(),
        _caption_of_table_j4(),
    ]


def _accuracy_at_n() -> Erratum:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 50)
    predictions = rng.uniform(size=(20, 50))
    utilities = np.array([top_k_utility(y, p, k=50) for p in predictions])
    accuracies = np.array([accuracy(y, p) for p in predictions])
    return Erratum(
        "accuracy_is_not_u_n",
        "Table 1, Section 3.2.2",
        "accuracy equals U_k at k = n, so it is aligned with top-k selection under a prior on k = n",
        "U_n is the prevalence, the same for every prediction",
        numbers(
            prevalence=y.mean(),
            lowest_utility=utilities.min(),
            highest_utility=utilities.max(),
            lowest_accuracy=accuracies.min(),
            highest_accuracy=accuracies.max(),
        ),
        bool(np.ptp(utilities) < 1e-12 and np.ptp(accuracies) > 0.1),
    )


def expected_risk_averse_utility(
    mean: FloatArray, var: FloatArray, report: tuple[FloatArray, FloatArray], k: int, aversion: float, payoff: Payoff
) -> float:
    """E[U_phi] of a report when y_i has mean `mean` and variance `var`.

    The selected rows depend on the report alone and the payoff is linear in y and in (y - report's mean)^2, so the
    expectation is the utility at the expected y and, for the residual payoff, minus the variance charged.
    """
    at_mean = risk_averse_top_k_utility(mean, *report, k=k, aversion=aversion, payoff=payoff)
    if payoff == "reported":
        return at_mean
    score = report[0] - aversion * report[1]
    chosen = np.argsort(-score, kind="stable")[:k]
    return at_mean - aversion * float(var[chosen].mean())


def _reported_variance(n: int = 40, k: int = 10, aversion: float = 1.0) -> Erratum:
    rng = np.random.default_rng(0)
    mean, var = rng.normal(size=n), rng.gamma(2, 0.5, size=n)
    honest = (mean, var)
    certain = (mean, np.zeros(n))
    values = {
        (payoff, name): expected_risk_averse_utility(mean, var, report, k, aversion, payoff)
        for payoff in ("reported", "residual")
        for name, report in (("honest", honest), ("certain", certain))
    }
    best_lie = max(
        expected_risk_averse_utility(
            mean,
            var,
            (mean + scale * rng.normal(size=n), var * np.exp(scale * rng.normal(size=n))),
            k,
            aversion,
            "residual",
        )
        for scale in rng.uniform(0, 1, 2000)
    )
    return Erratum(
        "proposition_4_2",
        "Proposition 4.2, for U_phi",
        "every prior-weighted utility is a proper scoring rule",
        "U_phi charges the reported variance, so that reporting 0 pays; charging the squared residual is proper",
        numbers(
            honest=values["reported", "honest"],
            variance_reported_as_0=values["reported", "certain"],
            honest_residual_payoff=values["residual", "honest"],
            variance_reported_as_0_residual_payoff=values["residual", "certain"],
            best_of_2000_other_reports_residual_payoff=best_lie,
        ),
        values["reported", "certain"] > values["reported", "honest"]
        and values["residual", "honest"] >= max(best_lie, values["residual", "certain"]) - 1e-12,
    )


def _tau_as_agreement(models: int = 5) -> Erratum:
    reference = range(models)
    agreements = {
        sum(order[i] < order[j] for i, j in combinations(reference, 2)) / (models * (models - 1) / 2)
        for order in permutations(reference)
        if abs(kendall_tau_b(list(reference), order) - 0.8) < 1e-12
    }
    return Erratum(
        "tau_is_not_agreement",
        "Appendix J, on Kendall's tau",
        "tau = 0.8 means that 80 % of the pairs of models are ordered alike",
        "the share of pairs ordered alike is (1 + tau) / 2, so it is 90 %",
        numbers(lowest_share=min(agreements), highest_share=max(agreements)),
        min(agreements) == max(agreements) == 0.9,
    )


def _last_weight() -> Erratum:
    rows = {n: float(selection_weights(PRIOR_K, n)[-1]) for n in (2, 5)}
    return Erratum(
        "k_may_be_n",
        "Section 3.2.2, k in 1 .. n - 1",
        "the prior on k/n selects at most n - 1 rows",
        "k = ceil(n q) is n with probability P(q > (n - 1) / n): tiny, but not zero",
        numbers(**{f"weight_of_n_at_{n}_rows": weight for n, weight in rows.items()}),
        all(weight > 0 for weight in rows.values()),
    )


def _first_row() -> Erratum:
    shares = {}
    for n in (14, 42, 154, 1625):
        weights = rank_weights(PRIOR_K, n)
        shares[n] = float(weights[0] / weights.sum())
    return Erratum(
        "weight_of_the_first_row",
        "Appendix I.4",
        "the prior Beta(1.2, 20.8) on k/n is about picking the top 1 %",
        "on a fold of 42 rows, 54 % of its weight lies on the row ranked first",
        numbers(**{f"share_at_{n}_rows": share for n, share in shares.items()}),
        abs(shares[42] - 0.54) < 0.005,
    )


def _acting_at_the_threshold() -> Erratum:
    difference = error_rate_acting_at_the_threshold()
    return Erratum(
        "acting_at_the_threshold",
        "public code",
        "the decision rule of the code, act iff p >= c, gives the identities of Table 1",
        "at p = 1/2 it acts where accuracy predicts 0; the paper's rule, act iff p > c, gives them",
        numbers(largest_difference_to_the_error_rate=difference),
        difference == 1.0,
    )


def _headings_of_table_2() -> Erratum:
    weighted = {
        task: {name for name, metric in for_task(task).items() if metric.family == "decision"}
        for task in ("binary", "regression")
    }
    headed = {"pwu_c", "pwu_k"}
    return Erratum(
        "headings_of_table_2",
        "Table 2",
        "its last two columns are the prior-weighted utilities of c and k",
        "bidding is a regression, where neither exists: they are those of lambda and phi",
        numbers(
            headed_metrics_for_classification=len(headed & weighted["binary"]),
            headed_metrics_for_regression=len(headed & weighted["regression"]),
            lambda_and_phi_for_regression=len({"pwu_lambda", "pwu_phi"} & weighted["regression"]),
        ),
        headed <= weighted["binary"] and not headed & weighted["regression"],
    )


def _caption_of_table_j4() -> Erratum:
    table = published_tables()
    best = table[table["best"] & (table["metric"] == "pwu_phi")]
    count = {family: int((best["family"] == family).sum()) for family in ("selective", "risk_averse_top_k")}
    return Erratum(
        "caption_of_table_j4",
        "Table J.4, caption",
        "the prior-weighted utility of phi aligns best with selective decisions on all data sets",
        "it does with risk-averse top-k decisions, which the table is about, and with selective ones on none",
        numbers(
            data_sets=len(datasets_of("selective")),
            best_with_selective_decisions=count["selective"],
            best_with_risk_averse_top_k=count["risk_averse_top_k"],
        ),
        count["selective"] == 0,
    )
