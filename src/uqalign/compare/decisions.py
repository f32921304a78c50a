"""What models are ranked for: decision families under a prior of one's own, and decisions of one's own."""

from __future__ import annotations

import functools
import importlib
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from types import MappingProxyType
from typing import Any, cast

import numpy as np

from uqalign.cases.case import Case, CaseSplit
from uqalign.cases.registry import CASES_REGISTRY
from uqalign.checks import noted
from uqalign.errors import UserError
from uqalign.families import (
    FAMILIES,
    SEED,
    THETAS_PER_FAMILY,
    Family,
    Theta,
    families_of,
    published_thetas,
    sample_thetas,
    theta_id,
)
from uqalign.priors import Prior, as_prior
from uqalign.registry import UnknownNameError, did_you_mean
from uqalign.tasks import Task

ALL = "all"

PARAMETERS: Mapping[str, str] = MappingProxyType(
    {"c": "c", "k": "q", "lambda": "lambda_factor", "gamma": "gamma_factor"}
)
"""A decision's parameter as options call it -> as families do."""

MAIN: Mapping[Task, str] = MappingProxyType(
    {"binary": "c", "multiclass": "c", "regression": "lambda", "multivariate": "lambda"}
)
"""The parameter that a prior without a name is about."""


def priors_of(texts: Sequence[str], task: Task) -> dict[str, Prior]:
    """Priors by parameter: `PARAMETER=PRIOR`, or a prior alone for the task's main parameter.

    Raises:
        UserError: a prior that is none, or two for one parameter.
    """
    priors: dict[str, Prior] = {}
    for text in texts:
        named = re.fullmatch(r"([A-Za-z_]+)=(.*)", text)
        parameter, prior = named.groups() if named else (MAIN[task], text)
        if parameter in priors:
            raise UserError(f"--prior {parameter}= is given twice")
        try:
            priors[parameter] = as_prior(prior)
        except ValueError as error:
            hint = "write PRIOR such as beta:2,10, or PARAMETER=PRIOR such as c=beta:2,10"
            raise UserError(f"--prior {text}: {error} ({hint})") from error
    return priors


Evaluate = Callable[[CaseSplit], float]


@dataclass(frozen=True, eq=False)
class Decision:
    """A decision family with the decisions that are taken, or a decision of one's own.

    Attributes:
        family: what tables and pages know of it; a decision of one's own has no parameters.
        takes: decisions by their text, each a function from a split to the realised utility.
        own: whether it is one's own, and may look at side information.
    """

    family: Family
    takes: Mapping[str, Evaluate]
    own: bool = False

    def utilities(self, split: CaseSplit) -> Iterator[tuple[str, float, str]]:
        """Text, realised utility and note of every decision."""
        for text, evaluate in self.takes.items():
            yield text, *noted(evaluate, split)


def decisions_of(names: Sequence[str], task: Task, width: int, priors: Mapping[str, Prior]) -> list[Decision]:
    """The decisions to compare models by.

    Args:
        names: "all" (the task's families), families, case studies, or `module:NAME` of one's own: a function from a
            `CaseSplit` to what the decisions taken from it earn, or a `Case`.
        width: number of classes.
        priors: of the families' parameters, by the names of `PARAMETERS`.

    Raises:
        UserError: an unknown name, one of another task, or two decisions of one name.
    """
    wanted = [family.name for family in families_of(task)] if not names else []
    for name in names:
        wanted += [family.name for family in families_of(task)] if name == ALL else [name]
    used = [name for name, inner in PARAMETERS.items() if any(inner in family.priors for family in families_of(task))]
    for parameter in priors:
        if parameter not in used:
            what = did_you_mean(parameter, used)
            raise UserError(f"--prior {parameter}=: no {task} decision has such a parameter: {what}")
    published = published_thetas(task, width if task == "multiclass" else None)
    found: dict[str, Decision] = {}
    for name in dict.fromkeys(wanted):
        decision = _decision(name, task, width, priors, published)
        if decision.family.name in found:
            raise UserError(f"two decisions are called {decision.family.name!r}: rename one")
        found[decision.family.name] = decision
    return list(found.values())


