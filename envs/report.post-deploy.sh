#!/usr/bin/env bash
# Runs in the new environment, from the workflow's folder.
set -euo pipefail
pip install --no-deps --editable .
