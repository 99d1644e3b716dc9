"""The pages that a browser remembers: read from a copy of its file, and without what is secret in addresses."""

from __future__ import annotations

import os
import re
import secrets
import sqlite3
import sys
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from shutil import copyfileobj
from urllib.parse import quote, unquote_plus, urlsplit, urlunsplit

from askance.config.private_files import create_file, make_folder
from askance.domain.errors import InputError
from askance.domain.library import Document, Kind, Origin
from askance.domain.messages import Message
from askance.ranking.urls import without_tracking

TAG = "history"
_LONGEST_URL, _LONGEST_TITLE, _LONGEST_DESCRIPTION = 2_000, 300, 2_000
_EPOCHS = {"moz_places": datetime(1970, 1, 1, tzinfo=UTC), "urls": datetime(1601, 1, 1, tzinfo=UTC)}
_FIREFOX = """
    SELECT url, title, {description}, last_visit_date FROM moz_places
    WHERE hidden = 0 AND visit_count > 0 AND title != '' AND last_visit_date IS NOT NULL
    ORDER BY last_visit_date DESC
"""
_CHROMIUM = """
    SELECT url, title, '', last_visit_time FROM urls
    WHERE hidden = 0 AND visit_count > 0 AND title != '' ORDER BY last_visit_time DESC
"""
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

_SECRET_NAME = re.compile(
    r"token|auth|sess|sid$|secret|passw|pwd|key|sig$|signature|code|state|nonce|otp|ticket|jwt|mail|phone|"
    r"credential|invit|reset|verif|confirm|saml|hash|hmac|csrf|xsrf|user|login|account",
    re.IGNORECASE,
)
_PIECES = re.compile(r"[^A-Za-z0-9]+")
# Words are shorter, or have no digits between their letters.
_SHORTEST_SECRET = 16
_UUID = re.compile(r"[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}", re.IGNORECASE)


def histories_of(browser: str, home: Path) -> list[Path]:
    """Return the files in which the browsers of a kind keep what was visited."""
    patterns = _PROFILES.get(sys.platform, _PROFILES["linux"])[browser]
    return sorted({path for pattern in patterns for path in home.glob(pattern) if path.is_file()})


def visited_pages(file: Path, scratch: Path) -> list[Document]:
    """Return the pages that a browser remembers, the last one first, each address once.

    The browser's file is copied into `scratch`, the copy is read and deleted.

    Raises:
        InputError: the file cannot be read, or is no history of a browser.
    """
    try:
        with _copied(file, scratch) as copy, closing(_connected(copy)) as connection:
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
    try:
        parts = urlsplit(without_tracking(url))
        host = parts.hostname or ""
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return ""
    if parts.scheme not in {"http", "https"} or not host or len(url) > _LONGEST_URL:
        return ""
    named = f"[{host}]" if ":" in host else host
    kept = "&".join(f for f in parts.query.split("&") if not _is_secret(*_pair(f)))
    return urlunsplit((parts.scheme, f"{named}{port}", parts.path, kept, ""))


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
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    table = next((name for name in _EPOCHS if name in tables), "")
    if not table:
        raise sqlite3.DatabaseError("it has no table of pages")
    query = _CHROMIUM
    if table == "moz_places":
        columns = {row[1] for row in connection.execute("PRAGMA table_info(moz_places)")}
        query = _FIREFOX.format(description="description" if "description" in columns else "''")
    for url, title, description, visited in connection.execute(query):
        address = plain_address(str(url))
        name = " ".join(str(title).split())[:_LONGEST_TITLE]
        if not address or not name:
            continue
        text = " ".join(str(description or "").split())[:_LONGEST_DESCRIPTION] or name
        moment = _moment(visited, _EPOCHS[table])
        yield Document(
            address, name, text, Origin.IMPORT, Kind.PAGE, tags=(TAG,), fetched_at=moment
        )


def _moment(microseconds: object, epoch: datetime) -> str:
    if not isinstance(microseconds, int):
        return ""
    try:
        return (epoch + timedelta(microseconds=microseconds)).isoformat(timespec="milliseconds")
    except OverflowError:
        return ""


def _connected(copy: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(f"file:{quote(str(copy))}?mode=rw", uri=True)
    connection.text_factory = _decoded
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
            _copy(file.with_name(f"{file.name}-wal"), copy.with_name(f"{copy.name}-wal"))
        yield copy
    finally:
        for suffix in ("", "-wal", "-shm", "-journal"):
            copy.with_name(copy.name + suffix).unlink(missing_ok=True)


def _copy(file: Path, copy: Path) -> None:
    with file.open("rb") as stream, os.fdopen(create_file(copy), "wb") as out:
        copyfileobj(stream, out)
