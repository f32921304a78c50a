"""The scores of a case study: every metric, the realised utility, and what each protocol switch makes of it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from uqalign.cases.case import Case, CaseInputs, CaseSplit, Part, ScoreRow
from uqalign.cases.other_priors import with_other_priors
from uqalign.checks import noted

DEFINITIONS, PUBLISHED = "definitions", "published"


def variant_name(case: str, variant: str) -> str:
    """Name of the utility under other switches than the configured ones: `lending:greedy_stop`."""
    return f"{case}:{variant}"


def variants(case: Case, switches: frozenset[str]) -> dict[str, frozenset[str]]:
    """The utilities to evaluate by name: as configured, by the definitions, with each switch alone, and with all."""
    own = frozenset(case.switches)
    named = {case.name: switches & own}
    if own:
        named[variant_name(case.name, DEFINITIONS)] = frozenset()
        named |= {variant_name(case.name, switch): frozenset({switch}) for switch in case.switches}
        named[variant_name(case.name, PUBLISHED)] = own
    return named


def case_splits(inputs: CaseInputs, part: Part, switches: frozenset[str]) -> Iterator[CaseSplit]:
    """The splits of one data set that have predictions."""
    for split in part.cache.splits:
        if split.prediction is None:
            continue
        train = np.flatnonzero(part.folds[split.seed] != split.fold)
        yield CaseSplit(
            arm=inputs.arm.name,
            seed=split.seed,
            fold=split.fold,
            y=split.y,
            prediction=split.prediction,
            side=part.side.iloc[split.rows].reset_index(drop=True),
            y_train=part.table.target[train],
            side_train=part.side.iloc[train].reset_index(drop=True),
            options=inputs.options,
            switches=switches,
        )


def score_splits(inputs: CaseInputs) -> Iterator[ScoreRow]:
    """Scores of an arm with one data set, split by split."""
    case, (part,) = inputs.case, inputs.parts
    for name, switches in variants(case, inputs.switches).items():
        for split in case_splits(inputs, part, switches):
            decision = case.decide(split)
            value, note = noted(case.utility, split, decision)
            yield split.seed, split.fold, "utility", name, "", value, note
            if name == case.name:
                for metric_name, metric in inputs.metrics.items():
                    value, note = noted(metric.evaluate, split.y, split.prediction)
                    yield split.seed, split.fold, "metric", metric_name, "", value, note
                for metric_name, prior, metric in with_other_priors(case, split, inputs.metrics):
                    value, note = noted(metric.evaluate, split.y, split.prediction)
                    yield split.seed, split.fold, "detail", metric_name, prior, value, note
                if case.details is not None:
                    for detail, number in case.details(split, decision).items():
                        yield split.seed, split.fold, "detail", detail, "", float(number), ""
