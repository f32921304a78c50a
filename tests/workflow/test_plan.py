"""`uqalign plan`: what a run would do and why, before anything is started."""

import json
import os
import pty
import subprocess

import pytest

from workflow_project import CONFIG


def steps(project, *arguments: str) -> dict[tuple[str, str], dict]:
    done = project.command("uqalign", "plan", "--json", *arguments)
    assert done.returncode == 0, done.stdout
    return {(step["rule"], step["reason"]): step for step in json.loads(done.stdout)["steps"]}


def test_what_is_stale_and_why(project):
    assert steps(project) == {}
    module = project.folder / "src/uqalign/models/logreg.py"
    module.write_text(module.read_text() + "\nADDED = 1\n")
    project.configure(CONFIG.replace("seeds: 2", "seeds: 3") + "thetas: 2\n")
    (project.folder / "extra.yaml").write_text("thetas: 3\n")
    found = steps(project, "--configfile", "extra.yaml", "scores")
    # Grown chunks: what earlier files hold is taken over, unless its code changed.
    assert set(found) == {("train", "not there yet"), ("score", "not there yet")}
    training = found["train", "not there yet"]
    assert training["jobs"] == 3
    assert training["fits"] == 2 + 2 + 6
    assert training["cpu_hours"] > 0
    assert training["gpu_hours"] == 0

    project.configure(CONFIG + "thetas: 2\n")
    found = steps(project, "scores")
    assert found["train", "its code changed"]["jobs"] == 1
    assert found["train", "its code changed"]["fits"] == 4
    assert {key: step["jobs"] for key, step in found.items() if key[0] == "score"} == {
        ("score", "changed: thetas"): 2, ("score", "follows from an earlier step"): 1,
    }  # fmt: skip


def test_gpu_hours_are_told_apart_and_nothing_is_invented(project):
    project.configure(CONFIG + "device: cuda\n")
    (project.folder / "results/predictions/binary/toy/mlp/seeds-000-001/folds-1-2.parquet").unlink()
    done = project.command("uqalign", "plan", "predictions", "--profile", "profiles/slurm")
    assert done.returncode == 0, done.stdout
    head, line, total, disk, note = done.stdout.splitlines()
    assert head.split("\t") == ["rule", "jobs", "why", "fits", "core hours", "GPU hours"]
    assert line.split("\t") == ["train_gpu", "1", "not there yet", "4", "", "?"]
    assert total.startswith("1 jobs, 4 fits, 0.0 core hours, 0.0 GPU hours and more")
    assert "free" in disk
    assert "no earlier run recorded" in note


def test_a_terminal_gets_a_table(project):
    (project.folder / "results/predictions/binary/toy/mlp/seeds-000-001/folds-1-2.parquet").unlink()
    leader, follower = pty.openpty()
    command = ["uqalign", "plan", "predictions"]
    process = subprocess.Popen(command, cwd=project.folder, env=project.environment(), stdout=follower, stderr=follower)
    os.close(follower)
    shown = b""
    try:
        while chunk := os.read(leader, 4096):
            shown += chunk
    except OSError:  # the other end is closed
        pass
    assert process.wait() == 0, shown
    text = shown.decode()
    assert "\t" not in text
    assert "not there yet" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--configfile", "absent.yaml"), "no configuration file absent.yaml"),
        (("tabels",), "tabels"),
        (("--profile", "profiles/none"), "profiles/none"),
    ],
)
def test_what_cannot_be_planned_is_told(finished, arguments, message):
    done = finished.command("uqalign", "plan", *arguments)
    assert done.returncode == 1
    assert message in done.stdout
    assert "plan.py" not in done.stdout
