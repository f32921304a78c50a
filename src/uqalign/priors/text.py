"""Priors as text, for command lines and configuration files, and back.

`beta:2,10`, `uniform:0.1,0.5`, `lognormal:-2,0.5`, `gamma:2,8`, `pareto:1,0.01`, `point:0.5`,
`scipy:weibull_min:1.5,scale=0.2`, `implicit:nll`; truncated `beta:2,10@0.05..0.5`;
mixed `mixture:0.3*beta:2,10 + 0.7*point:0.5`. Parentheses group: `(mixture:...)@0..1`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import astuple
from typing import Any

from uqalign.priors.base import Prior
from uqalign.priors.beta import Beta
from uqalign.priors.composite import Mixture, Truncated
from uqalign.priors.families import Gamma, LogNormal, Pareto, Uniform
from uqalign.priors.implicit import IMPLICIT_WEIGHTS
from uqalign.priors.point import PointMass
from uqalign.priors.scipy_adapter import FrozenScipy, is_frozen_scipy
from uqalign.registry import did_you_mean

FAMILIES: dict[str, tuple[type[Prior], tuple[str, ...]]] = {
    "beta": (Beta, ("a", "b")),
    "uniform": (Uniform, ("low", "high")),
    "lognormal": (LogNormal, ("log_mean", "log_std")),
    "gamma": (Gamma, ("shape", "rate")),
    "pareto": (Pareto, ("shape", "scale")),
    "point": (PointMass, ("value",)),
}
"""Text name of each native family, with the order of its parameters."""

_KINDS = (*FAMILIES, "scipy", "implicit", "mixture")
_TRUNCATION = re.compile(r"(?P<prior>.*)@(?P<low>[^@()]+)\.\.(?P<high>[^@()]+)")


def as_prior(value: Any) -> Prior:
    """`value` as a Prior: a Prior itself, a frozen continuous scipy distribution, or text (see this module).

    A frozen scipy beta, uniform, lognorm, gamma or pareto without a shift becomes the native family.

    Raises:
        ValueError: text that names no prior or bad parameters; names the nearest family.
        TypeError: anything else.
    """
    if isinstance(value, Prior):
        return value
    if isinstance(value, str):
        return _parse(value.strip())
    if is_frozen_scipy(value):
        return _native(FrozenScipy(value))
    raise TypeError(
        f"{value!r} is no prior: pass a Prior such as Beta(2, 10), a frozen scipy distribution, "
        "or text such as 'beta:2,10'"
    )


def prior_text(prior: Prior) -> str:
    """The text from which `as_prior` builds an equal prior.

    Raises:
        ValueError: a prior that has no text form, such as a custom scipy distribution.
    """
    for name, weight in IMPLICIT_WEIGHTS.items():
        if prior == weight:
            return f"implicit:{name}"
    for name, (family, _) in FAMILIES.items():
        if type(prior) is family:
            return f"{name}:{','.join(map(_number_text, astuple(prior)))}"  # type: ignore[call-overload]
    if isinstance(prior, Truncated):
        return f"{_grouped(prior.prior)}@{_number_text(prior.low)}..{_number_text(prior.high)}"
    if isinstance(prior, Mixture):
        parts = zip(prior.weights, prior.components, strict=True)
        return "mixture:" + " + ".join(f"{_number_text(w)}*{_grouped(part)}" for w, part in parts)
    if isinstance(prior, FrozenScipy):
        return _scipy_text(prior)
    raise ValueError(f"{prior!r} has no text form: keep the object itself")


def describe(prior: Prior) -> str:
    """The text form of `prior`, or its repr where it has none."""
    try:
        return prior_text(prior)
    except ValueError:
        return repr(prior)


def _number_text(value: float) -> str:
    text = repr(float(value))
    return text.removesuffix(".0")


def _grouped(prior: Prior) -> str:
    text = prior_text(prior)
    return f"({text})" if isinstance(prior, Truncated | Mixture) else text


def _number(text: str, where: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if math.isnan(value):
        raise ValueError(f"{where}: {text.strip()!r} is no number")
    return value


def _parse(text: str) -> Prior:
    if text.startswith("mixture:"):
        return _parse_mixture(text)
    if text.startswith("(") and text.endswith(")") and _closes_at_end(text):
        return _parse(text[1:-1].strip())
    if match := _TRUNCATION.fullmatch(text):
        low, high = (_number(match[end], text) for end in ("low", "high"))
        return Truncated(_parse(match["prior"].strip()), low, high)
    kind, colon, arguments = text.partition(":")
    if kind == "scipy":
        return _parse_scipy(text, arguments)
    if kind == "implicit":
        if arguments not in IMPLICIT_WEIGHTS:
            raise ValueError(f"prior {text!r}: no such score; {did_you_mean(arguments, IMPLICIT_WEIGHTS)}")
        return IMPLICIT_WEIGHTS[arguments]
    if kind not in FAMILIES:
        raise ValueError(
            f"prior {text!r}: unknown family {kind!r}, {did_you_mean(kind, _KINDS)}; write e.g. 'beta:2,10'"
        )
    family, names = FAMILIES[kind]
    numbers = arguments.split(",") if colon else []
    if len(numbers) != len(names):
        raise ValueError(f"prior {text!r}: write '{kind}:{','.join(names)}' with numbers for the names")
    return family(*(_number(number, f"prior {text!r}") for number in numbers))


def _closes_at_end(text: str) -> bool:
    """Whether the parenthesis that opens `text` is the one that ends it."""
    depth = 0
    for position, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return position == len(text) - 1
    return False


def _split_sum(text: str) -> Iterator[str]:
    """The terms of `text` between " + " signs outside parentheses."""
    depth, start = 0, 0
    for position, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        # The sign of an exponent, as in 1e+16, has no blank before it.
        if character == "+" and depth == 0 and text[position - 1 : position].isspace():
            yield text[start:position]
            start = position + 1
    yield text[start:]


def _parse_mixture(text: str) -> Mixture:
    weights, components = [], []
    for term in _split_sum(text.removeprefix("mixture:")):
        weight, star, component = term.partition("*")
        if not star:
            raise ValueError(f"prior {text!r}: write 'mixture:0.3*beta:2,10 + 0.7*point:0.5'")
        weights.append(_number(weight, f"prior {text!r}"))
        components.append(_parse(component.strip()))
    return Mixture(components, weights)


def _parse_scipy(text: str, arguments: str) -> Prior:
    from scipy import stats

    name, _, numbers = arguments.partition(":")
    distribution = getattr(stats, name, None)
    if distribution is None or not isinstance(distribution, stats.rv_continuous):
        known = [key for key, value in vars(stats).items() if isinstance(value, stats.rv_continuous)]
        raise ValueError(f"prior {text!r}: scipy.stats has no continuous {name!r}; {did_you_mean(name, known)}")
    args: list[float] = []
    kwargs: dict[str, float] = {}
    for part in filter(None, numbers.split(",")):
        key, equals, number = part.rpartition("=")
        if equals:
            kwargs[key.strip()] = _number(number, f"prior {text!r}")
        else:
            args.append(_number(part, f"prior {text!r}"))
    try:
        frozen = distribution(*args, **kwargs)
    except TypeError as error:
        raise ValueError(f"prior {text!r}: {error}") from None
    return FrozenScipy(frozen)


def _scipy_text(prior: FrozenScipy) -> str:
    from scipy import stats

    frozen = prior.distribution
    public: Any = getattr(stats, frozen.dist.name, None)
    if type(public) is not type(frozen.dist):
        raise ValueError(f"{prior!r} is not part of scipy.stats and has no text form: keep the object itself")
    parts = [_number_text(value) for value in frozen.args]
    parts += [f"{key}={_number_text(value)}" for key, value in frozen.kwds.items()]
    return f"scipy:{frozen.dist.name}:{','.join(parts)}"


def _native(prior: FrozenScipy) -> Prior:
    """The native family equal to `prior`, or `prior` itself where there is none."""
    frozen = prior.distribution
    shapes, location, scale = frozen.dist._parse_args(*frozen.args, **frozen.kwds)
    match (frozen.dist.name, float(location), float(scale)):
        case ("beta", 0.0, 1.0):
            return Beta(shapes[0], shapes[1])
        case ("uniform", low, width):
            return Uniform(low, low + width)
        case ("lognorm", 0.0, median):
            return LogNormal(math.log(median), shapes[0])
        case ("gamma", 0.0, inverse_rate):
            return Gamma(shapes[0], 1 / inverse_rate)
        case ("expon", 0.0, inverse_rate):
            return Gamma(1, 1 / inverse_rate)
        case ("pareto", 0.0, lowest):
            return Pareto(shapes[0], lowest)
    return prior
