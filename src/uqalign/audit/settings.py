"""The settings of the audit: the definitions, the published protocol, and each switch alone or left out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from uqalign.protocol import SWITCHES, acting_on_metric, acting_on_utility, concerning
from uqalign.protocol.switches import Stage, Switch
from uqalign.tasks import Task

DEFINITIONS = "definitions"
PUBLISHED = "published"

AUDITED: Mapping[Task, tuple[str, ...]] = MappingProxyType(
    {
        "binary": ("nll", "brier", "accuracy", "ece", "mce", "rauc", "edet", "pwu_c", "pwu_k"),
        "multiclass": ("nll", "brier", "accuracy", "ece", "mce", "rauc", "edet", "pwu_jc"),
        "regression": ("nll", "mse", "ece", "mce", "rauc", "edet", "pwu_lambda", "pwu_phi"),
        "multivariate": ("nll", "mse", "energy_score", "ece", "mce", "rauc", "edet", "pwu_lambda"),
    }
)
"""The metrics that the published evaluation compared, by task."""

OWN: Mapping[str, str] = MappingProxyType(
    {
        "binary_decision": "pwu_c",
        "top_k": "pwu_k",
        "selective": "pwu_lambda",
        "risk_averse_top_k": "pwu_phi",
        "one_vs_rest": "pwu_jc",
        "multivariate_selective": "pwu_lambda",
    }
)
"""The prior-weighted utility of each decision family."""

FROM_PREDICTIONS: tuple[Stage, ...] = ("metric", "utility", "theta", "alignment")
"""Parts of an evaluation that can be redone from stored predictions."""

Direction = Literal["alone", "left out"]


@dataclass(frozen=True)
class Setting:
    """A choice of switches.

    Attributes:
        name: "definitions", "published", "+switch" (that one alone) or "-switch" (all but that one).
        switches: ids that are on.
    """

    name: str
    switches: frozenset[str]


def alone(switch: str) -> str:
    """Name of the setting with one switch on."""
    return f"+{switch}"


def left_out(switch: str) -> str:
    """Name of the published setting without one switch."""
    return f"-{switch}"


def measurable(task: Task) -> tuple[Switch, ...]:
    """The switches whose effect on a task can be measured from stored predictions."""
    ids = {switch.id for stage in FROM_PREDICTIONS for switch in concerning(task, stage)}
    return tuple(switch for switch in SWITCHES.values() if switch.id in ids)


def unmeasurable(tasks: Iterable[Task]) -> tuple[Switch, ...]:
    """The switches that no evaluation of stored predictions of these tasks can tell from their definition."""
    seen = {switch.id for task in tasks for switch in measurable(task)}
    return tuple(switch for switch in SWITCHES.values() if switch.id not in seen)


def settings(task: Task) -> tuple[Setting, ...]:
    """Every setting of a task, the definitions and the published protocol first."""
    ids = [switch.id for switch in measurable(task)]
    every = frozenset(ids)
    return (
        Setting(DEFINITIONS, frozenset()),
        Setting(PUBLISHED, every),
        *(Setting(alone(switch), frozenset({switch})) for switch in ids),
        *(Setting(left_out(switch), every - {switch}) for switch in ids),
    )


def setting_of(task: Task, switches: Iterable[str], of_case: Iterable[str] = ()) -> str:
    """Name of the setting with exactly those of these switches that matter; "" if there is none.

    Args:
        of_case: switches that matter besides those that can be measured from stored predictions of the task.
    """
    chosen, extra = frozenset(switches), frozenset(of_case)
    on = chosen & {switch.id for switch in measurable(task)}
    found = next((setting.name for setting in settings(task) if setting.switches == on), "")
    return found if chosen & extra == (extra if found == PUBLISHED else frozenset()) else ""


def variant_id(switches: Iterable[str]) -> str:
    """Text of a set of switches, `a+b`; "" for the definition."""
    return "+".join(sorted(switches))


def metric_variants(task: Task, name: str) -> dict[str, frozenset[str]]:
    """The distinct ways in which the settings compute a metric: switches that act, by `variant_id`."""
    acting = (acting_on_metric(task, name, setting.switches) for setting in settings(task))
    return {variant_id(on): on for on in acting}


def utility_variants(task: Task, family: str) -> dict[str, frozenset[str]]:
    """The distinct ways in which the settings compute a family's utility: switches that act, by `variant_id`."""
    acting = (acting_on_utility(family, setting.switches) for setting in settings(task))
    return {variant_id(on): on for on in acting}
