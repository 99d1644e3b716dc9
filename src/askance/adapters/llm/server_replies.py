"""What model servers send: lines and server-sent events, and refusals in whichever of their wrappings.

What of a reply is reasoning is sorted out by `ThoughtFilter`, which stands in a module of its own.
"""

from __future__ import annotations

import json
import re
from html import unescape
from typing import Any, cast

from askance.domain.errors import PromptTooLong
from askance.domain.messages import Message
from askance.domain.patterns import lazy_re

# So much of a body is looked through for the one sentence that it holds.
_MOST_CHARACTERS = 10_000
# Refusals of prompts that are too long, in the words of the servers that are in use.
# Not Go's "context deadline exceeded", which is a time-out, and no "context-free grammar".
_CONTEXT = r"context(?!-free| deadline| cancell?ed)"
_TEXT = r"(?:prompt|input|request|messages?|conversation|context|sequence|token)s?\b"
_LENGTH = rf"(?:{_CONTEXT}|n_ctx|max\w{{0,10}} (?:\w{{1,20}} )?(?:length|tokens|size)|max\w{{0,10}} number of tokens)"
_OVERFLOW = lazy_re(
    "|".join(
        (
            rf"exceed[^.,]{{0,60}}{_LENGTH}",
            rf"{_CONTEXT}[ _](?:size|length|window|limit)[a-z_ ]{{0,20}}exceed",
            r"(?:maximum|max) context length|context[a-z ]{0,40}overflow|context length of only",
            r"n_keep[^.]{0,30}n_ctx|context shift (?:is )?disabled|kv cache is full",
            # A limit of a parameter is none of the prompt: "max_tokens must be greater than 0".
            rf"{_TEXT}[^.]{{0,80}}(?<!must be )(?<!should be )(?:greater|longer|larger) than"
            r"(?! (?:or equal to )?[01]\b)",
            r"(?:prompt|input|request(?: entity| body)?|messages|conversation|context)"
            r"(?: (?:is|are|was))? too (?:long|large|big)",
            r"too many (?:input |prompt )?tokens in",
            r"(?:reduce|shorten|trim) (?:the (?:length|size) of )?(?:the|your) "
            r"(?:input |chat )?(?:messages?|prompt|input|context|conversation)",
            r"(?:shorter|smaller) (?:input|prompt)|shortening the prompt",
            r"inputs?`? tokens[^.]{0,60}must (?:be|have) (?:<=?|at most|less)",
            r"reached (?:the )?(?:maximum |max )?context (?:length|limit|size|window)",
            r"超[出过][^。]{0,20}(?:上下文|长度|token)",
        )
    ),
    re.IGNORECASE,
)
# Limits of other kinds, some of which speak of tokens, too.
_OTHER_LIMIT = lazy_re(
    r"rate.?limit|quota|billing|tokens per (?:min|hour|day|sec)|\bTPM\b|schema|grammar"
    r"|<html\b|<!doctype",  # the page of a proxy, which has a limit of its own
    re.IGNORECASE,
)
_NUMBER = r"(\d[\d,]{0,11})"
# Such as `"n_prompt_tokens": 5120`, `resulted in 5120 tokens`, `5120 >= 4096`; the first that
# fits counts.
_NEEDED = tuple(
    lazy_re(pattern, re.IGNORECASE)
    for pattern in (
        rf'n_prompt_tokens\\{{0,8}}"?:\s{{0,8}}{_NUMBER}',
        rf"n_keep\W{{0,4}}{_NUMBER}",
        rf"(?:resulted in|has|have|contains|requested|a total of) (?:about |a total of )?{_NUMBER} "
        r"(?:input |prompt )?tokens",
        rf"keep the first {_NUMBER} tokens",
        rf"given: {_NUMBER} ",
        rf"(?:request|input|prompt|length|tokens|count):? ?\(?(?:length |about )?{_NUMBER}(?: tokens)?\)?"
        r" (?:is |are |exceed|cannot|>)",
        rf"{_NUMBER}(?: tokens)? >=? {_NUMBER}",
    )
)
# Such as `"n_ctx": 4096`, `maximum context length is 4096`, `longer than 4096`.
_AVAILABLE = tuple(
    lazy_re(pattern, re.IGNORECASE)
    for pattern in (
        rf'n_ctx\\{{0,8}}"?:\s{{0,8}}{_NUMBER}',
        rf"n_ctx\W{{0,4}}{_NUMBER}",
        r"(?:context (?:size|length|window|is)|max\w{0,10} (?:model |input |prompt |sequence |context )?length"
        rf"|max_seq_len|tokens allowed)(?! by\b)[a-z: ]{{0,40}}\(?{_NUMBER}",
        rf"{_NUMBER} max(?:imum)?\b",
        rf"must be <=? {_NUMBER}",
        rf"(?:greater|longer|larger) than {_NUMBER}",
        rf"{_NUMBER}(?: tokens)? >=? (?P<limit>\d[\d,]{{0,11}})",
    )
)


