"""The effect table on a small run made here."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from uqalign.errors import UserError
from uqalign.protocol.effects import effects, to_markdown
from uqalign.protocol.reference import ReferenceRun


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    rows = []
    for fold in (1, 2):
        y = rng.integers(0, 2, 20)
        for model, skill in (("GB", 0.2), ("RF", 0.3), ("GP", 0.1)):
            p = np.clip(np.round(0.5 + skill * (2 * y - 1) + rng.normal(0, 0.2, 20), 1), 0, 1)
            rows += [(0, fold, i, int(t), model, float(q)) for i, (t, q) in enumerate(zip(y, p, strict=True))]
    columns = ["repeat", "fold", "test_idx", "y_true", "model", "p"]
    pd.DataFrame(rows, columns=columns).to_parquet(tmp_path / "predictions_toy.parquet")
    return tmp_path


def test_effects(folder: Path) -> None:
    table = effects(folder).set_index("switch")
    assert "abstention_cost" not in table.index  # regression only
    assert table.loc["ece_drop_one", "measures"] == "ece, mce"
    assert table.loc["threshold_geq", "measures"] == "binary_decision, pwu_c"
    assert table.loc["nan_last", "value_change"] == 0
    assert table.loc["threshold_geq", "value_change"] > 10  # twenty rows summed instead of averaged
    text = to_markdown(table.reset_index())
    assert text.count("\n") == len(table) + 1
    assert "| `ece_drop_one` | toy | ece, mce |" in text


def test_a_missing_data_set_is_named(folder: Path) -> None:
    with pytest.raises(UserError, match=r"predictions_other\.parquet"):
        ReferenceRun.read(folder, "other")
