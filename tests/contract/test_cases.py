"""One suite over every registered case study."""

from __future__ import annotations

import subprocess
import sys

import pytest

from uqalign.cases.case import Case
from uqalign.cases.registry import CASES_REGISTRY
from uqalign.cases.report import figures_of, tables_of
from uqalign.data.registry import resolve
from uqalign.protocol import SWITCHES
from uqalign.protocol.switches import concerning
from uqalign.provenance import code_digest, declaration_digest, declaration_modules
from uqalign.registry import NAME_PATTERN

CASES = list(CASES_REGISTRY)
every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


def test_the_three_of_the_paper_are_there() -> None:
    assert {"credit", "electricity", "lending"} <= {case.name for case in CASES}


def test_declarations_are_light() -> None:
    """The workflow reads every declaration each time it is parsed."""
    code = (
        "import sys\n"
        "from uqalign.cases.registry import CASES_REGISTRY\n"
        "CASES_REGISTRY.names()\n"
        "print(*(set(sys.modules) & {'pandas', 'pyarrow', 'sklearn', 'torch', 'scipy', 'altair', 'rich'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_every_switch_of_a_case_study_belongs_to_one() -> None:
    declared = {switch for case in CASES for switch in case.switches}
    assert declared == {switch.id for switch in SWITCHES.values() if "case" in switch.stages}


@every_case
def test_its_switches_concern_its_task(case: Case) -> None:
    assert set(case.switches) <= {switch.id for switch in concerning(case.task, "case")}


@every_case
def test_its_data_sets_exist_and_have_its_task(case: Case) -> None:
    for arm in case.arms:
        for reference in arm.datasets:
            assert resolve(reference).task == case.task


@every_case
def test_its_names_may_become_folders(case: Case) -> None:
    names = [arm.name for arm in case.arms] + [*tables_of(case), *figures_of(case)]
    assert all(NAME_PATTERN.fullmatch(name) for name in names)
    assert case.title
    assert case.unit


@every_case
def test_its_code_can_be_tracked(case: Case) -> None:
    assert len(declaration_digest(case)) == len(code_digest(*declaration_modules(case))) == 16


@every_case
def test_editing_a_figure_does_not_rescore(case: Case) -> None:
    scored = set(declaration_modules(case.scoring))
    for figure in case.figures:
        assert not scored & set(declaration_modules(figure))


@every_case
def test_scoring_imports_no_model(case: Case) -> None:
    from uqalign.provenance import modules_behind

    behind = modules_behind("uqalign.stages.case_score", *declaration_modules(case.scoring))
    assert not [name for name in behind if name.startswith(("uqalign.models", "uqalign.training"))]