def overflow_of(body: str, model: str, context_tokens: int) -> PromptTooLong | None:
    """Return the error to raise if the body says that a prompt did not fit, else None."""
    body = body[:_MOST_CHARACTERS]
    if not _OVERFLOW.search(body) or _OTHER_LIMIT.search(body):
        return None
    needed = _first_number(_NEEDED, body)
    available = _first_number(_AVAILABLE, body) or context_tokens
    values = {"needed": needed, "model": model, "available": available}
    problem = (
        Message(
            "The prompt has {needed} tokens; the context of {model} holds {available}.", **values
        )
        if needed
        else Message("The prompt is too long; the context of {model} holds {available}.", **values)
    )
    fix = Message("Raise llm.context_tokens, or lower evidence.first_round_tokens.")
    return PromptTooLong(problem, fix=fix, needed=needed, available=available)


def _first_number(patterns: tuple[re.Pattern[str], ...], body: str) -> int:
    for pattern in patterns:
        if match := pattern.search(body):
            found = match.groupdict().get("limit") or match[1]
            return int(found.replace(",", ""))
    return 0


MAX_LINE_BYTES = 4_000_000
MAX_EVENT_LINES = 10_000
_FIELDS = frozenset({"data", "event", "id", "retry", "error"})

_LONGEST = 300
_DEEPEST = 6
_MOST_FOREIGN = 200_000
_PAGE = lazy_re(
    r"\s{0,200}(?:<\?xml[^>]{0,200}>\s{0,200})?<(?:!doctype|html|head|body|title|center|h1|pre)\b",
    re.IGNORECASE,
)
_TITLES = (
    lazy_re(r"<title\b[^<>]{0,200}>([^<]{1,300})", re.IGNORECASE),
    lazy_re(r"<h1\b[^<>]{0,200}>([^<]{1,300})", re.IGNORECASE),
    lazy_re(r"<p\b[^<>]{0,200}>([^<]{1,300})", re.IGNORECASE),
)
_MARKUP = lazy_re(
    r"<(?:script|style)\b[^<>]{0,200}>[^<]{0,5000}</(?:script|style)>|<[^<>]{0,500}>", re.IGNORECASE
)
_KEYS = ("error", "message", "detail")


class LineSplitter:
    """Cuts bytes into lines at LF, CR or CRLF, however they were split on the wire.

    httpx's own line iterator also breaks lines at U+2028 and its kin, which JSON may carry unescaped.
    """

    def __init__(self) -> None:
        self._rest = bytearray()
        self._is_behind_cr = False

    def feed(self, piece: bytes) -> list[bytes]:
        """Return the lines that this piece completes, blank ones included.

        Raises:
            ValueError: a line is longer than any model server writes.
        """
        # A CR LF may be cut in two: then its LF ends no further line.
        if self._is_behind_cr and piece:
            piece = piece.removeprefix(b"\n")
            self._is_behind_cr = False
        if b"\r" in piece:
            self._is_behind_cr = piece.endswith(b"\r")
            piece = piece.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        # Only what is new is looked through: a long line may come byte by byte.
        first, *others = piece.split(b"\n")
        self._rest += first
        if len(self._rest) > MAX_LINE_BYTES:
            raise ValueError(f"a line of more than {MAX_LINE_BYTES} bytes")
        if not others:
            return []
        whole = [bytes(self._rest), *others[:-1]]
        self._rest = bytearray(others[-1])
        return whole

    def end(self) -> list[bytes]:
        """Return the last line, if it had no ending."""
        rest, self._rest = bytes(self._rest), bytearray()
        return [rest] if rest else []


