"""The registered metrics under a choice of protocol switches."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple

from uqalign.metrics.metric import Metric, Proper, fixed
from uqalign.metrics.registry import for_task
from uqalign.protocol import expected_utilities, scores
from uqalign.protocol.switches import expand
from uqalign.tasks import Task


class _Rule(NamedTuple):
    """What replaces a metric: a function, its options as switches (option name -> id), and fixed options.

    The rule applies once one of `needs` (default: of the option switches) is on.
    """

    function: Callable[..., float]
    options: Mapping[str, str] = MappingProxyType({})
    needs: tuple[str, ...] = ()
    fixed: Mapping[str, Any] = MappingProxyType({})
    proper: Proper = "no"
    bounds: tuple[float, float] | None = None

    @property
    def switches(self) -> tuple[str, ...]:
        return self.needs or tuple(self.options.values())


_CLASS_RETENTION = _Rule(scores.published_retention_auc, {"oracle": "rauc_oracle", "argsort": "argsort_order"})
_ECE = _Rule(scores.left_closed_calibration_error, needs=("ece_drop_one",))
_MCE = _Rule(scores.left_closed_calibration_error, needs=("ece_drop_one",), fixed={"aggregate": "max"})
_EDET = _Rule(scores.entropy_error_detection_auroc, needs=("edet_rounding",))


def _risk_averse(payoff: str) -> tuple[_Rule, ...]:
    chosen = {"payoff": payoff}
    return (
        _Rule(expected_utilities.variance_scaled_pwu, needs=("gamma_scale",), fixed=chosen),
        _Rule(
            expected_utilities.risk_averse_pwu,
            {"by_variance": "gamma_scale", "argsort": "argsort_order"},
            needs=("pwu_mc",),
            fixed=chosen,
        ),
    )


_RULES: Mapping[tuple[Task, str], tuple[_Rule, ...]] = MappingProxyType(
    {
        ("binary", "ece"): (_ECE,),
        ("binary", "mce"): (_MCE,),
        ("binary", "rauc"): (_CLASS_RETENTION,),
        ("binary", "edet"): (_EDET,),
        ("binary", "pwu_c"): (
            _Rule(
                expected_utilities.binary_pwu,
                {"sampled": "pwu_mc", "at_threshold": "threshold_geq"},
                proper="proper",
                bounds=(0.0, math.inf),
            ),
        ),
        ("binary", "pwu_k"): (
            _Rule(expected_utilities.top_k_pwu, {"sampled": "pwu_mc", "argsort": "argsort_order"}, proper="proper"),
        ),
        ("multiclass", "ece"): (_ECE,),
        ("multiclass", "mce"): (_MCE,),
        ("multiclass", "rauc"): (_CLASS_RETENTION,),
        ("multiclass", "edet"): (_EDET,),
        ("multiclass", "pwu_jc"): (_Rule(expected_utilities.one_vs_rest_pwu, needs=("pwu_mc",), proper="proper"),),
        ("regression", "rauc"): (
            _Rule(
                scores.published_regression_retention_auc,
                {"oracle": "rauc_oracle", "argsort": "argsort_order", "truncate": "rauc_int"},
            ),
        ),
        ("regression", "edet"): (_Rule(scores.zero_error_detection_auroc, needs=("edet_degenerate",)),),
        ("regression", "pwu_lambda"): (
            _Rule(
                expected_utilities.selective_pwu,
                {"sampled": "pwu_mc", "joint": "abstention_cost"},
            ),
        ),
        ("regression", "pwu_phi"): _risk_averse("reported"),
        ("regression", "pwu_phi_residual"): _risk_averse("residual"),
        ("multivariate", "nll"): (_Rule(scores.jittered_gaussian_nll, needs=("jitter_always",)),),
        ("multivariate", "energy_score"): (
            _Rule(scores.sampled_energy_score, needs=("energy_mc",), bounds=(-math.inf, math.inf)),
        ),
        ("multivariate", "rauc"): (
            _Rule(
                scores.published_multivariate_retention_auc,
                {"oracle": "rauc_oracle", "argsort": "argsort_order"},
            ),
        ),
        ("multivariate", "pwu_lambda"): (
            _Rule(expected_utilities.multivariate_selective_pwu, needs=("pwu_mc",), proper="proper"),
        ),
    }
)
"""Per metric, its replacements; the last one whose switches are on holds."""


def metrics_under(
    task: Task, switches: Iterable[str], metrics: Mapping[str, Metric] | None = None
) -> dict[str, Metric]:
    """The metrics of `task` with those that the switches change replaced by the published variants.

    Args:
        task: binary, multiclass, regression or multivariate.
        switches: ids, or "published" for all; those that concern no metric of the task change nothing.
        metrics: the metrics to start from (default: all registered ones of the task). A user's own are left alone.

    Returns:
        The metrics by name, in the order given. A replaced one takes no sample weights and is not declared a mean
        over rows.

    Raises:
        ValueError: unknown task or switch.
    """
    on = expand(switches)
    built_in = for_task(task)
    chosen = built_in if metrics is None else metrics
    return {name: _under(metric, on) if built_in.get(name) == metric else metric for name, metric in chosen.items()}


def acting_on_metric(task: Task, name: str, switches: Iterable[str]) -> frozenset[str]:
    """The switches among `switches` that take part in computing a built-in metric; the others leave it as it is.

    Some act only together with another: the order of ties matters to a risk-averse expectation only over draws.
    """
    return _active(task, name, expand(switches))[1]


def _active(task: Task, name: str, on: frozenset[str]) -> tuple[_Rule | None, frozenset[str]]:
    """The rule that replaces a metric, if any, and the switches that it reads."""
    holds = [rule for rule in _RULES.get((task, name), ()) if on.intersection(rule.switches)]
    if not holds:
        return None, frozenset()
    rule = holds[-1]
    return rule, on.intersection({*rule.needs, *rule.options.values()})


def _under(metric: Metric, on: frozenset[str]) -> Metric:
    rule, active = _active(metric.task, metric.name, on)
    if rule is None:
        return metric
    options = {**rule.fixed, **{option: switch in on for option, switch in rule.options.items()}}
    return replace(
        metric,
        function=rule.function,
        options=fixed(**options),
        proper=rule.proper,
        bounds=rule.bounds or metric.bounds,
        row_mean=False,
        description=f"{metric.description} As published: {', '.join(sorted(active))}.",
    )
