"""Every claim of "Minimal Superior Penalties" checked numerically, its tables and figures drawn from the same code."""
