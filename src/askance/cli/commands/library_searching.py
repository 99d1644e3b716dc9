"""`askance library search`: the passages that fit some words best."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any

from askance.cli.commands.library import address, opened
from askance.cli.exits import Exit
from askance.cli.render.output import marked
from askance.cli.shell import Shell
from askance.domain.errors import InputError
from askance.domain.library import Filters, Found, LibraryHit, SearchMode
from askance.presentation.sanitizing import clean, one_line
from askance.stores import library_router, open_ledger

if TYPE_CHECKING:
    from askance.stores import KeptLibrary


def search(
    shell: Shell,
    words: str,
    limit: int,
    filters: Filters,
    *,
    mode: str = SearchMode.AUTO,
    as_json: bool = False,
) -> Exit:
    """Show the passages that fit some words best, best first.

    Raises:
        InputError: there are no words, or there is no such mode.
    """
    if mode not in set(SearchMode):
        raise InputError(
            f"{mode!r} is no way to search.", fix=f"Choose one of {', '.join(SearchMode)}."
        )
    if not (wanted := clean(words).strip()):
        raise InputError("There is nothing to search for.", fix="Type some words.")
    with opened(shell) as library:
        found = asyncio.run(_found(shell, library, wanted, limit, filters, SearchMode(mode)))
        hits = found.hits
        is_empty = not hits and not library.documents(Filters(), 1)
    if as_json:
        for hit in hits:
            shell.stdout.line(json.dumps(_hit_record(hit)))
    else:
        show_hits(shell, words, hits, is_empty=is_empty)
    return Exit.DONE


def show_hits(shell: Shell, words: str, hits: Sequence[LibraryHit], *, is_empty: bool) -> None:
    """Show passages for people, or say that there are none."""
    for hit in hits:
        shell.stdout.line(one_line(f"{hit.title or hit.url}"))
        heading = f"  {one_line(hit.heading)}" if hit.heading else ""
        shell.stdout.line(f"    {one_line(address(hit.url))}{heading}")
        shell.stdout.line(f"    {marked(hit.snippet, hit.marks, bold=shell.redraws)}")
    if is_empty:
        shell.stdout.line("The library is empty: `askance library add` fills it.")
    elif not hits:
        shell.stdout.line(f"The library holds nothing on {one_line(words)!r}.")


async def _found(
    shell: Shell,
    library: KeptLibrary,
    words: str,
    limit: int,
    filters: Filters,
    mode: SearchMode,
) -> Found:
    settings = shell.settings()
    with closing(open_ledger(settings, shell.folders, shell.complain)) as ledger:
        async with library_router(settings, library, ledger=ledger) as router:
            found = await router.find(words, limit, filters, mode=mode)
    for note in found.notes:
        shell.note(str(note))
    return found


def _hit_record(hit: LibraryHit) -> dict[str, Any]:
    return {
        "url": hit.url,
        "title": hit.title,
        "snippet": hit.snippet,
        "score": round(hit.score, 4),
        "origin": hit.origin,
        "document": hit.document,
        "passage": hit.passage,
        "heading": hit.heading,
        "offset": hit.offset,
        "marks": hit.marks,
        "kind": hit.kind,
        "syntax": hit.syntax,
        "language": hit.language,
        "published": hit.published,
        "fetched_at": hit.fetched_at,
        "tags": hit.tags,
    }
