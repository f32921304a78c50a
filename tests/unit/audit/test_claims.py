"""Claims on made-up taus whose verdicts are plain."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from audit_helpers import frame
from uqalign.audit.claims import Claim, judge
from uqalign.audit.declared import bold_cells, declared, stated
from uqalign.audit.evidence import evidence_under, printed
from uqalign.audit.published import published_tables
from uqalign.audit.settings import AUDITED
from uqalign.audit.statements import NoClassicalConsistent, above, best, most_classical_below, positive, reaches
from uqalign.audit.verdicts import claims_markdown, verdicts

METRICS = AUDITED["binary"]


def evidence(medians: dict[str, list[float]], spread: float = 0.01, seeds: int = 20):
    """Evidence of top-k blocks by data set, medians in the order of METRICS."""
    rng = np.random.default_rng(0)
    frames = [
        frame(np.array(values) + spread * rng.normal(size=(seeds, len(METRICS))), METRICS, name)
        for name, values in medians.items()
    ]
    return evidence_under(pd.concat(frames), "definitions", {"sonar_keel": "sonar"}, 5)


def verdict(statement, found) -> tuple[str, bool | None]:
    outcome = judge(Claim("c", "", "", "", (statement,)), found)
    return outcome.verdict, outcome.at_medians


LOW = [0.1] * 8 + [0.6]  # pwu_k far above
HIGH = [0.7] + [0.1] * 7 + [0.6]  # NLL above it


def test_a_clear_winner_and_a_clear_loser() -> None:
    assert verdict(best("pwu_k", "top_k"), evidence({"a": LOW})) == ("holds", True)
    assert verdict(best("pwu_k", "top_k"), evidence({"a": LOW, "b": HIGH})) == ("fails", False)
    assert verdict(best("pwu_k", "top_k", most=True), evidence({"a": LOW, "b": HIGH})) == ("fails", False)
    assert verdict(best("pwu_k", "top_k", most=True), evidence({"a": LOW, "b": HIGH, "c": LOW})) == ("holds", True)
    assert verdict(best("pwu_k", "top_k", "a"), evidence({"a": LOW, "b": HIGH})) == ("holds", True)
    assert verdict(above("pwu_k", ["nll"], "top_k"), evidence({"b": HIGH})) == ("fails", False)


def test_noise_and_few_seeds_leave_it_undecided() -> None:
    assert verdict(best("pwu_k", "top_k"), evidence({"a": LOW}, spread=1.0))[0] == "undecided"
    assert verdict(best("pwu_k", "top_k"), evidence({"a": LOW}, seeds=4)) == ("undecided", True)


def test_a_shared_first_place_is_one() -> None:
    assert verdict(best("pwu_k", "top_k"), evidence({"a": [0.6] * 9}, spread=0)) == ("holds", True)
    assert verdict(above("pwu_k", ["nll"], "top_k"), evidence({"a": [0.6] * 9}, spread=0)) == ("fails", False)


def test_other_statements() -> None:
    assert verdict(reaches("pwu_k", 0.5, "top_k"), evidence({"a": LOW})) == ("holds", True)
    assert verdict(reaches("pwu_k", 0.7, "top_k"), evidence({"a": LOW})) == ("fails", False)
    assert verdict(positive("pwu_k", "top_k"), evidence({"a": [0.5] * 8 + [-0.2], "b": LOW})) == ("fails", False)
    assert verdict(most_classical_below(0.3, "top_k"), evidence({"a": LOW})) == ("holds", True)
    assert verdict(most_classical_below(0.3, "top_k"), evidence({"a": [0.5] * 9})) == ("fails", False)
    down = [-0.2] * 7 + [0.5, 0.5]
    assert verdict(NoClassicalConsistent(("top_k",)), evidence({"a": LOW, "b": down})) == ("holds", True)
    assert verdict(NoClassicalConsistent(("top_k",)), evidence({"a": LOW, "b": [0.3, *down[1:]]})) == ("fails", False)


def test_what_was_not_run_is_not_judged() -> None:
    assert verdict(best("pwu_k", "top_k", "heart"), evidence({"a": LOW})) == ("not run", None)
    assert verdict(best("pwu_phi", "risk_averse_top_k"), evidence({"a": LOW})) == ("not run", None)


@pytest.mark.parametrize(
    ("chosen", "best_cell", "little"),
    [
        (["nll", "brier"], "not run", "fails"),
        (["pwu_c", "pwu_k"], "holds", "not run"),
        (["pwu_k"], "not run", "not run"),  # nothing to be better than
        (["nll", "pwu_k"], "holds", "fails"),
    ],
)
def test_claims_about_metrics_that_the_configuration_leaves_out(chosen: list[str], best_cell: str, little: str) -> None:
    taus = frame(np.full((6, len(METRICS)), 0.5), METRICS, "sonar_keel")
    table = verdicts(taus[taus["metric"].isin(chosen)], {"sonar_keel": "sonar"}, 5).set_index("claim")
    for name, expected in (("bold_j2_sonar_pwu_k", best_cell), ("little_top_k", little)):
        row = table.loc[name]
        assert row["definitions_verdict"] == expected
        told = "the configuration leaves out the metrics that it is about" in row["definitions_detail"]
        assert told == (expected == "not run")


def test_variants_go_by_their_published_names() -> None:
    assert list(evidence({"sonar_keel": LOW}).of("top_k")) == ["sonar"]


def test_every_bold_cell_is_a_claim_that_the_printed_tables_bear_out() -> None:
    cells = bold_cells()
    assert len(cells) == int(published_tables()["best"].sum())
    for claim in cells:
        assert judge(claim, printed()).verdict == "holds", claim.id
    assert len({claim.id for claim in declared()}) == len(declared())


def test_captions_on_the_printed_tables() -> None:
    found = {claim.id: judge(claim, printed()) for claim in stated()}
    for name in ("binary_decision", "top_k", "selective", "risk_averse_top_k"):
        assert found[f"best_{name}"].verdict == "holds"
    assert found["consistent"].verdict == "fails"  # pwu_k on ionosphere: -0.11
    assert found["pathological_priors"].verdict == "holds"
    assert found["bidding"].verdict == "holds"  # the highest conventional median is 0.09
    for name in ("sensitivity_top_k", "ablations", "credit", "lending"):
        assert found[name].verdict == "not run"
        assert found[name].detail == "the paper shows it in figures, without numbers"


def test_table_of_verdicts() -> None:
    taus = pd.concat(
        [frame(np.array([LOW] * 6), METRICS, "sonar_keel", family) for family in ("top_k", "binary_decision")]
    )
    taus = pd.concat([taus, taus.assign(setting="published")])
    table = verdicts(taus, {"sonar_keel": "sonar"}, 5).set_index("claim")
    assert table.loc["bold_j2_sonar_pwu_k", "definitions_verdict"] == "holds"
    assert table.loc["bold_j1_sonar_pwu_c", "published_verdict"] == "fails"
    assert table.loc["bold_j1_bank_pwu_c", "definitions_verdict"] == "not run"
    text = claims_markdown(table.reset_index())
    widths = {line.count("|") for block in text.split("\n\n") for line in block.splitlines() if line.startswith("|")}
    assert widths == {8, 7}
    assert "- pwu_c aligns best with binary decision on bank (Table J.1)" in text


@pytest.mark.parametrize("claim", declared(), ids=lambda claim: claim.id)
def test_claims_are_worded(claim: Claim) -> None:
    assert claim.text
    assert claim.where
    assert claim.statements
    assert claim.read_as
