"""A window whose display goes away, as at a log-out, ends and lets the next one start."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from askance.config.folders import Folders
from askance.system.ipc import SHOW, ShownElsewhere, ring
from sampled import sampled
from system.x_server import XVFB, serve_x
from ui.whole.neighbours import Held, Neighbours
from ui.whole.remembered import answers_kept
from ui.whole.window_child import window
from waiting import PATIENCE_S, until

pytestmark = pytest.mark.skipif(
    XVFB is None, reason="Xvfb is not installed: install the package xvfb"
)


async def test_a_program_whose_display_is_gone_ends(around: Neighbours, home: Path) -> None:
    with serve_x() as server:
        variables = around.environment(home, DISPLAY=server.name, QT_QPA_PLATFORM="xcb")
        environment = {**os.environ, **variables}
        process = subprocess.Popen([sys.executable, "-m", "askance"], env=environment)  # noqa: ASYNC220
        try:
            await until(lambda: _is_up(environment), every_s=0.1)
            server.stop()
            assert process.wait(PATIENCE_S) == 1
        finally:
            process.kill()
            process.wait()
    assert not _is_up(environment)


# Xlib finds out while a window is made, else Qt in the event loop. With 0 no signal is sent.
@pytest.mark.parametrize("line", ["!held", "!lost"])
@pytest.mark.parametrize("number", sampled([0, signal.SIGTERM], every=2))
def test_when_the_display_is_gone_the_program_ends_without_a_crash(
    around: Neighbours, home: Path, folders: Folders, number: int, line: str
) -> None:
    held = Held()
    around.script.answer = [around.script.after("Half a sentence", held.__call__)]
    with serve_x() as server:
        variables = around.environment(home, DISPLAY=server.name, QT_QPA_PLATFORM="xcb")
        with window(variables) as child:
            child.type("/chat Good morning")
            child.until("0 writing")
            child.type(line)
            child.until("held")
            child.process.send_signal(number)
            server.stop()
            child.type("")
            assert child.process.wait(PATIENCE_S) == 1
    assert held.dropped.wait(PATIENCE_S)
    assert answers_kept(folders) == [("Good morning", "Half a sentence")]


def _is_up(environment: dict[str, str]) -> bool:
    try:
        return ring(environment, SHOW, limit_s=PATIENCE_S)
    except (OSError, ShownElsewhere):
        return False
