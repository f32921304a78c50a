"""The training stage: what a prediction cache holds and says about itself, and what it refuses."""

import contextlib
import itertools
import json
import sys

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
import sklearn

from uqalign.contracts.predictions import check_coverage, read_predictions
from uqalign.data.errors import DataError
from uqalign.data.splits import read_splits, write_splits
from uqalign.data.table import Table, write_table
from uqalign.files import METADATA_KEY, FileError
from uqalign.models.base import REGISTRY
from uqalign.provenance import code_digest, declaration_modules, modules_behind
from uqalign.stages.common import StaleCodeError
from uqalign.stages.train import run

N, FOLDS = 40, 2
NUMBER = itertools.count()

SPY = """
import numpy as np
from uqalign.models.base import Model

SEEN = []

def fit_predict(problem):
    SEEN.append((problem.seed, problem.target[problem.test].copy(), problem.target[problem.train].copy()))
    return (np.full(len(problem.test), 0.5),)

SPY = Model(name="spy", title="spy", tasks=frozenset({"binary"}), distribution="a coin", fit_predict=fit_predict)
SEER = Model(
    name="seer", title="seer", tasks=frozenset({"binary"}), distribution="a coin", fit_predict=fit_predict,
    sees_truth=True,
)
"""

SINGULAR = """
import numpy as np
from uqalign.models.base import Model

def fit_predict(problem):
    if problem.seed % 10 == 2:
        return (np.linalg.solve(np.ones((2, 2)), np.ones(2)),)
    return (np.full(len(problem.test), 0.25),)

MODEL = Model(name="singular", title="s", tasks=frozenset({"binary"}), distribution="0.25", fit_predict=fit_predict)
"""

WEIGHTED = """
from pathlib import Path
import numpy as np
from uqalign.models.base import Model

WEIGHTS = Path(__file__).with_suffix(".weights")

def fit_predict(problem):
    return (np.full(len(problem.test), float(WEIGHTS.read_text())),)

def identity(task):
    return {WEIGHTS.suffix: WEIGHTS.read_text()}

MODEL = Model(
    name="weighted", title="w", tasks=frozenset({"binary"}), distribution="p", fit_predict=fit_predict,
    identity=identity,
)
"""

BROKEN = """
from uqalign.models.base import Model

def fit_predict(problem):
    raise KeyError("a bug, not a numerical failure")

MODEL = Model(name="broken", title="b", tasks=frozenset({"binary"}), distribution="none", fit_predict=fit_predict)
"""

MODULE = """
from uqalign.models.modules import module_model

def make(columns, outputs):
    from torch import nn

    return nn.Sequential(nn.Linear(columns, 8), nn.Tanh(), nn.Linear(8, outputs))

MODEL = module_model("small", make, tasks=("binary",), epochs=3)
"""


def table(shift=0.0):
    rng = np.random.default_rng(0)
    x = rng.normal(size=N) + shift
    features = pd.DataFrame({"x": x, "letter": pd.Series(rng.choice(["a", "b", "c"], N), dtype=object)})
    return Table(
        name="toy",
        task="binary",
        features=features,
        target=(x - shift + 0.5 * rng.normal(size=N) > 0).astype(np.float64),
        classes=("no", "yes"),
        target_names=("y",),
        kinds={"x": "numeric", "letter": "categorical"},
    )


