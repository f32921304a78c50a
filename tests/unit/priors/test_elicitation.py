"""Reports, fits and shifts: what a prior says about decisions."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from scipy import stats

from uqalign.priors import (
    NLL_WEIGHT,
    PERTURBED,
    PRIOR_C,
    PRIOR_GAMMA,
    PRIOR_K,
    PRIOR_LAMBDA,
    Beta,
    FrozenScipy,
    Gamma,
    LogNormal,
    Mixture,
    NotAProbabilityError,
    Pareto,
    PointMass,
    Truncated,
    Uniform,
    beta_from_mode,
    elicitation_report,
    prior_from_quantiles,
    rank_weights,
    selection_weights,
    shift_mode,
)
from uqalign.priors.plot import save_chart
from uqalign.priors.render import BLOCKS, cell_masses, display_range
from uqalign.pwu.rank_weights import RankWeights


def test_published_quantiles_and_cost_ratios() -> None:
    report = elicitation_report(PRIOR_C)
    values = [round(q.value, 3) for q in report.quantiles]
    assert values == [0.033, 0.148, 0.364]
    ratios = [q.cost_ratio for q in report.quantiles]
    assert ratios == pytest.approx([29, 5.8, 1.7], rel=0.03)
    assert [q.reading.split()[-1] for q in report.quantiles] == ["29:1", "5.8:1", "1.7:1"]
    assert report.mode == pytest.approx(0.1)
    assert report.warnings == ()


@pytest.mark.parametrize(
    ("n", "share", "one"),
    [
        (14, 0.85, 0.72),
        (42, 0.54, 0.31),
        (61, 0.44, 0.21),
        (71, 0.40, 0.18),
        (154, 0.24, 0.08),
        (392, 0.12, 0.03),
        (1625, 0.04, 0.00),
    ],
)
def test_share_of_the_top_row(n: int, share: float, one: float) -> None:
    selection = elicitation_report(PRIOR_K, parameter="k", n_test=n).selection
    assert selection is not None
    assert round(selection.top_row_share, 2) == share
    assert round(selection.probability_one_row, 2) == one


def test_selection_against_sampling_and_a_double_sum() -> None:
    n = 61
    k = np.ceil(n * PRIOR_K.sample(200_000, np.random.default_rng(1))).clip(1).astype(int)
    chance = selection_weights(PRIOR_K, n)
    np.testing.assert_allclose(np.bincount(k, minlength=n + 1)[1:] / len(k), chance, atol=0.005)
    brute = [sum(chance[j - 1] / j for j in range(rank, n + 1)) for rank in range(1, n + 1)]
    np.testing.assert_allclose(rank_weights(PRIOR_K, n), brute, rtol=1e-12)
    assert rank_weights(PRIOR_K, n).sum() == pytest.approx(1, abs=1e-14)
    selection = elicitation_report(PRIOR_K, parameter="k", n_test=n).selection
    assert selection is not None
    assert selection.mean_k == pytest.approx(k.mean(), rel=0.01)
    assert selection.median_k == int(np.median(k))
    assert selection.effective_rows == pytest.approx(1 / np.sum(np.square(brute)), rel=1e-12)


def test_selecting_everything_weighs_all_rows_alike() -> None:
    selection = elicitation_report(PointMass(1), parameter="k", n_test=20).selection
    assert selection is not None
    assert selection.effective_rows == pytest.approx(20)
    assert selection.median_k == 20
    np.testing.assert_array_equal(selection_weights(PointMass(0.25), 20), np.arange(1, 21) == 5)
    np.testing.assert_array_equal(selection_weights(Uniform(0, 1), 1), [1])
    np.testing.assert_array_equal(selection_weights(PointMass(0), 3), [1, 0, 0])
    np.testing.assert_allclose(rank_weights(PRIOR_K, 61), RankWeights.from_prior(PRIOR_K, 61).place, rtol=1e-12)


def test_fractions_outside_the_unit_interval_are_refused() -> None:
    with pytest.raises(ValueError, match=r"truncate it to \[0, 1\]"):
        selection_weights(LogNormal(-1, 1), 20)
    with pytest.raises(ValueError, match="at least 1"):
        selection_weights(PRIOR_K, 0)


def test_small_folds_are_warned_of() -> None:
    assert any(
        "single best-ranked of 42 rows" in w for w in elicitation_report(PRIOR_K, parameter="k", n_test=42).warnings
    )
    assert not elicitation_report(PRIOR_K, parameter="k", n_test=1625).warnings


def test_degenerate_priors_are_warned_of() -> None:
    report = elicitation_report(Beta(0.5, 0.5))
    assert report.degeneracy.pole_at_zero
    assert report.degeneracy.pole_at_one
    expected = 2 / math.pi * math.asin(math.sqrt(0.01))
    assert report.degeneracy.mass_near_zero == pytest.approx(expected, rel=1e-12)
    assert report.degeneracy.mass_near_one == pytest.approx(expected, rel=1e-12)
    assert len(report.warnings) == 4
    assert "acting always pays" in report.warnings[0]
    wide = elicitation_report(LogNormal(0, 1), parameter="c")
    assert any("outside [0, 1]" in warning for warning in wide.warnings)
    assert elicitation_report(Truncated(Beta(0.5, 0.5), 0.05, 0.95)).warnings == ()


def test_shifts_of_the_default_prior() -> None:
    half, more = elicitation_report(PRIOR_C).shifts
    assert half.prior == Beta(1.5, 10.5)
    assert more.prior == Beta(2.5, 9.5)
    assert (half.mode, more.mode) == pytest.approx((0.05, 0.15))
    assert half.mean_change == pytest.approx(1.5 / 12 - 2 / 12)
    expected = stats.beta(2.5, 9.5).ppf(0.95) - stats.beta(2, 10).ppf(0.95)
    assert more.quantile_changes["0.95"] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    "prior",
    [LogNormal(-2, 0.5), Gamma(2, 8), Pareto(2, 0.01), PointMass(0.3), FrozenScipy(stats.weibull_min(1.5, scale=0.2))],
    ids=repr,
)
@pytest.mark.parametrize("factor", [0.5, 1.5])
def test_scale_families_move_as_a_whole(prior, factor: float) -> None:
    moved = shift_mode(prior, factor)
    q = [0.1, 0.5, 0.9]
    np.testing.assert_allclose(moved.quantile(q), factor * np.asarray(prior.quantile(q)), rtol=1e-10)
    assert moved.mode == pytest.approx(factor * prior.mode, rel=1e-6)


def test_other_shifts() -> None:
    assert shift_mode(Beta(10, 2), 1.5) == beta_from_mode(0.95, 12)
    assert shift_mode(Beta(1, 3), 0.5) == Beta(0.5, 3.5)
    moved = shift_mode(Uniform(0.2, 0.6), 1.5)
    assert moved.support == pytest.approx((0.4, 0.8))
    assert shift_mode(Uniform(0, 1), 1.5) == Uniform(0, 1)
    assert shift_mode(Uniform(0.5, 0.9), 1.5).support == pytest.approx((0.6, 1))
    assert shift_mode(Truncated(Beta(2, 10), 0.05, 0.5), 0.5) == Truncated(Beta(1.5, 10.5), 0.05, 0.5)
    mixed = Mixture([Beta(2, 10), PointMass(0.2)], [0.5, 0.5])
    assert shift_mode(mixed, 0.5) == Mixture([Beta(1.5, 10.5), PointMass(0.1)], [0.5, 0.5])
    with pytest.raises(TypeError, match="no shift"):
        shift_mode(NLL_WEIGHT, 0.5)
    with pytest.raises(ValueError, match="factor"):
        shift_mode(Beta(2, 10), 0)


def test_mode_and_concentration() -> None:
    assert beta_from_mode(0.1, 12).mode == pytest.approx(0.1, rel=1e-14)
    assert beta_from_mode(0.1, 12).a + beta_from_mode(0.1, 12).b == pytest.approx(12, rel=1e-14)
    for mode, concentration, message in ((0, 12, "mode"), (1, 12, "mode"), (0.1, 2, "flat"), (math.nan, 12, "mode")):
        with pytest.raises(ValueError, match=message):
            beta_from_mode(mode, concentration)


@pytest.mark.parametrize(
    ("family", "prior"),
    [
        ("beta", Beta(2, 10)),
        ("beta", Beta(1.2, 20.8)),
        ("beta", Beta(0.3, 0.6)),
        ("beta", Beta(400, 30)),
        ("lognormal", LogNormal(-2, 0.5)),
        ("gamma", Gamma(2, 8)),
        ("gamma", Gamma(0.2, 3)),
        ("gamma", Gamma(900, 30)),
    ],
)
@pytest.mark.parametrize("levels", [(0.05, 0.95), (0.5, 0.9), (0.1, 0.4)])
def test_quantiles_recover_the_prior(family, prior, levels: tuple[float, float]) -> None:
    quantiles = {level: float(prior.quantile(level)) for level in levels}
    fit = prior_from_quantiles(family, quantiles)
    assert fit.residual < 1e-9
    np.testing.assert_allclose(
        [getattr(fit.prior, name) for name in vars(prior)], list(vars(prior).values()), rtol=1e-6
    )


@pytest.mark.parametrize("quantiles", [{0.05: 1e-6, 0.95: 0.9}, {0.45: 0.001, 0.55: 0.999}, {0.9: 1e-6, 0.95: 0.9999}])
def test_hard_quantiles_are_met(quantiles: dict[float, float]) -> None:
    prior = prior_from_quantiles("beta", quantiles).prior
    np.testing.assert_allclose(prior.cdf(list(quantiles.values())), list(quantiles), atol=1e-6)


@pytest.mark.parametrize(
    ("family", "quantiles", "message"),
    [
        ("weibull", {0.05: 0.1, 0.95: 0.2}, "choose one of"),
        ("beta", {0.05: 0.1}, "two quantiles"),
        ("beta", {0.05: 0.4, 0.95: 0.2}, "must increase"),
        ("beta", {0.05: 0.4, 0.95: 1.2}, "must increase within"),
        ("gamma", {0.05: 0, 0.95: 1}, "must increase within"),
        ("lognormal", {0: 0.1, 0.95: 1}, "strictly between 0 and 1"),
        ("lognormal", {0.05: 1, 0.95: 1e300}, "exceeds the largest float"),
    ],
)
def test_impossible_quantiles_are_refused(family, quantiles: dict[float, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        prior_from_quantiles(family, quantiles)


def test_paper_priors() -> None:
    assert (PRIOR_C.mode, PRIOR_LAMBDA.mode, PRIOR_K.mode) == pytest.approx((0.1, 0.1, 0.01))
    assert Beta(2, 6) == PRIOR_GAMMA
    assert [PERTURBED["c"][level] for level in ("slight", "strong", "extreme")] == [
        Beta(3, 9),
        Beta(10, 10),
        Beta(10, 2),
    ]
    assert PERTURBED["lambda"] == PERTURBED["c"]
    assert PERTURBED["k"]["strong"] == Beta(2, 10)
    assert PERTURBED["gamma"]["extreme"] == Beta(9, 3)


@pytest.mark.parametrize("parameter", ["c", "lambda", "k", "gamma"])
@pytest.mark.parametrize(
    "prior",
    [
        PRIOR_C,
        Pareto(1, 0.01),
        PointMass(0),
        PointMass(math.inf),
        Mixture([Beta(2, 10), PointMass(math.inf)], [0.5, 0.5]),
        Beta(0.5, 0.5),
        FrozenScipy(stats.truncnorm(-1, 3, loc=0.2, scale=0.2)),
    ],
    ids=repr,
)
def test_every_report_can_be_read_and_stored(prior, parameter) -> None:
    report = elicitation_report(prior, parameter=parameter)
    stored = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert stored["parameter"] == parameter
    median = float(prior.quantile(0.5))
    assert stored["quantiles"][1]["value"] == (pytest.approx(median) if math.isfinite(median) else None)
    assert len(report.sparkline(40)) == 40
    text = str(report)
    assert "Quantiles" in text
    assert "nan" not in text


def test_report_as_text() -> None:
    text = str(elicitation_report("beta:1.2,20.8", parameter="k", n_test=42))
    assert text.startswith("beta:1.2,20.8 over k: mean 0.0545, mode 0.01\n")
    assert "weight of the best-ranked row 0.54" in text
    assert "x 1.5  beta:1.3,20.7" in text


def test_report_refuses_what_it_cannot_read() -> None:
    with pytest.raises(NotAProbabilityError, match="total mass inf"):
        elicitation_report("implicit:nll")
    with pytest.raises(ValueError, match="choose one of c, lambda, k, gamma"):
        elicitation_report(PRIOR_C, parameter="q")  # type: ignore[arg-type]


def test_sparkline_follows_the_density() -> None:
    line = elicitation_report(PRIOR_C).sparkline(50)
    heights = [BLOCKS.index(character) for character in line]
    top = int(np.argmax(heights))
    assert heights[top] == len(BLOCKS) - 1
    assert 0.06 <= (top + 0.5) / 50 <= 0.14
    assert heights[-1] == 0
    edges, mass = cell_masses(PRIOR_C, 50)
    assert mass.sum() == pytest.approx(1)
    assert (edges[0], edges[-1]) == display_range(PRIOR_C) == (0, 1)


def test_chart_is_written_in_every_format(tmp_path) -> None:
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    chart = elicitation_report(PRIOR_C).chart()
    for suffix, start in (
        (".svg", b"<svg"),
        (".png", b"\x89PNG"),
        (".pdf", b"%PDF"),
        (".html", b"<!DOCTYPE"),
        (".json", b"{"),
    ):
        path = save_chart(chart, tmp_path / f"prior{suffix}")
        assert path.read_bytes().lstrip().startswith(start)
    drawn = json.loads((tmp_path / "prior.json").read_text())
    curve = drawn["layer"][0]["data"]["values"]
    width = curve[1]["x"] - curve[0]["x"]
    assert sum(point["density"] for point in curve) * width == pytest.approx(1, rel=1e-6)
    with pytest.raises(ValueError, match=r"\.svg"):
        save_chart(chart, tmp_path / "prior.gif")
    with pytest.raises(FileNotFoundError, match="create it first"):
        save_chart(chart, tmp_path / "nowhere" / "prior.svg")


@pytest.mark.parametrize("text", ["point:0.3@0.25..0.5", "uniform:0.4,0.5@0.42..0.5"])
def test_a_prior_that_cannot_be_moved_within_its_bounds_is_reported_all_the_same(text: str) -> None:
    report = elicitation_report(text)
    assert len(report.shifts) < 2
    assert any("no reading with the mode times 0.5: Truncated" in warning for warning in report.warnings)
    assert ("Mode moved" in str(report)) == bool(report.shifts)


def test_rows_selected_at_a_quantile_are_those_a_decision_selects() -> None:
    # 100 * 0.07 = 7.000000000000001
    report = elicitation_report(PointMass(0.07), parameter="k", n_test=100)
    assert {q.reading for q in report.quantiles} == {"7 % of the rows are selected, 7 of 100 rows"}
    assert report.selection is not None
    assert report.selection.median_k == 7
