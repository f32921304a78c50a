"""The base of every error whose message alone tells a user what is wrong, where, and what to do."""

from __future__ import annotations


class UserError(ValueError):
    """Shown by the command line as its message, without a traceback."""
