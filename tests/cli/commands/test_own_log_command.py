"""`askance logs app`, what commands write into that log, and what they say when they crash."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from askance.cli.commands import storage
from askance.config.diagnostics import LogEntry
from cli.fake_shell import FakeShell, run
from waiting import PATIENCE_S

CRASHING = """
from askance.cli.commands import asking, storage
from askance.cli.command_tree import main
def crash(*_, **__):
    raise LookupError("secret" + " words")
asking.ask = storage.settings_path = crash
main()
"""


def askance(
    *arguments: str, home: Path, python: tuple[str, ...] = ("-m", "askance")
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603 - this Python
        [sys.executable, *python, *arguments],
        env={**os.environ, "ASKANCE_HOME": str(home)},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


def test_a_command_is_logged_by_its_name_alone(fake_shell: FakeShell, tmp_path: Path) -> None:
    askance("config", "set", "search.url", "http://127.0.0.1:7777", home=tmp_path)
    assert run(fake_shell, "logs", "app") == 0
    begun, ended = fake_shell.printed.splitlines()
    assert "Started. program=config set version=" in begun
    assert "Ended. program=config set" in ended
    assert "7777" not in (tmp_path / "data" / "logs" / "askance.log").read_text("utf-8")
    (last,) = askance("logs", "app", "--lines", "1", home=tmp_path).stdout.splitlines()
    assert last == ended


def test_without_a_log_its_place_is_told(fake_shell: FakeShell) -> None:
    assert run(fake_shell, "logs", "app") == 0
    assert str(fake_shell.shell.folders.data) in fake_shell.printed


def test_what_stands_in_the_log_is_made_harmless() -> None:
    entry = LogEntry("\x1b[2Jt", "INFO", "askance.x", "a\x1b[31m\nb", {"k": "\x07v", "pid": 1})
    assert storage.log_as_text(entry) == "[2Jt  INFO x: a[31m b k=v"


@pytest.mark.parametrize("command", [["config", "path"], ["ask", "Who?", "--verbose"]])
def test_a_crash_is_one_line_that_names_the_report(tmp_path: Path, command: list[str]) -> None:
    crashed = askance(*command, home=tmp_path, python=("-c", CRASHING))
    assert crashed.returncode == 1
    *traced, line = crashed.stderr.splitlines()
    assert bool(traced) is ("--verbose" in command)
    (report,) = (tmp_path / "data" / "crashes").glob("*.txt")
    assert line == (
        "askance: Askance crashed: LookupError in crash, line 5. "
        f"The report is {report}; nothing was sent."
    )
    text = report.read_text("utf-8")
    assert f"Started. program={' '.join(command[:2]).removesuffix(' Who?')} " in text
    assert "Ended by an unhandled error: LookupError in crash" in text
    assert "secret words" not in text


def test_an_unwritable_home_stops_no_command(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("no folder")
    shown = askance("config", "path", home=tmp_path)
    assert (shown.returncode, shown.stderr) == (0, "")
