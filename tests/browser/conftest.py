"""A page of a made-up run in Debian's chromium, or whatever chromium there is."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from report_contents import contents
from uqalign.report.page import build_page

AXE = "axe-core@4.14.1"


@pytest.fixture(scope="session")
def browser():
    """Chromium without a window."""
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        pytest.skip("no chromium: apt-get install chromium")
    with api.sync_playwright() as playwright:
        # Root has no sandbox in a container; the page is ours.
        running = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield running
        running.close()


@pytest.fixture(scope="session")
def page_file(tmp_path_factory) -> Path:
    """A small page of all four tasks."""
    path = tmp_path_factory.mktemp("page") / "index.html"
    path.write_text(build_page(contents(seeds=2)), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def axe(request, tmp_path_factory) -> str:
    """The accessibility checker, from npm, kept in pytest's cache."""
    kept = request.config.cache.mkdir("axe") / f"{AXE}.min.js"
    if not kept.exists():
        if shutil.which("npm") is None:
            pytest.skip("no npm to fetch the accessibility checker with")
        folder = tmp_path_factory.mktemp("axe")
        fetched = subprocess.run(
            ["npm", "pack", AXE], cwd=folder, capture_output=True, text=True, timeout=120, check=False
        )
        if fetched.returncode:
            pytest.skip(f"npm cannot fetch {AXE}: {fetched.stderr.strip().splitlines()[-1:]}")
        shutil.unpack_archive(folder / fetched.stdout.strip().splitlines()[-1], folder)
        shutil.copy(folder / "package/axe.min.js", kept)
    return kept.read_text(encoding="utf-8")
