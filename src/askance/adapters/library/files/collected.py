"""Files that hold many documents: lines of JSON, mailboxes, and the bookmarks of a browser.

A line is `{"url", "title", "text", "tags"}`. `store_all` adds documents to a library in batches.
"""

from __future__ import annotations

import asyncio
import codecs
import hashlib
import io
import json
import re
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from time import monotonic
from typing import Any, Protocol, TypeVar, cast
from urllib.parse import quote

from askance.adapters.library.files.file_process import HERE, FileCalls, PartStream
from askance.adapters.library.files.opening import (
    PART_BYTES,
    FoundFile,
    file_parts,
    read_file,
    require_same,
    too_large,
)
from askance.adapters.library.files.parsing import (
    CLOCK_FACTOR,
    FILE_TIMEOUT_S,
    Extractor,
    NotRead,
    left_out,
    parse,
    text_parts,
)
from askance.adapters.library.files.walking import NOT_READ
from askance.config.settings import LibrarySettings
from askance.domain.file_formats import (
    DOCUMENT_LINES,
    MAIL_FORMAT,
    MAILBOX,
    Format,
    syntax_named,
)
from askance.domain.library import (
    Added,
    Document,
    DocumentKind,
    DocumentRecord,
    FileRecord,
    Origin,
    Prepared,
)
from askance.domain.messages import NOTHING, Message
from askance.domain.ports.storage import Library
from askance.extract.extracted import Extracted
from askance.extract.worker import MAIL_CPU_S

