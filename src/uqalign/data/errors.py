"""What can go wrong between a declaration and its table, each with a message that says what to do."""

from __future__ import annotations

from uqalign.errors import UserError


class DataError(UserError):
    """Anything about a data set that stops it from being used; the message names the set and the remedy."""


class SourceError(DataError):
    """One source did not yield the declared file."""


class FactsError(DataError):
    """A loaded table is not the one declared."""


class SplitError(DataError):
    """A table cannot be split as asked."""
