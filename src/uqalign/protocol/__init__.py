"""The published evaluation, one switch for each way in which it differs from the definitions.

`metrics_under` and `evaluate_utility` take any choice of switches ("published" for all of them); without switches
they are the definitions. See `SWITCHES` for what each one does.
"""

from uqalign.protocol.metrics import metrics_under
from uqalign.protocol.rankings import (
    PUBLISHED_NAMES,
    fold_mean_published,
    kendall_published,
    kendall_under,
    pearson_published,
    published_positions,
    published_row_order,
    thetas_published,
    top_overlap_published,
)
from uqalign.protocol.switches import PUBLISHED, SWITCHES, Switch, concerning, expand
from uqalign.protocol.utilities import evaluate_utility

__all__ = [
    "PUBLISHED",
    "PUBLISHED_NAMES",
    "SWITCHES",
    "Switch",
    "concerning",
    "evaluate_utility",
    "expand",
    "fold_mean_published",
    "kendall_published",
    "kendall_under",
    "metrics_under",
    "pearson_published",
    "published_positions",
    "published_row_order",
    "thetas_published",
    "top_overlap_published",
]
