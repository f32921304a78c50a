"""Projected times."""

import math

import numpy as np
import pytest
from typer.testing import CliRunner

from uqalign.cli import app
from uqalign.config import Config
from uqalign.contracts.predictions import Cache, SplitResult, write_predictions
from uqalign.estimates import Record, dataset_sizes, estimate, read_records
from uqalign.jobs import Plan

PLAN = Plan(Config(datasets=["iris", "wine"], models=["logreg", "random_forest"], seeds=10))
SIZES = dataset_sizes(PLAN)


def record(model, dataset, seconds, device="cpu"):
    return Record(model, dataset, device, SIZES[dataset], seconds, 5)


def by_key(found):
    return {(e.model, e.dataset, e.device): e for e in found}


def test_recorded_times_are_used_as_they_are():
    found = by_key(estimate(PLAN, [record("logreg", "iris", 0.72)]))
    entry = found["logreg", "iris", "cpu"]
    assert (entry.fits, entry.seconds, entry.basis) == (50, 0.72, "recorded")
    assert entry.hours == pytest.approx(0.01)
    assert found["random_forest", "iris", "cpu"].basis == "unknown"


def test_one_size_is_scaled_in_proportion():
    found = by_key(estimate(PLAN, [record("logreg", "iris", 1.0)]))
    entry = found["logreg", "wine", "cpu"]
    assert entry.basis == "scaled"
    assert entry.seconds == pytest.approx(178 * 13 / (150 * 4))


def test_two_sizes_give_the_exponent():
    law = {name: 2e-4 * SIZES[name] ** 1.5 for name in ("iris", "sonar")}
    found = by_key(estimate(PLAN, [record("logreg", name, seconds) for name, seconds in law.items()]))
    assert found["logreg", "wine", "cpu"].seconds == pytest.approx(2e-4 * SIZES["wine"] ** 1.5)


def test_devices_are_kept_apart():
    found = by_key(estimate(PLAN, [record("logreg", "iris", 1.0), record("logreg", "iris", 0.1, "cuda")]))
    assert found["logreg", "iris", "cpu"].seconds == 1.0
    assert found["logreg", "iris", "cuda"].seconds == 0.1


def test_times_are_read_from_caches(tmp_path):
    rows, y = np.arange(3), np.array([0.0, 1.0, 1.0])
    splits = [
        SplitResult(0, 1, rows, y, (y,), seconds=2.0),
        SplitResult(0, 2, rows, y, (y,), seconds=4.0),
        SplitResult(0, 3, rows, y, None, "failed", seconds=100.0),
    ]
    path = tmp_path / "predictions/binary/sonar/mlp/seeds-000-000/folds-1-3.parquet"
    write_predictions(path, Cache("binary", 2, splits, {"device": "cuda:1"}))
    (tmp_path / "predictions/binary/sonar/mlp/seeds-000-000/folds-4-5.parquet").write_bytes(b"broken")
    assert read_records(tmp_path, {"sonar": 7.0}) == [Record("mlp", "sonar", "cuda", 7.0, 3.0, 2)]


def test_unknown_sizes_stay_unknown():
    found = by_key(estimate(PLAN, [Record("logreg", "elsewhere", "cpu", math.nan, 1.0, 1)]))
    assert found["logreg", "iris", "cpu"].basis == "unknown"


def test_the_command_says_what_it_does_not_know(tmp_path):
    config = tmp_path / "config.yaml"
    config.write_text("datasets: [iris]\nmodels: [logreg, random_forest]\n")
    shown = CliRunner().invoke(app, ["estimate", "--configfile", str(config), "--results", str(tmp_path)])
    assert shown.exit_code == 0, shown.output
    assert "no time is known for logreg, random_forest" in shown.output.replace("\n", " ")
