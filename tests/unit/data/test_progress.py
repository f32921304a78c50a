"""What a person sees of a fetch."""

from __future__ import annotations

import pytest

from uqalign.data.progress import SILENT, Console, SourceWarning


def test_a_log_gets_plain_lines(capsys: pytest.CaptureFixture[str]) -> None:
    console = Console()
    console.say("from [local]: a/b.csv")
    console.warn("bad checksum")
    with console.download("toy.zip", 1234) as advance:
        advance(1234)
    with console.download("unknown.zip", None):
        pass
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [
        "from [local]: a/b.csv",
        "warning: bad checksum",
        "downloading toy.zip (1,234 bytes)",
        "downloading unknown.zip",
    ]


def test_a_terminal_gets_a_bar(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with Console().download("toy.zip", 2048) as advance:
        advance(1024)
        advance(1024)
    err = capsys.readouterr().err
    assert "toy.zip" in err
    assert "downloading" not in err


def test_a_library_warns_and_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    SILENT.say("nothing")
    with SILENT.download("x", 1) as advance:
        advance(1)
    with pytest.warns(SourceWarning, match="bad checksum"):
        SILENT.warn("bad checksum")
    assert capsys.readouterr() == ("", "")
