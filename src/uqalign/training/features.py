"""The features of a data set on the device once, prepared for each problem while its rows are read.

What a problem learns from its training rows is small: a median, mean and deviation per numeric column, the levels of
each categorical one. Its rows are those of `uqalign.data.preprocess.prepare_rows`, bit for bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from uqalign.checks import FloatArray
from uqalign.data.preprocess import MISSING, Encoded

ABSENT = -2
"""A level that no row has: fills up the columns of lanes with fewer levels."""


@dataclass(frozen=True, eq=False)
class Learned:
    """What preprocessing learns from training rows.

    Attributes:
        median, mean, std: (A,) per numeric column.
        frequent: (B,) level that stands in for missing ones, per categorical column.
        source, level: (J,) categorical column and level behind each column of zeros and ones.
    """

    median: FloatArray
    mean: FloatArray
    std: FloatArray
    frequent: npt.NDArray[np.int64]
    source: npt.NDArray[np.int64]
    level: npt.NDArray[np.int64]

    @property
    def columns(self) -> int:
        return len(self.mean) + len(self.level)


def learn(encoded: Encoded, train: npt.NDArray[np.int64]) -> Learned:
    """The statistics behind `prepare_rows(encoded, train, ..., scale=True)`.

    Args:
        train: row positions, at least one.
    """
    if len(train) == 0:
        raise ValueError("no training rows")
    numbers = encoded.numbers[train]
    gaps = np.isnan(numbers)
    # The median among gaps takes as long as everything else here together.
    median = (
        np.nanmedian(np.where(gaps.all(axis=0), 0.0, numbers), axis=0) if gaps.any() else np.median(numbers, axis=0)
    )
    filled = np.where(gaps, median, numbers)
    mean, variance = filled.mean(axis=0), filled.var(axis=0)
    residue = len(train) * np.finfo(np.float64).eps
    constant = variance <= residue * variance + (residue * mean) ** 2
    frequent: list[int] = []
    source: list[int] = []
    level: list[int] = []
    for column, codes in enumerate(encoded.codes[train].T):
        levels, counts = np.unique(codes[codes != MISSING], return_counts=True)
        frequent.append(levels[np.argmax(counts)] if len(levels) else MISSING)
        level.extend(levels if len(levels) else [MISSING])
        source.extend([column] * max(1, len(levels)))
    integers = (np.array(values, dtype=np.int64) for values in (frequent, source, level))
    return Learned(median, mean, np.where(constant, 1.0, np.sqrt(variance)), *integers)


class Features:
    """Data sets on the device, one after the other: of equal numbers of numeric and categorical columns."""

    def __init__(self, tables: Sequence[Encoded], device: torch.device) -> None:
        self._numbers, self._codes = (
            torch.from_numpy(np.concatenate(parts)).to(device)
            for parts in ([t.numbers for t in tables], [t.codes.astype(np.int32) for t in tables])
        )
        self._gaps = bool(self._numbers.isnan().any()), bool((self._codes == MISSING).any())
        starts = np.cumsum([0, *(len(table.numbers) for table in tables)])
        self._start = {id(table): int(start) for table, start in zip(tables, starts, strict=False)}

    @property
    def nbytes(self) -> int:
        return self._numbers.nbytes + self._codes.nbytes

    def lanes(self, tables: Sequence[Encoded], learned: Sequence[Learned], columns: int) -> Reader:
        """A reader of one problem per lane, whose features are filled up with zeros to `columns`."""
        device = self._numbers.device
        levels = columns - self._numbers.shape[1]

        def stack(arrays: Sequence[npt.NDArray[np.generic]], size: int, fill: int = 0) -> Tensor:
            rows = [np.concatenate([array, np.full(size - len(array), fill, dtype=array.dtype)]) for array in arrays]
            return torch.from_numpy(np.stack(rows)).unsqueeze(1).to(device)

        first = torch.tensor([self._start[id(table)] for table in tables], device=device).unsqueeze(1)
        a, b = self._numbers.shape[1], self._codes.shape[1]
        return Reader(
            numbers=self._numbers,
            codes=self._codes,
            gaps=self._gaps,
            first=first,
            median=stack([own.median for own in learned], a),
            mean=stack([own.mean for own in learned], a),
            std=stack([own.std for own in learned], a),
            frequent=stack([own.frequent.astype(np.int32) for own in learned], b),
            source=stack([own.source for own in learned], levels),
            level=stack([own.level.astype(np.int32) for own in learned], levels, ABSENT),
        )


@dataclass(frozen=True, eq=False)
class Reader:
    """Reads prepared rows of the problem of each lane."""

    numbers: Tensor
    codes: Tensor
    gaps: tuple[bool, bool]
    first: Tensor
    median: Tensor
    mean: Tensor
    std: Tensor
    frequent: Tensor
    source: Tensor
    level: Tensor

    @property
    def columns(self) -> int:
        return self.numbers.shape[1] + self.level.shape[2]

    def read(self, positions: Tensor) -> Tensor:
        """(..., R, rows, columns) features of the rows `positions` (..., R, rows) of each lane's data set."""
        flat = (positions + self.first).view(-1)
        parts = []
        if self.numbers.shape[1]:
            x = self.numbers.index_select(0, flat).view(*positions.shape, -1)
            if self.gaps[0]:
                x = torch.where(x.isnan(), self.median, x)
            parts.append(x.sub_(self.mean).div_(self.std).float())
        if self.level.shape[2]:
            codes = self.codes.index_select(0, flat).view(*positions.shape, -1)
            if self.gaps[1]:
                codes = torch.where(codes == MISSING, self.frequent, codes)
            source = self.source.expand(*positions.shape, -1)
            parts.append((codes.gather(-1, source) == self.level).float())
        x = parts[0] if len(parts) == 1 else torch.cat(parts, -1)
        return x.to(torch.get_default_dtype())
