"""Files of documents, a line of JSON each, `{"url", "title", "text", "tags"}`; and documents kept so many at once."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol, TypeVar, cast

from askance.domain.file_formats import syntax_named
from askance.domain.library import Added, Document, DocumentKind, DocumentRecord, FileRecord, Origin
from askance.domain.ports.storage import Library

# So many documents, or characters of them, are stored at once: the more, the faster, and the more is
# read again after a kill.
BATCH_DOCUMENTS = 64
BATCH_CHARACTERS = 1_000_000
LONGEST_LINE_BYTES = 32 * 1_048_576
# A document has a dozen fields. What else stands outside of its strings takes a hundred times its room in memory.
_LONGEST_STRUCTURE_BYTES = 100_000
# One that does not end reaches to the end of the line, so that each byte is looked at once.
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)
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


_ALWAYS = ("url", "title", "text", "tags")


@dataclass(slots=True)
class DocumentBatch:
    """Documents on their way into the library, and the files that they came from."""

    documents: list[Document] = field(default_factory=list[Document])
    records: list[FileRecord] = field(default_factory=list[FileRecord])

    @property
    def is_full(self) -> bool:
        """Whether it is time to keep them."""
        characters = sum(len(document.text) for document in self.documents)
        held = max(len(self.records), len(self.documents))
        return held >= BATCH_DOCUMENTS or characters >= BATCH_CHARACTERS


def store_all(library: Library, documents: Iterator[Document]) -> Iterator[tuple[Added, ...]]:
    """Keep documents in batches, and yield what became of each batch once it is stored."""
    batch = DocumentBatch()
    for document in documents:
        batch.documents.append(document)
        if batch.is_full:
            yield library.add(batch.documents)
            batch = DocumentBatch()
    if batch.documents:
        yield library.add(batch.documents)


def _lines(stream: LineStream) -> Iterator[bytes]:
    """Yield the lines of a file; of one that is too long its beginning, which says that it is."""
    while line := stream.readline(LONGEST_LINE_BYTES + 1):
        yield line
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
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    try:
        return aware.astimezone(UTC).isoformat(timespec="milliseconds")
    except OverflowError:  # at the end of time, in another zone
        return ""


def _origin(fields: dict[str, Any], url: str) -> Origin:
    """Return where a document says it came from, where that fits its address."""
    origin = _coded(Origin, fields, "origin", Origin.IMPORT)
    schemes = {Origin.WEB: ("http://", "https://"), Origin.FILE: ("file:///",)}.get(origin)
    fits = schemes is None or url.lower().startswith(schemes)
    return origin if fits else Origin.IMPORT


def _coded(codes: type[_Code], fields: dict[str, Any], name: str, otherwise: _Code) -> _Code:
    try:
        return codes(_text(fields, name))
    except ValueError:
        return otherwise
