"""A record of every run: what was asked for, by which code, on which machine, and how it ended.

The record is for people. No rule reads or writes it, so it makes nothing stale.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from uqalign.errors import UserError
from uqalign.files import write_text

if TYPE_CHECKING:
    from uqalign.config import Config

FOLDER = Path("results/manifest")


def _now() -> datetime:
    return datetime.now(UTC)


def git_state(folder: Path) -> dict[str, Any]:
    """Commit of the checkout at `folder` and whether files differ from it; empty outside of one."""

    def ask(*arguments: str) -> str:
        command = ["git", "-C", str(folder), *arguments]
        return subprocess.run(command, text=True, capture_output=True, check=True, timeout=20).stdout.strip()

    try:
        changed = ask("status", "--porcelain", "--untracked-files=no")
        return {"commit": ask("rev-parse", "HEAD"), "changed": bool(changed)}
    except (OSError, subprocess.SubprocessError):
        return {}


def installed() -> dict[str, str]:
    """Versions of all installed distributions, by name."""
    pairs = ((d.name.lower(), d.version) for d in importlib.metadata.distributions() if d.name)
    return dict(sorted(pairs))


def machine() -> dict[str, Any]:
    """What this machine is; GPUs by the names that NVIDIA's driver gives them."""
    gpus = []
    for path in sorted(Path("/proc/driver/nvidia/gpus").glob("*/information")):
        lines = path.read_text(encoding="utf-8").splitlines()
        gpus += [line.partition(":")[2].strip() for line in lines if line.startswith("Model:")]
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else None
    return {
        "name": platform.node(),
        "system": platform.platform(),
        "processor": platform.machine(),
        "cores": os.cpu_count(),
        "memory_bytes": memory,
        "gpus": gpus,
        "python": platform.python_version(),
    }


@dataclass
class Manifest:
    """The record of one run of the workflow.

    Args:
        config: the validated configuration.
        code: folder of the workflow.
        command: as typed.
    """

    config: Config
    code: Path
    command: Sequence[str] = field(default_factory=lambda: list(sys.argv))
    _path: Path | None = field(default=None, init=False)
    _content: dict[str, Any] = field(default_factory=dict, init=False)

    def begin(self, folder: Path = FOLDER) -> Path:
        """Write the record of a run that starts now.

        Raises:
            UserError: results cannot be written.
        """
        started = _now()
        self._path = folder / f"{started:%Y%m%dT%H%M%S}-{os.getpid()}.json"
        self._content = {
            "status": "running or killed",
            "started": started.isoformat(timespec="seconds"),
            "command": list(self.command),
            "config": self.config.model_dump(mode="json"),
            "git": git_state(self.code),
            "machine": machine(),
            "versions": installed(),
        }
        self._write()
        return self._path

    def end(self, status: str) -> None:
        """Record how the run ended.

        Raises:
            UserError: results cannot be written.
        """
        if self._path is not None:
            self._content |= {"status": status, "ended": _now().isoformat(timespec="seconds")}
            self._write()

    def _write(self) -> None:
        assert self._path is not None
        try:
            write_text(self._path, json.dumps(self._content, indent=1) + "\n")
        except OSError as error:
            raise UserError(
                f"results cannot be written to {self._path.parent.resolve()} ({error.strerror}): "
                "make the folder writable, free space, or run elsewhere with --directory"
            ) from error
