"""Optimiser, stacks, plans, rows and memory."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from uqalign.training.adam import Adam
from uqalign.training.device import choose_device, lanes_per_block
from uqalign.training.lanes import Stack
from uqalign.training.plan import Plan, evaluation_plan
from uqalign.training.rows import prepare

CPU = torch.device("cpu")


@pytest.mark.parametrize(("kind", "reference"), [("adam", torch.optim.Adam), ("adamw", torch.optim.AdamW)])
def test_adam_is_torchs_with_a_step_count_per_lane(kind, reference):
    torch.manual_seed(0)
    values = torch.randn(3, 32)
    alone = [values[lane].clone().requires_grad_() for lane in range(3)]
    optimisers = [reference([leaf], lr=1e-2, weight_decay=0.1) for leaf in alone]
    gradients = torch.empty(3, 32)
    adam = Adam(values, gradients, kind, weight_decay=0.1)
    for step, lanes in enumerate([[0, 1, 2], [1], [0, 2], [0, 1, 2]]):
        gradients.copy_(torch.randn(3, 32))
        rate = 1e-2 / (step + 1)
        adam.update(lanes, rate)
        for lane in lanes:
            alone[lane].grad = gradients[lane].clone()
            optimisers[lane].param_groups[0]["lr"] = rate
            optimisers[lane].step()
    torch.testing.assert_close(values, torch.stack([leaf.detach() for leaf in alone]), atol=1e-6, rtol=1e-6)


def test_adam_forgets_lanes_that_left():
    left = [2, 0]
    whole, slopes = torch.randn(3, 16), torch.randn(3, 16)
    part, part_slopes = whole[left], slopes[left]
    adam, other = Adam(whole, slopes, "adam", 0.0), Adam(part, part_slopes, "adam", 0.0)
    adam.update([0, 1, 2], 0.1)
    other.update([0, 1], 0.1)
    kept = whole[left]
    adam.keep(torch.tensor(left), kept, slopes[left])
    adam.update([0, 1], 0.1)
    other.update([0, 1], 0.1)
    torch.testing.assert_close(kept, part, rtol=0, atol=0)


def test_a_stack_fills_smaller_arrays_up_with_zeros():
    lanes = [{"w": np.ones((2, 3)), "b": np.ones(3)}, {"w": np.full((4, 3), 2.0), "b": np.zeros(3)}]
    stack = Stack.of(lanes, {"w": (4, 3), "b": (3,)}, CPU)
    assert stack.values.shape == (2, 16)
    np.testing.assert_array_equal(stack.views["w"][0], [[1, 1, 1], [1, 1, 1], [0, 0, 0], [0, 0, 0]])
    np.testing.assert_array_equal(stack.views["w"][1], np.full((4, 3), 2.0))
    stack.views["b"][1] = 7
    assert (stack.values[1, 12:15] == 7).all()
    np.testing.assert_array_equal(stack.keep(torch.tensor([1])).views["b"], [[7, 7, 7]])


@given(st.lists(st.tuples(st.integers(1, 40), st.integers(1, 15)), min_size=1, max_size=4))
def test_a_plan_deals_every_row_once_in_order(sizes):
    lengths, batches = zip(*sizes, strict=True)
    plan = Plan(lengths, batches, CPU)
    orders = [1000 * lane + np.arange(length) for lane, length in enumerate(lengths)]
    dealt = plan.deal(orders)
    for lane, (order, batch) in enumerate(zip(orders, batches, strict=True)):
        seen = []
        for step, positions in zip(plan.steps, dealt, strict=True):
            count = step.sizes.counts[lane]
            assert count <= batch
            assert (lane in step.active) == (count > 0)
            assert (positions[lane] // 1000 == lane).all()  # padding is the lane's own
            weights = step.weights[lane]
            assert (weights[:count] == np.float32(1 / max(count, 1))).all()
            assert (weights[count:] == 0).all()
            seen.extend(positions[lane, :count].tolist())
        assert seen == order.tolist()
    for step in plan.steps:
        cleared = step.sizes.clear(torch.ones(len(sizes), step.rows, 1))
        assert torch.equal(cleared[..., 0] == 1, step.weights > 0)


def test_evaluation_chunks_are_in_row_order():
    plan = evaluation_plan([1030], 512, CPU)
    assert [step.rows for step in plan.steps] == [512, 512, 6]
    dealt = plan.deal([np.arange(1030)])
    assert torch.cat([rows[0, : step.rows] for step, rows in zip(plan.steps, dealt, strict=True)]).tolist() == list(
        range(1030)
    )


def test_regression_predictions_return_in_the_units_of_the_target(problem_of):
    rows = prepare(problem_of("regression"))
    y = rows.problem.y_train
    np.testing.assert_allclose(rows.y.mean(), 0, atol=1e-6)
    np.testing.assert_allclose(rows.y.std(), 1, rtol=1e-6)
    n = len(rows.problem.test)
    output = np.column_stack([np.linspace(-1, 1, n), np.zeros(n)])
    mean, var = rows.prediction(output)
    np.testing.assert_allclose(mean, y.mean() + output[:, 0] * y.std())
    np.testing.assert_allclose(var, y.var() * (np.log(2) + 1e-6) ** 2)


def test_multivariate_predictions_return_in_the_units_of_the_target(problem_of):
    rows = prepare(problem_of("multivariate"))
    y = rows.problem.y_train
    output = np.random.default_rng(0).normal(size=(len(rows.problem.test), 5))
    mean, cov = rows.prediction(output)
    standard_mean, standard_cov = rows.head.distribution(output)
    scale = np.diag(y.std(axis=0))
    np.testing.assert_allclose(mean, y.mean(axis=0) + standard_mean @ scale)
    np.testing.assert_allclose(cov, scale @ standard_cov @ scale)


def test_lanes_per_block_fit_the_budget():
    assert lanes_per_block(1000, CPU, 5500) == 5
    assert lanes_per_block(1000, CPU, 10) == 1
    assert lanes_per_block(1, CPU, 10**9) == 32
    assert lanes_per_block(1, torch.device("cuda"), 10**9) == 256
    assert lanes_per_block(2**30, torch.device("cuda"), 10 * 2**30) == 10


def test_choose_device(monkeypatch):
    from uqalign.errors import UserError

    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert choose_device("auto") == choose_device("cpu") == "cpu"
    with pytest.raises(UserError, match="torch sees no CUDA device"):
        choose_device("cuda")
    with pytest.raises(UserError, match="'tpu': choose auto, cpu or cuda"):
        choose_device("tpu")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert choose_device("auto") == choose_device("cuda") == "cuda"
    assert choose_device("cpu") == "cpu"
