"""Scores, leaderboards and alignments are those of the library's own functions."""

import math

import numpy as np
import pandas as pd
import pytest

from prediction_tables import FOLDS, MODELS, WIDTH, long_table, written
from report_contents import splits_of
from uqalign.alignment import align, per_seed, seed_taus
from uqalign.checks import noted
from uqalign.compare.decisions import decisions_of
from uqalign.compare.outcome import compare
from uqalign.compare.predictions import read_predictions
from uqalign.compare.scoring import chosen_metrics, with_priors
from uqalign.contracts.scores import SCORE_COLUMNS
from uqalign.families import FAMILIES, families_of, published_thetas, sample_thetas, theta_id
from uqalign.inference.matrices import seed_matrices
from uqalign.inference.resampled import resampled_mean
from uqalign.metrics.registry import for_task
from uqalign.priors import Beta
from uqalign.pwu import binary_decision_pwu
from uqalign.report.standings import standings
from uqalign.tasks import TASKS
from uqalign.utilities import binary_decision_utility

SEEDS = 2


def outcome_of(frame, tmp_path, task, *, metrics=None, utilities=(), priors=None, **options):
    found = read_predictions([written(frame, tmp_path / "d.parquet")], task, **options)
    chosen = with_priors(chosen_metrics(task, metrics), priors or {})
    return compare(found, chosen, decisions_of(utilities, task, found.width, priors or {}), dataset="d")


def direct_scores(task):
    rows = []
    for model in MODELS:
        for split in splits_of(task, model, SEEDS):
            key = (task, "d", model, split.seed, split.fold - 1)
            for name, metric in for_task(task).items():
                rows.append((*key, "metric", name, "", *noted(metric.evaluate, split.y, split.prediction)))
            for family, thetas in published_thetas(task, WIDTH[task]).items():
                for theta in thetas:
                    value = noted(family.evaluate, split.y, split.prediction, theta)
                    rows.append((*key, "utility", family.name, theta_id(theta), *value))
    return pd.DataFrame(rows, columns=SCORE_COLUMNS)


@pytest.mark.parametrize("task", TASKS)
def test_everything_is_what_the_workflow_computes(task, tmp_path):
    outcome = outcome_of(long_table(task, SEEDS), tmp_path, task)
    direct = direct_scores(task)
    pd.testing.assert_frame_equal(outcome.scores, direct)
    oriented = {name: metric.higher_is_better for name, metric in for_task(task).items()}
    pd.testing.assert_frame_equal(outcome.standings, standings(direct, MODELS, FOLDS, oriented))
    taus = align(per_seed(direct, MODELS, FOLDS), oriented)
    pd.testing.assert_frame_equal(outcome.alignment[taus.columns], taus)
    seeds = seed_taus(taus.assign(dataset="d"))
    for family in families_of(task):
        matrix = seed_matrices(seeds[seeds["family"] == family.name], "tau", ["d"], list(oriented))["d"]
        mean = resampled_mean(matrix.T, test_train_ratio=1 / (FOLDS - 1))
        found = outcome.aligned[outcome.aligned["family"] == family.name].set_index("metric").loc[list(oriented)]
        np.testing.assert_array_equal(found["mean"], mean.mean)
        np.testing.assert_allclose(found["low"], np.maximum(mean.interval()[0], -1))
        np.testing.assert_allclose(found["high"], np.minimum(mean.interval()[1], 1))
        assert list(found["defined"]) == list(mean.count)


def test_a_prior_is_that_of_metrics_and_decisions(tmp_path):
    prior = Beta(8.0, 8.0)
    outcome = outcome_of(long_table("binary", SEEDS), tmp_path, "binary", metrics=["pwu_c"], priors={"c": prior})
    family = outcome.decisions[0].family
    assert family.priors["c"] == prior
    thetas = sample_thetas(family, 5, np.random.default_rng(0))
    split = next(s for s in splits_of("binary", "fair", SEEDS) if (s.seed, s.fold) == (1, 2))
    rows = outcome.scores.query("model == 'fair' and seed == 1 and fold == 1").set_index(["name", "theta"])["value"]
    assert rows["pwu_c", ""] == binary_decision_pwu(split.y, *split.prediction, prior=prior)
    for theta in thetas:
        utility = binary_decision_utility(split.y, *split.prediction, c=theta["c"])
        assert rows["binary_decision", theta_id(theta)] == utility
    # What it does not speak of stays as published.
    published = published_thetas("binary")[FAMILIES["top_k"]]
    assert list(outcome.decisions[1].takes) == [theta_id(theta) for theta in published]


