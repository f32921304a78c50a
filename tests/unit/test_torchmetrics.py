"""Streaming metrics: any split into batches and replicas gives the mean over all rows."""

import itertools
import math
import pickle
import subprocess
import sys

import numpy as np
import pytest

torch = pytest.importorskip("torch")
torchmetrics = pytest.importorskip("torchmetrics")

from uqalign import metrics, pwu  # noqa: E402
from uqalign import torchmetrics as streaming  # noqa: E402

N = 101


def binary():
    rng = np.random.default_rng(0)
    return (rng.random(N), rng.integers(0, 2, N))


def multiclass():
    rng = np.random.default_rng(0)
    return (rng.dirichlet(np.ones(4), N), rng.integers(0, 4, N))


def gaussian():
    rng = np.random.default_rng(0)
    return (rng.normal(size=N), rng.gamma(1, 1, N), rng.normal(size=N))


CASES = {
    "log score": (streaming.LogScore, binary, metrics.log_score, {}),
    "multiclass log score": (streaming.LogScore, multiclass, metrics.log_score, {}),
    "brier": (streaming.BrierScore, multiclass, metrics.brier_score, {}),
    "error": (streaming.ErrorRate, binary, metrics.error_rate, {}),
    "pwu_c": (streaming.BinaryDecisionPWU, binary, pwu.binary_decision_pwu, {"prior": "beta:3,9"}),
    "pwu_jc": (streaming.OneVsRestPWU, multiclass, pwu.one_vs_rest_pwu, {"prior": "beta:3,9"}),
    "gaussian nll": (streaming.GaussianNLL, gaussian, metrics.gaussian_nll, {}),
    "crps": (streaming.GaussianCRPS, gaussian, metrics.crps_gaussian, {}),
    "pwu_lambda": (
        streaming.SelectivePWU,
        gaussian,
        pwu.selective_pwu,
        {"target_variance": 2.0, "prior": "beta:3,9"},
    ),
}
EACH = pytest.mark.parametrize(("kind", "problem", "function", "options"), CASES.values(), ids=CASES)


def value_of(function, data, options, **weights):
    *prediction, target = data
    return function(target, *prediction, **options, **weights)


def parts(data, *sizes):
    edges = np.concatenate([[0], np.cumsum(sizes)])
    return [tuple(torch.as_tensor(array[a:b]) for array in data) for a, b in itertools.pairwise(edges)]


@EACH
@pytest.mark.parametrize("sizes", [(N,), (1,) * N, (50, 51), (90, 10, 1)])
def test_batches_do_not_matter(kind, problem, function, options, sizes):
    data = problem()
    metric = kind(**options)
    for batch in parts(data, *sizes):
        metric.update(*batch)
    result = metric.compute()
    assert result.dtype == torch.float64
    assert result.item() == pytest.approx(value_of(function, data, options), rel=1e-14)


@EACH
def test_merged_replicas_give_the_mean_over_all_rows(kind, problem, function, options):
    data = problem()
    first, second = kind(**options), kind(**options)
    for metric, batch in zip((first, second), parts(data, 30, 71), strict=True):
        metric.update(*batch)
    first.merge_state(second)
    assert first.compute().item() == pytest.approx(value_of(function, data, options), rel=1e-14)


@EACH
def test_distributed_reduction_sums_the_states(kind, problem, function, options):
    data = problem()
    ours, theirs = parts(data, 30, 71)
    other = kind(**options)
    other.update(*theirs)
    gathered = iter([other.total, other.weight])
    metric = kind(
        **options,
        dist_sync_fn=lambda state, group=None: [state, next(gathered)],
        distributed_available_fn=lambda: True,
    )
    metric.update(*ours)
    assert metric.compute().item() == pytest.approx(value_of(function, data, options), rel=1e-14)


@EACH
def test_weights(kind, problem, function, options):
    data = problem()
    w = np.random.default_rng(1).integers(0, 3, N)
    metric = kind(**options)
    for batch, weight in zip(parts(data, 30, 71), parts((w,), 30, 71), strict=True):
        metric.update(*batch, sample_weight=weight[0])
    expected = value_of(function, data, options, sample_weight=w)
    assert metric.compute().item() == pytest.approx(expected, rel=1e-13)


@EACH
def test_forward_gives_the_batch_and_keeps_the_total(kind, problem, function, options):
    data = problem()
    metric = kind(**options)
    for batch in parts(data, 30, 71):
        arrays = tuple(array.numpy() for array in batch)
        assert metric(*batch).item() == pytest.approx(value_of(function, arrays, options), rel=1e-14)
    assert metric.compute().item() == pytest.approx(value_of(function, data, options), rel=1e-14)
    metric.reset()
    assert metric.total == 0
    assert metric.weight == 0
    assert pickle.loads(pickle.dumps(metric)).options == metric.options


def test_float32_batches_are_summed_in_float64():
    p = torch.full((1000,), 0.1, dtype=torch.float32, requires_grad=True)
    metric = streaming.BrierScore()
    for _ in range(50):
        metric.update(p, torch.zeros(1000, dtype=torch.int64))
    assert metric.compute().item() == pytest.approx(float(np.float32(0.1)) ** 2, rel=1e-14)


def test_in_a_collection():
    p, y = (torch.as_tensor(array) for array in binary())
    together = torchmetrics.MetricCollection([streaming.LogScore(), streaming.BinaryDecisionPWU()])
    together.update(p, y)
    assert set(together.compute()) == {"LogScore", "BinaryDecisionPWU"}


def test_no_rows_give_nan_and_impossible_events_infinity():
    metric = streaming.LogScore()
    with pytest.warns(UserWarning, match="compute"):
        assert math.isnan(metric.compute())
    metric.update(torch.tensor([0.0]), torch.tensor([1]))
    assert metric.compute() == math.inf


def test_rows_of_weight_zero_are_not_looked_at():
    metric = streaming.LogScore()
    metric.update(torch.tensor([0.5, math.nan]), torch.tensor([1, 0]), sample_weight=torch.tensor([1.0, 0.0]))
    assert metric.compute().item() == pytest.approx(math.log(2))


def test_bad_input_is_named():
    with pytest.raises(ValueError, match=r"p\[1\] = .*1.5"):
        streaming.LogScore().update(torch.tensor([0.5, 1.5]), torch.tensor([1, 0]))
    with pytest.raises(TypeError, match="target_variance"):
        streaming.SelectivePWU()


def test_missing_packages_are_named():
    code = (
        "import sys; sys.modules['torchmetrics'] = None\n"
        "try: import uqalign.torchmetrics\n"
        "except ImportError as error: print(error)"
    )
    told = subprocess.check_output([sys.executable, "-c", code], text=True)
    assert "pip install 'uqalign[torchmetrics]'" in told
