"""Whatever the layout of the files, the predictions are the same."""

import numpy as np
import pandas as pd
import pytest

from prediction_tables import FOLDS, MODELS, long_table, shuffled, wide_table, written
from uqalign.compare.predictions import read_predictions
from uqalign.tasks import TASKS


def same(a, b):
    assert a.models == b.models
    assert (a.repeats, a.bounds, a.width) == (b.repeats, b.bounds, b.width)
    np.testing.assert_array_equal(a.y, b.y)
    for model in a.models:
        for one, other in zip(a.by_model[model], b.by_model[model], strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.fixture
def long(tmp_path):
    def read(task):
        return read_predictions([written(long_table(task), tmp_path / "long.parquet")], task)

    return read


@pytest.mark.parametrize("task", TASKS)
class TestLayouts:
    def test_long_holds_what_the_models_said(self, task, long):
        table, found = long_table(task), long(task)
        assert found.models == list(MODELS)
        assert (found.repeats.labels, found.repeats.folds, found.repeats.unit) == ([0, 1], FOLDS, "seed")
        for model in MODELS:
            own = table[table["model"] == model]
            splits = list(found.splits(model))
            assert [(s.seed, s.fold) for s in splits] == [(0, 0), (0, 1), (1, 0), (1, 1)]
            first = "p" if task == "binary" else "p_0" if task == "multiclass" else "mu"
            first = "mu_0" if task == "multivariate" else first
            for split, (_, part) in zip(splits, own.groupby(["seed", "fold"]), strict=True):
                values = split.prediction[0] if split.prediction[0].ndim == 1 else split.prediction[0][:, 0]
                np.testing.assert_array_equal(values, part[first])

    @pytest.mark.parametrize("suffix", ["csv", "parquet"])
    def test_wide(self, task, long, tmp_path, suffix):
        same(long(task), read_predictions([written(wide_table(task), tmp_path / f"wide.{suffix}")], task))

    def test_long_as_text(self, task, long, tmp_path):
        same(long(task), read_predictions([written(long_table(task), tmp_path / "long.csv")], task))

    def test_a_file_a_model(self, task, long, tmp_path):
        table = long_table(task)
        paths = [
            written(table[table["model"] == model].drop(columns="model"), tmp_path / f"{model}.csv") for model in MODELS
        ]
        same(long(task), read_predictions(paths, task))

    def test_a_file_a_seed_and_rows_in_any_order(self, task, long, tmp_path):
        table = shuffled(long_table(task))
        table["model"] = pd.Categorical(table["model"], MODELS)
        table = table.sort_values("model", kind="stable").astype({"model": str})
        parts = [written(part, tmp_path / f"part_{seed}.parquet") for seed, part in table.groupby("seed")]
        same(long(task), read_predictions(parts, task))

    def test_wide_and_long_together(self, task, long, tmp_path):
        wide = wide_table(task)
        last = [column for column in wide if column.endswith(f":{MODELS[-1]}")]
        table = long_table(task)
        paths = [
            written(shuffled(wide.drop(columns=last)), tmp_path / "wide.parquet"),
            written(table[table["model"] == MODELS[-1]], tmp_path / "long.csv"),
        ]
        same(long(task), read_predictions(paths, task))

    def test_rows_without_names_are_matched_by_order(self, task, long, tmp_path):
        same(long(task), read_predictions([written(long_table(task).drop(columns="row"), tmp_path / "l.csv")], task))

    def test_other_names(self, task, long, tmp_path):
        wide = wide_table(task).rename(columns={"seed": "repeat", "fold": "part", "row": "id"})
        wide.columns = [str(name).replace(":", "__by__") for name in wide.columns]
        patterns = {
            "binary": ["p:{model}=p__by__{model}"],
            "multiclass": ["p_{k}:{model}=p_{k}__by__{model}"],
            "regression": ["mu:{model}=mu__by__{model}", "var:{model}=var__by__{model}"],
            "multivariate": ["mu_{j}:{model}=mu_{j}__by__{model}", "cov_{j}_{k}:{model}=cov_{j}_{k}__by__{model}"],
        }
        columns = [*patterns[task], "seed=repeat", "fold=part", "row=id"]
        same(long(task), read_predictions([written(wide, tmp_path / "wide.csv")], task, columns=columns))


def test_standard_deviations_are_squared(tmp_path):
    table = long_table("regression")
    by_std = table.assign(std=np.sqrt(table["var"])).drop(columns="var")
    one = read_predictions([written(table, tmp_path / "var.parquet")], "regression")
    two = read_predictions([written(by_std, tmp_path / "std.parquet")], "regression")
    for model in MODELS:
        np.testing.assert_allclose(one.by_model[model][1], two.by_model[model][1], rtol=1e-14)


@pytest.mark.parametrize("dtype", ["float32", "string", "Float64"])
def test_numbers_of_any_type(tmp_path, dtype):
    table = long_table("binary").assign(p=lambda t: t["p"].astype("float32"))
    one = read_predictions([written(table.astype({"p": "float64"}), tmp_path / "a.parquet")], "binary")
    kept = table["p"].astype("float64").astype(dtype)
    two = read_predictions([written(table.assign(p=kept), tmp_path / "b.parquet")], "binary")
    np.testing.assert_array_equal(one.by_model["fair"][0], two.by_model["fair"][0])


def test_named_classes(tmp_path):
    table = long_table("multiclass")
    words = table.assign(y=np.array(["low", "mid", "high"])[table["y"].astype(int)])
    one = read_predictions([written(table, tmp_path / "a.parquet")], "multiclass")
    two = read_predictions([written(words, tmp_path / "b.csv")], "multiclass", labels=["low", "mid", "high"])
    np.testing.assert_array_equal(one.y, two.y)


def test_seeds_may_be_words_and_an_index_may_be_a_column(tmp_path):
    table = long_table("binary")
    named = table.assign(seed=table["seed"].map({0: "b", 1: "a"})).set_index(["model", "row"])
    found = read_predictions([written(named, tmp_path / "a.parquet")], "binary")
    assert found.repeats.labels == ["a", "b"]
    plain = read_predictions([written(table, tmp_path / "b.parquet")], "binary")
    (start, end) = plain.bounds[0][2:]
    np.testing.assert_array_equal(found.y[-(len(found.y) // 2) :][: end - start], plain.y[start:end])


@pytest.mark.parametrize(
    ("drop", "unit", "labels", "folds", "ratio"),
    [
        ([], "seed", [0, 1], 2, 1.0),
        (["fold", "row"], "seed", [0, 1], 1, 0.0),
        (["seed", "row"], "fold", [1, 2], 1, 1.0),
        (["seed", "fold", "row"], "", [0], 1, 0.0),
    ],
)
def test_what_is_a_repeat(tmp_path, drop, unit, labels, folds, ratio):
    path = written(long_table("binary").drop(columns=drop), tmp_path / "a.parquet")
    repeats = read_predictions([path], "binary").repeats
    assert (repeats.unit, list(repeats.labels), repeats.folds, repeats.test_train_ratio) == (unit, labels, folds, ratio)
    told = read_predictions([path], "binary", test_share=0.2).repeats
    assert told.test_train_ratio == pytest.approx(0.25)


def test_side_information_is_what_remains_and_does_not_differ(tmp_path):
    table = long_table("binary").assign(price=lambda t: t["row"] * 2.0, seconds=lambda t: np.arange(len(t)), note=None)
    path = written(shuffled(table), tmp_path / "a.parquet")
    found = read_predictions([path], "binary", side=None)
    assert list(found.side.columns) == ["price", "note"]
    assert list(found.left_out) == ["seconds"]
    first = table[table["model"] == found.models[0]].sort_values(["seed", "fold", "row"])
    np.testing.assert_array_equal(found.side["price"], first["price"])
    assert read_predictions([path], "binary").side is None
    assert list(read_predictions([path], "binary", side=["price"]).side.columns) == ["price"]
