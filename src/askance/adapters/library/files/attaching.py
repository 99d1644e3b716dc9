"""Files and folders that are attached to a conversation: read by what reads them for the library, one at a time."""

from __future__ import annotations

import asyncio
import mimetypes
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import AsyncGenerator, Callable, Collection, Sequence
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from askance.adapters.library.files.collected import (
    Many,
    ManyDocuments,
    NoKnownFormat,
    collection_of,
)
from askance.adapters.library.files.file_process import FileCalls
from askance.adapters.library.files.opening import (
    FileChanged,
    FoundFile,
    found_file,
    is_blank,
    read_file,
    real_path,
)
from askance.adapters.library.files.parsing import (
    Extractor,
    NotRead,
    parse,
    prepared_of,
    progress_in,
)
from askance.adapters.library.files.walking import FORMAT, NOT_READ, unreadable, walk_of
from askance.config.settings import LibrarySettings
from askance.domain.attached_files import (
    EMPTY,
    GONE,
    MOST_FILES,
    MOST_MB,
    NEEDS_PASSWORD,
    NO_ACCESS,
    NO_ARCHIVES,
    NO_LETTERS,
    ONLY_PICTURES,
    ONLY_PICTURES_UNREAD,
    TOO_LARGE,
    AttachedFile,
    AttachmentState,
    FilesRead,
)
from askance.domain.conversation import Picture
from askance.domain.events import ignore
from askance.domain.file_formats import format_of
from askance.domain.library import PAGE_BREAK, Document, DocumentKind, FileRecord, Folder, Origin
from askance.domain.messages import Message
from askance.domain.web_pages import PageReason
from askance.extract.extracted import Extracted
from askance.extract.scanned_page import PAGE_IMAGE
from askance.system.children import end_child, start_child
from askance.system.program import NO_WINDOW, child_command

_SHOWN_AS_THEY_ARE = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg"}
PICTURES = frozenset({*_SHOWN_AS_THEY_ARE, ".webp", ".gif", ".bmp", ".tif", ".tiff"})
ARCHIVES = frozenset(
    {".zip", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".zst", ".7z", ".rar", ".jar", ".iso", ".dmg"}
)
_MIB = 1_048_576
# A text has no null character; programs and pictures have one soon.
_LOOKED_AT = 8_192
# About 20 pages.
_LONG_TEXT = 50_000
_PLAIN = format_of(Path("text.txt"))
_T = TypeVar("_T")

OnPage = Callable[[int, int], object]
"""Called with how many pages, or files, are read by now, and of how many."""
PictureOf = Callable[[bytes, str], Picture | None]
"""Makes a picture of a file's bytes and its name, no larger than a model needs it; None of what is none."""


def picture_as_it_is(data: bytes, name: str) -> Picture | None:
    """Return a file as a picture where models take its kind: nothing here makes it smaller."""
    media_type = _SHOWN_AS_THEY_ARE.get(Path(name).suffix.lower())
    return Picture(data, media_type, name) if media_type else None


def problem_of(error: NotRead | FileChanged | OSError) -> Message:
    """Return why a file could not be read, in one sentence."""
    match error:
        case NotRead():
            return error.detail
        case FileChanged():
            return Message("It changed while it was read.")
        case FileNotFoundError():
            return GONE
        case PermissionError():
            return NO_ACCESS
        case _:
            return unreadable(error)


