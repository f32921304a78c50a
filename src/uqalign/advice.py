"""Which metric ranks models as a described decision would: the family, a prior on its parameters, and the call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, get_args

from uqalign.errors import UserError
from uqalign.priors import (
    PRIOR_GAMMA,
    Beta,
    ElicitationReport,
    Parameter,
    Prior,
    elicitation_report,
    prior_from_quantiles,
)
from uqalign.priors import prior_text as text_of
from uqalign.registry import did_you_mean
from uqalign.tasks import Task

Decision = Literal["act", "pick", "act_on_class", "abstain", "pick_wary", "abstain_each"]
DECISIONS: tuple[Decision, ...] = get_args(Decision)

LEVELS = (0.05, 0.95)
"""Levels at which the ends of a range of parameters are taken."""

RANGE = 2.0
"""How far off a stated number may be, as a factor, unless said otherwise."""


@dataclass(frozen=True)
class Kind:
    """One kind of decision.

    Attributes:
        question: what somebody who takes such decisions would say.
        numbers: what has to be known, each with an explanation.
        call: Python name of the metric.
        parameter: which parameter the numbers say something about.
    """

    task: Task
    family: str
    metric: str
    call: str
    parameter: Parameter
    question: str
    numbers: Mapping[str, str]


_COSTS = {
    "false_positive": "cost of acting where it was not needed",
    "false_negative": "cost of not acting where it was needed",
}
_BUDGET = {"chosen": "how many are picked", "of": "out of how many"}
_ABSTENTION = {
    "tolerated_error": "error at which a prediction is worth no more than abstaining, in units of the target",
    "target_std": "standard deviation of the target",
}

KINDS: Mapping[Decision, Kind] = MappingProxyType(
    {
        "act": Kind(
            "binary",
            "binary_decision",
            "pwu_c",
            "binary_decision_pwu",
            "c",
            "Each case is decided by itself: treat or not, approve or not.",
            _COSTS,
        ),
        "pick": Kind(
            "binary",
            "top_k",
            "pwu_k",
            "top_k_pwu",
            "k",
            "There is room for a few: the most promising are picked.",
            _BUDGET,
        ),
        "act_on_class": Kind(
            "multiclass",
            "one_vs_rest",
            "pwu_jc",
            "one_vs_rest_pwu",
            "c",
            "One class out of several calls for an act, whichever it is.",
            _COSTS,
        ),
        "abstain": Kind(
            "regression",
            "selective",
            "pwu_lambda",
            "selective_pwu",
            "lambda",
            "A predicted number is used, or left to somebody else where it is too uncertain.",
            _ABSTENTION,
        ),
        "pick_wary": Kind(
            "regression",
            "risk_averse_top_k",
            "pwu_phi_residual",
            "risk_averse_top_k_pwu",
            "k",
            "A few are picked by their predicted number, and uncertainty counts against them.",
            _BUDGET,
        ),
        "abstain_each": Kind(
            "multivariate",
            "multivariate_selective",
            "pwu_lambda",
            "multivariate_selective_pwu",
            "lambda",
            "Several numbers are predicted, and each is used or left.",
            _ABSTENTION,
        ),
    }
)


@dataclass(frozen=True)
class Advice:
    """The answer.

    Attributes:
        centre: the parameter that the numbers say: a threshold, a share, or a relative cost of abstaining.
        low, high: the range within which it lies with 90 % probability.
        prior: over the parameter; `report` reads it back as decisions.
        reasons: why this metric, and what the usual ones would assume instead.
        python, shell: the call.
    """

    decision: Decision
    kind: Kind
    centre: float
    low: float
    high: float
    prior: Prior
    report: ElicitationReport
    reasons: tuple[str, ...]
    python: str
    shell: str


def advise(decision: str, numbers: Mapping[str, float], *, off_by: float = RANGE) -> Advice:
    """The metric for a kind of decision and what is known about it.

    Args:
        decision: one of `DECISIONS`.
        numbers: what `KINDS[decision].numbers` asks for.
        off_by: factor by which the numbers may be wrong; the range of the parameter follows from it.

    Raises:
        UserError: an unknown decision, numbers that are missing, superfluous or impossible, or a factor of 1 or less.
    """
    known = next((name for name in DECISIONS if name == decision), None)
    if known is None:
        raise UserError(f"decision {decision!r}: {did_you_mean(decision, DECISIONS)}")
    kind = KINDS[known]
    if set(numbers) != set(kind.numbers):
        wanted = "; ".join(f"{name}: {text}" for name, text in kind.numbers.items())
        raise UserError(f"decision {decision!r} needs {wanted}; got {', '.join(sorted(numbers)) or 'nothing'}")
    for name, value in numbers.items():
        if not 0 < value < float("inf"):
            raise UserError(f"{name} = {value!r}: a positive number is needed")
    if not 1 < off_by < float("inf"):
        raise UserError(f"off_by = {off_by!r}: a factor above 1 is needed, such as 2 for twice or half")
    centre, low, high = _RANGES[kind.parameter](numbers, off_by)
    fitted = prior_from_quantiles("beta", dict(zip(LEVELS, (low, high), strict=True))).prior
    assert isinstance(fitted, Beta)
    # Three digits say all that such numbers know, and fit on a command line.
    prior = Beta(*(float(f"{value:.3g}") for value in (fitted.a, fitted.b)))
    report = elicitation_report(prior, parameter=kind.parameter, n_test=_rows(numbers))
    return Advice(
        known, kind, centre, low, high, prior, report, _reasons(kind, centre), _python(kind, prior), _shell(kind, prior)
    )


def _threshold(numbers: Mapping[str, float], off_by: float) -> tuple[float, float, float]:
    odds = numbers["false_positive"] / numbers["false_negative"]
    low, high = odds / off_by, odds * off_by
    return odds / (1 + odds), low / (1 + low), high / (1 + high)


def _share(numbers: Mapping[str, float], off_by: float) -> tuple[float, float, float]:
    share = numbers["chosen"] / numbers["of"]
    if share >= 1:
        raise UserError(f"chosen = {numbers['chosen']:g} of {numbers['of']:g}: fewer must be picked than there are")
    return share, share / off_by, min(share * off_by, (1 + share) / 2)


def _relative_cost(numbers: Mapping[str, float], off_by: float) -> tuple[float, float, float]:
    cost = (numbers["tolerated_error"] / numbers["target_std"]) ** 2
    if cost >= 1:
        raise UserError(
            f"tolerated_error = {numbers['tolerated_error']:g} is no less than the target's standard deviation: the "
            "mean of the target would always do, and abstaining never pays"
        )
    return cost, cost / off_by, min(cost * off_by, (1 + cost) / 2)


_RANGES: Mapping[Parameter, Callable[[Mapping[str, float], float], tuple[float, float, float]]] = {
    "c": _threshold,
    "k": _share,
    "lambda": _relative_cost,
}


def _rows(numbers: Mapping[str, float]) -> int | None:
    return max(1, int(numbers["of"])) if "of" in numbers else None


def _reasons(kind: Kind, centre: float) -> tuple[str, ...]:
    if kind.parameter == "c":
        return (
            f"Acting pays from a probability of {centre:.3g} on. Accuracy assumes 0.5, that both errors cost the same.",
            "NLL weighs costs by 1 / (c (1 - c)), most of it near 0 and 1; the Brier score weighs all costs alike.",
        )
    if kind.parameter == "lambda":
        return (
            f"Abstaining costs as much as {centre:.3g} of the target's variance. The squared error never abstains.",
            "NLL corresponds to costs without an upper limit, most of them tiny.",
        )
    first = f"Only the top {centre:.2%} count; most metrics look at every row."
    if kind.family == "risk_averse_top_k":
        return (
            first,
            "The payoff charges for squared residuals; charging for the reported variance, as published, rewards "
            "models that report none.",
        )
    return (first, "AUROC and accuracy look at the whole ranking or at one threshold in it.")


def _priors(kind: Kind, prior: Prior) -> dict[str, str]:
    text = text_of(prior)
    return {"k": text, "gamma": text_of(PRIOR_GAMMA)} if kind.family == "risk_averse_top_k" else {kind.parameter: text}


_ARGUMENTS = {
    "binary": "y, p",
    "multiclass": "y, p",
    "regression": "y, mean, var",
    "multivariate": "y, mean, cov",
}


def _python(kind: Kind, prior: Prior) -> str:
    chosen = _priors(kind, prior)
    if kind.family == "risk_averse_top_k":
        options = f'prior_k="{chosen["k"]}", prior_aversion="{chosen["gamma"]}", payoff="residual"'
    else:
        options = f'prior="{chosen[kind.parameter]}"'
    return f"from uqalign.pwu import {kind.call}\n\nloss = {kind.call}({_ARGUMENTS[kind.task]}, {options})"


def _shell(kind: Kind, prior: Prior) -> str:
    options = " ".join(f"--prior {name}={text}" for name, text in _priors(kind, prior).items())
    return f"uqalign score predictions.csv --task {kind.task} --metric {kind.metric} {options}"
