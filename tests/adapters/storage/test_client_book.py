"""The programs that ask: what each may do, its token, and what it did."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from askance.adapters.storage import clients
from askance.adapters.storage.clients import MOST_CALLS, SqliteClientBook, digest_of
from askance.adapters.storage.database import utc_now
from askance.domain.ports.storage import AT_FIRST, Capability, Client, ClientCall

ALL = frozenset(Capability)


class Clock:
    def __init__(self) -> None:
        self.now = utc_now()

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


@pytest.fixture
def book(tmp_path: Path) -> Iterator[SqliteClientBook]:
    book = SqliteClientBook(tmp_path / "clients.sqlite3", pytest.fail, clock=Clock())
    yield book
    book.close()


def call(client: str, tool: str = "search_web", n: int = 0) -> ClientCall:
    return ClientCall(client, tool, f"2026-11-24T00:00:{n % 60:02d}.000+00:00", "done", n)


def test_a_new_client_may_search_the_web_and_is_taken_note_of(book: SqliteClientBook) -> None:
    assert book.records() == []
    assert book.known("editor") == Client("editor", AT_FIRST)
    (record,) = book.records()
    assert (record.client, record.has_token, record.calls) == (Client("editor"), False, 0)
    assert record.first_seen == record.last_seen


def test_what_a_client_may_do_is_what_was_said_last(book: SqliteClientBook) -> None:
    book.allow("editor", [Capability.LIBRARY_READ, Capability.WEB])
    assert book.known("editor").may(Capability.LIBRARY_READ, Capability.WEB)
    book.allow("editor", [])
    assert book.known("editor").allowed == frozenset()


def test_a_token_names_its_client_and_only_a_digest_of_it_is_kept(
    book: SqliteClientBook, tmp_path: Path
) -> None:
    tokens = {name: book.make_token(name) for name in ("a", "b", "c")}
    book.allow("b", ALL)
    for name, token in tokens.items():
        found = book.by_token(token)
        assert found is not None
        assert found.name == name
        assert found.allowed == (ALL if name == "b" else AT_FIRST)
    book.close()
    shortened = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert digest_of(tokens["a"]).encode() in shortened
    assert not any(token.encode() in shortened for token in tokens.values())


@pytest.mark.parametrize("token", ["", "x", "\ud800", "a" * 100_000, "' OR 1 --"])
def test_what_is_no_token_names_nobody(book: SqliteClientBook, token: str) -> None:
    book.make_token("a")
    assert book.by_token(token) is None


def test_every_token_is_compared_wherever_the_right_one_stands(
    book: SqliteClientBook, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokens = [book.make_token(name) for name in "abcd"]
    compared: list[str] = []

    def compare(shortened: str, given: str) -> bool:
        compared.append(shortened)
        return shortened == given

    monkeypatch.setattr(clients.hmac, "compare_digest", compare)
    for token in [*tokens, "none of them"]:
        compared.clear()
        book.by_token(token)
        assert len(compared) == len(tokens)


def test_a_new_token_ends_the_earlier_one(book: SqliteClientBook) -> None:
    first, second = book.make_token("a"), book.make_token("a")
    assert book.by_token(first) is None
    assert book.by_token(second) == Client("a")


def test_calls_are_kept_newest_first_and_the_oldest_go(book: SqliteClientBook) -> None:
    for n in range(MOST_CALLS + 60):
        book.note(call("a", n=n))
    book.note(call("b", "read_page"))
    stored = book.calls("a", 10**9)
    assert [c.ms for c in stored[:3]] == [MOST_CALLS + 59, MOST_CALLS + 58, MOST_CALLS + 57]
    assert len(stored) == MOST_CALLS
    assert [c.tool for c in book.calls("b", 5)] == ["read_page"]
    seen = {record.client.name: record.calls for record in book.records()}
    assert seen == {"a": MOST_CALLS + 60, "b": 1}


def test_long_words_and_halves_of_signs_are_kept_as_far_as_they_can_be(
    book: SqliteClientBook,
) -> None:
    book.note(call("a", "\ud800" * 1000))
    assert book.calls("a", 1)[0].tool == "?" * clients.LONGEST_WORD


def test_what_was_seen_last_stands_first(book: SqliteClientBook) -> None:
    for name in "abc":
        book.known(name)
    book.note(call("a"))
    assert [record.client.name for record in book.records()] == ["a", "c", "b"]


def test_a_client_that_is_forgotten_leaves_nothing(book: SqliteClientBook, tmp_path: Path) -> None:
    token = book.make_token("zebrafish")
    book.note(call("zebrafish"))
    book.forget("zebrafish")
    assert book.by_token(token) is None
    assert (book.records(), book.calls("zebrafish", 5)) == ([], [])
    book.close()
    assert not any(b"zebrafish" in file.read_bytes() for file in tmp_path.iterdir())


def test_names_that_programs_invent_do_not_fill_the_book(
    book: SqliteClientBook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clients, "MOST_CLIENTS", 5)
    book.allow("mine", ALL)
    token = book.make_token("with a token")
    for n in range(20):
        book.known(f"invented {n}")
    names = {record.client.name for record in book.records()}
    assert len(names) == 5
    assert {"mine", "with a token", "invented 19"} <= names
    assert book.by_token(token) is not None


def test_another_process_sees_what_was_allowed_at_once(
    book: SqliteClientBook, tmp_path: Path
) -> None:
    other = SqliteClientBook(tmp_path / "clients.sqlite3", pytest.fail)
    book.known("a")
    other.allow("a", ALL)
    assert book.known("a").allowed == ALL
    other.close()


def test_what_a_newer_askance_allows_is_not_allowed_here(book: SqliteClientBook) -> None:
    book.known("a")
    book._database.write(lambda c: c.execute("UPDATE client SET allowed = 'web fly'"))
    assert book.known("a").allowed == AT_FIRST
