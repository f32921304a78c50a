"""All checks, tables and claims of the theory in one go."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from uqalign.scoring_rules.penalties import Base
from uqalign.scoring_rules.verification.by_class import propriety_checks, threshold_checks
from uqalign.scoring_rules.verification.claims import Checks, claims
from uqalign.scoring_rules.verification.figures import CLASSES
from uqalign.scoring_rules.verification.minimality import minimality_checks, order_checks
from uqalign.scoring_rules.verification.optima import endpoint_checks
from uqalign.scoring_rules.verification.propriety import boundary_checks, escape_checks, strict_tie_checks
from uqalign.scoring_rules.verification.tables import (
    CLASS_COUNTS,
    calibration_facts,
    penalty_ratios,
    tie_example,
    weight_map,
)

if TYPE_CHECKING:
    import pandas as pd

ESCAPE_CLASSES = 10


@dataclass(frozen=True)
class Settings:
    """How much is checked.

    Attributes:
        classes: largest number of classes of the endpoint and minimality checks (from 2).
        draws: random truths of the escape and boundary checks.
        strict_classes: largest number of classes of the checks of convention C (from 2).
        order_classes: largest number of classes of the checks of orders, in rational arithmetic.
        class_draws: random vectors of penalties per true class.
        seed: of every random draw.
    """

    classes: int = 50
    draws: int = 3000
    strict_classes: int = 11
    order_classes: int = 20
    class_draws: int = 40
    seed: int = 20250815


@dataclass(frozen=True)
class Table:
    """A table of the report: all of its rows, and those that a reader sees first."""

    title: str
    frame: pd.DataFrame
    shown: pd.DataFrame

    def markdown(self) -> str:
        """Title and the shown rows."""
        left_out = len(self.frame) - len(self.shown)
        note = f"\n{len(self.frame)} rows in the CSV file; shown are {len(self.shown)}.\n" if left_out > 0 else ""
        return f"# {self.title}\n{note}\n{_markdown(self.shown)}\n"


def _text(value: Any) -> str:
    if isinstance(value, float):
        return "--" if math.isnan(value) else f"{value:.6g}"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def _markdown(frame: pd.DataFrame) -> str:
    lines = ["| " + " | ".join(map(str, frame.columns)) + " |", "|" + " --- |" * len(frame.columns)]
    lines += ["| " + " | ".join(map(_text, row)) + " |" for row in frame.astype(object).to_numpy().tolist()]
    return "\n".join(lines)


def _some(frame: pd.DataFrame, classes: Iterable[int]) -> pd.DataFrame:
    return frame.loc[frame["classes"].isin(list(classes))]


def run_checks(settings: Settings) -> Checks:
    """All numerical checks."""
    import pandas as pd

    seed, counts = settings.seed, range(2, settings.classes + 1)
    endpoints = pd.DataFrame(endpoint_checks(counts, seed))
    found = endpoints.drop_duplicates(["classes", "base"])
    optimised: dict[tuple[int, Base], float] = {
        (c, base): high - low
        for c, base, high, low in zip(
            found["classes"], found["base"], found["correct_optimised"], found["incorrect_optimised"], strict=True
        )
    }
    return Checks(
        endpoints=endpoints,
        minimality=pd.DataFrame(minimality_checks(counts, optimised)),
        orders=pd.DataFrame(order_checks([c for c in CLASS_COUNTS if c <= settings.order_classes], seed)),
        escapes=pd.DataFrame(escape_checks(ESCAPE_CLASSES, settings.draws, seed)),
        strict_ties=pd.DataFrame(strict_tie_checks(range(2, settings.strict_classes + 1), seed)),
        boundary=pd.DataFrame(boundary_checks(ESCAPE_CLASSES, settings.draws, seed)),
        class_thresholds=pd.DataFrame(threshold_checks(settings.class_draws, seed)),
        class_propriety=pd.DataFrame(propriety_checks(seed)),
    )


def theory_tables(settings: Settings) -> dict[str, Table]:
    """Every table of the theory by file name: the claims, the paper's tables, and the checks behind them."""
    import pandas as pd

    checks = run_checks(settings)
    strict = checks.strict_ties.groupby("kind")["holds"].agg(checks="count", holding="sum").reset_index()
    counts = CLASS_COUNTS
    facts = pd.DataFrame(calibration_facts(CLASSES)).set_index("base").T.rename_axis("quantity").reset_index()

    def whole(title: str, rows: Iterable[Any]) -> Table:
        frame = pd.DataFrame(rows)
        return Table(title, frame, frame)

    return {
        "claims": whole("Claims and findings", claims(checks, settings.seed)),
        "table_1": whole("Table 1: whether (0.5, 0.5, 0) predicts each class", tie_example()),
        "table_3": Table(f"Table 3: penalties at {CLASSES} classes", facts, facts),
        "table_4": whole("Table 4: Brier penalties against the infimal one", penalty_ratios()),
        "table_15": whole(
            "Table 15: the penalty behind a weighted mixture of Brier score and error rate, 10 classes", weight_map()
        ),
        "endpoints": Table(
            "Endpoints in closed form and by optimisation", checks.endpoints, _some(checks.endpoints, counts)
        ),
        "minimality": Table("Margins around the infimal penalty", checks.minimality, _some(checks.minimality, counts)),
        "orders": Table("Margin at the infimal penalty under four orders", checks.orders, checks.orders),
        "escapes": Table("Reports that beat the honest one", checks.escapes, checks.escapes),
        "strict_ties": Table("Checks of convention C", checks.strict_ties, strict),
        "boundary": Table("Log base with probabilities of zero", checks.boundary, checks.boundary),
        "class_thresholds": Table(
            "Thresholds of penalties per true class", checks.class_thresholds, checks.class_thresholds
        ),
        "class_propriety": Table(
            "Propriety of penalties per true class", checks.class_propriety, checks.class_propriety
        ),
    }
