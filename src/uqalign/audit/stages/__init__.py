"""The steps of the audit: one module, one command and one rule each, from files to files."""
