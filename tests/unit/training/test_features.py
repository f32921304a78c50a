"""One encoded table for all problems of a data set, prepared while rows are read."""

import numpy as np
import pandas as pd
import pytest
import torch

from uqalign.data.preprocess import encode, prepare_rows
from uqalign.training.features import Features, learn
from uqalign.training.rows import prepare
from uqalign.training.store import Store

CPU = torch.device("cpu")
N = 40


def table(seed=0, *, numeric=True, categorical=True, gaps=True):
    rng = np.random.default_rng(seed)
    frame, kinds = pd.DataFrame(index=range(N)), {}
    if numeric:
        for name, values in {
            "plain": rng.normal(size=N),
            "constant": np.full(N, 0.1),
            "far": 1.6e9 + rng.normal(size=N),
            "skewed": np.where(np.arange(N) == 5, 1e12, rng.normal(size=N)),
            "empty": np.full(N, np.nan) if gaps else rng.normal(size=N),
        }.items():
            frame[name], kinds[name] = values, "numeric"
        if gaps:
            frame.loc[[0, 7, 30], "plain"] = np.nan
    if categorical:
        levels = rng.choice(["a", "b", "c"], size=N).astype(object)
        levels[3] = "rare"
        if gaps:
            levels[[1, 8, 31]] = None
        frame["level"], kinds["level"] = levels, "categorical"
        frame["unknown"], kinds["unknown"] = np.full(N, None, dtype=object) if gaps else levels[::-1], "categorical"
    return encode(frame, kinds)


def split(seed):
    order = np.random.default_rng(seed).permutation(N)
    return np.sort(order[:28]), np.sort(order[28:])


@pytest.mark.parametrize("gaps", [True, False])
@pytest.mark.parametrize(("numeric", "categorical"), [(True, True), (True, False), (False, True)])
def test_rows_read_are_those_prepared_alone_bit_for_bit(numeric, categorical, gaps):
    tables = [table(seed, numeric=numeric, categorical=categorical, gaps=gaps) for seed in (0, 1)]
    lanes = [(tables[seed % 2], *split(seed)) for seed in range(6)]
    learned = [learn(encoded, train) for encoded, train, _ in lanes]
    widths = [own.columns for own in learned]
    assert (len(set(widths)) > 1) == categorical  # not every split trains on the rare level
    columns = max(widths) + categorical
    reader = Features(tables, CPU).lanes([encoded for encoded, *_ in lanes], learned, columns)
    rows = np.stack([np.concatenate([train, test]) for _, train, test in lanes])
    read = reader.read(torch.from_numpy(rows))
    assert read.shape == (6, N, columns)
    for lane, (encoded, train, test) in enumerate(lanes):
        expected = np.concatenate(prepare_rows(encoded, train, test, scale=True)).astype(np.float32)
        np.testing.assert_array_equal(read[lane, :, : widths[lane]], expected)
        assert (read[lane, :, widths[lane] :] == 0).all()
    several = reader.read(torch.from_numpy(np.stack([rows, rows[:, ::-1]])))
    torch.testing.assert_close(several[1], read.flip(1), rtol=0, atol=0)


def test_no_training_rows():
    with pytest.raises(ValueError, match="no training rows"):
        learn(table(), np.empty(0, dtype=np.int64))


def test_problems_of_a_data_set_share_its_features(problem_of):
    problems = [problem_of("regression", seed=seed) for seed in range(5)]
    encoded = encode(problems[0].features, problems[0].kinds)
    for given in problems:
        object.__setattr__(given, "encoded", encoded)
    rows = [prepare(given) for given in problems]
    store = Store(rows, CPU)
    assert store.features_bytes == encoded.numbers.nbytes
    assert Store(rows[:1], CPU).features_bytes == store.features_bytes


def test_batches_come_in_order_however_many_are_read_at_once(problem_of, monkeypatch):
    from uqalign.training import store as module
    from uqalign.training.plan import Plan

    rows = [prepare(problem_of("multivariate", seed=seed, n_test=15 + seed)) for seed in range(2)]
    lanes = Store(rows, CPU).lanes(rows, 4)
    plan = Plan([r.n_train for r in rows], [8, 8], CPU)
    orders = [np.random.default_rng(0).permutation(r.n_train) for r in rows]
    ahead = list(lanes.training(plan, orders))
    monkeypatch.setattr(module, "READ_AHEAD", 1)
    singly = list(lanes.training(plan, orders))
    assert all(step is planned for (step, _, _), planned in zip(ahead, plan.steps, strict=True))
    for (step, x, y), (_, one_x, one_y) in zip(ahead, singly, strict=True):
        torch.testing.assert_close(x, one_x, rtol=0, atol=0)
        torch.testing.assert_close(y, one_y, rtol=0, atol=0)
        assert x.shape == (2, step.rows, 4)
        assert y.shape == (2, step.rows, 2)
    for lane, r in enumerate(rows):
        np.testing.assert_array_equal(
            np.concatenate([y[lane, : step.sizes.counts[lane]] for step, _, y in ahead]),
            r.y[orders[lane]],
        )
        x_train = prepare_rows(r.encoded, r.problem.train, r.problem.test, scale=True)[0].astype(np.float32)
        np.testing.assert_array_equal(ahead[0][1][lane], x_train[orders[lane][:8]])
