"""A conversation: asked once, kept once, and only answers are what was said before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from askance.adapters.storage.history import SqliteHistory
from askance.app.conversation import ConversationSession, is_asked
from askance.config.folders import Folders, find_folders
from askance.config.settings import Settings
from askance.domain.conversation import Conversation, Outcome, ParsedCommand, RunRequest, Usage
from askance.domain.events import Answered, Emit, Failed, RunEnd
from askance.domain.history import TimedEvent
from askance.domain.messages import Message
from askance.domain.web_pages import SearchScope


def answered(text: str) -> Answered:
    return Answered(text, (), (), Outcome.MEMORY, 0, Usage(), (), 5)


@dataclass
class Engine:
    """Ends each run as scripted, and notes what it was asked and what it knew."""

    ends: list[RunEnd]
    asked: list[tuple[str, str, int]] = field(default_factory=list)
    allowed: list[tuple[str, ...]] = field(default_factory=list)

    async def run(self, request: RunRequest, *, emit: Emit) -> RunEnd:
        if request.allowed_words:
            self.allowed.append(request.allowed_words)
        among = "+".join(request.scope.documents)
        how = f"run {request.about}{among}".strip()
        return self._end(how, request.question, request.conversation, emit)

    async def chat(self, request: RunRequest, *, emit: Emit) -> RunEnd:
        text = f"{request.question}\n\n{request.about}".strip()
        return self._end("chat", text, request.conversation, emit)

    async def rework(self, task: str, text: str, wish: str, *, emit: Emit) -> RunEnd:
        return self._end(f"{task} {wish}".strip(), text, Conversation(), emit)

    def _end(self, how: str, text: str, known: Conversation, emit: Emit) -> RunEnd:
        self.asked.append((how, text, len(known.turns)))
        end = self.ends.pop(0)
        emit(end)
        return end


@dataclass
class FakeApp:
    """The parts of a program, with a real history."""

    engine: Any
    folders: Folders
    history: SqliteHistory | None
    settings: Settings = field(default_factory=Settings)

    @property
    def prepare(self) -> Callable[[], None]:
        return lambda: None


Parts: Any = FakeApp


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    return find_folders({"ASKANCE_HOME": str(tmp_path)})


def opened(folders: Folders) -> SqliteHistory:
    folders.history.parent.mkdir(parents=True, exist_ok=True)
    return SqliteHistory(folders.history, print)


async def test_only_answers_are_what_was_said_before(folders: Folders):
    engine = Engine([answered("One."), Failed(Message("No.")), answered("Three.")])
    parts, talk = Parts(engine, folders, opened(folders)), ConversationSession(print)
    shown: list[TimedEvent] = []
    for command in ("chat", "search", "chat"):
        await talk.ask(parts, ParsedCommand(command, f"A {command}?"), shown.append)
    assert engine.asked == [("chat", "A chat?", 0), ("run", "A search?", 1), ("chat", "A chat?", 1)]
    assert [turn.answer for turn in talk.turns.turns] == ["One.", "Three."]
    assert [type(timed.event) for timed in shown] == [Answered, Failed, Answered]
    assert parts.history is not None
    assert talk.number is not None
    stored = parts.history.conversation(talk.number)
    assert stored is not None
    assert [exchange.command for exchange in stored.exchanges] == ["chat", "search", "chat"]


async def test_parts_that_were_opened_again_keep_the_same_conversation(folders: Folders):
    engine = Engine([answered("One."), answered("Two.")])
    first = Parts(engine, folders, opened(folders))
    talk = ConversationSession(print)
    await talk.ask(first, ParsedCommand("chat", "One?"), lambda _: None)
    assert first.history is not None
    first.history.close()
    again = Parts(engine, folders, opened(folders))
    number = talk.number
    await talk.ask(again, ParsedCommand("chat", "Two?"), lambda _: None)
    assert talk.number == number
    assert again.history is not None
    assert number is not None
    stored = again.history.conversation(number)
    assert stored is not None
    assert len(stored.exchanges) == 2


async def test_a_quoted_text_goes_where_the_command_wants_it(folders: Folders):
    engine = Engine([answered("a"), answered("b"), answered("c")])
    parts, talk = Parts(engine, folders, None), ConversationSession(print)
    letter = "The lamp of Skarne has come at last, and it is as bright as you said it would be."
    for asked in (
        ParsedCommand("chat", "Who?"),
        ParsedCommand("translate", "French"),
        ParsedCommand("search", "Who?"),
    ):
        await talk.ask(parts, replace(asked, quote=letter), lambda _: None)
    assert [how for how, _, _ in engine.asked] == ["chat", "translate French", "run"]
    assert engine.asked[0][1] == f"Who?\n\n{letter}"
    assert engine.asked[1][1] == letter
    assert engine.asked[2][1] == f"Who? (about: {letter})"


async def test_direction_marks_are_kept_with_a_question_and_not_searched(folders: Folders):
    engine = Engine([answered("a"), answered("b")])
    parts, talk = Parts(engine, folders, opened(folders)), ConversationSession(print)
    asked = "\u2067\u05e9\u05dc\u05d5\u05dd\u2069\u200f?"
    for command in ("chat", "search"):
        await talk.ask(parts, ParsedCommand(command, asked), lambda _: None)
    assert [text for _, text, _ in engine.asked] == [asked, "\u05e9\u05dc\u05d5\u05dd?"]
    assert parts.history is not None
    assert talk.number is not None
    stored = parts.history.conversation(talk.number)
    assert stored is not None
    assert [exchange.text for exchange in stored.exchanges] == [asked, asked]


async def test_passages_of_the_library_are_for_their_question_alone(folders: Folders):
    engine = Engine([answered("a"), answered("b")])
    parts, talk = Parts(engine, folders, None), ConversationSession(print)
    scope = SearchScope(documents=("d",))
    asked = ParsedCommand("search", "Who?", "Ada Lund of Skarne.", scope=scope)
    await talk.ask(parts, asked, lambda _: None)
    assert engine.asked[0][:2] == ("run d", "Who?")
    assert [turn.question for turn in talk.turns.turns] == ["Who?"]


async def test_words_are_allowed_for_their_question_alone(folders: Folders):
    engine = Engine([answered("a"), answered("b")])
    parts, talk = Parts(engine, folders, None), ConversationSession(print)
    await talk.ask(parts, ParsedCommand("search", "Who?", allowed=("diabetes",)), lambda _: None)
    await talk.ask(parts, ParsedCommand("search", "Where?"), lambda _: None)
    assert engine.allowed == [("diabetes",)]
    assert not any("diabetes" in text for turn in talk.turns.turns for text in turn.published)


@pytest.mark.parametrize(
    ("command", "wanted"),
    [("search", True), ("search /think", True), ("tldr", True), ("new", False)],
)
def test_what_the_engine_is_asked_is_known(command: str, wanted: bool):
    assert is_asked(command) is wanted
