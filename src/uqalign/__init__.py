"""Decision-aligned evaluation of uncertainty: which metrics rank models as their decisions would."""

__version__ = "0.1.0"
