"""Runs are kept while they are shown, and a history in trouble never stands in their way."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path

import pytest

from askance.adapters.storage.history import SqliteHistory
from askance.app.conversation import Recorder
from askance.domain.errors import StorageError
from askance.domain.events import (
    Cancelled,
    ClarifyAsked,
    DraftRetracted,
    Failed,
    RunEvent,
    TokenArrived,
)
from askance.domain.history import ConversationRecord, ExchangeKey, TimedEvent, resumed
from askance.domain.messages import Message
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
    keeper.begin_anew()
    await play(keeper, "four", *RUN)
    assert [record.summary.title for record in records(history)] == ["four", "one"]


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
