"""What each family accepts as its prior."""

from __future__ import annotations

import math

from uqalign.priors import Prior, as_prior

PriorLike = Prior | str
"""A prior, or text that `as_prior` reads, such as "beta:2,10" or "implicit:nll"."""


def cost_prior(prior: PriorLike) -> Prior:
    """`prior` as a prior (or weight) on the cost c.

    Raises:
        ValueError: mass outside [0, 1].
    """
    resolved = as_prior(prior)
    low, high = resolved.support
    if low < 0 or high > 1:
        raise ValueError(f"the prior on the cost c must lie in [0, 1], got {resolved} on [{low}, {high}]")
    return resolved


def share_prior(prior: PriorLike) -> Prior:
    """`prior` as a prior on the selected share q = k/n.

    Raises:
        ValueError: improper, or mass outside [0, 1].
    """
    resolved = as_prior(prior)
    low, high = resolved.support
    if not resolved.is_probability or low < 0 or high > 1:
        raise ValueError(f"the prior on the selected share k/n must be a probability on [0, 1], got {resolved}")
    return resolved


def abstention_prior(prior: PriorLike) -> Prior:
    """`prior` as a prior on the abstention cost in units of the target variance.

    Raises:
        ValueError: mass below 0.
    """
    resolved = as_prior(prior)
    if resolved.support[0] < 0:
        raise ValueError(f"the prior on the abstention cost must lie in [0, inf), got {resolved}")
    return resolved


def aversion_prior(prior: PriorLike) -> Prior:
    """`prior` as a prior on the aversion factor.

    Raises:
        ValueError: improper, mass below 0, or an infinite mean (the expected payoff would be minus infinity).
    """
    resolved = as_prior(prior)
    if not resolved.is_probability or resolved.support[0] < 0 or not math.isfinite(resolved.mean):
        raise ValueError(
            f"the prior on the aversion factor must be a probability on [0, inf) with a finite mean, got {resolved}"
        )
    return resolved
