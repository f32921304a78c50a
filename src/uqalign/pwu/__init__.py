"""Prior-weighted utility metrics, M = E over theta ~ prior of -U_theta: exact, one module per decision family."""

from uqalign.pwu.binary import binary_decision_pwu
from uqalign.pwu.one_vs_rest import one_vs_rest_pwu
from uqalign.pwu.risk_averse import risk_averse_top_k_pwu
from uqalign.pwu.selective import multivariate_selective_pwu, selective_pwu
from uqalign.pwu.top_k import top_k_pwu

__all__ = [
    "binary_decision_pwu",
    "multivariate_selective_pwu",
    "one_vs_rest_pwu",
    "risk_averse_top_k_pwu",
    "selective_pwu",
    "top_k_pwu",
]
