"""Files of folders that were added: mailboxes, lines with the addresses of others, folders that change."""

from __future__ import annotations

import asyncio
import io
import os
import shutil
import tempfile
import time
import zipfile
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from email.message import EmailMessage
from pathlib import Path
from typing import Any

from askance.adapters.library.files import opening
from askance.adapters.library.files.collected import ManyDocuments, collection_of, messages
from askance.adapters.library.files.opening import FileChanged, FoundFile, list_folder, read_file
from askance.adapters.library.files.parsing import NotRead
from askance.adapters.library.files.walking import Rules, Walk
from askance.adapters.reader.workers import WORKER_MEMORY_MB, WorkerPool
from askance.config.settings import LibrarySettings
from askance.domain.library import Origin
from askance.extract.extracted import Extracted
from askance.extract.page import extract_page

LIMIT = 20_000
# An input has eight kilobytes, which take milliseconds.
MOST_CPU_S = 5.0
OUTSIDE = b"What lies outside of the folder."


class _Here:
    async def extract(self, data: bytes, url: str, content_type: str) -> Extracted:
        return extract_page(data, url, content_type)


def mailbox(data: bytes) -> None:
    """Messages are parted, and each is taken apart in the time that its length explains."""
    begun = time.process_time()
    _documents_of("Inbox", data)
    found = list(messages(io.BytesIO(data), LIMIT))
    for message in (data, *found):
        extract_page(message[:LIMIT], "file:///in.mbox", "message/rfc822")
    assert sum(map(len, found)) <= len(data)
    assert time.process_time() - begun < MOST_CPU_S, "a message takes too long"


def office(data: bytes) -> None:
    """A file of an office is read or refused, in the time that its length explains; the first byte says its kind.

    Of an archive the rest is one member, between the parts that lead to it.
    """
    form = _OFFICE[data[0] % len(_OFFICE)] if data else _OFFICE[0]
    rest = data[1:]
    if form.members:
        made = io.BytesIO()
        with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in form.members.items():
                archive.writestr(name, content or rest)
        rest = made.getvalue()
    begun = time.process_time()
    found = extract_page(rest, "file:///in", form.content_type)
    assert found.markdown or found.detail
    assert time.process_time() - begun < MOST_CPU_S, "a file of an office takes too long"


@dataclass(frozen=True)
class _Office:
    """A kind of files; of an archive the members, of which an empty one is what is tried."""

    content_type: str
    members: dict[str, bytes]


_ATTACHED = (
    "in.docx",
    "in.pdf",
    "in.xlsx",
    "in.ics",
    "in.vcf",
    "in.msg",
    "in.eml",
    "in.html",
    "in.odt",
    "in.ipynb",
)
_OPEN_XML = "application/vnd.openxmlformats-officedocument"
_RELATED = b'<r><R Id="r0" Target="%s"/></r>'
_NUMBERED = b'<a xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><%s r:id="r0"/></a>'
_BOOK = {
    "META-INF/container.xml": b'<c xmlns="urn:oasis:names:tc:opendocument:xmlns:container">'
    b'<rootfile full-path="b.opf"/></c>',
    "b.opf": b'<p xmlns="http://www.idpf.org/2007/opf"><item id="c" href="c.xhtml"/><itemref idref="c"/></p>',
}
_OFFICE = (
    _Office("application/rtf", {}),
    _Office("application/x-ipynb+json", {}),
    _Office("application/x-fictionbook+xml", {}),
    _Office(
        f"{_OPEN_XML}.presentationml.presentation",
        {
            "ppt/presentation.xml": _NUMBERED % b"sldId",
            "ppt/_rels/presentation.xml.rels": _RELATED % b"s.xml",
            "ppt/s.xml": b"",
        },
    ),
    _Office(
        f"{_OPEN_XML}.spreadsheetml.sheet",
        {
            "xl/workbook.xml": _NUMBERED % b"sheet",
            "xl/_rels/workbook.xml.rels": _RELATED % b"s.xml",
            "xl/s.xml": b"",
        },
    ),
    _Office("application/vnd.oasis.opendocument.spreadsheet", {"content.xml": b""}),
    _Office("application/vnd.oasis.opendocument.presentation", {"content.xml": b""}),
    _Office(f"{_OPEN_XML}.wordprocessingml.document", {"word/document.xml": b""}),
    _Office(
        f"{_OPEN_XML}.wordprocessingml.document",
        {
            "word/document.xml": b'<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
            b'<w:body><w:p><w:r><w:t>A</w:t><w:footnoteReference w:id="2"/></w:r></w:p></w:body></w:document>',
            "word/footnotes.xml": b"",
        },
    ),
    _Office("application/vnd.oasis.opendocument.text", {"content.xml": b""}),
    _Office("application/epub+zip", {**_BOOK, "c.xhtml": b""}),
    _Office(
        "application/epub+zip",
        {"META-INF/container.xml": _BOOK["META-INF/container.xml"], "b.opf": b""},
    ),
    _Office("text/calendar", {}),
    _Office("text/vcard", {}),
    _Office("application/vnd.ms-outlook", {}),
)


