"""The published evaluation, one switch for each way in which it differs from the definitions.

`metrics_under` and `evaluate_utility` take any choice of switches ("published" for all of them); without switches
they are the definitions. See `SWITCHES` for what each one does. How the published code compared rankings is in
`uqalign.protocol.rankings`, apart from this, so that scores do not depend on it.
"""

from uqalign.protocol.metrics import acting_on_metric, metrics_under
from uqalign.protocol.switches import PUBLISHED, SWITCHES, Switch, concerning, expand
from uqalign.protocol.utilities import acting_on_utility, evaluate_utility, thetas_published

__all__ = [
    "PUBLISHED",
    "SWITCHES",
    "Switch",
    "acting_on_metric",
    "acting_on_utility",
    "concerning",
    "evaluate_utility",
    "expand",
    "metrics_under",
    "thetas_published",
]
