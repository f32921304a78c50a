"""Skill relative to the base-rate forecast."""

import math

import numpy as np
import pytest

from uqalign.checks import UndefinedMetricWarning
from uqalign.metrics import base_rate_forecast, brier_score, error_rate, log_score, skill_score


def test_reference_with_an_absent_class():
    # scikit-learn #30713
    y = [0, 1, 1]
    p = np.array([[0.7, 0.2, 0.1], [0.2, 0.5, 0.3], [0.2, 0.5, 0.3]])
    reference = base_rate_forecast(y, p)
    np.testing.assert_allclose(reference, [[1 / 3, 2 / 3, 0]] * 3)
    assert log_score(y, reference) == pytest.approx(0.6365141683, abs=1e-10)
    assert skill_score(log_score, y, p) == pytest.approx(1 - log_score(y, p) / 0.6365141683, abs=1e-9)


def test_skill_is_one_for_perfection_and_zero_for_the_base_rate():
    y = np.array([0, 1, 1, 1])
    assert skill_score(brier_score, y, y) == 1
    assert skill_score(brier_score, y, np.full(4, 0.75)) == 0
    assert skill_score(brier_score, y, 1 - y) < 0
    assert skill_score(error_rate, y, [0.9, 0.9, 0.9, 0.9]) == 0


def test_weights_and_labels():
    y, p, w = ["a", "b", "b", "a"], [0.2, 0.7, 0.6, 0.4], [1, 2, 0, 1]
    assert base_rate_forecast(y, p, labels=["a", "b"], sample_weight=w).tolist() == [0.5] * 3
    repeated = skill_score(log_score, [0, 1, 1, 0], [0.2, 0.7, 0.7, 0.4])
    assert skill_score(log_score, y, p, labels=["a", "b"], sample_weight=w) == pytest.approx(repeated)


def test_options_reach_the_loss():
    y, p = [0, 1], [0.0, 0.0]
    assert skill_score(log_score, y, p) == -math.inf
    with pytest.warns(UserWarning, match="clip"):
        assert math.isfinite(skill_score(log_score, y, p, clip=1e-6))


def test_one_class_only_leaves_no_reference():
    with pytest.warns(UndefinedMetricWarning, match="skill_score"):
        assert math.isnan(skill_score(brier_score, [1, 1], [0.4, 0.9]))
