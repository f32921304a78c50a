"""The theory report, reduced: its checks pass, could fail, and end in files."""

import json
import math

import numpy as np
import pandas as pd
import pytest

from uqalign.provenance import code_digest
from uqalign.scoring_rules import BASES
from uqalign.scoring_rules.verification import claims as claims_module
from uqalign.scoring_rules.verification.figures import FIGURES
from uqalign.scoring_rules.verification.minimality import exact_margin, orders
from uqalign.scoring_rules.verification.optima import optimised_endpoints
from uqalign.scoring_rules.verification.propriety import (
    escape_threshold,
    expected_scores,
    strict_tie_checks,
    tied_truth,
)
from uqalign.scoring_rules.verification.report import Settings, run_checks
from uqalign.scoring_rules.verification.tables import penalty_ratios, weight_map
from uqalign.stages import superiority_theory
from uqalign.stages.common import StaleCodeError
from uqalign.superiority.theory_plan import TheoryPlan

SMALL = {"classes": 6, "draws": 300, "strict_classes": 4, "order_classes": 4, "class_draws": 3}
REFUTED = {
    "unlike C, A fails only above a threshold",
    "both ratios shrink as c grows",
    "with one penalty per true class, propriety is plausibly preserved by the same argument",
}


@pytest.fixture(scope="module")
def checks():
    return run_checks(Settings(**SMALL))


def test_claims(checks):
    found = {claim.claim: claim.found for claim in claims_module.claims(checks, 0)}
    assert {claim for claim, verdict in found.items() if verdict == "does not hold"} == REFUTED
    assert sum(verdict == "settled here" for verdict in found.values()) == 2
    assert len(found) == 19


@pytest.mark.parametrize(
    ("frame", "column", "value", "claim"),
    [
        ("endpoints", "difference", 1e-3, "beta+ = "),
        ("endpoints", "attainment_found", False, "for each true class"),
        ("minimality", "margin_below", 1e-3, "the infimal penalty is beta+"),
        ("minimality", "admissible_at", True, "the infimal penalty itself"),
        ("orders", "brier_exact", "1/7", "under B the margin"),
        ("escapes", "escapes", 1, "under B the penalised rule"),
        ("strict_ties", "holds", False, "under C honesty"),
        ("boundary", "violations", 1, "whether the guarantees"),
        ("class_thresholds", "difference", 0.1, "(extension)"),
    ],
)
def test_every_claim_can_fail(checks, frame, column, value, claim):
    broken = getattr(checks, frame).copy()
    broken[column] = value
    spoilt = claims_module.Checks(**{**checks.__dict__, frame: broken})
    verdicts = {c.claim: c.found for c in claims_module.claims(spoilt, 0)}
    assert next(verdict for text, verdict in verdicts.items() if text.startswith(claim)) == "does not hold"


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("c", [2, 3, 7, 12])
def test_optimisation_knows_no_closed_form(base, c):
    high, low = optimised_endpoints(c, base, np.random.default_rng(1))
    expected = (1 - 1 / c, 0.5) if base == "brier" else (math.log(c), math.log(2))
    assert (high, low) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("base", BASES)
def test_the_escape_threshold_is_where_the_uniform_report_breaks_even(base):
    truth = np.random.default_rng(0).dirichlet(np.ones(5), 20)
    uniform = np.full_like(truth, 0.2)
    for row, threshold in zip(truth, escape_threshold(truth, base), strict=True):
        for factor in (0.99, 1.01):
            q = row[None]
            honest = expected_scores(q, q, base, factor * threshold, "permissive")
            escaping = expected_scores(q, uniform[:1], base, factor * threshold, "permissive")
            assert (escaping < honest)[0] == (factor > 1)


def test_tied_truths_are_tied():
    rng = np.random.default_rng(0)
    for c in (2, 5, 9):
        for size in range(2, c + 1):
            q = tied_truth(c, size, rng)
            assert (q == q.max()).sum() == size
            assert q.sum() == pytest.approx(1, abs=1e-12)


def test_orders_and_their_exact_margins():
    for order in ([4, 0, 1, 2, 3], [1, 0, 2, 4, 3]):
        assert exact_margin(5, order) == 0
    assert sorted(orders(5, 0)["middle first"]) == list(range(5))
    assert orders(5, 0)["middle first"][0] in (2, 3)


def test_tables_of_the_paper():
    ratios = pd.DataFrame(penalty_ratios()).set_index("classes")
    assert ratios.loc[3].tolist() == pytest.approx([1 / 6, 2 / 3, 4, 2, 12])
    assert ratios.loc[10, "implemented/infimal"] == pytest.approx(22.5)
    assert ratios["published/infimal"].is_monotonic_decreasing
    assert ratios["implemented/infimal"].iloc[1:].is_monotonic_increasing
    weights = pd.DataFrame(weight_map())
    assert weights["superior"].tolist() == ["no", "no", *["yes"] * 5]
    assert weights.loc[weights["note"] == "threshold", "penalty"].item() == pytest.approx(0.4)


def test_pictures_are_charts():
    for draw in FIGURES.values():
        assert draw().to_dict()["$schema"]


def test_the_stage_writes_what_the_plan_announces(tmp_path):
    code = code_digest("uqalign.stages.superiority_theory")
    said = superiority_theory.run(spec=json.dumps(SMALL), code=code, folder=tmp_path)
    assert said == "14 holds, 3 does not hold, 2 settled here"
    announced = {path.rpartition("/")[2] for path in TheoryPlan().outputs()}
    assert {path.name for path in tmp_path.iterdir()} == announced
    assert (tmp_path / "claims.md").read_text().startswith("# Claims and findings\n\n| where | claim |")
    assert len(pd.read_csv(tmp_path / "endpoints.csv")) == 5 * 2 * 3 * 2
    assert TheoryPlan().code() == code
    with pytest.raises(StaleCodeError):
        superiority_theory.run(spec="{}", code="0", folder=tmp_path)
    with pytest.raises(ValueError, match="unexpected keyword argument 'colour'"):
        superiority_theory.run(spec='{"colour": 1}', code=code, folder=tmp_path)


def test_the_full_report_checks_as_much_as_it_says():
    full = Settings()
    assert (full.classes, full.draws) == (50, 3000)
    held = [check["holds"] for check in strict_tie_checks(range(2, full.strict_classes + 1), full.seed)]
    assert len(held) >= 1300
    assert all(held)
