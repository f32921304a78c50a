"""Order of the tests, and how generated examples are chosen."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

# No deadlines: a busy machine is no failure. In CI the same examples every time: what fails there fails here.
settings.register_profile("suite", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("suite")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whole runs of the workflow first: the longest tests at the end would leave all workers but one idle."""
    items.sort(key=lambda item: "tests/workflow/" not in item.nodeid)
