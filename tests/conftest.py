"""Order of the tests."""

from __future__ import annotations

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whole runs of the workflow first: the longest tests at the end would leave all workers but one idle."""
    items.sort(key=lambda item: "tests/workflow/" not in item.nodeid)