class Bench:
    """A data set with its splits, and the stage run on them as the workflow would."""

    def __init__(self, folder):
        self.folder, self.data, self.splits = folder, folder / "data.parquet", folder / "splits.parquet"
        self.place(table())

    def place(self, data):
        self.table = data
        write_table(data, self.data)
        write_splits(self.splits, data, n_folds=FOLDS, first_seed=0)

    def code(self, model):
        return code_digest("uqalign.stages.train", *declaration_modules(REGISTRY.get(model)))

    def train(self, model, *, seeds=(0, 1), folds=(1, FOLDS), threads=1, code=None, device=None, **spec):
        """Path of the cache and the lines that were told."""
        orders = {
            "task": "binary",
            "dataset": "toy",
            "model": model,
            "split": "shuffled",
            "n_folds": FOLDS,
            "seeds": list(seeds),
            "folds": list(folds),
            **spec,
        }
        token = f"seeds-{seeds[0]:03d}-{seeds[1]:03d}/folds-{folds[0]}-{folds[1]}.parquet"
        out = self.folder / model.replace(":", "_") / token
        lines = run(
            data=self.data,
            splits=self.splits,
            spec=json.dumps(orders),
            code=self.code(model) if code is None else code,
            out=out,
            threads=threads,
            device=device or (lambda: contextlib.nullcontext("cpu")),
        )
        return out, list(lines)


@pytest.fixture
def bench(tmp_path):
    return Bench(tmp_path)


@pytest.fixture
def declared(tmp_path, monkeypatch):
    """Writes a user's module and returns its name; each has its own, for digests are kept by name."""
    monkeypatch.syspath_prepend(tmp_path)

    def declare(text):
        name = f"own_model_{next(NUMBER)}"
        (tmp_path / f"{name}.py").write_text(text)
        return name

    return declare


def metadata(path):
    return json.loads(pq.read_schema(path).metadata[METADATA_KEY])


def frames_equal(a, b):
    pd.testing.assert_frame_equal(pq.read_table(a).to_pandas(), pq.read_table(b).to_pandas(), check_exact=True)


