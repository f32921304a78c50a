"""`uqalign datasets`: list, show, fetch, add and check data sets."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from uqalign.data.declare import Dataset
    from uqalign.data.fetch import Fetcher
    from uqalign.data.table import Table

datasets_app = typer.Typer(
    help="The data sets: list them, show, fetch or check one, add your own.", invoke_without_command=True
)

DataDir = Annotated[
    Path, typer.Option(envvar="UQALIGN_DATA_DIR", help="Folder of raw files you already have; only read.")
]
DownloadDir = Annotated[
    Path, typer.Option(envvar="UQALIGN_DOWNLOAD_DIR", help="Folder in which fetched files are kept.")
]
Name = Annotated[str, typer.Argument(help="A data set's name, path/to/declaration.yaml or package.module:NAME.")]
DATA_DIR, DOWNLOAD_DIR = Path("data/raw"), Path("data/downloads")


def _fetcher(data_dir: Path, download_dir: Path, *, shown: bool = True) -> Fetcher:
    from uqalign.data.fetch import Fetcher
    from uqalign.data.progress import SILENT, Console

    return Fetcher(data_dir=data_dir, download_dir=download_dir, progress=Console() if shown else SILENT)


def _console(*, error: bool = False) -> Console:
    from rich.console import Console

    return Console(stderr=error, highlight=False, soft_wrap=True)


@datasets_app.callback()
def list_datasets(
    context: typer.Context, data_dir: DataDir = DATA_DIR, download_dir: DownloadDir = DOWNLOAD_DIR
) -> None:
    """List the data sets with their size, licence, and the source that would be used."""
    if context.invoked_subcommand:
        return
    from rich.console import Console
    from rich.table import Table

    from uqalign.data.registry import DATASETS_REGISTRY
    from uqalign.tasks import TASKS

    table = Table(title="Data sets", title_justify="left", box=None)
    table.add_column("name", style="bold", no_wrap=True)
    table.add_column("task")
    table.add_column("rows", justify="right")
    table.add_column("features", justify="right")
    table.add_column("on disk")
    table.add_column("source", no_wrap=True)
    table.add_column("licence", overflow="fold")
    with _fetcher(data_dir, download_dir, shown=False) as fetcher:
        for one in sorted(DATASETS_REGISTRY, key=lambda one: (TASKS.index(one.task), one.name)):
            rows, features = (f"{one.facts.rows:,}", str(one.facts.features)) if one.facts else ("?", "?")
            source, here = fetcher.chosen(one)
            table.add_row(one.name, one.task, rows, features, "yes" if here else "no", source.kind, one.licence)
    console = Console()
    console.print(table)
    console.print(
        "\n[dim]One in full: uqalign datasets show NAME. All files: uqalign datasets fetch --all. "
        "Your own: uqalign datasets add FILE.csv[/]"
    )


@datasets_app.command("show")
def show_dataset(name: Name, data_dir: DataDir = DATA_DIR, download_dir: DownloadDir = DOWNLOAD_DIR) -> None:
    """Show a data set's declaration: facts, sources, licence, citation."""
    from uqalign.data.page import summary
    from uqalign.data.registry import resolve

    dataset = resolve(name)
    console = _console()
    console.print(f"[bold]{dataset.title}[/] ({dataset.name})")
    facts = dataset.facts
    lines = {
        "task": dataset.task,
        "target": ", ".join(dataset.targets),
        "classes": ", ".join(dataset.classes),
        "rows": f"{facts.rows:,}" if facts else "",
        "features": str(facts.features) if facts else "",
        "missing": f"{facts.missing:,} cells" if facts and facts.missing else "",
        "distribution": summary(facts) if facts else "",
        "group": dataset.group or "",
        "time": dataset.time or "",
        "licence": dataset.licence,
        "cite": dataset.citation,
        "note": dataset.note,
    }
    for key, value in lines.items():
        if value:
            console.print(f"  [cyan]{key:<13}[/]", end="")
            console.print(value, markup=False)
    with _fetcher(data_dir, download_dir, shown=False) as fetcher:
        chosen, _ = fetcher.chosen(dataset)
        for source in dataset.sources:
            state = "on disk" if fetcher.reachable(source) else "not on disk"
            mark = " <- would be used" if source is chosen else ""
            console.print(f"  [cyan]source[/]       {source.kind} ({state}){mark}: ", end="")
            console.print(source.address, markup=False)
            for member in source.members:
                console.print(f"                 {member.content.name} sha256 {member.content.sha256}", style="dim")


@datasets_app.command("fetch")
def fetch_datasets(
    names: Annotated[list[str] | None, typer.Argument(help="Data sets to fetch.")] = None,
    all_: Annotated[bool, typer.Option("--all", help="Every registered data set.")] = False,
    data_dir: DataDir = DATA_DIR,
    download_dir: DownloadDir = DOWNLOAD_DIR,
) -> None:
    """Fetch data sets, verify checksums and facts, and say where each came from.

    Exits with 1 if any of those named could not be obtained; the others are fetched all the same.
    """
    from uqalign.data.load import load_with
    from uqalign.data.registry import DATASETS_REGISTRY, resolve
    from uqalign.errors import UserError

    if bool(names) == all_:
        raise typer.BadParameter("name data sets, or say --all")
    wanted = [resolve(name) for name in names] if names else list(DATASETS_REGISTRY)
    failed: list[str] = []
    console = _console()
    with _fetcher(data_dir, download_dir) as fetcher:
        for dataset in wanted:
            try:
                table = load_with(fetcher, dataset)
            except UserError as error:
                failed.append(dataset.name)
                console.print(f"[red]{dataset.name}: failed[/]")
                console.print(str(error), markup=False)
                continue
            sums = len(table.source["sha256"])
            files = "1 file" if sums == 1 else f"{sums} files"
            console.print(
                f"[green]{dataset.name}[/]: {len(table):,} rows from {table.source['kind']}; "
                f"sha256 of {files} and all facts verified"
            )
    if failed:
        console.print(f"[red]{len(failed)} of {len(wanted)} failed: {', '.join(failed)}[/]")
        raise typer.Exit(1)