class EventSplitter:
    """Gathers the lines of server-sent events, and of what servers send in their place.

    A line that is a whole JSON object is an event, with a field's name or without: some servers leave
    out the blank line behind it, some send nothing but such lines, or one body of many. What is
    neither is stored in `foreign`, up to a limit.
    """

    def __init__(self) -> None:
        self._data: list[str] = []
        self._bytes = 0
        self._is_first = True
        self._is_error = False
        self.foreign = ""
        """What belongs to no event; it may be a body of many lines."""

    def feed(self, line: bytes) -> str | None:
        """Return the data of the event that this line completes; comments complete none.

        Raises:
            ValueError: an event does not end, or too much belongs to none.
        """
        if self._is_first:
            # One byte order mark at the beginning is to be ignored (HTML standard, "Parsing an
            # event stream").
            line = line.removeprefix(b"\xef\xbb\xbf")
            self._is_first = False
        if not line.strip():
            return self.end()
        text = line.decode(errors="replace")
        name, _, value = text.partition(":")
        # llama.cpp once wrote errors in the middle of a stream as a field of that name.
        if name in {"data", "error"}:
            # One space behind the colon is no part of the value, further ones are.
            value = value.removeprefix(" ")
            if _is_whole(value):
                self._data, self._bytes = [], 0
                return value
            return self._gather(value, len(line))
        if name == "event":
            self._is_error = value.strip() == "error"
        # A line that begins with a colon is a comment, by which servers keep a connection alive.
        if name in _FIELDS or not name:
            return None
        if _is_whole(text):
            return text
        self.foreign += f"{text}\n"
        if len(self.foreign) > _MOST_FOREIGN:
            raise ValueError(f"a line that begins with {text[:40]!r}")
        return None

    def end(self) -> str | None:
        """Return the data of an event that a blank line ends, or none does."""
        data, self._data, self._bytes = "\n".join(self._data), [], 0
        is_error, self._is_error = self._is_error, False
        # The data of an event named error may be a plain sentence: it becomes an object.
        if data.strip() and is_error and not data.lstrip().startswith("{"):
            return json.dumps({"error": data})
        return data if data.strip() else None

    def body(self) -> str | None:
        """Return the JSON object that all was that belongs to no event, if it was one."""
        body, self.foreign = self.foreign, ""
        if _is_whole(" ".join(body.split("\n")).strip()):
            return body
        self.foreign = body
        return None

    def _gather(self, value: str, size: int) -> None:
        self._data.append(value)
        self._bytes += size
        if self._bytes > MAX_LINE_BYTES or len(self._data) > MAX_EVENT_LINES:
            raise ValueError("an event that does not end")


def _is_whole(text: str) -> bool:
    """Say whether a line is a JSON object, or the mark that ends a stream."""
    text = text.strip()
    if text == "[DONE]":
        return True
    return text.startswith("{") and text.endswith("}") and isinstance(_parsed(text), dict)


def message_of(body: str) -> str:
    """Return the message in an error body: `{"error": "…"}`, `{"error": {"message": "…"}}`, nested or not.

    Of a web page its title is returned, or its first words.
    """
    parsed: str | dict[str, Any] = body[:_MOST_CHARACTERS]
    # Gateways wrap the error of the server behind them into their own, at times as JSON in a
    # string.
    for _ in range(_DEEPEST):
        if isinstance(parsed, str):
            parsed = _parsed(parsed)
        inner = _inner(parsed) if isinstance(parsed, dict) else None
        if inner is None:
            break
        parsed = inner
    text = parsed if isinstance(parsed, str) else _refused_fields(parsed) or json.dumps(parsed)
    return " ".join((page_title(text) if is_page(text) else text).split())[:_LONGEST]


def is_page(text: str) -> bool:
    """Say whether a text is a web page, such as a proxy's."""
    return _PAGE.match(text[:_MOST_CHARACTERS]) is not None


def page_title(page: str) -> str:
    """Return the title of a web page, or its first heading, or its first words."""
    page = page[:_MOST_CHARACTERS]
    titles = (pattern.search(page) for pattern in _TITLES)
    title = next((match[1] for match in titles if match and match[1].strip()), page)
    return unescape(" ".join(_MARKUP.sub(" ", title).split()))


def _refused_fields(body: dict[str, Any]) -> str:
    """Return what FastAPI says of the fields that it does not take: their names, and why."""
    rows: Any = body.get("detail")
    fields: list[str] = []
    for row in cast("list[Any]", rows) if isinstance(rows, list) else []:
        match row:
            case {"loc": [*place], "msg": str(why)}:
                fields.append(f"{'.'.join(str(name) for name in place if name != 'body')}: {why}")
            case _:
                return ""
    return "; ".join(fields)


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