def test_a_cache_says_where_it_came_from(bench):
    path, lines = bench.train("logreg")
    found = metadata(path)
    assert found["kind"] == "predictions"
    assert (found["task"], found["width"]) == ("binary", 2)
    assert found["spec"]["model"] == "logreg"
    assert (found["spec"]["seeds"], found["spec"]["folds"]) == ([0, 1], [1, 2])
    assert found["code"] == bench.code("logreg")
    assert found["data_sha256"] == bench.table.digest
    assert found["versions"]["scikit-learn"] == sklearn.__version__
    assert found["versions"]["numpy"] == np.__version__
    assert {"python", "uqalign", "scipy", "pandas", "pyarrow"} <= set(found["versions"])
    assert found["device"] == "cpu"
    assert [(s["seed"], s["fold"], s["error"], s["rows"]) for s in found["splits"]] == [
        (seed, fold, "", N // FOLDS) for seed in (0, 1) for fold in (1, 2)
    ]
    assert all(s["seconds"] > 0 for s in found["splits"])
    assert [line.split(":")[0] for line in lines] == [
        f"[{done}/4] toy logreg seed {seed} fold {fold}"
        for done, (seed, fold) in enumerate(itertools.product((0, 1), (1, 2)), start=1)
    ]


@pytest.mark.parametrize(
    ("model", "expected"), [("gradient_boosting", "bitwise"), ("random_forest", "bitwise"), ("mlp", "tolerance")]
)
def test_a_cache_says_how_far_it_can_be_reproduced(bench, model, expected):
    path, _ = bench.train(model, seeds=(0, 0), folds=(1, 1))
    assert metadata(path)["reproducible"] == expected
    assert metadata(path)["versions"].keys() >= set(REGISTRY.get(model).libraries)
    before = path.rename(bench.folder / "before.parquet")
    path, _ = bench.train(model, seeds=(0, 0), folds=(1, 1))
    if expected == "bitwise":
        frames_equal(before, path)
    else:
        p, again = (pq.read_table(each)["p"].to_numpy() for each in (before, path))
        np.testing.assert_allclose(p, again, rtol=0, atol=1e-5)


@pytest.mark.parametrize("model", ["gradient_boosting", "random_forest", "logreg"])
def test_several_threads_give_the_predictions_of_one(bench, model):
    path, _ = bench.train(model)
    one = path.rename(bench.folder / "one.parquet")
    path, _ = bench.train(model, threads=3)
    frames_equal(one, path)


def test_every_row_is_predicted_once_per_seed_by_a_model_that_did_not_see_it(bench):
    path, _ = bench.train("logreg")
    cache = read_predictions(path)
    folds = {seed: read_splits(bench.splits, seed, table=bench.table) for seed in (0, 1)}
    check_coverage(path, cache, bench.table.target, folds)
    for seed in (0, 1):
        rows = np.concatenate([split.rows for split in cache.splits if split.seed == seed])
        np.testing.assert_array_equal(np.sort(rows), np.arange(N))


def test_only_a_model_that_declares_it_sees_test_labels(bench, declared):
    name = declared(SPY)
    path, _ = bench.train(f"{name}:SPY")
    seen = sys.modules[name].SEEN
    # Ten times the split's seed plus its fold.
    assert sorted(seed for seed, _, _ in seen) == [1, 2, 11, 12]
    for _, test, train in seen:
        assert np.isnan(test).all()
        assert np.isfinite(train).all()
    # What the cache says of them is the truth all the same.
    (first, *_) = read_predictions(path).splits
    np.testing.assert_array_equal(first.y, bench.table.target[first.rows])
    seen.clear()
    bench.train(f"{name}:SEER")
    assert all(np.isfinite(test).all() for _, test, _ in seen)


def test_splits_of_earlier_caches_are_taken_over(bench):
    small, _ = bench.train("logreg", seeds=(0, 0))
    path, lines = bench.train("logreg", seeds=(0, 1))
    assert lines[0] == "2 of 4 splits taken from earlier caches"
    assert [line.split(":")[0] for line in lines[1:]] == [
        f"[{done}/2] toy logreg seed 1 fold {done}" for done in (1, 2)
    ]
    old = {(s["seed"], s["fold"]): s for s in metadata(small)["splits"]}
    new = {(s["seed"], s["fold"]): s for s in metadata(path)["splits"]}
    assert {split: new[split] for split in old} == old
    frame = pq.read_table(path).to_pandas()
    part = frame[frame["seed"] == 0].reset_index(drop=True)
    pd.testing.assert_frame_equal(part, pq.read_table(small).to_pandas(), check_exact=True)
    # All together they are what one run without earlier caches gives.
    path = path.rename(bench.folder / "grown.parquet")
    small.unlink()
    whole, lines = bench.train("logreg", seeds=(0, 1))
    assert len(lines) == 4
    frames_equal(path, whole)


def test_a_range_within_an_earlier_cache_fits_nothing(bench):
    bench.train("mlp", folds=(1, 2), seeds=(0, 0))

    def device():
        raise AssertionError("nothing is left to fit: no device is needed")

    path, lines = bench.train("mlp", folds=(2, 2), seeds=(0, 0), device=device)
    assert lines == ["1 of 1 splits taken from earlier caches"]
    assert [(s["seed"], s["fold"]) for s in metadata(path)["splits"]] == [(0, 2)]
    assert metadata(path)["device"] == "cpu"


@pytest.mark.parametrize("change", ["data", "order", "damage"])
def test_caches_of_other_data_or_orders_are_not_taken_over(bench, change):
    path, _ = bench.train("logreg", seeds=(0, 0))
    other = {}
    if change == "data":
        bench.place(table(shift=1.0))
    elif change == "order":
        other["split"] = "grouped"
    else:
        path.write_bytes(path.read_bytes()[:100])
    _, lines = bench.train("logreg", seeds=(0, 1), **other)
    assert len(lines) == 4
    assert not [line for line in lines if "taken" in line]


def test_a_singular_fold_is_recorded_and_the_others_survive(bench, declared):
    """ngboost #306: one fold's `Singular matrix` took the whole job with it."""
    path, lines = bench.train(f"{declared(SINGULAR)}:MODEL")
    cache = read_predictions(path)
    errors = {(split.seed, split.fold): split.error for split in cache.splits}
    failed = "LinAlgError: Singular matrix"
    assert errors == {(0, 1): "", (0, 2): failed, (1, 1): "", (1, 2): failed}
    assert lines[1].endswith("fold 2: failed: LinAlgError: Singular matrix")
    for split in cache.splits:
        assert (split.prediction is None) == bool(split.error)
        assert split.prediction is None or (split.prediction[0] == 0.25).all()
    # A failure is a result: it is taken over like any other, and other models' caches are what they are.
    _, lines = bench.train(metadata(path)["spec"]["model"], seeds=(0, 0))
    assert lines == ["2 of 2 splits taken from earlier caches"]
    other, _ = bench.train("logreg")
    assert not [split for split in metadata(other)["splits"] if split["error"]]


def test_an_error_that_is_not_numerical_stops_the_job_and_leaves_no_file(bench, declared):
    name = declared(BROKEN)
    with pytest.raises(KeyError, match="a bug"):
        bench.train(f"{name}:MODEL")
    assert not list(bench.folder.rglob("folds-*.parquet"))


def test_code_that_changed_since_planning_is_refused(bench):
    with pytest.raises(
        StaleCodeError, match=r"uqalign\.models\.logreg changed since .* expected 0123.*snakemake again"
    ):
        bench.train("logreg", code="0123456789abcdef")
    assert not list(bench.folder.rglob("folds-*.parquet"))


def test_weights_in_a_file_are_part_of_the_job(bench, declared, tmp_path):
    name = declared(WEIGHTED)
    weights = tmp_path / f"{name}.weights"
    weights.write_text("0.25")
    old, _ = bench.train(f"{name}:MODEL", identity={".weights": "0.25"})
    assert metadata(old)["spec"]["identity"] == {".weights": "0.25"}
    weights.write_text("0.5")
    with pytest.raises(FileError, match=r'planned with \{".weights":"0.25"\}, but here is \{".weights":"0.5"\}'):
        bench.train(f"{name}:MODEL", identity={".weights": "0.25"})
    # Splits made with other weights are not taken over.
    new, lines = bench.train(f"{name}:MODEL", seeds=(0, 2), identity={".weights": "0.5"})
    assert not any("taken from earlier" in line for line in lines)
    assert set(pq.read_table(new)["p"].to_pylist()) == {0.5}


def test_a_users_module_is_part_of_the_code(bench, declared):
    one, other = declared(MODULE), declared(MODULE.replace("Tanh", "ReLU"))
    assert one in declaration_modules(REGISTRY.get(f"{one}:MODEL"))
    assert {one, "uqalign.models.modules", "uqalign.models.nets.module"} <= set(modules_behind(one))
    with pytest.raises(StaleCodeError, match=f"{other}, .* changed"):
        bench.train(f"{other}:MODEL", code=bench.code(f"{one}:MODEL"))
    path, _ = bench.train(f"{one}:MODEL", threads=2)
    assert metadata(path)["reproducible"] == "tolerance"
    assert not [split for split in metadata(path)["splits"] if split["error"]]


def test_the_device_is_held_while_fits_run_and_recorded(bench):
    told = []

    @contextlib.contextmanager
    def device():
        told.append("held")
        yield "cpu"
        told.append("given back")

    path, _ = bench.train("mlp", seeds=(0, 0), device=device)
    assert told == ["held", "given back"]
    assert metadata(path)["device"] == "cpu"
    # A model that cannot use another device never asks for one.
    bench.train("logreg", seeds=(0, 0), device=device)
    assert told == ["held", "given back"]


def test_splits_of_other_data_are_refused(bench):
    write_table(table(shift=1.0), bench.data)
    with pytest.raises(DataError, match="splits other data than the present table"):
        bench.train("logreg")
