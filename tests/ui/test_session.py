"""A conversation in the window: what is typed becomes runs, and their events become views."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from askance.adapters.storage.history import SqliteHistory
from askance.app.commands import parse
from askance.config.choices import AskMode
from askance.config.folders import Folders, find_folders
from askance.config.settings import Settings
from askance.domain.conversation import (
    Conversation,
    Outcome,
    ParsedCommand,
    RunRequest,
    Turn,
    Usage,
)
from askance.domain.events import (
    Answered,
    ClarifyAsked,
    Failed,
    TokenArrived,
    Warned,
    WarningCode,
)
from askance.domain.messages import Message
from askance.ui.bridge import Bridge, Emit
from askance.ui.overlay.conversation.exchange import ExchangeAction, State
from askance.ui.overlay.conversation.session import Session

Script = Callable[[Emit], Any]


def answered(text: str) -> Answered:
    return Answered(text, (), (), Outcome.HISTORY, 0, Usage(), (), 5)


LETTER = "The lamp has come, and my diabetes is no worse than it was."


class Gate:
    """An end that waits for the test."""

    def __init__(self, end: Answered) -> None:
        self.end = end

    async def passed(self) -> None:
        self._loop, self._event = asyncio.get_running_loop(), asyncio.Event()
        await self._event.wait()

    def open(self) -> None:
        self._loop.call_soon_threadsafe(self._event.set)


def manner_of(request: RunRequest) -> str:
    allowed = f"allowing {'+'.join(request.allowed_words)} " if request.allowed_words else ""
    return f"{'thinking ' * request.think}{'afresh ' * request.fresh}{allowed}"


@dataclass
class FakeEngine:
    """Plays scripts in turn: an end, a warning and an end, or "hang" for a run that never ends by itself."""

    script: list[Any]
    asked: list[tuple[str, str, tuple[Turn, ...]]] = field(default_factory=list)

    async def run(self, request: RunRequest, *, emit: Emit) -> Any:
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
        step: Any = self.script.pop(0)
        emit(TokenArrived("Half"))
        if isinstance(step, tuple):
            warned, step = step
            emit(warned)
        if isinstance(step, str):
            await asyncio.Event().wait()
        elif isinstance(step, Gate):
            await step.passed()
            emit(step.end)
            return step.end
        else:
            emit(step)
        return step


@dataclass
class FakeApp:
    engine: FakeEngine
    folders: Folders
    history: SqliteHistory | None
    settings: Settings = field(default_factory=Settings)
    prepared: int = 0

    def prepare(self) -> None:
        self.prepared += 1


@dataclass
class Window:
    """A session, the engine behind it, and all that it told."""

    session: Session
    app: FakeApp
    qtbot: QtBot

    def until(self, index: int, state: State) -> None:
        self.qtbot.waitUntil(lambda: self.session.views[index].state is state)


@pytest.fixture
def window(qtbot: QtBot, tmp_path: Path) -> Iterator[Window]:
    troubles: list[str] = []
    folders = find_folders({"ASKANCE_HOME": str(tmp_path)})
    app = FakeApp(FakeEngine([]), folders, SqliteHistory(folders.history, troubles.append))

    @asynccontextmanager
    async def opener() -> AsyncIterator[Any]:
        yield app

    bridge = Bridge(opener)
    bridge.start()
    session = Session(bridge, bridge)
    yield Window(session, app, qtbot)
    assert bridge.close()
    if app.history is not None:
        app.history.close()
    assert not troubles


def test_plain_text_goes_where_the_switch_says_with_what_was_said_before(window: Window) -> None:
    window.app.engine.script = [answered("Hello."), answered("In 1887.")]
    assert window.session.submit("Hi", mode=AskMode.CHAT)
    window.until(0, State.ANSWERED)
    assert window.session.submit("When was it lit?")
    window.until(1, State.ANSWERED)
    assert window.app.engine.asked == [
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
    window.app.engine.script = [answered("Done.")]
    assert window.session.submit(typed, quote)
    window.until(0, State.ANSWERED)
    assert window.app.engine.asked == [asked]


@pytest.mark.parametrize(
    ("typed", "how", "without_web"),
    [("/chat /think Why?", "chat", "think"), ("/search /think Why?", "run", "think")],
)
def test_the_model_reasons_where_that_is_asked_for(
    window: Window, typed: str, how: str, without_web: str
) -> None:
    window.app.engine.script = [answered("One."), answered("Two."), answered("Three.")]
    window.session.submit(typed)
    window.until(0, State.ANSWERED)
    window.session.retry(0)
    window.until(1, State.ANSWERED)
    window.session.without_web(1)
    window.until(2, State.ANSWERED)
    assert [asked[:2] for asked in window.app.engine.asked] == [
        (f"thinking {how}", "Why?"),
        (f"thinking afresh {how}", "Why?"),
        ("thinking chat", "Why?"),
    ]
    assert window.session.views[2].asked.command == without_web


HELD_BACK = Warned(WarningCode.WORDS_HELD_BACK, Message("Not searched: Lisbon."), ("Lisbon",))


def test_words_that_were_held_back_are_searched_once_they_are_allowed(window: Window) -> None:
    window.app.engine.script = [(HELD_BACK, answered("One.")), answered("Two."), answered("Three.")]
    window.session.submit("How big is it?")
    window.until(0, State.ANSWERED)
    assert window.session.views[0].held_back == ("Lisbon",)
    window.session.allow_words(0)
    window.until(1, State.ANSWERED)
    window.session.allow_words(1)  # nothing was held back of it
    window.session.retry(1)
    window.until(2, State.ANSWERED)
    assert [asked[0] for asked in window.app.engine.asked] == [
        "run", "afresh allowing Lisbon run", "afresh allowing Lisbon run",
    ]  # fmt: skip
    window.app.engine.script = [answered("Four.")]
    window.session.submit("And Porto?")
    window.until(3, State.ANSWERED)
    assert window.app.engine.asked[-1][0] == "run"


def test_a_run_without_the_words_is_stopped_for_the_one_with_them(window: Window) -> None:
    window.app.engine.script = [(HELD_BACK, "hang"), answered("Two.")]
    window.session.submit("How big is it?")
    window.qtbot.waitUntil(lambda: bool(window.session.views[0].held_back))
    window.session.allow_words(0)
    window.until(0, State.STOPPED)
    window.until(1, State.ANSWERED)
    assert window.app.engine.asked[1][0] == "afresh allowing Lisbon run"


def test_what_is_asked_about_documents_is_asked_of_them_alone_and_again(window: Window) -> None:
    window.app.engine.script = [answered("One."), answered("Two."), answered("Short.")]

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
    assert [asked[:2] for asked in window.app.engine.asked] == [
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
    window.app.engine.script = ["hang", *script]
    window.session.submit("one")
    window.qtbot.waitUntil(lambda: window.session.views[0].draft is not None)


def test_a_new_question_waits_for_the_one_before_and_knows_its_answer(window: Window) -> None:
    gate = Gate(answered("One."))
    window.app.engine.script = [gate, answered("Two.")]
    window.session.submit("one")
    window.qtbot.waitUntil(lambda: window.session.views[0].draft is not None)
    window.session.submit("two")
    assert [view.state for view in window.session.views] == [State.RUNNING, State.WAITING]
    assert window.session.views[1].status.text == "Next, after the answer above"
    assert window.session.views[1].actions == (ExchangeAction.ASK_NOW, ExchangeAction.DROP)
    gate.open()
    window.until(1, State.ANSWERED)
    assert window.app.engine.asked[1] == ("run", "two", (Turn("one", "One."),))


def test_what_waits_can_take_the_place_of_what_is_under_way(window: Window) -> None:
    busy(window, answered("Three."), answered("Two."))
    window.session.submit("two")
    window.session.submit("three")
    window.session.ask_now(2)
    window.until(0, State.STOPPED)
    window.until(2, State.ANSWERED)
    window.until(1, State.ANSWERED)
    assert [text for _, text, _ in window.app.engine.asked] == ["one", "three", "two"]


def test_what_waits_can_be_dropped_and_asked_again(window: Window) -> None:
    busy(window, answered("Two."))
    window.session.submit("two")
    window.session.drop(1)
    assert window.session.views[1].state is State.STOPPED
    assert window.session.views[1].status.text == "Not asked"
    window.session.stop()
    window.until(0, State.STOPPED)
    window.session.retry(1)
    window.until(2, State.ANSWERED)
    assert [text for _, text, _ in window.app.engine.asked] == ["one", "two"]


def test_a_new_conversation_asks_nothing_that_waited_in_the_old_one(window: Window) -> None:
    busy(window, answered("Three."))
    window.session.submit("two")
    window.session.begin_anew()
    window.session.submit("three")
    window.until(0, State.ANSWERED)
    assert [text for _, text, _ in window.app.engine.asked] == ["one", "three"]


def test_a_kept_conversation_tells_how_it_was_asked_last(window: Window) -> None:
    window.app.engine.script = [answered("One."), answered("Two.")]
    window.session.submit("one", mode=AskMode.CHAT)
    window.until(0, State.ANSWERED)
    window.session.submit("/tldr a text")
    window.until(1, State.ANSWERED)
    assert window.session.mode is AskMode.CHAT
    history = window.app.history
    assert history is not None
    window.qtbot.waitUntil(lambda: history.conversations(limit=5)[0].exchanges == 2)
    record = history.conversation(window.session.conversation or 0)
    assert record is not None
    window.session.begin_anew()
    assert window.session.mode is None
    window.session.resume(record)
    assert window.session.mode is AskMode.CHAT


def test_what_came_from_memory_is_searched_at_a_word(window: Window) -> None:
    window.app.engine.script = [answered("One."), answered("Two.")]
    window.session.submit("/chat /think Why?")
    window.until(0, State.ANSWERED)
    window.session.with_web(0)
    window.until(1, State.ANSWERED)
    assert [how for how, _, _ in window.app.engine.asked] == ["thinking chat", "thinking run"]


def test_a_stopped_run_is_kept_and_the_next_question_knows_it(window: Window) -> None:
    window.app.engine.script = ["hang"]
    window.session.submit("one")
    window.qtbot.waitUntil(lambda: window.session.views[0].draft is not None)
    window.session.stop()
    window.until(0, State.STOPPED)
    assert not window.session.is_running
    history = window.app.history
    assert history is not None
    (stored,) = history.conversations(limit=5)
    record = history.conversation(stored.id)
    assert record is not None
    answer = record.exchanges[0].answer
    assert answer is not None
    assert answer.answer.strip() == window.session.views[0].text
    turns = window.session._conversation_session.turns.turns
    assert [(turn.question, turn.answer) for turn in turns] == [("one", answer.answer)]


def test_what_an_old_run_says_late_is_dropped(window: Window) -> None:
    window.app.engine.script = ["hang", answered("New.")]
    window.session.submit("old")
    window.qtbot.waitUntil(lambda: window.session.views[0].draft is not None)
    window.session.begin_anew()
    assert window.session.views == []
    window.session.submit("new")
    window.until(0, State.ANSWERED)
    assert [view.asked.text for view in window.session.views] == ["new"]


def test_a_clarifying_question_is_answered_in_place(window: Window) -> None:
    window.app.engine.script = [ClarifyAsked("Which lamp?"), answered("1887.")]
    window.session.submit("/search When?")
    window.until(0, State.CLARIFYING)
    window.session.reply(0, "The northern one")
    window.until(1, State.ANSWERED)
    assert window.app.engine.asked[1][:2] == ("run", "When? The northern one")


def test_the_same_can_be_asked_again_and_without_the_web(window: Window) -> None:
    window.app.engine.script = [Failed(Message("It broke.")), answered("A."), answered("B.")]
    window.session.submit("/search When?")
    window.until(0, State.FAILED)
    window.session.retry(0)
    window.until(1, State.ANSWERED)
    window.session.without_web(1)
    window.until(2, State.ANSWERED)
    assert [how for how, _, _ in window.app.engine.asked] == ["run", "run", "chat"]


def test_a_conversation_is_kept_under_one_number_and_shown_again_as_it_was(window: Window) -> None:
    window.app.engine.script = [answered("One."), answered("Two."), answered("Three.")]
    window.session.submit("first")
    window.until(0, State.ANSWERED)
    window.session.submit("second")
    window.until(1, State.ANSWERED)
    history = window.app.history
    assert history is not None
    window.qtbot.waitUntil(lambda: history.conversations(limit=5)[0].exchanges == 2)
    number = window.session.conversation
    assert number is not None
    shown = window.session.views
    window.session.begin_anew()
    assert window.session.conversation is None
    record = history.conversation(number)
    assert record is not None
    window.session.resume(record)
    assert window.session.views == shown
    window.session.submit("third")
    window.until(2, State.ANSWERED)
    assert window.app.engine.asked[2][2] == (Turn("first", "One."), Turn("second", "Two."))
    window.qtbot.waitUntil(lambda: history.conversations(limit=5)[0].exchanges == 3)
