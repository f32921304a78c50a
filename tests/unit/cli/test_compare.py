"""`uqalign compare`."""

import json
import re
import shlex
import sys
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

from prediction_tables import MODELS, long_table, wide_table, written
from uqalign.cli import app
from uqalign.errors import UserError
from uqalign.metrics.registry import for_task
from uqalign.tasks import TASKS

DOCS = Path(__file__).parents[3] / "docs/howto/own-predictions.md"


def run(*arguments, columns="200"):
    result = CliRunner(env={"COLUMNS": columns}).invoke(app, ["compare", *(str(a) for a in arguments)])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture
def binary(tmp_path):
    return written(long_table("binary"), tmp_path / "mine.csv")


def test_the_terminal_shows_scores_leaderboards_and_alignment(binary):
    shown = run(binary, "--task", "binary")
    assert all(name in shown for name in (*for_task("binary"), *MODELS, "Binary decision", "Top-k selection"))
    assert "2 seeds of 2 folds each" in shown
    assert "Alignment  mean of Kendall's tau-b" in shown
    assert "--out FOLDER writes the report" in shown
    assert re.search(r"^ pwu_c +\S+ \[-?\d\.\d\d, -?\d\.\d\d\] ", shown, re.MULTILINE)


def test_json_and_tables_and_page_say_the_same(binary, tmp_path):
    out = tmp_path / "out"
    told = json.loads(run(binary, "--task", "binary", "--out", out, "--json"))
    assert told["models"] == list(MODELS)
    assert told["repeats"] == {"unit": "seed", "labels": [0, 1], "folds": 2}
    board = pd.read_csv(out / "leaderboard.csv").query("name == 'top_k'").set_index("model")
    best, *_ = told["leaderboards"]["top_k"]
    assert best["value"] == pytest.approx(board["mean"].max(), rel=1e-12)
    assert best["behind"] == 0
    aligned = pd.read_csv(out / "alignment.csv")
    for entry in told["alignment"]["binary_decision"]:
        row = aligned.query(f"family == 'binary_decision' and metric == '{entry['metric']}'").iloc[0]
        assert entry["tau"] == (None if pd.isna(row["mean"]) else pytest.approx(row["mean"], rel=1e-12))
    names = ("report.html", "scores.csv", "leaderboard.csv", "alignment.csv", "alignment_by_repeat.csv")
    assert told["written"] == [str(out / name) for name in names]
    page = (out / "report.html").read_text()
    titles = re.findall(r"<h2 id[^>]*>(.*?)</h2>", page)
    assert titles == [
        "At a glance", "Alignment: which metrics rank models as decisions do", "Models by decision", "Decision curves",
        "Reliability, coverage and retention", "What was run",
    ]  # fmt: skip
    assert "<td>2 seeds of 2 folds each</td>" in page
    assert 'id="choose-dataset"' not in page
    assert "uqalign" in re.search(r"<code>(.*?)</code>", page)[1]
    assert {path.name for path in out.iterdir()} == {Path(name).name for name in told["written"]}


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("rows", ["one row", "one test set"])
def test_pages_of_little_hold_no_empty_parts(tmp_path, task, rows):
    table = wide_table(task, 1).drop(columns=["seed", "fold", "row"])
    path = written(table[:1] if rows == "one row" else table[:30], tmp_path / "mine.parquet")
    shown = run(path, "--task", task, "--out", tmp_path / "out")
    assert "No alignment of metrics with decisions: more than one test set is needed" in shown
    page = (tmp_path / "out/report.html").read_text()
    assert "Alignment: which" not in page
    assert "95 %" not in page
    assert "with intervals" not in page
    assert "not told apart" not in page
    assert not (tmp_path / "out/alignment.csv").exists()


def test_one_model(tmp_path):
    table = long_table("regression")
    path = written(table[table["model"] == "fair"].drop(columns="model"), tmp_path / "fair.csv")
    shown = run(path, "--task", "regression", "--out", tmp_path / "out")
    assert "Alignment" not in shown
    assert "fair" in shown
    assert "Selective prediction" in (tmp_path / "out/report.html").read_text()


