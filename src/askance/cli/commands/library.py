"""`askance library`: what is kept, listed, searched, shown, tagged, deleted and written to files."""

from __future__ import annotations

import dataclasses
import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from difflib import get_close_matches
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from askance.app import library
from askance.app.library import look_up
from askance.cli.exits import Exit, marked, run_async, write_new
from askance.cli.shell import Shell
from askance.domain.addresses import bare_address, path_of
from askance.domain.characters import clean, one_line
from askance.domain.errors import InputError
from askance.domain.file_formats import is_known, known_syntaxes
from askance.domain.library import (
    EVERY,
    DocumentKind,
    DocumentRecord,
    FileRecord,
    FileState,
    Filters,
    LibraryHit,
    LibraryStats,
    Origin,
    Removed,
    SearchMode,
    tally,
)
from askance.domain.web_pages import SearchScope
from askance.presentation.i18n import counted

_ID_CHARACTERS = 8
EMPTY = "The library is empty: `askance library add` fills it."
IN_PART = "in part"
NO_FOLDER = "No folder was added; `askance library add FOLDER` does it."
GONE = (
    "The folder is not there any more: add it where it is now; `askance library remove` forgets it."
)
_MIB = 1_048_576
_MOST_TAGS = 20
_FROM = {
    Origin.WEB: "From: the web.",
    Origin.FILE: "From: a file of yours.",
    Origin.IMPORT: "From: an import.",
}


def among(shell: Shell, references: Sequence[str]) -> SearchScope:
    """Return what narrows a question to documents of the library.

    Raises:
        InputError: one of them is not there, or more than one is meant.
    """
    with shell.container() as parts:
        found = [library.found_one(parts, reference) for reference in references]
    return SearchScope(documents=tuple(record.id for record in found))


def list_all(shell: Shell, limit: int, filters: Filters, *, as_json: bool = False) -> Exit:
    """List documents, the one that was read last first."""
    with shell.container() as parts:
        # One more than is shown tells whether there are more.
        found = parts.library.documents(filters, limit + 1)
        # An empty library and filters that nothing matches have different remedies.
        is_empty = not found and not parts.library.documents(EVERY, 1)
    for record in found[:limit]:
        shell.stdout.line(json.dumps(dataclasses.asdict(record)) if as_json else row(record))
    if as_json:
        return Exit.DONE
    if is_empty:
        shell.stdout.line(EMPTY)
    elif not found:
        shell.stdout.line("The library holds no such document.")
    if len(found) > limit:
        shell.stdout.line(f"There are more; --limit shows more than {limit}.")
    return Exit.DONE


def show(shell: Shell, reference: str, version: str = "", *, as_json: bool = False) -> Exit:
    """Show a document, its earlier versions, and its text."""
    with shell.container() as parts:
        record = library.found_one(parts, reference)
        text = parts.library.text(record.id, version)
        versions = parts.library.versions(record.id)
    if text is None:
        raise InputError(f"{version!r} is no version of {record.url}.")
    if as_json:
        earlier = [dataclasses.asdict(old) for old in versions]
        shell.stdout.line(
            json.dumps({**dataclasses.asdict(record), "earlier": earlier, "text": text})
        )
        return Exit.DONE
    shell.stdout.line(one_line(f"# {record.title or record.url}"))
    for line in _about(record):
        shell.stdout.line(one_line(line))
    for old in versions:
        until = old.until[:10]
        shell.stdout.line(f"Earlier text, until {until}: --version {old.content_hash[:12]}")
    shell.stdout.line()
    shell.stdout.line(clean(text))
    return Exit.DONE


def tag(shell: Shell, reference: str, tags: Sequence[str], *, remove: bool = False) -> Exit:
    """Tag a document, or take tags off it."""
    with shell.container() as parts:
        record = library.found_one(parts, reference)
        now = parts.library.tag(record.id, () if remove else tags, tags if remove else ())
    shell.stdout.line(one_line(f"{record.title or record.url}: {', '.join(now) or 'no tags'}"))
    return Exit.DONE


