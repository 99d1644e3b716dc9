"""What model servers send: lines and server-sent events, reasoning between tags, and refusals in
whichever of their wrappings."""

from __future__ import annotations

import json
import re
from typing import Any, cast

from askance.adapters.llm.overflow import overflow_of as overflow_of
from askance.ports.model import Text, Thought

MAX_LINE_BYTES = 4_000_000
MAX_EVENT_LINES = 10_000
_FIELDS = frozenset({"data", "event", "id", "retry", "error"})

_TAGS = ("<think>", "</think>")
_TAG = re.compile("|".join(_TAGS))
Piece = Text | Thought

_LONGEST = 300
# So much is looked through for the one sentence that it holds.
_LONGEST_READ = 10_000
_DEEPEST = 6
_KEYS = ("error", "message", "detail")


class LineSplitter:
    """Cuts bytes into lines at LF or CRLF, however they were split on the wire.

    httpx's own line iterator also breaks lines at U+2028 and its kin, which JSON may carry unescaped.
    """

    def __init__(self) -> None:
        self._rest = bytearray()

    def feed(self, piece: bytes) -> list[bytes]:
        """Return the lines that this piece completes, blank ones included.

        Raises:
            ValueError: a line is longer than any model server writes.
        """
        # Only what is new is looked through: a long line may come byte by byte.
        first, *others = piece.split(b"\n")
        self._rest += first
        if len(self._rest) > MAX_LINE_BYTES:
            raise ValueError(f"a line of more than {MAX_LINE_BYTES} bytes")
        if not others:
            return []
        whole = [bytes(self._rest), *others[:-1]]
        self._rest = bytearray(others[-1])
        return [line.removesuffix(b"\r") for line in whole]

    def end(self) -> list[bytes]:
        """Return the last line, if it had no ending."""
        rest, self._rest = bytes(self._rest), bytearray()
        return [rest] if rest else []


class EventSplitter:
    """Gathers the lines of server-sent events."""

    def __init__(self) -> None:
        self._data: list[str] = []
        self._bytes = 0

    def feed(self, line: bytes) -> str | None:
        """Return the data of the event that this line completes; comments complete none.

        Raises:
            ValueError: the line belongs to no event stream, or the event does not end.
        """
        if not line:
            return self.end()
        name, _, value = line.decode().partition(":")
        if name not in _FIELDS and name:
            raise ValueError(f"a line that begins with {name[:40]!r}")
        # llama.cpp once wrote errors in the middle of a stream as a field of that name.
        if name in {"data", "error"}:
            self._data.append(value.removeprefix(" "))
            self._bytes += len(line)
            if self._bytes > MAX_LINE_BYTES or len(self._data) > MAX_EVENT_LINES:
                raise ValueError("an event that does not end")
        return None

    def end(self) -> str | None:
        """Return the data of an event that no blank line ended."""
        data, self._data, self._bytes = self._data, [], 0
        return "\n".join(data) if data else None


class ThoughtFilter:
    """Sorts the pieces of one reply into text and thought, which stands between `<think>` tags.

    Tags may be split over pieces, and the last one may never be closed. A closing tag without an
    opening one is dropped: its reasoning has been passed on by then. A tag right behind a backtick
    is text about a tag.
    """

    def __init__(self) -> None:
        self._held = ""
        self._before = ""
        self._thinking = False
        self._skip_space = False

    def feed(self, piece: str) -> list[Piece]:
        """Return what this piece settles; what may be the beginning of a tag is held back."""
        self._held += piece
        found: list[Piece] = []
        start = 0
        while match := _TAG.search(self._held, start):
            opens = match[0] == _TAGS[0]
            if self._is_plain(match.start(), opens=opens):
                start = match.end()
                continue
            found += self._take(match.start())
            self._held = self._held[len(match[0]) :]
            self._thinking = opens
            self._skip_space = not opens
            start = 0
        return found + self._take(max(start, len(self._held) - self._tag_begun()))

    def end(self) -> list[Piece]:
        """Return what was held back."""
        return self._take(len(self._held))

    def _is_plain(self, position: int, *, opens: bool) -> bool:
        if self._thinking:
            return opens
        return self._held[position - 1 : position] == "`" if position else self._before == "`"

    def _take(self, length: int) -> list[Piece]:
        taken, self._held = self._held[:length], self._held[length:]
        if self._skip_space:
            taken = taken.lstrip()
            self._skip_space = not taken
        if not taken:
            return []
        self._before = taken[-1]
        return [Thought(taken) if self._thinking else Text(taken)]

    def _tag_begun(self) -> int:
        """Return how many characters at the end may be the beginning of a tag."""
        for length in range(min(len(_TAGS[1]) - 1, len(self._held)), 0, -1):
            if any(tag.startswith(self._held[-length:]) for tag in _TAGS):
                return length
        return 0


def message_of(body: str) -> str:
    """Return the message in an error body: `{"error": "…"}`, `{"error": {"message": "…"}}`, nested or not."""
    said: str | dict[str, Any] = body[:_LONGEST_READ]
    for _ in range(_DEEPEST):
        if isinstance(said, str):
            said = _parsed(said)
        inner = _inner(said) if isinstance(said, dict) else None
        if inner is None:
            break
        said = inner
    text = said if isinstance(said, str) else json.dumps(said)
    return " ".join(text.split())[:_LONGEST]


def _parsed(text: str) -> str | dict[str, Any]:
    """Return an object that a text holds as JSON, or the text."""
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return cast("dict[str, Any]", value) if isinstance(value, dict) else text


def _inner(fields: dict[str, Any]) -> str | dict[str, Any] | None:
    """Return what is wrapped in an error's object, if anything is."""
    for key in _KEYS:
        value = fields.get(key)
        if value and isinstance(value, str | dict):
            return cast("str | dict[str, Any]", value)
    return None
