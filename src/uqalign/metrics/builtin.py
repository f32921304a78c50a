"""The one list of built-in metrics."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from uqalign.metrics import calibration, detection, gaussian, multivariate, probability, retention
from uqalign.metrics.metric import Metric, Proper, fixed
from uqalign.priors import PRIOR_C, PRIOR_GAMMA, PRIOR_K, PRIOR_LAMBDA
from uqalign.pwu import (
    binary_decision_pwu,
    multivariate_selective_pwu,
    one_vs_rest_pwu,
    risk_averse_top_k_pwu,
    selective_pwu,
    top_k_pwu,
)
from uqalign.scoring_rules import penalised_score
from uqalign.tasks import Task

SMALLEST_PROBABILITY = 2.0**-52
"""Clip of the registered log scores, that of scikit-learn's `log_loss`: one certain error would make every mean of it
infinite. `log_score` itself clips nothing unless told to."""

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
        fixed(clip=SMALLEST_PROBABILITY),
        bounds=(0.0, -math.log(SMALLEST_PROBABILITY)),
        proper="strictly",
        row_mean=True,
        description="Negative log of the probability given to what happened; below 2.2e-16 it counts as that, and the "
        "rows concerned are reported.",
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
    yield from _calibration(task, calibration.coverage_error, "coverage of central 50, 80, 90, 95 % intervals")
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


def _binary_utilities() -> Iterator[Metric]:
    yield Metric(
        "pwu_c",
        "PWU c",
        "binary",
        "decision",
        binary_decision_pwu,
        fixed(prior=PRIOR_C),
        bounds=_UNIT,
        proper="strictly",
        row_mean=True,
        description="Expected loss of acting iff p > c, over the prior of the cost c.",
    )
    yield Metric(
        "pwu_k",
        "PWU k",
        "binary",
        "decision",
        top_k_pwu,
        fixed(prior=PRIOR_K),
        bounds=(-1.0, 0.0),
        proper="proper",
        description="Minus the expected share of positives among the k highest p, over the prior of k.",
    )


def _multiclass_utilities() -> Iterator[Metric]:
    yield Metric(
        "pwu_jc",
        "PWU j,c",
        "multiclass",
        "decision",
        one_vs_rest_pwu,
        fixed(prior=PRIOR_C),
        bounds=_UNIT,
        proper="strictly",
        row_mean=True,
        description="Expected loss of acting on class j iff p_j > c, j uniform, over the prior of c.",
    )


def _regression_utilities() -> Iterator[Metric]:
    task: Task = "regression"
    yield Metric(
        "pwu_lambda",
        "PWU lambda",
        task,
        "decision",
        selective_pwu,
        fixed(prior=PRIOR_LAMBDA),
        proper="proper",
        row_mean=True,
        description="Expected loss of predicting iff var <= lambda, over the prior of its cost lambda.",
    )
    for name, title, payoff, proper in _RISK_AVERSE:
        yield Metric(
            name,
            title,
            task,
            "decision",
            risk_averse_top_k_pwu,
            fixed(prior_k=PRIOR_K, prior_aversion=PRIOR_GAMMA, payoff=payoff),
            bounds=_REAL,
            proper=proper,
            description="Minus the expected payoff of the k rows with the highest mean - gamma var, "
            f"charged for the {'squared residual' if payoff == 'residual' else 'reported variance'}.",
        )


_RISK_AVERSE: tuple[tuple[str, str, str, Proper], ...] = (
    ("pwu_phi", "PWU phi", "reported", "no"),
    ("pwu_phi_residual", "PWU phi (residual)", "residual", "proper"),
)


def _multivariate_utilities() -> Iterator[Metric]:
    yield Metric(
        "pwu_lambda",
        "PWU lambda",
        "multivariate",
        "decision",
        multivariate_selective_pwu,
        fixed(prior=PRIOR_LAMBDA),
        proper="proper",
        row_mean=True,
        description="Selective loss of standardised coordinates, averaged, over the prior of lambda.",
    )


_PENALISED = (
    ("brier", "infimal+", "PBS inf"),
    ("brier", "published", "PBS pub"),
    ("brier", "implemented", "PBS impl"),
    ("log", "infimal+", "PLL inf"),
    ("log", "published", "PLL pub"),
)
"""Base, penalty and title. The implemented log penalty is the published one. Two classes have no rows of their own:
there the infimal penalty is 0, and its rule the base score that is listed already."""

_HOW_LARGE = {
    "infimal+": "just above the smallest that puts every error behind every success",
    "published": "as published by Ahmadian et al. (2025)",
    "implemented": "as in the released code of Ahmadian et al. (2025)",
}


def _penalised() -> Iterator[Metric]:
    for base, penalty, title in _PENALISED:
        log = base == "log"
        yield Metric(
            f"{base}_{penalty.removesuffix('+')}",
            title,
            "multiclass",
            "classical",
            penalised_score,
            fixed(base=base, penalty=penalty, **({"clip": SMALLEST_PROBABILITY} if log else {})),
            proper="strictly",
            row_mean=True,
            description=f"{'NLL' if log else 'Brier'} plus a penalty on a wrong hard label, {_HOW_LARGE[penalty]}.",
        )


METRICS: tuple[Metric, ...] = (
    *_classification("binary"),
    *_binary_utilities(),
    *_classification("multiclass"),
    *_multiclass_utilities(),
    *_penalised(),
    *_regression(),
    *_regression_utilities(),
    *_multivariate(),
    *_multivariate_utilities(),
)
"""Every built-in metric, in the order of the tables."""
