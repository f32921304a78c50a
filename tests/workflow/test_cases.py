"""A case study from outside, run by the real Snakemake."""

CASE = """
from uqalign.cases.case import Arm, Case


def sizes(table, frame):
    return (100 * frame[["a"]].abs()).rename(columns={"a": "size"})


def accept(split):
    return split.prediction[0] > 0.5


def earned(split, accepted):
    return float((split.side["size"].to_numpy() * (2 * split.y - 1) * accepted).sum())


ORDERS = Case(
    name="orders",
    title="Orders",
    task="binary",
    arms=(Arm("house", "The house", ("toy.yaml",)),),
    side=sizes,
    decide=accept,
    utility=earned,
    unit="EUR",
)
"""
CONFIG = """\
datasets: [toy.yaml]
models: [logreg, constant]
seeds: 1
folds: 2
cases: ["own:ORDERS"]
"""


def test_a_case_study_from_outside_runs_and_reruns_what_changed(fresh, tmp_path):
    project = fresh.copy(tmp_path / "project")
    (project.folder / "own.py").write_text(CASE)
    project.configure(CONFIG)
    project.snakemake("results/cases/orders/tables/money.md")
    results = project.folder / "results"
    text = (results / "cases/orders/tables/money.md").read_text()
    assert text.startswith("Orders: mean utility of a test set's decisions in EUR")
    assert (results / "cases/orders/side/toy.parquet").exists()
    # The benchmark shares the predictions; its own scores are asked for by itself alone.
    assert not (results / "scores").exists()
    project.edit("own.py", "split.prediction[0] > 0.5", "split.prediction[0] > 0.6")
    # Nothing is cleaned, split or trained again. One module holds all functions of the case study, its side information
    # too; the other tables and the figure were not asked for before.
    assert project.planned("cases") == {
        "case_side": 1, "case_score": 2, "case_align": 1, "case_table": 3, "case_figure": 1, "cases": 1
    }  # fmt: skip
