"""The `uqalign prior` command."""

from __future__ import annotations

import json

import pytest
import typer
from typer.testing import CliRunner

from uqalign.cli.prior import prior_command
from uqalign.errors import UserError

APP = typer.Typer()
APP.command()(prior_command)


def run(*arguments: str):
    return CliRunner().invoke(APP, list(arguments))


def test_report_for_a_prior() -> None:
    result = run("beta:2,10")
    assert result.exit_code == 0
    assert "5 %  0.033  false negative to false positive 29:1" in result.output
    assert "No warnings" in result.output


def test_three_ways_to_the_same_prior() -> None:
    by_text = json.loads(run("beta:2,10", "--json").output)
    by_mode = json.loads(run("--mode", "0.1", "--concentration", "12", "--json").output)
    low, _, high = (q["value"] for q in by_text["quantiles"])
    by_quantile = json.loads(run("--quantile", f"0.05={low}", "--quantile", f"0.95={high}", "--json").output)
    assert by_mode["prior"] == by_text["prior"] == "beta:2,10"
    assert by_quantile["mean"] == pytest.approx(by_text["mean"], rel=1e-7)


def test_selected_rows_and_plot(tmp_path) -> None:
    pytest.importorskip("vl_convert")
    plot = tmp_path / "prior.svg"
    result = run("beta:1.2,20.8", "--parameter", "k", "--n-test", "61", "--plot", str(plot))
    assert result.exit_code == 0
    assert "weight of the best-ranked row 0.44" in result.output
    assert plot.read_text().startswith("<svg")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "give one of"),
        (["beta:2,10", "--mode", "0.1"], "give one of"),
        (["--mode", "0.1"], "go together"),
        (["--concentration", "12"], "go together"),
        (["--quantile", "0.05"], "LEVEL=VALUE"),
        (["--quantile", "0.05=0.03"], "two quantiles"),
        (["--quantile", "0.05=0.03", "--quantile", "0.95=0.4", "--family", "weibull"], "choose one of"),
        (["betta:2,10"], "did you mean 'beta'"),
        (["implicit:nll"], "proper prior"),
        (["beta:2,10", "--parameter", "q"], "choose one of c, lambda, k, gamma"),
        (["beta:2,10", "--plot", "prior.gif"], "end the name in one of"),
        (["lognormal:0,1", "--parameter", "k", "--n-test", "5"], "truncate"),
    ],
)
def test_errors_name_the_remedy(arguments: list[str], message: str) -> None:
    result = run(*arguments)
    assert result.exit_code != 0
    assert isinstance(result.exception, UserError)
    assert message in str(result.exception)
