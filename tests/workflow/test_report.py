"""The page as the workflow's last rule, and Snakemake's own report."""

import io
import json
import re
import zipfile

import pandas as pd

from workflow_project import CONFIG

PAGE = "results/report/index.html"


def payload(text: str) -> dict:
    return json.loads(re.search(r'<script type="application/json" id="payload">(.*?)</script>', text, re.DOTALL)[1])


def test_a_run_ends_with_a_page(finished):
    page = (finished.folder / PAGE).read_text()
    assert len(page) < 10_000_000
    titles = re.findall(r"<h2 id[^>]*>(.*?)</h2>", page)
    assert {"At a glance", "What was run", "What theory says", "Runtime and memory"} <= set(titles)
    assert "Audit of the published evaluation" not in titles
    assert "3 models on 1 data set, 2 repeats of 2-fold cross-validation: 12 fits, none of them failed." in page
    # Published models that were left out are named, with the reason.
    absent = pd.read_csv(io.StringIO(payload(page)["data"]["run-absent"]["csv"])).set_index("model")["why"]
    assert absent["random_forest"] == "not in the configuration"
    assert "logreg" not in absent
    assert re.search(r"datasets:\s+- toy.yaml", page)


def test_the_page_shows_the_numbers_of_the_files(finished):
    data = payload((finished.folder / PAGE).read_text())["data"]
    cells = pd.read_csv(io.StringIO(data["alignment-top-k"]["csv"])).set_index("metric")["median"]
    table = pd.read_csv(finished.folder / "results/tables/alignment_top_k.csv").set_index("metric")["median"].dropna()
    pd.testing.assert_series_equal(cells.sort_index(), table.sort_index(), atol=1e-4, rtol=0)
    board = pd.read_csv(io.StringIO(data["metrics-binary"]["csv"])).set_index(["name", "model"])["mean"]
    leaders = pd.read_csv(finished.folder / "results/tables/models_binary.csv").set_index(["metric", "model"])["mean"]
    assert set(board.index) == set(leaders.index)
    for key, value in leaders.items():
        assert board[key] == value or abs(board[key] - value) < 1e-12


def test_the_zip_holds_the_page_and_its_data(finished):
    with zipfile.ZipFile(finished.folder / "results/report/report.zip") as bundle:
        names = bundle.namelist()
        assert bundle.read("index.html").decode() == (finished.folder / PAGE).read_text()
        frame = pd.read_csv(bundle.open("data/alignment-top-k.csv"))
    assert "data/board-binary-decision.csv" in names
    assert list(frame.columns[:2]) == ["dataset", "metric"]


def test_sections_are_computed_when_they_are_asked_for(project):
    project.configure(CONFIG + "report: {sections: [sensitivity, superiority]}\n")
    planned = project.planned("report")
    assert planned["sensitivity_scores"] == 3
    assert planned["superiority_train"] == 4
    assert planned["report"] == 1
    assert "audit_score" not in planned
    assert not {"train", "score", "align"} & set(planned)


def test_snakemakes_own_report_has_the_main_results(project, tmp_path):
    project.snakemake("--report", str(tmp_path / "report.html"))
    text = (tmp_path / "report.html").read_text()
    for word in ("Alignment", "Models", "Theory", "Priors", "alignment_top_k.csv", "models_binary.csv", "index.html"):
        assert word in text, word
    assert "decision family top_k" in text
