"""Every command and every configuration in a page exists as written: options, targets, files, keys."""

from __future__ import annotations

import importlib.util
import re
import shlex
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from uqalign.config import Config, parse_config

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    [
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "profiles/README.md")),
    ]
)
PROGRAMS = ("uqalign", "snakemake", "make", "python", "pip")
OF_THE_READER = re.compile(r"(mine|profiles/mine)\b|FILE$|REFERENCE_RUN_FOLDER$")
"""Files that a reader is told to write, and placeholders."""


def commands(text: str) -> Iterator[tuple[str, bool]]:
    """Command lines of a page, and whether each is complete (a block's is, one within a sentence may be a part)."""
    blocks = re.findall(r"^```(?:sh|bash|console)\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    indented = re.findall(r"(?:^    \S.*\n)+", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL), re.M)
    for block in [*blocks, *indented]:
        for line in block.replace("\\\n", " ").splitlines():
            yield line.strip().removeprefix("$ "), True
    for inline in re.findall(r"(?<!`)`([^`\n]+)`(?!`)", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)):
        if " " in inline:
            yield inline, False


def programs(line: str) -> Iterator[list[str]]:
    """The words of each call of a known program in a line."""
    try:
        words = shlex.split(line, comments=True)
    except ValueError:
        return
    call: list[str] = []
    for word in [*words, ";"]:
        if word in (";", "&&", "|", "||", "&"):
            while call and (("=" in call[0] and not call[0].startswith("-")) or call[0] in ("export", "time")):
                call = call[1:]
            if call and (name := call[0].removeprefix(".venv/bin/")) in PROGRAMS:
                yield [name, *call[1:]]
            call = []
        else:
            call.append(word)


@cache
def command_line() -> Any:
    import typer

    from uqalign.cli import app

    return typer.main.get_command(app)


def check_uqalign(words: list[str], complete: bool) -> None:
    command = command_line()
    rest = list(words)
    while "commands" in vars(command) and rest and not rest[0].startswith("-"):
        if rest[0] not in command.commands:
            assert rest[0].isupper(), f"no command {rest[0]!r}"
            return
        command = command.commands[rest.pop(0)]
    options = {name: p for p in command.params for name in [*p.opts, *p.secondary_opts] if name.startswith("-")}
    arguments = [p for p in command.params if not p.opts[0].startswith("-")]
    given, positional = set(), 0
    while rest:
        word = rest.pop(0)
        if not word.startswith("-"):
            positional += 1
            continue
        name, _, value = word.partition("=")
        if name in ("--help", "-h"):
            return
        assert name in options, f"{command.name} has no option {name}"
        given.add(options[name].name)
        if not options[name].is_flag and not value:
            assert rest, f"{name} lacks its value"
            rest.pop(0)
    if complete:
        lacking = [p.name for p in command.params if p.required and p not in arguments and p.name not in given]
        assert not lacking, f"{command.name} needs {lacking}"
        assert positional >= sum(p.required for p in arguments), f"{command.name} needs an argument"
    assert positional <= len(arguments) or any(p.nargs == -1 for p in arguments), f"{command.name}: too many arguments"


@cache
def rules() -> set[str]:
    return {
        rule
        for path in [ROOT / "Snakefile", *(ROOT / "workflow/rules").glob("*.smk")]
        for rule in re.findall(r"^rule (\w+):", path.read_text(encoding="utf-8"), re.MULTILINE)
    }


@cache
def snakemake_parser() -> Any:
    from snakemake.cli import get_argument_parser

    return get_argument_parser()


def check_snakemake(words: list[str]) -> None:
    if words[-1:] == ["N"]:
        words = [*words[:-1], "1"]
    parsed = snakemake_parser().parse_args(words)
    unknown = {str(target) for target in parsed.targets if not str(target).startswith("results/")} - rules()
    assert not unknown, f"snakemake has no target {unknown}"
    for path in parsed.configfile or []:
        exists(str(path))
    if parsed.workflow_profile:
        exists(str(parsed.workflow_profile))


def exists(path: str) -> None:
    assert OF_THE_READER.match(path) or (ROOT / path).exists(), f"no file {path}"


def check_python(words: list[str]) -> None:
    if words[:1] == ["-m"]:
        assert importlib.util.find_spec(words[1]), f"no module {words[1]}"
    elif words[0].endswith(".py"):
        exists(words[0])


def check_make(words: list[str]) -> None:
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    for word in words:
        name, assigned, _ = word.partition("=")
        found = re.search(rf"^{name} \?=", text, re.M) if assigned else re.search(rf"^{re.escape(name)}:", text, re.M)
        assert found, f"make knows no {name}"


def check_pip(words: list[str]) -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    for word in words:
        if match := re.fullmatch(r"(?:uqalign|\.)\[(.+)\]", word):
            assert set(match[1].split(",")) <= set(extras), f"no extra {match[1]}"


def check(words: list[str], complete: bool) -> None:
    name, *rest = words
    if name == "uqalign":
        check_uqalign(rest, complete)
    elif rest and name == "snakemake":
        check_snakemake(rest)
    elif rest and name in ("make", "python", "pip"):
        {"make": check_make, "python": check_python, "pip": check_pip}[name](rest)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_commands_exist(path, capsys):
    for line, complete in commands(path.read_text(encoding="utf-8")):
        for words in programs(line):
            try:
                check(words, complete)
            except (AssertionError, SystemExit) as error:
                pytest.fail(f"{path.name}: `{line}`: {error} {capsys.readouterr().err[-300:]}")


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_configurations_are_valid(path):
    for block in re.findall(r"^```yaml\n(.*?)^```", path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
        values = yaml.safe_load(block)
        if values and set(values) & set(Config.model_fields):
            parse_config(values)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("uqalign scores FILE --task binary", "no command"),
        ("uqalign score predictions.csv --tasks binary", "no option --tasks"),
        ("uqalign score predictions.csv", "needs"),
        ("uqalign score --task binary", "needs an argument"),
        ("uqalign metrics more", "too many arguments"),
        ("snakemake --cores 2 sensitivities", "no target"),
        ("snakemake --configfile configs/paper.yaml sensitivity", "no file sensitivity"),
        ("make tests", "knows no tests"),
        ("pip install '.[everything]'", "no extra"),
        ("python benchmarks/absent.py", "no file"),
        ("UQALIGN_DATA_DIR=x .venv/bin/python -m uqalign_absent", "no module"),
    ],
)
def test_what_does_not_exist_is_found(line, message):
    (words,) = programs(line)
    with pytest.raises(AssertionError, match=message):
        check(words, True)