# So many documents, or characters of them, are stored at once: the more, the faster, and the more is
# read again after a kill.
BATCH_DOCUMENTS = 256
BATCH_CHARACTERS = 1_000_000
LONGEST_LINE_BYTES = 32 * 1_048_576
# A document has a dozen fields. Numbers, lists and objects take up to a hundred times their length in memory.
_LONGEST_STRUCTURE_BYTES = 100_000
# A string without an end reaches to the end of the line, so that each byte is looked at once.
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+|)*+(?:"|\\?\Z)', re.DOTALL)
_LONGEST_TITLE_CHARACTERS = 300
_IDENTITY = re.compile(r"[0-9a-f]{16}")
_DAY = re.compile(r"\d{4}(?:-\d{2}){0,2}(?!\d)")
_Code = TypeVar("_Code", Origin, DocumentKind)


class LineStream(Protocol):
    """A stream of bytes that is read by its lines."""

    def readline(self, size: int = -1, /) -> bytes:
        """Return a line, or so many bytes of it; nothing at the end."""
        ...


@dataclass(slots=True)
class DocumentLines:
    """The documents of a file, and how many of its lines hold none."""

    path: Path
    tags: tuple[str, ...] = ()
    lines: int = 0
    bad: int = 0
    first_bad: int = 0
    read_bytes: int = 0

    def documents(self, stream: LineStream) -> Iterator[Document]:
        """Yield the documents, line by line. A blank line is none.

        Raises:
            OSError: the file cannot be read.
        """
        for line in _lines(stream):
            self.lines += 1
            self.read_bytes += len(line)
            if not line.strip():
                continue
            document = self._document(line)
            if document is None:
                self.bad += 1
                self.first_bad = self.first_bad or self.lines
            else:
                yield document

    def _document(self, line: bytes) -> Document | None:
        if len(line) > LONGEST_LINE_BYTES or _is_large_structure(line):
            return None
        try:
            record = json.loads(line)
        # Nested lists exhaust Python's stack, which `json` does not bound.
        except (ValueError, RecursionError):
            return None
        if not isinstance(record, dict):
            return None
        fields = cast("dict[str, Any]", record)
        text, title, url = (_text(fields, name) for name in ("text", "title", "url"))
        if not (text.strip() or title.strip()):
            return None
        url = url.strip() or f"{self.path.as_uri()}#L{self.lines}"
        return Document(
            url,
            " ".join(title.split())[:_LONGEST_TITLE_CHARACTERS],
            text,
            _origin(fields, url),
            _coded(DocumentKind, fields, "kind", DocumentKind.TEXT),
            syntax_named(_text(fields, "syntax")),
            (*self.tags, *_tags(fields.get("tags"))),
            _text(fields, "language"),
            _day(_text(fields, "published")),
            _moment(_text(fields, "fetched_at")),
            id=identity if _IDENTITY.fullmatch(identity := _text(fields, "id")) else "",
            in_passing=fields.get("in_passing") is True,
        )


def _is_large_structure(line: bytes) -> bool:
    """Whether a line holds more lists, numbers and fields than any document: each string of it counts as a byte."""
    in_strings = 0
    for string in _STRING.finditer(line):
        if string.start() - in_strings > _LONGEST_STRUCTURE_BYTES:
            return True
        in_strings += string.end() - string.start() - 1
    return len(line) - in_strings > _LONGEST_STRUCTURE_BYTES


def _tags(value: object) -> list[str]:
    """Return tags that are given as a list, or as one text with commas between them."""
    if isinstance(value, str):
        return [tag.strip() for tag in value.split(",")]
    named = cast("list[Any]", value) if isinstance(value, list) else []
    return [tag for tag in named if isinstance(tag, str)]


_ALWAYS = ("url", "title", "text", "tags")


def as_line(record: DocumentRecord, text: str) -> str:
    """Return a document as a line that can be read again."""
    fields = {
        "url": record.url,
        "title": record.title,
        "text": text,
        "tags": list(record.tags),
        "origin": record.origin,
        "kind": record.kind,
        "syntax": record.syntax,
        "language": record.language,
        "published": record.published,
        "fetched_at": record.fetched_at,
        "id": record.id,
        "in_passing": record.in_passing,
    }
    return json.dumps({name: value for name, value in fields.items() if value or name in _ALWAYS})


@dataclass(slots=True)
class DocumentBatch:
    """Documents on their way into the library, and files, each with the document that it is, if it is one."""

    documents: list[Document] = field(default_factory=list[Document])
    records: list[tuple[FileRecord, Document | None]] = field(
        default_factory=list[tuple[FileRecord, Document | None]]
    )
    prepared: Sequence[Prepared] = ()
    _characters: int = 0

    def add(self, document: Document) -> None:
        """Take one more."""
        self.documents.append(document)
        self._characters += len(document.text)

    @property
    def is_full(self) -> bool:
        """Whether it is time to keep them."""
        held = max(len(self.records), len(self.documents))
        return held >= BATCH_DOCUMENTS or self._characters >= BATCH_CHARACTERS


def store_all(library: Library, documents: Iterator[Document]) -> Iterator[tuple[Added, ...]]:
    """Keep documents in batches, and yield what became of each batch once it is stored."""
    batch = DocumentBatch()
    for document in documents:
        batch.add(document)
        if batch.is_full:
            yield library.add(batch.documents)
            batch = DocumentBatch()
    if batch.documents:
        yield library.add(batch.documents)


def _lines(stream: LineStream) -> Iterator[bytes]:
    """Yield the lines of a file; of one that is too long its beginning, which says that it is."""
    while line := stream.readline(LONGEST_LINE_BYTES + 1):
        yield line
        # The rest of such a line is read and dropped, or it would be taken for lines of its own.
        while line and not line.endswith(b"\n"):
            line = stream.readline(LONGEST_LINE_BYTES)


def _text(fields: dict[str, Any], name: str) -> str:
    value = fields.get(name)
    return value if isinstance(value, str) else ""


def _day(text: str) -> str:
    """Return a date, or the beginning of one, if it is such."""
    return text[:10] if _DAY.match(text) else ""


def _moment(text: str) -> str:
    """Return a moment as others are stored, empty if it is none."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return ""
    # Without a zone it is taken for UTC: the local zone would differ from machine to machine.
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    try:
        return aware.astimezone(UTC).isoformat(timespec="milliseconds")
    except OverflowError:  # at the end of time, in another zone
        return ""


def _origin(fields: dict[str, Any], url: str) -> Origin:
    """Return where a document says it came from, where that fits its address."""
    origin = _coded(Origin, fields, "origin", Origin.IMPORT)
    # An origin that the scheme of the address contradicts counts as imported.
    schemes = {Origin.WEB: ("http://", "https://"), Origin.FILE: ("file:///",)}.get(origin)
    fits = schemes is None or url.lower().startswith(schemes)
    return origin if fits else Origin.IMPORT


def _coded(codes: type[_Code], fields: dict[str, Any], name: str, otherwise: _Code) -> _Code:
    try:
        return codes(_text(fields, name))
    except ValueError:
        return otherwise


_BOOKMARKS = b"<!DOCTYPE NETSCAPE-BOOKMARK-FILE-1>"
_BOOKMARKS_TYPE = "text/x-bookmarks"
_SNIFFED_BYTES = 256
_MIB = 1_048_576
_LONGEST_NAME = 500
_LINK = re.compile(r"https?://[^\s<>]{1,2000}", re.IGNORECASE)
_MAIL_LINE_BYTES = 65_536
_LONGEST_HEAD_BYTES = 65_536
# The line between two messages ends with a date, such as `From anna@example.org Thu Nov  7 09:15:02 2024`; Thunderbird
# writes nothing or a dash for the sender, the time last, or nothing more, and other programs no blank line before it.
_FROM = re.compile(rb"From (?:-?\s*\Z|.{0,200}?\d\d:\d\d.{0,40}?\d{4}|- .{0,40}?\d\d:\d\d)")
# Behind a blank line a sender is enough. A paragraph may begin with the word, too.
_FROM_SENDER = re.compile(rb"From \S{0,200}@")
_HEADER = re.compile(rb"[!-9;-~]{1,100}:")
# mboxrd: a line of a message that begins so has one `>` more than it was written with.
_ESCAPED = re.compile(rb">+From ")
# RFC 5322, 3.6.4. By it a message keeps its address when its mailbox is written anew.
_MESSAGE_ID = re.compile(rb"^message-id:\s{0,80}<([^<>\s]{1,200})>", re.IGNORECASE | re.MULTILINE)

# What programs write at the head of each mail that came, and nobody in a text.
_SURE_HEADER = re.compile(
    rb"^(?:received|return-path|delivered-to|message-id):[ \t]", re.IGNORECASE | re.MULTILINE
)
_LONGEST_MAIL_START = 2_048

_BATCH_BYTES = 4 * _MIB
# A mailbox is read at two million bytes a second, one of small messages at a quarter of that.
_SLOWEST_BYTES_PER_S = 50_000
_MOST_PACKED = 1_000

_Item = TypeVar("_Item", Document, bytes)


class NoKnownFormat(NotRead):
    """A file is of no kind that is read, neither by its name nor by its content."""


class Many(StrEnum):
    """What a file of many documents is."""

    LINES = "lines"
    MAILBOX = "mailbox"
    BOOKMARKS = "bookmarks"


def collection_of(
    file: FoundFile, files: FileCalls = HERE, start: bytes | None = None
) -> Many | None:
    """Return what a file of many documents is; None for one that is a document itself. `start` is its beginning, if known.

    Raises:
        NoKnownFormat: it is of no kind that is read.
        FileChanged: another file has taken its place.
        OSError: its beginning cannot be read.
    """
    form = file.form
    if file.path.suffix.lower() in DOCUMENT_LINES:
        return Many.LINES
    if form is None:
        start = files.call(str(file.root), read_file, file, _LONGEST_MAIL_START)
        if not _begins_as_mail(start):
            raise NoKnownFormat(NOT_READ)
        return Many.MAILBOX
    if form.content_type == MAILBOX:
        return Many.MAILBOX
    if form.kind is DocumentKind.PAGE:
        if start is None:
            start = files.call(str(file.root), read_file, file, _SNIFFED_BYTES)
        start = start[:_SNIFFED_BYTES].removeprefix(b"\xef\xbb\xbf").lstrip().upper()
        return Many.BOOKMARKS if start.startswith(_BOOKMARKS) else None
    return None


def _begins_as_mail(start: bytes) -> bool:
    """Whether a file is a mailbox, as Thunderbird and mutt have them without an ending, or a single mail."""
    start = start.removeprefix(codecs.BOM_UTF8)
    first, _, rest = start.partition(b"\n")
    if first.startswith(b"From "):
        return bool(_HEADER.match(rest))
    return bool(_HEADER.match(start) and _SURE_HEADER.search(start))


class ManyDocuments:
    """The documents of one file, and what of it holds none.

    Each has an address that begins with the file's, and goes with it: a file in a folder never speaks for a page of
    the web, whatever address stands in it. That address is stored at the end of the text.
    """

    def __init__(
        self,
        file: FoundFile,
        collection: Many,
        tags: tuple[str, ...],
        extractor: Extractor,
        settings: LibrarySettings,
        files: FileCalls = HERE,
    ) -> None:
        self._file = file
        self._files = files
        self._path = file.path
        self._collection = collection
        self._in_time = _InTime(file.stored_bytes, FILE_TIMEOUT_S, extractor)
        self._settings = settings
        self._lines = DocumentLines(file.path, tags)
        self._of_files = 0
        self._lacks = NOTHING  # of messages

    @property
    def is_cut(self) -> bool:
        """Whether reading it took so long that the rest was left unread."""
        return self._in_time.is_cut

    @property
    def detail(self) -> Message:
        """What of the file was left out; nothing where nothing was."""
        if self.is_cut:
            return Message(
                "Reading it took too long: only the first {n} entries were read.",
                n=self._lines.lines,
            )
        if not self._of_files:
            return Message.joined(detail_of(self._lines), self._lacks)
        copied = Message(
            "{n} of {available} entries are copies of files, which are read where they lie.",
            n=self._of_files,
            available=self._lines.lines,
        )
        return Message.joined(copied, detail_of(self._lines))

    async def batches(self) -> AsyncGenerator[list[Document]]:
        """Yield the documents, some at a time.

        Raises:
            OSError: the file cannot be read.
            FileChanged: it was written to meanwhile.
            NotRead: it is not what its name says.
            ServiceDown: what takes files apart does not start.
        """
        if self._collection is Many.BOOKMARKS:
            async for text in self._bookmarks():
                stream = io.BytesIO(text.encode("utf-8", "replace"))
                async for some in _in_thread(self._lines.documents(stream)):
                    yield self._own(some)
            return
        # No text is packed that well: it is a hole.
        if (
            _MOST_PACKED * self._file.stored_bytes
            < self._file.size
            > self._settings.max_file_mb * _MIB
        ):
            raise NotRead(too_large(self._settings.max_file_mb))
        parts = self._files.parts(str(self._file.root), file_parts, self._file)
        with io.BufferedReader(PartStream(parts), PART_BYTES) as stream:
            lines = self._in_time.lines(stream)
            if self._collection is Many.LINES:
                async for some in _in_thread(self._lines.documents(lines)):
                    yield self._own(some)
            else:
                async for some in self._messages(lines):
                    yield some
        # Behind the last document: what it grew by in the meantime is not among them.
        await asyncio.to_thread(self._files.call, str(self._file.root), require_same, self._file)

    def _own(self, documents: list[Document]) -> list[Document]:
        """Return them as documents of this file, without what an export tells of others: that may be old."""
        # An export may hold copies of files, which are read where they lie, and are newer there.
        own = f"{self._path.as_uri()}#"
        own_pages = [
            d for d in documents if not d.url.lower().startswith("file:") or d.url.startswith(own)
        ]
        self._of_files += len(documents) - len(own_pages)
        return [_of_file(document, own) for document in own_pages]

    async def _messages(self, stream: LineStream) -> AsyncIterator[list[Document]]:
        tags, seen = self._lines.tags, set[str]()
        limit = self._settings.max_file_mb * _MIB
        async for some in _in_thread(messages(stream, limit)):
            read: list[Document | None] = []
            for message in some:
                if self._in_time.is_over():
                    break
                read.append(await self._message(message, limit))
            yield [
                replace(
                    document,
                    url=_address(self._path, message, seen),
                    tags=(*tags, *document.tags),
                )
                # Not strict: where the time is up, fewer are read than came.
                for message, document in zip(some, read, strict=False)
                if document is not None
            ]

    async def _message(self, message: bytes, limit: int) -> Document | None:
        self._lines.lines += 1
        with suppress(NotRead):
            if len(message) <= limit:
                read, lacks = await parse(self._in_time, self._path, message, MAIL_FORMAT)
                self._lacks = left_out((self._lacks, lacks)) if lacks else self._lacks
                return read
        self._lines.bad += 1
        self._lines.first_bad = self._lines.first_bad or self._lines.lines
        return None

    async def _bookmarks(self) -> AsyncIterator[str]:
        limit = self._settings.max_file_mb
        place = str(self._file.root)
        data = await asyncio.to_thread(self._files.call, place, read_file, self._file, limit * _MIB)
        if len(data) > limit * _MIB:
            raise NotRead(too_large(limit))
        form = Format(DocumentKind.PAGE, _BOOKMARKS_TYPE, is_in_parts=True)
        for part in await text_parts(self._in_time, self._path, data, form):
            yield part.markdown


def _of_file(document: Document, own: str) -> Document:
    """Return what a file tells of an address as a document of the file, whose addresses begin with `own`."""
    url, text = document.url, document.text
    if not url.startswith(own):
        name = url if len(url) <= _LONGEST_NAME else hashlib.sha256(url.encode()).hexdigest()
        if _LINK.fullmatch(url) and url not in text:
            text = f"{text}\n\n<{url}>".lstrip("\n")
        url = f"{own}{quote(name, safe='')}"
    kind = DocumentKind.TEXT if document.kind is DocumentKind.SNIPPET else document.kind
    return replace(
        document, url=url, text=text, origin=Origin.FILE, kind=kind, id="", in_passing=False
    )


def messages(stream: LineStream, limit: int) -> Iterator[bytes]:
    """Yield the messages of a mailbox; of one that is longer than `limit`, a byte more than that."""
    parts, size, after_blank = list[bytes](), -1, True
    begins = True
    line = stream.readline(_MAIL_LINE_BYTES).removeprefix(codecs.BOM_UTF8)
    if _HEADER.match(line):  # a single message, as some programs save one
        size = 0
    while line:
        following = stream.readline(_MAIL_LINE_BYTES)
        if (
            begins
            and line.startswith(b"From ")
            and _is_between(line, following, after_blank=after_blank)
        ):
            if size >= 0:
                yield b"".join(parts)
            parts, size = [], 0
        elif size >= 0:
            unescaped = line[1:] if begins and _ESCAPED.match(line) else line
            if size <= limit:
                parts.append(unescaped[: limit + 1 - size])
            size += len(unescaped)
        after_blank = begins and line in {b"\n", b"\r\n"}
        # A long line comes in pieces, of which only the first can begin a message.
        begins = line.endswith(b"\n")
        line = following
    if size >= 0:
        yield b"".join(parts)


def _is_between(line: bytes, following: bytes, *, after_blank: bool) -> bool:
    """Whether a line stands between two messages: it looks like one, and a header follows."""
    is_known = _FROM.match(line) or (after_blank and _FROM_SENDER.match(line))
    # A message may be empty.
    return bool(is_known) and bool(
        not following.strip() or _HEADER.match(following) or _ESCAPED.match(following)
    )


def detail_of(lines: DocumentLines) -> Message:
    """Return what of a file of documents was left out; nothing where nothing was."""
    if not lines.bad:
        return Message("It holds no document.") if not lines.lines else Message.verbatim("")
    return Message(
        "{n} of {available} entries hold no document; the first of them is number {number}.",
        n=lines.bad,
        available=lines.lines,
        number=lines.first_bad,
    )


def _address(path: Path, message: bytes, seen: set[str]) -> str:
    """Return what a message is known by, however its mailbox is rewritten."""
    head = message[:_LONGEST_HEAD_BYTES].partition(b"\n\n")[0].partition(b"\r\n\r\n")[0]
    found = _MESSAGE_ID.search(head)
    digest = hashlib.sha256(message).hexdigest()[:16]
    name = quote(found[1], safe="@.") if found else digest
    if name in seen:
        name = f"{name}.{digest}"
    seen.add(name)
    return f"{path.as_uri()}#{name}"


class _InTime:
    """An extractor that knows how long a file of many documents may be read: so much processor time, and some times as
    long by the clock, for each of its bytes that take room on the disk.

    Every document of it has a limit of its own; this is one for a file of many that come close to theirs, and for
    one whose size is invented.
    """

    def __init__(self, stored_bytes: int, least_s: float, extractor: Extractor) -> None:
        self._left_s = least_s + stored_bytes / _SLOWEST_BYTES_PER_S
        self._ends = monotonic() + CLOCK_FACTOR * self._left_s
        self._extractor = extractor
        self.is_cut = False

    async def extract(self, data: bytes, url: str, content_type: str) -> Extracted:
        """Take out a text, and count the processor time that it takes. It raises as `Extractor.extract` does."""
        found = await self._extractor.extract(data, url, content_type)
        self._left_s -= min(found.computed_s, MAIL_CPU_S)
        return found

    def is_over(self) -> bool:
        """Whether the time is over, of which note is taken."""
        self.is_cut = self.is_cut or self._left_s < 0 or monotonic() > self._ends
        return self.is_cut

    def lines(self, stream: LineStream) -> LineStream:
        """Return a stream that ends with the time."""
        return _LinesInTime(stream, self)


class _LinesInTime:
    def __init__(self, stream: LineStream, in_time: _InTime) -> None:
        self._stream, self._in_time = stream, in_time

    def readline(self, size: int = -1, /) -> bytes:
        return b"" if self._in_time.is_over() else self._stream.readline(size)


def _batch(items: Iterator[_Item]) -> list[_Item]:
    """Return the next items, so many of them or of their bytes."""
    batch: list[_Item] = []
    size = 0
    for item in items:
        batch.append(item)
        size += len(item.text) if isinstance(item, Document) else len(item)
        if len(batch) == BATCH_DOCUMENTS or size >= _BATCH_BYTES:
            break
    return batch


async def _in_thread(items: Iterator[_Item]) -> AsyncIterator[list[_Item]]:
    """Yield what an iterator that blocks gives, some at a time."""
    while some := await asyncio.to_thread(_batch, items):
        yield some
