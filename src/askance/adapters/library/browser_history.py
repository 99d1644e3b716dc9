"""The pages that a browser remembers: read from a copy of its file, and without what is secret in addresses.

The file may be another's: views, virtual tables and generated columns, which compute what a reader gets, are
refused, and a budget of SQLite's steps ends a reading that its size does not explain.
"""

from __future__ import annotations

import os
import re
import secrets
import sqlite3
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from urllib.parse import quote, unquote_plus, urlsplit, urlunsplit

from askance.config.private_files import create_file, make_folder, open_regular
from askance.domain.errors import InputError
from askance.domain.library import Document, DocumentKind, Origin
from askance.domain.messages import Message
from askance.text.ranking.urls import without_tracking

TAG = "history"
_LONGEST_URL, _LONGEST_TITLE, _LONGEST_DESCRIPTION = 2_000, 300, 2_000
# Both browsers count microseconds: Firefox from 1970, Chromium from 1601, as Windows does.
_EPOCHS = {"moz_places": datetime(1970, 1, 1, tzinfo=UTC), "urls": datetime(1601, 1, 1, tzinfo=UTC)}
# Hidden rows are those that the browsers themselves show nobody, such as the pages of frames.
_FIREFOX = """
    SELECT url, title, {description}, last_visit_date FROM moz_places
    WHERE hidden = 0 AND visit_count > 0 AND title != '' AND last_visit_date IS NOT NULL
    ORDER BY last_visit_date DESC LIMIT {most}
"""
_CHROMIUM = """
    SELECT url, title, '', last_visit_time FROM urls
    WHERE hidden = 0 AND visit_count > 0 AND title != ''
    ORDER BY last_visit_time DESC LIMIT {most}
"""
_MOST_PAGES = 500_000
_LARGEST_BYTES = 1_073_741_824
_COPIED_BYTES = 1_048_576
# A page of 44 bytes, the shortest that there are, takes 23 steps.
_STEPS_BETWEEN = 10_000
_LEAST_STEPS = 10_000_000
_STEPS_A_BYTE = 2
# SQLite takes values of up to a gigabyte, and would hand such a title over as one text.
_LONGEST_VALUE_BYTES = 4_194_304
# How SQLite itself writes what makes them.
_PLAIN = ("CREATE TABLE ", "CREATE INDEX ", "CREATE UNIQUE INDEX ", "CREATE TRIGGER ")
# Below the home folder, by system: where browsers of a kind keep their profiles.
_PROFILES: dict[str, dict[str, tuple[str, ...]]] = {
    "linux": {
        "firefox": (
            ".mozilla/firefox/*/places.sqlite",
            ".config/mozilla/firefox/*/places.sqlite",
            "snap/firefox/common/.mozilla/firefox/*/places.sqlite",
            ".var/app/org.mozilla.firefox/.mozilla/firefox/*/places.sqlite",
        ),
        "chromium": (
            *(f".config/{name}/*/History" for name in (
                "chromium", "google-chrome", "BraveSoftware/Brave-Browser", "vivaldi", "microsoft-edge",
            )),
            "snap/chromium/common/chromium/*/History",
        ),
    },
    "darwin": {
        "firefox": ("Library/Application Support/Firefox/Profiles/*/places.sqlite",),
        "chromium": tuple(f"Library/Application Support/{name}/*/History" for name in (
            "Chromium", "Google/Chrome", "BraveSoftware/Brave-Browser", "Vivaldi", "Microsoft Edge",
        )),
    },
    "win32": {
        "firefox": ("AppData/Roaming/Mozilla/Firefox/Profiles/*/places.sqlite",),
        "chromium": tuple(f"AppData/Local/{name}/User Data/*/History" for name in (
            "Chromium", "Google/Chrome", "BraveSoftware/Brave-Browser", "Vivaldi", "Microsoft/Edge",
        )),
    },
}  # fmt: skip
BROWSERS = ("firefox", "chromium")

