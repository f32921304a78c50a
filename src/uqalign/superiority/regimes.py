"""What a network of the study is trained on: all pictures, fewer, or some with wrong labels."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from uqalign.superiority.images import Images, Labels
from uqalign.superiority.settings import RegimeName

VALIDATION = 1 / 6
"""Share of the training pictures held out for selection: 10,000 of MNIST's 60,000."""

Indices = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Regime:
    """One way to make training harder.

    Attributes:
        share: of the training pictures that are kept, in each class.
        noise: share of the training labels that are replaced by another class, drawn uniformly.
        small: an under-capacity network is trained.
    """

    name: RegimeName
    share: float
    noise: float
    small: bool


def regime(name: RegimeName, *, share: float, noise: float) -> Regime:
    """The regime called `name`, with the study's share of pictures and share of wrong labels."""
    return Regime(
        name,
        share if name in ("subset", "hard") else 1.0,
        noise if name in ("noisy", "hard") else 0.0,
        name != "full",
    )


@dataclass(frozen=True, eq=False)
class Split:
    """Positions of one seed's pictures.

    Attributes:
        train: (m,) pictures to fit.
        labels: (m,) their labels, some of them wrong on purpose.
        validation, test: pictures that select and that judge; their labels are left alone.
    """

    train: Indices
    labels: Labels
    validation: Indices
    test: Indices


def split(images: Images, dataset: str, chosen: Regime, seed: int) -> Split:
    """The pictures of one training run.

    A seed's validation pictures are the same in every regime, so that regimes are compared on equal terms. Randomness
    comes from the data set's name, the seed and the step alone.
    """
    train, validation = [], []
    keep = _generator(dataset, seed, "validation")
    fewer = _generator(dataset, seed, "subset")
    for code in range(images.n_classes):
        rows = keep.permutation(np.flatnonzero(images.labels[: images.n_train] == code))
        held = max(1, round(len(rows) * VALIDATION))
        validation.append(rows[:held])
        rest = fewer.permutation(rows[held:])
        train.append(rest[: max(1, round(len(rest) * chosen.share))])
    fitted = np.sort(np.concatenate(train))
    labels = images.labels[fitted].copy()
    noise = _generator(dataset, seed, "noise")
    wrong = noise.choice(len(fitted), round(len(fitted) * chosen.noise), replace=False)
    shift = noise.integers(1, images.n_classes, size=len(wrong))
    labels[wrong] = (labels[wrong] + shift) % images.n_classes
    return Split(fitted, labels, np.sort(np.concatenate(validation)), np.arange(images.n_train, len(images.labels)))


def _generator(dataset: str, seed: int, step: str) -> np.random.Generator:
    return np.random.default_rng([zlib.crc32(dataset.encode()), seed, zlib.crc32(step.encode())])
