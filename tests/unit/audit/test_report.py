"""Comparison, effects and questions on made-up taus; the page and its pictures."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from audit_helpers import frame
from uqalign.audit.comparison import compare, comparison_markdown, reasons, share_inside
from uqalign.audit.effects import effects, rankings, switches_markdown, turned_markdown
from uqalign.audit.figures import comparison_figure, switches_figure
from uqalign.audit.files import ORDER_COLUMNS, TIE_COLUMNS, WITHOUT_COLUMNS
from uqalign.audit.page import audit_page, run_notes
from uqalign.audit.questions import order_answers, questions_markdown, selective_cost, turnover_answers
from uqalign.audit.settings import AUDITED, settings
from uqalign.audit.summaries import summarise_taus
from uqalign.families import FAMILIES

METRICS = AUDITED["regression"]
TITLES = {name: family.title for name, family in FAMILIES.items()}
PUBLISHED = [0.20, 0.27, 0.04, 0.08, 0.08, -0.42, 0.79, 0.69]  # auto mpg, Table J.3
OWN_COST = [0.80, *PUBLISHED[1:6], 0.60, 0.50]


@pytest.fixture(scope="module")
def taus() -> pd.DataFrame:
    """auto_mpg: the published medians wherever the abstention cost is the published one, other ones elsewhere."""
    frames = []
    for setting in settings("regression"):
        medians = PUBLISHED if "abstention_cost" in setting.switches else OWN_COST
        values = np.array(medians) + np.linspace(-0.02, 0.02, 9)[:, None]
        frames.append(frame(values, METRICS, "auto_mpg", "selective").assign(setting=setting.name))
    return pd.concat(frames, ignore_index=True)


@pytest.fixture(scope="module")
def changes(taus: pd.DataFrame) -> pd.DataFrame:
    return effects(summarise_taus(taus), {"auto_mpg": "regression", "absent": "binary"})


def test_effects(changes: pd.DataFrame) -> None:
    moved = changes[changes["change"].abs() > 1e-9]
    assert set(moved["switch"]) == {"abstention_cost"}
    assert set(moved["metric"]) == {"nll", "pwu_lambda", "pwu_phi"}
    nll = moved[moved["metric"] == "nll"]
    assert nll["change"].tolist() == pytest.approx([-0.6, -0.6])
    assert nll["direction"].tolist() == ["alone", "left out"]


def test_orders_of_metrics(changes: pd.DataFrame) -> None:
    orders = rankings(changes).set_index(["switch", "direction"])
    row = orders.loc["abstention_cost", "alone"]
    assert (row["best_before"], row["best_after"]) == ("nll", "pwu_lambda")
    # NLL falls behind both utilities and MSE: 3 of the 27 pairs that are not tied (MCE and R-AUC are) turn round.
    assert row["agreement"] == pytest.approx((27 - 2 * 3) / 27)
    assert (row["changed"], row["cells"]) == (3, 8)
    assert row["largest"] == pytest.approx(0.6)
    assert orders.loc["pwu_mc", "alone"]["agreement"] == pytest.approx(1)
    text = switches_markdown(changes, orders.reset_index(), dict.fromkeys(changes["switch"], "as published"))
    line = next(line for line in text.splitlines() if "`abstention_cost`" in line)
    assert "| 3 of 8 | 0.12 / 0.60 | 0.78 | 1 of 1 |" in line
    assert "| `abstention_cost` | auto_mpg | selective | nll | pwu_lambda |" in turned_markdown(orders.reset_index())


def without(change: float) -> pd.DataFrame:
    cells = zip(METRICS, PUBLISHED, strict=True)
    rows = [("auto_mpg", "published", "gp", "selective", metric, value + change) for metric, value in cells]
    return pd.DataFrame(rows, columns=WITHOUT_COLUMNS)


def test_comparison(taus: pd.DataFrame, changes: pd.DataFrame) -> None:
    table = compare(summarise_taus(taus), {"auto_mpg": "auto_mpg", "other": "heart"})
    assert table["metric"].tolist() == list(METRICS)
    assert table["under_published_difference"].tolist() == pytest.approx([0] * 8)
    assert table["under_published_inside"].all()
    assert table["under_published_covers"].all()
    inside = table.set_index("metric")["under_definitions_inside"]
    assert not inside["nll"]  # 0.80, published [0.00, 0.31]
    assert inside["mse"]
    row = share_inside(table).set_index("protocol")
    assert row.loc["published", ["cells", "inside", "covers"]].tolist() == [8, 8, 8]
    assert row.loc["definitions", "largest_gap"] == pytest.approx(0.6)
    told = reasons(table, without(0.3), changes).set_index("metric")
    assert told.loc["nll", "switches"] == "abstention_cost -0.60"
    assert told.loc["mse", "switches"] == ""
    assert told.loc["nll", "one_model"] == pytest.approx(0.3)
    assert set(told["why"]) == {""}
    page = comparison_markdown(told.reset_index(), ["- a note."], TITLES)
    assert "| nll | 0.20 [0.00, 0.31] | **0.20 [0.18, 0.22]** | 0.80 [0.78, 0.82] | +0.00 |" in page
    comparison_figure(table, TITLES).to_dict()


@pytest.mark.parametrize(
    ("gap", "one", "why"), [(0.5, 0.6, "one model moves"), (0.5, 0.3, "two models"), (0.9, 0.1, "further than")]
)
def test_reasons(taus: pd.DataFrame, changes: pd.DataFrame, gap: float, one: float, why: str) -> None:
    moved = taus.assign(tau=taus["tau"] - gap * (taus["metric"] == "pwu_lambda"))
    medians = without(one)
    medians["median"] -= gap * (medians["metric"] == "pwu_lambda")
    table = reasons(compare(summarise_taus(moved), {"auto_mpg": "auto_mpg"}), medians, changes)
    assert why in table.set_index("metric").loc["pwu_lambda", "why"]


def test_nothing_published_was_run(taus: pd.DataFrame, changes: pd.DataFrame) -> None:
    table = reasons(compare(summarise_taus(taus), {}), without(0), changes)
    assert table.empty
    assert "No data set of the published tables was run." in comparison_markdown(table, [], TITLES)
    comparison_figure(table, TITLES).to_dict()


def test_the_table_that_turns_over(taus: pd.DataFrame) -> None:
    table = selective_cost(taus, 5)
    assert table["setting"].tolist() == ["definitions", "+abstention_cost", "-abstention_cost", "published"]
    assert table["best"].tolist() == ["nll", "pwu_lambda", "nll", "pwu_lambda"]
    assert table["nll_above"].tolist() == [1, 0, 1, 0]
    (answer,) = turnover_answers(table)
    assert "it turns over: NLL is above with the paper's cost, pwu_lambda is above with the published one" in answer
    level = table.assign(nll=0.5, pwu_lambda=0.5)
    assert "neither is above both ways" in turnover_answers(level)[0]


def test_questions_and_page(taus: pd.DataFrame) -> None:
    ties = pd.DataFrame([("sonar", "q=0.04", 0.04, 2, 42, 0.9, 3, 20)], columns=TIE_COLUMNS)
    lines = [
        ("sonar", "published", "nll", 0.3, -0.1, 0.1, 0.3, 0.25, 200),
        ("sonar", "published", "pwu_k", 0.2, 0, 0, 0, 0.75, 200),
    ]
    orders = pd.DataFrame(lines, columns=ORDER_COLUMNS)
    (answer,) = order_answers(ties, orders)
    assert "90% of all pairs tie" in answer
    assert "0.20 wide" in answer
    assert "nll, best in alphabetical order, is best in 25% of the orders" in answer
    text = questions_markdown(selective_cost(taus, 5), ties, orders)
    assert "| sonar | 0.040 | 2 | 42 | 90% | 3 of 20 |" in text
    none = questions_markdown(selective_cost(taus[:0], 5), ties[:0], orders[:0])
    assert "No univariate regression was run." in none
    assert "No binary classification was run." in none
    about = {"dataset": "sonar", "task": "binary", "seeds": [0, 1], "n_folds": 5, "models": ["gp"]}
    notes = run_notes([{**about, "failed": 1, "fits": 9}], {"binary": ["tabpfn"]})
    assert notes == [
        "- sonar: 2 seeds of 100, 5 folds, 1 models (gp); missing of the published ones: tabpfn; 1 of 9 fits failed."
    ]
    page = audit_page(notes, [text])
    assert "\n## Two questions" in page
    assert "\n### Does Table J.3 turn over?" in page
    assert "| Table 2 | its last two columns" in page
    assert "`global_rng`" in page


def test_picture_of_the_switches(changes: pd.DataFrame) -> None:
    chart = switches_figure(rankings(changes), TITLES).to_dict()
    assert len(chart["vconcat"]) == 2
