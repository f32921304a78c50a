"""Data sets: where they come from, what they must hold, how they are split and prepared."""
