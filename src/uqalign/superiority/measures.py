"""Numbers that one epoch's predictions yield: what a monitor may watch, and what the chosen epoch is judged by."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from uqalign.checks import UndefinedMetricWarning
from uqalign.families import FAMILIES, published_thetas
from uqalign.metrics.calibration import calibration_error
from uqalign.pwu import one_vs_rest_pwu
from uqalign.scoring_rules import score_parts
from uqalign.superiority.images import Labels

Probabilities = npt.NDArray[np.float64]

ECE_BINS = 15
NEAR_TIE = 0.01
"""Two probabilities this close count as a near-tie of the two largest."""

CLIP = float(np.finfo(np.float64).eps)
"""Probabilities below it enter the log score as this one: single precision stores zeros for what is merely tiny."""

MEASURES = (
    "brier",
    "log",
    "error",
    "macro_f1",
    "pwu",
    "utility",
    "ece",
    "margin",
    "near_tie",
)
"""Columns of the measures: sum-form Brier, log score, error rate, macro-F1, one-vs-rest prior-weighted utility loss,
mean one-vs-rest decision utility at the published decisions, expected calibration error of the predicted class, mean
gap of the two largest probabilities, share of near-ties."""


def macro_f1(y: Labels, predicted: Labels, n_classes: int) -> float:
    """Mean over classes of 2 TP / (2 TP + FP + FN); classes that neither occur nor are predicted are left out."""
    hits = np.bincount(y[y == predicted], minlength=n_classes)
    total = np.bincount(y, minlength=n_classes) + np.bincount(predicted, minlength=n_classes)
    seen = total > 0
    return float((2 * hits[seen] / total[seen]).mean())


def measure(y: Labels, p: Probabilities) -> Mapping[str, float]:
    """All `MEASURES` of predictions `p` (n, classes) for labels `y` (n,).

    Ties of the largest probability predict the first class, the convention under which penalised scores are proper.
    """
    n_classes = p.shape[1]
    parts = score_parts(y, p, base="brier")
    ordered = np.partition(p, n_classes - 2, axis=1)
    gap = ordered[:, -1] - ordered[:, -2]
    truth = p[np.arange(len(y)), y]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        ece = calibration_error(y, p, n_bins=ECE_BINS, binning="equal_mass", view="top_label")
    return {
        "brier": float(parts.base.mean()),
        "log": float(-np.log(np.maximum(truth, CLIP)).mean()),
        "error": float(parts.wrong.mean()),
        "macro_f1": macro_f1(y, p.argmax(axis=1), n_classes),
        "pwu": float(one_vs_rest_pwu(y, p)),
        "utility": _mean_utility(y, p),
        "ece": float(ece),
        "margin": float(gap.mean()),
        "near_tie": float((gap < NEAR_TIE).mean()),
    }


def _mean_utility(y: Labels, p: Probabilities) -> float:
    family = FAMILIES["one_vs_rest"]
    thetas: Any = published_thetas("multiclass", p.shape[1])[family]
    return float(np.mean([family.evaluate(y, (p,), theta) for theta in thetas]))
