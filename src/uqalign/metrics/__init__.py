"""Scores of probabilistic predictions: scoring rules, calibration errors, retention and error detection.

Functions take `f(y_true, prediction, *, ..., sample_weight=None)`; see `uqalign.metrics.registry` for the
list of named metrics with their orientation, and `uqalign.metrics.curves` for what to plot.
"""

from uqalign.metrics.calibration import calibration_error, coverage_error, multivariate_coverage_error
from uqalign.metrics.detection import (
    auroc,
    error_detection_auroc,
    multivariate_error_detection_auroc,
    one_vs_rest_auroc,
    regression_error_detection_auroc,
)
from uqalign.metrics.gaussian import crps_gaussian, gaussian_nll, mean_squared_error
from uqalign.metrics.multivariate import (
    JitteredCovarianceWarning,
    energy_score_gaussian,
    multivariate_gaussian_nll,
    multivariate_mean_squared_error,
)
from uqalign.metrics.probability import (
    ClippedProbabilityWarning,
    accuracy,
    brier_score,
    count_clipped,
    error_rate,
    log_score,
)
from uqalign.metrics.retention import (
    multivariate_retention_auc,
    regression_retention_auc,
    retention_auc,
)
from uqalign.metrics.skill import base_rate_forecast, skill_score

__all__ = [
    "ClippedProbabilityWarning",
    "JitteredCovarianceWarning",
    "accuracy",
    "auroc",
    "base_rate_forecast",
    "brier_score",
    "calibration_error",
    "count_clipped",
    "coverage_error",
    "crps_gaussian",
    "energy_score_gaussian",
    "error_detection_auroc",
    "error_rate",
    "gaussian_nll",
    "log_score",
    "mean_squared_error",
    "multivariate_coverage_error",
    "multivariate_error_detection_auroc",
    "multivariate_gaussian_nll",
    "multivariate_mean_squared_error",
    "multivariate_retention_auc",
    "one_vs_rest_auroc",
    "regression_error_detection_auroc",
    "regression_retention_auc",
    "retention_auc",
    "skill_score",
]
