"""Which pictures a run is trained on."""

from __future__ import annotations

import numpy as np
import pytest

from uqalign.superiority.images import Images
from uqalign.superiority.regimes import regime, split
from uqalign.superiority.settings import REGIMES


def images(per_class: int = 60, classes: int = 4, n_test: int = 8) -> Images:
    labels = np.concatenate([np.tile(np.arange(classes), per_class), np.arange(n_test) % classes])
    pixels = np.zeros((len(labels), 1, 2, 2), dtype=np.uint8)
    return Images(pixels, labels, per_class * classes, tuple("abcd"[:classes]))


@pytest.mark.parametrize("name", REGIMES)
def test_parts_are_disjoint_stratified_and_of_the_announced_size(name: str) -> None:
    data, chosen = images(), regime(name, share=0.2, noise=0.25)
    parts = split(data, "x", chosen, 7)
    assert not set(parts.train) & set(parts.validation)
    assert set(parts.test) == set(range(240, 248))
    assert np.bincount(data.labels[parts.validation]).tolist() == [10] * 4
    kept = 10 if name in ("subset", "hard") else 50
    assert np.bincount(data.labels[parts.train]).tolist() == [kept] * 4
    wrong = (parts.labels != data.labels[parts.train]).mean()
    assert wrong == (0.25 if name in ("noisy", "hard") else 0)
    assert chosen.small == (name != "full")


def test_regimes_share_validation_pictures_and_seeds_do_not() -> None:
    data = images()
    drawn = {name: split(data, "x", regime(name, share=0.2, noise=0.25), 3) for name in REGIMES}
    for parts in drawn.values():
        np.testing.assert_array_equal(parts.validation, drawn["full"].validation)
    assert set(drawn["hard"].train) == set(drawn["subset"].train)
    other = split(data, "x", regime("full", share=1, noise=0), 4)
    assert set(other.validation) != set(drawn["full"].validation)
    elsewhere = split(data, "y", regime("full", share=1, noise=0), 3)
    assert set(elsewhere.validation) != set(drawn["full"].validation)


def test_wrong_labels_are_uniform_over_the_other_classes() -> None:
    data = images(per_class=3000)
    parts = split(data, "x", regime("noisy", share=1, noise=0.4), 0)
    truth = data.labels[parts.train]
    counts = np.zeros((4, 4))
    np.add.at(counts, (truth, parts.labels), 1)
    moved = counts - np.diag(np.diag(counts))
    expected = moved.sum() / 12
    assert np.abs(moved[~np.eye(4, dtype=bool)] - expected).max() < 5 * np.sqrt(expected)
    assert moved.sum() == round(0.4 * len(truth))
