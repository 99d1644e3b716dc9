"""`askance toggle`: show or hide the window, for any desktop's own shortcut.

It is bound to a key and has 60 ms, of which Python takes the half; so it stands beside the command
line, not in it, and imports nothing of it.
"""

from __future__ import annotations

import os
import sys
from time import monotonic, sleep

from askance.config.private_files import NotOurs
from askance.system.ipc import SHOW, TOGGLE, ShownElsewhere, folder, ring
from askance.system.program import start_detached, window_command

# What a type checker takes for true, without importing `typing`, which takes 8 ms.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Protocol, TextIO

    class StartedProcess(Protocol):
        """A process that was started."""

        def poll(self) -> int | None:
            """Return its exit status, None while it runs."""
            ...

    Start = Callable[[Mapping[str, str]], StartedProcess]

HELP = """\
Usage: askance toggle

Show the window, or hide it; start it where it is not running. Bind this to a key.
"""

# A window that is busy for longer than this is stuck.
ANSWER_LIMIT_S = 10.0
# A cold start on a slow disk takes seconds.
START_LIMIT_S = 30.0
_AGAIN_S = 0.03


def main(
    arguments: Sequence[str],
    environment: Mapping[str, str] = os.environ,
    *,
    start: Start | None = None,
    start_limit_s: float = START_LIMIT_S,
    answer_limit_s: float = ANSWER_LIMIT_S,
    stdout: TextIO = sys.stdout,
    stderr: TextIO = sys.stderr,
) -> int:
    """Run the command and return its exit status. `arguments` are those after `toggle`."""
    if arguments:
        if list(arguments) not in (["-h"], ["--help"]):
            stderr.write(HELP)
            return 2
        try:
            stdout.write(HELP)
            # Here, where a full disk can still be reported: the last flush at exit cannot.
            stdout.flush()
        except OSError as exc:
            from askance.cli.exits import silence  # noqa: PLC0415 - where the disk is full, only

            stderr.write(f"askance: The output cannot be written: {exc.strerror}.\n")
            silence(stdout)
            return 1
        return 0
    try:
        if not ring(environment, TOGGLE, limit_s=answer_limit_s):
            _start(environment, start or _start_window, start_limit_s)
    except _NotStarted as exc:
        stderr.write(f"askance: {exc}\n")
        return 1
    except ShownElsewhere as exc:
        stderr.write(
            f"askance: Askance is running already, and shows its window on the screen {exc.screen}. "
            "Quit it there to have it here.\n"
        )
        return 1
    # Before OSError, whose subclasses they are: here the folder is at fault, and not the window.
    except (NotOurs, NotADirectoryError, PermissionError) as exc:
        stderr.write(
            f"askance: {folder(environment)} cannot be used to find the running window: {exc}. "
            "Set ASKANCE_HOME or XDG_RUNTIME_DIR to a folder of your own.\n"
        )
        return 1
    except OSError as exc:
        stderr.write(f"askance: The window is running, but does not answer: {exc}. End it.\n")
        return 1
    return 0


class _NotStarted(Exception):
    """The window did not come up."""


def _start(environment: Mapping[str, str], start: Start, limit_s: float) -> None:
    """Start the window, and wait until it is seen."""
    try:
        window = start(environment)
    except OSError as exc:
        raise _NotStarted(f"The window cannot be started: {exc}.") from exc
    end = monotonic() + limit_s
    while (left_s := end - monotonic()) > 0:
        # Nobody is there until it listens, and it answers once it is drawn. One that ended well
        # has found another that came up before it.
        # SHOW and not TOGGLE: a window that is already on the screen would be hidden again.
        if ring(environment, SHOW, limit_s=left_s):
            return
        if status := window.poll():
            if why_not := _no_screen(environment):
                raise _NotStarted(why_not)
            raise _NotStarted(
                f"The window ended at once (exit status {status}). Run `askance` in a terminal to "
                "see why."
            )
        sleep(_AGAIN_S)
    raise _NotStarted(f"The window did not come up within {limit_s:g} s.")


def _no_screen(environment: Mapping[str, str]) -> str:
    """Return why there is no screen for a window; "" where that is not the reason."""
    from askance.system.qt_environment import find_screen  # noqa: PLC0415 - once it has failed

    return find_screen(environment).why_not


def _start_window(environment: Mapping[str, str]) -> StartedProcess:
    return start_detached(window_command(environment), environment)
