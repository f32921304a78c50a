"""Snakemake that asks Slurm for the state of jobs every second: the interval of the plugin grows with each check."""

import sys

from snakemake.cli import main
from snakemake_executor_plugin_slurm import Executor

Executor.next_seconds_between_status_checks = property(lambda self: 1, lambda self, seconds: None)

if __name__ == "__main__":
    sys.exit(main())