def remove(shell: Shell, references: Sequence[str]) -> Exit:
    """Delete documents, files and folders from the library.

    Raises:
        InputError: nothing is named, or something is not there.
    """
    # An empty one would be the folder where the program was started.
    if not references or not all(map(str.strip, references)):
        raise InputError("There is nothing to delete.", fix="Name it, or say --all.")
    with shell.container() as parts:
        removed = library.remove(parts, references)
    _report_removed(shell, removed)
    return Exit.DONE


def clear(shell: Shell) -> Exit:
    """Delete everything."""
    with shell.container() as parts:
        removed = parts.library.clear()
    _report_removed(shell, removed)
    return Exit.DONE


def export(shell: Shell, out: Path | None) -> Exit:
    """Write all documents as lines of JSON to a new file, or to the standard output.

    Raises:
        InputError: the file is there already, or cannot be written.
    """
    with shell.container() as parts:
        lines = library.export_lines(parts)
        if out is None:
            for line in lines:
                shell.stdout.line(line)
            return Exit.DONE
        n = write_new(out, (f"{line}\n" for line in lines))
    shell.stdout.line(f"{counted(n, 'document')} written to {out}.")
    return Exit.DONE


def stats(shell: Shell, *, as_json: bool = False) -> Exit:
    """Count what is kept."""
    with shell.container() as parts:
        found = parts.library.stats()
    if as_json:
        shell.stdout.line(json.dumps(dataclasses.asdict(found)))
        return Exit.DONE
    for line in _counts(found):
        shell.stdout.line(one_line(line))
    shell.stdout.line(clean(f"File: {shell.folders.library}, {found.bytes / _MIB:.1f} MiB"))
    if server := shell.settings().library.qdrant_url:
        shell.stdout.line(clean(f"Vectors: Qdrant, {bare_address(server)}"))
    return Exit.DONE


def status(shell: Shell, *, every: bool = False, as_json: bool = False) -> Exit:
    """Show for each folder what was indexed, what was not, and why."""
    with shell.container() as parts:
        shelves = library.folder_contents(parts)
    for shelf in shelves:
        folder, of_it = shelf.folder, shelf.files
        counts = tally(of_it)
        if as_json:
            fields = dataclasses.asdict(folder) | dataclasses.asdict(counts)
            shell.stdout.line(json.dumps({"type": "folder", **fields, "coverage": counts.coverage}))
            for record in of_it:
                shell.stdout.line(json.dumps({"type": "file", **file_record(record)}))
            continue
        shell.stdout.line(one_line(f"{folder.path}: {summary(of_it)}"))
        if not os.path.lexists(folder.path):
            shell.stdout.line(f"  {GONE}")
        for record in of_it:
            if every or record.is_partly_lost:
                shell.stdout.line(f"  {file_row(record)}")
    if not shelves and not as_json:
        shell.stdout.line(NO_FOLDER)
    return Exit.DONE


def explained(shell: Shell, paths: Sequence[str], *, as_json: bool = False) -> Exit:
    """Say of each path whether it is in the library, and why not."""
    with shell.container() as parts:
        found = list(library.explained(parts, paths))
    for answer in found:
        if as_json:
            shell.stdout.line(json.dumps({"type": "path", **dataclasses.asdict(answer)}))
            continue
        why = f": {answer.detail}" if answer.detail else ""
        shell.stdout.line(f"{answer.standing:<9}  {one_line(f'{answer.path}{why}')}")
        if answer.folder:
            shell.stdout.line(one_line(f"  Folder: {answer.folder}"))
        if answer.documents:
            shell.stdout.line(f"  Documents: {len(answer.documents):,}")
    return Exit.DONE


def summary(records: Iterable[FileRecord]) -> str:
    """Return what became of files, in one line."""
    counts = tally(records)
    parts = [
        f"{n:,} {state}"
        for state in FileState
        if (n := getattr(counts, state.value)) or state is FileState.INDEXED
    ]
    if counts.partial:
        parts.append(f"{counts.partial:,} of those found in part")
    return f"{', '.join(parts)}."


def file_row(record: FileRecord) -> str:
    """Return a file and what became of it, on one line."""
    why = f": {record.detail}" if record.detail else ""
    state = IN_PART if record.is_partial else record.state
    return f"{state:<9}  {one_line(f'{record.path}{why}')}"


