"""Where fetched files lie, and what is known of them."""

from __future__ import annotations

import json
from pathlib import Path

from uqalign.data.declare import Content

FOLDER = Path("data/entsoe")
MANIFEST = "manifest.json"
FILES = {"generation": "generation.csv", "day_ahead": "day_ahead.csv", "balancing": "balancing.csv"}


def fetched_contents(folder: Path = FOLDER) -> tuple[Content, ...]:
    """The fetched files with their checksums, or without any where nothing has been fetched yet."""
    try:
        entries = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))["files"]
    except (OSError, ValueError, KeyError):
        entries = {}
    return tuple(
        Content(name, str(entries.get(kind, {}).get("sha256", "")), int(entries.get(kind, {}).get("size", 0)))
        for kind, name in FILES.items()
    )
