"""The stages of case studies run in this process, in the order of the workflow."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

from uqalign.cases.plan import CasePlan
from uqalign.cases.report import figures_of, tables_of


def run_cases(plan: CasePlan, data_dir: Path) -> None:
    """Make every target of the plan's case studies below the working directory."""
    from uqalign.stages import (
        align,
        case_figure,
        case_score,
        case_side,
        case_splits,
        case_table,
        clean_data,
        split_data,
        train,
    )

    places = {"data_dir": data_dir, "download_dir": Path("downloads")}
    needed = {name for case in plan.cases.values() for arm in case.arms for name in plan.datasets_of(arm)}
    for name in needed:
        data, splits = Path(f"results/data/{name}.parquet"), f"results/splits/{name}/seeds-000-099.parquet"
        w = SimpleNamespace(dataset=name, block="seeds-000-099")
        clean_data.run(spec=plan.data_spec(w), code=plan.data_code(w), out=data, **places)
        if name in plan.fixed:
            stage, spec, code = case_splits, plan.fixed_splits_spec(w), plan.fixed_splits_code(w)
        else:
            stage, spec, code = split_data, plan.splits_spec(w), plan.splits_code(w)
        stage.run(data=data, spec=spec, code=code, out=Path(splits))
    for job in plan.jobs:
        if job.dataset in needed:
            task, dataset, model, seeds, folds = job.path.split("/")
            w = SimpleNamespace(task=task, dataset=dataset, model=model, seeds=seeds, folds=folds)
            list(
                train.run(
                    data=Path(f"results/data/{dataset}.parquet"),
                    splits=Path(plan.splits_of(w)),
                    spec=plan.train_spec(w),
                    code=plan.train_code(w),
                    out=Path(f"results/predictions/{job.path}.parquet"),
                    threads=1,
                    device=lambda: nullcontext("cpu"),
                )
            )
    for case in plan.cases.values():
        for dataset in {name for arm in case.arms for name in plan.datasets_of(arm)}:
            w = SimpleNamespace(case=case.name, dataset=dataset)
            data, out = Path(f"results/data/{dataset}.parquet"), Path(plan.side(case.name, dataset))
            case_side.run(data=data, spec=plan.side_spec(w), code=plan.side_code(w), out=out, **places)
        for arm in case.arms:
            for path in plan.case_scores(case, arm):
                *_, model, seeds, folds = Path(path).with_suffix("").parts
                w = SimpleNamespace(case=case.name, arm=arm.name, model=model, seeds=seeds, folds=folds)
                files = [Path(file) for file in plan.score_inputs(w)]
                spec, code = plan.case_score_spec(w), plan.case_score_code(w)
                case_score.run(files=files, spec=spec, code=code, out=Path(path))
            w = SimpleNamespace(case=case.name, arm=arm.name)
            scores = [Path(file) for file in plan.case_scores_of(w)]
            out = Path(f"results/cases/{case.name}/alignment/{arm.name}.parquet")
            align.run(scores=scores, spec=plan.case_align_spec(w), code=plan.align_code(w), out=out)
        files = [Path(file) for file in plan.report_inputs(SimpleNamespace(case=case.name))]
        folder = Path(f"results/cases/{case.name}")
        for name in tables_of(case):
            w = SimpleNamespace(case=case.name, table=name)
            out = folder / "tables" / name
            case_table.run(
                files=files,
                spec=plan.case_table_spec(w),
                code=plan.case_table_code(w),
                csv=out.with_suffix(".csv"),
                markdown=out.with_suffix(".md"),
            )
        for name in figures_of(case):
            w = SimpleNamespace(case=case.name, figure=name)
            out = folder / "figures" / f"{name}.png"
            case_figure.run(files=files, spec=plan.case_figure_spec(w), code=plan.case_figure_code(w), out=[out])
