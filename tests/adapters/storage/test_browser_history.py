"""What a browser remembers, read from a copy of its file."""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from askance.adapters.library import browser_history
from askance.adapters.library.browser_history import (
    TAG,
    histories_of,
    plain_address,
    visited_pages,
)
from askance.domain.errors import InputError

# 14 May 2024, 08:00 UTC, in microseconds as the two count them.
FIREFOX, CHROMIUM = 1_715_673_600_000_000, 13_360_147_200_000_000
ROWS = [
    ("https://ferry.example/times?day=2", "Times of the ferry", 1),
    ("https://ferry.example/times?day=2&session=abc", "The ferry, later", 2),
    ("https://a.example/untitled", "", 3),
    ("file:///etc/passwd", "A file", 4),
    ("https://mill.example/", "The mill", 5),
]


@contextmanager
def firefox(file: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(
            "CREATE TABLE moz_places (id INTEGER PRIMARY KEY, url TEXT, title TEXT, hidden INTEGER, "
            "visit_count INTEGER, description TEXT, last_visit_date INTEGER)"
        )
        connection.executemany(
            "INSERT INTO moz_places (url, title, hidden, visit_count, description, last_visit_date) "
            "VALUES (?, ?, 0, 1, NULL, ?)",
            [(url, title, FIREFOX + n) for url, title, n in ROWS],
        )
        connection.execute(
            "UPDATE moz_places SET description = 'It burned.' WHERE title = 'The mill'"
        )
        connection.execute(
            "INSERT INTO moz_places VALUES (90, 'https://h.example/', 'Hidden', 1, 1, '', 5)"
        )
        connection.commit()
        yield connection


def chromium(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(
            "CREATE TABLE urls (id INTEGER PRIMARY KEY, url TEXT, title TEXT, visit_count INTEGER, "
            "hidden INTEGER, last_visit_time INTEGER)"
        )
        connection.executemany(
            "INSERT INTO urls (url, title, visit_count, hidden, last_visit_time) VALUES (?, ?, 1, 0, ?)",
            [(url, title, CHROMIUM + n) for url, title, n in ROWS],
        )
        connection.commit()


def test_firefox_is_read_while_it_runs_and_is_left_as_it_is(tmp_path: Path) -> None:
    file, scratch = tmp_path / "places.sqlite", tmp_path / "scratch"
    with firefox(file):
        # What was visited last stands in a file beside it, and nowhere else.
        before = {path.name: path.read_bytes() for path in tmp_path.glob("places*")}
        assert "places.sqlite-wal" in before
        pages = visited_pages(file, scratch)
        assert {p.name: p.read_bytes() for p in tmp_path.glob("places*")} == before
    assert [(p.url, p.title, p.text) for p in pages] == [
        ("https://mill.example/", "The mill", "It burned."),
        ("https://ferry.example/times?day=2", "The ferry, later", "The ferry, later"),
    ]
    assert {p.tags for p in pages} == {(TAG,)}
    assert pages[0].fetched_at == "2024-05-14T08:00:00.000+00:00"
    assert list(scratch.iterdir()) == []


def test_chromium_is_read(tmp_path: Path) -> None:
    chromium(tmp_path / "History")
    pages = visited_pages(tmp_path / "History", tmp_path / "scratch")
    assert [p.title for p in pages] == ["The mill", "The ferry, later"]
    assert pages[0].fetched_at == "2024-05-14T08:00:00.000+00:00"


@pytest.mark.parametrize("what", ["missing", "noise", "empty", "other", "cut"])
def test_what_is_no_history_says_so_and_leaves_no_copy(tmp_path: Path, what: str) -> None:
    file, scratch = tmp_path / "History", tmp_path / "scratch"
    if what in {"cut", "other"}:
        chromium(file)
        with closing(sqlite3.connect(file)) as connection:
            if what == "other":
                connection.execute("DROP TABLE urls")
        data = file.read_bytes()
        file.write_bytes(data[:4096] if what == "cut" else data)
    elif what != "missing":
        file.write_bytes(b"nonsense " * 5000 if what == "noise" else b"")
    with pytest.raises(InputError):
        visited_pages(file, scratch)
    assert list(scratch.iterdir()) == []


@pytest.mark.parametrize(
    ("url", "plain"),
    [
        ("https://ann:secret@a.example:8443/x#part", "https://a.example:8443/x"),
        ("https://a.example/?q=red+boats&page=2", "https://a.example/?q=red+boats&page=2"),
        ("https://v.example/watch?v=dQw4w9WgXcQ&utm_source=x", "https://v.example/watch?v=dQw4w9WgXcQ"),
        ("https://a.example/?access_token=1&x=2", "https://a.example/?x=2"),
        ("https://a.example/?X-Amz-Signature=1&sid=9&Email=a", "https://a.example/"),
        ("https://a.example/?r=0f8fad5bd9cb469fa16570867728950e", "https://a.example/"),
        ("https://a.example/?r=0f8fad5b-d9cb-469f-a165-70867728950e", "https://a.example/"),
        ("https://a.example/?to=ann%40b.example", "https://a.example/"),
        ("https://a.example/?t=how-to-build-a-boat-in-2024", "https://a.example/?t=how-to-build-a-boat-in-2024"),
        ("http://[::1]:80/a", "http://[::1]:80/a"),
        ("javascript:alert(1)", ""),
        ("https://a.example:port/", ""),
        ("about:config", ""),
        (f"https://a.example/{'x' * 3000}", ""),
    ],
)  # fmt: skip
def test_an_address_is_kept_without_what_is_secret_in_it(url: str, plain: str) -> None:
    assert plain_address(url) == plain


@pytest.mark.parametrize("system", ["linux", "darwin", "win32"])
def test_the_files_of_browsers_are_found_below_the_home_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, system: str
) -> None:
    monkeypatch.setattr(browser_history.sys, "platform", system)
    places = browser_history._PROFILES[system]
    for browser, patterns in places.items():
        wanted = [tmp_path / browser / p.replace("*", "profile") for p in patterns]
        for path in wanted:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"")
        assert histories_of(browser, tmp_path / browser) == sorted(wanted)
    assert histories_of("firefox", tmp_path / "nobody") == []


ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
AS_PAGES = (
    "SELECT 'https://a.example/' || i AS url, 'T' AS title, '' AS description, i AS last_visit_date, "
    "i AS last_visit_time, 0 AS hidden, 1 AS visit_count FROM n"
)
COLUMNS = "url, title, description, last_visit_date, last_visit_time, hidden, visit_count"


