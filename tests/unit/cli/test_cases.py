"""`uqalign cases`, and what a configuration with case studies says of itself."""

import pytest
from typer.testing import CliRunner

from uqalign.cli import app
from uqalign.registry import UnknownNameError


def output(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments), env={"COLUMNS": "200"})
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.output


def test_case_studies_are_listed_with_their_arms():
    line = next(line for line in output("cases").splitlines() if line.strip().startswith("credit"))
    assert line.split() == ["credit", "binary", "Credit", "approval", "kaggle,", "pakdd"]


def test_one_is_shown_with_options_and_switches():
    text = output("cases", "show", "credit")
    assert "Credit approval (credit, binary), utility in the lender's currency" in text
    assert "arm pakdd: PAKDD 2009; credit_pakdd, interest 0.63, cost_of_funds 0.165, currency 0.33" in text
    assert "option months: 24" in text
    assert "switch negative_credit: a debt ratio above 1 gives a negative credit line" in text
    assert "uqalign.cases.electricity" in output("cases", "show", "electricity")
    with pytest.raises(UnknownNameError, match="did you mean 'lending'"):
        output("cases", "show", "lendin")


def test_a_configuration_counts_the_fits_of_its_case_studies(tmp_path):
    (tmp_path / "config.yaml").write_text(
        "datasets: [iris]\nmodels: [logreg, constant]\nseeds: 1\nfolds: 2\ncases: [lending]\n"
    )
    text = output("config", "check", str(tmp_path / "config.yaml"))
    assert "2 data sets, 2 models, 1 seeds x 2 folds: 4 training jobs, 8 fits" in text
    assert "case studies: lending" in text