def _decision(
    name: str, task: Task, width: int, priors: Mapping[str, Prior], published: Mapping[Family, tuple[Theta, ...]]
) -> Decision:
    if ":" in name:
        return _own(name, _loaded(name), task)
    if name in FAMILIES:
        family = FAMILIES[name]
        if family.task != task:
            raise UserError(f"--utility {name} is for {family.task} predictions, not {task} ones")
        return _taken(family, priors, published[family], width)
    if name in CASES_REGISTRY.names():
        return _own(name, CASES_REGISTRY.get(name), task)
    known = [*(family.name for family in families_of(task)), *CASES_REGISTRY.names(), ALL]
    raise UnknownNameError(f"unknown utility {name!r}: {did_you_mean(name, known)}; your own is module:function")


def _taken(family: Family, priors: Mapping[str, Prior], published: tuple[Theta, ...], width: int) -> Decision:
    """The published decisions, or as many from a prior of one's own."""
    own = {PARAMETERS[name]: prior for name, prior in priors.items() if PARAMETERS.get(name) in family.priors}
    thetas = published
    if own:
        family = replace(family, priors=MappingProxyType({**family.priors, **own}))
        thetas = sample_thetas(family, THETAS_PER_FAMILY, np.random.default_rng(SEED), n_classes=width)
    # Two draws from a point prior are one decision.
    return Decision(family, {theta_id(theta): functools.partial(_realised, family, theta) for theta in thetas})


def _realised(family: Family, theta: Theta, split: CaseSplit) -> float:
    return family.evaluate(split.y, split.prediction, theta)


def _loaded(path: str) -> Any:
    module, _, attribute = path.partition(":")
    # A user's own module lies where they are, which a console script's path does not cover.
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        return getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise UnknownNameError(f"--utility {path} cannot be loaded: {error}") from error


def _own(path: str, member: Any, task: Task) -> Decision:
    if isinstance(member, Case):
        if member.task != task:
            raise UserError(f"--utility {path} is for {member.task} predictions, not {task} ones")
        if member.score is not None or member.priors is not None:
            raise UserError(f"--utility {path} needs more than test rows: `uqalign cases` says how to run it")
        name, title, evaluate = member.name, member.title, functools.partial(_case, member)
    elif callable(member):
        plain = getattr(member, "__name__", path.partition(":")[2])
        name = re.sub(r"[^a-z0-9]+", "_", plain.lower()).strip("_")[:40]
        if not re.match("[a-z]", name):
            raise UserError(f"--utility {path}: give the function a name that begins with a letter")
        title, evaluate = name.replace("_", " ").capitalize(), member
    else:
        raise UserError(
            f"--utility {path} is a {type(member).__name__}: a function of a split, or a Case, is needed (see "
            "docs/howto/own-predictions.md)"
        )
    if name in FAMILIES:
        raise UserError(f"--utility {path} is called like the decision family {name!r}: rename it")
    nothing: Mapping[str, Any] = MappingProxyType({})
    family = Family(name, title, task, (), nothing, nothing, _unused, _unused)
    return Decision(family, {"": functools.partial(_earned, path, evaluate)}, own=True)


def _unused(*_: Any, **__: Any) -> Any:
    raise TypeError("a decision of one's own is evaluated on a split, not on arrays")


def _case(case: Case, split: CaseSplit) -> float:
    split = replace(split, options=dict(case.options), arm=case.arms[0].name)
    return case.utility(split, case.decide(split))


def _earned(path: str, evaluate: Evaluate, split: CaseSplit) -> float:
    try:
        value = evaluate(split)
    except KeyError as error:
        columns = ", ".join(map(str, split.side.columns)) or "none"
        raise UserError(
            f"--utility {path} looks for {error.args[0]!r}; columns of side information: {columns}"
        ) from error
    number = value.item() if isinstance(value, np.ndarray | np.generic) and np.ndim(value) == 0 else value
    if not isinstance(number, Real):
        raise UserError(f"--utility {path} returned {type(value).__name__}, not a number: return what the split earns")
    return float(cast(float, number))
