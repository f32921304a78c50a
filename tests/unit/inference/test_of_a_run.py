"""Tables of a run: their numbers by hand, by loops, and where values are missing."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from uqalign.inference import first_places, holm, kendall_w, sign_flip_p_values
from uqalign.inference.comparison import complete_block, pairwise_table, pooled_table, rank_table
from uqalign.inference.matrices import seed_intervals, seed_matrices
from uqalign.inference.models import model_rank_table, stability_tables

NAN = math.nan
METRICS = ["nll", "brier", "pwu"]


@pytest.fixture(scope="module")
def matrices():
    rng = np.random.default_rng(0)
    base = np.array([0.2, 0.3, 0.6])
    return {f"d{i}": base + 0.1 * rng.normal(size=3) + 0.05 * rng.normal(size=(8, 3)) for i in range(5)}


def test_seed_matrices():
    rows = [
        ("b", "nll", 0, 0.1), ("b", "pwu", 0, 0.2), ("b", "nll", 1, NAN), ("b", "pwu", 1, 0.4), ("a", "pwu", 7, 1.0),
    ]  # fmt: skip
    seeds = pd.DataFrame(rows, columns=["dataset", "metric", "seed", "tau"])
    found = seed_matrices(seeds, "tau", ["a", "b", "c"], METRICS)
    assert list(found) == ["a", "b"]
    np.testing.assert_array_equal(found["a"], [[NAN, NAN, 1]])
    np.testing.assert_array_equal(found["b"], [[0.1, NAN, 0.2], [NAN, NAN, 0.4]])
    nothing = seed_matrices(seeds.iloc[:0], "tau", ["a"], METRICS)
    assert np.isnan(nothing["a"]).all()
    assert pooled_table(nothing, METRICS)["mean"].isna().all()
    assert pairwise_table(nothing, METRICS, test_train_ratio=0.25)["p_holm"].isna().all()
    assert rank_table(np.full((1, 3), NAN), METRICS, "metric")["mean_rank"].isna().all()


def test_intervals_of_each_data_set(matrices):
    found = seed_intervals(matrices, 0.25)["d1"]
    values = matrices["d1"][:, 2]
    reach = stats.t.ppf(0.975, 7) * math.sqrt((1 / 8 + 1 / 4) * values.var(ddof=1))
    assert found.interval()[0][2] == pytest.approx(values.mean() - reach)


def test_pooled(matrices):
    table = pooled_table(matrices, METRICS).set_index("metric")
    means = np.array([v.mean(axis=0) for v in matrices.values()])
    assert table.loc["pwu", "mean"] == pytest.approx(means[:, 2].mean())
    expected = stats.ttest_1samp(means[:, 2], 0).confidence_interval()
    assert table.loc["pwu", ["t_low", "t_high"]].tolist() == pytest.approx([expected.low, expected.high])
    assert (table["boot_low"] < table["mean"]).all()
    assert (table["mean"] < table["boot_high"]).all()
    assert table["prob_highest"].sum() == pytest.approx(1)
    assert table["prob_highest"].idxmax() == "pwu"
    assert table[["datasets", "defined", "expected"]].to_numpy().tolist() == [[5, 40, 40]] * 3


def test_one_data_set_says_nothing_about_others(matrices):
    one = {"d0": matrices["d0"]}
    pooled = pooled_table(one, METRICS)
    assert pooled[["boot_low", "boot_high", "t_low", "t_high"]].isna().all(axis=None)
    pairs = pairwise_table(one, METRICS, test_train_ratio=0.25)
    over = pairs[pairs["scope"] == "pooled"]
    assert over[["low", "high", "prob_a_better"]].isna().all(axis=None)
    assert (over["p_value"] == 1).all()
    assert pairs.loc[pairs["scope"] == "dataset", "prob_a_better"].notna().all()


def test_pairs_of_metrics(matrices):
    table = pairwise_table(matrices, METRICS, test_train_ratio=0.25)
    assert len(table) == 3 + 5 * 3
    pooled = table[table["scope"] == "pooled"]
    means = np.array([v.mean(axis=0) for v in matrices.values()])
    for row in pooled.to_dict("records"):
        a, b = METRICS.index(row["metric_a"]), METRICS.index(row["metric_b"])
        difference = means[:, a] - means[:, b]
        assert row["difference"] == pytest.approx(difference.mean())
        assert row["p_value"] == sign_flip_p_values(difference[:, None])[0]
        assert row["low"] < row["difference"] < row["high"]
    np.testing.assert_allclose(pooled["p_holm"], holm(pooled["p_value"].to_numpy()))
    single = table[table["scope"] == "dataset"]
    np.testing.assert_allclose(single["p_holm"], holm(single["p_value"].to_numpy()))
    row = single[(single["dataset"] == "d3") & (single["metric_b"] == "pwu") & (single["metric_a"] == "nll")].iloc[0]
    difference = matrices["d3"][:, 0] - matrices["d3"][:, 2]
    t = difference.mean() / math.sqrt((1 / 8 + 1 / 4) * difference.var(ddof=1))
    assert row["p_value"] == pytest.approx(2 * stats.t.sf(abs(t), 7))
    assert row["prob_a_better"] == pytest.approx(stats.t.cdf(t, 7))


def test_pairs_use_seeds_in_which_both_are_defined():
    values = np.array([[0.1, 0.5], [0.2, NAN], [NAN, 0.1], [0.3, 0.2]])
    row = pairwise_table({"d": values}, ["a", "b"], test_train_ratio=0).iloc[1]
    assert (row["units"], row["difference"]) == (2, pytest.approx(-0.15))


def test_ranks_leave_out_what_has_gaps():
    scores = np.array([[1, 2, NAN], [NAN, NAN, NAN], [1, 3, 2.0]])
    rows, columns = complete_block(scores)
    assert (rows.tolist(), columns.tolist()) == ([0, 2], [0, 1])
    table = rank_table(scores, METRICS, "metric")
    np.testing.assert_array_equal(table["mean_rank"], [2, 1, NAN])
    assert (table["datasets"] == 2).all()


def wide(values):
    """A frame as `per_seed` gives it, from {(kind, name, theta): (seeds, models)}."""
    rows = {(seed, *key): row for key, block in values.items() for seed, row in enumerate(block)}
    index = pd.MultiIndex.from_tuples(rows, names=["seed", "kind", "name", "theta"])
    return pd.DataFrame(list(rows.values()), index=index, columns=["m1", "m2", "m3"])


def test_stability_of_models():
    losses = np.array([[1.0, 2, 3], [1, 3, 2], [2, 1, NAN]])
    frame = wide({("metric", "nll", ""): losses, ("utility", "top_k", "q=0.1"): np.ones((3, 3))})
    table, shares = stability_tables({"d": frame}, {"nll": False})
    row = table.set_index("name").loc["nll"]
    assert row["kendall_w"] == kendall_w(-losses)
    taus = [stats.kendalltau(*pair).statistic for pair in itertools.combinations(losses[:2], 2)]
    assert row["mean_tau"] == pytest.approx(np.mean([*taus, -1, -1]))
    assert row[["defined", "pairs", "first", "seeds", "models"]].tolist() == [3, 3, "m1", 3, 2]
    assert row["first_share"] == pytest.approx(2 / 3)
    assert shares[shares["name"] == "nll"]["share"].tolist() == first_places(-losses).tolist()
    constant = table.set_index("name").loc["top_k"]
    assert constant[["defined", "pairs", "first"]].tolist() == [0, 3, ""]
    assert math.isnan(constant["kendall_w"])


def test_model_ranks_over_data_sets():
    def of(losses, *utilities):
        measures = {("utility", "top_k", f"q={i}"): np.array([u]) for i, u in enumerate(utilities)}
        return wide({("metric", "nll", ""): np.array([losses]), **measures})

    frames = {"d1": of([1, 2, 3], [5, 4, 3], [9, 1, 2]), "d2": of([1, 3, 2], [1, 2, 3], [1, 2, 3])}
    table = model_rank_table(frames, {"nll": False}, ["m1", "m2", "m3", "absent"])
    nll = table[table["name"] == "nll"].set_index("model")["mean_rank"]
    assert nll.drop("absent").tolist() == [1, 2.5, 2.5]
    assert math.isnan(nll["absent"])
    # Mean ranks over both decisions: 1, 2.5, 2.5 on d1 and 3, 2, 1 on d2; ranked within data sets, then averaged.
    top_k = table[table["name"] == "top_k"].set_index("model")["mean_rank"]
    assert top_k.drop("absent").tolist() == [2, 2.25, 1.75]
    assert (table["datasets"] == 2).all()
    assert list(model_rank_table({}, {}, []).columns[:4]) == ["kind", "name", "model", "mean_rank"]
