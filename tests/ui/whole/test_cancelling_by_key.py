"""Escape in every phase of a search: the run ends, its connections drop, and nothing of it is kept."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt

from askance.config.folders import Folders
from askance.engine import answer as conclude
from askance.ui.overlay.conversation.exchange import State
from askance.ui.shell.tray import TrayState
from sampled import sampled
from servers.faults import hangs_up, stalls
from servers.loopback import Handler, Request
from servers.model_script import Role, role_of
from servers.world import ONE_ROUND, QUESTION, some_answer
from ui.whole.conftest import Arrive
from ui.whole.neighbours import Held, Neighbours
from ui.whole.person import Person
from ui.whole.remembered import questions_kept
from waiting import PATIENCE_S

pytestmark = pytest.mark.usefixtures("pages_here")

Hold = Callable[[Neighbours], Held]
GREETING = "Good morning to you."
ASK_NOW = "Ask instead"


def held_model(role: Role, after: int = 0) -> Hold:
    """Hold the model in a role, once it has spoken so often in it."""

    def hold(around: Neighbours) -> Held:
        def matches(request: Request) -> bool:
            if request.path != "/api/chat":
                return False
            return role_of(request.json()) == role and len(around.script.of(role)) == after

        return around.model.hold(matches)

    return hold


def held_search(around: Neighbours) -> Held:
    return around.search.hold(lambda request: request.path == "/search")


def held_gap_search(around: Neighbours) -> Held:
    return around.search.hold(lambda request: "Whitlow" in request.query.get("q", ""))


def held_pages(around: Neighbours) -> Held:
    return around.web.hold()


def held_answer(around: Neighbours, then: Handler = stalls) -> Held:
    held = Held(then)
    around.script.answer = [around.script.after("The engineer Clara Whitlow was", held)]
    return held


PHASES: dict[str, Hold] = {
    "planning": held_model("plan"),
    "searching": held_search,
    "reading": held_pages,
    "judging passages": held_model("judge"),
    "searching again": held_gap_search,
    "judging passages again": held_model("judge", after=1),
    "writing": held_answer,
}


def mend(around: Neighbours) -> None:
    """Let everything work, in one round."""
    for server in around.servers.values():
        server.mend()
    script = around.script
    script.calls.clear()
    script.judge, script.answer = ONE_ROUND, [some_answer]


def kept(folders: Folders) -> list[str]:
    """The questions in the history, finished or not."""
    return [question for question, _ in questions_kept(folders)]


@pytest.mark.parametrize("phase", sampled(PHASES, every=3))
def test_escape_stops_a_search_in_every_phase(
    phase: str, around: Neighbours, person: Person, folders: Folders
) -> None:
    held = PHASES[phase](around)
    person.ask()
    person.until(held.reached.is_set)
    person.until(lambda: person.tray is TrayState.WORKING)
    assert person.sees("Stop")
    person.press(Qt.Key.Key_Escape)
    stopped = person.until_ended(State.STOPPED)
    person.until(held.dropped.is_set)
    person.until(lambda: around.are_idle)
    assert person.sees("Stopped")
    assert stopped.answer is None
    assert person.tray is TrayState.IDLE
    person.until(lambda: kept(folders) == [QUESTION])
    mend(around)
    person.ask()
    view = person.until_ended()
    assert "Clara Whitlow" in view.text
    assert person.sees("Clara Whitlow")
    assert person.tray is TrayState.IDLE
    assert kept(folders) == [QUESTION] * 2
    assert person.desktop.session.views[0] == stopped


def test_escape_stops_a_search_whose_model_has_not_said_a_word_yet(
    around: Neighbours, arrive: Arrive, folders: Folders
) -> None:
    # The light of the model waits for the same word, and goes on waiting.
    held = around.model.hold(lambda request: request.path != "/api/chat")
    person = arrive()
    person.until(held.reached.is_set)
    person.ask()
    assert person.tray is TrayState.WORKING
    person.until(lambda: around.search.loopback.requests)
    person.press(Qt.Key.Key_Escape)
    person.until_ended(State.STOPPED)
    assert person.tray is TrayState.IDLE
    person.until(lambda: kept(folders) == [QUESTION])
    person.until(lambda: around.search.is_idle and around.web.is_idle)
    held.let_go()
    mend(around)
    person.ask()
    assert "Clara Whitlow" in person.until_ended().text


def test_escape_while_the_answer_is_checked_leaves_nothing_running(
    around: Neighbours, person: Person, folders: Folders, monkeypatch: pytest.MonkeyPatch
) -> None:
    checking, go_on = threading.Event(), threading.Event()
    really = conclude.check_citations

    def slowly(*things: object, **named: object) -> object:
        checking.set()
        assert go_on.wait(PATIENCE_S)
        return really(*things, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(conclude, "check_citations", slowly)
    person.ask()
    person.until(checking.is_set)
    person.press(Qt.Key.Key_Escape)
    go_on.set()
    person.until_ended(State.STOPPED)
    person.until(lambda: around.are_idle)
    assert person.tray is TrayState.IDLE
    person.until(lambda: kept(folders) == [QUESTION])
    mend(around)
    person.ask()
    assert person.until_ended().text
    assert kept(folders) == [QUESTION] * 2


def test_escape_again_hides_the_window_and_the_conversation_stays(
    around: Neighbours, person: Person
) -> None:
    held = held_pages(around)
    person.ask()
    person.until(held.reached.is_set)
    person.press(Qt.Key.Key_Escape)
    person.until_ended(State.STOPPED)
    person.press(Qt.Key.Key_Escape)
    assert not person.overlay.isVisible()
    person.summon()
    assert person.sees(QUESTION)


@pytest.mark.parametrize("how", ["another question", "/new and another question"])
def test_an_old_run_that_is_left_says_nothing_in_the_new_one(
    how: str, around: Neighbours, person: Person, folders: Folders
) -> None:
    # The new question is asked before the old run has been heard to end.
    held = held_answer(around, then=hangs_up)
    person.ask()
    person.until(held.reached.is_set)
    person.until(lambda: "Clara Whitlow" in person.seen)
    mend(around)
    around.script.answer = [GREETING]
    if how.startswith("/new"):
        person.ask("/new")
        assert person.desktop.session.views == []
        assert "Clara Whitlow" not in person.seen
    person.ask("/chat Good morning")
    if how.startswith("/new"):
        # The run of a conversation that is left goes on.
        person.until(lambda: person.sees("Waiting for another question"))
        held.let_go()
    else:
        assert person.newest.state is State.WAITING
        person.click(ASK_NOW)
    view = person.until_ended()
    assert view.asked.text == "Good morning"
    assert not view.sources
    assert "Clara Whitlow" not in view.text
    person.until(lambda: around.are_idle)
    states = [v.state for v in person.desktop.session.views]
    assert states == [State.STOPPED, State.ANSWERED][-len(states) :]
    person.until(lambda: sorted(kept(folders)) == sorted([QUESTION, "Good morning"]))


def hold_numbers(around: Neighbours, of: bytes = b"Number") -> None:
    around.model.hold(lambda request: request.path == "/api/chat" and of in request.body)
    around.script.answer = [GREETING]


def test_twenty_questions_each_stopped_by_the_next_leave_one_answer(
    around: Neighbours, person: Person, folders: Folders
) -> None:
    hold_numbers(around)
    person.ask("/chat Number 0")
    for question in (*(f"Number {number}" for number in range(1, 20)), "The last one"):
        person.ask(f"/chat {question}")
        person.click(ASK_NOW)
        person.until(lambda: person.newest.state is not State.WAITING)
    person.until_ended()
    # Some may still be taking back what they had begun to keep.
    expected = [State.STOPPED] * 20 + [State.ANSWERED]
    person.until(lambda: [v.state for v in person.desktop.session.views] == expected)
    person.until(lambda: around.are_idle)
    # One that is stopped before it has begun is not kept.
    person.until(lambda: kept(folders)[-1:] == ["The last one"])


def test_twenty_questions_that_wait_are_each_answered_once_and_in_turn(
    around: Neighbours, person: Person, folders: Folders
) -> None:
    hold_numbers(around, b"Held")
    person.ask("/chat Held")
    numbers = [f"Number {number}" for number in range(20)]
    for question in (*numbers, "The last one"):
        person.ask(f"/chat {question}")
    assert [v.state for v in person.desktop.session.views[1:]] == [State.WAITING] * 21
    person.click(ASK_NOW)
    expected = [State.STOPPED] + [State.ANSWERED] * 21
    person.until(lambda: [v.state for v in person.desktop.session.views] == expected)
    person.until(lambda: around.are_idle)
    person.until(lambda: kept(folders) == ["Held", "The last one", *numbers])
    assert person.tray is TrayState.IDLE
