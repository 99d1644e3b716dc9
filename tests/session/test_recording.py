"""A conversation: asked once, recorded while it is shown, and a history in trouble never stands in its way."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from askance.adapters.storage.history import SqliteHistory
from askance.app.conversation import ConversationSession, Recorder, is_asked
from askance.config.folders import Folders, find_folders
from askance.config.settings import Settings
from askance.domain.conversation import Conversation, Outcome, ParsedCommand, RunRequest, Usage
from askance.domain.errors import StorageError
from askance.domain.events import (
    Answered,
    Cancelled,
    ClarifyAsked,
    DraftRetracted,
    Emit,
    Failed,
    RunEnd,
    RunEvent,
    TokenArrived,
)
from askance.domain.history import ConversationRecord, ExchangeKey, TimedEvent, resumed
from askance.domain.messages import Message
from askance.domain.web_pages import SearchScope
from askance.presentation.transcripts import as_html, as_json, as_markdown
from cli.runs import ANSWERED, RUN
from waiting import PATIENCE_S


@pytest.fixture
def history(tmp_path: Path) -> SqliteHistory:
    return SqliteHistory(tmp_path / "history.sqlite3", pytest.fail)


def recorder(
    history: SqliteHistory | None, on_error: Callable[[str], None] = pytest.fail
) -> Recorder:
    ticks = count()
    return Recorder(history, on_error, clock=lambda: float(next(ticks)))


async def play(keeper: Recorder, text: str, *events: RunEvent, quote: str = "") -> list[RunEvent]:
    shown: list[RunEvent] = []
    async with keeper.recorded(
        "search", text, lambda timed: shown.append(timed.event), quote=quote
    ) as emit:
        for event in events:
            emit(event)
    return shown


async def break_down(keeper: Recorder) -> None:
    async with keeper.recorded("search", "broken", lambda _: None) as emit:
        emit(RUN[0])
        raise ZeroDivisionError


async def written(keeper: Recorder) -> None:
    """Wait until all is kept that can be."""
    await asyncio.to_thread(keeper._writer.shutdown)


def records(history: SqliteHistory) -> list[ConversationRecord]:
    found = [history.conversation(summary.id) for summary in history.conversations(99)]
    return [record for record in found if record is not None]


async def test_runs_of_one_talk_make_one_conversation(history: SqliteHistory) -> None:
    keeper = recorder(history)
    assert keeper.conversation is None
    assert await play(keeper, "one", *RUN, quote="a quote") == list(RUN)
    await play(keeper, "two", ClarifyAsked("Which?"))
    await play(keeper, "three", Failed(Message("It was down.")))
    (record,) = records(history)
    assert keeper.conversation == record.summary.id
    assert [exchange.text for exchange in record.exchanges] == ["one", "two", "three"]
    first = record.exchanges[0]
    assert (first.command, first.quote, first.end) == ("search", "a quote", ANSWERED)
    assert [timed.event for timed in first.events] == [
        event for event in RUN if not isinstance(event, TokenArrived)
    ]
    assert [timed.at_s for timed in first.events][:3] == [1.0, 2.0, 3.0]


async def test_an_older_conversation_is_gone_on_with(history: SqliteHistory) -> None:
    await play(recorder(history), "one", *RUN)
    (record,) = records(history)
    keeper = Recorder(history, pytest.fail, conversation=record.summary.id)
    await play(keeper, "two", *RUN)
    (record,) = records(history)
    assert record.summary.exchanges == 2


async def test_what_was_written_until_a_run_was_stopped_is_kept(history: SqliteHistory) -> None:
    keeper = recorder(history)
    await play(keeper, "at once", RUN[0], Cancelled())
    retracted = (TokenArrived("hm"), DraftRetracted())
    await play(
        keeper, "later", RUN[0], *retracted, TokenArrived("So "), TokenArrived("far"), Cancelled()
    )
    (record,) = records(history)
    assert [e.end for e in record.exchanges] == [Cancelled(), Cancelled("So far")]
    assert all(e.ended for e in record.exchanges)
    assert [turn.answer for turn in resumed(record).turns] == ["So far"]
    assert not resumed(record).turns[0].is_public
    assert history.search("far")[0].exchange == record.exchanges[1].id
    for written in (as_markdown(record), as_html(record), as_json(record)):
        assert "So far" in written
    assert "Stopped." in as_markdown(record)
    assert "Stopped." in as_html(record)


async def test_what_was_written_is_there_after_the_program_was_killed(
    history: SqliteHistory,
) -> None:
    keeper = recorder(history)
    async with keeper.recorded("chat", "one", lambda _: None) as emit:
        for _ in range(8):
            emit(TokenArrived("word "))
        await asyncio.to_thread(keeper._writer.submit(lambda: None).result)
        (record,) = records(history)
        stored = record.exchanges[0]
        assert isinstance(stored.end, Cancelled)
        assert stored.end.text.startswith("word word")
        assert not stored.ended
        emit(ANSWERED)
    (record,) = records(history)
    assert record.exchanges[0].end == ANSWERED


async def test_a_run_that_broke_is_forgotten(history: SqliteHistory) -> None:
    keeper = recorder(history)
    await play(keeper, "one", *RUN)
    before = records(history)
    await play(keeper, "silent")
    with pytest.raises(ZeroDivisionError):
        await break_down(keeper)
    assert records(history) == before


async def hang(keeper: Recorder, begun: asyncio.Event) -> None:
    async with keeper.recorded("search", "one", lambda _: None) as emit:
        emit(RUN[0])
        begun.set()
        await asyncio.Event().wait()


async def test_a_run_that_is_cancelled_is_kept_as_stopped_and_stays_cancelled(
    history: SqliteHistory,
) -> None:
    keeper, begun = recorder(history), asyncio.Event()
    async with asyncio.TaskGroup() as group:
        task = group.create_task(hang(keeper, begun))
        await begun.wait()
        await asyncio.to_thread(keeper._writer.submit(lambda: None).result)
        assert len(records(history)) == 1
        task.cancel()
    assert task.cancelled()
    (record,) = records(history)
    assert record.exchanges[0].end == Cancelled()


class Slow(SqliteHistory):
    """A history that keeps a question only when the test lets it."""

    def __init__(self, file: Path) -> None:
        super().__init__(file, pytest.fail)
        self.entered, self.may_go_on = threading.Event(), threading.Event()

    def begin_exchange(
        self, conversation: int | None, command: str, text: str, quote: str = ""
    ) -> ExchangeKey:
        self.entered.set()
        assert self.may_go_on.wait(PATIENCE_S)
        return super().begin_exchange(conversation, command, text, quote)


async def test_a_run_that_is_cancelled_while_its_question_is_being_kept_is_kept_once(
    tmp_path: Path,
) -> None:
    history = Slow(tmp_path / "history.sqlite3")
    keeper = recorder(history)
    async with asyncio.TaskGroup() as group:
        task = group.create_task(hang(keeper, asyncio.Event()))
        assert await asyncio.to_thread(history.entered.wait, 30)
        task.cancel()
        history.may_go_on.set()
    assert task.cancelled()
    await written(keeper)
    (record,) = records(history)
    assert [exchange.end for exchange in record.exchanges] == [Cancelled()]
    assert history._database.read(
        lambda c: c.execute("SELECT seq FROM sqlite_sequence WHERE name = 'exchange'").fetchall()
    ) == [(1,)]


class Broken(SqliteHistory):
    """A history that cannot begin, or cannot finish, what it is given."""

    def __init__(self, file: Path, *, begins: bool) -> None:
        super().__init__(file, pytest.fail)
        self.begins = begins

    def begin_exchange(
        self, conversation: int | None, command: str, text: str, quote: str = ""
    ) -> ExchangeKey:
        if not self.begins:
            raise StorageError("The disk is full.", fix="Make room.")
        return super().begin_exchange(conversation, command, text, quote)

    def finish_exchange(self, key: ExchangeKey, events: Sequence[TimedEvent]) -> bool:
        raise StorageError("The disk is full.", fix="Make room.")


@pytest.mark.parametrize("begins", [True, False])
async def test_a_history_in_trouble_is_told_once_and_the_runs_go_on(
    tmp_path: Path, begins: bool
) -> None:
    troubles: list[str] = []
    keeper = recorder(Broken(tmp_path / "h.sqlite3", begins=begins), troubles.append)
    for _ in range(2):
        assert await play(keeper, "one", *RUN) == list(RUN)
    assert len(troubles) == 1
    assert troubles[0].endswith(": The disk is full. Make room.")


async def test_without_a_history_nothing_is_kept() -> None:
    keeper = recorder(None)
    assert await play(keeper, "one", *RUN) == list(RUN)
    assert keeper.conversation is None


async def test_the_end_of_a_run_is_shown_when_it_is_kept_at_the_second_that_is_kept(
    history: SqliteHistory,
) -> None:
    seen: list[tuple[TimedEvent, bool]] = []

    def show(timed: TimedEvent) -> None:
        ends = [exchange.end for record in records(history) for exchange in record.exchanges]
        seen.append((timed, ANSWERED in ends))

    async with recorder(history).recorded("search", "one", show) as emit:
        for event in RUN:
            emit(event)
    (record,) = records(history)
    stored = record.exchanges[0].events
    assert [timed for timed, _ in seen if not isinstance(timed.event, TokenArrived)] == list(stored)
    assert [is_stored for _, is_stored in seen] == [False] * (len(RUN) - 1) + [True]


class Held(SqliteHistory):
    """A history that finishes a run only when the test lets it."""

    def __init__(self, file: Path) -> None:
        super().__init__(file, pytest.fail)
        self.entered, self.may_go_on = threading.Event(), threading.Event()

    def finish_exchange(self, key: ExchangeKey, events: Sequence[TimedEvent]) -> bool:
        self.entered.set()
        assert self.may_go_on.wait(PATIENCE_S)
        return super().finish_exchange(key, events)


async def test_a_run_that_is_cancelled_while_it_is_being_kept_is_kept_and_shown_as_ended(
    tmp_path: Path,
) -> None:
    history = Held(tmp_path / "history.sqlite3")
    keeper = recorder(history)
    shown: list[RunEvent] = []

    async def run() -> None:
        async with keeper.recorded(
            "search", "one", lambda timed: shown.append(timed.event)
        ) as emit:
            emit(ANSWERED)

    async with asyncio.TaskGroup() as group:
        task = group.create_task(run())
        assert await asyncio.to_thread(history.entered.wait, 30)
        task.cancel()
        assert shown == []
        history.may_go_on.set()
    assert task.cancelled()
    assert shown == [ANSWERED]
    await written(keeper)
    assert records(history)[0].exchanges[0].end == ANSWERED


async def test_a_history_that_another_process_holds_delays_nothing(tmp_path: Path) -> None:
    history = Slow(tmp_path / "history.sqlite3")
    keeper = recorder(history)
    assert await play(keeper, "one", *RUN) == list(RUN)
    assert await play(keeper, "two", *RUN) == list(RUN)
    assert keeper.conversation is None
    history.may_go_on.set()
    await written(keeper)
    (record,) = records(history)
    assert [exchange.text for exchange in record.exchanges] == ["one", "two"]
    assert all(exchange.end == ANSWERED for exchange in record.exchanges)


async def test_a_fault_of_one_observer_stops_neither_the_run_nor_the_others(
    history: SqliteHistory,
) -> None:
    shown: list[RunEvent] = []
    seen: list[RunEvent] = []

    def breaks(timed: TimedEvent) -> None:
        seen.append(timed.event)
        raise ZeroDivisionError

    def show(timed: TimedEvent) -> None:
        shown.append(timed.event)

    async def run() -> None:
        async with recorder(history).recorded("search", "one", show, breaks) as emit:
            for event in RUN:
                emit(event)

    with pytest.raises(ZeroDivisionError):
        await run()
    assert seen == [RUN[0]], "it is called no more"
    assert shown == list(RUN)
    (record,) = records(history)
    assert record.exchanges[0].end == ANSWERED


def answered(text: str) -> Answered:
    return Answered(text, (), (), Outcome.MEMORY, 0, Usage(), (), 5)


@dataclass
class Engine:
    """Ends each run as scripted, and notes what it was asked and what it knew."""

    ends: list[RunEnd]
    asked: list[tuple[str, str, int]] = field(default_factory=list)
    allowed: list[tuple[str, ...]] = field(default_factory=list)

    async def run(self, request: RunRequest, *, emit: Emit, **_: object) -> RunEnd:
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
    suggesting: set[Any] = field(default_factory=set[Any])

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
