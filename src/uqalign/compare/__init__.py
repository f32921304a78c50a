"""Predictions of any origin: read from files, checked, scored and compared, without a workflow."""