def file_record(record: FileRecord) -> dict[str, Any]:
    """Return a file and what became of it, for other programs."""
    return {
        "path": record.path,
        "state": record.state,
        "is_partial": record.is_partial,
        "rule": record.rule,
        "reason": str(record.detail),
        "document": record.document,
    }


def row(record: DocumentRecord) -> str:
    """Return a document on one line: ID, day, title, address."""
    tags = f"  [{', '.join(record.tags)}]" if record.tags else ""
    # The beginning is enough: every command takes an ID that is cut off.
    head = f"{record.id[:_ID_CHARACTERS]}  {one_line(record.fetched_at[:10])}"
    title, url = one_line(record.title or "Untitled"), one_line(f"{address(record.url)}{tags}")
    return f"{head}  {title}  {url}"


def _report_removed(shell: Shell, removed: Removed) -> None:
    parts = [counted(removed.passages, "passage")]
    if removed.versions:
        parts.append(counted(removed.versions, "version"))
    if removed.vectors:
        parts.append(counted(removed.vectors, "vector"))
    *first, last = parts
    parts_text = f"{', '.join(first)} and {last}" if first else last
    shell.stdout.line(f"{counted(removed.documents, 'document')} deleted, with {parts_text}.")
    for reason in removed.left:
        shell.stdout.line(one_line(reason))


def _about(record: DocumentRecord) -> list[str]:
    kind = f"{record.kind}, {record.syntax}" if record.syntax else record.kind
    dates = f"read {record.fetched_at[:10]}"
    if record.published:
        dates = f"published {record.published}, {dates}"
    counts = f"{counted(record.words, 'word')} in {counted(record.passages, 'passage')}"
    return [
        f"<{address(record.url)}>",
        f"{record.id}, {kind}, {record.language}, {dates}, {counts}",
        _FROM[record.origin],
        *([f"Tags: {', '.join(record.tags)}"] if record.tags else []),
    ]


def _counts(found: LibraryStats) -> list[str]:
    lines = [
        f"{counted(found.documents, 'document')}, {counted(found.passages, 'passage')}, "
        f"{counted(found.words, 'word')}; {counted(found.versions, 'earlier version')}."
    ]
    lines += [
        f"Embedded by {model}: {n:,} of {counted(found.passages, 'passage')}."
        for model, n in found.embedded.items()
    ]
    named: dict[str, Mapping[str, int]] = {
        "Origins": found.origins,
        "Kinds": found.kinds,
        "Passages by language": found.languages,
        "Tags": dict(list(found.tags.items())[:_MOST_TAGS]),
    }
    for name, counts in named.items():
        if counts:
            lines.append(f"{name}: {', '.join(f'{key} {n:,}' for key, n in counts.items())}")
    return lines


def address(url: str) -> str:
    """Return an address for people: a file's is its path."""
    location, mark, part = url.partition("#")
    path = path_of(location)
    return f"{path}{mark}{unquote(part)}" if path else url


# `askance library search`: the passages that fit some words best.

# What other programs get of a passage.
_HIT_FIELDS = (
    *("url", "title", "snippet", "score", "origin", "document", "passage", "heading", "offset"),
    *("page", "marks", "kind", "syntax", "language", "published", "fetched_at", "tags"),
)
_LANGUAGE = re.compile(r"[a-z]{2,3}")
# A day, a month or a year: 2026-01-31, 2026-01, 2026.
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
            parts,
            wanted,
            limit,
            filters,
            mode=SearchMode(mode),
            # Copies are found by their text alone: filters might leave some of them out.
            with_copies=filters == EVERY,
        )
        looked = run_async(looking)
    for note in looked.found.notes:
        shell.note(str(note))
    hits = looked.found.hits
    if as_json:
        for hit in hits:
            record = {name: getattr(hit, name) for name in _HIT_FIELDS}
            shell.stdout.line(json.dumps(record | {"score": round(hit.score, 4)}))
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
        # Filled up to a whole day: 2026 and 2026-01 become 2026-01-01.
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
        among = " with these filters" if is_filtered else ""
        shell.stdout.line(f"No passage in the library matches {one_line(words)!r}{among}.")
