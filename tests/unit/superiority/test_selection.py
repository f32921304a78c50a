"""Which epoch is kept, and what is concluded from it."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from uqalign.superiority.inference import compare, holm, outcome, primary
from uqalign.superiority.measures import MEASURES
from uqalign.superiority.monitors import COMPARED, monitor_table, regrets
from uqalign.superiority.report import markdown, study_tables
from uqalign.superiority.selection import MODES, monitors, penalty_grid, selected_epoch
from uqalign.superiority.settings import FIGURES, TABLES
from uqalign.superiority.study import CELL, OUTCOMES, select


def simulated(seed: int = 0, cells: int = 3, seeds: int = 4, epochs: int = 12) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    rows = []
    for cell in range(cells):
        for run in range(seeds):
            for epoch in range(1, epochs + 1):
                for part in ("validation", "test"):
                    values = rng.uniform(0.1, 0.8, size=len(MEASURES))
                    rows.append((f"set{cell}", "hard", 10, run, epoch, part, *values))
    return pd.DataFrame(rows, columns=["dataset", "regime", "classes", "seed", "epoch", "part", *MEASURES])


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("patience", [1, 2, 5])
def test_early_stopping_against_a_plain_loop(seed: int, patience: int) -> None:
    values = np.random.default_rng(seed).integers(0, 6, size=15).astype(float)
    best = 0
    for epoch in range(len(values)):
        if values[epoch] < values[best]:
            best = epoch
        if epoch - best >= patience:
            break
    assert selected_epoch(values, "early_stopping", patience) == best
    assert selected_epoch(values, "checkpointing", patience) == int(np.argmin(values))


def test_epochs_without_a_value() -> None:
    assert selected_epoch(np.array([np.nan, 3, 2, np.nan]), "checkpointing", 1) == 2
    with pytest.raises(ValueError, match="no finite value"):
        selected_epoch(np.array([np.nan, np.nan]), "checkpointing", 5)
    with pytest.raises(ValueError, match="no finite value"):
        selected_epoch(np.array([np.nan, 1.0]), "early_stopping", 1)


def test_grid_at_ten_classes() -> None:
    brier, log = penalty_grid(10, "brier"), penalty_grid(10, "log")
    assert brier["critical"] == pytest.approx(0.4)
    assert brier["published"] == pytest.approx(0.9)
    assert brier["implemented"] == pytest.approx(9)
    assert log["critical"] == pytest.approx(math.log(5))
    assert log["published"] == pytest.approx(math.log(10))
    assert "implemented" not in log
    for grid in (brier, log):
        assert list(grid.values()) == sorted(grid.values())
        assert grid["subcritical"] < grid["critical"] < grid["supercritical"]


def test_selected_rows_are_those_of_the_selected_epoch() -> None:
    measures = simulated()
    chosen = select(measures, patience=3)
    assert len(chosen) == 3 * 4 * len(MODES) * len(list(monitors(10)))
    keys = measures.set_index(["dataset", "seed", "epoch", "part"])
    for row in chosen.sample(60, random_state=0).to_dict("records"):
        test = keys.loc[(row["dataset"], row["seed"], row["epoch"], "test")]
        assert all(row[name] == test[name] for name in OUTCOMES)
        if row["kind"] == "plain" and row["mode"] == "checkpointing":
            sign = -1 if row["point"] == "macro_f1" else 1
            run = measures[(measures["dataset"] == row["dataset"]) & (measures["seed"] == row["seed"])]
            validation = run[run["part"] == "validation"].set_index("epoch")[row["point"]]
            assert (sign * validation).idxmin() == row["epoch"]


def test_regret_is_never_negative_and_zero_for_the_best_epoch() -> None:
    chosen = select(simulated(), patience=3)
    regret = regrets(chosen)
    assert (regret["regret"] >= 0).all()
    table = monitor_table(regret)
    assert set(table["monitor"]) == set(COMPARED)
    assert (table[table["monitor"] == "NLL"]["mean"] == 0).all()
    # Perfect foresight: where validation and test agree, every measure's own monitor has no regret by it.
    same = simulated()
    test = same[same["part"] == "validation"].assign(part="test")
    mirrored = regrets(select(pd.concat([same[same["part"] == "validation"], test]), patience=3))
    kept = mirrored[(mirrored["mode"] == "checkpointing")]
    for monitor, name in (("NLL", "log"), ("Brier", "brier"), ("macro-F1", "macro_f1"), ("PWU", "pwu")):
        assert (kept[(kept["monitor"] == monitor) & (kept["outcome"] == name)]["regret"] == 0).all()


def test_comparison_against_scipy() -> None:
    d = np.random.default_rng(1).normal(0.3, 1, size=9)
    found = compare(d)
    test = stats.ttest_1samp(d, 0).confidence_interval(0.95)
    assert (found.t_low, found.t_high) == pytest.approx((test.low, test.high))
    boot = stats.bootstrap((d,), np.mean, n_resamples=20_000, method="percentile", rng=np.random.default_rng(5))
    assert found.boot_low == pytest.approx(boot.confidence_interval.low, abs=0.03)
    assert found.boot_high == pytest.approx(boot.confidence_interval.high, abs=0.03)
    assert found.wilcoxon == pytest.approx(stats.wilcoxon(d, method="exact").pvalue)
    positive = int((d > 0).sum())
    assert found.sign == pytest.approx(
        min(1, 2 * min(stats.binom.cdf(positive, 9, 0.5), stats.binom.sf(positive - 1, 9, 0.5)))
    )


def test_comparison_at_the_edges() -> None:
    none = compare(np.zeros(4))
    assert (none.n, none.ties, none.mean, none.t_low, none.t_high) == (4, 4, 0, 0, 0)
    assert math.isnan(none.wilcoxon)
    assert math.isnan(none.sign)
    one = compare(np.array([0.2]))
    assert math.isnan(one.t_low)
    assert math.isnan(one.boot_low)
    assert one.mean == 0.2
    for bad in ([], [math.nan], [[1.0]]):
        with pytest.raises(ValueError, match="non-empty list of finite numbers"):
            compare(np.array(bad))


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.6, 0.7]) == [1, 1]
    assert holm([0.02, math.nan])[0] == pytest.approx(0.02)
    assert math.isnan(holm([0.02, math.nan])[1])
    assert holm([]) == []


@pytest.mark.parametrize(
    ("means", "expected"),
    [
        ({"supercritical": 0.80, "published": 0.8005, "limit": 0.8008}, "flat"),
        ({"supercritical": 0.80, "published": 0.81, "limit": 0.82}, "rising"),
        ({"supercritical": 0.80, "published": 0.83, "limit": 0.82}, "peaked"),
        ({"supercritical": 0.80, "published": 0.80, "implemented": 0.82, "limit": 0.79}, "peaked"),
        ({"supercritical": 0.80, "published": 0.79, "limit": 0.78}, "flat"),
    ],
)
def test_outcomes_fixed_in_advance(means: dict, expected: str) -> None:
    assert outcome(means) == expected


def test_the_primary_comparison_averages_within_its_unit() -> None:
    chosen = select(simulated(), patience=3)
    by_cell, by_run = primary(chosen, CELL), primary(chosen, [*CELL, "seed", "mode"])
    assert by_cell["n"].tolist() == [3, 3]
    assert by_run["n"].tolist() == [24, 24]
    np.testing.assert_allclose(by_cell["mean"], by_run["mean"], atol=1e-15)


@pytest.mark.parametrize("offset", [0.0, 0.2])
def test_every_table_and_picture_exists(offset: float) -> None:
    from uqalign.superiority import figures

    measures = simulated()
    measures.loc[measures["dataset"] == "set0", "macro_f1"] += offset  # one cell too easy to inform
    tables, selections = study_tables(measures, patience=3)
    assert tuple(tables) == TABLES
    assert tables["cells"]["informative"].tolist() == [offset == 0, True, True]
    assert int(tables["frontier"]["cells"].max()) == (3 if offset == 0 else 2)
    for name, table in tables.items():
        text = markdown(name, table)
        assert text.count("\n| ") == len(table) + 2
        assert "nan" not in text
    charts = {
        "frontier": figures.frontier_figure(tables["frontier"]),
        "differences": figures.differences_figure(selections),
        "monitors": figures.monitors_figure(tables["monitors"]),
    }
    assert set(charts) == set(FIGURES)
    for chart in charts.values():
        assert chart.to_dict()["config"]
