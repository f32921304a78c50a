"""Trains the seeds of one cell together and keeps what each epoch's network says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
import torch.nn.functional as F
from torch import Tensor

from uqalign.models.nets.network import Pass, Sizes
from uqalign.superiority.images import Images
from uqalign.superiority.networks import CNN, network
from uqalign.superiority.regimes import Regime, Split, split
from uqalign.training.adam import Adam
from uqalign.training.device import keep_freed_memory, one_thread_each
from uqalign.training.lanes import Stack

LEARNING_RATE = 1e-3

Report = Callable[[str], None]


def batch_size(n: int) -> int:
    """Pictures per gradient step for `n` training pictures: at least 32 steps an epoch, up to 128 pictures each."""
    return min(128, max(16, n // 32))


@dataclass(frozen=True, eq=False)
class Run:
    """What one seed's network said after every epoch.

    Attributes:
        split: the pictures of the seed.
        p: (epochs, validation + test pictures, classes) probabilities, in single precision.
    """

    seed: int
    split: Split
    p: npt.NDArray[np.float32]


def train_cell(
    images: Images,
    dataset: str,
    chosen: Regime,
    seeds: Sequence[int],
    *,
    epochs: int,
    threads: int = 1,
    device: str = "cpu",
    report: Report = lambda line: None,
) -> list[Run]:
    """Minimise the cross-entropy for a number of epochs from every seed; no epoch is preferred to another.

    A seed's numbers depend on the data set, the regime and the seed, not on the other seeds or on `threads`.

    Args:
        threads: cores; each trains seeds of its own.
        device: "cpu", or "cuda", where all seeds are one tensor program.
        report: takes a line per finished epoch.
    """
    blocks = [list(seeds)] if device != "cpu" else [list(seeds[start::threads]) for start in range(threads)]
    keep_freed_memory()

    def run(block: list[int]) -> list[Run]:
        torch.set_num_threads(1)
        return _train_block(images, dataset, chosen, block, epochs, torch.device(device), report)

    with one_thread_each(), ThreadPoolExecutor(len(blocks)) as pool:
        runs = [run for block in pool.map(run, [block for block in blocks if block]) for run in block]
    return sorted(runs, key=lambda run: run.seed)


class _Pictures:
    """All pictures on the device, once, as bytes."""

    def __init__(self, images: Images, device: torch.device) -> None:
        self._pixels = torch.from_numpy(images.pixels.reshape(len(images.pixels), -1)).to(device)

    def read(self, positions: Tensor) -> Tensor:
        """(R, rows, numbers) between -1 and 1 at `positions` (R, rows)."""
        flat = self._pixels.index_select(0, positions.reshape(-1))
        return flat.to(torch.float32).div_(127.5).sub_(1).view(*positions.shape, -1)


def _train_block(
    images: Images,
    dataset: str,
    chosen: Regime,
    seeds: Sequence[int],
    epochs: int,
    device: torch.device,
    report: Report,
) -> list[Run]:
    _, channels, height, width = images.pixels.shape
    net = network((channels, height, width), small=chosen.small)
    splits = [split(images, dataset, chosen, seed) for seed in seeds]
    generators = [np.random.RandomState(seed) for seed in seeds]
    parameters = net.parameters(channels * height * width, images.n_classes)
    drawn = [{name: p.draw(rng) for name, p in parameters.items()} for rng in generators]
    lanes = Stack.of(drawn, {name: p.shape for name, p in parameters.items()}, device)
    leaves = {name: view.detach().requires_grad_() for name, view in lanes.views.items()}
    gradients = torch.zeros_like(lanes.values)
    adam = Adam(lanes.values, gradients, "adam", 0.0)
    pictures = _Pictures(images, device)
    rows = len(splits[0].train)
    batch = batch_size(rows)
    said = [np.empty((epochs, len(s.validation) + len(s.test), images.n_classes), np.float32) for s in splits]
    for epoch in range(epochs):
        orders = np.stack([rng.permutation(rows) for rng in generators])
        positions = np.stack([s.train[order] for s, order in zip(splits, orders, strict=True)])
        labels = np.stack([s.labels[order] for s, order in zip(splits, orders, strict=True)])
        total = 0.0
        for start in range(0, rows, batch):
            chunk = slice(start, start + batch)
            dealt = torch.from_numpy(positions[:, chunk]).to(device)
            y = torch.from_numpy(labels[:, chunk]).to(device)
            now = Pass(Sizes.of([dealt.shape[1]] * len(seeds), device))
            output = net.forward(leaves, {}, pictures.read(dealt), now)
            losses = F.cross_entropy(output.transpose(1, 2), y, reduction="none").mean(1)
            slopes = torch.autograd.grad(losses.sum(), list(leaves.values()))
            flat = torch.cat([slope.flatten(1) for slope in slopes], dim=1)
            gradients[:, : flat.shape[1]] = flat
            adam.update(list(range(len(seeds))), LEARNING_RATE)
            total += float(losses.detach().mean()) * dealt.shape[1] / rows
        for lane, (run, s) in enumerate(zip(said, splits, strict=True)):
            run[epoch] = _probabilities(net, lanes, lane, pictures, np.concatenate([s.validation, s.test]), device)
        report(f"epoch {epoch + 1} of {epochs}, seeds {', '.join(map(str, seeds))}: cross-entropy {total:.4f}")
    return [Run(seed, s, p) for seed, s, p in zip(seeds, splits, said, strict=True)]


@torch.no_grad()
def _probabilities(
    net: CNN, lanes: Stack, lane: int, pictures: _Pictures, positions: np.ndarray, device: torch.device
) -> npt.NDArray[np.float32]:
    weights = {name: view[lane : lane + 1] for name, view in lanes.views.items()}
    parts = []
    for start in range(0, len(positions), net.evaluation_rows):
        dealt = torch.from_numpy(positions[None, start : start + net.evaluation_rows]).to(device)
        output = net.forward(weights, {}, pictures.read(dealt), Pass(Sizes.of([dealt.shape[1]], device)))
        parts.append(output[0].double().softmax(-1).float().cpu().numpy())
    return np.concatenate(parts)
