"""What a run would do, and why: Snakemake's dry run, read and summarised, with the hours and the disk it would take."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from uqalign.errors import UserError
from uqalign.estimates import dataset_sizes, estimate, read_records
from uqalign.files import METADATA_KEY
from uqalign.tasks import prediction_columns, target_columns

if TYPE_CHECKING:
    from uqalign.data.declare import Dataset
    from uqalign.jobs import Plan

FOLLOWS = "follows from an earlier step"


@dataclass(frozen=True)
class PlannedJob:
    """One job of a dry run.

    Attributes:
        reason: why it would run, in a few words, the root cause first of all.
    """

    rule: str
    wildcards: Mapping[str, str]
    reason: str


def is_training(job: PlannedJob) -> bool:
    """Whether a job fits models to the folds of a data set."""
    return job.rule in ("train", "train_gpu")


@dataclass(frozen=True)
class Step:
    """The jobs of a rule that would run for one reason.

    Attributes:
        fits: models fitted by them.
        cpu_hours: of one core; nan where no earlier run tells.
        gpu_hours: of one device; nan where no earlier run on one tells.
    """

    rule: str
    reason: str
    jobs: int
    fits: int
    cpu_hours: float
    gpu_hours: float


def _differing(before: Any, now: Any, prefix: str = "") -> Iterator[str]:
    """Dotted names of the entries in which two JSON values differ."""
    if not (isinstance(before, dict) and isinstance(now, dict)):
        yield prefix
        return
    for key in sorted({*before, *now}):
        if before.get(key) != now.get(key):
            yield from _differing(before.get(key), now.get(key), f"{prefix}.{key}" if prefix else key)


def _changed_parameters(text: str) -> list[str]:
    """What changed, from Snakemake's lists of parameters before and now: names of settings, or "code"."""

    def parsed(part: str) -> tuple[list[str], list[Any]]:
        # The parameters of a rule are two texts: a digest of code and a JSON object.
        values = re.findall(r"'((?:\{.*?\})|[0-9a-f]{16})'(?=$|[\s,])", part)
        return [v for v in values if not v.startswith("{")], [json.loads(v) for v in values if v.startswith("{")]

    before, _, now = text.partition(" now: ")
    (code_before, spec_before), (code_now, spec_now) = parsed(before), parsed(now)
    found = [name for old, new in zip(spec_before, spec_now, strict=False) for name in _differing(old, new)]
    return [*found, *(["code"] if code_before != code_now else [])]


def reason_of(text: str) -> str:
    """The root cause in Snakemake's words for why a job runs, in ours."""
    if "Missing output files" in text:
        return "not there yet"
    changed = _changed_parameters(text.split("Params have changed", 1)[1]) if "Params have changed" in text else []
    own = [name for name in changed if not name.startswith("expects")]
    if "code" in own:
        own.remove("code")
        return "its code changed" + (f", and {', '.join(own)}" if own else "")
    if own:
        return f"changed: {', '.join(own)}"
    if "Code has changed" in text:
        return "its command changed"
    if "Input files updated by another job" in text or changed:
        return FOLLOWS
    if "Set of input files has changed" in text:
        return "other inputs"
    if "Updated input files" in text:
        return "an input changed"
    if "incomplete" in text.lower():
        return "left incomplete"
    return text.partition(":")[0].strip().lower() or "asked for"


def parse_dry_run(lines: Iterable[str]) -> Iterator[PlannedJob]:
    """The jobs that a dry run's text announces, targets without work of their own left out."""
    rule, reason, works = "", "", False
    wildcards: dict[str, str] = {}
    for line in lines:
        match = re.match(r"(?:local)?rule (\w+):$", line.rstrip())
        if match:
            rule, wildcards, reason, works = match[1], {}, "", False
            continue
        key, _, value = line.strip().partition(": ")
        if not rule or not line.startswith("    "):
            if rule and works:
                yield PlannedJob(rule, wildcards, reason)
            rule = ""
        elif key == "output":
            works = True
        elif key == "wildcards":
            wildcards = dict(pair.split("=", 1) for pair in value.split(", "))
        elif key == "reason":
            reason = reason_of(value)


def dry_run(arguments: Sequence[str]) -> list[PlannedJob]:
    """Ask Snakemake what a run with these arguments would do; nothing is run.

    Raises:
        UserError: the workflow cannot be planned; holds what Snakemake says.
    """
    command = [sys.executable, "-m", "snakemake", "--dry-run", "--nocolor", "--cores", "1", *arguments]
    with subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        assert process.stdout is not None
        tail: list[str] = []

        def lines() -> Iterator[str]:
            for line in process.stdout or ():
                tail.append(line)
                del tail[:-40]
                yield line

        jobs = list(parse_dry_run(lines()))
    if process.returncode:
        raise UserError("snakemake cannot plan this run:\n" + "".join(tail).strip())
    return jobs