class AttachedFileReader:
    """Reads files and folders: `files` opens them, `extractor` takes them apart.

    What a file is not read for is told by its state; OSError, FileChanged and NotRead say it, too.
    """

    def __init__(
        self,
        settings: LibrarySettings,
        extractor: Extractor,
        files: FileCalls,
        picture_of: PictureOf = picture_as_it_is,
    ) -> None:
        self._settings = settings
        self._extractor = extractor
        self._files = files
        self._picture_of = picture_of

    async def read(self, path: Path, on_page: OnPage, on_file: OnPage = ignore) -> FilesRead:
        """Read a file or folder; `on_page` is called for a file, `on_file` for each of a folder.

        Raises:
            OSError, FileChanged, NotRead: it cannot be read.
            ServiceDown: what takes files apart does not start.
        """
        return await self._prepared(await self._read(path, on_page, on_file))

    async def _prepared(self, found: FilesRead) -> FilesRead:
        """Add what is stored beside the texts: of a short one that takes less than the start of another process."""
        if found.characters < _LONG_TEXT:
            return found
        return replace(found, prepared=await prepared_of(found.documents, self._files))

    async def _read(self, path: Path, on_page: OnPage, on_file: OnPage) -> FilesRead:
        place = await self._call(path, real_path, path)
        status = await self._call(place, os.lstat, place)
        if stat.S_ISDIR(status.st_mode):
            walk = walk_of(Folder(str(place)), self._settings, (), files=self._files)
            return await self._folder(await asyncio.to_thread(lambda: [*walk.entries()]), on_file)
        if not stat.S_ISREG(status.st_mode):
            raise NotRead(NOT_READ)
        # What a person names by itself is wanted, whatever would be left out of a folder.
        return await self._file(found_file(place, place, status, format_of(place)), on_page)

    async def recognised(
        self,
        path: Path | None,
        picture: Picture | None,
        name: str,
        languages: Collection[str],
        on_page: OnPage,
    ) -> FilesRead:
        """Read the letters in a picture, or in a file of pictures, by Tesseract. It raises as `read` does."""
        data, ending, url = b"", "", f"picture:{quote(name)}"
        if path is not None:
            place = await self._call(path, real_path, path)
            status = await self._call(place, os.lstat, place)
            data = await self._bytes(found_file(place, place, status, None))
            ending, url = path.suffix.lower(), place.as_uri()
        elif picture is not None:
            data, ending = picture.data, mimetypes.guess_extension(picture.media_type) or ""
        texts = list[str]()
        async with aclosing(scanned_pages(data, ending, languages)) as pages:
            async for text, of in pages:
                texts.append(text)
                on_page(len(texts), of)
        if not any(texts):
            return _failed(NO_LETTERS)
        kind = DocumentKind.PDF if ending == ".pdf" else DocumentKind.TEXT
        text = f"\n\n{PAGE_BREAK}".join(texts)
        return await self._prepared(FilesRead((Document(url, name, text, Origin.FILE, kind),)))

    async def _folder(
        self, entries: Sequence[FoundFile | FileRecord], on_file: OnPage
    ) -> FilesRead:
        # What patterns leave out was never meant, nor is an empty file one that cannot be read.
        wanted = [e for e in entries if isinstance(e, FoundFile) or e.rule in {"", FORMAT}]
        names = [Path(entry.path).name for entry in wanted]
        if sum(isinstance(entry, FoundFile) for entry in wanted) > MOST_FILES:
            listed = tuple(map(AttachedFile, names))
            return FilesRead(state=AttachmentState.TOO_MANY, files=listed, is_folder=True)
        documents, problems, left_out = list[Document](), list[Message](), dict[str, Message]()
        for number, entry in enumerate(wanted, 1):
            try:
                if isinstance(entry, FileRecord):
                    found = _failed(entry.detail)
                else:
                    found = await self._file(entry, ignore)
            except (OSError, FileChanged, NotRead) as exc:
                found = _failed(problem_of(exc))
            documents += found.documents
            problems.append(found.problem)
            left_out |= found.left_out
            on_file(number, len(wanted))
        files = tuple(map(AttachedFile, names, problems))
        read = FilesRead(tuple(documents), files=files, is_folder=True, left_out=left_out)
        if documents:
            return read
        # Of one file the reason is worth more than that nothing could be read.
        problem = problems[0] if len(problems) == 1 else EMPTY
        return replace(read, state=AttachmentState.FAILED, problem=problem)

    async def _file(self, file: FoundFile, on_page: OnPage) -> FilesRead:
        suffix = file.path.suffix.lower()
        if suffix in ARCHIVES:
            return _failed(NO_ARCHIVES)
        if not file.size:
            return _failed(EMPTY)
        if file.size > MOST_MB * _MIB:
            return _failed(TOO_LARGE)
        if suffix in PICTURES:
            data = await self._bytes(file)
            picture = await asyncio.to_thread(self._picture_of, data, file.path.name)
            return FilesRead(picture=picture) if picture else _failed(NOT_READ)
        watched = _WatchedExtractor(self._extractor, on_page)
        try:
            if many := await asyncio.to_thread(collection_of, file, self._files):
                return await self._many(file, many, watched)
        except NoKnownFormat:
            # A text under a name that says nothing, such as `LICENSE` or `notes.old`.
            file = replace(file, form=_PLAIN)
        data = await self._bytes(file)
        if file.form is _PLAIN and b"\0" in data[:_LOOKED_AT] and not data.startswith(_UTF_16):
            raise NotRead(NOT_READ)
        assert file.form is not None, "what is told by its content is a mailbox"
        try:
            document, left_out = await parse(watched, file.path, data, file.form)
        except NotRead:
            if known := await self._without_text(file, watched.reason):
                return known
            raise
        return FilesRead((document,), left_out={document.url: left_out} if left_out else {})

    async def _without_text(self, file: FoundFile, reason: PageReason) -> FilesRead | None:
        """Return why a file has no text, where that is known better than by its parser's words."""
        if reason is PageReason.ENCRYPTED:
            return _failed(NEEDS_PASSWORD)
        if reason is PageReason.ONLY_IMAGES and file.path.suffix.lower() == ".pdf":
            if await asyncio.to_thread(find_tesseract):
                return FilesRead(state=AttachmentState.QUESTION, problem=ONLY_PICTURES)
            return _failed(ONLY_PICTURES_UNREAD)
        return _failed(EMPTY) if await self._call(file.root, is_blank, file) else None

    async def _many(self, file: FoundFile, many: Many, extractor: Extractor) -> FilesRead:
        within = ManyDocuments(file, many, (), extractor, self._settings, self._files)
        documents = list[Document]()
        async with aclosing(within.batches()) as batches:
            async for some in batches:
                documents += some
        if not documents:
            raise NotRead(within.detail)
        left_out = {documents[0].url: within.detail} if within.detail else dict[str, Message]()
        return FilesRead(tuple(documents), left_out=left_out)

    async def _bytes(self, file: FoundFile) -> bytes:
        data = await self._call(file.root, read_file, file, MOST_MB * _MIB)
        if len(data) > MOST_MB * _MIB:
            raise NotRead(TOO_LARGE)
        return data

    async def _call(self, place: Path, function: Callable[..., _T], *arguments: Any) -> _T:
        return await asyncio.to_thread(self._files.call, str(place), function, *arguments)


