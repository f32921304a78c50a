"""Selection of the epoch to keep."""

import json
import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from uqalign.checkpoints import CheckpointSelector, Epoch
from uqalign.checks import UndefinedMetricWarning
from uqalign.errors import UserError
from uqalign.metrics import brier_score
from uqalign.metrics.registry import get
from uqalign.registry import UnknownNameError
from uqalign.scoring_rules import penalised_score


def fed(values, metric="nll", **options):
    selector = CheckpointSelector(metric, task="binary", **options)
    kept = [selector.update_value(value) for value in values]
    return selector, kept


def test_best_without_stopping_early():
    # keras #12511, tensorflow #35634: the best epoch counts even if training runs to its end.
    selector = CheckpointSelector("nll", task="binary", patience=5)
    for epoch, loss in ((1, 3.0), (2, 1.0), (3, 2.0)):
        selector.update_value(loss, epoch=epoch)
    assert not selector.should_stop
    assert selector.best == Epoch(2, 1.0)


def test_orientation():
    values = [0.6, 0.9, 0.8]
    assert fed(values, "accuracy")[0].best.epoch == 1
    assert fed(values, "nll")[0].best.epoch == 0


def test_ties():
    values = [0.5, 0.4, 0.4, 0.6, 0.4]
    assert fed(values)[0].best.epoch == 1
    last, kept = fed(values, ties="last")
    assert last.best.epoch == 4
    assert kept == [True, True, True, False, True]
    # A repeated best value is no progress.
    assert last.waited == fed(values)[0].waited == 3


def test_patience():
    selector = CheckpointSelector("nll", task="binary", patience=2)
    stops = []
    for value in (1.0, 0.9, 0.95, 0.8, 0.85, 0.9):
        selector.update_value(value)
        stops.append(selector.should_stop)
    assert stops == [False] * 5 + [True]
    assert not fed([1.0] * 100)[0].should_stop


def test_min_delta_delays_stopping_alone():
    selector, kept = fed([1.0, 0.99, 0.98, 0.97], patience=2, min_delta=0.05)
    assert kept == [True] * 4
    assert selector.should_stop
    assert selector.best.epoch == 3
    # Many small steps add up to progress.
    assert not fed([1.0, 0.97, 0.94], patience=2, min_delta=0.05)[0].should_stop


def test_undefined_and_infinite_values():
    selector, kept = fed([math.nan, math.inf, 1.0, math.nan, -math.inf], patience=9)
    assert kept == [False, True, True, False, True]
    assert selector.best.epoch == 4
    assert fed([1.0, math.nan, math.nan], patience=2)[0].should_stop
    nothing, _ = fed([math.nan])
    with pytest.raises(UserError, match="among 1: the metric 'nll' was undefined"):
        _ = nothing.best
    with pytest.raises(UserError, match="among 0: none yet"):
        _ = CheckpointSelector("nll", task="binary").best


@given(
    st.lists(st.one_of(st.just(math.nan), st.integers(0, 6).map(float)), min_size=1, max_size=25),
    st.integers(1, 4),
    st.sampled_from(["first", "last"]),
    st.sampled_from(["nll", "accuracy"]),
)
def test_against_a_look_at_the_whole_history(values, patience, ties, metric):
    selector = CheckpointSelector(metric, task="binary", patience=patience, ties=ties)
    for n, value in enumerate(values, start=1):
        selector.update_value(value)
        sign = -1 if metric == "accuracy" else 1
        losses = [sign * v for v in values[:n]]
        defined = [v for v in losses if not math.isnan(v)]
        if not defined:
            continue
        places = [i for i, v in enumerate(losses) if v == min(defined)]
        assert selector.best.epoch == (places[0] if ties == "first" else places[-1])
        assert selector.should_stop == (n - 1 - places[0] >= patience)


def test_predictions_of_every_task():
    rng = np.random.default_rng(0)
    y, p = rng.integers(0, 3, 40), rng.dirichlet(np.ones(3), (3, 40))
    selector = CheckpointSelector("brier_infimal", task="multiclass")
    for epoch in range(3):
        selector.update(y, p[epoch])
    losses = [penalised_score(y, p[epoch]) for epoch in range(3)]
    assert [entry.value for entry in selector.history] == losses
    assert selector.best.epoch == int(np.argmin(losses))

    mean, var = rng.normal(size=40), np.ones(40)
    regression = CheckpointSelector("nll", task="regression")
    regression.update(mean, mean + 1, var)
    regression.update(mean, mean, var)
    assert regression.best.epoch == 1

    weighted = CheckpointSelector(get("binary", "brier"))
    q, w = rng.random(40), rng.random(40)
    weighted.update(y > 0, q, sample_weight=w)
    assert weighted.best.value == brier_score(y > 0, q, sample_weight=w)

    one_class = CheckpointSelector("edet", task="binary")
    with pytest.warns(UndefinedMetricWarning):
        assert not one_class.update([1, 1], [0.9, 0.8])


@pytest.mark.parametrize("cut", range(6))
def test_an_interrupted_run_goes_on_as_if_it_had_not_been(cut):
    values = [0.1 + 0.2, math.nan, 0.3, 0.25, 0.25, math.inf]
    options = {"patience": 2, "min_delta": 0.01, "ties": "last"}
    whole, _ = fed(values, **options)
    first, _ = fed(values[:cut], **options)
    second, _ = fed([9.0], **options)
    second.load_state_dict(json.loads(json.dumps(first.state_dict(), allow_nan=False)))
    for value in values[cut:]:
        second.update_value(value)
    assert repr(second.history) == repr(whole.history)
    assert (second.best, second.waited, second.should_stop) == (whole.best, whole.waited, whole.should_stop)
    assert pickle.loads(pickle.dumps(whole)).best == whole.best


def test_a_state_of_other_options_is_refused():
    state = fed([1.0], patience=3)[0].state_dict()
    with pytest.raises(UserError, match="saved with patience = 3, this selector has 4"):
        CheckpointSelector("nll", task="binary", patience=4).load_state_dict(state)
    with pytest.raises(UserError, match="saved with metric = 'nll'"):
        CheckpointSelector("brier", task="binary", patience=3).load_state_dict(state)


def test_bad_options():
    with pytest.raises(UserError, match="say for which task="):
        CheckpointSelector("nll")
    with pytest.raises(UnknownNameError, match="did you mean 'brier'"):
        CheckpointSelector("breir", task="binary")
    with pytest.raises(UserError, match="is for binary problems, not multiclass"):
        CheckpointSelector(get("binary", "nll"), task="multiclass")
    for patience in (0, -1, 1.5, True):
        with pytest.raises(UserError, match="patience"):
            CheckpointSelector("nll", task="binary", patience=patience)
    for delta in (-1.0, math.nan, math.inf):
        with pytest.raises(UserError, match="min_delta"):
            CheckpointSelector("nll", task="binary", min_delta=delta)
    with pytest.raises(UserError, match="did you mean 'first'"):
        CheckpointSelector("nll", task="binary", ties="firs")
    selector, _ = fed([1.0, 2.0])
    with pytest.raises(UserError, match="epoch 1 does not follow epoch 1"):
        selector.update_value(0.5, epoch=1)
