"""The page of a run, and the same with its data as a zip."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import Path

from uqalign.files import atomic_path, write_text
from uqalign.report.page import build_page, sections_of
from uqalign.report.render import frames_of
from uqalign.report.results import Files, contents_of
from uqalign.stages.common import check_code, parse_spec

ALWAYS = (2000, 1, 1, 0, 0, 0)
"""Time of the members of the zip: equal contents give equal files."""


def run(*, files: Sequence[Path], results: Path, spec: str, code: str, html: Path, archive: Path) -> str:
    """Write the page, and a zip of the page and every frame behind its figures and tables as CSV.

    Args:
        files: results that the page is about; where each lies tells what it is.
        results: folder of the records and measurements of jobs.

    Raises:
        FileError: files that are missing, damaged or of another version.
    """
    orders = parse_spec(spec)
    own = [name.partition(":")[0] for name in orders["metrics"] if ":" in name]
    check_code(code, __name__, *own)
    contents = contents_of(Files(files), orders, results)
    text = build_page(contents)
    frames = frames_of(sections_of(contents))
    write_text(html, text)
    with atomic_path(archive) as temporary, zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as bundle:
        members = {
            "index.html": text,
            **{f"data/{name}.csv": frame.to_csv(index=False) for name, frame in frames.items()},
        }
        for name, content in members.items():
            bundle.writestr(zipfile.ZipInfo(name, ALWAYS), content, zipfile.ZIP_DEFLATED)
    return f"{len(text.encode()) / 1e6:.1f} MB, {len(frames)} figures and tables"
