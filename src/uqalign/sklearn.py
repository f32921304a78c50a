"""Scorers for scikit-learn's cross_validate, cross_val_score and GridSearchCV.

    cross_validate(model, X, y, scoring=scorers("binary"))
    GridSearchCV(model, grid, scoring=make_scorer("binary", "pwu_c", prior="beta:2,10"))

Scorers follow scikit-learn's rule that greater is better: metrics for which lower is better are negated, and
their names in `scorers` then start with "neg_". This module needs no import of scikit-learn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from uqalign.checks import FloatArray, IntArray
from uqalign.metrics.metric import Metric, fixed
from uqalign.metrics.registry import for_task, get
from uqalign.tasks import CLASSIFICATION, Task

SUPPORTED: tuple[Task, ...] = ("binary", "multiclass", "regression")
"""Tasks whose predictions scikit-learn estimators can give."""


@dataclass(frozen=True)
class Scorer:
    """A metric as scikit-learn calls it: scorer(estimator, X, y) -> float, greater is better.

    Classifiers are asked for `predict_proba`, regressors for `predict(X, return_std=True)`.

    Attributes:
        metric: the metric.
        labels: classes in order (binary: negative, positive). Default: the estimator's own `classes_`. Name
            them when a training fold may lack a class: it then gets probability 0, as the estimator implies.
    """

    metric: Metric
    labels: Sequence[Any] | None = field(default=None)

    def __call__(self, estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The value, negated where lower is better; NaN with an `UndefinedMetricWarning` where undefined.

        Raises:
            TypeError: the estimator does not give the prediction the metric needs.
            ValueError: labels that are not the estimator's, invalid predictions or weights.
        """
        read = self._classification if self.metric.task in CLASSIFICATION else _gaussian
        target, prediction = read(estimator, X, y)
        value = self.metric.evaluate(target, prediction, sample_weight=sample_weight)
        return value if self.metric.higher_is_better else 0.0 - value

    def _classification(self, estimator: Any, X: Any, y: Any) -> tuple[IntArray, tuple[FloatArray, ...]]:
        if not hasattr(estimator, "predict_proba"):
            raise TypeError(
                f"{type(estimator).__name__} has no predict_proba, which {self.metric.title} needs: "
                "wrap it, for instance in sklearn.calibration.CalibratedClassifierCV"
            )
        columns = np.asarray(estimator.predict_proba(X), dtype=np.float64)
        known = np.asarray(estimator.classes_).tolist()
        classes = known if self.labels is None else np.asarray(self.labels).tolist()
        foreign = [label for label in known if label not in classes]
        if foreign:
            raise ValueError(f"the estimator predicts classes {foreign} that labels={classes} do not name")
        if self.metric.task == "binary" and len(classes) != 2:
            raise ValueError(f"a binary metric needs two classes, got {classes}: name them with labels=")
        position = {label: k for k, label in enumerate(classes)}
        p = np.zeros((len(columns), len(classes)))
        p[:, [position[label] for label in known]] = columns
        codes = np.array([position.get(label, -1) for label in np.asarray(y).tolist()], dtype=np.intp)
        if (codes < 0).any():
            row = int(np.flatnonzero(codes < 0)[0])
            raise ValueError(
                f"y[{row}] = {np.asarray(y)[row]!r} is not one of the classes {classes}: "
                "list all classes in labels= when a training fold may lack one"
            )
        return codes, (p[:, 1] if self.metric.task == "binary" else p,)


def _gaussian(estimator: Any, X: Any, y: Any) -> tuple[Any, tuple[FloatArray, ...]]:
    try:
        mean, std = estimator.predict(X, return_std=True)
    except TypeError as error:
        raise TypeError(
            f"{type(estimator).__name__}.predict(X, return_std=True) failed ({error}): regression metrics need an "
            "estimator that returns standard deviations, such as GaussianProcessRegressor or BayesianRidge"
        ) from error
    return y, (np.asarray(mean, dtype=np.float64), np.asarray(std, dtype=np.float64) ** 2)


def make_scorer(task: Task, metric: str | Metric, *, labels: Sequence[Any] | None = None, **options: Any) -> Scorer:
    """A scorer of one metric.

    Args:
        task: binary, multiclass or regression.
        metric: a metric's name ("pwu_c"), a dotted path, or a Metric.
        labels: classes in order (binary: negative, positive); default the estimator's.
        options: override the metric's options: `prior="beta:2,10"`, `n_bins=15`.

    Raises:
        ValueError: unknown task or metric.
    """
    if task not in SUPPORTED:
        raise ValueError(f"task must be one of {', '.join(SUPPORTED)}, got {task!r}")
    chosen = get(task, metric) if isinstance(metric, str) else metric
    if chosen.task != task:
        raise ValueError(f"metric {chosen.name!r} is for {chosen.task} problems, not {task}")
    return Scorer(replace(chosen, options=fixed(**{**chosen.options, **options})), labels)


def scorers(
    task: Task,
    names: Iterable[str] | None = None,
    *,
    labels: Sequence[Any] | None = None,
    options: Mapping[str, Mapping[str, Any]] | None = None,
) -> dict[str, Scorer]:
    """Scorers by name, ready for `scoring=`; losses are called "neg_" and their name.

    Args:
        task: binary, multiclass or regression.
        names: metrics to include (default: all of the task).
        labels: classes in order (binary: negative, positive); default the estimator's.
        options: options by metric, such as {"pwu_c": {"prior": "beta:2,10"}}.

    Raises:
        ValueError: unknown task or metric.
    """
    chosen = list(for_task(task)) if names is None else list(names)
    given = dict(options or {})
    unused = sorted(set(given) - set(chosen))
    if unused:
        raise ValueError(f"options for {', '.join(unused)}, which are not among the metrics {', '.join(chosen)}")
    made = [make_scorer(task, name, labels=labels, **given.get(name, {})) for name in chosen]
    return {("" if s.metric.higher_is_better else "neg_") + s.metric.name: s for s in made}
