"""Looking up in the library, and what becomes of what was found."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from askance.app.commands import LONGEST_SEARCHED_ABOUT
from askance.app.container import Container
from askance.domain.addresses import path_of
from askance.domain.file_formats import is_read
from askance.domain.library import (
    EVERY,
    DocumentRecord,
    Filters,
    LibraryHit,
    LibraryMatches,
    Origin,
    SearchMode,
)
from askance.domain.ports.storage import Library
from askance.presentation.sanitizing import one_line
from askance.text.ranking.passages import cut_around, without_fences

MOST_FOUND = 8
"""So many passages are shown: all of them can be asked about, and each then gets a sentence or two."""
_TITLE_CHARACTERS = 40


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

    With `copies` other documents with the text of a hit follow behind the hits, where there is room.

    Raises:
        StorageError: it cannot be read.
    """
    library = container.library
    async with container.router() as router:
        found = await replace(router, ledger=container.ledger).find(
            words, limit, filters, mode=mode
        )
    if with_copies:
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
    share = LONGEST_SEARCHED_ABOUT // len(hits) - 2  # the break between two
    return "\n\n".join(_piece(hit, share) for hit in hits)


def _piece(hit: LibraryHit, characters: int) -> str:
    title = one_line(hit.title)[:_TITLE_CHARACTERS].strip()
    head = f"{title}: " if title else ""
    text = " ".join(without_fences(hit.text).split())
    room = characters - len(head) - 2  # the dots at both ends
    if len(text) > room:
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