@datasets_app.command("check")
def check_dataset(
    name: Name,
    strict: Annotated[bool, typer.Option(help="Exit with 1 if anything is wrong.")] = False,
    data_dir: DataDir = DATA_DIR,
    download_dir: DownloadDir = DOWNLOAD_DIR,
) -> None:
    """Load a data set and report what was inferred and what looks wrong."""
    from uqalign.data.load import load_with
    from uqalign.data.registry import resolve

    dataset = resolve(name)
    with _fetcher(data_dir, download_dir) as fetcher:
        table = load_with(fetcher, dataset)
    wrong = _report(dataset, table)
    if strict and wrong:
        raise typer.Exit(1)


@datasets_app.command("add")
def add_dataset(
    file: Annotated[Path, typer.Argument(help="CSV or Parquet file.")],
    target: Annotated[list[str], typer.Option(help="Target column; repeat it for a multivariate task.")],
    task: Annotated[str, typer.Option(help="binary, multiclass, regression or multivariate.")],
    out: Annotated[Path | None, typer.Option(help="Declaration to write; default: beside the file.")] = None,
    name: Annotated[str, typer.Option(help="Short id; default: from the file name.")] = "",
    drop: Annotated[list[str] | None, typer.Option(help="Column that is not a feature; repeatable.")] = None,
    group: Annotated[str | None, typer.Option(help="Column of groups (patients, sites).")] = None,
    time: Annotated[str | None, typer.Option(help="Column of times.")] = None,
    missing: Annotated[list[str] | None, typer.Option(help="Cell that means missing; repeatable.")] = None,
    force: Annotated[bool, typer.Option(help="Replace an existing declaration.")] = False,
) -> None:
    """Write a declaration of your own file: types, checksum and facts, to be corrected by hand."""
    from uqalign.data.registry import resolve
    from uqalign.data.scaffold import scaffold
    from uqalign.tasks import TASKS

    if task not in TASKS:
        raise typer.BadParameter(f"{task!r} is none of {', '.join(TASKS)}", param_hint="--task")
    path, table = scaffold(
        file,
        target=target,
        task=task,
        out=out,
        name=name,
        drop=drop,
        group=group,
        time=time,
        missing=missing,
        overwrite=force,
    )
    _report(resolve(str(path)), table)
    _console().print(f"\nwrote [bold]{path}[/]: correct it, then put its path among the datasets of the config")


def _report(dataset: Dataset, table: Table) -> int:
    """Print what a table holds and what looks wrong; the number of findings that spoil results."""
    from uqalign.data.facts import facts_of
    from uqalign.data.inspection import inspect_table
    from uqalign.data.page import summary

    console = _console()
    facts = facts_of(table)
    console.print(f"[bold]{dataset.title}[/] ({dataset.name}): {table.task}, {len(table):,} rows")
    console.print(f"  target {', '.join(table.target_names)}: {summary(facts)}", markup=False)
    for column, kind in table.kinds.items():
        values = table.features[column]
        missing = int(values.isna().sum())
        what = f"{values.min():.6g} to {values.max():.6g}" if kind == "numeric" else f"{values.nunique()} levels"
        console.print(f"  {column}: {kind}, {what}" + (f", {missing:,} missing" if missing else ""), markup=False)
    findings = inspect_table(table)
    if not findings:
        console.print("[green]nothing looks wrong[/]")
    for finding in findings:
        style = "red" if finding.severity == "wrong" else "yellow"
        console.print(f"[{style}]{finding.severity:<6}[/]", end="")
        console.print(f"{finding.subject}: {finding.message}", markup=False)
    return sum(finding.severity == "wrong" for finding in findings)


@datasets_app.command("page", hidden=True)
def write_page(
    plots: Annotated[Path | None, typer.Option(help="Also draw the targets, into this folder.")] = None,
    data_dir: DataDir = DATA_DIR,
    download_dir: DownloadDir = DOWNLOAD_DIR,
) -> None:
    """Print the documentation page of the data sets."""
    from uqalign.data.load import load_with
    from uqalign.data.page import page
    from uqalign.data.plots import class_svg, target_svg
    from uqalign.data.registry import DATASETS_REGISTRY
    from uqalign.files import write_text

    if plots:
        with _fetcher(data_dir, download_dir) as fetcher:
            for dataset in DATASETS_REGISTRY:
                counts = dict(dataset.facts.class_counts) if dataset.facts else {}
                picture = class_svg(counts) if counts else target_svg(load_with(fetcher, dataset))
                write_text(plots / f"{dataset.name}.svg", picture)
    print(page(DATASETS_REGISTRY), end="")
