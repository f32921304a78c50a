"""The house keeps its shape: what may import what."""

import ast
import re
import subprocess
import sys
from pathlib import Path

from uqalign.provenance import modules_behind

ROOT = Path(__file__).parents[2]
SCORING = ("checks", "priors", "utilities", "pwu", "metrics", "families", "alignment", "stages.score", "stages.align")
COMPARING = ("compare.page", "compare.terminal", "compare.document")


def imported_by(statement: str) -> set[str]:
    code = f"import sys\n{statement}\nprint(*sorted({{name.split('.')[0] for name in sys.modules}}))"
    return set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split())


def test_scoring_and_analysis_never_import_models_or_training():
    for entry in (*SCORING, *COMPARING):
        behind = modules_behind(f"uqalign.{entry}")
        assert not [name for name in behind if name.startswith(("uqalign.models", "uqalign.training"))], entry


def test_scoring_imports_no_model_library():
    names = ("stages.score", "stages.align", "pwu", "metrics", "priors", *COMPARING)
    statement = f"import {', '.join(f'uqalign.{name}' for name in names)}"
    assert not imported_by(statement) & {"torch", "sklearn", "xgboost", "gpytorch", "ngboost", "torchmetrics", "altair"}


def test_planning_is_light():
    # Every job on a cluster parses the Snakefile anew.
    imports = re.findall(r"^from uqalign\S+ import .*$", (ROOT / "Snakefile").read_text(), re.MULTILINE)
    assert len(imports) > 5
    statement = "\n".join(
        [*imports, "from uqalign.config import Config", "plan = Plan(Config()).check()", "for job in plan.jobs: pass"]
    )
    heavy = {"torch", "sklearn", "xgboost", "pandas", "pyarrow", "matplotlib", "altair", "scipy"}
    assert not imported_by(statement) & heavy


def test_importing_the_package_imports_nothing():
    assert not imported_by("import uqalign") & {"numpy", "pandas", "pydantic", "typer"}


def _imports_at_top(path: Path, modules: set[str]) -> set[str]:
    found = set()
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("uqalign"):
            # `from package import module` needs the module, not what the package gathers from its modules.
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= inner if inner <= modules else {node.module, *inner}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name.startswith("uqalign")}
    return found


def test_imports_form_no_circle():
    source = ROOT / "src"
    modules = {
        ".".join(path.relative_to(source).with_suffix("").parts).removesuffix(".__init__"): path
        for path in (source / "uqalign").rglob("*.py")
    }
    graph = {name: _imports_at_top(path, set(modules)) & set(modules) for name, path in modules.items()}
    done: set[str] = set()

    def visit(name: str, trail: tuple[str, ...]) -> None:
        # A package's own modules are its inside, not a circle.
        assert name not in trail or trail[-1].startswith(name + "."), " -> ".join((*trail, name))
        if name in done or name in trail:
            return
        for other in graph[name]:
            visit(other, (*trail, name))
        done.add(name)

    for name in graph:
        visit(name, ())
