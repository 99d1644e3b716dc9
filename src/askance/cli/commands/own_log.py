"""`askance logs app`: what this program wrote down about itself."""

from __future__ import annotations

import time
from contextlib import closing
from datetime import datetime

from askance.cli.endings import Exit
from askance.cli.shell import Shell
from askance.diagnostics.log_lines import LogEntry, LogReader
from askance.presentation.cleaning import clean, one_line

NAME = "app"
"""What it is called beside the containers' names."""
_AGAIN_S = 0.2


def show(shell: Shell, *, follow: bool, lines: int) -> Exit:
    """Show the last lines, the newest last; `follow` waits for more."""
    with closing(LogReader(shell.folders.log)) as reader:
        entries = reader.last(lines)
        for entry in entries:
            shell.stdout.line(as_text(entry))
        if not entries and not follow:
            shell.stdout.line(
                clean(f"Nothing is logged yet. It would stand in {shell.folders.log}.")
            )
        while follow:
            time.sleep(_AGAIN_S)
            for entry in reader.more():
                shell.stdout.line(as_text(entry))
    return Exit.DONE


def as_text(entry: LogEntry) -> str:
    """Return an entry for people: local time, level, where, what, and its details."""
    try:
        at = f"{datetime.fromisoformat(entry.time).astimezone():%Y-%m-%d %H:%M:%S}"
    except (ValueError, OverflowError, OSError):
        at = one_line(entry.time)
    return f"{at}  {one_line(entry.told)}"
