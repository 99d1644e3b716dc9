"""What comes out of a page's bytes, and the frames in which reader and worker say it. Standard library
only, so that no caller pays for a parser.

A frame is a four-byte length and that many bytes. A request is two frames, a JSON object
`{"url", "content_type", "again"}` and the page's bytes, none where they are again those of the request before; a reply is one frame, the fields of `Extracted` as JSON.
A worker that is ready says so with a frame that tells which protections hold for it.

The worker may have been taken over by a page: whatever it sends is looked at before it is believed.
"""

from __future__ import annotations

import json
import math
import re
import struct
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from typing import Any, cast

from askance.domain.messages import NOTHING, Message
from askance.domain.web_pages import (
    LONGEST_PAGE_CHARACTERS,
    MOST_PAGE_BLOCKS,
    PageReason,
    PageStatus,
)
from askance.extract.sandbox import Protection, Protections
from askance.extract.text.characters import count_words
from askance.extract.text.markdown_text import tidy_text

# A page that is cut is cut between two blocks, if one ends this close to where it must be cut.
_LAST_BLOCK_CHARACTERS = 10_000
# Bytes of JSON: what a detail was made from is not much longer than itself.
LARGEST_RECORD = 4096
LONGEST_DETAIL = 500
# A title is a line; longer ones are texts that someone put there.
TITLE_CHARACTERS = LONGEST_LINE = 300
_BETWEEN_BLOCKS = re.compile(r"\n\n")
WITHOUT_FILES = "; files=none"
"""A parameter of the content type of a mail whose files are not to be read."""
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_DEEPEST_HEADING = 6
LENGTH = struct.Struct(">I")
# Bytes. A page of two million bytes has less text than that, as JSON spells it, in any script.
LONGEST_REPLY = 16 * 1024 * 1024
LONGEST_READY = 4096
# The exit status of a worker that needed more memory than it may have.
OUT_OF_MEMORY = 12


@dataclass(frozen=True, slots=True)
class Extracted:
    """The text of one page, or why there is none. `markdown` is empty unless `status` is `ok`.

    `published` and `updated` are ISO dates, `language` a two-letter code as the page declares it,
    `byline` who wrote it. `computed_s` is the processor time that it took in a worker, in seconds.
    """

    status: PageStatus
    reason: PageReason = PageReason.NONE
    detail: Message = NOTHING
    title: str = ""
    markdown: str = ""
    words: int = 0
    published: str | None = None
    updated: str | None = None
    language: str | None = None
    byline: str = ""
    computed_s: float = field(default=0.0, compare=False)


def empty(reason: PageReason, detail: Message, *, title: str = "") -> Extracted:
    """Return the outcome of a page that came and held nothing worth reading."""
    return Extracted(PageStatus.EMPTY, reason, detail, title)


def failed(reason: PageReason, detail: Message) -> Extracted:
    """Return the outcome of a page whose bytes cannot be read."""
    return Extracted(PageStatus.FAILED, reason, detail)


def shortened(detail: Message) -> Message:
    """Return a detail that is no longer than one may be: it may quote what is foreign."""
    return detail if len(detail) <= LONGEST_DETAIL else Message.verbatim(detail[:LONGEST_DETAIL])


def small_record(record: dict[str, Any]) -> dict[str, Any]:
    """Return what a message was made from, if it is no larger than one may be.

    Raises:
        ValueError: it is.
    """
    if len(json.dumps(record)) > LARGEST_RECORD:
        raise ValueError("no message")
    return record


def bounded(extracted: Extracted) -> Extracted:
    """Return an outcome no part of which is longer than a reader's process should have to look at.

    Of a text that is cut, `detail` says so.
    """
    names = ("title", "byline", "published", "updated", "language")
    lines: dict[str, str] = {n: line for n in names if (line := getattr(extracted, n))}
    long = {n: line[:LONGEST_LINE] for n, line in lines.items() if len(line) > LONGEST_LINE}
    if long or len(extracted.detail) > LONGEST_DETAIL:
        extracted = replace(extracted, detail=shortened(extracted.detail), **long)
    text = extracted.markdown
    end = _end_of(text)
    if end == len(text):
        return extracted
    head = text[:end].rstrip()
    detail = shortened_page(len(head), len(text))
    return replace(extracted, markdown=head, words=count_words(head), detail=detail)


