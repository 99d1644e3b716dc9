"""A file read: its text taken out by the confined processes that take pages apart; of a note also what it says
of itself."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from askance.adapters.library.front_matter import Note, read_note
from askance.adapters.library.left_out import left_out, pages_read
from askance.adapters.library.opening import FoundFile, opened_file
from askance.domain.file_formats import Format
from askance.domain.library import PAGE_BREAK, Document, DocumentKind, Origin
from askance.domain.messages import Message
from askance.domain.web import PageStatus
from askance.extract.extracted import Extracted

# A part of a text goes in at once and comes back whole: its paragraphs are fewer than a page may have.
FILE_TIMEOUT_S = 60.0
"""How long the text of one file may take."""
PART_BYTES = 60_000
_SNIFFED_BYTES = 1024
# White space in UTF-8 and UTF-16, with the marks that such files begin with.
_BLANKS = b" \t\r\n\f\v\0\xc2\xa0\xef\xbb\xbf\xff\xfe"
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")
_BETWEEN_PARTS = {DocumentKind.CODE: "\n", DocumentKind.PDF: f"\n\n{PAGE_BREAK}"}


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
    extractor: Extractor, path: Path, data: bytes, form: Format
) -> tuple[Document, Message]:
    """Return a file as a document, and what of it was left out, if anything was.

    Raises:
        NotRead: there is no text.
        ServiceDown: what takes files apart does not start.
    """
    read = await text_parts(extractor, path, data, form)
    text = _BETWEEN_PARTS.get(form.kind, "\n\n").join(found.markdown for found in read)
    note = read_note(text) if form.kind is DocumentKind.MARKDOWN else Note(text)
    text = note.text
    aliases = [f"aliases: {', '.join(note.aliases)}"] if note.aliases else []
    if aliases := [
        *aliases,
        *note.properties,
    ]:  # a note is looked for by any of its names, and by what it says
        text = f"{chr(10).join(aliases)}\n\n{text}"
    titles = [title for title in (note.title, *(found.title for found in read)) if title]
    first = read[0]
    document = Document(
        path.as_uri(),
        titles[0] if titles and form.kind is not DocumentKind.CODE else path.name,
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
    extractor: Extractor, path: Path, data: bytes, form: Format
) -> list[Extracted]:
    """Return the text of a file in parts; of some kinds so many pages, chapters or characters at a time.

    Where time ends behind some of these, they are returned, and the last one says how many they are.

    Raises:
        NotRead: there is no text.
        ServiceDown: what takes files apart does not start.
    """
    read: list[Extracted] = []
    try:
        async with asyncio.timeout(FILE_TIMEOUT_S):
            await _read(extractor, path, data, form, read)
    except TimeoutError:
        if read and form.is_in_parts and read[-1].status is PageStatus.OK:
            return read
        n = FILE_TIMEOUT_S
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
        if found.status is PageStatus.EMPTY and form.kind is DocumentKind.PDF:
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
