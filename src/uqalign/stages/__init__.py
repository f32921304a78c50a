"""The steps of the workflow: one module, one command and one rule each, from files to files."""
