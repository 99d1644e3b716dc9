"""A streamed reply's bytes cut into lines and server-sent events. No input or output here.

httpx's own line iterator is not used: it also breaks lines at U+2028 and its kin, which JSON may
carry unescaped.
"""

from __future__ import annotations

MAX_LINE_BYTES = 4_000_000
MAX_EVENT_LINES = 10_000
_FIELDS = frozenset({"data", "event", "id", "retry", "error"})


class LineSplitter:
    """Cuts bytes into lines at LF or CRLF, however they were split on the wire."""

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