def attachments(data: bytes) -> None:
    """A mail is read whatever hangs on it, in the time that its length explains; the first byte says its kind."""
    name = _ATTACHED[data[0] % len(_ATTACHED)] if data else _ATTACHED[0]
    message = EmailMessage()
    message.set_content("A heron waits.")
    message.add_attachment(data[1:], maintype="application", subtype="x-any", filename=name)
    begun = time.process_time()
    assert "heron" in extract_page(bytes(message), "file:///in.eml", "message/rfc822").markdown
    assert time.process_time() - begun < MOST_CPU_S, "an attachment takes too long"


def workbook(data: bytes) -> None:
    """A workbook of Excel before 2007 is read or refused; what ends its process ends no other one."""
    found = asyncio.run(_in_process(data, "application/vnd.ms-excel"))
    assert found.markdown or found.detail


async def _in_process(data: bytes, content_type: str) -> Extracted:
    # Calamine aborts where a damaged file has it ask for more memory than there is.
    async with WorkerPool(1, WORKER_MEMORY_MB) as pool:
        return await pool.extract(data, "file:///in", content_type)


def document_lines(data: bytes) -> None:
    """No line of a file is a document of anything but the file."""
    _documents_below("notes.jsonl", data)


def bookmarks(data: bytes) -> None:
    """No bookmark of a file is a document of its page."""
    _documents_below("bookmarks.html", b"<!DOCTYPE NETSCAPE-Bookmark-file-1>" + data)


def _documents_below(name: str, data: bytes) -> None:
    assert _documents_of(name, data or b" "), "it is a file of many"


def _documents_of(name: str, data: bytes) -> bool:
    """Look at the documents of a file in a folder. Returns whether it is one of many."""
    with _folder() as folder:
        path = folder / name
        path.write_bytes(data or b" ")
        (found,) = Walk(Rules(folder)).entries()
        assert isinstance(found, FoundFile)
        try:
            kind = collection_of(found)
        except NotRead:
            return False
        assert kind is not None
        many = ManyDocuments(found, kind, (), _Here(), LibrarySettings())
        for document in asyncio.run(_all(many)):
            assert document.url.startswith(f"{path.as_uri()}#"), document.url
            assert document.origin is Origin.FILE
            assert not document.id
            assert not document.in_passing
        return True


async def _all(many: ManyDocuments) -> list[Any]:
    try:
        return [document async for some in many.batches() for document in some]
    except NotRead:
        return []


def swapped_folder(data: bytes) -> None:
    """Whenever a folder or a file is replaced by a link while a folder is read, nothing from outside comes in.

    Each byte says before which call of the system something is swapped, and what.
    """
    with _folder() as folder:
        root, outside = folder / "notes", folder / "outside"
        for place, text in ((root, b"What lies in the folder."), (outside, OUTSIDE)):
            (place / "a" / "b").mkdir(parents=True)
            for name in ("a/one.md", "a/b/two.md", "three.md"):
                (place / name).write_bytes(text)
        with _swapping(root, outside, data):
            try:
                found = list(Walk(Rules(root)).entries())
            except OSError:
                return
            for file in found:
                if not isinstance(file, FoundFile):
                    continue
                try:
                    assert read_file(file, LIMIT) != OUTSIDE, f"{file.path} is read from outside"
                    list_folder(root, file.path.parent)
                except (OSError, FileChanged):
                    continue


@contextmanager
def _swapping(root: Path, outside: Path, script: bytes) -> Generator[None]:
    """Swap folders and links to and fro, as the bytes say, before calls by which files are opened."""
    places = [root / "a", root / "a" / "b", root / "a" / "one.md", root / "three.md", root]
    steps = iter(script)
    really = {name: getattr(os, name) for name in ("open", "stat", "scandir")}
    inside = False

    def swap() -> None:
        nonlocal inside
        step = next(steps, None)
        if step is None or inside or step % 3:
            return
        inside = True
        place = places[step // 3 % len(places)]
        aside = root.parent / f"aside-{place.name}"
        try:
            if place.is_symlink():
                place.unlink()
                aside.rename(place)
            elif place.exists() and not aside.exists():
                place.rename(aside)
                place.symlink_to(outside / place.relative_to(root))
        except OSError:
            pass
        finally:
            inside = False

    def before(name: str) -> Callable[..., Any]:
        def call(*arguments: Any, **more: Any) -> Any:
            swap()
            return really[name](*arguments, **more)

        return call

    # The functions of the module that is tried, and no others.
    opened = {name: before(name) for name in really}
    try:
        for name, function in opened.items():
            setattr(os, name, function)
        yield
    finally:
        for name, function in really.items():
            setattr(os, name, function)
        assert opening.os is os


@contextmanager
def _folder() -> Generator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="askance-fuzz-")).resolve()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


TARGETS = {
    "office": office,
    "mailbox": mailbox,
    "attachments": attachments,
    "workbook": workbook,
    "document_lines": document_lines,
    "bookmarks": bookmarks,
    "swapped_folder": swapped_folder,
}
