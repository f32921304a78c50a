"""Preparation learns from training rows alone and treats every form of missing alike."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from uqalign.data.levels import level_names
from uqalign.data.preprocess import encode, prepare, prepare_rows

TRAIN, TEST = np.arange(4), np.arange(4, 7)


def frame(**columns: object) -> pd.DataFrame:
    return pd.DataFrame(columns)


def test_numbers_by_hand() -> None:
    features = frame(x=[1.0, 3.0, np.nan, 8.0, 2.0, np.nan, -1.0])
    train, test = prepare(features, {"x": "numeric"}, TRAIN, TEST, scale=False)
    np.testing.assert_array_equal(train[:, 0], [1, 3, 3, 8])
    np.testing.assert_array_equal(test[:, 0], [2, 3, -1])
    mean, std = np.mean([1, 3, 3, 8]), np.std([1, 3, 3, 8])
    train, test = prepare(features, {"x": "numeric"}, TRAIN, TEST, scale=True)
    np.testing.assert_allclose(train[:, 0], (np.array([1, 3, 3, 8]) - mean) / std, rtol=1e-15)
    np.testing.assert_allclose(test[:, 0], (np.array([2, 3, -1]) - mean) / std, rtol=1e-15)


def test_levels_by_hand() -> None:
    features = frame(c=["b", "a", "b", None, "a", "new", None])
    for scale in (False, True):
        train, test = prepare(features, {"c": "categorical"}, TRAIN, TEST, scale=scale)
        np.testing.assert_array_equal(train, [[0, 1], [1, 0], [0, 1], [0, 1]])
        np.testing.assert_array_equal(test, [[1, 0], [0, 0], [0, 1]])
        assert train.dtype == test.dtype == np.float64


def test_numbers_come_first_then_levels() -> None:
    features = frame(c=["a", "b", "a", "b", "a", "b", "a"], x=np.arange(7.0), d=["u"] * 7)
    train, _ = prepare(features, {"c": "categorical", "x": "numeric", "d": "categorical"}, TRAIN, TEST, scale=False)
    np.testing.assert_array_equal(train[:, 0], [0, 1, 2, 3])
    assert train.shape == (4, 4)


def test_every_form_of_missing_is_missing_at_training_and_at_prediction() -> None:
    """TabPFN #545, #108: pd.NA, None and NaN in one column."""
    features = frame(c=pd.Series(["a", "a", "b", pd.NA, pd.NA, None, np.nan, pd.NaT], dtype=object))
    train, test = prepare(features, {"c": "categorical"}, np.arange(5), np.arange(5, 8), scale=True)
    np.testing.assert_array_equal(train, [[1, 0], [1, 0], [0, 1], [1, 0], [1, 0]])
    np.testing.assert_array_equal(test, [[1, 0]] * 3)


def test_three_forms_of_missing_in_one_column_of_training_and_test() -> None:
    """TabPFN #545, #108: the same encoding for all three."""
    column = [pd.NA, "a", "b", None, np.nan]
    features = frame(c=pd.Series([*column, *column], dtype=object))
    for part in prepare(features, {"c": "categorical"}, np.arange(5), np.arange(5, 10), scale=True):
        assert part[0].tolist() == part[3].tolist() == part[4].tolist() == [1, 0]
        assert part[1:3].tolist() == [[1, 0], [0, 1]]


def test_missing_at_prediction_only() -> None:
    """scikit-learn #17406: missing is not an unknown level."""
    features = frame(c=["a", "a", "b", "b", "a", None, "z"], x=[1, 2, 3, 4, 5, np.nan, 7.0])
    _, test = prepare(features, {"c": "categorical", "x": "numeric"}, TRAIN, TEST, scale=False)
    np.testing.assert_array_equal(test, [[5, 1, 0], [2.5, 1, 0], [7, 0, 0]])


def test_a_column_missing_in_all_training_rows_stays_as_a_constant() -> None:
    features = frame(x=[np.nan] * 4 + [5.0, np.nan, 1.0], c=[None] * 4 + ["a", None, "b"])
    kinds = {"x": "numeric", "c": "categorical"}
    for scale in (False, True):
        train, test = prepare(features, kinds, TRAIN, TEST, scale=scale)
        assert train.shape[1] == test.shape[1] == 2
        assert len(np.unique(train, axis=0)) == 1
        assert np.isfinite(test).all()


def test_a_constant_column_is_safe_to_scale() -> None:
    features = frame(x=[7.0] * 4 + [7.0, 8.0, np.nan], tiny=[1e-300] * 7, huge=[1e100] * 7)
    train, test = prepare(features, dict.fromkeys(features, "numeric"), TRAIN, TEST, scale=True)
    np.testing.assert_array_equal(train, np.zeros((4, 3)))
    np.testing.assert_array_equal(test[:, 0], [0, 1, 0])


