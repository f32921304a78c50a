"""From fold values to surfaces, tables and pictures."""

import math

import numpy as np
import pandas as pd
import pytest

from uqalign.agreement import kendall_tau_b
from uqalign.contracts.sensitivity import SURFACE_COLUMNS
from uqalign.sensitivity.figures import SEVERAL, best_chart, levels_chart, surfaces_chart
from uqalign.sensitivity.grid import ALL_LEVELS, grid_points, maps_of
from uqalign.sensitivity.summary import (
    POOLED,
    best_metrics,
    best_shares,
    level_summary,
    level_taus,
    peaks,
    with_pooled,
)
from uqalign.sensitivity.surfaces import fold_means, metric_array, surface_frame, tau_surfaces
from uqalign.sensitivity.tables import best_markdown, levels_markdown, surfaces_markdown

MODELS = ["a", "b", "c"]
POINTS = len(grid_points()[0])
C, K = maps_of("binary")
METRICS = {"brier": "Brier", "nll": "NLL", "ece": "ECE"}


def fold_rows(values):
    """(seeds, folds, points, models) as rows of a file, shuffled."""
    index = np.stack([axis.ravel() for axis in np.indices(values.shape)], axis=1)
    frame = pd.DataFrame(index, columns=["seed", "fold", "point", "model"]).assign(value=values.ravel())
    frame["model"] = np.array(MODELS, dtype=object)[frame["model"]]
    frame["seed"] += 5
    return frame.sample(frac=1, random_state=0)


def test_fold_means_are_means_of_all_folds_or_nothing():
    values = np.random.default_rng(0).normal(size=(2, 3, 4, 3))
    frame = fold_rows(values)
    found = fold_means(frame, [5, 6], MODELS, 3, 4)
    assert found.shape == (2, 4, 3)
    np.testing.assert_allclose(found, values.mean(axis=1), rtol=1e-15)
    lost = frame[~((frame["seed"] == 6) & (frame["fold"] == 1) & (frame["model"] == "b"))]
    found = fold_means(lost, [5, 6], MODELS, 3, 4)
    assert np.isnan(found[1, :, 1]).all()
    assert np.isnan(found).sum() == 4
    frame.loc[(frame["seed"] == 5) & (frame["fold"] == 2) & (frame["point"] == 3), "value"] = np.nan
    assert np.isnan(fold_means(frame, [5, 6], MODELS, 3, 4)[0, 3]).all()


def test_fold_means_pass_over_other_seeds_and_models():
    frame = fold_rows(np.ones((2, 1, 4, 3)))
    found = fold_means(frame, [6, 7], ["c", "d"], 1, 4)
    np.testing.assert_array_equal(found[0], [[1, np.nan]] * 4)
    assert np.isnan(found[1]).all()


def test_taus_are_taus_pair_by_pair():
    rng = np.random.default_rng(1)
    metrics, utilities = rng.integers(0, 4, size=(3, 5, 6)).astype(float), rng.normal(size=(3, 7, 6)).round(0)
    metrics[0, 1, 2] = metrics[1, 4, :5] = utilities[0, 3, 1] = np.nan
    metrics[2, 0] = 1.0
    metrics[2, 3, 0] = np.inf
    taus = tau_surfaces(metrics, utilities)
    expected = [[[kendall_tau_b(m, u) for u in us] for m in ms] for ms, us in zip(metrics, utilities, strict=True)]
    np.testing.assert_allclose(taus, expected, rtol=1e-14)
    assert np.isnan(taus[2, 0]).all()
    assert np.isnan(taus[1, 4]).all()


def test_metrics_are_turned_and_missing_ones_undefined():
    index = pd.MultiIndex.from_tuples(
        [(5, "metric", "brier", ""), (5, "metric", "accuracy", ""), (5, "utility", "top_k", "q=0.1")],
        names=["seed", "kind", "name", "theta"],
    )
    wide = pd.DataFrame([[0.1, 0.2, 0.3], [0.9, 0.8, 0.7], [1, 1, 1]], index=index, columns=MODELS)
    array = metric_array(wide, [5, 6], {"brier": False, "accuracy": True})
    np.testing.assert_array_equal(array[0], [[-0.1, -0.2, -0.3], [0.9, 0.8, 0.7]])
    assert np.isnan(array[1]).all()