def test_an_earlier_comparison_is_kept_unless_told(binary, tmp_path):
    out = tmp_path / "out"
    arguments = (binary, "--task", "binary", "--metric", "brier", "--utility", "top_k", "--out", out)
    run(*arguments)
    before = (out / "report.html").stat().st_mtime_ns
    with pytest.raises(UserError, match=r"report\.html exists: choose another --out, or replace it with --force"):
        run(*arguments)
    assert (out / "report.html").stat().st_mtime_ns == before
    single = written(pd.read_csv(binary).query("model == 'fair'"), tmp_path / "fair.csv")
    run(single, "--task", "binary", "--out", out, "--force")
    assert not (out / "alignment.csv").exists()  # nothing of the earlier one is left
    with pytest.raises(UserError, match=r"mine\.csv is a file: name a folder"):
        run(binary, "--task", "binary", "--out", binary)


def test_the_page_follows_prior_and_own_decision(binary, tmp_path, monkeypatch):
    (tmp_path / "mine_here.py").write_text(
        "def gain(split):\n    return float((split.y * split.prediction[0]).sum())\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    options = ("--utility", "mine_here:gain", "--utility", "binary_decision", "--prior", "beta:7,9")
    told = json.loads(run(binary, "--task", "binary", "--out", tmp_path / "out", "--json", *options))
    sys.modules.pop("mine_here", None)
    assert list(told["leaderboards"]) == ["gain", "binary_decision"]
    assert told["priors"] == {"gain": {}, "binary_decision": {"c": "beta:7,9"}}
    assert told["options"]["pwu_c"] == {"prior": "beta:7,9"}
    page = (tmp_path / "out/report.html").read_text()
    assert "Gain: leaderboard" in page
    assert "Gain: mean over repeats" in page
    assert "shaded: the prior Beta(a=7.0, b=9.0)" in page
    assert "Top-k" not in page


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--task", "binray"], "unknown task 'binray': did you mean 'binary'"),
        (["--task", "binary", "--metric", "brierr"], "did you mean 'brier'"),
        (["--task", "binary", "--utility", "top-k"], "did you mean 'top_k'"),
        (["--task", "binary", "--prior", "lambda=beta:2,3"], "no binary decision has such a parameter"),
        (["--task", "binary", "--side", "price"], "--side is for a utility of your own"),
        (["--task", "multiclass"], "needs the column 'p_0'"),
    ],
)
def test_mistakes_are_named(binary, options, message):
    with pytest.raises(UserError, match=message):
        run(binary, *options)


def test_the_page_of_the_documentation_does_what_it_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    written(wide_table("regression").rename(columns=lambda c: {"y": "target"}.get(c, c)), Path("w.csv"))
    wide = pd.read_csv("w.csv")
    for model in MODELS:
        wide[f"{model}_mean"], wide[f"{model}_sd"] = wide.pop(f"mu:{model}"), wide.pop(f"var:{model}") ** 0.5
    wide.to_csv("mine_wide.csv", index=False)
    printed, excerpts = [], []
    for kind, text in re.findall(r"^```(python|sh|text)\n(.*?)^```", DOCS.read_text(), re.MULTILINE | re.DOTALL):
        if kind == "text":
            excerpts += text.splitlines()
        elif kind == "sh":
            for line in text.splitlines():
                program, command, *arguments = shlex.split(line)
                assert (program, command) == ("uqalign", "compare")
                printed += [shown.rstrip() for shown in run(*arguments).splitlines()]
        else:
            if text.startswith("# mine.py"):
                Path("mine.py").write_text(text)
            exec(compile(text, str(DOCS), "exec"), {"__name__": "example"})
    sys.modules.pop("mine", None)
    assert len(excerpts) > 5
    assert [line for line in excerpts if line not in printed] == []
    assert Path("mine/report.html").exists()