def test_the_folds_of_one_cross_validation_are_its_repeats(tmp_path):
    table = long_table("regression", SEEDS)
    folds = table.assign(fold=table["seed"] * FOLDS + table["fold"]).drop(columns="seed")
    seeds = folds.rename(columns={"fold": "seed"})
    one = outcome_of(folds, tmp_path, "regression")
    two = outcome_of(seeds, tmp_path, "regression", test_share=1 / 4)
    assert (one.repeats.unit, two.repeats.unit) == ("fold", "seed")
    pd.testing.assert_frame_equal(one.standings, two.standings)
    pd.testing.assert_frame_equal(one.aligned, two.aligned)
    assert list(one.aligned["repeats"].unique()) == [4]
    narrow = outcome_of(seeds, tmp_path, "regression")
    width = [o.standings["high"] - o.standings["low"] for o in (one, narrow)]
    # (1/4 + 1/3) against 1/4 of the variance
    np.testing.assert_allclose(width[0], width[1] * math.sqrt((1 / 4 + 1 / 3) / (1 / 4)), rtol=1e-9)


@pytest.mark.parametrize("drop", [["seed", "fold"], ["model"]])
def test_without_repeats_or_rivals_there_is_no_alignment(tmp_path, drop):
    table = long_table("binary", SEEDS)
    if drop == ["model"]:
        table = table[table["model"] == "fair"]
    table["row"] = range(len(table)) if drop == ["model"] else table["row"] + 1000 * table["seed"]
    outcome = outcome_of(table.drop(columns=drop), tmp_path, "binary")
    assert not outcome.ranked
    assert outcome.alignment.empty
    assert outcome.standings["mean"].notna().all()
    assert outcome.standings["low"].isna().all() == (drop != ["model"])


@pytest.mark.parametrize("task", TASKS)
def test_a_single_row(tmp_path, task):
    table = long_table(task, 1).groupby("model", sort=False).head(1)
    outcome = outcome_of(table, tmp_path, task)
    assert set(outcome.standings["model"]) == set(MODELS)
    assert outcome.scores["value"].notna().any()
    assert outcome.notes  # something is undefined with one row, and says so


def test_one_class_only(tmp_path):
    table = long_table("binary", SEEDS)
    outcome = outcome_of(table[table["y"] == 1].assign(row=0).drop(columns="row"), tmp_path, "binary")
    assert outcome.ranked
    brier = outcome.standings.query("name == 'brier' and model == 'fair'")["mean"].item()
    ones = table[(table["y"] == 1) & (table["model"] == "fair")]
    by_split = ((1 - ones["p"]) ** 2).groupby([ones["seed"], ones["fold"]]).mean()
    assert brier == pytest.approx(by_split.groupby("seed").mean().mean())


def test_equal_models_tie(tmp_path):
    table = long_table("regression", SEEDS)
    fair = table[table["model"] == "fair"]
    outcome = outcome_of(pd.concat([fair, fair.assign(model="twin")]), tmp_path, "regression")
    assert (outcome.standings["behind"] == 0).all()
    assert outcome.aligned["mean"].isna().all()
    assert (outcome.aligned["defined"] == 0).all()


def test_families_and_metrics_can_be_chosen(tmp_path):
    table = long_table("regression", SEEDS)
    outcome = outcome_of(table, tmp_path, "regression", metrics=["crps", "nll"], utilities=["selective"])
    assert list(dict.fromkeys(outcome.aligned["metric"])) == ["crps", "nll"]
    assert set(outcome.scores.query("kind == 'utility'")["name"]) == {"selective"}
