"""Time and memory of a finished run, by kind of job, from what the workflow recorded about itself.

python benchmarks/run.py results
"""

from __future__ import annotations

import argparse
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq


def jobs(results: Path) -> pd.DataFrame:
    """A row per job: rule, seconds, processor seconds, memory in MB; training by model."""
    rows = []
    for path in sorted((results / "benchmarks").rglob("*.tsv")):
        parts = path.relative_to(results / "benchmarks").parts
        rule = f"{parts[0]} {parts[3]}" if parts[0] == "train" else parts[0].removesuffix(".tsv")
        record = pd.read_csv(path, sep="\t").iloc[0]
        rows.append({"rule": rule, "s": record["s"], "cpu": record["cpu_time"], "mb": record["max_rss"]})
    return pd.DataFrame(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path)
    results = parser.parse_args().results
    found = jobs(results)
    if found.empty:
        raise SystemExit(f"{results} holds no record of a run: expected {results / 'benchmarks'}")
    summary = found.groupby("rule").agg(jobs=("s", "size"), seconds=("s", "sum"), cpu=("cpu", "sum"), mb=("mb", "max"))
    print(summary.round(0).astype(int).to_markdown())
    caches = list((results / "predictions").rglob("*.parquet"))
    predictions = sum(pq.read_metadata(path).num_rows for path in caches)
    for rule in ("score", "sensitivity_scores", "audit_score"):
        if rule in summary.index:
            rate = predictions / summary.loc[rule, "cpu"]
            print(f"{rule}: {predictions:,} predictions in {len(caches)} caches, {rate:,.0f} per processor second")


if __name__ == "__main__":
    main()
