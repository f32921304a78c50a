"""A folder that holds what a clone holds, and the real Snakemake run in it."""

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).parents[1]
TOY = """\
name: toy
task: binary
file: toy.csv
target: label
sha256: {sha256}
"""
CONFIG = """\
datasets: [toy.yaml]
models: [logreg, mlp, constant]
seeds: 2
folds: 2
"""


@dataclass(frozen=True)
class Project:
    """A folder that holds everything a clone does, with its own copy of the package.

    Attributes:
        launcher: what Python is given to run Snakemake.
    """

    folder: Path
    launcher: tuple[str, ...] = ("-m", "snakemake")

    def environment(self, **extra: str) -> dict[str, str]:
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        return {**os.environ, "PYTHONPATH": str(self.folder / "src"), "PATH": path, "COLUMNS": "200", **extra}

    def command(self, *arguments: str, **extra: str) -> subprocess.CompletedProcess[str]:
        """Run a command in the folder; output and errors together."""
        return subprocess.run(
            arguments,
            cwd=self.folder,
            env=self.environment(**extra),
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=900,
            check=False,
        )

    def snakemake(self, *arguments: str, ok: bool = True, **extra: str) -> str:
        """Output of a Snakemake run on two cores that succeeds (or, with ok=False, fails)."""
        done = self.command(sys.executable, *self.launcher, "--cores", "2", *arguments, **extra)
        assert (done.returncode == 0) == ok, done.stdout
        return done.stdout

    def start(self, *arguments: str, log: str = "run.log", **extra: str) -> subprocess.Popen[bytes]:
        """A Snakemake run on two cores in the background, its output in a file of the folder."""
        command = [sys.executable, *self.launcher, "--cores", "2", *arguments]
        with (self.folder / log).open("wb") as output:
            return subprocess.Popen(
                command, cwd=self.folder, env=self.environment(**extra), stdout=output, stderr=subprocess.STDOUT
            )

    def wait_for(self, condition: Callable[[], object], what: str, seconds: float = 300) -> None:
        """Return when the condition holds; fail when it does not within so many seconds."""
        deadline = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < deadline, f"no {what} after {seconds} s"
            time.sleep(0.1)

    def tables(self) -> dict[str, bytes]:
        """The files of results/tables, by name."""
        return {path.name: path.read_bytes() for path in sorted((self.folder / "results/tables").iterdir())}

    def planned(self, *arguments: str) -> dict[str, int]:
        """Jobs per rule that a dry run announces (without the target rule `all`)."""
        text = self.snakemake("-n", *arguments)
        table = re.search(r"Job stats:\njob +count\n[- ]+\n(.*?)\ntotal", text, re.DOTALL)
        if table is None:
            assert "Nothing to be done" in text, text
            return {}
        counts = dict(line.split() for line in table[1].splitlines())
        return {rule: int(count) for rule, count in counts.items() if rule != "all"}

    def edit(self, path: str, before: str, after: str) -> None:
        """Replace text in a file of the folder."""
        file = self.folder / path
        text = file.read_text()
        assert before in text, f"{path} does not contain {before!r}"
        file.write_text(text.replace(before, after))

    def configure(self, text: str) -> None:
        (self.folder / "config.yaml").write_text(text)

    def copy(self, folder: Path) -> "Project":
        shutil.copytree(self.folder, folder, symlinks=True)
        return replace(self, folder=folder)