def surface(dataset="toy", prior_map=C, seeds=4):
    """Brier best below mode 1/2, NLL best above; the two alike in the lowest row; ECE without any tau."""
    mode, concentration = grid_points()
    taus = np.full((seeds, 3, POINTS), np.nan)
    taus[:, 0] = np.where(mode < 0.5, 0.8, 0.2) + np.linspace(-0.1, 0.1, seeds)[:, None]
    taus[:, 1] = 0.5
    taus[:, 1, concentration == 2] = taus[:, 0, concentration == 2]
    return surface_frame(taus, list(METRICS), prior_map, dataset)


def test_surfaces_hold_quantiles_over_the_seeds_that_have_a_tau():
    taus = np.full((4, 1, POINTS), np.nan)
    taus[:3, 0, 0] = [0.1, 0.2, 0.9]
    frame = surface_frame(taus, ["brier"], C, "toy")
    assert list(frame.columns) == SURFACE_COLUMNS
    first, second = frame.iloc[0], frame.iloc[1]
    assert (first["mean"], first["median"]) == pytest.approx((0.4, 0.2))
    assert (first["q05"], first["q95"]) == pytest.approx(tuple(np.quantile([0.1, 0.2, 0.9], [0.05, 0.95])))
    assert (first["defined"], first["expected"]) == (3, 4)
    assert second[["mean", "median", "q05", "q95"]].isna().all()
    assert second["defined"] == 0
    assert (frame["a"] + frame["b"]).to_numpy() == pytest.approx(frame["concentration"].to_numpy())


def test_data_sets_count_alike_in_the_pooled_surface():
    one, other = surface("one", seeds=2), surface("other", seeds=8)
    other["mean"] = other["mean"] + 0.1
    both = with_pooled(pd.concat([one, other], ignore_index=True))
    pooled = both[both["dataset"] == POOLED]
    assert len(pooled) == len(one)
    merged = pooled.reset_index(drop=True)
    np.testing.assert_allclose(merged["mean"], (one["mean"] + other["mean"]) / 2)
    assert (merged.loc[merged["metric"] == "brier", "expected"] == 10).all()
    # A data set without a tau at a point leaves the other's.
    one["mean"] = np.nan
    again = with_pooled(pd.concat([one, other], ignore_index=True))
    np.testing.assert_allclose(again.loc[again["dataset"] == POOLED, "mean"], other["mean"])


def test_the_best_metric_and_its_equals():
    best = best_metrics(with_pooled(surface()), list(METRICS))
    at = best[best["dataset"] == "toy"].set_index(["concentration", "mode"]).sort_index()
    low, high = at.index.get_level_values("mode").min(), at.index.get_level_values("mode").max()
    top = at.index.get_level_values("concentration").max()
    assert list(at.loc[(top, low), "metric"]) == ["brier"]
    assert at.loc[(top, low), "next"].item() == pytest.approx(0.5)
    assert list(at.loc[(top, high), "metric"]) == ["nll"]
    assert list(at.loc[(2.0, low), "metric"]) == ["brier", "nll"]
    assert (at.loc[2.0, "alike"] == 2).all()
    assert at.loc[(2.0, low), "next"].isna().all()
    shares = best_shares(best)
    toy = shares[shares["dataset"] == "toy"].set_index("metric")
    assert toy.loc["brier", "alone"] == pytest.approx(7 * 8 / POINTS)
    assert toy.loc["brier", "share"] == pytest.approx((7 * 8 + 15) / POINTS)
    assert "ece" not in toy.index


def test_peaks_name_the_published_and_the_implied_prior():
    table = peaks(with_pooled(surface()), [C], list(METRICS)).set_index("metric")
    assert table.loc["brier", "highest"] == pytest.approx(0.8)
    assert table.loc["brier", "mode"] == pytest.approx(0.01)
    assert table.loc["brier", "at_base"] == pytest.approx(0.8)
    assert table.loc["brier", "implied"] == pytest.approx(0.2)
    assert math.isnan(table.loc["nll", "implied"])
    assert table.loc["ece"].drop(["family", "parameter"]).isna().all()


def level_rows():
    """Two data sets, two seeds, two decisions per level; one tau is undefined."""
    rows = [
        {"dataset": dataset, "seed": seed, "family": "binary_decision", "level": level, "source": source,
         "theta": str(theta), "metric": metric, "tau": 0.1 * i + 0.02 * theta + (0.5 if dataset == "one" else 0)}
        for dataset in ("one", "other") for seed in (0, 1) for i, level in enumerate(ALL_LEVELS)
        for source, thetas in (("draws", (0, 1)), ("exact", (0,))) for theta in thetas for metric in ("brier", "nll")
    ]  # fmt: skip
    frame = pd.DataFrame(rows)
    frame.loc[(frame["level"] == "strong") & (frame["metric"] == "nll"), "tau"] = np.nan
    frame.loc[0, "tau"] = np.nan
    return frame


