"""Pages of the reference, made from the code: docstrings, the command line, the configuration."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SOURCES = Path(__file__).parents[2] / "src"

PAGES = {
    "metrics": (
        "Metrics",
        "uqalign.metrics",
        "uqalign.metrics.metric",
        "uqalign.metrics.registry",
        "uqalign.metrics.curves",
    ),
    "pwu": ("Prior-weighted utilities", "uqalign.pwu"),
    "priors": ("Priors", "uqalign.priors"),
    "utilities": ("Utilities and decision families", "uqalign.utilities", "uqalign.families"),
    "scoring-rules": ("Superior scoring rules", "uqalign.scoring_rules"),
    "alignment": ("Alignment", "uqalign.alignment", "uqalign.agreement", "uqalign.inference"),
    "checkpoints": ("Checkpoints", "uqalign.checkpoints"),
    "models": ("Models", "uqalign.models.base", "uqalign.models.estimators", "uqalign.models.modules"),
    "data": (
        "Data sets",
        "uqalign.data.declare",
        "uqalign.data.user",
        "uqalign.data.table",
        "uqalign.data.splits",
        "uqalign.data.preprocess",
    ),
    "report": ("The report", "uqalign.report.contents", "uqalign.report.page"),
    "integrations": ("scikit-learn and torchmetrics", "uqalign.sklearn", "uqalign.torchmetrics"),
}
"""Pages made from docstrings: title and modules."""


def _exported(module: str) -> list[str]:
    """Full names of what a package re-exports; empty for a module that defines its own members."""
    path = SOURCES / Path(*module.split(".")) / "__init__.py"
    if not path.is_file():
        return []
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return [f"{module}.{name}" for name in ast.literal_eval(node.value)]
    return []


def _docstrings(title: str, *modules: str) -> str:
    """Markdown that asks for the docstrings of modules, those of a package by what it exports."""
    parts = [f"# {title}"]
    for module in modules:
        members = _exported(module)
        if not members:
            parts.append(f"::: {module}")
            continue
        parts.append(f"::: {module}\n    options:\n      members: []")
        parts += [f"::: {member}\n    options:\n      heading_level: 3" for member in members]
    return "\n\n".join(parts)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


def _leaves(command: Any, words: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The commands below a group, with the words that call them."""
    if words == ("uqalign", "stage"):
        return
    if "commands" in vars(command):
        if command.invoke_without_command and len(words) > 1:
            yield words, command
        for name, member in command.commands.items():
            yield from _leaves(member, (*words, name))
    else:
        yield words, command


def _parameters(command: Any) -> list[str]:
    rows = []
    for parameter in command.params:
        if parameter.hidden or parameter.name == "help":
            continue
        option = parameter.opts[0].startswith("-")
        names = ", ".join(f"`{name}`" for name in [*parameter.opts, *parameter.secondary_opts])
        shown = names if option else f"`{parameter.name.upper()}`"
        default = parameter.default
        plain = isinstance(default, str | int | float) and not isinstance(default, bool) and default != ""
        tail = f" Default: `{default}`." if plain else " Required." if option and parameter.required else ""
        rows.append(f"| {shown} | {_cell(parameter.help or '')}{tail} |")
    return ["| option | meaning |", "| --- | --- |", *rows] if rows else []


def _command_line() -> str:
    import typer

    from uqalign.cli import app

    parts = [
        "# Command line",
        "Every command has `--help`. The commands below `uqalign stage` are what the rules of the workflow call; "
        "`uqalign stage --help` lists them.",
    ]
    for words, command in _leaves(typer.main.get_command(app), ("uqalign",)):
        arguments = "".join(
            f" {p.name.upper()}" if p.required else f" [{p.name.upper()}]"
            for p in command.params
            if not p.opts[0].startswith("-")
        )
        parts.append(f"## {' '.join(words)}")
        parts.append(f"```text\n{' '.join(words)}{arguments} [OPTIONS]\n```")
        # Help texts mark paragraphs that keep their lines with a form feed or \b.
        parts.append((command.help or "").replace("\b", "").replace("\f", "").strip())
        parts.append("\n".join(_parameters(command)))
    return "\n\n".join(part for part in parts if part)


def _settings(model: Any, prefix: str = "") -> Iterator[str]:
    from pydantic import BaseModel

    for name, field in model.model_fields.items():
        default = field.get_default(call_default_factory=True)
        if isinstance(default, BaseModel):
            yield f"| `{prefix}{name}` | | {_cell(field.description or '')} |"
            yield from _settings(type(default), f"{prefix}{name}.")
            continue
        shown = "data/raw" if name == "data_dir" else default
        text = ", ".join(map(str, shown)) if isinstance(shown, list) else str(shown)
        empty = "{}" if shown == {} else "[]"
        yield f"| `{prefix}{name}` | `{text or empty}` | {_cell(field.description or '')} |"


def _configuration() -> str:
    from uqalign.config import Config

    return "\n\n".join(
        [
            "# Configuration",
            "Keys of `config.yaml` and of overlays given with `--configfile`. Every key may be left out. "
            "`uqalign config check FILE` says what a file would run, `uqalign config default` prints the defaults, "
            "`uqalign config schema` the JSON schema for editors.",
            "\n".join(["| key | default | meaning |", "| --- | --- | --- |", *_settings(Config)]),
        ]
    )


def pages() -> Iterator[tuple[str, str]]:
    """Place on the site and Markdown of every page."""
    yield "reference/command-line.md", _command_line()
    yield "reference/configuration.md", _configuration()
    for name, (title, *modules) in PAGES.items():
        yield f"reference/{name}.md", _docstrings(title, *modules)
