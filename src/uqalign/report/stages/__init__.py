"""The steps of the report."""
