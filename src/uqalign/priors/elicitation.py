"""The four checks of a prior before a prior-weighted utility is reported under it.

Schneider et al. (2026), Appendix I.3: look at the density; read the 5, 50 and 95 % quantiles as deployments;
check that little mass lies where the decision is trivial; move the mode by 50 % and see what changes. For the
selected fraction, a fifth: how many rows of the test set the prior really looks at.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import numpy as np

from uqalign.priors.base import NotAProbabilityError, Prior
from uqalign.priors.defaults import PARAMETERS, Parameter
from uqalign.priors.selection import rank_weights, selection_weights
from uqalign.priors.sensitivity import shift_mode
from uqalign.priors.text import as_prior, describe
from uqalign.ranking import selected_count

LEVELS = (0.05, 0.5, 0.95)
MARGIN = 0.01
"""Distance from a trivial decision within which mass counts as wasted."""

MODE_FACTORS = (0.5, 1.5)
TOLERATED_MASS = 0.05
TOLERATED_SHARE = 0.5

TRIVIAL: dict[Parameter, tuple[str, str]] = {
    "c": ("acting always pays", "acting never pays"),
    "lambda": ("abstaining is nearly free", "abstaining costs more than the mean as a prediction"),
    "k": ("almost nothing is selected", "almost everything is selected"),
    "gamma": ("variance is ignored", "variance outweighs the mean"),
}
"""What happens to a decision as its parameter approaches 0, and as it approaches or exceeds 1."""


@dataclass(frozen=True)
class QuantileReading:
    """One quantile in words; `cost_ratio` is (1 - c)/c, false negative to false positive (None: no cost)."""

    level: float
    value: float
    cost_ratio: float | None
    reading: str


@dataclass(frozen=True)
class Degeneracy:
    """Mass up to `margin` and from 1 - `margin` on, and whether the density is infinite at 0 or 1."""

    margin: float
    mass_near_zero: float
    mass_near_one: float
    pole_at_zero: bool
    pole_at_one: bool


@dataclass(frozen=True)
class ModeShift:
    """The prior with its mode multiplied by `factor`, and the change of its mean and quantiles."""

    factor: float
    prior: Prior
    mode: float
    mean: float
    mean_change: float
    quantiles: dict[str, float]
    quantile_changes: dict[str, float]


@dataclass(frozen=True)
class SelectionReading:
    """Selected rows on a test set of `n_test`.

    With W_j the weight of the row ranked j-th, `top_row_share` = W_1 and `effective_rows` = 1 / sum_j W_j^2,
    the number of equally weighted rows that would be as concentrated.
    """

    n_test: int
    mean_k: float
    median_k: int
    probability_one_row: float
    top_row_share: float
    effective_rows: float


@dataclass(frozen=True)
class ElicitationReport:
    """What a prior says about its parameter; `str(report)` is a page of text."""

    prior: Prior
    parameter: Parameter
    mean: float
    mode: float
    quantiles: tuple[QuantileReading, ...]
    degeneracy: Degeneracy
    shifts: tuple[ModeShift, ...]
    selection: SelectionReading | None
    warnings: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """All findings as dicts, lists, text and numbers, for JSON; what is not finite becomes None."""
        return {field.name: _json(getattr(self, field.name)) for field in fields(self)}

    def __str__(self) -> str:
        from uqalign.priors.render import report_text

        return report_text(self)

    def sparkline(self, width: int = 60) -> str:
        """The density as one line of block characters."""
        from uqalign.priors.render import sparkline

        return sparkline(self.prior, width)

    def chart(self) -> Any:
        """An Altair chart of the density with its quantiles; needs the report extra."""
        from uqalign.priors.plot import density_chart

        return density_chart(self.prior, self.parameter)


def _json(value: Any) -> Any:
    if isinstance(value, Prior):
        return describe(value)
    if is_dataclass(value):
        return {field.name: _json(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, dict):
        return {key: _json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_json(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def elicitation_report(prior: Any, *, parameter: Parameter = "c", n_test: int | None = None) -> ElicitationReport:
    """Check `prior` as a prior over `parameter`.

    Args:
        prior: a Prior, text or a frozen scipy distribution (see `as_prior`).
        parameter: "c" (cost), "lambda" (abstention cost / Var(y)), "k" (selected fraction k/n) or "gamma".
        n_test: rows of the test set; with parameter "k" it adds what the prior selects there.

    Raises:
        ValueError: unknown parameter, a weight that is no probability, or (k, n_test) mass outside [0, 1].
    """
    if parameter not in PARAMETERS:
        raise ValueError(f"parameter = {parameter!r}: choose one of {', '.join(PARAMETERS)}")
    proper = as_prior(prior)
    if not proper.is_probability:
        raise NotAProbabilityError(
            f"{describe(proper)} is a weight of total mass {proper.total_mass:g}, not a prior: it has no "
            "quantiles to read; compare with a proper prior such as beta:2,10"
        )
    degeneracy = _degeneracy(proper)
    selection = _selection(proper, n_test) if n_test is not None and parameter == "k" else None
    shifts: list[ModeShift] = []
    immovable: list[str] = []
    for factor in MODE_FACTORS:
        try:
            shifts.append(_mode_shift(proper, factor))
        except (TypeError, ValueError) as error:
            immovable.append(f"no reading with the mode times {factor:g}: {error}")
    return ElicitationReport(
        prior=proper,
        parameter=parameter,
        mean=proper.mean,
        mode=proper.mode,
        quantiles=tuple(_reading(parameter, level, float(proper.quantile(level)), n_test) for level in LEVELS),
        degeneracy=degeneracy,
        shifts=tuple(shifts),
        selection=selection,
        warnings=(*_warnings(proper, parameter, degeneracy, selection), *immovable),
    )


def _reading(parameter: Parameter, level: float, value: float, n_test: int | None) -> QuantileReading:
    ratio = None
    match parameter:
        case "c" if not 0 <= value <= 1:
            reading = "no cost: c has a meaning in [0, 1] only"
        case "c":
            ratio = (1 - value) / value if value > 0 else math.inf
            reading = f"false negative to false positive {_ratio_text(ratio)}"
        case "lambda":
            reading = f"abstaining costs {value:.3g} of the target's variance"
        case "k":
            rows = f", {selected_count(n_test, value)} of {n_test} rows" if n_test and 0 <= value <= 1 else ""
            reading = f"{100 * value:.3g} % of the rows are selected{rows}"
        case "gamma":
            reading = f"one unit of (rescaled) variance costs {value:.3g} of value"
    return QuantileReading(level, value, ratio, reading)


def _ratio_text(ratio: float) -> str:
    if ratio in (0, math.inf):
        return "0:1" if ratio == 0 else "1:0"
    larger = max(ratio, 1 / ratio)
    text = f"{larger:.0f}" if larger >= 10 else f"{larger:.1f}"
    return f"{text}:1" if ratio >= 1 else f"1:{text}"


def _degeneracy(prior: Prior) -> Degeneracy:
    at_zero, at_one = np.asarray(prior.density([0.0, 1.0]))
    return Degeneracy(
        margin=MARGIN,
        mass_near_zero=float(prior.cdf(MARGIN)),
        mass_near_one=float(prior.tail(1 - MARGIN)),
        pole_at_zero=bool(np.isinf(at_zero)),
        pole_at_one=bool(np.isinf(at_one)),
    )


def _mode_shift(prior: Prior, factor: float) -> ModeShift:
    moved = shift_mode(prior, factor)
    before, after = (np.asarray(each.quantile(LEVELS)).tolist() for each in (prior, moved))
    names = [f"{level:g}" for level in LEVELS]
    change = [new - old for new, old in zip(after, before, strict=True)]
    infinite = math.isinf(prior.mean) or math.isinf(moved.mean)
    return ModeShift(
        factor=factor,
        prior=moved,
        mode=moved.mode,
        mean=moved.mean,
        mean_change=math.nan if infinite else moved.mean - prior.mean,
        quantiles=dict(zip(names, after, strict=True)),
        quantile_changes=dict(zip(names, change, strict=True)),
    )


def _selection(prior: Prior, n_test: int) -> SelectionReading:
    chance, weight = selection_weights(prior, n_test), rank_weights(prior, n_test)
    return SelectionReading(
        n_test=n_test,
        mean_k=float(chance @ np.arange(1, n_test + 1)),
        median_k=int(np.searchsorted(np.cumsum(chance), 0.5)) + 1,
        probability_one_row=float(chance[0]),
        top_row_share=float(weight[0]),
        effective_rows=float(1 / np.sum(weight**2)),
    )


def _warnings(
    prior: Prior, parameter: Parameter, degeneracy: Degeneracy, selection: SelectionReading | None
) -> list[str]:
    found = []
    near_zero, near_one = TRIVIAL[parameter]
    # A few of many rows is the point of top-k selection; what small fractions mean is judged on the rows.
    if degeneracy.mass_near_zero > TOLERATED_MASS and parameter != "k":
        found.append(
            f"{100 * degeneracy.mass_near_zero:.3g} % of the mass lies at {parameter} <= {MARGIN:g}, "
            f"where {near_zero}: truncate the prior or move its mode"
        )
    if degeneracy.mass_near_one > TOLERATED_MASS:
        found.append(
            f"{100 * degeneracy.mass_near_one:.3g} % of the mass lies at {parameter} >= {1 - MARGIN:g}, "
            f"where {near_one}: truncate the prior or move its mode"
        )
    for pole, place, meaning in (
        (degeneracy.pole_at_zero, "0", near_zero),
        (degeneracy.pole_at_one, "1", near_one),
    ):
        if pole:
            found.append(f"the density is infinite at {place}, where {meaning}: choose both Beta parameters >= 1")
    outside = float(prior._below(np.zeros(1))[0] + prior._above(np.ones(1))[0])
    if parameter in ("c", "k") and outside > 0:
        found.append(
            f"{outside:.2g} of the mass lies outside [0, 1], where {parameter} has no meaning: "
            "truncate the prior (in text: ...@0..1)"
        )
    if selection is not None and selection.top_row_share > TOLERATED_SHARE:
        found.append(
            f"{100 * selection.top_row_share:.0f} % of the top-k weight rests on the single best-ranked of "
            f"{selection.n_test} rows: pool folds, or choose larger fractions"
        )
    return found
