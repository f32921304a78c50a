"""Blocks on several cores."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from uqalign.models import mlp
from uqalign.models.base import Compute, FitFailed
from uqalign.training import workers
from uqalign.training.fit import fit_networks

RECIPE = replace(mlp.recipe("regression"), max_epochs=lambda n: 8)
forks = pytest.mark.skipif(not workers.can_fork(), reason="processes cannot be copied here")


def fit(problems, threads, recipe=RECIPE):
    return [only for (only,) in fit_networks(problems, Compute(threads), recipe)]


@forks
def test_processes_threads_and_a_single_worker_give_the_same_bits(problem_of, monkeypatch):
    problems = [problem_of("regression", seed=seed) for seed in range(4)]
    used = []
    for name in ("_in_processes", "_in_threads"):
        function = getattr(workers, name)
        monkeypatch.setattr(
            workers, name, lambda *given, name=name, function=function: (used.append(name), function(*given))
        )
    processes = fit(problems, 2)
    monkeypatch.setattr(workers, "can_fork", lambda: False)
    threads = fit(problems, 2)
    assert used == ["_in_processes", "_in_threads"]
    # The blocks of two workers one after the other: the rounding of the last bits may depend on the block.
    monkeypatch.setattr(
        workers, "_in_threads", lambda blocks, count, device: [workers.train(*b, device) for b in blocks]
    )
    single = fit(problems, 2)
    for results in (threads, single):
        for a, b in zip(processes, results, strict=True):
            for x, y in zip(a, b, strict=True):
                np.testing.assert_array_equal(x, y)


def test_one_worker_or_one_block_stays_in_this_process(problem_of, monkeypatch):
    def refuse(*given):
        raise AssertionError("not needed")

    monkeypatch.setattr(workers, "_in_processes", refuse)
    monkeypatch.setattr(workers, "_in_threads", refuse)
    assert len(fit([problem_of("regression", seed=seed) for seed in range(3)], 1)) == 3
    assert len(fit([problem_of("regression")], 8)) == 1


@forks
@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_a_failed_fit_comes_back_from_its_process(problem_of):
    problems = [problem_of("regression", seed=seed) for seed in range(4)]
    problems[1].target[problems[1].train[0]] = np.inf
    outcomes = fit(problems, 2)
    assert [isinstance(outcome, FitFailed) for outcome in outcomes] == [False, True, False, False]
    assert "diverged" in str(outcomes[1])


@forks
def test_an_error_in_a_process_is_raised_here(problem_of, monkeypatch):
    def broken(replicates, store, device):
        raise MemoryError("no more")

    monkeypatch.setattr(workers, "train", broken)
    with pytest.raises(MemoryError, match="no more"):
        fit([problem_of("regression", seed=seed) for seed in range(4)], 2)


def test_nothing_is_copied_where_cuda_could_be_in_use(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert not workers.can_fork()
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr("sys.platform", "darwin")
    assert not workers.can_fork()
