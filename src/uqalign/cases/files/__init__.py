"""Case studies from and to files."""