@pytest.mark.parametrize("future", [False, True], ids=["object strings", "pandas 3 strings"])
def test_columns_of_every_type_reach_the_encoder(future: bool) -> None:
    """pandas #61916, scikit-learn #31808: strings, categories, booleans and integer codes."""
    with pd.option_context("future.infer_string", future):
        features = frame(
            text=["u", "v", "u", None, "v"],
            category=pd.Categorical([3, 1, 3, 1, None], categories=[3, 1, 2]),
            flag=[True, False, True, True, False],
            maybe=pd.array([True, None, False, True, None], dtype="boolean"),
            code=[10, 20, 10, 20, 30],
            nullable=pd.array([1, None, 2, 1, 2], dtype="Int64"),
            number=pd.array([1, None, 3, 5, None], dtype="Int64"),
        )
        kinds = dict.fromkeys(features, "categorical") | {"number": "numeric"}
        train, test = prepare(features, kinds, np.arange(4), np.arange(4, 5), scale=False)
    assert train.shape == (4, 1 + 6 * 2)
    np.testing.assert_array_equal(train[:, 0], [1, 3, 3, 5])
    np.testing.assert_array_equal(test[0], [3, 0, 1, 1, 0, 1, 0, 0, 1, 0, 0, 0, 1])


def test_a_level_has_one_name_whatever_its_storage() -> None:
    assert level_names(pd.Series([1, 2])).tolist() == ["1", "2"]
    assert level_names(pd.Series([1.0, np.nan, 2.5])).tolist() == ["1", None, "2.5"]
    assert level_names(pd.array([1, None], dtype="Int64")).tolist() == ["1", None]
    assert level_names(pd.Series([True, 1, "1", 1.0, None], dtype=object)).tolist() == ["True", "1", "1", "1", None]
    assert level_names(pd.Series([-0.0, 0.0, np.inf])).tolist() == ["0", "0", "inf"]
    assert level_names(pd.Series([], dtype=object)).tolist() == []
    assert level_names(["Yes", "yes", " yes"]).tolist() == ["Yes", "yes", " yes"]


cells = st.one_of(st.none(), st.sampled_from(["a", "b", "c"]))
numbers = st.one_of(st.just(float("nan")), st.floats(-1e6, 1e6))


@settings(max_examples=60, deadline=None)
@given(
    rows=st.lists(st.tuples(numbers, cells), min_size=8, max_size=20),
    replacement=st.lists(st.tuples(numbers, cells), min_size=4, max_size=4),
    scale=st.booleans(),
)
def test_test_rows_teach_nothing(
    rows: list[tuple[float, str | None]], replacement: list[tuple[float, str | None]], scale: bool
) -> None:
    kinds = {"x": "numeric", "c": "categorical"}
    train, test = np.arange(4, len(rows)), np.arange(4)

    def prepared(some: list[tuple[float, str | None]]) -> tuple[np.ndarray, np.ndarray]:
        features = frame(x=[x for x, _ in some], c=pd.Series([c for _, c in some], dtype=object))
        return prepare(features, kinds, train, test, scale=scale)

    (fitted, first), (again, _) = prepared(rows), prepared([*replacement, *rows[4:]])
    np.testing.assert_array_equal(fitted, again)
    assert np.isfinite(fitted).all()
    # Nor does one test row teach another.
    one, _ = rows[0], rows[1]
    _, alone = prepared([one, *replacement[1:], *rows[4:]])
    np.testing.assert_array_equal(first[0], alone[0])


def test_masks_select_rows_too() -> None:
    features = frame(x=np.arange(7.0))
    mask = np.arange(7) < 4
    by_mask = prepare(features, {"x": "numeric"}, mask, ~mask, scale=True)
    by_place = prepare(features, {"x": "numeric"}, TRAIN, TEST, scale=True)
    np.testing.assert_array_equal(by_mask[0], by_place[0])
    np.testing.assert_array_equal(by_mask[1], by_place[1])


