"""TabPFN: a transformer that was trained on made-up tables and reads a training set as its prompt.

Its package and its weights come separately. The weights are looked for where the environment variable
UQALIGN_TABPFN_WEIGHTS points (a checkpoint, or a folder of them), otherwise in the package's own cache.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Literal

from uqalign.models.base import Compute, Model, Problem
from uqalign.predictions import Prediction
from uqalign.provenance import sha256_of
from uqalign.tasks import Task

VARIABLE = "UQALIGN_TABPFN_WEIGHTS"
SUFFIXES = (".ckpt", ".safetensors")
MOST_ROWS = 10_000
Kind = Literal["classifier", "regressor"]


def weights_place() -> Path:
    """The checkpoint or folder that is searched."""
    if chosen := os.environ.get(VARIABLE):
        return Path(chosen).expanduser()
    if chosen := os.environ.get("TABPFN_MODEL_CACHE_DIR"):
        return Path(chosen).expanduser()
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "tabpfn"
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA") or Path.home()) / "tabpfn"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tabpfn"


def find_weights(kind: Kind) -> Path:
    """The one checkpoint that serves `kind`: named after it, or after neither kind.

    Raises:
        FileNotFoundError: there is none, or more than one; says what to do.
    """
    place = weights_place()
    other = "regressor" if kind == "classifier" else "classifier"
    files = sorted(place.iterdir()) if place.is_dir() else [place]
    found = [path for path in files if path.is_file() and path.suffix in SUFFIXES and other not in path.name]
    if not found:
        raise FileNotFoundError(
            f"no TabPFN weights for the {kind} at {place}: download them from https://huggingface.co/Prior-Labs "
            f"and set {VARIABLE} to the checkpoint or its folder"
        )
    if len(found) > 1:
        names = ", ".join(path.name for path in found)
        raise FileNotFoundError(
            f"several TabPFN weights for the {kind} at {place} ({names}): put those to be used into a folder of "
            f"their own and set {VARIABLE} to it"
        )
    return found[0]


def availability() -> str | None:
    """What is missing here, if anything."""
    if importlib.util.find_spec("tabpfn") is None:
        return "the package tabpfn is not installed: pip install 'uqalign[tabpfn]'"
    try:
        find_weights("classifier"), find_weights("regressor")
    except FileNotFoundError as error:
        return str(error)
    return None


@cache
def _digest(path: Path, size: int, changed: int) -> str:
    """Digest of a file's content, read again only when its size or its time of change (ns) has changed."""
    return sha256_of(path)


def identity(task: Task) -> Mapping[str, str]:
    """The checkpoint that predicts `task`, and the digest of its content."""
    path = find_weights("regressor" if task == "regression" else "classifier")
    about = path.stat()
    return {path.name: _digest(path, about.st_size, about.st_mtime_ns)}


def _fit_predict_many(problems: Sequence[Problem], compute: Compute) -> Iterator[Prediction | Exception]:
    from uqalign.models.engines.in_context import fit_predict_many

    return fit_predict_many(problems, compute)


MODELS = (
    Model(
        name="tabpfn",
        title="TabPFN",
        tasks=frozenset({"binary", "multiclass", "regression"}),
        fit_predict_many=_fit_predict_many,
        available=availability,
        identity=identity,
        distribution=(
            "p = class shares of the transformer's answer; N(mean, ((q84 - q16) / 2)^2), q16 and q84 the 15.87 % and "
            "84.13 % quantiles of its answer"
        ),
        hyperparameters={
            "training rows": f"at most {MOST_ROWS}, drawn at random beyond that",
            "ensemble": "the checkpoint's default",
            "precision": "single",
            "weights": f"{VARIABLE} or the package's cache",
        },
        reference="Hollmann et al. (2025), Accurate predictions on small data with a tabular foundation model",
        libraries=("tabpfn", "torch", "scikit-learn"),
        devices=("cpu", "cuda"),
        reproducible="tolerance",
    ),
)
