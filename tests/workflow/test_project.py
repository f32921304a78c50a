"""The project's own files agree with each other."""

import re
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest
import yaml

from lint_workflow import lint

ROOT = Path(__file__).parents[2]


def pins() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pairs = [line.split("==") for line in lines if "==" in line]
    return {name.lower().replace("_", "-"): version for name, version in pairs}


def requirements(extra: str | None) -> list[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    listed = project["optional-dependencies"][extra] if extra else project["dependencies"]
    return [re.split(r"[<>=\[]", entry)[0].lower().replace("_", "-") for entry in listed]


@pytest.mark.parametrize(
    ("name", "extras"), [("train", [None, "train"]), ("score", [None]), ("report", [None, "report"])]
)
def test_environments_agree_with_the_constraints(name, extras):
    environment = yaml.safe_load((ROOT / f"envs/{name}.yaml").read_text())
    listed = dict(entry.split("==") for entry in environment["dependencies"][-1]["pip"])
    assert set(listed) == {entry for extra in extras for entry in requirements(extra)}
    assert listed == {entry: pins()[entry] for entry in listed}


def test_every_requirement_is_pinned():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for extra in [None, *project["optional-dependencies"]]:
        assert set(requirements(extra)) <= set(pins())


def test_the_workflow_is_lint_free():
    assert lint() == []


def test_the_paper_grid_is_planned_in_seconds(tmp_path):
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "snakemake", "-n", "--quiet", "rules", "--directory", str(tmp_path), "--snakefile",
         str(ROOT / "Snakefile"), "--configfile", str(ROOT / "configs/paper.yaml")],
        cwd=ROOT, text=True, capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert time.perf_counter() - start < 60


def test_rules_and_commands_share_their_names():
    from uqalign.cli.stage import stage_app

    def names(app):
        return {command.name or command.callback.__name__ for command in app.registered_commands}

    groups = {group.name: names(group.typer_instance) for group in stage_app.registered_groups}
    # A group's page is the rule that carries the group's own name.
    members = [(group, name) for group, known in groups.items() for name in known]
    spoken = {f"{group}_{name}" if name != "page" else group: f"{group} {name}" for group, name in members}
    spoken |= {name: name for name in names(stage_app)}
    rules = set()
    for path in (ROOT / "workflow/rules").glob("*.smk"):
        text = path.read_text()
        for rule, body in re.findall(r"^rule (\w+):\n(.*?)(?=^rule |\Z)", text, re.MULTILINE | re.DOTALL):
            if "shell:" in body:
                rules.add(rule)
                assert f"uqalign stage {spoken[rule]} " in body
                assert re.search(rf"results/logs/{rule}[/.]", body)
                assert re.search(rf"results/benchmarks/{rule}[/.]", body)
    assert rules == set(spoken)


def test_the_package_does_not_know_snakemake():
    for path in (ROOT / "src").rglob("*.py"):
        assert not re.search(r"^\s*(import|from) snakemake", path.read_text(), re.MULTILINE), path


def test_ci_runs_the_readme_test_command():
    assert "make test" in (ROOT / ".ci/run").read_text()
    assert re.search(r"^make test", (ROOT / "README.md").read_text(), re.MULTILINE)
