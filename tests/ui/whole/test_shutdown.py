"""The program ends within a second, whatever it waits for, and leaves no process behind."""

from __future__ import annotations

import gc
import sys
from pathlib import Path

import pytest

from askance.config.folders import Folders
from servers.world import QUESTION
from ui.whole.neighbours import Held, Neighbours
from ui.whole.person import Person
from ui.whole.remembered import answers_kept, questions_kept
from ui.whole.window_child import children_of, is_there, window
from waiting import PATIENCE_S, stretched

# At an idle machine.
LIMIT_S = 1.0

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="ends as POSIX does: run it on Linux or macOS"
)


def test_a_program_that_reads_a_page_which_never_comes_ends_within_a_second(
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
def test_a_program_that_hears_an_answer_ends_within_a_second(
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


def test_a_program_whose_search_engine_is_silent_at_its_start_ends_within_a_second(
    around: Neighbours, home: Path
) -> None:
    held = around.search.hold()
    with window(around.environment(home)) as child:
        assert held.reached.wait(PATIENCE_S)
        assert child.terminate() <= stretched(LIMIT_S)
        assert child.process.returncode == 0


def test_a_program_that_is_quit_twice_is_quit_once(person: Person) -> None:
    person.desktop.quit()
    person.desktop.quit()
    assert not person.overlay.isVisible()
    assert gc.isenabled()
