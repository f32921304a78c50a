"""The command as a newcomer meets it."""

import pandas as pd
import pytest
from typer.testing import CliRunner

from uqalign.cli import app, main

COMMANDS = [
    ["--help"], ["--version"], ["datasets"], ["models"], ["models", "show", "mlp"], ["metrics"],
    ["metrics", "--task", "regression"], ["config", "default"], ["config", "schema"],
    ["stage", "--help"], ["cases"], ["cases", "show", "credit"],
]  # fmt: skip


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_commands_answer(arguments):
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    assert len(result.output) > 10


def test_a_mistake_is_one_line_without_a_traceback(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["uqalign", "models", "show", "mpl"])
    with pytest.raises(SystemExit) as stop:
        main()
    assert stop.value.code == 1
    assert capsys.readouterr().err.strip() == "error: unknown model 'mpl': did you mean 'mlp'?"


def test_results_show_medians_and_where_the_rest_is(tmp_path):
    missing = CliRunner().invoke(app, ["results", str(tmp_path)])
    assert "run `snakemake --cores 2` first" in str(missing.exception)
    (tmp_path / "tables").mkdir()
    frame = pd.DataFrame(
        {"dataset": ["sonar_keel"] * 2, "metric": ["nll", "pwu_k"], "median": [0.25, float("nan")], "q05": 0, "q95": 1}
    )
    frame.to_csv(tmp_path / "tables/alignment_top_k.csv", index=False)
    shown = CliRunner().invoke(app, ["results", str(tmp_path)]).output
    assert "Alignment with top k" in shown
    row = next(line for line in shown.splitlines() if "sonar_keel" in line)
    assert row.split() == ["sonar_keel", "0.25", "--"]
    assert "alignment_top_k.md" in shown.replace("\n", "")