# Found anywhere in a name: `access_token`, `sessionid`, `X-Amz-Signature`, `code` of a sign-in.
# A harmless parameter that is taken out costs a page; a key that stays is in the library.
_SECRET_NAME = re.compile(
    r"token|auth|sess|sid$|secret|passw|pwd|key|sig$|signature|code|state|nonce|otp|ticket|jwt|mail|phone|"
    r"credential|invit|reset|verif|confirm|saml|hash|hmac|csrf|xsrf|user|login|account",
    re.IGNORECASE,
)
_PIECES = re.compile(r"[^A-Za-z0-9]+")
# Words are shorter, or have no digits between their letters.
_SHORTEST_SECRET = 16
# Such as `123e4567-e89b-12d3-a456-426614174000`; its pieces are too short to be found alone.
_UUID = re.compile(r"[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}", re.IGNORECASE)


def histories_of(browser: str, home: Path) -> list[Path]:
    """Return the files in which the browsers of a kind keep what was visited."""
    patterns = _PROFILES.get(sys.platform, _PROFILES["linux"])[browser]
    return sorted({path for pattern in patterns for path in home.glob(pattern) if path.is_file()})


def visited_pages(file: Path, scratch: Path) -> list[Document]:
    """Return the pages that a browser remembers, the last one first, each address once.

    The browser's file is copied into `scratch`, the copy is read and deleted.

    Raises:
        InputError: the file cannot be read, is no history of a browser, or takes more steps to be read than a
            history of its size.
    """
    try:
        with _copied(file, scratch) as copy, closing(_connected(copy)) as connection:
            connection.set_progress_handler(_budget(copy.stat().st_size), _STEPS_BETWEEN)
            # Without their secrets several addresses may be one: the visit that is put in last
            # stays, so the rows, which come newest first, are turned round.
            documents = {d.url: d for d in reversed(list(_documents(connection)))}
    except (OSError, sqlite3.Error) as exc:
        raise InputError(
            Message("{file} cannot be read as the history of a browser: {problem}.",
                    file=file, problem=exc),
            fix=Message("Name a places.sqlite of Firefox, or a History of Chromium."),
        ) from exc  # fmt: skip
    return list(reversed(documents.values()))


def plain_address(url: str) -> str:
    """Return an address without what is nobody's business; empty where it is no page of the web.

    Left out are user names and passwords, fragments, tracking, and parameters that are named like
    secrets or look like one.
    """
    if len(url) > _LONGEST_URL:
        return ""
    try:
        parts = urlsplit(without_tracking(url))
        host = parts.hostname or ""
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return ""
    if parts.scheme not in {"http", "https"} or not host:
        return ""
    named = f"[{host}]" if ":" in host else host
    fields_left = "&".join(f for f in parts.query.split("&") if not _is_secret(*_pair(f)))
    return urlunsplit((parts.scheme, f"{named}{port}", parts.path, fields_left, ""))


def _pair(field: str) -> tuple[str, str]:
    name, _, value = field.partition("=")
    return unquote_plus(name), unquote_plus(value)


def _is_secret(name: str, value: str) -> bool:
    if _SECRET_NAME.search(name) or _UUID.search(value) or "@" in value:
        return True
    return any(
        len(piece) >= _SHORTEST_SECRET and not piece.isalpha() for piece in _PIECES.split(value)
    )


def _documents(connection: sqlite3.Connection) -> Iterator[Document]:
    table = next((name for name in _EPOCHS if _is_plain_table(connection, name)), "")
    if not table:
        raise sqlite3.DatabaseError("it has no table of pages")
    columns = {row[1]: row[6] for row in connection.execute(f"PRAGMA table_xinfo({table})")}
    if any(columns.values()):
        raise sqlite3.DatabaseError("its table of pages has hidden or generated columns")
    query = _CHROMIUM.format(most=_MOST_PAGES)
    if table == "moz_places":
        described = "description" if "description" in columns else "''"
        query = _FIREFOX.format(description=described, most=_MOST_PAGES)
    connection.set_authorizer(partial(_only_read, table))
    for url, title, description, visited in connection.execute(query):
        address = plain_address(str(url))
        name = " ".join(str(title).split())[:_LONGEST_TITLE]
        if not address or not name:
            continue
        text = " ".join(str(description or "").split())[:_LONGEST_DESCRIPTION] or name
        moment = _moment(visited, _EPOCHS[table])
        yield Document(
            address, name, text, Origin.IMPORT, DocumentKind.PAGE, tags=(TAG,), fetched_at=moment
        )


