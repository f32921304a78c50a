"""Image files: right bytes, right order, and errors that name the file."""

from __future__ import annotations

import gzip
import io
import os
import zipfile
from pathlib import Path

import numpy as np
import pytest

from uqalign.superiority.images import ImageError, Images, digits, read_folder, read_idx, read_idx_pair, with_test_part
from uqalign.superiority.sets import REGISTRY
from uqalign.superiority.sets.builtin import from_torchvision

DATA = Path(os.environ.get("UQALIGN_DATA_DIR", "absent"))


def idx(array: np.ndarray) -> bytes:
    sizes = b"".join(int(size).to_bytes(4, "big") for size in array.shape)
    return bytes([0, 0, 8, array.ndim]) + sizes + array.astype(np.uint8).tobytes()


def write_mnist(folder: Path, n: tuple[int, int] = (12, 5)) -> np.ndarray:
    folder.mkdir(parents=True)
    rng = np.random.default_rng(3)
    everything = []
    for part, size in zip(("train", "t10k"), n, strict=True):
        pixels = rng.integers(0, 256, (size, 4, 3))
        labels = np.arange(size) % 10
        (folder / f"{part}-images-idx3-ubyte.gz").write_bytes(gzip.compress(idx(pixels)))
        (folder / f"{part}-labels-idx1-ubyte").write_bytes(idx(labels))
        everything.append(pixels)
    return np.concatenate(everything)


