"""`askance library add`, `import` and `reindex`: what comes into the library, with its progress.

The pages that a browser remembers come in after a question.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from askance.adapters.library.adding import ScanResult
from askance.adapters.library.collected import detail_of, fuller
from askance.adapters.library.lines import DocumentLines, store_all
from askance.adapters.library.walking import FORMAT
from askance.app.library import folders_of
from askance.app.stores import OpenLibrary, browser_histories, folder_reader, visited_pages
from askance.cli.commands.library import NO_FOLDER, file_record, file_row, opened, summary
from askance.cli.commands.library_upkeep import embed_added
from askance.cli.consent import confirmed
from askance.cli.exits import Exit, run_async
from askance.cli.shell import Shell, noting, without_model
from askance.config.regular_files import open_regular
from askance.config.settings import Settings
from askance.domain.errors import InputError, ServiceError
from askance.domain.library import (
    AddOutcome,
    Document,
    FileRecord,
    FileState,
    Folder,
    Origin,
    document_of,
    tally,
)
from askance.domain.messages import Message
from askance.domain.web import Page, PageReason, PageStatus
from askance.presentation.i18n import counted
from askance.presentation.sanitizing import one_line

if TYPE_CHECKING:
    from askance.cli.render.live import Advance

_KIB = 1024
_MOST_KINDS = 8
_WEB = ("http://", "https://")
_OF_OUTCOME = {AddOutcome.UNCHANGED: FileState.UNCHANGED}
_TAKEN = (
    "Of each page that was visited Askance keeps the address, the title, the description and the day of the "
    "last visit, on this computer.",
    "Left out are passwords, fragments and parameters that look like secrets in addresses, and pages "
    "without a title. What you typed into search engines stays in their addresses and titles.",
    "No page is downloaded, and the browser's file stays as it is.",
)


def add(
    shell: Shell,
    places: Sequence[str],
    tags: Sequence[str],
    include: Sequence[str] | None,
    exclude: Sequence[str] | None,
    *,
    as_json: bool = False,
) -> Exit:
    """Add folders, files and web pages; 0 if anything of them is in the library now.

    Raises:
        InputError: a folder or file is not there.
    """
    if not places:
        raise InputError("There is nothing to add.", fix="Name a folder, a file or an address.")
    settings = shell.settings()
    urls = [place for place in places if place.lower().startswith(_WEB)]
    paths = [place for place in places if place not in urls]
    reporter = _AddReporter(shell, as_json)
    with opened(shell) as library:
        folders = [
            _as_wished(folder, tags, include, exclude)
            for folder in folders_of(paths, library.book.folders())
        ]
        run_async(_look(settings, library, folders, reporter))
        if urls:
            run_async(_read(shell, settings, library, urls, tuple(tags), reporter))
        embed_added(shell, settings, library, as_json=as_json)
    return reporter.exit()


def reindex(shell: Shell, *, again: bool = False, as_json: bool = False) -> Exit:
    """Look at all folders again, and build the index anew where it is wrong."""
    reporter = _AddReporter(shell, as_json)
    with opened(shell) as library:
        folders = library.book.folders()
        if not folders:
            reporter.report(NO_FOLDER)
        look = _look(shell.settings(), library, folders, reporter, again=again, go_on=True)
        run_async(look)
        wrong = library.check()
        for what in wrong:
            reporter.report(what)
        if again or wrong:
            with shell.bar(
                "Indexing", library.stats().passages, as_json=reporter.as_json
            ) as advance:
                n = library.rebuild(lambda by: advance(by=by))
            reporter.report(f"{counted(n, 'passage')} indexed anew.")
    return reporter.exit()


def import_lines(shell: Shell, file: Path, tags: Sequence[str], *, as_json: bool = False) -> Exit:
    """Add the documents of a file, one a line, with the addresses and origins that it tells.

    Whoever imports a file vouches for it, as for an own export; only what was read from the web since stays.

    Raises:
        InputError: the file cannot be read, or holds no document.
    """
    lines = DocumentLines(file.expanduser().absolute(), tuple(tags))
    counts = Counter[AddOutcome]()
    try:
        with (
            open_regular(lines.path) as stream,
            opened(shell) as library,
            shell.bar(
                "Adding (KiB)", os.fstat(stream.fileno()).st_size // _KIB, as_json=as_json
            ) as advance,
        ):
            done = 0
            news = (d for d in lines.documents(stream) if not _is_read(library, d, counts))
            for added in store_all(library, news):
                advance(by=lines.read_bytes // _KIB - done)
                done = lines.read_bytes // _KIB
                counts.update(one.outcome for one in added)
        with opened(shell) as library:
            embed_added(shell, shell.settings(), library, as_json=as_json)
    except OSError as exc:
        raise InputError(f"{file} cannot be read: {exc.strerror or exc}.") from exc
    if as_json:
        record = {"path": str(file), **_by_outcome(counts), "bad_lines": lines.bad}
        shell.stdout.line(json.dumps(record))
    else:
        shell.stdout.line(f"{', '.join(_counts_text(counts)) or 'No documents'}.")
        if detail := detail_of(lines):
            shell.stdout.line(one_line(detail))
    if not counts.total():
        raise InputError(f"{file} holds no document.", fix="Each line is JSON with url and text.")
    return Exit.DONE


def _is_read(library: OpenLibrary, document: Document, counts: Counter[AddOutcome]) -> bool:
    """Whether the library has read a page of the web itself: then what an export says of it adds its tags alone."""
    if document.origin is not Origin.WEB:
        return False
    held = next((r for r in library.find(document.url) if r.origin is Origin.WEB), None)
    if held is None or library.text(held.id) == document.text:
        return False
    library.tag(held.id, document.tags, ())
    counts[AddOutcome.UNCHANGED] += 1
    return True


def add_history(
    shell: Shell,
    browser: str,
    places: Sequence[str],
    tags: Sequence[str],
    *,
    yes: bool = False,
    as_json: bool = False,
) -> Exit:
    """Add the pages that a browser remembers: one of a kind of browsers, or a file.

    Raises:
        InputError: there is no such file, it is none of a browser, or nobody agreed.
    """
    if places:
        raise InputError(
            "--history takes no other places.", fix="Add them with a command of their own."
        )
    files = browser_histories(browser)
    if not files:
        raise InputError(
            f"No history of {one_line(browser)!r} was found.", fix="Name its file instead."
        )
    if not yes and not _agreed(shell, files):
        shell.stdout.line("Nothing was added.")
        return Exit.DONE
    for file in files:
        _add_history(shell, file, tags, as_json=as_json)
    return Exit.DONE


@dataclass
class _AddReporter:
    """Says what becomes of files as it is kept: each as a line of JSON, or those that failed."""

    shell: Shell
    as_json: bool
    records: list[FileRecord] = field(default_factory=list[FileRecord])

    def file(self, record: FileRecord) -> None:
        self.records.append(record)
        if self.as_json:
            self.shell.stdout.line(json.dumps(file_record(record)))

    def folder(self, path: str, records: Sequence[FileRecord], looked: ScanResult) -> None:
        if self.as_json:
            return
        unread = _unread_kinds(records)
        kinds = f" Not read: {unread}." if unread else ""
        self.shell.stdout.line(one_line(f"{path}: {summary(records)}{kinds}"))
        if looked.documents:
            new = f"{counted(looked.documents, 'document')}, {counted(looked.passages, 'passage')}"
            self.shell.stdout.line(f"  New: {new}.")
        if looked.moved:
            self.shell.stdout.line(f"  Moved: {counted(looked.moved, 'document')}.")
        if looked.gone:
            self.shell.stdout.line(
                f"  Not in the folder any more, and deleted: {counted(len(looked.gone), 'document')}."
            )
        if any(Path(record.path).name == ".gitignore" for record in records):
            self.shell.stdout.line("  .gitignore is not followed: --exclude leaves files out.")
        for record in records:
            if record.is_partly_lost or _is_named_in_vain(record):
                self.shell.stdout.line(f"  {file_row(record)}")

    def missing(self, folder: str, error: InputError) -> None:
        self.file(FileRecord(folder, folder, FileState.FAILED, error.message))
        self.report(str(error))

    def page(self, url: str, state: FileState, reason: str, document: str = "") -> None:
        record = FileRecord(url, "", state, document=document)
        self.records.append(record)
        if self.as_json:
            fields = {"url": url, "state": state, "reason": reason, "document": document}
            self.shell.stdout.line(json.dumps(fields))
        else:
            self.shell.stdout.line(file_row(replace(record, detail=Message.verbatim(reason))))

    def report(self, text: str) -> None:
        if not self.as_json:
            self.shell.stdout.line(one_line(text))

    def exit(self) -> Exit:
        counts = tally(self.records)
        refused = counts.failed or any(map(_is_named_in_vain, self.records))
        all_failed = refused and not counts.indexed + counts.unchanged
        return Exit.SERVICE_FAILED if all_failed else Exit.DONE


def _is_named_in_vain(record: FileRecord) -> bool:
    """Whether a file was named by hand, and is of a kind that is not read."""
    return record.rule == FORMAT and record.path == record.folder


def _unread_kinds(records: Sequence[FileRecord]) -> str:
    """Return of which kinds files of a folder are not read, the most frequent ones by their endings."""
    kinds = Counter(
        Path(r.path).suffix.lower() or "without an ending" for r in records if r.rule == FORMAT
    )
    named = [f"{n:,} {kind}" for kind, n in kinds.most_common(_MOST_KINDS)]
    return ", ".join(named) + (" …" if len(kinds) > _MOST_KINDS else "")


def _as_wished(
    folder: Folder,
    tags: Sequence[str],
    include: Sequence[str] | None,
    exclude: Sequence[str] | None,
) -> Folder:
    """Return a folder with the patterns that it has, or is given now."""
    return Folder(
        folder.path,
        folder.include if include is None else tuple(include),
        folder.exclude if exclude is None else tuple(exclude),
        tuple(dict.fromkeys((*folder.tags, *tags))),
    )


async def _look(
    settings: Settings,
    library: OpenLibrary,
    folders: Sequence[Folder],
    reporter: _AddReporter,
    *,
    again: bool = False,
    go_on: bool = False,
) -> None:
    """Look at folders; with `go_on` one that is not there does not keep the others from being looked at."""
    if not folders:
        return
    async with folder_reader(settings, library) as reader:
        for folder in folders:
            seen: list[FileRecord] = []
            try:
                with ExitStack() as stack:
                    progress = _progress(reporter, stack, seen)
                    looked = await reader.look(folder, *progress, again=again)
            except InputError as exc:
                if not go_on:
                    raise
                reporter.missing(folder.path, exc)
            else:
                reporter.folder(folder.path, seen, looked)


def _progress(
    reporter: _AddReporter, stack: ExitStack, seen: list[FileRecord]
) -> tuple[Callable[[FileRecord], None], Callable[[int], None]]:
    advances: list[Advance] = []

    def counted_files(n: int) -> None:
        bar = reporter.shell.bar("Reading", n, as_json=reporter.as_json)
        advances.append(stack.enter_context(bar))

    def on_record(record: FileRecord) -> None:
        seen.append(record)
        reporter.file(record)
        for advance in advances:
            advance(one_line(Path(record.path).name), 1)

    return on_record, counted_files


async def _read(
    shell: Shell,
    settings: Settings,
    library: OpenLibrary,
    urls: Sequence[str],
    tags: tuple[str, ...],
    reporter: _AddReporter,
) -> None:
    async with shell.open_app(without_model(settings), shell.folders) as app:
        sent = noting(shell, app, "askance library add")
        for url in urls:
            try:
                page = await app.reader.read(url, sent=sent)
            except ServiceError as exc:
                page = Page(url, PageStatus.FAILED, PageReason.NETWORK, exc.message)
            if page.status is not PageStatus.OK:
                reporter.page(url, FileState.FAILED, str(page.detail or page.reason))
                continue
            (added,) = await asyncio.to_thread(library.add, [document_of(page, tags)])
            state = _OF_OUTCOME.get(added.outcome, FileState.INDEXED)
            reporter.page(url, state, "", added.id)


def _agreed(shell: Shell, files: Sequence[Path]) -> bool:
    for line in (*(str(file) for file in files), *_TAKEN):
        shell.stdout.line(one_line(line))
    try:
        return confirmed(shell, "Add it to the library? [y/N] ")
    except EOFError:
        shell.stdout.line()
        return False


def _add_history(shell: Shell, file: Path, tags: Sequence[str], *, as_json: bool) -> None:
    pages = visited_pages(file, shell.folders)
    counts = Counter[AddOutcome]()
    with opened(shell) as library:
        news = [page for page in pages if not fuller(library, page)]
        tagged = (replace(page, tags=(*page.tags, *tags)) for page in news)
        for added in store_all(library, tagged):
            counts.update(one.outcome for one in added)
    known = len(pages) - len(news)
    if as_json:
        record = {"path": str(file), **_by_outcome(counts), "held_already": known}
        shell.stdout.line(json.dumps(record))
        return
    parts = _counts_text(counts)
    if known:
        parts.append(f"{known:,} held already")
    shell.stdout.line(
        one_line(f"{file}: {counted(len(pages), 'page')}: {', '.join(parts) or 'none'}.")
    )


def _by_outcome(counts: Counter[AddOutcome]) -> dict[str, int]:
    return {outcome.value: counts[outcome] for outcome in AddOutcome}


def _counts_text(counts: Counter[AddOutcome]) -> list[str]:
    return [f"{counts[outcome]:,} {outcome}" for outcome in AddOutcome if counts[outcome]]
