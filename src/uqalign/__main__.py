"""`python -m uqalign`: the command line."""

from uqalign.cli import main

main()
