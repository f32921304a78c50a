"""One way to find things by name: data sets, models, metrics, case studies.

A member is declared once, in a module of the kind's package (found by walking the package), in an installed
distribution's entry point, or in a user's own module named in the config as `package.module:ATTRIBUTE`.
"""

from __future__ import annotations

import difflib
import importlib
import importlib.metadata
import os
import pkgutil
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Generic, Protocol, TypeVar

from uqalign.errors import UserError

NAME_PATTERN = re.compile(r"[a-z0-9][a-z0-9_]{0,39}")
"""Names become folder names: short, lower case, and unable to leave the results folder."""


class Named(Protocol):
    """Anything with a `name`."""

    @property
    def name(self) -> str: ...


T = TypeVar("T", bound=Named)


class UnknownNameError(UserError):
    """A name that no member carries; the message lists the nearest ones."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A suggestion such as "did you mean 'mlp'?", or the list of what exists."""
    options = sorted(known)
    close = difflib.get_close_matches(name, options, n=1, cutoff=0.5)
    return f"did you mean {close[0]!r}?" if close else f"known: {', '.join(options)}"


def check_name(name: str, what: str) -> str:
    """`name` if it may become part of a path.

    Raises:
        ValueError: anything but lower-case letters, digits and underscores, or more than 40 characters.
    """
    if not NAME_PATTERN.fullmatch(name):
        raise ValueError(
            f"{what} name {name!r}: use at most 40 lower-case letters, digits and underscores (it names folders)"
        )
    return name


def load_member(path: str, what: str, kind: type[T]) -> T:
    """A user's own declaration at a dotted path `package.module:ATTRIBUTE`.

    Raises:
        UnknownNameError: nothing can be loaded from there.
        ValueError: something else than a `kind` is there, or its name cannot become part of a path.
    """
    module_name, _, attribute = path.partition(":")
    # A user's own module lies beside their config, which a console script's path does not cover.
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        member = getattr(importlib.import_module(module_name), attribute)
    except (ImportError, AttributeError) as error:
        raise UnknownNameError(f"{what} {path!r} cannot be loaded: {error}") from error
    return checked_member(member, path, what, kind)


def checked_member(member: object, where: str, what: str, kind: type[T]) -> T:
    """`member` if it is a `kind` whose name may become part of a path.

    Raises:
        ValueError: otherwise; names the place.
    """
    if not isinstance(member, kind):
        raise ValueError(f"{where} is a {type(member).__name__}, expected a {kind.__name__}")
    check_name(member.name, what)
    return member


@dataclass(frozen=True)
class Registry(Generic[T]):
    """Members of one kind.

    Args:
        what: the kind in the singular, as error messages call it ("model").
        package: package whose modules declare built-in members.
        attribute: module-level tuple holding a module's members ("MODELS").
        group: entry-point group through which installed packages add theirs.
    """

    what: str
    package: str
    attribute: str
    group: str
    kind: type[T] = field(repr=False)

    @cached_property
    def _members(self) -> dict[str, T]:
        members: dict[str, T] = {}
        for member in (*self._built_in(), *self._installed()):
            check_name(member.name, self.what)
            if member.name in members:
                raise ValueError(f"two {self.what}s are named {member.name!r}: rename one")
            members[member.name] = member
        return members

    def _built_in(self) -> Iterator[T]:
        package = importlib.import_module(self.package)
        for info in sorted(pkgutil.iter_modules(package.__path__), key=lambda info: info.name):
            module = importlib.import_module(f"{self.package}.{info.name}")
            yield from getattr(module, self.attribute, ())

    def _installed(self) -> Iterator[T]:
        for point in sorted(importlib.metadata.entry_points(group=self.group), key=lambda point: point.name):
            yield self._checked(point.load(), f"entry point {point.value}")

    def _checked(self, member: object, where: str) -> T:
        return checked_member(member, where, self.what, self.kind)

    def names(self) -> list[str]:
        """All names, sorted."""
        return sorted(self._members)

    def __iter__(self) -> Iterator[T]:
        return iter(self._members[name] for name in self.names())

    def get(self, name: str) -> T:
        """The member called `name`, or the one at a dotted path `package.module:ATTRIBUTE`.

        Raises:
            UnknownNameError: no such member; names the nearest one.
        """
        if ":" in name:
            return self._checked(load_member(name, self.what, self.kind), name)
        if name not in self._members:
            raise UnknownNameError(f"unknown {self.what} {name!r}: {did_you_mean(name, self._members)}")
        return self._members[name]