def shortened_page(used: int, available: int) -> Message:
    """Return that so many characters of a page are used."""
    return Message(
        "Only the first {n} of the {available} characters of the page are used.",
        n=used,
        available=available,
    )


def part_from(found: Extracted, first: int | None) -> Extracted:
    """Return what of a text follows so many characters, as much as one outcome may hold.

    Where more follows, `detail` says how many characters are read by then (`pages`). Without `first` a text is
    returned as it is.
    """
    if first is None or found.status is not PageStatus.OK:
        return found
    # `first` counts characters of the whole text, which is read anew for each of its parts.
    rest = found.markdown[first:].lstrip("\n")
    if not rest:
        return empty(PageReason.NO_TEXT, Message("The page has no text."))
    # Words are counted of this part alone: of a long text there are many parts.
    part = rest[: _end_of(rest)]
    if part == rest:
        return bounded(replace(found, markdown=rest, words=count_words(rest)))
    part, available = part.rstrip(), len(found.markdown)
    detail = Message(
        "Only the first {pages} of the {available} characters are read.",
        pages=available - len(rest) + len(part),
        available=available,
    )
    return bounded(replace(found, markdown=part, words=count_words(part), detail=detail))


def frame(payload: bytes) -> bytes:
    """Return the payload with its length before it."""
    return LENGTH.pack(len(payload)) + payload


def pack_request(data: bytes, url: str, content_type: str, *, again: bool = False) -> bytes:
    """Return a request as it goes over the pipe; `again`, if the data are those of the request before."""
    head = json.dumps({"url": url, "content_type": content_type, "again": again}).encode()
    return frame(head) + frame(b"" if again else data)


def unpack_head(head: bytes) -> tuple[str, str, bool]:
    """Return the URL and the content type of a request's first frame, and whether the data are those before."""
    fields = json.loads(head)
    return fields["url"], fields["content_type"], fields["again"]


def pack_ready(protections: Protections) -> bytes:
    """Return what a worker says before its first request."""
    return frame(json.dumps(asdict(protections)).encode())


def unpack_ready(payload: bytes) -> Protections:
    """Return the protections that a worker's first frame names.

    Raises:
        ValueError: the frame is something else.
    """
    fields = _fields(payload)
    landlock = fields.get("landlock")
    if not isinstance(landlock, int):
        raise ValueError("no worker")  # noqa: TRY004 - of a value that came from outside
    missing = _object(fields.get("missing"))
    return Protections({Protection(name): str(why) for name, why in missing.items()}, landlock)