def test_idx_gzipped_or_not(tmp_path: Path) -> None:
    pixels = write_mnist(tmp_path / "mnist")
    images = REGISTRY.get("mnist").load(tmp_path)
    assert images.pixels.shape == (17, 1, 4, 3)
    assert images.n_train == 12
    np.testing.assert_array_equal(images.pixels[:, 0], pixels)
    assert images.labels.tolist() == [*(np.arange(12) % 10), *range(5)]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "no idx file"),
        (b"\0\0\x0d\x01" + bytes(8), "no idx file of bytes"),
        (idx(np.zeros((2, 3)))[:-1], r"announces \(2, 3\), 6 bytes, but holds 5"),
        (idx(np.zeros((2, 3))) + b"\0", "but holds 7"),
        (gzip.compress(idx(np.zeros((2, 3))), mtime=0)[:-9], "cannot be read"),
    ],
    ids=["empty", "of doubles", "cut short", "too long", "damaged archive"],
)
def test_damaged_idx(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "broken"
    path.write_bytes(content)
    with pytest.raises(ImageError, match=message):
        read_idx(path)


def test_pictures_and_labels_of_different_sets(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(idx(np.zeros((3, 2, 2))))
    (tmp_path / "b").write_bytes(idx(np.zeros(4)))
    with pytest.raises(ImageError, match="not pictures and their labels"):
        read_idx_pair(tmp_path / "a", tmp_path / "b")


def test_missing_files_say_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(ImageError, match="emnist-47 idx files: put them there"):
        REGISTRY.get("emnist_47").load(tmp_path)
    with pytest.raises(ImageError, match=r"pip install 'uqalign\[images\]'|could not provide"):
        REGISTRY.get("cifar10").load(tmp_path)


def picture(colour: tuple[int, int, int], size: tuple[int, int] = (3, 2)) -> bytes:
    from PIL import Image

    file = io.BytesIO()
    Image.new("RGB", size, colour).save(file, "PNG")
    return file.getvalue()


@pytest.mark.parametrize("zipped", [False, True])
def test_folder(tmp_path: Path, zipped: bool) -> None:
    files = {
        "top/train/cat/0.png": picture((1, 2, 3)),
        "top/train/ant/0.png": picture((4, 5, 6)),
        "top/test/cat/0.png": picture((7, 8, 9)),
        "top/test/ant/0.png": picture((10, 11, 12)),
    }
    path = tmp_path / "pictures"
    if zipped:
        with zipfile.ZipFile(path, "w") as archive:
            for name, content in files.items():
                archive.writestr(name, content)
    else:
        for name, content in files.items():
            (path / name).parent.mkdir(parents=True, exist_ok=True)
            (path / name).write_bytes(content)
    images = read_folder(path)
    assert images.classes == ("ant", "cat")
    assert images.labels.tolist() == [0, 1, 0, 1]
    assert images.n_train == 2
    assert images.pixels.shape == (4, 3, 2, 3)
    assert images.pixels[:, :, 0, 0].tolist() == [[4, 5, 6], [1, 2, 3], [10, 11, 12], [7, 8, 9]]


def test_folder_with_faults(tmp_path: Path) -> None:
    with pytest.raises(ImageError, match="neither a folder nor a zip file"):
        read_folder(tmp_path / "absent.zip")
    for name, content in (("train/a/0.png", picture((0, 0, 0))), ("test/a/0.png", picture((0, 0, 0), (4, 4)))):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_bytes(content)
    with pytest.raises(ImageError, match=r"test/a/0.png has shape \(4, 4, 3\)"):
        read_folder(tmp_path)
    (tmp_path / "test/a/0.png").write_bytes(b"no picture")
    with pytest.raises(ImageError, match=r"test/a/0.png is no picture"):
        read_folder(tmp_path)
    (tmp_path / "test/a/0.png").unlink()
    with pytest.raises(ImageError, match="no pictures in test/a/"):
        read_folder(tmp_path)


def test_digits_have_a_fixed_stratified_test_part() -> None:
    first, second = digits(Path()), digits(Path("elsewhere"))
    np.testing.assert_array_equal(first.pixels, second.pixels)
    assert len(first.labels) == 1797
    shares = np.bincount(first.labels[first.n_train :]) / np.bincount(first.labels)
    assert np.abs(shares - 0.25).max() < 0.01
    assert first.pixels.max() == 255


def test_test_part_keeps_pictures_with_their_labels() -> None:
    labels = np.repeat(np.arange(3), 8)
    pixels = np.arange(24, dtype=np.uint8).reshape(-1, 1, 1, 1)
    images = with_test_part(pixels, labels, 0.25, ("a", "b", "c"))
    assert images.n_train == 18
    np.testing.assert_array_equal(images.pixels[:, 0, 0, 0] // 8, images.labels)


def test_what_torchvision_holds() -> None:
    class Part:
        classes = ("a", "b")

        def __init__(self, n: int) -> None:
            self.data = np.arange(n * 12, dtype=np.uint8).reshape(n, 2, 2, 3)
            self.targets = [i % 2 for i in range(n)]

    images = from_torchvision(Part(3), Part(2))
    assert images.pixels.shape == (5, 3, 2, 2)
    assert images.labels.tolist() == [0, 1, 0, 0, 1]
    assert images.pixels[0, :, 0, 0].tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"pixels": np.zeros((4, 1, 2, 2))}, "8-bit"),
        ({"labels": np.zeros(3, dtype=int)}, "labels of shape"),
        ({"n_train": 4}, "both parts"),
        ({"labels": np.array([0, 1, 2, 0])}, r"labels lie in 0..2, classes are 2"),
    ],
)
def test_pictures_that_do_not_fit(change: dict, message: str) -> None:
    fields = {
        "pixels": np.zeros((4, 1, 2, 2), dtype=np.uint8),
        "labels": np.array([0, 1, 0, 1]),
        "n_train": 2,
        "classes": ("a", "b"),
    }
    with pytest.raises(ImageError, match=message):
        Images(**{**fields, **change})


@pytest.mark.skipif(not (DATA / "mnist").exists(), reason="the original MNIST files are not on disk")
def test_original_files() -> None:
    mnist = REGISTRY.get("mnist").load(DATA)
    assert mnist.pixels.shape == (70_000, 1, 28, 28)
    assert np.bincount(mnist.labels[:60_000])[:3].tolist() == [5923, 6742, 5958]
    letters = REGISTRY.get("emnist_47").load(DATA)
    assert set(np.bincount(letters.labels)) == {415}
    assert letters.n_classes == REGISTRY.get("emnist_47").n_classes == 47
