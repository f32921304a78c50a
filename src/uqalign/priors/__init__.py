"""Priors over decision parameters: what a prior-weighted utility averages over."""

from uqalign.priors.base import NotAProbabilityError, Prior
from uqalign.priors.beta import Beta
from uqalign.priors.defaults import (
    PARAMETERS,
    PERTURBED,
    PRIOR_C,
    PRIOR_GAMMA,
    PRIOR_K,
    PRIOR_LAMBDA,
    Parameter,
)
from uqalign.priors.point import PointMass

__all__ = [
    "PARAMETERS",
    "PERTURBED",
    "PRIOR_C",
    "PRIOR_GAMMA",
    "PRIOR_K",
    "PRIOR_LAMBDA",
    "Beta",
    "NotAProbabilityError",
    "Parameter",
    "PointMass",
    "Prior",
]
