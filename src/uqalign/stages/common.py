"""What every stage does first: read its orders, and make sure that it is the code it was planned with."""

from __future__ import annotations

import json
from typing import Any

from uqalign.errors import UserError
from uqalign.provenance import code_digest


class StaleCodeError(UserError):
    """The code changed between planning the workflow and running this job."""


def parse_spec(text: str) -> dict[str, Any]:
    """A job's orders from the canonical JSON on its command line.

    Raises:
        UserError: not a JSON object.
    """
    try:
        spec = json.loads(text)
    except json.JSONDecodeError as error:
        raise UserError(f"--spec is not JSON: {error}") from None
    if not isinstance(spec, dict):
        raise UserError(f"--spec must be a JSON object, got {type(spec).__name__}")
    return spec


def check_code(expected: str, *entries: str) -> str:
    """The digest of the code that runs now, which must be the one the workflow was planned with.

    Raises:
        StaleCodeError: somebody edited the code in between.
    """
    present = code_digest(*entries)
    if expected != present:
        raise StaleCodeError(
            f"the code of {', '.join(entries)} changed since the workflow was planned "
            f"(digest {present}, expected {expected}): run snakemake again"
        )
    return present
