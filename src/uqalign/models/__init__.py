"""Probabilistic models: one module per family, found by name through `uqalign.models.base.REGISTRY`."""
