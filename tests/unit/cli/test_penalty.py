"""`uqalign penalty`."""

import json

import pytest
from typer.testing import CliRunner

from uqalign.cli import app
from uqalign.errors import UserError


def run(*arguments):
    result = CliRunner().invoke(app, ["penalty", *arguments], catch_exceptions=False, env={"COLUMNS": "120"})
    assert result.exit_code == 0, result.output
    return result.output


def answers(*arguments):
    return {answer["base"]: answer for answer in json.loads(run(*arguments, "--json"))}


def test_the_answer_for_ten_classes():
    found = answers("--classes", "10")
    brier, log = found["brier"], found["log"]
    assert brier["infimal"] == pytest.approx(0.4)
    assert brier["superior"] == {"text": "(0.4, inf)", "low": 0.4, "high": None, "low_included": False}
    settings = {setting["name"]: setting for setting in brier["settings"]}
    assert settings["published"]["ratio"] == pytest.approx(2.25)
    assert settings["implemented"]["ratio"] == pytest.approx(22.5)
    assert settings["implemented"]["width"] == pytest.approx(10)
    assert settings["infimal+"]["mixture"] == pytest.approx(0.401 / 10.401)
    assert log["infimal"] == pytest.approx(1.6094379)
    assert log["settings"][1]["value"] == log["settings"][2]["value"]


def test_it_reads_as_text_without_a_terminal():
    text = run("--classes", "10", "--base", "brier")
    assert "\x1b" not in text
    assert "superior: (0.4, inf)" in text
    assert "Log score" not in text
    assert [line.split()[:3] for line in text.splitlines() if "implemented" in line] == [["implemented", "9", "22.5"]]
    assert "one more error in 100 forecasts weighs as much as 0.00401" in text


def test_conventions_and_their_cost():
    for ties, letter in (("permissive", "A"), ("strict", "C")):
        text = run("--classes", "4", "--ties", ties)
        assert f"(convention {letter})" in text
        assert "superior and strictly proper: empty" in text
        assert "use --ties order" in text
        answer = answers("--classes", "4", "--ties", ties)["brier"]
        assert answer["superior"]["low_included"]
        assert answer["superior_and_strictly_proper"] is None


def test_two_classes_need_none():
    text = run("--classes", "2")
    assert "leave the penalty out" in text
    assert answers("--classes", "2")["brier"]["settings"][0]["ratio"] is None


def test_bad_arguments():
    with pytest.raises(UserError, match="at least 2 classes"):
        run("--classes", "1")
    with pytest.raises(UserError, match="did you mean 'log'"):
        run("--classes", "3", "--base", "logg")
    with pytest.raises(UserError, match="did you mean 'order'"):
        run("--classes", "3", "--ties", "orders")
