"""A key that appears in no message, log or traceback."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from uqalign.data.errors import DataError, SourceError

VARIABLE = "ENTSOE_API_KEY"
HIDDEN = "<key>"
LOGGERS = ("entsoe", "entsoe.entsoe", "entsoe.decorators", "urllib3", "urllib3.connectionpool", "urllib3.util.retry")
"""Loggers of the libraries that handle the request, whose records name its address."""

T = TypeVar("T")


class MissingKeyError(DataError):
    """No key in the environment; the message says how to get one."""


def api_key() -> str:
    """The key in the environment.

    Raises:
        MissingKeyError: there is none.
    """
    key = os.environ.get(VARIABLE, "").strip()
    if not key:
        raise MissingKeyError(
            f"ENTSO-E gives its data to holders of a key, and the environment variable {VARIABLE} is not set. To get "
            "one: register at https://transparency.entsoe.eu, ask for access to the restful API there, and create a "
            f"token in the account's settings. Then: export {VARIABLE}=... (it is read from the environment alone and "
            "never written). Without a key, the case study electricity runs on the national offshore wind series."
        )
    return key


class _Redactor(logging.Filter):
    def __init__(self, key: str) -> None:
        super().__init__()
        self.key = key

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = record.getMessage().replace(self.key, HIDDEN), ()
        if record.exc_info is not None:
            record.exc_info, record.exc_text = None, None
        return True


@contextmanager
def _quiet(key: str) -> Iterator[None]:
    redactor = _Redactor(key)
    loggers = [logging.getLogger(name) for name in LOGGERS]
    for logger in loggers:
        logger.addFilter(redactor)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeFilter(redactor)


def without_key(call: Callable[[], T], key: str, what: str) -> T:
    """The result of a call whose errors and log records may quote the key; none of them leaves with it.

    Args:
        what: was asked for, for messages.

    Raises:
        SourceError: whatever went wrong, in words without the key, and without the original as its cause.
    """
    failure = ""
    with _quiet(key):
        try:
            return call()
        except Exception as error:
            failure = f"{type(error).__name__}: {error}".replace(key, HIDDEN)
    # Raised here, not in the handler above, so that no traceback shows the original and its local variables.
    if "401" in failure or "Unauthorized" in failure:
        raise SourceError(f"{what}: ENTSO-E does not accept the key in {VARIABLE}: check it, or create another")
    raise SourceError(f"{what}: {failure}")
