"""From a raw frame to a table: roles, kinds, codes, and refusals that name the column and the row."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest

from toy_data import content_of, toy
from uqalign.data.build import build_table, infer_kind
from uqalign.data.declare import Dataset, Facts, LocalFile
from uqalign.data.errors import DataError, FactsError
from uqalign.data.facts import check_facts, facts_of

SOURCE = LocalFile((content_of(b"").at(),))


def declared(**changes: Any) -> Dataset:
    return toy(SOURCE, **changes)


RAW = pd.DataFrame(
    {
        "x": [1, 2, 3],
        "c": ["u", None, "v"],
        "g": [1, 1, 2],
        "t": ["2020-01-02", "2020-01-01", "2020-01-03"],
        "y": ["no", "yes", "no"],
    }
)


def test_every_column_gets_its_role() -> None:
    table = build_table(declared(group="g", time="t"), RAW, {"kind": "local"})
    assert dict(table.kinds) == {"x": "numeric", "c": "categorical"}
    assert table.features["x"].tolist() == [1.0, 2.0, 3.0]
    assert table.features["c"].tolist() == ["u", None, "v"]
    assert table.target.tolist() == [0.0, 1.0, 0.0]
    assert table.classes == ("no", "yes")
    assert table.group is not None
    assert table.group.tolist() == ["1", "1", "2"]
    assert table.time is not None
    assert table.time.argsort().tolist() == [1, 0, 2]
    assert table.source == {"kind": "local"}


def test_declared_classes_set_the_codes_and_overrides_the_kinds() -> None:
    table = build_table(declared(classes=("yes", "no"), categorical=("g",), drop=("t", "c")), RAW)
    assert table.target.tolist() == [1.0, 0.0, 1.0]
    assert dict(table.kinds) == {"x": "numeric", "g": "categorical"}
    assert table.features["g"].tolist() == ["1", "1", "2"]
    codes = RAW.assign(c=["1", "", "2.5"]).replace("", None)
    assert build_table(declared(numeric=("c",), drop=("t",)), codes).features["c"].tolist()[::2] == [1.0, 2.5]


def test_numeric_and_boolean_labels() -> None:
    for labels, classes in (
        ([0, 1, 0], ("0", "1")),
        ([False, True, False], ("False", "True")),
        ([2.0, 1.0, 2.0], ("1", "2")),
    ):
        table = build_table(declared(drop=("t",)), RAW.assign(y=labels))
        assert table.classes == classes


def test_a_multivariate_target() -> None:
    frame = pd.DataFrame({"x": [1.0, 2.0], "a": pd.array([1, 2], dtype="Int64"), "b": [0.5, 1.5]})
    table = build_table(declared(task="multivariate", target=("b", "a")), frame)
    np.testing.assert_array_equal(table.target, [[0.5, 1.0], [1.5, 2.0]])
    assert table.target_names == ("b", "a")
    assert list(table.features) == ["x"]


def test_times_are_numbers_or_dates_in_one_zone() -> None:
    for moments in (
        [3.5, 1, 7],
        ["2020-01-01T12:00", "2020-01-01T09:30:00.5", "2021-02-03"],
        ["2020-01-01T12:00+02:00", "2020-01-01T09:30Z", "2020-01-01T12:00Z"],
        pd.to_datetime(["2020-01-02", "2020-01-01", "2020-01-03"]),
    ):
        table = build_table(declared(time="t"), RAW.assign(t=moments))
        assert table.time is not None
        assert np.argsort(table.time).tolist() == [1, 0, 2]


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, 2], "numeric"),
        ([1.5, None], "numeric"),
        (pd.array([1, None], dtype="Int64"), "numeric"),
        (pd.Series([1, None, 2.5], dtype=object), "numeric"),
        (pd.Series([Decimal("1.5"), None], dtype=object), "numeric"),
        (pd.Series(["a", None], dtype=object), "categorical"),
        (pd.Series(["a", 1], dtype=object), "categorical"),
        (pd.Series([None, None], dtype=object), "categorical"),
        (pd.array(["a", None], dtype="string"), "categorical"),
        (pd.Categorical([3, 1, 3]), "categorical"),
        ([True, False], "categorical"),
        (pd.array([True, None], dtype="boolean"), "categorical"),
        (pd.Series([True, None], dtype=object), "categorical"),
        ([1j, 2j], None),
        (pd.to_datetime(["2020-01-01", None]), None),
        (pd.Series([datetime.date(2020, 1, 1)], dtype=object), None),
        (pd.to_timedelta(["1h"]), None),
    ],
)
@pytest.mark.parametrize("future", [False, True], ids=["object strings", "pandas 3 strings"])
def test_kinds_are_inferred(values: Any, kind: str | None, future: bool) -> None:
    with pd.option_context("future.infer_string", future):
        assert infer_kind(pd.Series(values)) == kind


def test_pandas_3_strings_are_categorical() -> None:
    with pd.option_context("future.infer_string", True):
        frame = pd.DataFrame({"c": ["a", None, "B"], "y": ["n", "p", "n"]})
        assert str(frame["c"].dtype) == "str"
        table = build_table(declared(), frame)
    assert table.features["c"].tolist() == ["a", None, "B"]
    assert table.features["c"].dtype == object


@pytest.mark.parametrize(
    ("frame", "changes", "message"),
    [
        (RAW.drop(columns="y"), {}, "no column 'y'; there are x, c, g, t"),
        (RAW, {"drop": ("q",)}, "no column 'q'"),
        (RAW, {"categorical": ("q",)}, "no column 'q'"),
        (RAW.assign(y=["no", None, "yes"]), {}, "target 'y' is missing in row 1: drop such rows"),
        (RAW, {"classes": ("no", "Yes")}, r"holds 'yes'; the classes are \['no', 'Yes'\]"),
        (RAW, {"task": "regression"}, "column 'y' holds values that are not numbers"),
        (RAW.assign(y=[1.0, 2.0, None]), {"task": "regression"}, "target 'y' is missing in row 2"),
        (RAW.assign(x=[1.0, np.inf, 2.0]), {"drop": ("t",)}, "column 'x' is infinite in row 1"),
        (RAW.assign(t=pd.to_datetime(RAW["t"])), {}, "column 't' holds datetime64.* name it as the time"),
        (RAW, {"numeric": ("c",)}, "column 'c' holds values that are not numbers"),
        (RAW, {"time": "c"}, "time 'c' is neither numbers nor ISO 8601 dates"),
        (RAW.assign(t=["01/02/2020", "03/02/2020", "13/02/2020"]), {"time": "t"}, "time 't' is neither"),
        (RAW, {"group": "c"}, "group 'c' is missing in row 1"),
        (RAW.assign(t=[1.0, None, 2.0]), {"time": "t"}, "time 't' is missing in row 1"),
        (pd.DataFrame([[1, 2, "a"]], columns=["x", "x", "y"]), {}, "two columns are called 'x'"),
    ],
)
def test_what_does_not_fit_is_named(frame: pd.DataFrame, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        build_table(declared(**changes), frame)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"task": "ranking"}, "task 'ranking' is none of"),
        ({"sources": ()}, "declares no source"),
        ({"target": ("a", "b")}, "a binary task has one target column"),
        ({"task": "multivariate"}, "at least two target columns"),
        ({"task": "regression", "target": ("a", "b")}, "make the task multivariate"),
        ({"classes": ("a", "b", "c")}, "two classes, not 3"),
    ],
)
def test_contradictory_declarations_are_refused(changes: dict[str, Any], message: str) -> None:
    sources = changes.pop("sources", (SOURCE,))
    with pytest.raises(ValueError, match=message):
        toy(*sources, **changes)


def test_facts_are_compared_one_by_one() -> None:
    table = build_table(declared(drop=("t", "g")), RAW, {"place": "toy.csv"})
    facts = facts_of(table, raw_rows=9)
    assert facts == Facts(rows=3, features=2, raw_rows=9, missing=1, class_counts={"no": 2, "yes": 1})
    check_facts(table, facts, raw_rows=9)
    wrong = Facts(rows=4, features=2, raw_rows=8, missing=0, class_counts={"no": 3, "yes": 1})
    with pytest.raises(FactsError) as caught:
        check_facts(table, wrong, raw_rows=9)
    text = str(caught.value)
    assert "data set 'toy' is not the one declared (source: toy.csv)" in text
    for line in (
        "rows: expected 4, found 3",
        "raw_rows: expected 8, found 9",
        "missing: expected 0, found 1",
        "class_counts: expected {no: 3, yes: 1}, found {no: 2, yes: 1}",
    ):
        assert line in text
    assert "features:" not in text


def test_moments_agree_up_to_rounding() -> None:
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0], "y": [1.0, 2.0, 6.0]})
    table = build_table(declared(task="regression"), frame)
    std = float(np.sqrt(np.mean((frame["y"] - 3) ** 2)))
    check_facts(table, Facts(rows=3, features=1, target_mean=(3.0000001,), target_std=(std,)))
    with pytest.raises(FactsError, match=r"target_mean: expected \(3.1,\), found \(3.0,\)"):
        check_facts(table, Facts(rows=3, features=1, target_mean=(3.1,), target_std=(std,)))
    with pytest.raises(FactsError, match="target_std"):
        check_facts(table, Facts(rows=3, features=1, target_mean=(3.0,), target_std=(std, std)))
