"""`askance library search`: the passages that fit some words best."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import datetime
from difflib import get_close_matches
from typing import Any

from askance.app.library_search import look_up
from askance.cli.commands.library import EMPTY, address
from askance.cli.exits import Exit, run_async
from askance.cli.render.output import marked
from askance.cli.shell import Shell
from askance.domain.errors import InputError
from askance.domain.file_formats import is_known, known_syntaxes
from askance.domain.library import (
    EVERY,
    DocumentKind,
    Filters,
    LibraryHit,
    Origin,
    SearchMode,
)
from askance.presentation.sanitizing import clean, one_line

_LANGUAGE = re.compile(r"[a-z]{2,3}")
_DATE = re.compile(r"\d{4}(-\d\d){0,2}")


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
    with shell.container() as parts:
        looking = look_up(
            parts, wanted, limit, filters, mode=SearchMode(mode), with_copies=filters == EVERY
        )
        looked = run_async(looking)
    for note in looked.found.notes:
        shell.note(str(note))
    hits = looked.found.hits
    if as_json:
        for hit in hits:
            shell.stdout.line(json.dumps(_hit_record(hit)))
    else:
        show_hits(shell, words, hits, is_empty=looked.is_empty, is_filtered=filters != EVERY)
    return Exit.DONE


def refuse_unknown(filters: Filters) -> None:
    """Refuse filters that no document can meet: an empty answer would say something of the library.

    Raises:
        InputError: a kind, an origin, a language, a programming language or a date is none.
    """
    known = {"kind": (filters.kind, set(DocumentKind)), "origin": (filters.origin, set(Origin))}
    for name, (value, values) in known.items():
        if value and value not in values:
            fix = f"Choose one of {', '.join(sorted(values))}."
            raise InputError(f"--{name} {one_line(value)!r} is unknown.", fix=fix)
    if filters.language and not _LANGUAGE.fullmatch(filters.language):
        raise InputError(
            f"--language {one_line(filters.language)!r} is no code of a language.",
            fix="Give its two letters, such as en or de.",
        )
    if filters.syntax and not is_known(filters.syntax):
        near = get_close_matches(filters.syntax.lower(), known_syntaxes(), 1, 0.5)
        fix = f"Did you mean {near[0]}?" if near else "Give one such as python or c++."
        raise InputError(f"--syntax {one_line(filters.syntax)!r} is unknown.", fix=fix)
    for name, date in {"since": filters.since, "until": filters.until}.items():
        if date and not _is_date(date):
            raise InputError(
                f"--{name} {one_line(date)!r} is no date.",
                fix="Write it as in 2026-01-31, 2026-01 or 2026.",
            )


def _is_date(text: str) -> bool:
    if not _DATE.fullmatch(text):
        return False
    try:
        datetime.fromisoformat(f"{text}-01-01"[:10])
    except ValueError:
        return False
    return True


def show_hits(
    shell: Shell,
    words: str,
    hits: Sequence[LibraryHit],
    *,
    is_empty: bool,
    is_filtered: bool = False,
) -> None:
    """Show passages for people, or say that there are none."""
    for hit in hits:
        shell.stdout.line(one_line(f"{hit.title or hit.url}"))
        heading = f"  {one_line(hit.heading)}" if hit.heading else ""
        heading += f"  page {hit.page}" if hit.page else ""
        imported = "imported: " if hit.origin is Origin.IMPORT else ""
        shell.stdout.line(f"    {imported}{one_line(address(hit.url))}{heading}")
        shell.stdout.line(f"    {marked(hit.snippet, hit.marks, bold=shell.redraws)}")
    if is_empty:
        shell.stdout.line(EMPTY)
    elif not hits:
        among = " that meets these filters" if is_filtered else ""
        shell.stdout.line(f"The library holds nothing on {one_line(words)!r}{among}.")


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
        "page": hit.page,
        "marks": hit.marks,
        "kind": hit.kind,
        "syntax": hit.syntax,
        "language": hit.language,
        "published": hit.published,
        "fetched_at": hit.fetched_at,
        "tags": hit.tags,
    }
