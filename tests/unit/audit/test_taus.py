"""The taus of every setting are those of scoring and aligning anew under its switches."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
import pytest

from audit_helpers import aligner
from uqalign.alignment import fold_mean, per_seed
from uqalign.audit.settings import AUDITED, settings
from uqalign.audit.taus import all_taus, defined_mean, medians_without
from uqalign.families import published_thetas, theta_id
from uqalign.metrics.registry import for_task
from uqalign.protocol import evaluate_utility, metrics_under, thetas_published
from uqalign.protocol.rankings import fold_mean_published, kendall_under, published_row_order

TASKS = ("binary", "regression")


def from_scratch(caches, task: str, switches: frozenset[str]) -> pd.DataFrame:
    """Mean tau per seed, family and metric by the plain route: every value under all switches, no sharing."""
    rows = []
    under = metrics_under(task, switches)
    drawn = published_thetas(task)
    for model, cache in caches.items():
        for split in cache.splits:
            place = ("d", model, split.seed, split.fold)
            rows += [
                (*place, "metric", name, "", under[name].evaluate(split.y, split.prediction)) for name in AUDITED[task]
            ]
            for family, thetas in drawn.items():
                acted = thetas_published(thetas) if "theta_label" in switches else thetas
                rows += [
                    (
                        *place,
                        "utility",
                        family.name,
                        theta_id(t),
                        evaluate_utility(family, split.y, split.prediction, a, switches),
                    )
                    for t, a in zip(thetas, acted, strict=True)
                ]
    scores = pd.DataFrame(rows, columns=["dataset", "model", "seed", "fold", "kind", "name", "theta", "value"])
    mean = fold_mean_published if "nan_last" in switches else fold_mean
    wide = per_seed(scores, published_row_order(list(caches)), 2, mean)
    tau = partial(kendall_under, switches=switches)
    found = []
    for seed, block in wide.groupby(level="seed"):
        metrics, utilities = (block.xs(kind, level="kind") for kind in ("metric", "utility"))
        for (_, name, _), values in zip(metrics.index, metrics.to_numpy(), strict=True):
            for family in drawn:
                against = utilities.xs(family.name, level="name").to_numpy()
                taus = [tau(values, u, higher_is_better=for_task(task)[name].higher_is_better) for u in against]
                mean_tau = np.nan if np.isnan(taus).all() else np.nanmean(taus)
                found.append((seed, family.name, name, mean_tau, int((~np.isnan(taus)).sum())))
    return pd.DataFrame(found, columns=["seed", "family", "metric", "tau", "defined"])


@pytest.mark.filterwarnings("ignore::uqalign.checks.UndefinedMetricWarning", "ignore:log_score")
@pytest.mark.parametrize("task", TASKS)
def test_sharing_variants_changes_no_tau(task: str, request: pytest.FixtureRequest) -> None:
    caches = request.getfixturevalue(f"{task}_caches")
    ours = all_taus(aligner(task, request.getfixturevalue(f"{task}_measures")), AUDITED[task])
    keys = ["seed", "family", "metric"]
    # The two protocols, and switches of each stage alone and left out.
    chosen = {"definitions", "published", "+tau_row_order", "-tau_row_order", "+argsort_order", "-theta_label"}
    chosen |= {"+abstention_cost", "-gamma_scale"} if task == "regression" else {"+threshold_geq", "-pwu_mc"}
    for setting in settings(task):
        if setting.name not in chosen:
            continue
        expected = from_scratch(caches, task, setting.switches).sort_values(keys).reset_index(drop=True)
        part = ours[ours["setting"] == setting.name].sort_values(keys).reset_index(drop=True)
        assert part[[*keys, "defined"]].equals(expected[[*keys, "defined"]].astype(part[[*keys, "defined"]].dtypes))
        np.testing.assert_allclose(part["tau"], expected["tau"], atol=1e-14, err_msg=setting.name)
    assert ours["setting"].nunique() == len(settings(task))


@pytest.mark.parametrize("task", TASKS)
def test_leaving_out_a_model(task: str, request: pytest.FixtureRequest) -> None:
    measures = request.getfixturevalue(f"{task}_measures")
    ours = medians_without(aligner(task, measures), AUDITED[task])
    models = measures["model"].unique()
    # As published, ties are resolved among all models; the binary ones tie.
    for setting in settings(task)[: 2 if task == "regression" else 1]:
        for model in models[:2]:
            rest = aligner(task, measures[measures["model"] != model])
            part = ours[(ours["setting"] == setting.name) & (ours["without"] == model)]
            for row in part.to_dict("records"):
                expected = np.nanmedian(defined_mean(rest.taus(row["metric"], row["family"], setting)))
                assert row["median"] == pytest.approx(expected, abs=1e-12), row


def test_a_failed_fit_takes_its_model_out_of_that_seed(binary_measures: pd.DataFrame) -> None:
    lost = (binary_measures["model"] == "gp") & (binary_measures["seed"] == 0) & (binary_measures["fold"] == 2)
    some = aligner("binary", binary_measures[~lost])
    without = aligner("binary", binary_measures[binary_measures["model"] != "gp"])
    for setting in settings("binary")[:2]:
        first = [
            np.array([a.taus(name, "binary_decision", setting)[0] for name in AUDITED["binary"]])
            for a in (some, without)
        ]
        # As published, a model without a value is ranked last instead of left out.
        assert (first[0] == pytest.approx(first[1], nan_ok=True)) == (setting.name == "definitions")
