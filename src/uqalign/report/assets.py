"""The page's template, style and script."""

from __future__ import annotations

import hashlib
from pathlib import Path

TEMPLATES = Path(__file__).parent / "templates"


def text_of(name: str) -> str:
    """The text of one of them."""
    return (TEMPLATES / name).read_text(encoding="utf-8")


def assets_digest() -> str:
    """Digest (16 hex digits) of all of them, which digests of code do not see."""
    content = b"".join(path.read_bytes() for path in sorted(TEMPLATES.iterdir()))
    return hashlib.sha256(content).hexdigest()[:16]
