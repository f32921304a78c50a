"""The one list of built-in metrics."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from uqalign.metrics import calibration, detection, gaussian, multivariate, probability, retention
from uqalign.metrics.metric import Metric, fixed
from uqalign.tasks import Task

_UNIT = (0.0, 1.0)
_REAL = (-math.inf, math.inf)


def _classification(task: Task) -> Iterator[Metric]:
    multiclass = task == "multiclass"
    bins = "10 equal-width bins, averaged over classes" if multiclass else "10 equal-width bins"
    yield Metric(
        "nll",
        "NLL",
        task,
        "classical",
        probability.log_score,
        proper="strictly",
        row_mean=True,
        description="Negative log of the probability given to what happened; infinite where that was 0.",
    )
    yield Metric(
        "brier",
        "Brier",
        task,
        "classical",
        probability.brier_score,
        bounds=(0.0, 2.0 if multiclass else 1.0),
        proper="strictly",
        row_mean=True,
        description="Squared distance between probabilities and outcome.",
    )
    yield Metric(
        "accuracy",
        "Acc",
        task,
        "classical",
        probability.accuracy,
        higher_is_better=True,
        bounds=_UNIT,
        proper="proper",
        row_mean=True,
        description="Share of right hard labels.",
    )
    yield from _calibration(task, calibration.calibration_error, bins)
    yield from _ranking(
        task,
        retention.retention_auc,
        detection.error_detection_auroc,
        _UNIT,
        "the error rate of the rows kept, least uncertain first",
        "predictive uncertainty for the hard label being wrong",
    )


def _regression() -> Iterator[Metric]:
    task: Task = "regression"
    yield Metric(
        "nll",
        "NLL",
        task,
        "classical",
        gaussian.gaussian_nll,
        bounds=_REAL,
        proper="strictly",
        row_mean=True,
        description="Gaussian negative log likelihood.",
    )
    yield Metric(
        "mse",
        "MSE",
        task,
        "classical",
        gaussian.mean_squared_error,
        proper="proper",
        row_mean=True,
        description="Squared error of the predictive mean.",
    )
    yield Metric(
        "crps",
        "CRPS",
        task,
        "classical",
        gaussian.crps_gaussian,
        proper="strictly",
        row_mean=True,
        description="Continuous ranked probability score of the Gaussian prediction.",
    )
    yield from _calibration(
        task, calibration.coverage_error, "coverage of central 50, 80, 90, 95 % intervals"
    )
    yield from _ranking(
        task,
        retention.regression_retention_auc,
        detection.regression_error_detection_auroc,
        (0.0, math.inf),
        "the squared error of the rows kept, smallest variance first",
        "the variance for a relative error above 10 %",
    )


def _multivariate() -> Iterator[Metric]:
    task: Task = "multivariate"
    yield Metric(
        "nll",
        "NLL",
        task,
        "classical",
        multivariate.multivariate_gaussian_nll,
        bounds=_REAL,
        proper="strictly",
        row_mean=True,
        description="Multivariate Gaussian negative log likelihood.",
    )
    yield Metric(
        "mse",
        "MSE",
        task,
        "classical",
        multivariate.multivariate_mean_squared_error,
        proper="proper",
        row_mean=True,
        description="Squared error of the predictive mean, averaged over coordinates.",
    )
    yield Metric(
        "energy_score",
        "ES",
        task,
        "classical",
        multivariate.energy_score_gaussian,
        proper="strictly",
        row_mean=True,
        description="Energy score of the multivariate Gaussian prediction.",
    )
    intervals = "coverage of central 50, 80, 90, 95 % intervals, averaged over coordinates"
    yield from _calibration(task, calibration.multivariate_coverage_error, intervals)
    yield from _ranking(
        task,
        retention.multivariate_retention_auc,
        detection.multivariate_error_detection_auroc,
        (0.0, math.inf),
        "the squared error of the rows kept, smallest variance first, averaged over coordinates",
        "the variance for a relative error above 10 %, averaged over coordinates",
    )


def _calibration(task: Task, function: Callable[..., float], how: str) -> Iterator[Metric]:
    yield Metric(
        "ece",
        "ECE",
        task,
        "calibration",
        function,
        bounds=_UNIT,
        description=f"Mean calibration error: {how}.",
    )
    yield Metric(
        "mce",
        "MCE",
        task,
        "calibration",
        function,
        fixed(aggregate="max"),
        bounds=_UNIT,
        description=f"Maximum calibration error: {how}.",
    )


def _ranking(
    task: Task,
    area: Callable[..., float],
    detects: Callable[..., float],
    bounds: tuple[float, float],
    kept: str,
    detector: str,
) -> Iterator[Metric]:
    yield Metric(
        "rauc",
        "R-AUC",
        task,
        "ranking",
        area,
        bounds=bounds,
        description=f"Area under {kept}.",
    )
    yield Metric(
        "edet",
        "E-Det",
        task,
        "ranking",
        detects,
        higher_is_better=True,
        bounds=_UNIT,
        description=f"AUROC of {detector}.",
    )


METRICS: tuple[Metric, ...] = (
    *_classification("binary"),
    *_classification("multiclass"),
    *_regression(),
    *_multivariate(),
)
"""Every built-in metric, in the order of the tables."""
