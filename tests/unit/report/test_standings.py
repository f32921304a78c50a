"""Leaderboards: means, intervals, and who is behind whom."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from report_contents import MODELS, scores_of, splits_of
from uqalign.metrics.registry import for_task
from uqalign.report.frames import STANDING_COLUMNS
from uqalign.report.ranks import mean_ranks
from uqalign.report.standings import standings

ORIENTED = {name: metric.higher_is_better for name, metric in for_task("binary").items()}


@pytest.fixture(scope="module")
def scores():
    return pd.concat([scores_of("binary", "d", m, splits_of("binary", m, 4)) for m in MODELS], ignore_index=True)


def row(table, kind, name, model):
    found = table[(table["kind"] == kind) & (table["name"] == name) & (table["model"] == model)]
    assert len(found) == 1
    return found.iloc[0]


def by_seed(scores, name, model):
    part = scores[(scores["name"] == name) & (scores["model"] == model)]
    return part.groupby("seed")["value"].mean().to_numpy()


@pytest.mark.parametrize(("kind", "name"), [("metric", "brier"), ("metric", "accuracy"), ("utility", "top_k")])
def test_means_and_intervals_are_those_of_the_repeats(scores, kind, name):
    table = standings(scores, MODELS, 2, ORIENTED)
    values = {model: by_seed(scores, name, model) for model in MODELS}
    sign = -1 if name == "brier" else 1
    best = max(MODELS, key=lambda model: sign * values[model].mean())
    # Nadeau and Bengio: variance (1 / J + n_test / n_train) S^2, here 1 / 4 + 1.
    reach = stats.t.ppf(0.975, 3) * np.sqrt(1.25)
    for model in MODELS:
        found = row(table, kind, name, model)
        assert found["mean"] == pytest.approx(values[model].mean(), rel=1e-12)
        assert found["high"] - found["mean"] == pytest.approx(reach * values[model].std(ddof=1), rel=1e-9)
        assert found["mean"] - found["low"] == pytest.approx(reach * values[model].std(ddof=1), rel=1e-9)
        behind = sign * (values[best] - values[model])
        assert found["behind"] == pytest.approx(behind.mean(), abs=1e-15)
        assert found["behind_high"] - found["behind"] == pytest.approx(reach * behind.std(ddof=1), abs=1e-12)
        assert found["seeds"] == 4
    assert row(table, kind, name, best)["behind"] == 0
    assert (table.dropna(subset=["behind"])["behind"] >= 0).all()


def test_a_lost_fold_is_a_lost_repeat_and_a_lost_model_keeps_its_rows(scores):
    lost = scores[~((scores["model"] == "fair") & (scores["seed"] == 1) & (scores["fold"] == 2))]
    table = standings(lost, [*MODELS, "never_fitted"], 2, ORIENTED)
    assert row(table, "metric", "nll", "fair")["seeds"] == 3
    assert row(table, "metric", "nll", "sharp")["seeds"] == 4
    absent = row(table, "utility", "top_k", "never_fitted")
    assert np.isnan(absent["mean"])
    assert absent["seeds"] == 0


def test_an_infinite_loss_gives_an_infinite_mean_without_interval(scores):
    hit = (scores["model"] == "sharp") & (scores["name"] == "nll") & (scores["seed"] == 0)
    table = standings(scores.assign(value=scores["value"].mask(hit, np.inf)), MODELS, 2, ORIENTED)
    found = row(table, "metric", "nll", "sharp")
    assert found["mean"] == np.inf
    assert np.isnan(found["low"])
    assert np.isfinite(row(table, "metric", "nll", "fair")["mean"])


def test_a_decision_undefined_for_all_models_is_left_out_of_the_mean(scores):
    thetas = scores.loc[scores["name"] == "top_k", "theta"].unique()
    gone = scores.assign(value=scores["value"].mask(scores["theta"] == thetas[0]))
    rest = scores[(scores["theta"] == thetas[1]) & (scores["model"] == "fair")]
    found = row(standings(gone, MODELS, 2, ORIENTED), "utility", "top_k", "fair")
    assert found["mean"] == pytest.approx(rest.groupby("seed")["value"].mean().mean())


def test_one_test_set_counts_its_repeats_as_independent(scores):
    single = scores[scores["fold"] == 1]
    found = row(standings(single, MODELS, 1, ORIENTED), "metric", "brier", "fair")
    values = by_seed(single, "brier", "fair")
    assert found["high"] - found["mean"] == pytest.approx(stats.t.ppf(0.975, 3) * values.std(ddof=1) / 2)


def test_no_scores_no_standings(scores):
    assert list(standings(scores.head(0), MODELS, 2, ORIENTED).columns) == STANDING_COLUMNS


def test_ranks_are_means_over_data_sets_of_complete_models():
    values = {("a", "x"): 1, ("a", "y"): 3, ("b", "x"): 2, ("b", "y"): 2, ("c", "x"): 9, ("d", "x"): 2, ("d", "y"): 1}
    frame = pd.DataFrame([{"model": m, "dataset": d, "mean": float(v)} for (m, d), v in values.items()])
    ranks = mean_ranks(frame.assign(kind="utility", name="top_k"), "top_k")
    # c is not everywhere; on x: b and d tie before a; on y: a, b, d.
    assert ranks.to_dict() == {"b": 1.75, "a": 2.0, "d": 2.25}
