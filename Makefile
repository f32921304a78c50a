# Everything a fresh clone needs: Python 3.11 or newer with pip, and make.
# CONFIG: another configuration, as in `make run CONFIG=configs/paper.yaml`. CORES: how many to use.

PYTHON ?= python3
CORES ?= $(shell getconf _NPROCESSORS_ONLN)
CONFIG ?=
BIN := .venv/bin
EXTRAS := train,workflow,cluster,report,torchmetrics,dev

.PHONY: help setup run test lint docs clean
help:
	@echo "make run    install everything, run the default benchmark, say where the results are"
	@echo "make test   install everything, run the tests"
	@echo "make lint   style, types, workflow format and lint"
	@echo "make docs   build the documentation into site/, warnings are errors"
	@echo "make clean  remove the environment and the results (downloads stay)"

$(BIN)/.installed: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Python 3.11 or newer is needed: make PYTHON=/path/to/python3.11")'
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[$(EXTRAS)]'
	touch $@

$(BIN)/.documented: $(BIN)/.installed
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[docs]'
	touch $@

setup: $(BIN)/.installed

run: setup
	$(BIN)/snakemake --cores $(CORES) --quiet rules $(if $(CONFIG),--configfile $(CONFIG))
	@$(BIN)/uqalign results

test: setup
	$(BIN)/python -m pytest -n 2 --dist worksteal $(PYTEST)

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/snakefmt --check Snakefile workflow
	$(BIN)/python tests/lint_workflow.py

docs: $(BIN)/.documented
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

clean:
	rm -rf .venv site results/[!R]* .snakemake
