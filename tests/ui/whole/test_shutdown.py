"""The program ends at once, whatever it waits for, and leaves no process behind."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from askance.config.folders import Folders
from askance.system.ipc import SHOW, ShownElsewhere, ring
from askance.ui.bridge import CLOSING_S
from sampled import sampled
from servers.world import QUESTION
from system.x_server import needs_x, serve_x
from ui.whole.neighbours import Held, Neighbours
from ui.whole.person import Person
from ui.whole.remembered import answers_kept, questions_kept
from ui.whole.window_child import children_of, is_there, window
from waiting import PATIENCE_S, stretched, until

# As long the window waits for the engine's thread: one that waits for a server is given up only then.
LIMIT_S = CLOSING_S
BROKEN = """
import os, sys
from askance.ui.shell import desktop, desktop_app
def broken(*_):
    raise LookupError("broken here")
desktop.offer_report = broken
sys.exit(desktop_app.run(dict(os.environ)))
"""

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="ends as POSIX does: run it on Linux or macOS"
)


def test_a_program_that_reads_a_page_which_never_comes_ends_at_once(
    around: Neighbours, home: Path, folders: Folders
) -> None:
    held = around.web.hold()
    with window(around.environment(home)) as child:
        child.type(f"/search {QUESTION}")
        assert held.reached.wait(PATIENCE_S)
        children = children_of(child.pid)
        assert children, "no process takes pages apart"
        assert child.terminate() <= stretched(LIMIT_S)
        assert child.process.returncode == 0
        assert not any(map(is_there, children))
    assert held.dropped.wait(PATIENCE_S)
    assert questions_kept(folders) == [(QUESTION, True)]


@pytest.mark.exhaustive
def test_a_program_that_hears_an_answer_ends_at_once(
    around: Neighbours, home: Path, folders: Folders
) -> None:
    held = Held()
    around.script.answer = [around.script.after("Half a sentence", held.__call__)]
    with window(around.environment(home)) as child:
        child.type("/chat Good morning")
        child.until("0 writing")
        assert child.terminate() <= stretched(LIMIT_S)
        assert child.process.returncode == 0
    assert held.dropped.wait(PATIENCE_S)
    assert answers_kept(folders) == [("Good morning", "Half a sentence")]


def test_a_program_whose_search_engine_is_silent_at_its_start_ends_at_once(
    around: Neighbours, home: Path
) -> None:
    held = around.search.hold()
    with window(around.environment(home)) as child:
        assert held.reached.wait(PATIENCE_S)
        assert child.terminate() <= stretched(LIMIT_S)
        assert child.process.returncode == 0


def test_a_program_that_fails_while_it_starts_ends(around: Neighbours, home: Path) -> None:
    environment = {**os.environ, **around.environment(home, QT_QPA_PLATFORM="offscreen")}
    done = subprocess.run(  # noqa: S603 - this Python
        [sys.executable, "-c", BROKEN],
        env={"DISPLAY": ":0", **environment},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 1
    assert "broken here" in done.stderr


def test_a_program_that_is_quit_twice_is_quit_once(person: Person) -> None:
    person.desktop.quit()
    person.desktop.quit()
    assert not person.overlay.isVisible()
    assert gc.isenabled()


@needs_x
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
@needs_x
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
