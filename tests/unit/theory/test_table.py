"""Table 1 and the errata, executed."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from scipy import integrate

from uqalign.metrics.registry import for_task
from uqalign.priors import Pareto, PointMass, Uniform
from uqalign.theory import errata, errata_markdown, examine, table_one, to_frame, verdicts_markdown
from uqalign.theory import identities as ids
from uqalign.theory.errata import expected_risk_averse_utility
from uqalign.theory.exact import SLICES
from uqalign.theory.selective import (
    abstention_under_inverse_square,
    nll_reversal,
    squared_error_sweep,
)
from uqalign.utilities import risk_averse_top_k_utility


@pytest.fixture(scope="module")
def verdicts():
    return table_one()


def test_every_entry_of_the_published_table_is_there(verdicts) -> None:
    entries = {(v.task, v.metric, v.family) for v in verdicts}
    binary = ("nll", "brier", "accuracy", "ece", "mce", "rauc", "edet")
    regression = ("nll", "mse", "ece", "mce", "rauc", "edet")
    expected = {("binary", m, f) for m in binary for f in ("binary_decision", "top_k")}
    expected |= {("regression", m, f) for m in regression for f in ("selective", "risk_averse_top_k")}
    expected |= {("multiclass", m, "one_vs_rest") for m in ("nll", "brier", "ece")}
    expected |= {("multivariate", m, "multivariate_selective") for m in ("nll", "mse", "energy_score")}
    assert entries == expected
    assert len(verdicts) == len(expected) + 3  # accuracy at k = n; NLL and MSE with and without their condition


def test_all_entries_are_decided_and_one_claim_is_false(verdicts) -> None:
    assert {v.verdict for v in verdicts} == {"aligned", "not aligned"}
    assert table_one() == verdicts
    assert [(v.metric, v.family, v.scope) for v in verdicts if not v.confirms] == [("accuracy", "top_k", "k = n")]


def test_counterexamples_are_strict_reversals(verdicts) -> None:
    pairs = [v for v in verdicts if v.counterexample is not None]
    assert len(pairs) == 24
    for v in pairs:
        pair = v.counterexample
        assert pair.refutes_every_prior
        assert pair.metric_flattered < pair.metric_useful - 1e-3
        assert pair.comparison.loss == 0
        # Correlations are invisible to coordinate-wise decisions; everywhere else some decision loses by the metric.
        assert pair.comparison.sometimes_better == (v.task != "multivariate")
        metric = for_task(v.task)[v.metric]
        again = examine(metric, v.family, np.array(pair.y), pair.useful, pair.flattered)
        assert again.metric_useful == pair.metric_useful
        swapped = examine(metric, v.family, np.array(pair.y), pair.flattered, pair.useful)
        assert not swapped.refutes_every_prior
        assert SLICES[v.family][0] == v.task


@pytest.mark.parametrize(
    "identity",
    [
        ids.binary_log_score,
        ids.binary_brier_score,
        ids.binary_error_rate,
        ids.multiclass_log_score,
        ids.multiclass_brier_score,
        ids.gaussian_log_score,
        ids.squared_error,
    ],
)
def test_identities_hold_to_machine_precision(identity) -> None:
    assert identity() < 5e-15


def test_identities_can_fail() -> None:
    assert ids.error_rate_acting_at_the_threshold() == 1.0
    assert ids._binary(ids.log_score, lambda t: 1.01) > 0.009
    assert ids._binary(ids.brier_score, lambda t: 2 * ids._logistic(t)) > 0.01
    # Below eps nobody abstains: the loss is r^2, while h(NLL) goes on with eps r^2 / s + eps log(s / eps).
    left, right = ids._pareto(np.array([ids.EPS / 2]))
    rng = np.random.default_rng(ids.SEED)
    y = rng.normal(size=1)
    residual = ((y + rng.normal(size=1) * math.sqrt(ids.EPS)) - y) ** 2
    assert left == pytest.approx(residual)
    assert right == pytest.approx(2 * residual + ids.EPS * math.log(0.5))
    assert ids.gaussian_log_score_below_eps() == pytest.approx(abs(left[0] - right[0]) / ids.EPS)


def test_the_squared_error_sweep_has_no_gaps() -> None:
    for multivariate in (False, True):
        sweep = squared_error_sweep(4, multivariate=multivariate)
        assert sweep.refutes
        assert (sweep.pairs, sweep.low, sweep.high) == (8, 2**-4, 2**4)


def test_reversals_of_the_gaussian_nll() -> None:
    for prior in (Uniform(0, 0.5), PointMass(0.2), Pareto(1, 0.01), Pareto(3, 1)):
        reversal = nll_reversal(prior)
        assert reversal.refutes
        for x, s, nll, loss in zip(
            reversal.squared_error, reversal.variance, reversal.nll, reversal.expected_loss, strict=True
        ):
            assert nll == pytest.approx(0.5 * math.log(2 * math.pi * s) + x / (2 * s))
            assert loss == pytest.approx(x * prior.tail(s) + prior.partial_mean(s))
    with pytest.raises(ValueError, match="mass elsewhere"):
        nll_reversal(Pareto(1, 1e-9))


def test_the_inverse_square_weight_diverges() -> None:
    for eps in (0.5, 1e-3, 1e-9):
        assert abstention_under_inverse_square(eps) == pytest.approx(-math.log(eps), rel=1e-9)
    assert abstention_under_inverse_square(0.1) == pytest.approx(integrate.quad(lambda x: 1 / x, 0.1, 1)[0])


def test_errata_are_refuted_by_their_own_numbers() -> None:
    entries = {e.id: e for e in errata()}
    assert all(e.refuted for e in entries.values())
    reported = entries["proposition_4_2"].evidence
    assert reported["honest"] == pytest.approx(0.262, abs=5e-4)
    assert reported["variance_reported_as_0"] == pytest.approx(0.943, abs=5e-4)
    assert reported["variance_reported_as_0_residual_payoff"] < reported["honest_residual_payoff"]
    assert reported["best_of_2000_other_reports_residual_payoff"] <= reported["honest_residual_payoff"] + 1e-12
    assert entries["tau_is_not_agreement"].evidence["lowest_share"] == 0.9
    assert entries["k_may_be_n"].evidence["weight_of_n_at_5_rows"] == pytest.approx(5.57e-15, rel=1e-2)
    assert entries["weight_of_the_first_row"].evidence["share_at_42_rows"] == pytest.approx(0.54, abs=5e-3)
    assert entries["accuracy_is_not_u_n"].evidence["lowest_utility"] == pytest.approx(0.54)


@pytest.mark.parametrize("payoff", ["reported", "residual"])
def test_expected_risk_averse_utility_against_simulation(payoff: str) -> None:
    rng = np.random.default_rng(3)
    mean, var = rng.normal(size=12), rng.uniform(0.1, 1, 12)
    report = (mean + 0.3, var / 2)
    exact = expected_risk_averse_utility(mean, var, report, 4, 0.7, payoff)
    draws = mean + np.sqrt(var) * rng.normal(size=(4000, 12))
    values = [risk_averse_top_k_utility(y, *report, k=4, aversion=0.7, payoff=payoff) for y in draws]
    assert exact == pytest.approx(np.mean(values), abs=4 * np.std(values) / math.sqrt(4000))


def test_renderings(verdicts) -> None:
    text = verdicts_markdown(verdicts)
    assert text.count("\n") == len(verdicts) + 1
    assert all(line.count(" | ") == 7 for line in text.splitlines()[2:])
    assert "**not aligned**" in text
    frame = to_frame(verdicts)
    assert set(frame["metric"]) == {v.metric for v in verdicts}
    assert len(frame) == sum(len(v.evidence) for v in verdicts)
    entries = errata()
    assert errata_markdown(entries).count("\n") == len(entries) + 1
    assert len(to_frame(entries)) == sum(len(e.evidence) for e in entries)
    json.dumps([v.to_dict() for v in verdicts] + [e.to_dict() for e in entries], allow_nan=False)
