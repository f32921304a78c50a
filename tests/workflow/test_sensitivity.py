"""The sensitivity analysis by the real command line: what it leaves, and what an edit makes stale."""

import json

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from uqalign.sensitivity.grid import ALL_LEVELS, MODES
from workflow_project import CONFIG

SCORES = "results/sensitivity/scores/binary/toy/mlp/seeds-000-001/folds-1-2.parquet"
SHOWN = {"sensitivity_alignment": 1, "sensitivity_report": 1}


@pytest.fixture(scope="module")
def analysed(finished, prepared):
    return prepared("analysed", finished, lambda project: project.snakemake("sensitivity"))


def planned(project):
    """Jobs per rule that `sensitivity` announces."""
    return {rule: count for rule, count in project.planned("sensitivity").items() if rule != "sensitivity"}


def test_every_table_and_picture_is_there(analysed):
    results = analysed.folder / "results/sensitivity"
    assert len(list((results / "figures").iterdir())) == 8
    assert all(path.stat().st_size > 5000 for path in (results / "figures").iterdir())
    assert len(list((results / "tables").iterdir())) == 6
    for rule in ("sensitivity_scores", *SHOWN):
        logs = list((analysed.folder / "results/logs" / rule).rglob("*.log"))
        assert logs
        assert all(log.read_text().strip() for log in logs)
        assert len(list((analysed.folder / "results/benchmarks" / rule).rglob("*.tsv"))) == len(logs)
    assert planned(analysed) == {}


def test_the_utilities_of_a_cache(analysed):
    frame = pd.read_parquet(analysed.folder / SCORES)
    splits = 2 * 2
    # Two families: three levels of five decisions, four exact expectations, and a map of 15 x 9 priors each.
    counts = frame.groupby(["family", "kind"]).size()
    assert counts.to_dict() == {
        (family, kind): splits * number
        for family in ("binary_decision", "top_k")
        for kind, number in (("decision", 15), ("level", 4), ("map", 135))
    }
    assert frame["value"].notna().all()
    metadata = json.loads(pq.read_schema(analysed.folder / SCORES).metadata[b"uqalign"])
    assert metadata["interpolation_error"] == {"binary_decision": 0.0, "top_k": 0.0}
    assert metadata["model"] == "mlp"


def test_base_levels_are_those_of_the_alignment(analysed):
    levels = pd.read_parquet(analysed.folder / "results/sensitivity/levels/binary/toy.parquet")
    base = levels[(levels["level"] == "base") & (levels["source"] == "draws")]
    known = pd.read_parquet(analysed.folder / "results/alignment/binary/toy.parquet")
    columns = ["seed", "family", "theta", "metric", "tau", "models"]
    pd.testing.assert_frame_equal(base[columns].reset_index(drop=True), known[columns], check_dtype=False)
    assert set(levels["level"]) == set(ALL_LEVELS)
    assert (levels.groupby(["level", "source", "metric", "family", "seed"]).size().groupby("source").unique().map(list)
            .to_dict() == {"draws": [5], "exact": [1]})  # fmt: skip


def test_exact_expectations_agree_with_the_metrics_that_are_such(analysed):
    levels = pd.read_parquet(analysed.folder / "results/sensitivity/levels/binary/toy.parquet")
    exact = levels[(levels["source"] == "exact") & (levels["level"] == "base")]
    # A prior-weighted utility is minus the expected utility, and the Brier score that under the uniform prior.
    for family, metric in (("binary_decision", "pwu_c"), ("top_k", "pwu_k")):
        taus = exact.loc[(exact["family"] == family) & (exact["metric"] == metric), "tau"]
        assert taus.notna().any()
        np.testing.assert_allclose(taus.dropna(), 1.0)
    surfaces = pd.read_parquet(analysed.folder / "results/sensitivity/surfaces/binary/toy.parquet")
    brier = surfaces[(surfaces["metric"] == "brier") & (surfaces["family"] == "binary_decision")]
    uniform = brier[brier["concentration"] == 2]
    assert len(uniform) == len(MODES)
    np.testing.assert_allclose(uniform["mean"], 1.0)
    assert (surfaces["expected"] == 2).all()
    assert (surfaces["defined"] <= 2).all()


@pytest.mark.parametrize(
    ("path", "before", "after", "expected"),
    [
        (
            "src/uqalign/metrics/probability.py",
            "def brier_score(",
            "NEW = 1\n\n\ndef brier_score(",
            {"score": 3, **SHOWN},
        ),
        (
            "src/uqalign/sensitivity/betas.py",
            "CELLS = 2048",
            "CELLS = 2049",
            {"sensitivity_scores": 3},
        ),
        ("src/uqalign/sensitivity/figures.py", '"#bdd7e7"', '"#bdd7e8"', {"sensitivity_report": 1}),
    ],
    ids=["a metric", "the expectations", "the pictures"],
)
def test_an_edit_makes_stale_what_it_touches(analysed, tmp_path, path, before, after, expected):
    project = analysed.copy(tmp_path / "project")
    project.edit(path, before, after)
    assert planned(project) == {**SHOWN, **expected} if expected != {"sensitivity_report": 1} else expected


def test_a_new_model_is_the_only_one_evaluated(analysed, tmp_path):
    project = analysed.copy(tmp_path / "project")
    project.configure(CONFIG.replace("constant]", "constant, noise]"))
    assert planned(project) == {"train": 1, "score": 1, "sensitivity_scores": 1, **SHOWN}


def test_the_published_protocol_concerns_decisions_and_metrics(analysed, tmp_path):
    project = analysed.copy(tmp_path / "project")
    project.configure(CONFIG + "protocol: [threshold_geq]\n")
    assert planned(project) == {"score": 3, "sensitivity_scores": 3, **SHOWN}


def test_a_damaged_file_is_named_with_its_remedy(analysed, tmp_path):
    project = analysed.copy(tmp_path / "project")
    path = project.folder / SCORES
    path.chmod(0o644)
    path.write_bytes(path.read_bytes()[:500])
    output = project.snakemake("sensitivity", "--forcerun", "sensitivity_alignment", ok=False)
    assert f"{SCORES} is damaged or incomplete" in output
    assert f"rm {SCORES}" in output
