"""The switches between a definition and what the published evaluation did instead, one declaration each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from uqalign.registry import UnknownNameError, did_you_mean
from uqalign.tasks import TASKS, Task

Stage = Literal["metric", "utility", "alignment", "theta", "model", "data", "case"]

PUBLISHED = "published"
"""The name that stands for every switch."""


@dataclass(frozen=True)
class Switch:
    """One deviation of the published evaluation from the definitions.

    Attributes:
        id: unique short name.
        published: what the published code does.
        definition: what the suite does without the switch.
        stages: parts of an evaluation that the switch changes.
        tasks: prediction tasks that it concerns.
    """

    id: str
    published: str
    definition: str
    stages: tuple[Stage, ...]
    tasks: tuple[Task, ...]


_REGRESSION: tuple[Task, ...] = ("regression",)
_BINARY: tuple[Task, ...] = ("binary",)

_ALL = (
    Switch(
        "abstention_cost",
        "every abstained row costs lambda times the number of abstained rows",
        "every abstained row costs lambda",
        ("metric", "utility"),
        _REGRESSION,
    ),
    Switch(
        "gamma_scale",
        "gamma = factor x Var(y), so that a ranking depends on the unit of y",
        "gamma = factor / sqrt(Var(y))",
        ("metric", "utility"),
        _REGRESSION,
    ),
    Switch(
        "rauc_oracle",
        "R-AUC is the error of the whole set after the most uncertain rows are corrected "
        "(101 fractions, rounded to whole rows, trapezoid)",
        "R-AUC is the mean error of the retained rows",
        ("metric",),
        TASKS,
    ),
    Switch(
        "rauc_int",
        "R-AUC truncates targets and means to whole numbers before squaring their difference",
        "nothing is truncated",
        ("metric",),
        _REGRESSION,
    ),
    Switch(
        "ece_drop_one",
        "calibration bins are closed on the left, [a, b), and a prediction of exactly 1 falls out",
        "bins are closed on the right, (a, b], and the first one also at 0",
        ("metric",),
        ("binary", "multiclass"),
    ),
    Switch(
        "tau_row_order",
        "tied values are ranked by an unstable sort of the models in alphabetical order; tau knows no ties",
        "tau-b",
        ("alignment",),
        TASKS,
    ),
    Switch(
        "theta_label",
        "decisions are labelled by two decimals; of two with one label the later takes the place of both",
        "five distinct decisions",
        ("theta",),
        TASKS,
    ),
    Switch(
        "edet_degenerate",
        "E-Det is 0 where all predictions are wrong, or none",
        "E-Det is undefined there",
        ("metric",),
        _REGRESSION,
    ),
    Switch(
        "edet_rounding",
        "E-Det compares entropies to the last bit, so that rounding decides whether p and 1 - p are tied",
        "uncertainties that agree to ten digits are tied",
        ("metric",),
        ("binary", "multiclass"),
    ),
    Switch(
        "threshold_geq",
        "act iff p >= c; losses are summed over the rows, so that folds weigh by their size",
        "act iff p > c; losses are averaged over the rows",
        ("metric", "utility"),
        _BINARY,
    ),
    Switch(
        "argsort_order",
        "rows of equal score (top-k) or equal uncertainty (R-AUC) are taken in the order of an unstable sort",
        "the expectation over all orders of the tied rows",
        ("metric", "utility"),
        TASKS,
    ),
    Switch(
        "nan_last",
        "a model's undefined folds are left out of its mean; undefined in every fold, it ranks last",
        "undefined in a fold is undefined; such models are left out and counted",
        ("alignment",),
        TASKS,
    ),
    Switch(
        "jitter_always",
        "the NLL adds 1e-6 to the diagonal of every covariance, whatever the unit of y",
        "a relative jitter where there is no Cholesky factor, with a warning",
        ("metric",),
        ("multivariate",),
    ),
    Switch(
        "energy_mc",
        "the energy score is estimated from 100 draws per row",
        "closed form by quadrature",
        ("metric",),
        ("multivariate",),
    ),
    Switch(
        "negative_credit",
        "a debt ratio above 1 gives a negative credit line, whose default earns money",
        "credit lines and false-positive costs are at least 0",
        ("case",),
        _BINARY,
    ),
    Switch(
        "lookahead_bid",
        "the direction of a bid uses the realised balancing price",
        "the direction comes from a forecast",
        ("case",),
        _REGRESSION,
    ),
    Switch(
        "greedy_stop",
        "lending stops at the first loan that does not fit the budget",
        "lending goes on with later loans that fit",
        ("case",),
        _BINARY,
    ),
    Switch(
        "global_rng",
        "networks are built before seeding, so results depend on which models ran before",
        "one generator per (seed, fold, member)",
        ("model",),
        TASKS,
    ),
    Switch(
        "impute_before_split",
        "missing features are imputed by the mean of all rows before splitting",
        "imputed by the mean of the training rows",
        ("data",),
        ("regression", "multivariate"),
    ),
    Switch(
        "pwu_mc",
        "prior-weighted utilities are means over 10,000 draws of theta (seed 42)",
        "exact",
        ("metric",),
        TASKS,
    ),
    Switch(
        "bid_risk",
        "the absolute risk bound of a bid is replaced by a relative one, under which the spread cancels",
        "absolute bound alpha",
        ("case",),
        _REGRESSION,
    ),
    Switch(
        "annual_rates",
        "annual interest rates are used as monthly ones; the PAKDD credit limit is not scaled by 0.33",
        "rate / 12; 8,250",
        ("case",),
        _BINARY,
    ),
    Switch(
        "averages_all_rows",
        "average credit line, profit and default rate come from all rows",
        "from the training rows",
        ("case",),
        _BINARY,
    ),
)

SWITCHES: Mapping[str, Switch] = MappingProxyType({switch.id: switch for switch in _ALL})
"""All switches by id."""


def expand(names: Iterable[str]) -> frozenset[str]:
    """The ids of the switches among `names`; "published" stands for all of them.

    Raises:
        UnknownNameError: no such switch; the message names the nearest one.
    """
    if isinstance(names, str):
        names = [names]
    chosen: set[str] = set()
    for name in names:
        if name == PUBLISHED:
            chosen |= SWITCHES.keys()
        elif name in SWITCHES:
            chosen.add(name)
        else:
            raise UnknownNameError(f"unknown protocol switch {name!r}: {did_you_mean(name, [*SWITCHES, PUBLISHED])}")
    return frozenset(chosen)


def concerning(task: Task, stage: Stage) -> tuple[Switch, ...]:
    """The switches that change `stage` of an evaluation of `task`."""
    return tuple(switch for switch in _ALL if task in switch.tasks and stage in switch.stages)
