"""The library as front ends use it: searched, listed, taken out of, embedded, watched. `library_import` fills it.

Each use case takes the open `Container`; front ends only choose and show.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from askance.app.commands import LONGEST_SEARCHED_ABOUT
from askance.config.choices import EmbeddingsApi
from askance.domain.addresses import path_of
from askance.domain.characters import one_line
from askance.domain.errors import InputError
from askance.domain.file_formats import is_read
from askance.domain.library import (
    EVERY,
    DocumentRecord,
    FileRecord,
    Filters,
    Folder,
    LibraryHit,
    LibraryMatches,
    LibraryStats,
    Listeners,
    Origin,
    Removed,
    SearchMode,
)
from askance.domain.ports.model import EmbeddingProgress
from askance.domain.ports.storage import Library
from askance.presentation.i18n import counted
from askance.text.ranking.passages import cut_around, without_fences

if TYPE_CHECKING:
    from askance.adapters.library.files.walking import FileExplanation
    from askance.app.container import App, Container

# What a search of the library does not need is imported where it is: files and moves.
# ruff: noqa: PLC0415

MOST_FOUND = 8
"""So many passages are shown: all of them can be asked about, and each then gets a sentence or two."""
_TITLE_CHARACTERS = 40

OnEmbedded = Callable[[EmbeddingProgress], None]
Advance = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class LookUp:
    """What was found, and whether the library holds nothing at all."""

    found: LibraryMatches
    is_empty: bool = False


async def look_up(
    container: Container,
    words: str,
    limit: int = MOST_FOUND,
    filters: Filters = EVERY,
    *,
    mode: SearchMode = SearchMode.AUTO,
    with_copies: bool = False,
) -> LookUp:
    """Search the library; no chat model is asked, and nothing is searched on the web.

    `with_copies`: other documents with the text of a hit follow behind the hits, where there is room.

    Raises:
        StorageError: it cannot be read.
    """
    library = container.library
    async with container.router() as router:
        found = await replace(router, ledger=container.ledger).find(
            words, limit, filters, mode=mode
        )
    if with_copies:
        # In a thread: SQLite would block the event loop, in which a run may be under way.
        hits = await asyncio.to_thread(_with_copies, library, found.hits, limit)
        found = replace(found, hits=hits)
    is_empty = not found.hits and not await asyncio.to_thread(library.documents, EVERY, 1)
    return LookUp(found, is_empty)


def _with_copies(
    library: Library, hits: Sequence[LibraryHit], limit: int
) -> tuple[LibraryHit, ...]:
    shown = {hit.document for hit in hits}
    more: list[LibraryHit] = []
    for hit in hits:
        if len(hits) + len(more) >= limit:
            break
        for copy in library.copies(hit.document):
            if copy.id not in shown:
                shown.add(copy.id)
                about = {
                    "document": copy.id,
                    "url": copy.url,
                    "title": copy.title,
                    "tags": copy.tags,
                }
                more.append(replace(hit, **about))
    return (*hits, *more)[:limit]


def about_text(hits: Sequence[LibraryHit]) -> str:
    """Return what stands for these passages beside a question: of each its title and what was found.

    A question is answered from their documents; this is what is shown of them, and what a text command works
    on. They share the room that a quoted text has.
    """
    if not hits:
        return ""
    # Two are for the break between one and the next.
    share = LONGEST_SEARCHED_ABOUT // len(hits) - 2
    return "\n\n".join(_piece(hit, share) for hit in hits)


def _piece(hit: LibraryHit, characters: int) -> str:
    title = one_line(hit.title)[:_TITLE_CHARACTERS].strip()
    head = f"{title}: " if title else ""
    text = " ".join(without_fences(hit.text).split())
    # Two are for the dots at both ends.
    room = characters - len(head) - 2
    if len(text) > room:
        # The snippet and not the beginning of the passage: it has the words that were found.
        text = cut_around(hit.snippet.strip("…"), (), characters=room).text
    return f"{head}{text}"


def indexed_file(library: Library, url: str) -> DocumentRecord | None:
    """Return the document of a file that the library has read itself, of a kind that it reads; None of any other.

    It blocks.

    Raises:
        StorageError: the library cannot be read.
    """
    # An import can bring documents of files that no library has read.
    is_opened = is_read(Path(path_of(url)))
    found = library.find(url)
    return next((r for r in found if is_opened and r.url == url and r.origin is Origin.FILE), None)


@dataclass(frozen=True, slots=True)
class FolderContents:
    """A folder that was added, or a single file, and what became of each of its files."""

    folder: Folder
    files: tuple[FileRecord, ...]


@dataclass(frozen=True, slots=True)
class LibraryContents:
    """What the library holds: its folders, and the documents that came from no folder."""

    stats: LibraryStats
    folders: tuple[FolderContents, ...]
    others: tuple[DocumentRecord, ...]


def contents(container: Container) -> LibraryContents:
    """Return what the library holds. Blocks.

    Raises:
        StorageError: it cannot be read.
    """
    library = container.library
    stats, shelves = library.stats(), folder_contents(container)
    of_files = {r.document for shelf in shelves for r in shelf.files if r.document}
    all_records = library.documents(EVERY, max(1, stats.documents))
    others = tuple(r for r in all_records if r.id not in of_files)
    return LibraryContents(stats, shelves, others)


def folder_contents(container: Container) -> tuple[FolderContents, ...]:
    """Return the folders that were added, with what became of their files. Blocks.

    Raises:
        StorageError: the library cannot be read.
    """
    book = container.library.book
    records: dict[str, list[FileRecord]] = {}
    for record in book.files():
        records.setdefault(record.folder, []).append(record)
    return tuple(
        FolderContents(folder, tuple(records.get(folder.path, ()))) for folder in book.folders()
    )


def explained(container: Container, paths: Iterable[str]) -> Iterator[FileExplanation]:
    """Say of each path whether it is in the library, and why not. Blocks."""
    from askance.adapters.library.files.walking import explain

    book, settings = container.library.book, container.settings.library
    return (explain(Path(path), book, settings) for path in paths)


def export_lines(container: Container) -> Iterator[str]:
    """Return all documents as lines of JSON that can be imported again. Blocks."""
    from askance.adapters.library.files.collected import as_line

    return (as_line(record, text) for record, text in container.library.every())


def found_one(container: Container, reference: str) -> DocumentRecord:
    """Return the document that an address, a path, an ID or the beginning of an ID means. Blocks.

    Raises:
        InputError: there is none, or more than one.
    """
    library = container.library
    found = library.find(reference)
    path = Path(os.path.normpath(Path(reference).expanduser().absolute()))
    if not found and not reference.startswith(("http://", "https://")):
        # A file's URL is that of its resolved path.
        found = library.find(Path(reference).expanduser().resolve().as_uri())
    match found:
        case [record]:
            return record
        # For a file that was left out the reason is recorded.
        case [] if (known := library.book.file(str(path))) and known.detail:
            raise InputError(
                f"The library does not hold {one_line(reference)!r}: {one_line(known.detail)}",
                fix="`askance library status PATH` says more.",
            )
        case []:
            raise InputError(
                f"The library holds no document {one_line(reference)!r}.",
                fix="`askance library list` shows what it holds.",
            )
        case _:
            raise InputError(
                f"{counted(len(found), 'document')} begin so.", fix="Give more of the ID."
            )


def remove(container: Container, references: Sequence[str]) -> Removed:
    """Delete what is named from the library: documents, files and folders. Blocks.

    Raises:
        InputError: something is not there.
        StorageError: the library cannot be written.
    """
    book = container.library.book
    documents: dict[str, None] = {}
    folders: list[str] = []
    files: list[str] = []
    for reference in references:
        path = str(Path(reference).expanduser().resolve())
        # With its separator, or `/notes` would take `/notes-old` along.
        inside = path.rstrip(os.sep) + os.sep
        below = [r for r in book.files() if r.path == path or r.path.startswith(inside)]
        is_folder = path in {folder.path for folder in book.folders()}
        if is_folder:
            folders.append(path)
        files += [record.path for record in below]
        found = [record.document for record in below if record.document]
        if not below and not is_folder:
            found = [found_one(container, reference).id]
        documents |= dict.fromkeys(found)
    return take_out(container, documents, folders, files=files)


def take_out(
    container: Container,
    documents: Iterable[str],
    folders: Iterable[str] = (),
    *,
    files: Iterable[str] = (),
) -> Removed:
    """Delete documents from the library, and folders with them. Their files stay as they are. Blocks.

    `files` are the paths of files all of whose documents go: a mailbox has many.

    Raises:
        StorageError: the library cannot be written.
    """
    library = container.library
    held = {path: library.book.documents_of(path) for path in files}
    wanted = dict.fromkeys(chain(documents, *held.values()))
    from askance.adapters.library.files.walking import taken_out

    removed = library.remove(list(wanted))
    gone = [r for r in library.book.files() if r.document in wanted or held.get(r.path)]
    library.book.note([taken_out(record) for record in gone])
    for path in folders:
        library.book.drop_folder(path)
    return removed


def embeds(container: Container) -> bool:
    """Whether an embedding model is set."""
    return container.settings.embeddings.api is not EmbeddingsApi.NONE


async def embed(
    container: Container,
    open_model: Callable[[], AbstractAsyncContextManager[App]],
    on_progress: OnEmbedded,
    *,
    anew: bool = False,
) -> EmbeddingProgress:
    """Embed what has no vector; with `anew` everything if the model is another one than before.

    `open_model` opens the chat model, which is used only if it is to put each passage into a line.

    Raises:
        InputError: the embedding model is not there.
        ServiceError: it does not answer.
    """
    async with AsyncExitStack() as stack:
        line = None
        if container.settings.embeddings.context_lines:
            from askance.engine.library_router import ContextLines
            from askance.engine.prompts import load_prompts

            # Opened only here: an embedded chat model takes seconds to load.
            app = await stack.enter_async_context(open_model())
            if app.model is not None:
                shared = container.settings.library.share_with_remote_model
                line = ContextLines(app.model, load_prompts(), shared)
        embedding = await stack.enter_async_context(
            container.embedding(on_progress=on_progress, line=line)
        )
        return EmbeddingProgress(0, 0) if embedding is None else await embedding.embed(anew=anew)


async def watch(container: Container, listeners: Listeners) -> None:
    """Follow all folders that were added, until it is cancelled.

    Raises:
        InputError: none was added.
    """
    if not container.library.book.folders():
        raise InputError(
            "There is no folder to watch.", fix="`askance library add FOLDER` adds one."
        )
    await container.folder_watch(listeners).run()
