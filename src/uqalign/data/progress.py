"""What a person sees while files are fetched: a bar on a terminal, plain lines in a log."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

Advance = Callable[[int], None]


class SourceWarning(UserWarning):
    """A source of a data set is there but unusable; the next one is tried."""


class Progress(Protocol):
    """Receives what happens during a fetch."""

    def say(self, message: str) -> None:
        """Something went as it should."""

    def warn(self, message: str) -> None:
        """Something is wrong, and the fetch goes on."""

    def download(self, label: str, total: int | None) -> AbstractContextManager[Advance]:
        """A download of `total` bytes (None: unknown); what it yields is told of bytes as they arrive."""
        ...


class Silent:
    """For use as a library: warnings are Python warnings, the rest is not shown."""

    def say(self, message: str) -> None:
        pass

    def warn(self, message: str) -> None:
        warnings.warn(message, SourceWarning, stacklevel=2)

    @contextmanager
    def download(self, label: str, total: int | None) -> Iterator[Advance]:
        yield lambda count: None


class Console:
    """For the command line: everything goes to standard error."""

    def __init__(self) -> None:
        from rich.console import Console as RichConsole

        self._console = RichConsole(stderr=True, highlight=False, soft_wrap=True)

    def say(self, message: str) -> None:
        self._console.print(message, markup=False)

    def warn(self, message: str) -> None:
        self._console.print(f"warning: {message}", markup=False, style="yellow")

    @contextmanager
    def download(self, label: str, total: int | None) -> Iterator[Advance]:
        if not sys.stderr.isatty():
            size = f" ({total:,} bytes)" if total else ""
            self.say(f"downloading {label}{size}")
            yield lambda count: None
            return
        from rich.progress import BarColumn, DownloadColumn, TextColumn, TransferSpeedColumn
        from rich.progress import Progress as Bar

        columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
        with Bar(*columns, console=self._console, transient=True) as bar:
            task = bar.add_task(label, total=total)
            yield lambda count: bar.advance(task, count)


SILENT = Silent()
