"""Checkpoint selection by superior scoring rules: a study on images, and who selects best for whom."""
