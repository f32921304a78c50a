"""The image data sets that come with the package."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from uqalign.superiority.images import (
    ImageError,
    Images,
    ImageSet,
    digits,
    read_folder,
    read_idx_pair,
    with_test_part,
)

# By merged classes: digits, capitals, and the eleven small letters that differ from their capitals.
EMNIST_CLASSES = tuple("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabdefghnqrt")


def _idx(folder: str, fallback: str) -> Callable[[Path], Images]:
    def load(data_dir: Path) -> Images:
        names = [f"{part}-{kind}" for part in ("train", "t10k") for kind in ("images-idx3", "labels-idx1")]
        found = [_existing(data_dir / folder, f"{name}-ubyte") for name in names]
        if None in found:
            return _torchvision(fallback, data_dir, folder)
        paths = [path for path in found if path is not None]
        train, test = read_idx_pair(paths[0], paths[1]), read_idx_pair(paths[2], paths[3])
        pixels, labels = np.concatenate([train[0], test[0]]), np.concatenate([train[1], test[1]])
        return Images(pixels, labels, len(train[0]), tuple("0123456789"))

    return load


def _existing(folder: Path, name: str) -> Path | None:
    return next((path for path in (folder / name, folder / f"{name}.gz") if path.exists()), None)


def _torchvision(name: str, data_dir: Path, folder: str, **options: Any) -> Images:
    """A data set through torchvision, which downloads and verifies it into `data_dir`/torchvision."""
    try:
        from torchvision import datasets
    except (ImportError, RuntimeError) as error:  # RuntimeError: a build that does not belong to this torch
        raise ImageError(
            f"{data_dir / folder} has no {name} files and torchvision cannot be used ({error}): put the files there, "
            "or pip install 'uqalign[images]' to let it download them"
        ) from None
    root = data_dir / "torchvision"
    try:
        parts = [getattr(datasets, name)(str(root), train=train, download=True, **options) for train in (True, False)]
    except Exception as error:
        raise ImageError(
            f"torchvision could not provide {name} ({type(error).__name__}: {error}): check the network, or put the "
            f"files into {data_dir / folder}"
        ) from error
    return from_torchvision(*parts)


def from_torchvision(train: Any, test: Any) -> Images:
    """Pictures of two torchvision data sets with `data`, `targets` and `classes`."""
    data = [np.asarray(part.data) for part in (train, test)]
    stacked = np.concatenate(data)
    pixels = stacked[:, None] if stacked.ndim == 3 else stacked.transpose(0, 3, 1, 2)
    labels = np.concatenate([np.asarray(part.targets, dtype=np.int64) for part in (train, test)])
    classes = tuple(str(name) for name in train.classes)
    return Images(np.ascontiguousarray(pixels), labels, len(data[0]), classes)


def _cifar10_jpeg(data_dir: Path) -> Images:
    path = data_dir / "cifar10_jpeg" / "CIFAR-10-images.zip"
    if not path.exists():
        raise ImageError(f"{path} is missing: zip train/CLASS/*.jpg and test/CLASS/*.jpg there, or use cifar10")
    return read_folder(path)


def _emnist_47(data_dir: Path) -> Images:
    folder = data_dir / "emnist_bymerge_balanced"
    images, labels = (_existing(folder, f"emnist-47-{kind}-ubyte") for kind in ("images-idx3", "labels-idx1"))
    if images is None or labels is None:
        raise ImageError(f"{folder} has no emnist-47 idx files: put them there, or use emnist_balanced")
    pixels, codes = read_idx_pair(images, labels)
    return with_test_part(pixels, codes, 0.2, EMNIST_CLASSES)


IMAGE_SETS = (
    ImageSet(
        "digits",
        "Digits, 8 x 8 pixels",
        10,
        digits,
        "Alpaydin & Kaynak (1998). Optical recognition of handwritten digits. doi:10.24432/C50P49",
    ),
    ImageSet("mnist", "MNIST", 10, _idx("mnist", "MNIST"), "LeCun, Cortes & Burges (1998). The MNIST database"),
    ImageSet(
        "cifar10",
        "CIFAR-10",
        10,
        lambda data_dir: _torchvision("CIFAR10", data_dir, "cifar10"),
        "Krizhevsky (2009). Learning multiple layers of features from tiny images",
    ),
    ImageSet("cifar10_jpeg", "CIFAR-10, JPEG-compressed", 10, _cifar10_jpeg, "Krizhevsky (2009), recompressed"),
    ImageSet(
        "emnist_balanced",
        "EMNIST balanced",
        47,
        lambda data_dir: _torchvision("EMNIST", data_dir, "emnist", split="balanced"),
        "Cohen, Afshar, Tapson & van Schaik (2017). EMNIST: extending MNIST to handwritten letters",
    ),
    ImageSet(
        "emnist_47",
        "EMNIST by merged classes, 415 pictures a class",
        47,
        _emnist_47,
        "Cohen, Afshar, Tapson & van Schaik (2017), a balanced subset",
    ),
)
