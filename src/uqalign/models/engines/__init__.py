"""Numerical parts of models that need heavy libraries, imported when a fit starts."""
