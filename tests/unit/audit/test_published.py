"""The transcribed tables."""

from __future__ import annotations

import os
from pathlib import Path

import pandas as pd
import pytest

from uqalign.audit import published_tables
from uqalign.audit.published import PUBLISHED_AS, datasets_of, metrics_of, table_numbers
from uqalign.audit.settings import AUDITED, OWN
from uqalign.data.registry import resolve
from uqalign.jobs import FAMILIES

FOLDER = Path(os.environ.get("UQALIGN_PUBLISHED_DIR", ""))


@pytest.mark.skipif("UQALIGN_PUBLISHED_DIR" not in os.environ, reason="UQALIGN_PUBLISHED_DIR is not set")
def test_every_number_is_the_published_one() -> None:
    theirs = pd.read_csv(FOLDER / "alignment_tables.csv", dtype={"table": str})
    theirs = theirs.rename(
        columns={"utility_family": "family", "tau_median": "median", "tau_q05": "q05", "tau_q95": "q95"}
    )
    ours = published_tables().drop(columns="best")
    keys = ["table", "dataset", "metric"]
    names = {"top_k_risk_averse": "risk_averse_top_k", "selective_prediction": "selective"}
    theirs["family"] = theirs["family"].replace(names)
    left, right = (frame.sort_values(keys).reset_index(drop=True) for frame in (ours, theirs[ours.columns]))
    assert sorted(set(theirs["dataset"])) == sorted(set(ours["dataset"]))
    pd.testing.assert_frame_equal(left.drop(columns="family"), right.drop(columns="family"))


def test_shape_and_order() -> None:
    table = published_tables()
    assert table_numbers() == {
        "binary_decision": "J.1",
        "top_k": "J.2",
        "selective": "J.3",
        "risk_averse_top_k": "J.4",
        "bidding": "2",
    }
    assert len(table) == 2 * 5 * 9 + 2 * 5 * 8 + 8
    assert (table["q05"] <= table["median"]).all()
    assert (table["median"] <= table["q95"]).all()
    assert datasets_of("top_k") == ("bank", "heart", "ionosphere", "mushroom", "sonar")
    for task in ("binary", "regression"):
        for family in FAMILIES[task]:
            assert metrics_of(family) == AUDITED[task]
            assert OWN[family] in AUDITED[task]


def test_bold_cells() -> None:
    best = published_tables().query("best")
    assert best.query("table == 'J.1'")["metric"].tolist() == ["pwu_c"] * 5
    assert best.query("table == 'J.2' and dataset == 'bank'")["metric"].tolist() == ["brier", "rauc"]
    assert best.query("table == 'J.2' and dataset == 'ionosphere'")["metric"].tolist() == ["edet"]


def test_published_names_belong_to_data_sets() -> None:
    for name in PUBLISHED_AS:
        assert resolve(name).name == name
    assert set(PUBLISHED_AS.values()) == set(datasets_of("top_k")) | set(datasets_of("selective"))
