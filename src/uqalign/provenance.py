"""What made a file: a digest of exactly the code a job runs, and the versions it ran with.

Snakemake cannot see edits in imported modules, and forgets everything when its own metadata is lost. So each job's
parameters carry `code_digest(...)`, and each file repeats it: a reader can tell by itself whether a file is current.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import hashlib
import importlib.metadata
import importlib.util
import json
import platform
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

PACKAGE = __package__ or "uqalign"
VERSION_ONLY = {PACKAGE}
"""Modules whose content never changes a result (the top-level package holds the version number alone)."""


def canonical_json(value: Any) -> str:
    """JSON with sorted keys and no spaces: equal values give equal text, whatever order they were built in."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def sha256_of(path: Path) -> str:
    """Hex SHA-256 of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _without_docstrings(tree: ast.Module) -> ast.Module:
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if not isinstance(body, list):
            continue
        # A bare string is a docstring or a note below an assignment: neither is executed.
        node.body = [  # type: ignore[attr-defined]
            item
            for item in body
            if not (
                isinstance(item, ast.Expr)
                and isinstance(item.value, ast.Constant)
                and isinstance(item.value.value, str)
            )
        ]
    return tree


def _shape(node: Any) -> str:
    """Text of a syntax tree without positions and empty fields, the same on every supported Python version."""
    if isinstance(node, ast.AST):
        fields = ((name, _shape(value)) for name, value in ast.iter_fields(node) if name not in ("ctx", "kind"))
        return type(node).__name__ + "(" + ",".join(f"{n}={v}" for n, v in fields if v not in ("[]", "None")) + ")"
    if isinstance(node, list):
        return "[" + ",".join(_shape(item) for item in node) + "]"
    return repr(node)


@functools.cache
def _source(module: str) -> Path | None:
    """Source file of a module, found without importing anything."""
    top, *rest = module.split(".")
    spec = importlib.util.find_spec(top)
    if spec is None or spec.origin is None or not spec.origin.endswith(".py"):
        return None
    origin = Path(spec.origin)
    if not rest:
        return origin
    if origin.name != "__init__.py":
        return None
    path = origin.parent.joinpath(*rest)
    candidates = (path / "__init__.py", path.with_suffix(".py"))
    return next((candidate for candidate in candidates if candidate.is_file()), None)


def _imports(tree: ast.Module, module: str, is_package: bool, roots: frozenset[str]) -> Iterator[str]:
    def own(name: str) -> bool:
        return name.split(".", 1)[0] in roots

    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if own(alias.name))
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parents = module.split(".")
                parents = parents[: len(parents) - node.level + (1 if is_package else 0)]
                base = ".".join([*parents, base] if base else parents)
            if own(base):
                yield base
                # `from package import name` may name a module of the package.
                yield from (f"{base}.{alias.name}" for alias in node.names if _source(f"{base}.{alias.name}"))


@functools.cache
def _parsed(module: str, roots: frozenset[str]) -> tuple[str, frozenset[str]]:
    path = _source(module)
    if path is None:
        raise ValueError(f"no source file for module {module!r}: its code cannot be tracked")
    tree = _without_docstrings(ast.parse(path.read_text(encoding="utf-8")))
    found = set(_imports(tree, module, path.name == "__init__.py", roots))
    for name in [module, *found]:  # importing a module runs its packages first
        while "." in name:
            name = name.rpartition(".")[0]
            if _source(name):
                found.add(name)
    return hashlib.sha256(_shape(tree).encode()).hexdigest(), frozenset(found)


@functools.cache
def modules_behind(*entries: str) -> tuple[str, ...]:
    """The entry modules and every first-party module they import, directly or not, sorted.

    First-party means this package and the top-level packages of the entries themselves (a user's own module).
    Imports by name at run time are invisible here: whoever dispatches by name lists the module as an entry.
    """
    roots = frozenset({PACKAGE, *(entry.split(".", 1)[0] for entry in entries)})
    seen: set[str] = set()
    queue = list(entries)
    while queue:
        module = queue.pop()
        if module in seen or module in VERSION_ONLY:
            continue
        seen.add(module)
        queue.extend(_parsed(module, roots)[1])
    return tuple(sorted(seen))


@functools.cache
def code_digest(*entries: str) -> str:
    """Digest (16 hex digits) of the code behind `entries`; comments, docstrings and formatting do not count.

    Raises:
        ValueError: an entry that has no source file.
    """
    roots = frozenset({PACKAGE, *(entry.split(".", 1)[0] for entry in entries)})
    parts = [f"{module}:{_parsed(module, roots)[0]}" for module in modules_behind(*entries)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def _plain(value: Any, modules: set[str]) -> Any:
    """A declaration as JSON values; functions by name, their modules collected in `modules`."""
    if isinstance(value, functools.partial):
        return {"call": _plain(value.func, modules), "with": _plain([value.args, value.keywords], modules)}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {f.name: _plain(getattr(value, f.name), modules) for f in dataclasses.fields(value)}
        return {"type": type(value).__name__, **fields}
    if isinstance(value, Mapping):
        return {str(key): _plain(item, modules) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item, modules) for item in value]
    if isinstance(value, set | frozenset):
        return sorted(str(_plain(item, modules)) for item in value)
    if callable(value):
        modules.add(value.__module__)
        return f"{value.__module__}:{value.__qualname__}"
    return value if isinstance(value, str | int | float | bool | None) else str(value)


def declaration_digest(declaration: Any) -> str:
    """Digest (16 hex digits) of a declaration's content: its values, and its functions by name."""
    return hashlib.sha256(canonical_json(_plain(declaration, set())).encode()).hexdigest()[:16]


def declaration_modules(declaration: Any) -> tuple[str, ...]:
    """Modules of the functions that a declaration names, sorted: entries for `code_digest`."""
    modules: set[str] = set()
    _plain(declaration, modules)
    return tuple(sorted(modules))


def versions(*distributions: str) -> Mapping[str, str]:
    """Installed versions of Python, this package and `distributions` (those that are absent are left out)."""
    found = {"python": platform.python_version()}
    for name in (PACKAGE, *distributions):
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found
