"""The record of a run."""

import json
import subprocess

import pytest

from uqalign.config import Config
from uqalign.errors import UserError
from uqalign.manifest import Manifest, git_state


def git(folder, *arguments):
    names = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "-C", folder, *names, *arguments], check=True, capture_output=True)


def test_the_state_of_a_checkout(tmp_path):
    assert git_state(tmp_path) == {}
    git(tmp_path, "init")
    (tmp_path / "file").write_text("a")
    git(tmp_path, "add", "file")
    git(tmp_path, "commit", "-m", "first")
    state = git_state(tmp_path)
    assert len(state["commit"]) == 40
    assert state["changed"] is False
    (tmp_path / "other").write_text("untracked files change nothing")
    assert git_state(tmp_path) == state
    (tmp_path / "file").write_text("b")
    assert git_state(tmp_path) == {**state, "changed": True}


def test_a_record_says_how_the_run_ended(tmp_path):
    manifest = Manifest(Config(seeds=2), tmp_path, command=["snakemake", "--cores", "2"])
    manifest.end("complete")  # a run that never began leaves nothing
    assert list(tmp_path.iterdir()) == []
    path = manifest.begin(tmp_path / "manifest")
    assert json.loads(path.read_text())["status"] == "running or killed"
    manifest.end("failed")
    content = json.loads(path.read_text())
    assert content["status"] == "failed"
    assert content["config"]["seeds"] == 2
    assert content["command"] == ["snakemake", "--cores", "2"]
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_where_nothing_can_be_written_the_place_is_named(tmp_path):
    (tmp_path / "manifest").write_text("a file in the way")
    with pytest.raises(UserError, match=r"results cannot be written to .*manifest \("):
        Manifest(Config(), tmp_path).begin(tmp_path / "manifest")
