"""Table 1 of Schneider et al. (2026), and its counterparts in their Appendix G, as executed checks."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from uqalign.metrics import accuracy
from uqalign.tasks import Task
from uqalign.theory import identities
from uqalign.theory.counterexamples import known_counterexample
from uqalign.theory.selective import (
    PRIORS,
    Sweep,
    abstention_under_inverse_square,
    nll_reversal,
    squared_error_sweep,
)
from uqalign.theory.verdict import TOLERANCE, Finding, Verdict, numbers
from uqalign.utilities import top_k_utility

_IDENTITIES: tuple[tuple[Task, str, str, str, str, Callable[[], float]], ...] = (
    ("binary", "nll", "binary_decision", "", "1 / (c (1 - c))", identities.binary_log_score),
    ("binary", "brier", "binary_decision", "", "2", identities.binary_brier_score),
    ("binary", "accuracy", "binary_decision", "", "2 delta(c = 1/2)", identities.binary_error_rate),
    ("multiclass", "nll", "one_vs_rest", "", "1 / c for every class j", identities.multiclass_log_score),
    ("multiclass", "brier", "one_vs_rest", "", "2 for every class j", identities.multiclass_brier_score),
    (
        "regression",
        "nll",
        "selective",
        "lambda > eps and var >= eps",
        "Pareto(1, eps)",
        identities.gaussian_log_score,
    ),
    (
        "regression",
        "mse",
        "selective",
        "lambda = infinity included",
        "delta(lambda = infinity)",
        identities.squared_error,
    ),
)

_PAIRED: tuple[tuple[Task, str, tuple[str, ...]], ...] = (
    ("binary", "binary_decision", ("ece", "mce", "rauc", "edet")),
    ("binary", "top_k", ("nll", "brier", "accuracy", "ece", "mce", "rauc", "edet")),
    ("multiclass", "one_vs_rest", ("ece",)),
    ("regression", "selective", ("ece", "mce", "rauc", "edet")),
    ("regression", "risk_averse_top_k", ("nll", "mse", "ece", "mce", "rauc", "edet")),
    ("multivariate", "multivariate_selective", ("nll", "energy_score")),
)


def table_one() -> list[Verdict]:
    """Every entry of Table 1 checked anew: identities to rounding, the rest by counterexamples.

    Returns:
        Verdicts by task and family: binary, multiclass, regression, multivariate.
    """
    entries = [*_identities(), *_counterexamples(), *_through_priors(), _everything_selected()]
    order: tuple[Task, ...] = ("binary", "multiclass", "regression", "multivariate")
    families = [family for _, family, _ in _PAIRED]
    return sorted(entries, key=lambda v: (order.index(v.task), families.index(v.family)))


def _identities() -> Iterator[Verdict]:
    for task, metric, family, scope, prior, check in _IDENTITIES:
        difference = check()
        evidence = {"largest_difference": difference}
        reason = f"identity holds to {difference:.1e}"
        if metric == "accuracy":
            evidence["difference_acting_at_c"] = identities.error_rate_acting_at_the_threshold()
            reason += "; only under the rule act iff p > c, not with p >= c"
        if scope.startswith("lambda > eps"):
            evidence["difference_below_eps"] = identities.gaussian_log_score_below_eps()
            reason += "; it ends at var = eps"
        verdict: Finding = "aligned" if difference <= TOLERANCE else "undecided"
        yield Verdict(task, metric, family, scope, "aligned", verdict, prior, numbers(**evidence), reason)


def _counterexamples() -> Iterator[Verdict]:
    for task, family, metrics in _PAIRED:
        for metric in metrics:
            pair = known_counterexample(task, family, metric)
            assert pair is not None, f"no pair for {metric} and {family}"
            verdict: Finding = "not aligned" if pair.refutes_every_prior else "undecided"
            evidence = numbers(
                metric_of_the_useful=pair.metric_useful,
                metric_of_the_flattered=pair.metric_flattered,
                utility_gained=pair.comparison.gain,
                utility_lost=pair.comparison.loss,
            )
            scope = "k < n" if "top_k" in family else ""
            yield Verdict(task, metric, family, scope, "not aligned", verdict, "", evidence, pair.text(), pair)


def _through_priors() -> Iterator[Verdict]:
    yield _sweep("regression", "selective", squared_error_sweep())
    yield _sweep("multivariate", "multivariate_selective", squared_error_sweep(multivariate=True))
    reversals = [nll_reversal(prior) for prior in PRIORS]
    refuted = all(reversal.refutes for reversal in reversals)
    evidence = numbers(
        priors_reversed=sum(reversal.refutes for reversal in reversals),
        smallest_loss_gap=min(r.expected_loss[0] - r.expected_loss[1] for r in reversals),
        abstention_cost_eps_1e_3=abstention_under_inverse_square(1e-3),
        abstention_cost_eps_1e_12=abstention_under_inverse_square(1e-12),
    )
    reason = (
        f"under each of {len(reversals)} priors two predictions are ordered differently; the weight 1 / lambda^2 that "
        "would order all alike costs log(1 / eps) for one abstention, without bound"
    )
    yield Verdict(
        "regression",
        "nll",
        "selective",
        "all lambda > 0",
        "not aligned",
        "not aligned" if refuted else "undecided",
        "",
        evidence,
        reason,
    )


def _sweep(task: Task, family: str, sweep: Sweep) -> Verdict:
    reason = (
        f"{sweep.pairs} pairs tie under the MSE while every lambda in [2^k, 2^(k+1)) prefers the smaller variance, "
        f"{sweep.low:.1e} <= lambda < {sweep.high:.1e}: no prior with mass there is left"
    )
    return Verdict(
        task,
        "mse",
        family,
        "all lambda > 0",
        "not aligned",
        "not aligned" if sweep.refutes else "undecided",
        "",
        numbers(pairs=sweep.pairs, lowest_lambda=sweep.low, highest_lambda=sweep.high),
        reason,
    )


def _everything_selected() -> Verdict:
    y = np.array([1, 0, 0])
    right, wrong = np.array([0.9, 0.1, 0.1]), np.array([0.1, 0.9, 0.9])
    by_accuracy = [float(accuracy(y, p)) for p in (right, wrong)]
    by_utility = [top_k_utility(y, p, k=len(y)) for p in (right, wrong)]
    refuted = by_accuracy[0] != by_accuracy[1] and by_utility[0] == by_utility[1]
    return Verdict(
        "binary",
        "accuracy",
        "top_k",
        "k = n",
        "aligned",
        "not aligned" if refuted else "undecided",
        "",
        numbers(
            accuracy_of_the_right=by_accuracy[0],
            accuracy_of_the_wrong=by_accuracy[1],
            utility_of_the_right=by_utility[0],
            utility_of_the_wrong=by_utility[1],
        ),
        "U_n selects every row, so it is the prevalence whatever is predicted",
    )
