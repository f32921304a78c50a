"""Natural gradient boosting of a normal distribution.

No rows are held out, so there is no "best" iteration to choose: predictions use every stage that was fitted.
"""

from __future__ import annotations

import numpy as np

from uqalign.checks import FloatArray
from uqalign.models.base import FitFailed, Model, Problem
from uqalign.predictions import Prediction

HYPERPARAMETERS = {"learning_rate": 0.03, "col_sample": 0.8, "natural_gradient": True}
SMALL, TREES_SMALL, TREES_LARGE = 1000, 500, 1000


def boosted_normal(
    x_train: FloatArray, y_train: FloatArray, x_test: FloatArray, seed: int
) -> tuple[FloatArray, FloatArray]:
    """Mean and covariance of standardised targets.

    Args:
        x_train: (n, P).
        y_train: (n, D), of mean 0 and variance 1.
        x_test: (m, P).

    Returns:
        (m, D) and (m, D, D).

    Raises:
        FitFailed: singular matrices, or parameters that leave the finite numbers.
    """
    from ngboost import NGBRegressor
    from ngboost.distns import MultivariateNormal
    from ngboost.scores import LogScore

    from uqalign.models.engines.normal import Normal

    n, width = y_train.shape
    model = NGBRegressor(
        **HYPERPARAMETERS,
        Dist=Normal if width == 1 else MultivariateNormal(width),
        Score=LogScore,
        n_estimators=TREES_SMALL if n < SMALL else TREES_LARGE,
        random_state=seed,
        verbose=False,
    )
    # Overflow is part of the line search, which steps back from it; what is left of it shows in the prediction.
    with np.errstate(all="ignore"):
        try:
            model.fit(x_train, y_train[:, 0] if width == 1 else y_train)
            predicted = model.pred_dist(x_test)
            if width == 1:
                return predicted.loc[:, None], predicted.scale[:, None, None] ** 2
            root = np.linalg.inv(predicted.L)
        except np.linalg.LinAlgError as error:
            raise FitFailed(f"natural gradient boosting: {error}") from error
        except ValueError as error:
            # The trees refuse gradients that are no longer finite.
            if "infinity" in str(error) or "NaN" in str(error):
                raise FitFailed(f"natural gradient boosting diverged: {error}") from error
            raise
    return predicted.loc, root.transpose(0, 2, 1) @ root


def _fit_predict(problem: Problem) -> Prediction:
    x_train, x_test = problem.arrays(scale=False)
    y = problem.y_train.reshape(len(x_train), problem.width)
    center, scale = y.mean(axis=0), y.std(axis=0)
    if not scale.all():
        raise FitFailed("natural gradient boosting needs a spread to start from: the training target is constant")
    mean, cov = boosted_normal(x_train, (y - center) / scale, x_test, problem.seed)
    mean, cov = center + scale * mean, cov * np.outer(scale, scale)
    if not (np.isfinite(mean).all() and np.isfinite(cov).all()):
        raise FitFailed("natural gradient boosting diverged: the prediction holds NaN or infinite values")
    return (mean[:, 0], cov[:, 0, 0]) if problem.task == "regression" else (mean, cov)


MODELS = (
    Model(
        name="ngboost",
        title="NGBoost",
        tasks=frozenset({"regression", "multivariate"}),
        fit_predict=_fit_predict,
        distribution=(
            "N(mu(x), exp(2 s(x))); several outputs: N(mu(x), (L(x) L(x)')^-1), L lower triangular; "
            "mu, s and L sums of trees along the natural gradient of the log score"
        ),
        hyperparameters={
            **HYPERPARAMETERS,
            "n_estimators": f"{TREES_SMALL} below {SMALL} training rows, else {TREES_LARGE}",
            "score": "log score (MLE)",
            "trees": "depth 3",
            "early stopping": "none: every stage counts",
            "target": "standardised, predictions mapped back",
        },
        reference="Duan et al. (2020), NGBoost: natural gradient boosting for probabilistic prediction",
        libraries=("ngboost", "scikit-learn"),
    ),
)
