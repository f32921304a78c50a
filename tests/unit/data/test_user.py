"""A user's own data: YAML declarations, their scaffold, and every way to write them wrongly."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml

from toy_data import CSV, content_of
from uqalign.data.errors import DataError, FactsError
from uqalign.data.load import load
from uqalign.data.registry import resolve
from uqalign.data.scaffold import scaffold
from uqalign.registry import UnknownNameError


def declare(folder: Path, *, data: bytes = CSV, file: str = "toy.csv", **changes: Any) -> Path:
    (folder / file).write_bytes(data)
    raw = gzip.decompress(data) if file.endswith(".gz") else data
    content = {"file": file, "task": "binary", "target": "y", "sha256": content_of(raw).sha256} | changes
    (folder / "my-Toy.yaml").write_text(yaml.safe_dump({k: v for k, v in content.items() if v is not None}))
    return folder / "my-Toy.yaml"


def loaded(path: Path, tmp_path: Path) -> Any:
    return load(resolve(str(path)), data_dir=tmp_path / "unused", download_dir=tmp_path / "downloads")


def test_a_minimal_declaration(tmp_path: Path) -> None:
    dataset = resolve(str(declare(tmp_path)))
    assert (dataset.name, dataset.task, dataset.title) == ("my_toy", "binary", "my_toy")
    table = loaded(tmp_path / "my-Toy.yaml", tmp_path)
    assert table.classes == ("no", "yes")
    assert table.source["kind"] == "local"


def test_a_declaration_is_found_relative_to_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sets").mkdir()
    declare(tmp_path / "sets")
    monkeypatch.chdir(tmp_path)
    dataset = resolve("sets/my-Toy.yaml")
    assert dataset.sources[0].folder == "sets"  # type: ignore[attr-defined]
    assert len(load(dataset)) == 6


def test_everything_a_declaration_can_say(tmp_path: Path) -> None:
    data = "when;who;code;z;x;y;id\n" + "".join(
        f"2020-01-0{day};p{day // 3};{day % 2};{day},5;{'?' if day == 4 else day};{'b' if day % 2 else 'a'};{day}\n"
        for day in range(1, 9)
    )
    path = declare(
        tmp_path, data=gzip.compress(data.encode("latin-1")), file="toy.txt.gz", name="full", title="Full",
        separator=";", decimal=",", encoding="latin-1", missing=["?"], classes=["b", "a"],
        kinds={"code": "categorical", "z": "numeric"}, drop=["id"], group="who", time="when",
        licence="CC0", citation="Me (2020).", note="A note.",
        facts={"rows": 8, "features": 3, "missing": 1, "class_counts": {"b": 4, "a": 4}},
    )  # fmt: skip
    dataset, table = resolve(str(path)), loaded(path, tmp_path)
    assert (dataset.name, dataset.title, dataset.licence, dataset.note) == ("full", "Full", "CC0", "A note.")
    assert dict(table.kinds) == {"code": "categorical", "z": "numeric", "x": "numeric"}
    assert table.features["z"].tolist() == [day + 0.5 for day in range(1, 9)]
    assert table.target.tolist() == [0, 1] * 4
    assert table.group is not None
    assert table.time is not None
    assert table.group.tolist() == ["p0", "p0", "p1", "p1", "p1", "p2", "p2", "p2"]


def test_a_parquet_file_keeps_its_types(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {
            "code": pd.Categorical([3, 1, 3], categories=[3, 1]),
            "flag": pd.array([True, None, False], dtype="boolean"),
            "count": pd.array([1, None, 2], dtype="Int64"),
            "text": ["A", "a", None],
            "y": [0.5, 1.5, 2.5],
        }
    )
    frame.to_parquet(tmp_path / "toy.parquet")
    path = declare(tmp_path, data=(tmp_path / "toy.parquet").read_bytes(), file="toy.parquet", task="regression")
    table = loaded(path, tmp_path)
    assert dict(table.kinds) == {
        "code": "categorical", "flag": "categorical", "count": "numeric", "text": "categorical",
    }  # fmt: skip
    assert table.features["code"].tolist() == ["3", "1", "3"]
    assert table.features["flag"].tolist() == ["True", None, "False"]
    assert table.features["text"].tolist() == ["A", "a", None]
    np.testing.assert_array_equal(table.features["count"], [1, np.nan, 2])


def test_na_and_none_are_levels_unless_declared_missing(tmp_path: Path) -> None:
    data = b"country,y\nNA,no\nNone,yes\n,no\nnan,yes\n"
    assert loaded(declare(tmp_path, data=data), tmp_path).features["country"].tolist() == ["NA", "None", None, "nan"]
    found = loaded(declare(tmp_path, data=data, missing=["NA"]), tmp_path).features["country"].tolist()
    assert found == [None, "None", None, "nan"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"taget": "y"}, "unknown key 'taget': did you mean 'target'"),
        ({"task": "classification"}, "task: Input should be 'binary', 'multiclass'"),
        ({"task": None}, "task: Field required"),
        ({"kinds": {"x": "ordinal"}}, "kinds.x: Input should be 'numeric' or 'categorical'"),
        ({"file": "toy.sas"}, "toy.sas: use a file of type .csv"),
        ({"name": "My Toy"}, "name 'My Toy': use at most 40 lower-case"),
        ({"target": ["y", "x"]}, "a binary task has one target column"),
        ({"classes": [True, False]}, "put it in quotes"),
        ({"facts": {"rows": 6, "features": 1, "columns": 2}}, "facts.columns: Extra inputs are not permitted"),
    ],
)
def test_a_wrong_declaration_names_the_key(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    path = declare(tmp_path, **changes) if "file" not in changes else declare(tmp_path)
    if "file" in changes:
        path.write_text(path.read_text().replace("toy.csv", changes["file"]))
    with pytest.raises(DataError, match=message) as caught:
        resolve(str(path))
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [("[1, 2]", "holds list, not keys"), ("", "holds NoneType"), ("a: [", "cannot be read as YAML"), ("\x00", "YAML")],
)
def test_what_is_no_declaration(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "x.yml").write_text(text)
    with pytest.raises(DataError, match=message):
        resolve(str(tmp_path / "x.yml"))


def test_files_that_are_absent(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"absent\.yaml does not exist: `uqalign datasets add FILE\.csv` writes one"):
        resolve(str(tmp_path / "absent.yaml"))
    path = declare(tmp_path)
    (tmp_path / "toy.csv").unlink()
    with pytest.raises(DataError, match=r"toy\.csv does not exist"):
        loaded(path, tmp_path)


def test_checksums_and_facts_are_verified(tmp_path: Path) -> None:
    path = declare(tmp_path, sha256=None)
    missing = f"add `sha256: {content_of(CSV).sha256}`"
    with pytest.raises(DataError, match=missing), pytest.warns(UserWarning, match="no declared checksum"):
        loaded(path, tmp_path)
    path = declare(tmp_path, facts={"rows": 7, "features": 1, "class_counts": {"no": 3, "yes": 3}})
    with pytest.raises(FactsError, match="rows: expected 7, found 6"):
        loaded(path, tmp_path)


def test_a_url_serves_where_the_file_is_absent(tmp_path: Path, server: Any) -> None:
    from toy_data import reply

    server.respond = lambda handler, _: reply(handler, CSV)
    path = declare(tmp_path, url=server.url())
    (tmp_path / "toy.csv").unlink()
    assert loaded(path, tmp_path).source["kind"] == "url"


def test_resolve_by_name_and_dotted_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert resolve("sonar").name == "sonar"
    with pytest.raises(UnknownNameError, match="did you mean 'sonar'"):
        resolve("sonra")
    (tmp_path / "my_sets_for_test.py").write_text(
        "from uqalign.data.declare import Content, Dataset, LocalFile\n"
        "from uqalign.data.readers import csv\n"
        f"FILE = Content('toy.csv', '{content_of(CSV).sha256}', {len(CSV)})\n"
        "MINE = Dataset(name='mine', task='binary', title='Mine', sources=(LocalFile((FILE.at(),)),), read=csv(),\n"
        "               target='y')\n"
    )
    (tmp_path / "toy.csv").write_bytes(CSV)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert len(load(resolve("my_sets_for_test:MINE"), data_dir=tmp_path)) == 6


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_a_scaffold_round_trips(tmp_path: Path, separator: str) -> None:
    lines = ["Age,City,smoker,no,y", "1,Rome,True,a b,no", ",Bonn,False,c,yes", "3,,True,d,no", "4.5,Bonn,,e,yes"]
    (tmp_path / "Mine.csv").write_text("\n".join(line.replace(",", separator) for line in lines) + "\n")
    path, table = scaffold(tmp_path / "Mine.csv", target=["y"], task="binary", drop=["no"])
    assert path == tmp_path / "Mine.yaml"
    again = loaded(path, tmp_path)
    assert again.digest == table.digest
    content = yaml.safe_load(path.read_text())
    assert content["name"] == "mine"
    assert content["classes"] == ["no", "yes"]
    assert content["kinds"] == {"Age": "numeric", "City": "categorical", "smoker": "categorical"}
    assert content["facts"] == {"rows": 4, "features": 3, "missing": 3, "class_counts": {"no": 2, "yes": 2}}
    assert content["sha256"] == content_of((tmp_path / "Mine.csv").read_bytes()).sha256
    with pytest.raises(DataError, match="exists already: edit it"):
        scaffold(tmp_path / "Mine.csv", target=["y"], task="binary")
    scaffold(tmp_path / "Mine.csv", target=["y"], task="binary", overwrite=True)


def test_a_scaffold_of_several_targets_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    data = gzip.compress(b"x,a,b,g,t\n1,1,2,u,1\n2,3,4,v,2\n")
    (tmp_path / "data" / "m.csv.gz").write_bytes(data)
    (tmp_path / "sets").mkdir()
    path, table = scaffold(
        tmp_path / "data" / "m.csv.gz", target=["a", "b"], task="multivariate", out=tmp_path / "sets" / "m.yaml",
        name="many", group="g", time="t",
    )  # fmt: skip
    assert table.target_names == ("a", "b")
    again = loaded(path, tmp_path)
    assert (again.name, again.digest) == ("many", table.digest)
    content = yaml.safe_load(path.read_text())
    assert content["facts"]["target_mean"] == [2.0, 3.0]
    assert "classes" not in content


def test_a_scaffold_that_fails_writes_nothing(tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_bytes(CSV)
    with pytest.raises(DataError, match="no column 'z'"):
        scaffold(tmp_path / "m.csv", target=["z"], task="binary")
    with pytest.raises(DataError, match=r"absent\.csv does not exist"):
        scaffold(tmp_path / "absent.csv", target=["z"], task="binary")
    assert [path.name for path in tmp_path.iterdir()] == ["m.csv"]
