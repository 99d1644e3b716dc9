"""What a search has kept goes after a while; what somebody has added or tagged stays."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from askance.adapters.library.sqlite_library import SqliteLibrary
from askance.domain.library import EVERY, AddOutcome, Document

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
AGED, NEW = NOW - timedelta(days=373), NOW - timedelta(days=364)
DUE = NOW - timedelta(days=366)


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[SqliteLibrary]:
    opened = SqliteLibrary(tmp_path / "library.sqlite3", 90, pytest.fail, lambda: NOW)
    yield opened
    opened.close()


def page(
    name: str, read: datetime = AGED, *, in_passing: bool = True, **fields: object
) -> Document:
    text = f"The ferry to {name} leaves at nine in the morning."
    stamp = read.isoformat(timespec="seconds")
    return Document(
        f"https://{name}.example/", name, text, "web",  # type: ignore[arg-type]
        fetched_at=stamp, in_passing=in_passing, **fields,  # type: ignore[arg-type]
    )  # fmt: skip


def names(stored: SqliteLibrary) -> set[str]:
    return {record.title for record in stored.documents(EVERY)}


def test_what_was_read_too_long_ago_goes_and_nothing_else(kept: SqliteLibrary) -> None:
    kept.add([
        page("old"), page("new", NEW), page("own", in_passing=False), page("tagged", tags=("keep",)),
    ])  # fmt: skip
    kept.prune()
    kept.prune(0)
    assert names(kept) == {"old", "new", "own", "tagged"}
    kept.prune(365)
    assert names(kept) == {"new", "own", "tagged"}
    assert kept.search("ferry old", 10, EVERY)[0].title != "old"
    assert kept.check() == ()


def test_what_is_added_later_stays_whatever_a_search_reads_of_it(kept: SqliteLibrary) -> None:
    kept.add([page("first"), page("second")])
    (added,) = kept.add([page("first", in_passing=False)])
    assert added.outcome is AddOutcome.UNCHANGED
    kept.add([page("first"), page("second")])
    kept.prune(365)
    assert names(kept) == {"first"}


def test_what_is_due_goes_many_at_once_since_each_time_costs_as_much(kept: SqliteLibrary) -> None:
    kept.add([page(f"p{n}", DUE) for n in range(99)])
    kept.prune(365)
    assert len(names(kept)) == 99
    kept.add([page("last", DUE)])
    kept.prune(365)
    assert names(kept) == set()


def test_what_was_tagged_once_is_somebodys_own(kept: SqliteLibrary) -> None:
    (added,) = kept.add([page("tagged")])
    kept.tag(added.id, ["mine"], [])
    kept.tag(added.id, [], ["mine"])
    kept.prune(365)
    assert names(kept) == {"tagged"}


def test_what_is_read_again_is_counted_from_then(kept: SqliteLibrary) -> None:
    kept.add([page("read")])
    kept.add([page("read", NEW)])
    kept.prune(365)
    assert names(kept) == {"read"}
