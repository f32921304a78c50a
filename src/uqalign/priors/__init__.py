"""Priors over decision parameters: what a prior-weighted utility averages over."""

from uqalign.priors.base import NotAProbabilityError, Prior
from uqalign.priors.beta import Beta
from uqalign.priors.composite import Mixture, Truncated
from uqalign.priors.defaults import (
    PARAMETERS,
    PERTURBED,
    PRIOR_C,
    PRIOR_GAMMA,
    PRIOR_K,
    PRIOR_LAMBDA,
    Parameter,
)
from uqalign.priors.elicitation import ElicitationReport, elicitation_report
from uqalign.priors.families import Gamma, LogNormal, Pareto, Uniform
from uqalign.priors.fit import QuantileFit, beta_from_mode, prior_from_quantiles
from uqalign.priors.implicit import (
    BRIER_WEIGHT,
    ERROR_RATE_WEIGHT,
    IMPLICIT_WEIGHTS,
    MULTICLASS_NLL_WEIGHT,
    NLL_WEIGHT,
    SQUARED_ERROR_PRIOR,
    gaussian_nll_prior,
)
from uqalign.priors.point import PointMass
from uqalign.priors.scipy_adapter import FrozenScipy
from uqalign.priors.selection import rank_weights, selection_weights
from uqalign.priors.sensitivity import shift_mode
from uqalign.priors.text import as_prior, prior_text

__all__ = [
    "BRIER_WEIGHT",
    "ERROR_RATE_WEIGHT",
    "IMPLICIT_WEIGHTS",
    "MULTICLASS_NLL_WEIGHT",
    "NLL_WEIGHT",
    "PARAMETERS",
    "PERTURBED",
    "PRIOR_C",
    "PRIOR_GAMMA",
    "PRIOR_K",
    "PRIOR_LAMBDA",
    "SQUARED_ERROR_PRIOR",
    "Beta",
    "ElicitationReport",
    "FrozenScipy",
    "Gamma",
    "LogNormal",
    "Mixture",
    "NotAProbabilityError",
    "Parameter",
    "Pareto",
    "PointMass",
    "Prior",
    "QuantileFit",
    "Truncated",
    "Uniform",
    "as_prior",
    "beta_from_mode",
    "elicitation_report",
    "gaussian_nll_prior",
    "prior_from_quantiles",
    "prior_text",
    "rank_weights",
    "selection_weights",
    "shift_mode",
]
