"""`snakemake --lint` with an explained list of what is accepted: python tests/lint_workflow.py"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
ACCEPTED: dict[str, str] = {}
"""Titles of findings that are accepted, with the reason."""


def lint() -> list[str]:
    """Findings that are not accepted, as text."""
    done = subprocess.run(
        [sys.executable, "-m", "snakemake", "--lint", "json"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    text = done.stdout[done.stdout.find("{") :] if "{" in done.stdout else "{}"
    found = json.loads(text)
    sources = [*found.get("rules", []), *found.get("snakefiles", [])]
    findings = [
        f"{source.get('for', '?')}: {lint['title']}: {lint['body'].strip()}"
        for source in sources
        for lint in source["lints"]
        if lint["title"] not in ACCEPTED
    ]
    if done.returncode and not sources:
        findings.append(done.stdout.strip())
    return findings


if __name__ == "__main__":
    problems = lint()
    print("\n".join(problems) or "snakemake --lint: nothing to mend")
    sys.exit(1 if problems else 0)
