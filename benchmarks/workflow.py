"""Time and memory of the workflow itself at the paper's scale, against budgets.

    python benchmarks/workflow.py                # parsing, planning, nothing to do: a minute or two
    python benchmarks/workflow.py noop           # five minutes: the grid run with commands that do nothing
    python benchmarks/workflow.py literal        # one job per data set, model, seed and fold
    python benchmarks/workflow.py scoring        # 2 GB of disk: a cache of 1e8 predictions

Budgets hold for a machine that does nothing else; processor seconds are given beside the wall's.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAPER = ROOT / "configs/paper.yaml"
STUB = """\
#!/bin/sh
# Stands for every stage: what it is told of and is not there yet is its output, and appears empty.
for path in "$@"; do
  case "$path" in results/*) [ -e "$path" ] || : > "$path" ;; esac
done
"""


@dataclass(frozen=True)
class Run:
    """A finished command: wall and processor seconds, greatest memory in MB, output."""

    wall: float
    cpu: float
    memory: float
    output: str


def measured(command: Sequence[str], folder: Path, **environment: str) -> Run:
    """Run a command in a folder and measure it and its children."""
    start = time.perf_counter()
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(
            command, cwd=folder, stdout=output, stderr=subprocess.STDOUT, env={**os.environ, **environment}
        )
        _, status, used = os.wait4(process.pid, 0)
        output.seek(0)
        text = output.read()
    if os.waitstatus_to_exitcode(status):
        raise SystemExit(f"failed: {' '.join(command)}\n{text[-3000:]}")
    return Run(time.perf_counter() - start, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, text)


def report(what: str, run: Run, *, seconds: float | None = None, memory: float | None = None) -> bool:
    """Print a line; whether the run kept within its budgets (by wall time)."""
    good = (seconds is None or run.wall < seconds) and (memory is None or run.memory < memory)
    budget = ", ".join([*([f"< {seconds:g} s"] if seconds else []), *([f"< {memory:,.0f} MB"] if memory else [])])
    verdict = ("ok" if good else "MISSED") if budget else ""
    print(
        f"{what:<44} {run.wall:7.1f} s  {run.cpu:7.1f} cpu s  {run.memory:7,.0f} MB  {budget:<20} {verdict}", flush=True
    )
    return good


def snakemake(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "snakemake", *arguments]


def jobs_in(text: str) -> int:
    found = re.search(r"^total +(\d+)$", text, re.MULTILINE)
    return int(found[1]) if found else 0


def project(folder: Path) -> Path:
    """A copy of what the workflow needs, whose stages do nothing."""
    for name in ("src", "workflow", "profiles", "envs", "configs"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("Snakefile", "config.yaml"):
        shutil.copy(ROOT / name, folder)
    stub = folder / "stub/uqalign"
    stub.parent.mkdir()
    stub.write_text(STUB)
    stub.chmod(0o755)
    jobs = folder / "src/uqalign/jobs.py"
    text = jobs.read_text()
    line = 'os.environ["PATH"] = f"{Path(sys.executable).parent}'
    if line not in text:
        raise SystemExit("jobs.prepare_environment changed: this benchmark cannot put its commands first")
    jobs.write_text(text.replace(line, f'os.environ["PATH"] = f"{stub.parent}:{{Path(sys.executable).parent}}'))
    return folder


def parsing(folder: Path) -> bool:
    start = measured(snakemake("--version"), folder)
    rules = measured(snakemake("--list-rules", "--configfile", str(PAPER)), folder)
    beyond = Run(rules.wall - start.wall, rules.cpu - start.cpu, rules.memory, "")
    report("Snakemake's own start", start)
    return report("parsing the Snakefile, beyond that", beyond, seconds=1)


def planning(folder: Path) -> bool:
    run = measured(snakemake("-n", "--quiet", "rules", "--configfile", str(PAPER)), folder)
    return report(f"dry run of the paper's grid, {jobs_in(run.output):,} jobs", run, seconds=15)


def nothing_to_do(folder: Path) -> bool:
    """The grid up to its tables: the commands of later rules are told of folders, which stubs cannot fill."""
    target = ("tables", "--configfile", str(PAPER))
    path = f"{folder / 'src'}"
    run = measured(snakemake(*target, "--cores", str(os.cpu_count()), "--quiet", "progress"), folder, PYTHONPATH=path)
    report("the grid up to its tables, doing nothing", run)
    run = measured(snakemake(*target, "-n"), folder, PYTHONPATH=path)
    if "Nothing to be done" not in run.output:
        raise SystemExit(f"expected nothing to do:\n{run.output[-3000:]}")
    return report("nothing to do up to the tables", run, seconds=15)


def literal(folder: Path) -> bool:
    overlay = folder / "literal.yaml"
    overlay.write_text("chunk: {seeds: 1, folds: 1}\n")
    run = measured(snakemake("predictions", "-n", "--quiet", "rules", "--configfile", str(PAPER), str(overlay)), folder)
    good = report(f"literal dry run, predictions, {jobs_in(run.output):,} jobs", run, seconds=240, memory=2000)
    run = measured(snakemake("-n", "--quiet", "rules", "--configfile", str(PAPER), str(overlay)), folder)
    report(f"literal dry run, everything, {jobs_in(run.output):,} jobs", run)
    return good


MAKE = """
import json, sys
from pathlib import Path
import numpy as np, pandas as pd, pyarrow as pa, pyarrow.parquet as pq
from uqalign.data.splits import read_splits, write_splits
from uqalign.data.table import Table, write_table
from uqalign.files import METADATA_KEY
from uqalign.provenance import canonical_json, code_digest

rows, seeds = map(int, sys.argv[1:])
rng = np.random.default_rng(0)
x = rng.normal(size=rows)
y = (x + rng.normal(size=rows) > 0).astype(float)
table = Table("big", "binary", pd.DataFrame({"x": x}), y, ("0", "1"), ("y",), {"x": "numeric"})
write_table(table, Path("data.parquet"))
write_splits(Path("splits.parquet"), table, n_folds=5, first_seed=0)
spec = {"task": "binary", "dataset": "big", "model": "m", "split": "shuffled", "n_folds": 5,
        "seeds": [0, seeds - 1], "folds": [1, 5]}
assigned = {seed: read_splits("splits.parquet", seed) for seed in range(seeds)}
status = [{"seed": seed, "fold": fold, "error": "", "seconds": 1.0, "rows": int((assigned[seed] == fold).sum())}
          for seed in range(seeds) for fold in range(1, 6)]
metadata = {"kind": "predictions", "task": "binary", "width": 2, "splits": status, "spec": spec, "code": "0" * 16,
            "data_sha256": table.digest}
path = Path("predictions/binary/big/m/seeds/folds.parquet")
path.parent.mkdir(parents=True)
fields = [("seed", pa.int32()), ("fold", pa.int16()), ("row", pa.int64()), ("y", pa.float64()), ("p", pa.float64())]
schema = pa.schema(fields, metadata={METADATA_KEY: json.dumps(metadata)})
with pq.ParquetWriter(path, schema, compression="zstd") as writer:
    for seed, folds in assigned.items():
        order = np.argsort(folds, kind="stable")
        columns = [np.full(rows, seed), folds[order], order, y[order], rng.uniform(size=rows)]
        writer.write_table(pa.table([pa.array(c, t) for c, (_, t) in zip(columns, fields)], schema=schema))
orders = {"metrics": ["nll", "brier", "pwu_c"], "thetas": 1, "protocol": [],
          "expects": {"spec": spec, "code": "0" * 16}}
Path("orders").write_text(canonical_json(orders))
Path("code").write_text(code_digest("uqalign.stages.score"))
"""


def scoring(folder: Path, rows: int, seeds: int) -> bool:
    """Score one cache of `rows` test rows for each of `seeds` seeds in one job."""
    measured([sys.executable, "-c", MAKE, str(rows), str(seeds)], folder)
    cache = folder / "predictions/binary/big/m/seeds/folds.parquet"
    size = cache.stat().st_size
    command = [
        *(str(Path(sys.executable).parent / "uqalign"), "stage", "score", "--data", "data.parquet"),
        *("--splits", "splits.parquet", "--predictions", str(cache.relative_to(folder)), "--out", "scores.parquet"),
        *("--spec", (folder / "orders").read_text(), "--code", (folder / "code").read_text()),
    ]
    run = measured(command, folder)
    shutil.rmtree(folder / "predictions")
    what = f"a job of {seeds} seeds, {rows * seeds:.0e} predictions, {size / 1e9:.2f} GB"
    return report(what, run, memory=2000)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", default="plan", choices=["plan", "noop", "literal", "scoring"])
    parser.add_argument("--rows", type=int, default=1_000_000, help="of the data set whose cache is scored")
    parser.add_argument("--folder", type=Path, help="where to work (default: a temporary folder)")
    options = parser.parse_args()
    good = True
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        folder = project(Path(name) / "project")
        print(json.dumps({"cores": os.cpu_count(), "load": os.getloadavg()[0]}))
        if options.what == "plan":
            good &= parsing(folder)
            good &= planning(folder)
        if options.what == "noop":
            good &= nothing_to_do(folder)
        if options.what == "literal":
            good &= literal(folder)
        if options.what == "scoring":
            for seeds in (1, 10, 100):
                good &= scoring(folder, options.rows, seeds)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
