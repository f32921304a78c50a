"""Measures of an epoch against scikit-learn, and the epoch file that carries its predictions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, f1_score, log_loss

from uqalign.files import FileError
from uqalign.metrics import brier_score
from uqalign.pwu import one_vs_rest_pwu
from uqalign.scoring_rules import penalised_score
from uqalign.superiority.cache import read_epochs, read_metadata, write_epochs
from uqalign.superiority.measures import MEASURES, macro_f1, measure
from uqalign.superiority.regimes import Split
from uqalign.superiority.selection import monitors, penalty_grid
from uqalign.superiority.training import Run


def forecasts(n: int = 400, classes: int = 5, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.full(classes, 0.7), size=n)
    return np.array([rng.choice(classes, p=row) for row in p]), p


def test_against_scikit_learn() -> None:
    y, p = forecasts()
    found = measure(y, p)
    assert tuple(found) == MEASURES
    predicted = p.argmax(axis=1)
    assert found["macro_f1"] == pytest.approx(f1_score(y, predicted, average="macro"), rel=1e-13)
    assert found["error"] == pytest.approx(1 - accuracy_score(y, predicted), rel=1e-13)
    assert found["log"] == pytest.approx(log_loss(y, p), rel=1e-12)
    assert found["brier"] == pytest.approx(brier_score(y, p), rel=1e-13)
    assert found["pwu"] == pytest.approx(one_vs_rest_pwu(y, p), rel=1e-13)


def test_expected_calibration_error_by_hand() -> None:
    y, p = forecasts(n=150)
    confidence, right = p.max(axis=1), p.argmax(axis=1) == y
    order = np.argsort(confidence, kind="stable")
    gaps = [abs(confidence[part].mean() - right[part].mean()) for part in np.array_split(order, 15)]
    assert measure(y, p)["ece"] == pytest.approx(np.mean(gaps), rel=1e-12)


def test_macro_f1_leaves_out_classes_that_nobody_saw() -> None:
    y, predicted = np.array([0, 0, 2, 2]), np.array([0, 2, 2, 2])
    assert macro_f1(y, predicted, 5) == pytest.approx(f1_score(y, predicted, average="macro"))
    assert macro_f1(np.array([1]), np.array([0]), 3) == 0


def test_ties_and_certain_predictions() -> None:
    y = np.array([0, 1, 2])
    p = np.array([[0.5, 0.5, 0], [0.5, 0.5, 0], [0, 0, 1.0]])
    found = measure(y, p)
    assert found["error"] == pytest.approx(1 / 3)  # a tie predicts the first class
    assert found["near_tie"] == pytest.approx(2 / 3)
    assert found["margin"] == pytest.approx(1 / 3)
    assert found["log"] == pytest.approx(2 * np.log(2) / 3)
    impossible = measure(np.array([1]), np.array([[1.0, 0, 0]]))
    assert impossible["log"] == pytest.approx(-np.log(np.finfo(float).eps))


@pytest.mark.parametrize("base", ["brier", "log"])
def test_a_monitor_is_the_penalised_score(base: str) -> None:
    y, p = forecasts()
    found = {name: np.array([value]) for name, value in measure(y, p).items()}
    grid = penalty_grid(5, base)
    watched = {m.point: m.watch(found)[0] for m in monitors(5) if m.kind == "penalised" and m.base == base}
    assert set(watched) == set(grid)
    for point, penalty in grid.items():
        assert watched[point] == pytest.approx(penalised_score(y, p, base=base, penalty=penalty), rel=1e-12)


def runs(epochs: int = 3, seeds: int = 2, classes: int = 4) -> tuple[list[Run], np.ndarray]:
    labels = np.arange(20) % classes
    made = []
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        validation, test = np.sort(rng.choice(15, 6, replace=False)), np.arange(15, 20)
        p = rng.dirichlet(np.ones(classes), size=(epochs, 11)).astype(np.float32)
        made.append(Run(seed, Split(np.arange(5), labels[:5], validation, test), p))
    return made, labels


def test_epochs_survive_their_file(tmp_path: Path) -> None:
    made, labels = runs()
    path = tmp_path / "cell.parquet"
    write_epochs(path, made[::-1], labels, {"spec": {"a": 1}, "code": "x"})
    assert read_metadata(path)["spec"] == {"a": 1}
    read = list(read_epochs(path))
    assert [(e.seed, e.epoch) for e in read] == [(s, e) for s in (0, 1) for e in (1, 2, 3)]
    for epoch in read:
        run = made[epoch.seed]
        np.testing.assert_array_equal(epoch.y, labels[run.split.validation])
        np.testing.assert_array_equal(epoch.y_test, labels[run.split.test])
        np.testing.assert_allclose(np.concatenate([epoch.p, epoch.p_test]), run.p[epoch.epoch - 1], rtol=2e-7)
        np.testing.assert_allclose(epoch.p.sum(axis=1), 1, rtol=1e-15)


def test_damaged_epoch_files(tmp_path: Path) -> None:
    made, labels = runs()
    path = tmp_path / "cell.parquet"
    with pytest.raises(FileError, match="does not exist"):
        read_metadata(path)
    write_epochs(path, made, labels, {})
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(FileError, match="damaged"):
        read_metadata(path)
    made[0].p[1, 2] = np.nan
    write_epochs(path, made, labels, {})
    with pytest.raises(FileError, match="row group 1: rows that are no probabilities"):
        list(read_epochs(path))
