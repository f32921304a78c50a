"""Case studies by name, or by dotted path."""

from __future__ import annotations

from uqalign.cases.case import Case
from uqalign.registry import Registry

CASES_REGISTRY: Registry[Case] = Registry(
    what="case study",
    package="uqalign.cases",
    attribute="CASES",
    group="uqalign.cases",
    kind=Case,
)
