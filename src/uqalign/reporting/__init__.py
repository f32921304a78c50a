"""Results as people read them: tables and figures. Nothing here computes a result."""
