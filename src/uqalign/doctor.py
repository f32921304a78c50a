"""Is everything here that a run needs? One finding per thing looked at, with the remedy where something is amiss."""

from __future__ import annotations

import importlib.metadata
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from packaging.requirements import Requirement

if TYPE_CHECKING:
    from uqalign.config import Config

Status = Literal["ok", "note", "problem"]

PACKAGE = "uqalign"
NEEDED = ("train", "workflow", "report")
"""Extras without which the workflow cannot run; the others are a matter of what is wanted."""

LEAST_DISK = 2 * 2**30
LEAST_MEMORY = 4 * 2**30


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        status: "ok"; "note": worth knowing, a run works without; "problem": a run would fail.
        remedy: what to do, or "".
    """

    status: Status
    subject: str
    detail: str
    remedy: str = ""


def examine(config: Config, results: Path, data_dir: Path, download_dir: Path) -> Iterator[Finding]:
    """Look at the installation, the machine, the data, the weights and the cluster; nothing is downloaded.

    Args:
        config: whose data sets and models are needed.
        results: folder the workflow writes to.
        data_dir, download_dir: folders of raw files.
    """
    yield from _installation()
    yield from _machine(results)
    yield _device()
    yield from _models(config)
    yield from _data(config, data_dir, download_dir)
    yield _cluster()


def _installation() -> Iterator[Finding]:
    version = ".".join(map(str, sys.version_info[:3]))
    yield Finding("ok", "python", f"{version} at {sys.executable}")
    extras: dict[str, list[Requirement]] = {}
    for text in importlib.metadata.requires(PACKAGE) or []:
        requirement = Requirement(text)
        for extra in importlib.metadata.metadata(PACKAGE).get_all("Provides-Extra") or []:
            if requirement.marker and requirement.marker.evaluate({"extra": extra}):
                extras.setdefault(extra, []).append(requirement)
    for extra, requirements in extras.items():
        lacking = [text for requirement in requirements if (text := _lacking(requirement))]
        remedy = f"pip install '{PACKAGE}[{extra}]'" if lacking else ""
        status: Status = "ok" if not lacking else "problem" if extra in NEEDED else "note"
        detail = "; ".join(lacking) or ", ".join(f"{r.name} {importlib.metadata.version(r.name)}" for r in requirements)
        yield Finding(status, f"libraries: {extra}", detail, remedy)


def _lacking(requirement: Requirement) -> str:
    """What is wrong with an installed distribution, or ""."""
    try:
        found = importlib.metadata.version(requirement.name)
    except importlib.metadata.PackageNotFoundError:
        return f"{requirement.name} is not installed"
    if not requirement.specifier.contains(found, prereleases=True):
        return f"{requirement.name} {found} is installed, {requirement.specifier} is needed"
    return ""


def _machine(results: Path) -> Iterator[Finding]:
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 0
    yield Finding(
        "ok" if memory >= LEAST_MEMORY or not memory else "note",
        "machine",
        f"{os.cpu_count()} cores, {memory / 2**30:.0f} GiB of memory",
        "" if memory >= LEAST_MEMORY or not memory else "give snakemake --resources mem_mb=... so that jobs take turns",
    )
    place = next(parent for parent in (results.absolute(), *results.absolute().parents) if parent.exists())
    free = shutil.disk_usage(place).free
    if not os.access(place, os.W_OK):
        yield Finding("problem", "results", f"{place} cannot be written to", "run in a folder of your own")
    elif free < LEAST_DISK:
        yield Finding("problem", "results", f"{free / 2**30:.1f} GiB free at {place}", "make room, or run elsewhere")
    else:
        yield Finding("ok", "results", f"{place} can be written to, {free / 2**30:.0f} GiB free")


def _device() -> Finding:
    try:
        import torch
    except ImportError as error:
        return Finding("problem", "device", f"torch cannot be imported ({error})", f"pip install '{PACKAGE}[train]'")
    if torch.cuda.is_available():
        names = ", ".join(torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count()))
        return Finding("ok", "device", f"cuda: {names}; networks and Gaussian processes are trained there")
    if Path("/dev/nvidia0").exists():
        return Finding(
            "problem",
            "device",
            f"there is an NVIDIA device that torch {torch.__version__} cannot use",
            "install a CUDA build of torch, or set device: cpu",
        )
    return Finding("ok", "device", "cpu; no CUDA device found")


def _models(config: Config) -> Iterator[Finding]:
    from uqalign.models.base import REGISTRY
    from uqalign.models.suites import expand_suites

    wanted = expand_suites(config.models)
    for name in dict.fromkeys([*wanted, *(model.name for model in REGISTRY if model.devices)]):
        lacking = REGISTRY.get(name).available()
        if lacking:
            yield Finding("problem" if name in wanted else "note", f"model {name}", "not available here", lacking)
    yield Finding("ok", "models", f"{len(wanted)} in the configuration: {', '.join(wanted)}")


def _data(config: Config, data_dir: Path, download_dir: Path) -> Iterator[Finding]:
    from uqalign.data.fetch import Fetcher
    from uqalign.data.registry import resolve

    with Fetcher(data_dir=data_dir, download_dir=download_dir) as fetcher:
        here: list[str] = []
        elsewhere: list[str] = []
        for name in config.datasets:
            source, on_disk = fetcher.chosen(resolve(name))
            (here if on_disk else elsewhere).append(f"{name} ({source.kind})")
    if here:
        yield Finding("ok", "data on disk", ", ".join(here))
    if elsewhere:
        remedy = "uqalign datasets fetch NAME fetches now what a run would fetch then"
        yield Finding("note", "data to be fetched", ", ".join(elsewhere), remedy)


def _cluster() -> Finding:
    if shutil.which("sbatch") is None:
        return Finding("ok", "slurm", "no sbatch here: jobs run on this machine")
    try:
        plugin = importlib.metadata.version("snakemake-executor-plugin-slurm")
    except importlib.metadata.PackageNotFoundError:
        return Finding(
            "note",
            "slurm",
            "sbatch is here, its Snakemake plugin is not",
            "pip install snakemake-executor-plugin-slurm, then snakemake --workflow-profile profiles/slurm",
        )
    state = subprocess.run(["sinfo", "--noheader"], capture_output=True, text=True, check=False)
    if state.returncode:
        return Finding("note", "slurm", f"plugin {plugin}; sinfo fails: {state.stderr.strip()}", "ask your cluster")
    return Finding("ok", "slurm", f"plugin {plugin}, {len(state.stdout.splitlines())} partitions and node states")
