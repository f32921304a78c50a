"""Tables and figures of a run in which every fit failed."""

import itertools
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest

from uqalign.config import Config
from uqalign.contracts.scores import SCORE_COLUMNS, write_scores
from uqalign.jobs import FAMILIES, Plan
from uqalign.reporting.plan import ReportPlan
from uqalign.stages import (
    ablations,
    align,
    compare,
    comparison_figure,
    figure,
    leaderboard,
    model_figure,
    stability,
    table,
)

DATASETS = ["auto_mpg", "energy"]
MODELS = ["linreg", "random_forest", "constant", "noise", "oracle"]
TASK = "regression"


def failed(folder: Path, plan: Plan) -> None:
    """Score files of a run in which no fit succeeded."""
    for job in plan.jobs:
        fits = itertools.product(job.seeds, job.folds)
        key = {"dataset": job.dataset, "model": job.model, "error": "singular matrix", "seconds": 1}
        status = [{**key, "seed": seed, "fold": fold} for seed, fold in fits]
        path = folder / f"results/scores/{job.path}.parquet"
        write_scores(path, pd.DataFrame([], columns=SCORE_COLUMNS), {"splits": status})


@pytest.fixture
def plan():
    return Plan(Config(datasets=DATASETS, models=MODELS, seeds=3, folds=2))


def show(folder: Path, plan: Plan) -> Path:
    """Every stage from scores to tables and figures of one task, as the rules call them; the folder of the tables."""
    reports, tables, pictures = ReportPlan(plan), folder / "tables", folder / "figures"
    task = SimpleNamespace(task=TASK)
    alignments = [folder / path for path in plan.task_alignments(task)]
    for name, out in zip(DATASETS, alignments, strict=True):
        wildcards = SimpleNamespace(dataset=name)
        files = [folder / path for path in plan.scores_of(wildcards)]
        align.run(scores=files, spec=plan.align_spec(wildcards), code=plan.align_code(wildcards), out=out)
    scores = [folder / path for path in plan.task_scores(task)]

    def pair(name: str) -> tuple[Path, Path]:
        return tables / f"{name}.csv", tables / f"{name}.md"

    spec = reports.leaderboard_spec(task)
    csv, markdown = pair(f"models_{TASK}")
    leaderboard.run(scores=scores, spec=spec, code=reports.code("leaderboard"), csv=csv, markdown=markdown)
    stability.run(
        scores=scores, spec=spec, code=reports.code("stability"), stability=pair(f"stability_{TASK}"),
        first_places=tables / f"first_places_{TASK}.csv", model_ranks=pair(f"model_ranks_{TASK}"),
    )  # fmt: skip
    csv, markdown = pair("ablations")
    ablations.run(
        alignments=alignments, spec=reports.ablations_spec(None), code=reports.code("ablations"), csv=csv,
        markdown=markdown,
    )  # fmt: skip
    for family in FAMILIES[TASK]:
        wildcards = SimpleNamespace(family=family)
        csv, markdown = pair(f"alignment_{family}")
        orders = {"alignments": alignments, "spec": reports.table_spec(wildcards)}
        table.run(**orders, code=reports.code("table"), csv=csv, markdown=markdown, latex=tables / f"{family}.tex")
        pairs = {name: pair(f"{name}_{family}") for name in ("pooled", "pairwise", "ranks")}
        compare.run(**orders, code=reports.code("compare"), **pairs)
        comparison_figure.run(
            ranks=pairs["ranks"][0], pairwise=pairs["pairwise"][0], spec=reports.comparison_figure_spec(wildcards),
            code=reports.code("comparison_figure"), folder=pictures,
        )  # fmt: skip
    spec = reports.figure_spec(task)
    figure.run(alignments=alignments, spec=spec, code=reports.code("figure"), folder=pictures)
    ranks = tables / f"model_ranks_{TASK}.csv"
    model_figure.run(model_ranks=ranks, spec=spec, code=reports.code("model_figure"), folder=pictures)
    wanted = [*reports.tables(), *reports.figures()]
    made = {path.name for path in (*tables.iterdir(), *pictures.iterdir())}
    missing = {Path(path).name for path in wanted if "tex" not in path and "priors_" not in path} - made
    assert missing == {"table_1.csv", "table_1.md"}
    return tables


def test_a_run_in_which_every_fit_failed(plan, tmp_path):
    failed(tmp_path, plan)
    tables = show(tmp_path, plan)
    assert "No fit of any model succeeded on auto_mpg, energy." in (tables / "alignment_selective.md").read_text()
    assert pd.read_csv(tables / "pooled_selective.csv")["mean"].isna().all()
    assert "No two metrics have an alignment on the same data set." in (tables / "pairwise_selective.md").read_text()
    assert "nothing to test" in (tables / "ranks_selective.md").read_text()