class Cost:
    """Hours and bytes of planned jobs, by what earlier runs below a results folder recorded."""

    def __init__(self, plan: Plan, results: Path) -> None:
        self._plan, self._results = plan, results
        found = estimate(plan, read_records(results, dataset_sizes(plan)))
        self._seconds = {(e.model, e.dataset, e.device): e.seconds for e in found}
        self._held: dict[Path, list[dict[str, Any]]] = {}
        self._rates = self._recorded_rates()

    def _recorded_rates(self) -> dict[tuple[str, str], float]:
        """Mean seconds of a job by rule and data set ("" for any), from the benchmark files."""
        totals: dict[tuple[str, str], list[float]] = {}
        for path in sorted((self._results / "benchmarks").glob("*/**/*.tsv")):
            lines = path.read_text(encoding="utf-8").split("\n")
            rule = path.relative_to(self._results / "benchmarks").parts[0]
            try:
                seconds = float(lines[1].split("\t")[0])
            except (IndexError, ValueError):
                continue
            dataset = next((part for part in path.with_suffix("").parts if part in self._plan.datasets), "")
            for key in {(rule, dataset), (rule, "")}:
                totals.setdefault(key, []).append(seconds)
        return {key: sum(values) / len(values) for key, values in totals.items()}

    def _metadata(self, folder: Path) -> list[dict[str, Any]]:
        """Metadata of the readable prediction caches of one data set and model."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        if folder not in self._held:
            self._held[folder] = []
            for path in sorted(folder.glob("seeds-*/folds-*.parquet")):
                try:
                    content = json.loads((pq.read_schema(path).metadata or {})[METADATA_KEY])
                except (pa.ArrowException, OSError, KeyError, ValueError):
                    continue
                self._held[folder].append({**content, "bytes": path.stat().st_size})
        return self._held[folder]

    def _folder(self, job: PlannedJob) -> Path:
        return self._results.joinpath("predictions", *(job.wildcards[key] for key in ("task", "dataset", "model")))

    def fits(self, job: PlannedJob) -> int:
        """Models that a training job fits: what its files do not hold yet."""
        wildcards = SimpleNamespace(**job.wildcards)
        spec, code = json.loads(self._plan.train_spec(wildcards)), self._plan.train_code(wildcards)
        held = {
            (split["seed"], split["fold"])
            for metadata in self._metadata(self._folder(job))
            if metadata.get("code") == code
            and all(metadata.get("spec", {}).get(key) == spec[key] for key in spec if key not in ("seeds", "folds"))
            for split in metadata["splits"]
        }
        (first, last), (low, high) = spec["seeds"], spec["folds"]
        wanted = {(seed, fold) for seed in range(first, last + 1) for fold in range(low, high + 1)}
        return len(wanted - held)

    def hours(self, job: PlannedJob, fits: int) -> tuple[float, float]:
        """Hours of one core and of one GPU; nan where nothing is recorded."""
        if not is_training(job):
            dataset = job.wildcards.get("dataset", "")
            seconds = self._rates.get((job.rule, dataset), self._rates.get((job.rule, ""), math.nan))
            return seconds / 3600, 0.0
        device = "cuda" if job.rule == "train_gpu" else "cpu"
        seconds = self._seconds.get((job.wildcards["model"], job.wildcards["dataset"], device), math.nan)
        hours = fits * seconds / 3600 if fits else 0.0
        return (0.0, hours) if device == "cuda" else (hours, 0.0)

    def _rows(self, dataset: Dataset) -> float:
        import pyarrow.parquet as pq

        cleaned = self._results / "data" / f"{dataset.name}.parquet"
        if dataset.facts is not None or not cleaned.exists():
            return dataset.facts.rows if dataset.facts is not None else math.nan
        return int(pq.read_metadata(cleaned).num_rows)

    def prediction_bytes(self, jobs: Iterable[PlannedJob]) -> float:
        """Bytes of the prediction files that training jobs write; nan where a data set's size is not known yet.

        Uncompressed, a file holds eight bytes per number; how far files shrink is read off those that exist.
        """
        jobs, total, ratios = list(jobs), 0.0, []
        for folder in dict.fromkeys(self._folder(job) for job in jobs):
            for metadata in self._metadata(folder):
                rows = sum(split["rows"] for split in metadata["splits"])
                if rows:
                    ratios.append(metadata["bytes"] / (8 * rows * _columns(metadata["task"], metadata["width"])))
        for job in jobs:
            declared = self._plan.datasets[job.wildcards["dataset"]]
            spec = json.loads(self._plan.train_spec(SimpleNamespace(**job.wildcards)))
            (first, last), (low, high) = spec["seeds"], spec["folds"]
            share = (last - first + 1) * (high - low + 1) / spec["n_folds"]
            total += 8 * self._rows(declared) * share * _columns(declared.task, _width(declared))
        return total * (sum(ratios) / len(ratios) if ratios else 1.0)


def _width(dataset: Dataset) -> int:
    if dataset.task == "multivariate":
        return len(dataset.target)
    return len(dataset.classes or (dataset.facts.class_counts if dataset.facts else ())) or 1


def _columns(task: Any, width: int) -> int:
    return 3 + len(target_columns(task, width)) + len(prediction_columns(task, width))


def summarise(jobs: Sequence[PlannedJob], cost: Cost) -> list[Step]:
    """Planned jobs by rule and reason, in the order in which rules are through, the largest group of a rule first."""
    last = {job.rule: number for number, job in enumerate(jobs)}
    counts = Counter((job.rule, job.reason) for job in jobs)
    fits: Counter[tuple[str, str]] = Counter()
    cpu: dict[tuple[str, str], float] = {}
    gpu: dict[tuple[str, str], float] = {}
    for job in jobs:
        key = (job.rule, job.reason)
        count = cost.fits(job) if is_training(job) else 0
        on_cpu, on_gpu = cost.hours(job, count)
        fits[key] += count
        cpu[key] = cpu.get(key, 0.0) + on_cpu
        gpu[key] = gpu.get(key, 0.0) + on_gpu
    keys = sorted(counts, key=lambda key: (last[key[0]], -counts[key], key[1]))
    return [Step(*key, counts[key], fits[key], cpu[key], gpu[key]) for key in keys]