def pack_reply(extracted: Extracted) -> bytes:
    """Return a reply as it goes over the pipe. One that is too long says so in place of the text."""
    # Beside the finished English: the window looks up the German by the template and puts the
    # values in again.
    made_from = extracted.detail.to_record()
    payload = json.dumps({**asdict(extracted), "made_from": made_from}).encode()
    if len(payload) > LONGEST_REPLY:
        detail = Message("The text of the page takes more than {n} MiB.", n=LONGEST_REPLY // 2**20)
        # This one is short, so that it does not come here again.
        return pack_reply(failed(PageReason.EXTRACTION, detail))
    return frame(payload)


def unpack_reply(payload: bytes) -> Extracted:
    """Return the outcome that a reply's frame holds.

    Raises:
        ValueError: the frame holds something else, or more than a worker that is sound would send.
    """
    fields = _fields(payload)
    # An unknown word raises ValueError as all else here does.
    status, reason = PageStatus(fields.pop("status", "")), PageReason(fields.pop("reason", ""))
    words, made_from = (
        fields.pop("words", None),
        small_record(_object(fields.pop("made_from", None))),
    )
    computed_s = fields.pop("computed_s", None)
    optional = {name: fields.pop(name, "") for name in ("published", "updated", "language")}
    if (
        fields.keys() != {"detail", "title", "markdown", "byline"}
        or not all(isinstance(text, str) for text in fields.values())
        or not all(text is None or isinstance(text, str) for text in optional.values())
        # Not by `isinstance`: of JSON's `true` that says that it is an int.
        or type(words) is not int
        or words < 0
        or not isinstance(computed_s, float)
        or not 0 <= computed_s < math.inf
    ):
        raise ValueError("no outcome of a page")
    fields["detail"] = Message.from_record(fields["detail"], made_from)
    fields |= {"words": words, "computed_s": computed_s}
    extracted = Extracted(status=status, reason=reason, **optional, **fields)
    has_text = bool(extracted.markdown)
    # A sound worker has bounded its outcome; what a bound would change was not made by one.
    if has_text is not (status is PageStatus.OK) or bounded(extracted) != extracted:
        raise ValueError("an outcome that no page has")
    return extracted


def _fields(payload: bytes) -> dict[str, Any]:
    try:
        return _object(json.loads(payload))
    # What `json` raises where brackets are nested too deep is no ValueError.
    except RecursionError as exc:
        raise ValueError("nested too deep") from exc


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError("no object")  # noqa: TRY004 - of a value that came from outside
    return cast("dict[str, Any]", value)


def _end_of(text: str) -> int:
    """Return where a text has to be cut, its length where it has not."""
    end = len(text)
    if end > LONGEST_PAGE_CHARACTERS:
        end = LONGEST_PAGE_CHARACTERS
        # Of a large table the end of a row; what has not even a space near is cut within a word.
        ends = (text.rfind(sign, end - _LAST_BLOCK_CHARACTERS, end) for sign in ("\n\n", "\n", " "))
        end = next((between for between in ends if between > 0), end)
    for blocks, between in enumerate(_BETWEEN_BLOCKS.finditer(text, 0, end), start=1):
        if blocks == MOST_PAGE_BLOCKS:
            return between.start()
    return end


def outcome(
    blocks: Iterable[str],
    title: str | None,
    date: str | None,
    detail: Message = NOTHING,
    *,
    is_tidy: bool = False,
) -> Extracted:
    """Return the text of a document's blocks, or that it has none; `date` begins with one in ISO 8601.

    Blocks that are tidy keep their white space: that of code, and of lists in lists.
    """
    text = "\n\n".join(block for block in blocks if block.strip())
    text = text if is_tidy else tidy_text(text)
    line = " ".join(tidy_text(str(title or "")).split())[:TITLE_CHARACTERS]
    words = count_words(text)
    if not words:
        why = Message.joined(Message("The file has no text."), detail)
        return empty(PageReason.NO_TEXT, why, title=line)
    day = _DATE.match(date or "")
    published = day.group() if day else None
    return Extracted(
        PageStatus.OK, detail=detail, title=line, markdown=text, words=words, published=published
    )


def few_names(names: Iterable[str], most: int = 5) -> str:
    """Return names as a list, each once, of which no more than so many are named."""
    once = list(dict.fromkeys(names))
    return ", ".join([*once[:most], *["…"][: len(once) > most]])


_NOBODY = frozenset({
    "anonymous", "unknown", "unspecified", "user", "admin", "administrator", "owner", "author", "root", "microsoft office user",
})  # fmt: skip
_LONGEST_ABOUT = 2_000


def about_file(authors: Iterable[str | None], keywords: Iterable[str | None]) -> str:
    """Return who wrote a file and its keywords, as a block before its text; empty where neither is known."""
    named = {"author": authors, "keywords": keywords}
    lines: list[str] = []
    for name, given in named.items():
        values = dict.fromkeys(" ".join(tidy_text(value or "").split()) for value in given)
        shown = ", ".join(v for v in values if v and v.casefold().strip("()") not in _NOBODY)
        lines += [f"{name}: {shown[:_LONGEST_ABOUT]}"] if shown else []
    return "\n".join(lines)


def markdown_heading(text: str, level: int) -> str:
    """Return a heading on one line, empty if it has no text."""
    line = " ".join(text.split())
    return f"{'#' * min(max(level, 1), _DEEPEST_HEADING)} {line}" if line else ""
