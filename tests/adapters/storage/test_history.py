"""The history over a real file: what is asked is kept, shown again as it was, and forgotten."""

from __future__ import annotations

import json
import threading
import zlib
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from askance.adapters.storage import history as history_events
from askance.adapters.storage.history import SqliteHistory
from askance.domain.events import (
    Answered,
    Cancelled,
    ClarifyAsked,
    Failed,
    Planned,
    RunEvent,
    TokenArrived,
)
from askance.domain.history import ConversationSummary, ExchangeKey, TimedEvent, to_record
from askance.domain.messages import Message
from cli.runs import ANSWERED, RUN

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
FAILED = Failed(Message("It was down."), Message("Start it."), "SearXNG")


class Hands:
    """A clock that is set by hand; each question is asked a second later."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


@pytest.fixture
def clock() -> Hands:
    return Hands()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "data" / "history.sqlite3"


@pytest.fixture
def history(file: Path, clock: Hands) -> Iterator[SqliteHistory]:
    with closing(SqliteHistory(file, pytest.fail, clock)) as opened:
        yield opened


def timed(*events: RunEvent) -> tuple[TimedEvent, ...]:
    return tuple(TimedEvent(i * 0.5, event) for i, event in enumerate(events))


def ask(
    history: SqliteHistory,
    text: str,
    *events: RunEvent,
    conversation: int | None = None,
    quote: str = "",
) -> ExchangeKey:
    key = history.begin_exchange(conversation, "search", text, quote)
    assert history.finish_exchange(key, timed(*(events or RUN)))
    return key


def titles(found: tuple[ConversationSummary, ...]) -> list[str]:
    return [summary.title for summary in found]


def test_a_history_that_was_never_used_is_empty_and_makes_no_file(
    history: SqliteHistory, file: Path
) -> None:
    assert history.conversations(9) == ()
    assert history.conversation(1) is None
    assert history.search("lamp") == ()
    assert not history.rename(1, "x")
    assert not history.delete(1)
    assert (history.delete_all(), history.prune(1)) == (0, 0)
    assert not file.parent.exists()


def test_an_exchange_comes_back_as_it_was_without_its_arriving_tokens(
    history: SqliteHistory, file: Path
) -> None:
    key = history.begin_exchange(None, "tldr", "in\ntwo lines \ud800", "a \0 quote")
    history.finish_exchange(key, timed(*RUN))
    history.close()
    record = SqliteHistory(file, pytest.fail).conversation(key.conversation)
    assert record is not None
    (exchange,) = record.exchanges
    assert (exchange.id, exchange.command) == (key.exchange, "tldr")
    assert (exchange.text, exchange.quote) == ("in\ntwo lines ?", "a \0 quote")
    assert exchange.asked_at == "2026-03-01T12:00:01.000+00:00"
    retained = [e for e in timed(*RUN) if not isinstance(e.event, TokenArrived)]
    assert exchange.events == tuple(retained)
    assert (exchange.end, exchange.ended, exchange.damage) == (ANSWERED, True, "")
    assert record.summary == ConversationSummary(
        key.conversation, "in two lines ?", exchange.asked_at, exchange.asked_at, 1
    )


def test_half_a_surrogate_pair_in_an_answer_comes_back_as_it_was(history: SqliteHistory) -> None:
    answer = replace(ANSWERED, answer="half \udc00 a pair")
    key = ask(history, "q", answer)
    record = history.conversation(key.conversation)
    assert record is not None
    assert record.exchanges[0].end == answer
    assert len(history.search("half")) == 1


def test_a_question_is_kept_before_its_run_has_ended(history: SqliteHistory, file: Path) -> None:
    key = history.begin_exchange(None, "search", "When?")
    record = SqliteHistory(file, pytest.fail).conversation(key.conversation)
    assert record is not None
    (exchange,) = record.exchanges
    assert (exchange.text, exchange.ended, exchange.end, exchange.events) == (
        "When?",
        False,
        None,
        (),
    )
    assert exchange.damage == ""


def test_conversations_go_on_and_the_last_used_comes_first(history: SqliteHistory) -> None:
    first, second = ask(history, "one"), ask(history, "two")
    third = ask(history, "one more", conversation=first.conversation)
    assert third.conversation == first.conversation
    found = history.conversations(9)
    assert titles(found) == ["one", "two"]
    assert [summary.exchanges for summary in found] == [2, 1]
    assert found[0].created_at < found[1].updated_at < found[0].updated_at
    record = history.conversation(first.conversation)
    assert record is not None
    assert [exchange.text for exchange in record.exchanges] == ["one", "one more"]
    assert second.exchange not in {exchange.id for exchange in record.exchanges}


def test_the_list_goes_on_where_it_ended(history: SqliteHistory, clock: Hands) -> None:
    for i in range(5):
        clock.now = START  # all at one moment: their numbers decide
        ask(history, str(i))
    first = history.conversations(2)
    second = history.conversations(2, before=first[-1])
    third = history.conversations(2, before=second[-1])
    assert [*titles(first), *titles(second), *titles(third)] == ["4", "3", "2", "1", "0"]
    assert history.conversations(2, before=third[-1]) == ()


def test_a_clock_that_went_back_does_not_bring_an_older_conversation_to_the_top(
    history: SqliteHistory, clock: Hands
) -> None:
    key = ask(history, "late")
    clock.now = START - timedelta(days=9)
    ask(history, "again", conversation=key.conversation)
    ask(history, "early")
    assert titles(history.conversations(9)) == ["late", "early"]


def test_an_exchange_that_is_dropped_leaves_nothing_of_itself(
    history: SqliteHistory, file: Path
) -> None:
    key = ask(history, "kept")
    before = history.conversations(9)
    stopped = history.begin_exchange(key.conversation, "search", "whalebone")
    history.note_events(stopped, timed(RUN[0], Cancelled("whalebone")))
    history.drop_exchange(stopped)
    alone = history.begin_exchange(None, "search", "whalebone alone", "whalebone quote")
    history.drop_exchange(alone)
    assert history.conversations(9) == before
    record = history.conversation(key.conversation)
    assert record is not None
    assert [exchange.text for exchange in record.exchanges] == ["kept"]
    # Still open: neither the file nor its log may hold it.
    assert b"whalebone" not in b"".join(f.read_bytes() for f in file.parent.iterdir())


def test_a_number_is_never_given_twice(history: SqliteHistory) -> None:
    first = ask(history, "one")
    assert history.delete(first.conversation)
    second = ask(history, "two")
    assert second.conversation > first.conversation
    assert second.exchange > first.exchange


def test_what_was_deleted_does_not_come_back_when_its_run_ends(history: SqliteHistory) -> None:
    key = history.begin_exchange(None, "search", "one")
    assert history.delete(key.conversation)
    assert not history.finish_exchange(key, timed(*RUN))
    history.drop_exchange(key)
    assert history.conversations(9) == ()
    assert history.search("lamp") == ()
    after = history.begin_exchange(key.conversation, "search", "two")
    assert after.conversation != key.conversation
    assert titles(history.conversations(9)) == ["two"]


def test_a_title_can_be_given_and_taken_back(history: SqliteHistory) -> None:
    key = ask(history, "When was the lamp lit?")
    assert history.rename(key.conversation, "  Lighthouse\n notes \ud800 ")
    assert titles(history.conversations(9)) == ["Lighthouse notes ?"]
    ask(history, "And why?", conversation=key.conversation)
    assert titles(history.conversations(9)) == ["Lighthouse notes ?"]
    assert history.rename(key.conversation, " \n")
    assert titles(history.conversations(9)) == ["When was the lamp lit?"]
    assert not history.rename(99, "x")


def test_of_a_deleted_conversation_no_word_stays_in_the_file(
    history: SqliteHistory, file: Path
) -> None:
    stored = ask(history, "about herring")
    gone = ask(history, "about whalebone 鯨骨", replace(ANSWERED, answer="Whalebone corsets."))
    ask(history, "more whalebone", conversation=gone.conversation, quote="whalebone, again")
    assert b"halebone" in b"".join(f.read_bytes() for f in file.parent.iterdir())
    assert history.delete(gone.conversation)
    assert not history.delete(gone.conversation)
    # Still open: neither the file nor its log may hold it.
    contents = b"".join(f.read_bytes() for f in file.parent.iterdir())
    assert b"halebone" not in contents
    assert "鯨骨".encode() not in contents
    assert [hit.conversation for hit in history.search("about")] == [stored.conversation]


def test_all_is_forgotten_at_once_with_copies_and_damaged_files(
    history: SqliteHistory, file: Path
) -> None:
    ask(history, "one whalebone")
    ask(history, "two")
    others = [file.with_name("history.sqlite3.txt"), file.with_name("other.damaged-1.sqlite3")]
    for name in ("history.damaged-1.sqlite3", "history.damaged-2026.sqlite3-wal"):
        file.with_name(name).write_bytes(b"whalebone")
    for other in others:
        other.touch()
    assert history.delete_all() == 2
    assert history.conversations(9) == ()
    assert b"whalebone" not in b"".join(f.read_bytes() for f in file.parent.iterdir())
    history.close()
    assert sorted(file.parent.iterdir()) == sorted([file, *others])


def test_what_was_not_used_for_long_is_forgotten_if_so_wished(
    history: SqliteHistory, clock: Hands
) -> None:
    old = ask(history, "old")
    used = ask(history, "old but used")
    clock.now = START + timedelta(days=10)
    ask(history, "more", conversation=used.conversation)
    assert history.prune(0) == 0
    assert history.prune(11) == 0
    assert history.prune(5) == 1
    assert titles(history.conversations(9)) == ["old but used"]
    assert history.conversation(old.conversation) is None
    assert history.search("old") != ()


def test_threads_may_ask_at_once(history: SqliteHistory) -> None:
    def work(name: str) -> None:
        key = None
        for i in range(4):
            key = ask(history, f"{name} {i}", conversation=key.conversation if key else None)

    threads = [threading.Thread(target=work, args=(name,)) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = history.conversations(9)
    assert sorted(titles(found)) == ["a 0", "b 0", "c 0"]
    assert [summary.exchanges for summary in found] == [4, 4, 4]


@pytest.mark.parametrize("end", [ANSWERED, FAILED, ClarifyAsked("Which lamp?")])
def test_every_end_that_was_shown_is_kept(history: SqliteHistory, end: RunEvent) -> None:
    key = ask(history, "q", RUN[0], end)
    record = history.conversation(key.conversation)
    assert record is not None
    assert record.exchanges[0].end == end


def test_an_unreadable_exchange_costs_only_itself(history: SqliteHistory) -> None:
    first = ask(history, "one")
    for text in ("two", "three", "four"):
        ask(history, text, conversation=first.conversation)
    broken = [b"nonsense", b"x\x9cK\xae\x05\x00\x01E\x00\xc6", None]

    def spoil(connection: object) -> None:
        for i, blob in enumerate(broken):
            connection.execute(  # type: ignore[attr-defined]
                "UPDATE exchange SET events = ? WHERE id = ?", (blob, first.exchange + 1 + i)
            )

    history._database.write(spoil)
    record = history.conversation(first.conversation)
    assert record is not None
    good, *bad = record.exchanges
    assert (good.end, good.damage) == (ANSWERED, "")
    assert [exchange.text for exchange in bad] == ["two", "three", "four"]
    for exchange in bad:
        assert (exchange.events, exchange.end, exchange.ended) == ((), None, True)
        assert exchange.damage.values == {}


def test_a_step_that_this_version_does_not_know_is_left_out_and_told(
    history: SqliteHistory, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = history.begin_exchange(None, "search", "q")

    def renamed(event: RunEvent, at_s: float) -> dict[str, Any]:
        record = to_record(event, at_s)
        return record | {"type": "not_invented_yet"} if isinstance(event, Planned) else record

    monkeypatch.setattr(history_events, "to_record", renamed)
    assert history.finish_exchange(key, timed(*RUN))
    record = history.conversation(key.conversation)
    assert record is not None
    (exchange,) = record.exchanges
    assert exchange.end == ANSWERED
    assert tuple(exchange.damage.values.values()) == (1, 22)
    assert not any(isinstance(e.event, Planned) for e in exchange.events)


def test_records_of_an_older_version_that_lack_fields_are_read(history: SqliteHistory) -> None:
    key = ask(history, "q")
    old = to_record(ANSWERED, 3.0)
    for source in old["sources"]:
        del source["published"], source["snippet_only"]
    blob = zlib.compress(json.dumps([old]).encode())
    history._database.write(lambda c: c.execute("UPDATE exchange SET events = ?", (blob,)))
    record = history.conversation(key.conversation)
    assert record is not None
    end = record.exchanges[0].end
    assert isinstance(end, Answered)
    assert end.answer == ANSWERED.answer
    assert [source.published for source in end.sources] == [None, None, None]