_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


def _failed(problem: Message) -> FilesRead:
    return FilesRead(state=AttachmentState.FAILED, problem=problem)


class _WatchedExtractor:
    """An extractor that tells how far a file is read, and why its last part had no text."""

    def __init__(self, extractor: Extractor, on_page: OnPage) -> None:
        self._extractor = extractor
        self._on_page = on_page
        self.reason = PageReason.NONE

    async def extract(self, data: bytes, url: str, content_type: str) -> Extracted:
        """Take out a text, and tell how many pages are read by then. It raises as `Extractor.extract` does."""
        found = await self._extractor.extract(data, url, content_type)
        self.reason = found.reason
        if progress := progress_in(found.detail):
            self._on_page(*progress)
        return found


# Pages and pictures that hold no letters, read by the Tesseract that is installed: page by page, each in a confined process.

_ELSEWHERE = (
    "/opt/homebrew/bin/tesseract",
    "/usr/local/bin/tesseract",
    r"C:\Program Files\Tesseract-OCR\tesseract.exe",
)
PAGE_TIMEOUT_S = 120.0
MOST_PAGES = 300
"""Of a longer file the rest is left: a page takes some seconds."""
_PASSED_ON = ("PATH", "LANG", "LC_ALL", "SYSTEMROOT", "PYTHONPATH", "TESSDATA_PREFIX")
_TEXT = "text"


def find_tesseract() -> str:
    """Return the path of the Tesseract that is installed; empty where there is none."""
    return shutil.which("tesseract") or next(filter(os.path.isfile, _ELSEWHERE), "")


async def scanned_pages(
    data: bytes, ending: str, languages: Collection[str]
) -> AsyncGenerator[tuple[str, int]]:
    """Yield the text of each page of a PDF, or that of a picture, with the number of pages.

    `ending` is that of the file's name, `languages` are Tesseract's codes, of which those that it has are used.

    Raises:
        NotRead: Tesseract is not installed, or cannot read it.
    """
    program = await asyncio.to_thread(find_tesseract)
    if not program:
        raise NotRead(Message("Tesseract would read it, which is not installed."))
    folder = Path(await asyncio.to_thread(tempfile.mkdtemp, prefix="askance-scan-"))
    try:
        file = folder / f"file{ending}"
        await asyncio.to_thread(file.write_bytes, data)
        known = (await _output(program, "--list-langs", folder=folder)).split()
        spoken = "+".join(code for code in languages if code in known)
        command = [program, "", str(folder / _TEXT), *(("-l", spoken) if spoken else ())]
        number, pages = 0, 1
        while number < min(pages, MOST_PAGES):
            is_pdf = ending == ".pdf"
            command[1] = str(folder / PAGE_IMAGE if is_pdf else file)
            confined = child_command("askance.extract.scanned_page")
            asked = (*confined, str(folder), str(file), str(number) if is_pdf else "", *command)
            output = await _output(*asked, folder=folder)
            text = folder / f"{_TEXT}.txt"
            if not output.strip().isdigit() or not text.is_file():
                raise NotRead(Message("Tesseract could not read it."))
            pages = int(output)
            yield (await asyncio.to_thread(text.read_text, "utf-8", "replace")).strip(), pages
            await asyncio.to_thread(text.unlink)
            number += 1
    finally:
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)


async def _output(*command: str, folder: Path) -> str:
    """Return what a program writes, which has ended with all that it started.

    Raises:
        NotRead: it took too long, or does not start.
    """
    try:
        process = await start_child(
            *command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            cwd=folder,
            env={name: os.environ[name] for name in _PASSED_ON if name in os.environ},
            creationflags=NO_WINDOW,
            start_new_session=sys.platform != "win32",
        )
    except OSError as exc:
        raise NotRead(Message("Tesseract could not read it.")) from exc
    try:
        async with asyncio.timeout(PAGE_TIMEOUT_S):
            output, _ = await process.communicate()
        return output.decode("utf-8", "replace")
    except TimeoutError:
        raise NotRead(Message("Tesseract could not read it.")) from None
    finally:
        await end_child(process)
