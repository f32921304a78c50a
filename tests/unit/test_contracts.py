"""Prediction caches: what is written is read back, and whatever else is refused by name."""

import dataclasses
import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from uqalign.contracts.prediction_stream import stream_predictions
from uqalign.contracts.predictions import Cache, SplitResult, check_coverage, read_predictions, write_predictions
from uqalign.files import METADATA_KEY, FileError
from uqalign.tasks import TASKS

RNG = np.random.default_rng(0)
WIDTH = {"binary": 2, "multiclass": 3, "regression": 1, "multivariate": 2}
SPEC = {"task": "binary", "model": "mlp", "seeds": [0, 0], "folds": [1, 2]}


def prediction(task, n):
    match task:
        case "binary":
            return (RNG.uniform(size=n),)
        case "multiclass":
            return (RNG.dirichlet(np.ones(3), size=n),)
        case "regression":
            return RNG.normal(size=n), RNG.uniform(0.1, 1, size=n)
        case "multivariate":
            factor = RNG.normal(size=(n, 2, 2))
            return RNG.normal(size=(n, 2)), factor @ factor.transpose(0, 2, 1)


def target(task, n):
    if task == "multivariate":
        return RNG.normal(size=(n, 2))
    return RNG.integers(0, WIDTH[task], size=n).astype(float)


def streamed(path, spec=SPEC, code="abc"):
    stream = stream_predictions(path, spec=spec, code=code)
    return Cache(stream.task, stream.width, list(stream), stream.provenance)


READERS = [read_predictions, streamed]
FOLDS = {0: np.array([1, 2, 1, 2, 1, 2])}


def cache(task="binary"):
    y = target(task, 6)
    splits = [
        SplitResult(0, fold, rows, y[rows], prediction(task, 3), seconds=0.5)
        for fold, rows in ((1, np.array([0, 2, 4])), (2, np.array([1, 3, 5])))
    ]
    return Cache(task, WIDTH[task], splits, {"spec": SPEC, "code": "abc"}), y


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize("task", TASKS)
def test_round_trip_is_exact(tmp_path, task, read):
    original, y = cache(task)
    path = tmp_path / "p.parquet"
    write_predictions(path, original)
    found = read(path, spec=SPEC, code="abc")
    assert (found.task, found.width) == (task, WIDTH[task])
    for before, after in zip(original.splits, found.splits, strict=True):
        assert (before.seed, before.fold, before.seconds) == (after.seed, after.fold, after.seconds)
        np.testing.assert_array_equal(before.rows, after.rows)
        np.testing.assert_array_equal(before.y, after.y)
        for a, b in zip(before.prediction, after.prediction, strict=True):
            # A covariance is stored by its lower triangle.
            np.testing.assert_allclose(a, b, rtol=1e-15)
    check_coverage(path, found, y, FOLDS)


@pytest.mark.parametrize("read", READERS)
def test_a_failed_fit_is_a_result(tmp_path, read):
    original, y = cache()
    failed = dataclasses.replace(original.splits[0], prediction=None, error="LinAlgError: singular")
    path = tmp_path / "p.parquet"
    write_predictions(path, dataclasses.replace(original, splits=[original.splits[1], failed]))
    found = read(path)
    assert [split.error for split in found.splits] == ["LinAlgError: singular", ""]
    assert found.splits[0].prediction is None
    check_coverage(path, found, y, FOLDS)
    write_predictions(path, dataclasses.replace(original, splits=[failed]))
    assert read(path).splits[0].error


