"""Reading Snakemake's dry runs."""

import pytest

from uqalign.preview import PlannedJob, parse_dry_run, reason_of

PARAMS = "Params have changed since last execution: Union of exclusive params before and now across all output: "
TEXT = """\
Building DAG of jobs...
[Mon Nov 30 10:19:23 2026]
rule train:
    input: results/data/toy.parquet
    output: results/predictions/binary/toy/mlp/seeds-000-000/folds-1-2.parquet
    reason: Missing output files: results/predictions/x.parquet; Code has changed since last execution
    wildcards: task=binary, dataset=toy, model=mlp, seeds=seeds-000-000, folds=folds-1-2
    resources: tmpdir=/tmp
[Mon Nov 30 10:19:23 2026]
localrule predictions:
    input: results/predictions/x.parquet
    reason: Input files updated by another job: results/predictions/x.parquet
    resources: tmpdir=/tmp
Job stats:
"""


def test_jobs_are_read_and_bare_targets_are_not():
    wildcards = {"task": "binary", "dataset": "toy", "model": "mlp", "seeds": "seeds-000-000", "folds": "folds-1-2"}
    assert list(parse_dry_run(TEXT.splitlines(keepends=True))) == [PlannedJob("train", wildcards, "not there yet")]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (PARAMS + "before: '08039941a36d2116' now: '282a20520e5f4e13' ", "its code changed"),
        (PARAMS + """before: '{"thetas":5,"x":[1]}' now: '{"thetas":2,"x":[1]}' """, "changed: thetas"),
        (
            PARAMS + """before: '08039941a36d2116', '{"a":{"b":1}}' now: '{"a":{"b":2}}', '282a20520e5f4e13' """,
            "its code changed, and a.b",
        ),
        (
            PARAMS + """before: '{"expects":{"code":"1"}}' now: '{"expects":{"code":"2"}}' """,
            "follows from an earlier step",
        ),
        ("Input files updated by another job: a, b", "follows from an earlier step"),
        ("Set of input files has changed since last execution", "other inputs"),
        ("Updated input files: a", "an input changed"),
        ("Code has changed since last execution", "its command changed"),
        ("Forced execution", "forced execution"),
        ("", "asked for"),
    ],
)
def test_the_root_cause_is_named(text, reason):
    assert reason_of(text) == reason