def made(file: Path, *statements: str) -> Path:
    with closing(sqlite3.connect(file)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()
    return file


def endless_tree(file: Path) -> Path:
    """A table whose pages point at one another so that it has some 10^11 rows, in a few pages."""
    made(
        file,
        "PRAGMA page_size = 4096",
        f"CREATE TABLE urls ({COLUMNS})",
        f"INSERT INTO urls {ENDLESS.replace('FROM n)', 'FROM n LIMIT 40000)')} {AS_PAGES}",
    )
    with closing(sqlite3.connect(file)) as connection:
        (root,) = connection.execute("SELECT rootpage FROM sqlite_master").fetchone()
    data = bytearray(file.read_bytes())
    pages = len(data) // 4096
    kinds = {n: data[(n - 1) * 4096] for n in range(2, pages + 1)}
    leaf = next(n for n, kind in kinds.items() if kind == 0x0D)
    chain = [root, *[n for n, kind in kinds.items() if kind == 0x0D and n != leaf][:4]]
    cells = 500
    for number, below in zip(chain, [*chain[1:], leaf], strict=True):
        start = 4096 - cells * 5
        page = bytearray(4096)
        page[0] = 0x05
        page[3:5], page[5:7] = cells.to_bytes(2), start.to_bytes(2)
        page[8:12] = below.to_bytes(4)
        for i in range(cells):
            at = start + i * 5
            page[12 + 2 * i : 14 + 2 * i] = at.to_bytes(2)
            page[at : at + 5] = below.to_bytes(4) + b"\x01"
        data[(number - 1) * 4096 : number * 4096] = page
    file.write_bytes(data)
    return file


def renamed_view(file: Path) -> Path:
    """A view under the name of a table, in a row that says that it is something else."""
    made(file, f"CREATE TABLE urls ({COLUMNS})", f"CREATE VIEW other AS {ENDLESS} {AS_PAGES}")
    made(
        file,
        "PRAGMA writable_schema = ON",
        "UPDATE sqlite_master SET sql = replace(sql, 'VIEW other', 'VIEW \"URLS\"') WHERE name = 'other'",
        "UPDATE sqlite_master SET sql = replace(sql, 'urls', 'more') WHERE name = 'urls'",
    )
    return file


HOSTILE = {
    "view": lambda file: made(file, f"CREATE VIEW moz_places AS {ENDLESS} {AS_PAGES}"),
    "view in capitals": lambda file: made(file, f"CREATE VIEW [Urls] AS {ENDLESS} {AS_PAGES}"),
    "joined tables": lambda file: made(
        file,
        "CREATE TABLE n (i)",
        f"INSERT INTO n {ENDLESS.replace('FROM n)', 'FROM n LIMIT 3000)')} SELECT i FROM n",  # noqa: S608
        f"CREATE VIEW urls AS {AS_PAGES.replace('i AS', '1 AS').replace('|| i', '')} a, n b, n c, n d "
        "WHERE a.i + b.i + c.i + d.i < 0",
    ),
    "virtual table": lambda file: made(file, f"CREATE VIRTUAL TABLE urls USING fts5 ({COLUMNS})"),
    "generated column": lambda file: made(
        file,
        "CREATE TABLE moz_places (title, hidden, visit_count, last_visit_date, "
        "url TEXT AS ('https://a.example/' || hex(zeroblob(4000000))))",
        "INSERT INTO moz_places VALUES ('T', 0, 1, 1)",
    ),
    "tree without end": endless_tree,
    "renamed view": renamed_view,
}


@pytest.mark.parametrize("what", list(HOSTILE))
def test_a_database_that_computes_its_pages_is_refused(tmp_path: Path, what: str) -> None:
    file, scratch = HOSTILE[what](tmp_path / "History"), tmp_path / "scratch"
    with pytest.raises(InputError):
        visited_pages(file, scratch)
    assert list(scratch.iterdir()) == []


def test_a_browser_that_holds_its_history_locked_does_not_hold_a_reader(tmp_path: Path) -> None:
    chromium(tmp_path / "History")
    with closing(sqlite3.connect(tmp_path / "History", isolation_level=None)) as connection:
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        connection.execute("BEGIN EXCLUSIVE")
        assert len(visited_pages(tmp_path / "History", tmp_path / "scratch")) == 2


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has none: run it on Linux")
@pytest.mark.parametrize("name", ["History", "History-wal"])
def test_a_pipe_is_no_history(tmp_path: Path, name: str) -> None:
    chromium(tmp_path / "History")
    (tmp_path / name).unlink(missing_ok=True)
    os.mkfifo(tmp_path / name)
    with pytest.raises(InputError):
        visited_pages(tmp_path / "History", tmp_path / "scratch")
    assert list((tmp_path / "scratch").iterdir()) == []


def test_a_file_that_is_larger_than_any_history_is_not_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chromium(tmp_path / "History")
    monkeypatch.setattr(browser_history, "_LARGEST_BYTES", 4_096)
    with pytest.raises(InputError):
        visited_pages(tmp_path / "History", tmp_path / "scratch")
    assert list((tmp_path / "scratch").iterdir()) == []


def test_the_steps_of_a_history_grow_with_its_size_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What one of 20,000 pages takes is far from what it is given."""
    made(
        tmp_path / "History",
        f"CREATE TABLE urls ({COLUMNS})",
        f"INSERT INTO urls {ENDLESS.replace('FROM n)', 'FROM n LIMIT 20000)')} {AS_PAGES}",
    )
    monkeypatch.setattr(browser_history, "_LEAST_STEPS", 10_000)
    monkeypatch.setattr(browser_history, "_STEPS_A_BYTE", 1)
    assert len(visited_pages(tmp_path / "History", tmp_path / "scratch")) == 20_000