def test_levels_are_pooled_over_the_seeds_of_all_data_sets():
    taus = level_taus(level_rows())
    assert (taus.loc[taus["source"] == "draws", "expected"] == 2).all()
    table = level_summary(taus, ["one", "other"], ["brier", "nll"])
    assert list(dict.fromkeys(table["dataset"])) == [POOLED, "one", "other"]
    assert list(dict.fromkeys(table["level"])) == list(ALL_LEVELS)
    cell = table[(table["metric"] == "brier") & (table["source"] == "draws") & (table["level"] == "slight")]
    by_dataset = cell.set_index("dataset")["median"]
    assert by_dataset["one"] == pytest.approx(0.61)
    assert by_dataset[POOLED] == pytest.approx((0.61 + 0.11) / 2)
    gone = table[(table["metric"] == "nll") & (table["level"] == "strong")]
    assert gone["median"].isna().all()
    assert (gone["defined"] == 0).all()
    text = levels_markdown(table, {"binary_decision": "Binary decision"}, {"brier": "Brier", "nll": "NLL"}, 2)
    assert "| NLL | 0.26 [0.01, 0.51] | 0.36 [0.11, 0.61] | -- | 0.56 [0.31, 0.81] |" in text
    assert "of 32 taus are undefined" in text


def test_tables_show_what_is_there():
    pooled = with_pooled(surface())
    found = peaks(pooled, [C], list(METRICS))
    text = surfaces_markdown(found, pooled, [C], METRICS)
    assert "## Binary decision: c" in text
    assert "| Brier | 0.80 | 0.20 | 0.80 | any | 2 | 0.20 |" in text
    assert "| NLL | 0.50 | 0.20 | 0.80 | any | 2 |  |" in text
    assert "| ECE | -- | -- | -- | -- | -- |  |" in text
    assert f"{POINTS * 4} of {POINTS * 12} taus are undefined" in text
    shown = best_markdown(best_shares(best_metrics(pooled, list(METRICS))), [C], METRICS)
    assert "| data set | Brier | NLL |" in shown
    assert "| toy | 53 % (41 %) | 59 % (47 %) |" in shown


def specification(picture, tmp_path):
    path = tmp_path / "picture.png"
    picture.save(str(path))
    assert path.read_bytes().startswith(b"\x89PNG")
    return picture.spec


def test_the_heat_maps_show_every_defined_point_and_the_published_priors(tmp_path):
    surfaces = with_pooled(pd.concat([surface(prior_map=C), surface(prior_map=K)], ignore_index=True))
    rows = specification(surfaces_chart(surfaces, [C, K], METRICS), tmp_path)["datasets"]["rows"]
    kinds = pd.Series([row["kind"] for row in rows]).value_counts()
    assert kinds["cell"] == 2 * 2 * POINTS
    assert kinds["mark"] == 2 * 3 * 4
    assert kinds["implied"] == 1
    cells = pd.DataFrame([row for row in rows if row["kind"] == "cell"])
    # The cells tile the map: neighbours share their edges.
    assert len({*cells["x"], *cells["x2"]}) == 16
    assert len({*cells["y"], *cells["y2"]}) == 10
    base = next(row for row in rows if row.get("level") == "base")
    over = (cells["x"] <= base["x"]) & (base["x"] < cells["x2"]) & (cells["y"] <= base["y"]) & (base["y"] < cells["y2"])
    assert over.sum() == 4
    by_dataset = surfaces_chart(surfaces, [C, K], METRICS, ["toy"])
    assert {row["row"] for row in by_dataset.rows["rows"]} == {"c|toy", "k/n|toy"}


def test_the_map_of_best_metrics_marks_equals(tmp_path):
    best = best_metrics(with_pooled(surface()), list(METRICS))
    spec = specification(best_chart(best, [C], METRICS, ["toy"]), tmp_path)
    cells = pd.DataFrame([row for row in spec["datasets"]["rows"] if row["kind"] == "cell"])
    toy = cells[cells["column"] == "toy"]["metric"].value_counts()
    assert toy.to_dict() == {"Brier": 56, "NLL": 64, SEVERAL: 15}


def test_boxes_leave_undefined_taus_out(tmp_path):
    taus = level_taus(level_rows())
    spec = specification(levels_chart(taus, METRICS, {"binary_decision": "Binary decision"}), tmp_path)
    shown = taus[(taus["source"] == "draws") & taus["tau"].notna()]
    assert len(spec["datasets"]["binary_decision"]) == len(shown)
    assert f"({len(shown)} taus)" in str(spec)
