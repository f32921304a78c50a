"""Image data sets: idx files, zipped image folders, scikit-learn's digits, torchvision's loaders."""

from __future__ import annotations

import gzip
import io
import math
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt

from uqalign.errors import UserError

Pixels = npt.NDArray[np.uint8]
Labels = npt.NDArray[np.int64]

IDX_TYPES = {0x08: np.dtype(np.uint8)}


class ImageError(UserError):
    """Images that cannot be read; the message names the file and the remedy."""


@dataclass(frozen=True, eq=False)
class Images:
    """Labelled pictures, those for training first.

    Attributes:
        pixels: (n, channels, height, width).
        labels: (n,) codes from 0 to `n_classes` - 1.
        n_train: pictures before the test part.
        classes: names of the classes by code.
    """

    pixels: Pixels
    labels: Labels
    n_train: int
    classes: tuple[str, ...]

    def __post_init__(self) -> None:
        if self.pixels.ndim != 4 or self.pixels.dtype != np.uint8:
            raise ImageError(
                f"pixels must be 8-bit (n, channels, height, width), got {self.pixels.dtype} {self.pixels.shape}"
            )
        if self.labels.shape != (len(self.pixels),):
            raise ImageError(f"{len(self.pixels)} pictures but labels of shape {self.labels.shape}")
        if not 0 < self.n_train < len(self.pixels):
            raise ImageError(f"{self.n_train} training pictures of {len(self.pixels)}: both parts need some")
        if self.labels.min() < 0 or self.labels.max() >= len(self.classes):
            raise ImageError(f"labels lie in {self.labels.min()}..{self.labels.max()}, classes are {len(self.classes)}")

    @property
    def n_classes(self) -> int:
        return len(self.classes)


@dataclass(frozen=True)
class ImageSet:
    """One declaration: a name and a function from the folder of raw files to pictures.

    Attributes:
        n_classes: known before any file is read: penalties depend on it.
        load: takes the folder of raw files; raises `ImageError` naming what is missing and where to get it.
    """

    name: str
    title: str
    n_classes: int
    load: Callable[[Path], Images] = field(repr=False)
    citation: str = ""


def read_idx(path: Path) -> npt.NDArray[np.uint8]:
    """The array in an idx file (LeCun's format: magic number, sizes, bytes), gzipped or not.

    Raises:
        ImageError: missing, cut short, too long, or of another type than bytes.
    """
    try:
        raw = path.read_bytes()
        content = gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw
    except (OSError, EOFError) as error:
        raise ImageError(f"{path} cannot be read ({error}): fetch it again") from error
    if len(content) < 4 or content[:2] != b"\0\0" or content[2] not in IDX_TYPES:
        raise ImageError(f"{path} is no idx file of bytes (it starts with {content[:4].hex()})")
    axes = content[3]
    start = 4 + 4 * axes
    shape = tuple(int.from_bytes(content[4 + 4 * i : 8 + 4 * i], "big") for i in range(axes))
    if len(content) != start + math.prod(shape):
        raise ImageError(f"{path} announces {shape}, {math.prod(shape)} bytes, but holds {len(content) - start}")
    return np.frombuffer(content, np.uint8, offset=start).reshape(shape)


def read_idx_pair(images: Path, labels: Path) -> tuple[Pixels, Labels]:
    """Grey pictures (n, 1, height, width) and their labels from two idx files.

    Raises:
        ImageError: files that cannot be read or do not belong together.
    """
    pixels, codes = read_idx(images), read_idx(labels)
    if pixels.ndim != 3 or codes.shape != pixels.shape[:1]:
        raise ImageError(f"{images} holds {pixels.shape} and {labels} {codes.shape}: not pictures and their labels")
    return pixels[:, None], codes.astype(np.int64)


def read_folder(path: Path) -> Images:
    """Pictures as `train/CLASS/*.jpg` and `test/CLASS/*.jpg` (any format Pillow reads), in a folder or a zip file.

    Classes are coded in alphabetical order; all pictures must have one size and one colour mode.

    Raises:
        ImageError: no such folder, no pictures, classes without pictures, or different sizes.
    """
    from PIL import Image, UnidentifiedImageError

    files = _picture_files(path)
    parts: dict[str, list[tuple[str, str]]] = {"train": [], "test": []}
    for name in sorted(files):
        pieces = name.split("/")
        if len(pieces) >= 3 and pieces[-3] in parts:
            parts[pieces[-3]].append((pieces[-2], name))
    classes = tuple(sorted({label for part in parts.values() for label, _ in part}))
    for part, found in parts.items():
        without = sorted(set(classes) - {label for label, _ in found})
        if not found or without:
            raise ImageError(f"{path}: no pictures in {part}/{without[0] if without else 'CLASS'}/")
    pixels: list[Pixels] = []
    codes: list[int] = []
    for label, name in (*parts["train"], *parts["test"]):
        try:
            picture = np.asarray(Image.open(io.BytesIO(files[name]())))
        except (UnidentifiedImageError, OSError) as error:
            raise ImageError(f"{path}: {name} is no picture ({error})") from error
        if pixels and picture.shape != pixels[0].shape:
            raise ImageError(f"{path}: {name} has shape {picture.shape}, the first picture {pixels[0].shape}")
        pixels.append(picture)
        codes.append(classes.index(label))
    stacked = np.stack(pixels)
    stacked = stacked[:, None] if stacked.ndim == 3 else stacked.transpose(0, 3, 1, 2)
    return Images(np.ascontiguousarray(stacked), np.asarray(codes), len(parts["train"]), classes)


def _picture_files(path: Path) -> dict[str, Callable[[], bytes]]:
    """A function that reads each file's bytes, by its name with forward slashes."""
    if path.is_dir():
        return {p.relative_to(path).as_posix(): p.read_bytes for p in path.rglob("*") if p.is_file()}
    try:
        archive = zipfile.ZipFile(path)
    except (OSError, zipfile.BadZipFile) as error:
        raise ImageError(f"{path} is neither a folder nor a zip file ({error})") from error
    return {name: partial(archive.read, name) for name in archive.namelist() if not name.endswith("/")}


def digits(data_dir: Path) -> Images:
    """scikit-learn's 1,797 digits of 8 x 8 pixels, a fixed stratified quarter of them for testing."""
    from sklearn.datasets import load_digits

    bunch = load_digits()
    pixels = np.rint(bunch.images * (255 / 16)).astype(np.uint8)[:, None]
    return with_test_part(pixels, bunch.target.astype(np.int64), 0.25, tuple("0123456789"))


def with_test_part(pixels: Pixels, labels: Labels, share: float, classes: tuple[str, ...]) -> Images:
    """Pictures without an official test part: a stratified `share`, always the same, becomes one."""
    from sklearn.model_selection import train_test_split

    train, test = train_test_split(np.arange(len(labels)), test_size=share, stratify=labels, random_state=0)
    order = np.concatenate([np.sort(train), np.sort(test)])
    return Images(pixels[order], labels[order], len(train), classes)
