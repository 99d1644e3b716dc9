"""A file read: its text taken out by the confined processes that take
pages apart; of a note also what it says of itself, at its head, between lines of dashes, and by tags in its text."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from askance.adapters.library.formats import Format
from askance.adapters.library.left_out import left_out, pages_read
from askance.adapters.library.opening import FoundFile, opened_file
from askance.config.settings import LibrarySettings
from askance.domain.library import PAGE_BREAK, Document, Kind, Origin
from askance.domain.messages import Message
from askance.domain.web import PageStatus
from askance.extract.extracted import Extracted
from askance.extract.markdown import code_apart

# A part of a text goes in at once and comes back whole: its paragraphs are fewer than a page may have.
PART_BYTES = 60_000
_SNIFFED_BYTES = 1024
# White space in UTF-8 and UTF-16, with the marks that such files begin with.
_BLANKS = b" \t\r\n\f\v\0\xc2\xa0\xef\xbb\xbf\xff\xfe"
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")
# A head is a few lines; a text that begins with a rule is none.
_LONGEST_HEAD_CHARACTERS = 4_000
_HEAD = re.compile(r"---\n(.*?)\n(?:---|\.\.\.)(?:\n|\Z)", re.DOTALL)
_FIELD = re.compile(r"([A-Za-z_-]{1,40}):[ \t]*(.*)")
_ITEM = re.compile(r"[ \t]*-[ \t](.*)")
_BETWEEN_PARTS = {Kind.CODE: "\n", Kind.PDF: f"\n\n{PAGE_BREAK}"}
_TAGS = frozenset({"tags", "tag", "keywords"})
_ALIASES = frozenset({"aliases", "alias"})
# As Obsidian knows them: behind white space, and not a number alone.
_INLINE_TAG = re.compile(r"(?<![^\s(])#([\w/-]{1,100})(?![\w/#-])")
_COLOUR = re.compile(r"(?=[a-f]*\d)(?:[\da-f]{3}|[\da-f]{6}|[\da-f]{8})", re.IGNORECASE)
_CODE_SPAN = re.compile(r"`[^`\n]*`")
_MOST_INLINE_TAGS = 50


def is_blank(file: FoundFile) -> bool:
    """Whether a file holds nothing but white space. It raises as `opened_file` does."""
    with opened_file(file) as stream:
        while chunk := stream.read(PART_BYTES):
            if chunk.translate(None, _BLANKS):
                return False
    return True


class Extractor(Protocol):
    """Takes the text out of foreign bytes, where they can do no harm; cancelling ends that."""

    async def extract(self, data: bytes, url: str, content_type: str) -> Extracted:
        """Return the text, or why there is none.

        Raises:
            ServiceDown: what takes it out does not start.
        """
        ...


class NotRead(Exception):
    """A file holds no text, or none that can be taken out. `detail` says why."""

    def __init__(self, detail: Message) -> None:
        super().__init__(str(detail))
        self.detail = detail


async def parse(
    extractor: Extractor, path: Path, data: bytes, form: Format, settings: LibrarySettings
) -> tuple[Document, Message]:
    """Return a file as a document, and what of it was left out, if anything was.

    Raises:
        NotRead: there is no text.
        ServiceDown: what takes files apart does not start.
    """
    read = await text_parts(extractor, path, data, form, settings)
    text = _BETWEEN_PARTS.get(form.kind, "\n\n").join(found.markdown for found in read)
    note = read_note(text) if form.kind is Kind.MARKDOWN else Note(text)
    text = note.text
    if note.aliases:  # a note is looked for by any of its names
        text = f"aliases: {', '.join(note.aliases)}\n\n{text}"
    titles = [title for title in (note.title, *(found.title for found in read)) if title]
    first = read[0]
    document = Document(
        path.as_uri(),
        titles[0] if titles and form.kind is not Kind.CODE else path.name,
        text,
        Origin.FILE,
        form.kind,
        form.syntax,
        note.tags,
        language=first.language or "",
        published=first.published or "",
    )
    return document, left_out(found.detail for found in read)


async def text_parts(
    extractor: Extractor, path: Path, data: bytes, form: Format, settings: LibrarySettings
) -> list[Extracted]:
    """Return the text of a file in parts; of some kinds so many pages, chapters or characters at a time.

    Where time ends behind some of these, they are returned, and the last one says how many they are.

    Raises:
        NotRead: there is no text.
        ServiceDown: what takes files apart does not start.
    """
    read: list[Extracted] = []
    try:
        async with asyncio.timeout(settings.file_timeout_s):
            await _read(extractor, path, data, form, read)
    except TimeoutError:
        if read and form.is_in_parts and read[-1].status is PageStatus.OK:
            return read
        n = settings.file_timeout_s
        raise NotRead(Message("Reading it took longer than {n} s.", n=n)) from None
    has_text = any(found.status is PageStatus.OK for found in read)
    if not has_text or any(found.status is PageStatus.FAILED for found in read):
        raise NotRead(_reason(read))
    return read


async def _read(
    extractor: Extractor, path: Path, data: bytes, form: Format, read: list[Extracted]
) -> None:
    url, content_type = path.as_uri(), form.content_type
    if not form.is_in_parts:
        parts = _parts(data) if form.is_text else [data]
        read += [await extractor.extract(part, url, content_type) for part in parts]
        return
    done = -1
    more = 0
    while more > done:
        done = more
        found = await extractor.extract(data, url, f"{content_type}; first={done}")
        more = pages_read(found.detail) or done
        if found.status is PageStatus.EMPTY and form.kind is Kind.PDF:
            # Pages without a text are counted, too.
            found = replace(found, markdown=PAGE_BREAK * max(more - done - 1, 0))
        read.append(found)


def _reason(read: list[Extracted]) -> Message:
    worst = next((f for f in read if f.status is PageStatus.FAILED), read[0])
    return worst.detail or Message("It has no text.")


def _parts(data: bytes) -> Iterator[bytes]:
    """Yield a text in parts that end with a paragraph where one ends near, and else with a line."""
    if data.startswith(_WIDE_MARKS) or b"\0" in data[:_SNIFFED_BYTES]:
        yield data
        return
    start = 0
    while start < len(data) or not start:
        stop = start + PART_BYTES
        if stop < len(data):
            blank = data.rfind(b"\n\n", start + PART_BYTES // 2, stop)
            line = data.rfind(b"\n", start, stop)
            stop = blank + 2 if blank >= 0 else line + 1 if line >= 0 else _whole(data, stop)
        yield data[start:stop]
        if stop >= len(data):
            return
        start = stop


def _whole(data: bytes, stop: int) -> int:
    """Return a place that parts no character of UTF-8."""
    return next((at for at in range(stop, stop - 4, -1) if data[at] & 0xC0 != 0x80), stop)


@dataclass(frozen=True, slots=True)
class Note:
    """A note without its head; `aliases` are other names that it has."""

    text: str
    title: str = ""
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()


def read_note(text: str) -> Note:
    """Return a text without the head that it may have, and what that and the tags in it say."""
    head = _HEAD.match(text, 0, _LONGEST_HEAD_CHARACTERS)
    said = _fields(head[1]) if head else None
    if head is None or said is None:
        return Note(text, tags=_inline_tags(text))
    body = text[head.end() :].lstrip("\n")
    tags = [tag.removeprefix("#") for name in _TAGS for tag in said.get(name, ())]
    aliases = [alias for name in _ALIASES for alias in said.get(name, ())]
    title = ", ".join(said.get("title", ()))
    tags += _inline_tags(body)
    return Note(body, title, tuple(dict.fromkeys(tags)), tuple(dict.fromkeys(aliases)))


def _fields(head: str) -> dict[str, list[str]] | None:
    """Return the fields of a head with their values; None if a line of it says nothing of the kind."""
    fields: dict[str, list[str]] = {}
    field = ""
    for line in head.split("\n"):
        if item := _ITEM.fullmatch(line):
            fields.setdefault(field, []).extend(_values(item[1]))
        elif found := _FIELD.fullmatch(line):
            field = found[1].lower()
            given = [_bare(found[2])] if field == "title" else _values(found[2])
            fields.setdefault(field, []).extend(given)
        elif line.strip():
            return None
    return fields


def _inline_tags(text: str) -> tuple[str, ...]:
    """Return the tags that stand in a text, outside of its code."""
    found: dict[str, None] = {}
    for is_code, part in code_apart(text):
        for tag in _INLINE_TAG.findall("" if is_code else _CODE_SPAN.sub("", part)):
            name = tag.strip("/-")
            if name and not name.isdigit() and not _COLOUR.fullmatch(name):
                found[name] = None
    return tuple(found)[:_MOST_INLINE_TAGS]


def _values(said: str) -> list[str]:
    listed = said.strip().removeprefix("[").removesuffix("]")
    return [tag for part in listed.split(",") if (tag := _bare(part))]


def _bare(said: str) -> str:
    return said.strip().strip("'\"").strip()
