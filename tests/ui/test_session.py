"""A conversation in the window: what is typed becomes runs, and their events become views."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from askance.adapters.storage.history import SqliteHistory
from askance.app.commands import parse
from askance.config.choices import AskMode
from askance.config.folders import find_folders
from askance.domain.conversation import (
    Conversation,
    ParsedCommand,
    RunRequest,
    Turn,
)
from askance.domain.events import (
    ClarifyAsked,
    Failed,
    RunEvent,
    TokenArrived,
    Warned,
    WarningCode,
)
from askance.domain.history import ConversationRecord
from askance.domain.messages import Message
from askance.ui.bridge import Bridge, Emit
from askance.ui.overlay.conversation.exchange import ExchangeAction, State
from askance.ui.overlay.conversation.session import Session
from ui.overlay_room import Gate, PlayedApp, Step, answered

LETTER = "The lamp has come, and my diabetes is no worse than it was."


def manner_of(request: RunRequest) -> str:
    allowed = f"allowing {'+'.join(request.allowed_words)} " if request.allowed_words else ""
    return f"{'thinking ' * request.think}{'afresh ' * request.fresh}{allowed}"


@dataclass
class FakeEngine:
    """Plays scripts in turn, each of one step or several."""

    script: list[Step | tuple[Step, ...]] = field(default_factory=list)
    asked: list[tuple[str, str, tuple[Turn, ...]]] = field(default_factory=list)

    async def run(self, request: RunRequest, *, emit: Emit, **_: object) -> Any:
        among = "+".join(request.scope.documents)
        text = f"{request.question}|{request.about}".rstrip("|")
        how = f"{manner_of(request)}run {among}".strip()
        return await self._play(how, text, request.conversation, emit)

    async def chat(self, request: RunRequest, *, emit: Emit) -> Any:
        text = f"{request.question}\n\n{request.about}".strip()
        return await self._play(f"{manner_of(request)}chat", text, request.conversation, emit)

    async def rework(self, task: str, text: str, wish: str, *, emit: Emit) -> Any:
        return await self._play(task, f"{text}|{wish}", Conversation(), emit)

    async def _play(self, how: str, text: str, conversation: Conversation, emit: Emit) -> Any:
        self.asked.append((how, text, conversation.turns))
        emit(TokenArrived("Half"))
        last: RunEvent | None = None
        steps = self.script.pop(0)
        for step in steps if isinstance(steps, tuple) else (steps,):
            if isinstance(step, Gate):
                await step.passed()
            else:
                emit(step)
                last = step
        return last


@dataclass
class Window:
    """A session, the engine behind it, and all that it told."""

    session: Session
    engine: FakeEngine
    history: SqliteHistory
    qtbot: QtBot
    app: PlayedApp

    def ask(self, text: str, quote: str = "", **how: Any) -> None:
        """Ask, and wait for the answer."""
        assert self.session.submit(text, quote, **how)
        self.until(len(self.session.views) - 1, State.ANSWERED)

    def until_begun(self) -> None:
        self.qtbot.waitUntil(lambda: self.session.views[0].draft is not None)

    def saved(self, exchanges: int) -> ConversationRecord:
        """What is saved of the conversation, once that many exchanges are."""
        find = self.history.conversations
        self.qtbot.waitUntil(lambda: find(limit=5)[0].exchanges == exchanges)
        record = self.history.conversation(self.session.conversation or 0)
        assert record is not None
        return record

    def until(self, index: int, state: State) -> None:
        self.qtbot.waitUntil(lambda: self.session.views[index].state is state)


@pytest.fixture
def window(qtbot: QtBot, tmp_path: Path) -> Iterator[Window]:
    troubles: list[str] = []
    folders = find_folders({"ASKANCE_HOME": str(tmp_path)})
    engine, history = FakeEngine(), SqliteHistory(folders.history, troubles.append)
    app = PlayedApp(engine, folders, history)  # type: ignore[arg-type]

    @asynccontextmanager
    async def opener() -> AsyncIterator[PlayedApp]:
        yield app

    bridge = Bridge(opener)
    bridge.start()
    session = Session(bridge, bridge)
    yield Window(session, engine, history, qtbot, app)
    assert bridge.close()
    history.close()
    assert not troubles


def test_plain_text_goes_where_the_switch_says_with_what_was_said_before(window: Window) -> None:
    window.engine.script = [answered("Hello."), answered("In 1887.")]
    window.ask("Hi", mode=AskMode.CHAT)
    window.ask("When was it lit?")
    assert window.engine.asked == [
        ("chat", "Hi", ()),
        ("run", "When was it lit?", (Turn("Hi", "Hello."),)),
    ]


@pytest.mark.parametrize(
    ("typed", "quote", "asked"),
    [
        ("/tldr", "A long text.", ("tldr", "A long text.|", ())),
        ("/translate into French", "A text.", ("translate", "A text.|into French", ())),
        ("/explain Entropy.", "", ("explain", "Entropy.|", ())),
        ("/chat What is it?", "A lamp.", ("chat", "What is it?\n\nA lamp.", ())),
        ("What is it?", "A lamp.", ("run", "What is it? (about: A lamp.)", ())),
        ("What is it?", LETTER, ("chat", f"What is it?\n\n{LETTER}", ())),
        ("/search Who made it?", "A  lamp.", ("run", "Who made it? (about: A lamp.)", ())),
        ("/search Who made it?", LETTER, ("run", f"Who made it?|{LETTER}", ())),
        ("/search What is this?", LETTER, ("run", f"What is this? (about: {LETTER})", ())),
    ],
)
def test_a_quoted_text_goes_where_it_belongs(
    window: Window, typed: str, quote: str, asked: tuple[str, str, tuple[Turn, ...]]
) -> None:
    window.engine.script = [answered("Done.")]
    window.ask(typed, quote)
    assert window.engine.asked == [asked]


@pytest.mark.parametrize(
    ("typed", "how", "without_web"),
    [("/chat /think Why?", "chat", "think"), ("/search /think Why?", "run", "think")],
)
def test_the_model_reasons_where_that_is_asked_for(
    window: Window, typed: str, how: str, without_web: str
) -> None:
    window.engine.script = [answered("One."), answered("Two."), answered("Three.")]
    window.ask(typed)
    window.session.retry(0)
    window.until(1, State.ANSWERED)
    window.session.without_web(1)
    window.until(2, State.ANSWERED)
    assert [asked[:2] for asked in window.engine.asked] == [
        (f"thinking {how}", "Why?"),
        (f"thinking afresh {how}", "Why?"),
        ("thinking chat", "Why?"),
    ]
    assert window.session.views[2].asked.command == without_web


HELD_BACK = Warned(WarningCode.WORDS_HELD_BACK, Message("Not searched: Lisbon."), ("Lisbon",))


def test_words_that_were_held_back_are_searched_once_they_are_allowed(window: Window) -> None:
    window.engine.script = [(HELD_BACK, answered("One.")), answered("Two."), answered("Three.")]
    window.ask("How big is it?")
    assert window.session.views[0].held_back == ("Lisbon",)
    window.session.allow_words(0)
    window.until(1, State.ANSWERED)
    window.session.allow_words(1)  # nothing was held back of it
    window.session.retry(1)
    window.until(2, State.ANSWERED)
    assert [asked[0] for asked in window.engine.asked] == [
        "run", "afresh allowing Lisbon run", "afresh allowing Lisbon run",
    ]  # fmt: skip
    window.engine.script = [answered("Four.")]
    window.ask("And Porto?")
    assert window.engine.asked[-1][0] == "run"


def test_a_run_without_the_words_is_stopped_for_the_one_with_them(window: Window) -> None:
    window.engine.script = [(HELD_BACK, Gate()), answered("Two.")]
    window.session.submit("How big is it?")
    window.qtbot.waitUntil(lambda: bool(window.session.views[0].held_back))
    window.session.allow_words(0)
    window.until(0, State.STOPPED)
    window.until(1, State.ANSWERED)
    assert window.engine.asked[1][0] == "afresh allowing Lisbon run"


def test_what_is_asked_about_documents_is_asked_of_them_alone_and_again(window: Window) -> None:
    window.engine.script = [answered("One."), answered("Two."), answered("Short.")]

    def send(text: str) -> None:
        asked = parse(text, quote="Of sheep.", mode=AskMode.CHAT, documents=("a", "b"))
        assert isinstance(asked, ParsedCommand)
        window.session.take(replace(asked, quote="Of sheep."))

    send("What is this?")
    window.until(0, State.ANSWERED)
    window.session.retry(0)
    window.until(1, State.ANSWERED)
    send("/tldr")
    window.until(2, State.ANSWERED)
    assert [asked[:2] for asked in window.engine.asked] == [
        ("run a+b", "What is this?"),
        ("run a+b", "What is this?"),
        ("tldr", "Of sheep.|"),
    ]


def test_commands_of_the_window_are_handed_on(window: Window) -> None:
    with window.qtbot.waitSignal(window.session.wanted) as wanted:
        window.session.submit("/export notes.md")
    assert wanted.args == ["export", "notes.md"]
    with window.qtbot.waitSignal(window.session.misunderstood) as reported:
        assert not window.session.submit("/serch x")
    assert reported.args is not None
    assert reported.args[0].nearest == "/search x"


def busy(window: Window, *script: Any) -> None:
    """Let a first question be under way."""
    window.engine.script = [Gate(), *script]
    window.session.submit("one")
    window.until_begun()


def test_a_new_question_waits_for_the_one_before_and_knows_its_answer(window: Window) -> None:
    gate = Gate()
    window.engine.script = [(gate, answered("One.")), answered("Two.")]
    window.session.submit("one")
    window.until_begun()
    window.session.submit("two")
    assert [view.state for view in window.session.views] == [State.RUNNING, State.WAITING]
    assert window.session.views[1].status.text == "Waiting for the answer above"
    assert window.session.views[1].actions == (ExchangeAction.ASK_NOW, ExchangeAction.DROP)
    gate.open()
    window.until(1, State.ANSWERED)
    assert window.engine.asked[1] == ("run", "two", (Turn("one", "One."),))


def test_what_waits_can_take_the_place_of_what_is_under_way(window: Window) -> None:
    busy(window, answered("Three."), answered("Two."))
    window.session.submit("two")
    window.session.submit("three")
    window.session.ask_now(2)
    window.until(0, State.STOPPED)
    window.until(2, State.ANSWERED)
    window.until(1, State.ANSWERED)
    assert [text for _, text, _ in window.engine.asked] == ["one", "three", "two"]


def test_what_waits_can_be_dropped_and_asked_again(window: Window) -> None:
    busy(window, answered("Two."))
    window.session.submit("two")
    window.session.drop(1)
    assert window.session.views[1].state is State.STOPPED
    assert window.session.views[1].status.text == "Removed"
    window.session.stop()
    window.until(0, State.STOPPED)
    window.session.retry(1)
    window.until(2, State.ANSWERED)
    assert [text for _, text, _ in window.engine.asked] == ["one", "two"]


def test_a_conversation_that_is_left_goes_on_and_asks_what_waited_in_it(window: Window) -> None:
    gate = Gate()
    window.engine.script = [(gate, answered("One.")), answered("Two."), answered("Three.")]
    session = window.session
    session.submit("one")
    window.until_begun()
    session.submit("two")
    ended: list[tuple[int, str]] = []
    session.ended_unseen.connect(lambda number, view: ended.append((number, view.asked.text)))
    session.begin_anew()
    assert session.views == []
    assert session.running is None
    assert session.is_running
    gate.open()
    window.qtbot.waitUntil(lambda: len(ended) == 2)

    (number,) = session.left_states
    assert ended == [(number, "one"), (number, "two")]
    assert session.has_unseen
    assert not session.is_running
    window.ask("three")
    assert session.return_to(number)
    assert [view.text for view in session.views] == ["One.", "Two."]
    assert session.conversation == number
    assert not session.has_unseen
    record = window.history.conversation(number)
    assert record is not None
    assert [exchange.ended for exchange in record.exchanges] == [True, True]


def test_a_conversation_is_returned_to_while_it_runs(window: Window) -> None:
    gate = Gate()
    window.engine.script = [(gate, TokenArrived(" done."), answered("Whole.")), answered("Other.")]
    window.session.submit("one")
    window.until_begun()
    window.qtbot.waitUntil(lambda: bool(window.session.conversation))
    number = window.session.conversation or 0
    window.session.begin_anew()
    window.ask("other")
    assert window.session.left_states[number].state is State.RUNNING

    assert window.session.return_to(number)
    assert window.session.running is not None
    assert window.session.left_states == {}
    gate.open()
    window.until(0, State.ANSWERED)
    assert window.session.views[0].text == "Whole."
    assert not window.session.return_to(number)


def test_a_failure_is_marked_too_and_a_deleted_conversation_stops(window: Window) -> None:
    gate = Gate()
    window.engine.script = [(gate, Failed(Message("It broke."))), Gate(), answered("Three.")]
    session = window.session
    session.submit("one")
    window.until_begun()
    session.begin_anew()
    gate.open()
    window.qtbot.waitUntil(lambda: session.has_unseen)
    (view,) = session.left_states.values()
    assert view.state is State.FAILED

    session.submit("two")
    window.until_begun()
    session.submit("never asked")
    session.forget(0)
    assert session.views == []
    assert session.left_states == {}
    window.ask("three")
    assert [text for _, text, _ in window.engine.asked] == ["one", "two", "three"]


def test_what_is_not_stored_is_stopped_when_it_is_left(window: Window) -> None:
    stopped: list[str] = []

    class Endless(Gate):
        async def passed(self) -> None:
            try:
                await super().passed()
            finally:
                stopped.append("one")

    window.app.history = None
    window.engine.script = [Endless(), answered("Two.")]
    window.session.submit("one")
    window.session.submit("never asked")
    # Before the run has begun: whether it is stored is not known yet.
    window.session.begin_anew()
    window.qtbot.waitUntil(lambda: bool(stopped))
    window.qtbot.waitUntil(lambda: not window.session.is_running)
    window.ask("two")
    assert [text for _, text, _ in window.engine.asked] == ["one", "two"]


def test_a_kept_conversation_tells_how_it_was_asked_last(window: Window) -> None:
    window.engine.script = [answered("One."), answered("Two.")]
    window.ask("one", mode=AskMode.CHAT)
    window.ask("/tldr a text")
    assert window.session.mode is AskMode.CHAT
    record = window.saved(2)
    window.session.begin_anew()
    assert window.session.mode is None
    window.session.resume(record)
    assert window.session.mode is AskMode.CHAT


def test_what_came_from_memory_is_searched_at_a_word(window: Window) -> None:
    window.engine.script = [answered("One."), answered("Two.")]
    window.ask("/chat /think Why?")
    window.session.with_web(0)
    window.until(1, State.ANSWERED)
    assert [how for how, _, _ in window.engine.asked] == ["thinking chat", "thinking run"]


def test_a_stopped_run_is_kept_and_the_next_question_knows_it(window: Window) -> None:
    window.engine.script = [Gate()]
    window.session.submit("one")
    window.until_begun()
    window.session.stop()
    window.until(0, State.STOPPED)
    assert not window.session.is_running
    answer = window.saved(1).exchanges[0].answer
    assert answer is not None
    assert answer.answer.strip() == window.session.views[0].text
    turns = window.session._here.turns.turns.turns
    assert [(turn.question, turn.answer) for turn in turns] == [("one", answer.answer)]


def test_what_a_run_says_that_was_left_is_not_shown_here(window: Window) -> None:
    window.engine.script = [Gate(), answered("New.")]
    window.session.submit("old")
    window.until_begun()
    window.session.begin_anew()
    assert window.session.views == []
    window.ask("new")
    assert [view.asked.text for view in window.session.views] == ["new"]


def test_a_clarifying_question_is_answered_in_place(window: Window) -> None:
    window.engine.script = [ClarifyAsked("Which lamp?"), answered("1887.")]
    window.session.submit("/search When?")
    window.until(0, State.CLARIFYING)
    window.session.reply(0, "The northern one")
    window.until(1, State.ANSWERED)
    assert window.engine.asked[1][:2] == ("run", "When? The northern one")


def test_the_same_can_be_asked_again_and_without_the_web(window: Window) -> None:
    window.engine.script = [Failed(Message("It broke.")), answered("A."), answered("B.")]
    window.session.submit("/search When?")
    window.until(0, State.FAILED)
    window.session.retry(0)
    window.until(1, State.ANSWERED)
    window.session.without_web(1)
    window.until(2, State.ANSWERED)
    assert [how for how, _, _ in window.engine.asked] == ["run", "run", "chat"]


def test_a_conversation_is_kept_under_one_number_and_shown_again_as_it_was(window: Window) -> None:
    window.engine.script = [answered("One."), answered("Two."), answered("Three.")]
    window.ask("first")
    window.ask("second")
    record, shown = window.saved(2), window.session.views
    window.session.begin_anew()
    assert window.session.conversation is None
    window.session.resume(record)
    assert window.session.views == shown
    window.ask("third")
    assert window.engine.asked[2][2] == (Turn("first", "One."), Turn("second", "Two."))
    window.saved(3)
