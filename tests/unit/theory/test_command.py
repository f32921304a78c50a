"""`uqalign theory`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from uqalign.cli.theory import theory_app
from uqalign.errors import UserError


def run(*arguments: str):
    return CliRunner().invoke(theory_app, list(arguments), terminal_width=200)


def test_table() -> None:
    result = run("table")
    assert result.exit_code == 0
    assert "35 entries, 34 as in the paper, 1 not." in result.stdout
    entries = json.loads(run("table", "--json").stdout)
    assert len(entries) == 35
    assert {"metric", "family", "claim", "verdict", "evidence"} <= entries[0].keys()
    assert run("table", "--markdown").stdout.startswith("| task | metric |")


def test_errata() -> None:
    result = run("errata")
    assert result.exit_code == 0
    assert "Proposition 4.2, for U_phi" in result.stdout
    assert "variance reported as 0: 0.94" in result.stdout
    assert all(entry["refuted"] for entry in json.loads(run("errata", "--json").stdout))
    assert run("errata", "--markdown").stdout.startswith("| where | claim |")


def test_check() -> None:
    result = run("check", "ece", "--task", "binary", "--family", "binary_decision", "--trials", "100")
    assert result.exit_code == 0
    assert "proper: violated. If the truth is" in result.stdout
    report = json.loads(
        run("check", "nll", "--task", "regression", "--family", "risk_averse_top_k", "--trials", "8", "--json",
            "--prior", "q=beta:1.5,25.5", "--prior", "gamma_factor=point:0.5").stdout
    )  # fmt: skip
    assert report["checks"][-2]["name"].endswith("under q ~ beta:1.5,25.5, gamma_factor ~ point:0.5")


def test_check_of_a_users_own_function(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_score.py").write_text("def hits(y, p):\n    return float(((p > 0.5) == y).mean())\n")
    monkeypatch.chdir(tmp_path)
    result = run(
        "check", "own_score:hits", "--task", "binary", "--family", "top_k", "--higher-is-better", "--trials", "50"
    )
    assert result.exit_code == 0
    assert "hits (binary)" in result.stdout
    assert "proper: no violation found" in result.stdout
    assert "under some prior: violated" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["brierr", "--task", "binary"], "did you mean 'brier'"),
        (["nowhere:thing", "--task", "binary"], "metric 'nowhere:thing' cannot be loaded"),
        (["brier", "--task", "binary", "--family", "top_k", "--prior", "q=beta:1,2", "--prior", "beta:2,2"], "--prior"),
    ],
)
def test_mistakes_are_answered(arguments: list[str], message: str) -> None:
    result = run("check", *arguments)
    assert isinstance(result.exception, UserError)
    assert message in str(result.exception)
