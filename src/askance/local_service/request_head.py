"""The head of an HTTP request, judged before anything acts on it: one that two readers could frame differently is refused.

A proxy and a server that disagree about where a request ends let somebody smuggle a second one in (RFC 9112, 11.2).
h11 takes what the RFC lets a server repair: `Content-Length: 5, 5`, folded lines, bare line feeds. Here none of it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, cast

import h11

_END = re.compile(rb"\n\r?\n")
# RFC 9112, 3; a method is a token of RFC 9110, 5.6.2, and a target has no space in it.
_REQUEST_LINE = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+ [\x21-\x7e]+ HTTP/1\.([01])")
# RFC 9112, 5: no space before the colon, no line that goes on in the next one, and no control but
# the tab.
_FIELD = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):([^\x00-\x08\x0a-\x1f\x7f]*)")
# As every client writes it: no sign, no second value, no zero in front, nothing behind it.
_LENGTH_LINE = re.compile(rb"[^:]+: ?(?:0|[1-9][0-9]{0,14})")
_LENGTH, _CODING, _HOST = b"content-length", b"transfer-encoding", b"host"


class AmbiguousHead(ValueError):
    """A head that says in no single way what the request is and where it ends. The text names the line's kind."""


def check_head(head: bytes) -> None:
    """Check the head of a request, its empty last line included.

    Raises:
        AmbiguousHead: it is malformed, or leaves room for a second reading of where the body ends.
    """
    lines = head.removesuffix(b"\r\n\r\n").split(b"\r\n")
    if not head.endswith(b"\r\n\r\n") or any(b"\n" in line or b"\r" in line for line in lines):
        raise AmbiguousHead("a line that does not end with CR LF")
    request_line = _REQUEST_LINE.fullmatch(lines[0])
    if request_line is None:
        raise AmbiguousHead("no request line of HTTP/1")
    _check_fields(lines[1:], is_1_1=request_line[1] == b"1")


def _check_fields(lines: Sequence[bytes], *, is_1_1: bool) -> None:
    found: dict[bytes, list[bytes]] = {_LENGTH: [], _CODING: [], _HOST: []}
    for line in lines:
        field = _FIELD.fullmatch(line)
        if field is None:
            raise AmbiguousHead("a field that is none")
        name = field[1].lower()
        # Some front ends take `Content_Length` for the same.
        if b"_" in name and name.replace(b"_", b"-") in found:
            raise AmbiguousHead("a field with a misleading name")
        if name in found:
            found[name].append(line if name == _LENGTH else field[2].strip(b" \t"))
    lengths, codings = found[_LENGTH], found[_CODING]
    # RFC 9112, 6.3: both of them, or two of one, are how a second request is smuggled in.
    if len(lengths) + len(codings) > 1:
        raise AmbiguousHead("more than one length")
    if lengths and _LENGTH_LINE.fullmatch(lengths[0]) is None:
        raise AmbiguousHead("a length that is no plain number")
    # RFC 9112, 6.1: a client of HTTP/1.0 that names a coding has its frame wrong.
    if codings and (codings[0].lower() != b"chunked" or not is_1_1):
        raise AmbiguousHead("a transfer coding that is not known")
    # RFC 9112, 3.2: HTTP/1.1 demands one `Host`, and two are refused in any version.
    if len(found[_HOST]) > 1 or (is_1_1 and not found[_HOST]):
        raise AmbiguousHead("no single host")


class StrictConnection(h11.Connection):
    """A server's side of an HTTP/1.1 connection that reads no head but one that `check_head` lets pass."""

    def next_event(self) -> Any:
        """See `h11.Connection.next_event`; an ambiguous head is a `RemoteProtocolError`."""
        if self.their_state is h11.IDLE:
            received, _ = self.trailing_data
            if end := _END.search(received):
                try:
                    check_head(received[: end.end()])
                except AmbiguousHead as exc:
                    raise h11.RemoteProtocolError(str(exc)) from exc
        return cast("Any", super().next_event())
