"""How sure an alignment is: intervals, comparisons of metrics, ranks over data sets, and stability over seeds.

Pure functions on arrays; `uqalign.inference.tables` applies them to the files of a run.
"""

from uqalign.inference.bootstrap import bootstrap_means, mean_over_datasets, probability_positive
from uqalign.inference.multiplicity import holm
from uqalign.inference.ranks import Friedman, average_ranks, cliques, friedman, nemenyi_difference
from uqalign.inference.resampled import ResampledMean, resampled_mean
from uqalign.inference.sign_flip import sign_flip_p_values
from uqalign.inference.stability import first_places, kendall_w, mean_pairwise_tau

__all__ = [
    "Friedman",
    "ResampledMean",
    "average_ranks",
    "bootstrap_means",
    "cliques",
    "first_places",
    "friedman",
    "holm",
    "kendall_w",
    "mean_over_datasets",
    "mean_pairwise_tau",
    "nemenyi_difference",
    "probability_positive",
    "resampled_mean",
    "sign_flip_p_values",
]
