"""Which published conclusions hold: our runs beside the published tables, and the effect of every deviation."""

from uqalign.audit.published import published_tables

__all__ = ["published_tables"]
