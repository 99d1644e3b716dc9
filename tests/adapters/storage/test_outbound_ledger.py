from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from askance.adapters.storage import ledger as ledger_module
from askance.adapters.storage.ledger import LONGEST_OCCASION, SqliteLedger
from askance.domain.errors import StorageError
from askance.domain.events import LedgerEntry, RequestSent, Sending
from askance.domain.messages import NOTHING, Message

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
QUERY = RequestSent(
    Sending.QUERY, "owl, wren", Message("SearXNG at http://127.0.0.1:25017"), "lamp 1887"
)
PAGE = RequestSent(Sending.PAGE, "a.example", Message("this program"), "https://a.example/lamp")


@dataclass
class Notes:
    """A ledger whose clock the test sets."""

    file: Path
    keep_days: int = 90
    now: datetime = NOON
    troubles: list[str] = field(default_factory=list[str])

    def __post_init__(self) -> None:
        self.ledger = self.open()

    def open(self) -> SqliteLedger:
        return SqliteLedger(self.file, self.keep_days, self.troubles.append, clock=lambda: self.now)

    def reopen(self) -> None:
        self.ledger.close()
        self.ledger = self.open()

    def occasions(self) -> list[str]:
        return [e.occasion for e in self.ledger.entries(datetime(1970, 1, 1, tzinfo=UTC))]


@pytest.fixture
def notes(tmp_path: Path) -> Iterator[Notes]:
    notes = Notes(tmp_path / "data" / "ledger.sqlite3")
    yield notes
    notes.ledger.close()


def test_what_was_sent_is_there_newest_first(notes: Notes) -> None:
    notes.ledger.add(QUERY, "When was it lit?")
    notes.now += timedelta(seconds=2, milliseconds=5)
    notes.ledger.add(PAGE, "askance read")
    later = LedgerEntry(notes.now, "askance read", "page", PAGE.to, PAGE.through, PAGE.content)
    sooner = LedgerEntry(NOON, "When was it lit?", "query", QUERY.to, QUERY.through, QUERY.content)
    assert notes.ledger.entries(NOON) == [later, sooner]
    notes.reopen()
    assert notes.ledger.entries(NOON) == [later, sooner]
    assert notes.ledger.entries(NOON + timedelta(seconds=1)) == [later]
    assert notes.file.stat().st_mode & 0o777 == 0o600


def test_the_zone_of_the_clock_does_not_matter(notes: Notes) -> None:
    notes.now = NOON.astimezone(timezone(timedelta(hours=9)))
    notes.ledger.add(QUERY, "q")
    west = timezone(timedelta(hours=-5))
    (entry,) = notes.ledger.entries(NOON.astimezone(west))
    assert (entry.at, entry.at.tzinfo) == (NOON, UTC)
    assert notes.ledger.entries((NOON + timedelta(seconds=1)).astimezone(west)) == []


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(texts=st.tuples(*(st.text(max_size=80) for _ in range(4))))
def test_any_text_is_kept_as_it_was(notes: Notes, texts: tuple[str, str, str, str]) -> None:
    occasion, to, through, content = texts
    notes.ledger.add(RequestSent(Sending.MODEL, to, Message.verbatim(through), content), occasion)
    entry = notes.ledger.entries(NOON)[0]
    assert (entry.occasion, entry.to, entry.through, entry.content) == texts


def test_half_a_character_does_not_cost_the_entry(notes: Notes) -> None:
    notes.ledger.add(QUERY, "caf\udce9")
    assert notes.occasions() == ["caf?"]


def test_a_very_long_question_is_kept_by_its_beginning(notes: Notes) -> None:
    notes.ledger.add(QUERY, "why " * 100_000)
    (occasion,) = notes.occasions()
    assert occasion == ("why " * 100_000)[:LONGEST_OCCASION]