def test_a_stream_cuts_splits_wherever_its_batches_end(tmp_path, monkeypatch):
    rows, folds = 700, np.arange(700) % 3 + 1
    y = target("multiclass", rows)
    splits = [
        SplitResult(seed, fold, mine, y[mine], prediction("multiclass", len(mine)))
        for seed in (3, 4)
        for fold in (1, 2, 3)
        for mine in [np.flatnonzero(folds == fold)]
    ]
    path = tmp_path / "p.parquet"
    write_predictions(path, Cache("multiclass", 3, splits, {"spec": SPEC, "code": "abc"}))
    monkeypatch.setattr("uqalign.contracts.prediction_stream.BATCH_ROWS", 100)
    found = streamed(path)
    assert [(split.seed, split.fold) for split in found.splits] == [
        (seed, fold) for seed in (3, 4) for fold in (1, 2, 3)
    ]
    for before, after in zip(splits, found.splits, strict=True):
        np.testing.assert_array_equal(before.rows, after.rows)
        np.testing.assert_array_equal(before.prediction[0], after.prediction[0])
    rewrite(path, lambda f: pd.concat([f, f.tail(1)]))
    with pytest.raises(FileError, match="rows beyond its last split, of seed 4 fold 3"):
        streamed(path)


def rewrite(path, change=None, metadata=None):
    """Rewrite a cache with changed columns or metadata, as a foreign program might."""
    table = pq.read_table(path)
    frame, meta = table.to_pandas(), json.loads(table.schema.metadata[METADATA_KEY])
    frame = change(frame) if change else frame
    meta.update(metadata or {})
    new = pa.Table.from_pandas(frame, preserve_index=False)
    pq.write_table(new.replace_schema_metadata({METADATA_KEY: json.dumps(meta)}), path)


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f: f.assign(p=f["p"] + 2), r"seed 0, fold 1: p\[0\] = .* must be a probability"),
        (lambda f: f.assign(p=f["p"].where(f.index != 4)), "seed 0, fold 2: the prediction holds NaN"),
        (lambda f: f.drop(index=0), "seed 0, fold 1: 2 rows, expected 3"),
        (lambda f: f.assign(row=0), "repeated or out of order"),
        (lambda f: f.drop(columns="p"), r"has columns \['seed', 'fold', 'row', 'y'\], expected"),
        (lambda f: f.assign(seed=f["seed"].where(f.index != 5, 7)), "seed 0, fold 2: 2 rows"),
    ],
    ids=["range", "nan", "missing row", "repeated row", "column", "foreign split"],
)
def test_a_tampered_cache_is_refused(tmp_path, change, message, read):
    path = tmp_path / "p.parquet"
    write_predictions(path, cache()[0])
    rewrite(path, change)
    with pytest.raises(FileError, match=message) as caught:
        read(path)
    assert f"rm {path}" in str(caught.value)


@pytest.mark.parametrize("read", READERS)
def test_a_cache_from_another_job_or_other_code_is_refused(tmp_path, read):
    path = tmp_path / "p.parquet"
    write_predictions(path, cache()[0])
    with pytest.raises(FileError, match=r"comes from another job .*model is 'mlp', expected 'logreg'"):
        read(path, spec={**SPEC, "model": "logreg"})
    with pytest.raises(FileError, match=r"made by other code \(digest abc, expected def"):
        read(path, spec=SPEC, code="def")
    rewrite(path, metadata={"kind": "scores"})
    with pytest.raises(FileError, match="holds 'scores', not predictions"):
        read(path)


def test_coverage_is_checked_against_the_data_and_its_splits(tmp_path):
    original, y = cache()
    path = tmp_path / "p.parquet"
    with pytest.raises(FileError, match="seed 0, fold 1: its rows are not the test rows"):
        check_coverage(path, original, y, {0: np.array([2, 2, 1, 2, 1, 2])})
    wrong = y.copy()
    wrong[3] = 1 - wrong[3]
    with pytest.raises(FileError, match="fold 2: the label of row 3 is not the data set's"):
        check_coverage(path, original, wrong, FOLDS)


def test_the_writer_refuses_what_the_reader_would(tmp_path):
    original, _ = cache()
    broken = dataclasses.replace(original.splits[0], prediction=(np.array([0.1, 0.2, 1.5]),))
    with pytest.raises(ValueError, match=r"p\[2\] = .*1\.5"):
        write_predictions(tmp_path / "p.parquet", dataclasses.replace(original, splits=[broken]))
    assert not list(tmp_path.iterdir())