@pytest.mark.parametrize(
    ("features", "kinds", "message"),
    [
        (frame(x=[1.0] * 7), {}, "column 'x' is neither numeric nor categorical"),
        (frame(x=[1.0] * 7), {"x": "ordinal"}, "column 'x' is neither"),
        (frame(x=["a"] * 7), {"x": "numeric"}, "column 'x' is numeric, but holds"),
        (frame(x=[1.0, np.inf] + [0.0] * 5), {"x": "numeric"}, "column 'x', row 1 is infinite"),
    ],
)
def test_columns_that_cannot_be_prepared_are_named(features: pd.DataFrame, kinds: dict[str, str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        prepare(features, kinds, TRAIN, TEST, scale=True)


def test_no_rows() -> None:
    features = frame(x=np.arange(7.0))
    with pytest.raises(ValueError, match="no training rows"):
        prepare(features, {"x": "numeric"}, np.array([], dtype=int), TEST, scale=True)
    _, test = prepare(features, {"x": "numeric"}, TRAIN, np.array([], dtype=int), scale=True)
    assert test.shape == (0, 1)


@pytest.mark.parametrize("scale", [False, True])
def test_it_is_what_scikit_learns_transformers_do(scale: bool) -> None:
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    rng = np.random.default_rng(0)
    n = 200
    gaps = rng.uniform(size=(n, 2)) < 0.2
    features = frame(
        x=np.where(gaps[:, 0], np.nan, rng.normal(50, 10, n)),
        y=rng.lognormal(0, 3, n),
        constant=np.full(n, 0.1),
        c=np.where(gaps[:, 1], None, rng.choice(["u", "v", "w", "rare"], n, p=[0.4, 0.3, 0.28, 0.02])),
    )
    kinds = {"x": "numeric", "y": "numeric", "constant": "numeric", "c": "categorical"}
    order = rng.permutation(n)
    train, test = order[:120], order[120:]
    numbers = [SimpleImputer(strategy="median"), *([StandardScaler()] if scale else [])]
    levels = [
        SimpleImputer(strategy="most_frequent", missing_values=None),
        OneHotEncoder(handle_unknown="ignore", sparse_output=False),
    ]
    reference = ColumnTransformer(
        [("numbers", make_pipeline(*numbers), ["x", "y", "constant"]), ("levels", make_pipeline(*levels), ["c"])]
    ).fit(features.iloc[train])
    for found, rows in zip(prepare(features, kinds, train, test, scale=scale), (train, test), strict=True):
        np.testing.assert_allclose(found, reference.transform(features.iloc[rows]), rtol=1e-12, atol=1e-12)


def test_a_frame_is_encoded_once_for_all_its_splits() -> None:
    features = frame(x=[1.0, 3.0, np.nan, 8.0, 2.0, np.nan, -1.0], c=list("abcabca"))
    kinds = {"x": "numeric", "c": "categorical"}
    encoded = encode(features, kinds)
    for train, test in ((TRAIN, TEST), (TEST, TRAIN)):
        for a, b in zip(
            prepare_rows(encoded, train, test, scale=True),
            prepare(features, kinds, train, test, scale=True),
            strict=True,
        ):
            np.testing.assert_array_equal(a, b)


def test_splits_and_preparation_reproduce_the_published_predictions() -> None:
    """The published logistic regression on heart: same rows, same folds, same numbers."""
    published, data_dir = os.environ.get("UQALIGN_PUBLISHED_DIR"), os.environ.get("UQALIGN_DATA_DIR")
    if not published or not data_dir:
        pytest.skip("UQALIGN_PUBLISHED_DIR or UQALIGN_DATA_DIR is not set")
    from sklearn.linear_model import LogisticRegression

    from uqalign.data.load import load
    from uqalign.data.registry import resolve
    from uqalign.data.splits import fold_assignment

    runs = pd.read_parquet(Path(published) / "reference_run" / "predictions_heart_complete.parquet")
    runs = runs[runs.model == "LogReg"]
    table = load(resolve("heart_complete"), data_dir=data_dir, download_dir="unused")
    checked = 0
    for repeat in sorted(runs.repeat.unique()):
        folds = fold_assignment(table, n_folds=5, seed=repeat)
        for fold in range(1, 6):
            expected = runs[(runs.repeat == repeat) & (runs.fold == fold)]
            train, test = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
            np.testing.assert_array_equal(test, expected.test_idx)
            np.testing.assert_array_equal(table.target[test], expected.y_true)
            x_train, x_test = prepare(table.features, table.kinds, train, test, scale=True)
            model = LogisticRegression(C=1, max_iter=1000).fit(x_train, table.target[train])
            np.testing.assert_allclose(model.predict_proba(x_test)[:, 1], expected.p, rtol=0, atol=1e-9)
            checked += len(test)
    assert checked == 2 * 297


def test_the_published_least_squares_means_are_reproduced_too() -> None:
    """Regression folds, row order and kinds on auto_mpg: origin counts as a number there."""
    published, data_dir = os.environ.get("UQALIGN_PUBLISHED_DIR"), os.environ.get("UQALIGN_DATA_DIR")
    if not published or not data_dir:
        pytest.skip("UQALIGN_PUBLISHED_DIR or UQALIGN_DATA_DIR is not set")
    from uqalign.data.load import load
    from uqalign.data.registry import resolve
    from uqalign.data.splits import fold_assignment

    runs = pd.read_parquet(Path(published) / "reference_run" / "predictions_auto_mpg.parquet")
    runs = runs[runs.model == "LinReg"]
    table = load(resolve("auto_mpg"), data_dir=data_dir, download_dir="unused")
    for (repeat, fold), expected in runs.groupby(["repeat", "fold"]):
        folds = fold_assignment(table, n_folds=5, seed=repeat)
        train, test = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        np.testing.assert_array_equal(test, expected.test_idx)
        np.testing.assert_array_equal(table.target[test], expected.y_true)
        x_train, x_test = prepare(table.features, table.kinds, train, test, scale=True)
        design, ones = np.column_stack([np.ones(len(train)), x_train]), np.ones(len(test))
        weights = np.linalg.lstsq(design, table.target[train], rcond=None)[0]
        np.testing.assert_allclose(np.column_stack([ones, x_test]) @ weights, expected.mu, rtol=0, atol=1e-9)