def test_old_entries_go_with_the_first_new_one(tmp_path: Path) -> None:
    notes = Notes(tmp_path / "ledger.sqlite3", keep_days=2)
    notes.ledger.add(QUERY, "old")
    notes.now += timedelta(days=1)
    notes.ledger.add(QUERY, "new")
    notes.now += timedelta(days=1, seconds=1)
    notes.ledger.add(QUERY, "newer")
    assert notes.occasions() == ["newer", "new", "old"]
    notes.reopen()
    assert notes.occasions() == ["newer", "new", "old"]
    notes.ledger.add(QUERY, "newest")
    assert notes.occasions() == ["newest", "newer", "new"]
    notes.ledger.close()


def test_a_clock_that_was_set_back_mixes_up_nothing(notes: Notes) -> None:
    notes.ledger.add(QUERY, "first")
    notes.now -= timedelta(days=800)
    notes.reopen()
    notes.ledger.add(QUERY, "second")
    assert notes.occasions() == ["second", "first"]


def test_clearing_forgets_everything_for_good(notes: Notes) -> None:
    for _ in range(300):
        notes.ledger.add(QUERY, "a private question")
    assert notes.ledger.clear() == 300
    assert notes.occasions() == []
    assert all(b"private" not in f.read_bytes() for f in notes.file.parent.iterdir())
    notes.ledger.add(QUERY, "next")
    assert notes.occasions() == ["next"]


def test_looking_makes_no_file(notes: Notes) -> None:
    assert notes.occasions() == []
    assert notes.ledger.clear() == 0
    assert not notes.file.exists()


def blocked_by_a_lock(notes: Notes) -> Callable[[], None]:
    notes.ledger.add(QUERY, "before")
    other = sqlite3.connect(notes.file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    return other.close


def blocked_by_a_file(notes: Notes) -> Callable[[], None]:
    notes.file.parent.write_text("not a folder", encoding="ascii")

    def unblock() -> None:
        notes.file.parent.unlink()
        notes.ledger.add(QUERY, "before")

    return unblock


@pytest.mark.parametrize("block", [blocked_by_a_lock, blocked_by_a_file])
def test_an_entry_that_cannot_be_written_is_refused_and_not_written_later(
    notes: Notes, block: Callable[[Notes], Callable[[], None]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger_module, "BUSY_TIMEOUT_S", 0.02)
    monkeypatch.setattr(ledger_module, "REST_S", 0.0)
    notes.ledger = notes.open()
    unblock = block(notes)
    for occasion in ("one", "two"):
        with pytest.raises(StorageError, match="The ledger, "):
            notes.ledger.add(QUERY, occasion)
        notes.now += timedelta(seconds=1)
    unblock()
    notes.ledger.add(QUERY, "three")
    found = notes.ledger.entries(NOON)
    # Their requests were not sent.
    assert sorted(e.occasion for e in found) == ["before", "three"]


def test_a_ledger_that_is_not_required_refuses_nothing(notes: Notes) -> None:
    notes.file.parent.write_text("not a folder", encoding="ascii")
    ledger = SqliteLedger(notes.file, 90, notes.troubles.append, required=False)
    ledger.add(QUERY, "one")
    with pytest.raises(StorageError):
        ledger.check()
    ledger.close()


def test_a_check_of_the_ledger_leaves_no_entry(notes: Notes) -> None:
    notes.ledger.add(QUERY, "one")
    notes.ledger.check()
    assert notes.occasions() == ["one"]
    notes.ledger._database.read(lambda c: c.execute("PRAGMA max_page_count = 1"))
    big = RequestSent(Sending.PAGE, "a.example", NOTHING, "x" * 100_000)
    with pytest.raises(StorageError, match="disk is full"):
        notes.ledger.add(big, "two")


def test_a_ledger_in_trouble_is_left_alone_for_a_while(notes: Notes) -> None:
    notes.file.parent.write_text("not a folder", encoding="ascii")
    with pytest.raises(StorageError) as first:
        notes.ledger.add(QUERY, "one")
    notes.file.parent.unlink()
    with pytest.raises(StorageError) as second:
        notes.ledger.add(QUERY, "two")
    assert str(first.value) == str(second.value)
    assert not notes.file.exists()
    notes.reopen()
    assert notes.occasions() == []
