"""The priors of the maps."""

import numpy as np
import pytest

from uqalign.families import FAMILIES, families_of
from uqalign.priors import Beta
from uqalign.priors.fit import beta_from_mode
from uqalign.sensitivity.grid import (
    ALL_LEVELS,
    CONCENTRATIONS,
    IMPLIED,
    MODES,
    beta_parameters,
    grid_points,
    implied_by,
    level_priors,
    maps_of,
)
from uqalign.tasks import TASKS


def test_the_grid_is_symmetric_and_covers_the_published_priors():
    assert len(MODES) == 15
    assert len(CONCENTRATIONS) == 9
    np.testing.assert_allclose(MODES + MODES[::-1], 1, atol=1e-15)
    assert MODES[7] == 0.5
    for family in FAMILIES.values():
        for level in ALL_LEVELS:
            for prior in level_priors(family, level).values():
                # The mode of Beta(1.2, 20.8) is 0.01, the lowest of the grid, up to rounding.
                assert MODES[0] - 1e-12 <= prior.mode <= MODES[-1]
                assert CONCENTRATIONS[0] <= prior.a + prior.b <= CONCENTRATIONS[-1]


def test_points_are_the_priors_of_their_mode_and_concentration():
    modes, concentrations = grid_points()
    a, b = beta_parameters(modes, concentrations)
    assert len(set(zip(modes, concentrations, strict=True))) == 15 * 9
    np.testing.assert_allclose(a + b, concentrations, rtol=1e-14)
    for i in (15, 40, 134):
        expected = beta_from_mode(modes[i], concentrations[i])
        assert (a[i], b[i]) == pytest.approx((expected.a, expected.b), rel=1e-13)
    np.testing.assert_array_equal(a[:15], 1)
    np.testing.assert_array_equal(b[:15], 1)


def test_there_is_a_map_for_every_parameter_with_a_prior():
    found = {(m.family.name, m.parameter) for task in TASKS for m in maps_of(task)}
    assert found == {
        ("binary_decision", "c"), ("top_k", "q"), ("one_vs_rest", "c"), ("selective", "lambda_factor"),
        ("risk_averse_top_k", "q"), ("risk_averse_top_k", "gamma_factor"), ("multivariate_selective", "lambda_factor"),
    }  # fmt: skip


def test_published_priors_by_level():
    (binary, top_k) = maps_of("binary")
    assert binary.published == {
        "base": Beta(2, 10), "slight": Beta(3, 9), "strong": Beta(10, 10), "extreme": Beta(10, 2),
    }  # fmt: skip
    assert top_k.published["slight"] == Beta(1.5, 25.5)
    assert level_priors(FAMILIES["risk_averse_top_k"], "extreme") == {"q": Beta(10, 10), "gamma_factor": Beta(9, 3)}
    with pytest.raises(KeyError, match="mild"):
        level_priors(FAMILIES["top_k"], "mild")


def test_the_base_point_is_near_the_published_prior():
    for prior_map in (m for task in TASKS for m in maps_of(task)):
        modes, concentrations = grid_points()
        prior = prior_map.published["base"]
        assert modes[prior_map.base_point] == pytest.approx(prior.mode, rel=0.3)
        assert concentrations[prior_map.base_point] == pytest.approx(prior.a + prior.b, rel=0.3)
    assert maps_of("binary")[0].title == "Binary decision: c"


def test_implied_priors_lie_on_the_grid_and_belong_to_metrics():
    from uqalign.metrics.registry import for_task

    for (family, metric), (mode, concentration) in IMPLIED.items():
        assert metric in for_task(FAMILIES[family].task)
        assert np.isclose(MODES, mode).any()
        assert np.isclose(CONCENTRATIONS, concentration).any()
        assert implied_by(family, metric) == (mode, concentration)
    assert implied_by("binary_decision", "nll") is None
    with pytest.raises(KeyError, match="binary"):
        implied_by("binary", "brier")
    assert {family.task for family in families_of("binary")} == {"binary"}