def _is_plain_table(connection: sqlite3.Connection, name: str) -> bool:
    """Whether there is a table of this name.

    Raises:
        sqlite3.DatabaseError: there is something else that could stand under it.
    """
    rows = connection.execute(
        "SELECT type, name, sql, rootpage FROM sqlite_master WHERE sql LIKE ?", (f"%{name}%",)
    ).fetchall()
    # What a row says that it makes is what is made, whatever type and name stand beside it.
    if any(not str(sql).upper().startswith(_PLAIN) for _, _, sql, _ in rows):
        raise sqlite3.DatabaseError("its pages stand in a view or a virtual table")
    return any(row[0] == "table" and row[1] == name and row[3] for row in rows)


def _only_read(
    table: str, action: int, name: str | None, _2: str | None, _3: str | None, within: str | None
) -> int:
    """Let a query read one table, and nothing through a view or a trigger."""
    reads = action == sqlite3.SQLITE_READ and name == table and within is None
    return sqlite3.SQLITE_OK if reads or action == sqlite3.SQLITE_SELECT else sqlite3.SQLITE_DENY


def _budget(size: int) -> Callable[[], bool]:
    """Return what SQLite asks from time to time whether to stop: once a file of this size has had its steps."""
    left = (_LEAST_STEPS + _STEPS_A_BYTE * size) // _STEPS_BETWEEN

    def is_spent() -> bool:
        nonlocal left
        left -= 1
        return left < 0

    return is_spent


def _moment(microseconds: object, epoch: datetime) -> str:
    # SQLite lets any value stand in any column; a text or a float in this one is no moment.
    if not isinstance(microseconds, int):
        return ""
    try:
        return (epoch + timedelta(microseconds=microseconds)).isoformat(timespec="milliseconds")
    except OverflowError:
        return ""


def _connected(copy: Path) -> sqlite3.Connection:
    # Nobody else has the copy: what is locked in it is locked for good.
    connection = sqlite3.connect(f"file:{quote(str(copy))}?mode=rw", uri=True, timeout=0.1)
    connection.text_factory = _decoded
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE_BYTES)
    # Whatever stands in the file is data: none of its views or triggers runs.
    for setting in ("trusted_schema = OFF", "cell_size_check = ON"):
        connection.execute(f"PRAGMA {setting}")
    return connection


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "replace")


@contextmanager
def _copied(file: Path, scratch: Path) -> Generator[Path]:
    """Copy a file of SQLite, with what was written to it last, and delete the copy in the end."""
    make_folder(scratch)
    copy = scratch / f"history-{secrets.token_hex(6)}.sqlite3"
    try:
        _copy(file, copy)
        with suppress(FileNotFoundError):
            # The last visits of a browser that runs are in the log only. A browser that has closed
            # its file leaves none.
            _copy(file.with_name(f"{file.name}-wal"), copy.with_name(f"{copy.name}-wal"))
        yield copy
    finally:
        for suffix in ("", "-wal", "-shm", "-journal"):
            copy.with_name(copy.name + suffix).unlink(missing_ok=True)


def _copy(file: Path, copy: Path) -> None:
    with open_regular(file) as stream, os.fdopen(create_file(copy), "wb") as out:
        left = _LARGEST_BYTES
        while data := stream.read(_COPIED_BYTES):
            left -= len(data)
            if left < 0:
                raise OSError(f"it is larger than {_LARGEST_BYTES // _COPIED_BYTES} MiB")
            out.write(data)
