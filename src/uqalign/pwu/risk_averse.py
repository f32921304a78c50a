"""Prior-weighted utility of selecting the k rows with the highest risk-adjusted mean."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from uqalign.checks import gaussian_rows, warn_undefined
from uqalign.priors import PRIOR_GAMMA, PRIOR_K, PointMass, Prior
from uqalign.priors.composite import parts
from uqalign.pwu.arguments import PriorLike, aversion_prior, share_prior
from uqalign.pwu.crossings import crossings_up_to, exact_utility
from uqalign.pwu.lines import Lines, utility_at
from uqalign.pwu.quadrature import quadrature_utility
from uqalign.pwu.rank_weights import RankWeights
from uqalign.ranking import total_weight
from uqalign.scale import scalar_variance
from uqalign.utilities import Payoff, bounded, charged_variance

Method = Literal["exact", "quadrature", "auto"]

ALWAYS_EXACT = 3000
"""Number of distinct (mean, var) up to which crossings are not even counted: exact takes at most a second."""

EXACT_LINES = 20_000
EXACT_CROSSINGS = 15_000_000
"""`method="auto"` is exact up to these many lines and crossings: a few seconds, as long as quadrature takes there."""


def risk_averse_top_k_pwu(
    y_true: Any,
    mean: Any,
    var: Any,
    *,
    prior_k: PriorLike = PRIOR_K,
    prior_aversion: PriorLike = PRIOR_GAMMA,
    payoff: Payoff = "reported",
    method: Method = "auto",
    target_variance: float | None = None,
    aversion_scale: float | None = None,
    sample_weight: Any = None,
    return_error: bool = False,
) -> Any:
    """Minus the expected risk-adjusted payoff of the k rows ranking highest by mean - gamma var. Lower is better.

    M = -E[(1/k) sum over the selected rows of y - gamma r], k = ceil(n q), gamma = factor / sqrt(v), with q ~ prior_k
    and factor ~ prior_aversion independent and v the population variance of the targets: M scales with y. The charge
    r is the reported variance (payoff="reported", as published) or the squared residual (payoff="residual"). Only
    the residual payoff is proper; the reported one rewards understating the variance. Tied rows share their mean
    payoff, so row order never matters.

    `method="exact"` follows every crossing of the ranking lines (about 0.3 microseconds each). "quadrature" doubles
    the nodes of a Gauss-Jacobi rule (a stratified rule under other than Beta priors) until doubling changes the value
    by less than 1e-6 standard deviations of the payoff, or 4096 nodes are spent. "auto" is exact for up to 3,000
    rows, and beyond while there are no more than 15 million crossings.

    Args:
        y_true: targets (n,).
        mean: predictive means (n,).
        var: predictive variances (n,), >= 0.
        prior_k: prior on q = k/n in [0, 1], default Beta(1.2, 20.8).
        prior_aversion: prior on the aversion factor >= 0, default Beta(2, 6).
        payoff: "reported" or "residual".
        method: "exact", "quadrature" or "auto".
        target_variance: v > 0; default the (weighted) population variance of y_true.
        aversion_scale: gamma per unit of the factor, in 1 / (unit of y), instead of 1 / sqrt(v). The published code
            took v itself, which depends on the unit of y.
        sample_weight: repetitions of each row (n,), not necessarily whole; n is then their sum.
        return_error: also return an estimate of the absolute error: twice the largest recent change, 0.0 when exact.

    Returns:
        The metric in the unit of y, or (metric, error). NaN with an `UndefinedMetricWarning` when the targets are
        constant and neither `target_variance` nor `aversion_scale` is given, or when a charge exceeds all floats.

    Raises:
        ValueError: bad shapes, predictions, weights, priors, payoff, method or scales.

    Source: Schneider et al. (2026), Section 3.2.2.
    """
    if method not in ("exact", "quadrature", "auto"):
        raise ValueError(f"method must be 'exact', 'quadrature' or 'auto', got {method!r}")
    y, (mu, variance), weight = gaussian_rows(y_true, mean, var, sample_weight=sample_weight)
    charged = charged_variance(y, mu, variance, payoff)
    aversion = aversion_prior(prior_aversion)
    ranks = RankWeights.from_prior(share_prior(prior_k), total_weight(len(y), weight))
    if aversion_scale is None:
        unit = scalar_variance(y, weight, target_variance)
        if unit == 0:
            reason = "y_true is constant, so aversion has no scale (pass target_variance= or aversion_scale=)"
            undefined = warn_undefined("risk_averse_top_k_pwu", reason)
            return (undefined, undefined) if return_error else undefined
        scale = 1 / math.sqrt(unit)
    else:
        scale = bounded("aversion_scale", aversion_scale, high=1e300)
    with np.errstate(over="ignore"):
        lines = Lines.from_rows(y, mu, variance, charged, weight, scale)
    if not np.isfinite([lines.slope, lines.charge, lines.gain]).all():
        undefined = warn_undefined("risk_averse_top_k_pwu", "aversion times variance exceeds the largest float")
        return (undefined, undefined) if return_error else undefined
    utility, error = _expected_utility(lines, ranks, aversion, method)
    value = 0.0 - utility
    return (value, error) if return_error else value


def _expected_utility(lines: Lines, ranks: RankWeights, prior: Prior, method: Method) -> tuple[float, float]:
    results = [(share, *_utility_under(lines, ranks, part, method)) for share, part in parts(prior)]
    return math.fsum(share * value for share, value, _ in results), math.fsum(share * e for share, _, e in results)


def _utility_under(lines: Lines, ranks: RankWeights, prior: Prior, method: Method) -> tuple[float, float]:
    """As `_expected_utility`, for a point or a prior without atoms: an atom may lie where lines cross and tie."""
    if isinstance(prior, PointMass):
        return utility_at(lines, ranks, prior.value), 0.0
    if method == "exact" or (method == "auto" and _affordable(lines, prior.support[1])):
        return exact_utility(lines, ranks, prior), 0.0
    return quadrature_utility(lines, ranks, prior)


def _affordable(lines: Lines, high: float) -> bool:
    if len(lines) <= ALWAYS_EXACT:
        return True
    return len(lines) <= EXACT_LINES and crossings_up_to(lines, high, EXACT_CROSSINGS) <= EXACT_CROSSINGS
