"""`askance library add`, `import` and `reindex`: what comes into the library, with its progress."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from askance.adapters.library.adding import Looked
from askance.adapters.library.batches import keep_all
from askance.adapters.library.collected import detail_of
from askance.adapters.library.lines import DocumentLines
from askance.cli.commands.library import NO_FOLDER, file_record, file_row, opened, summary
from askance.cli.commands.library_embedding import embed_added
from askance.cli.exits import Exit
from askance.cli.shell import Shell, noting, without_model
from askance.config.settings import Settings
from askance.domain.errors import InputError, ServiceError
from askance.domain.library import (
    FileRecord,
    FileState,
    Folder,
    Outcome,
    document_of,
    tally,
)
from askance.domain.messages import Message
from askance.domain.web import Page, PageReason, PageStatus
from askance.presentation.i18n import counted
from askance.presentation.sanitizing import one_line
from askance.stores import KeptLibrary, folder_reader

_KIB = 1024
_Advance = Callable[[str, int], None]
"""Is told what was done last, and how much that is."""
_WEB = ("http://", "https://")
_OF_OUTCOME = {Outcome.UNCHANGED: FileState.UNCHANGED}


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
    paths = [_resolved(place) for place in places if place not in urls]
    telling = _Telling(shell, as_json)
    with opened(shell) as library:
        known = {folder.path: folder for folder in library.book.folders()}
        folders = [_folder(known.get(path), path, tags, include, exclude) for path in paths]
        asyncio.run(_look(settings, library, folders, telling, again=False))
        if urls:
            asyncio.run(_read(shell, settings, library, urls, tuple(tags), telling))
        embed_added(shell, settings, library, as_json=as_json)
    return telling.exit()


def reindex(shell: Shell, *, again: bool = False, as_json: bool = False) -> Exit:
    """Look at all folders again, and build the index anew where it is wrong."""
    telling = _Telling(shell, as_json)
    with opened(shell) as library:
        folders = library.book.folders()
        if not folders:
            telling.say(NO_FOLDER)
        asyncio.run(_look(shell.settings(), library, folders, telling, again=again))
        wrong = library.check()
        for what in wrong:
            telling.say(what)
        if again or wrong:
            with _bar(shell, as_json, library.stats().passages, "Indexing") as advance:
                n = library.rebuild(lambda done: advance("", done))
            telling.say(f"{counted(n, 'passage')} indexed anew.")
    return Exit.DONE


def import_lines(shell: Shell, file: Path, tags: Sequence[str], *, as_json: bool = False) -> Exit:
    """Add the documents of a file, one a line.

    Raises:
        InputError: the file cannot be read, or holds no document.
    """
    lines = DocumentLines(file.expanduser().absolute(), tuple(tags))
    counts = dict.fromkeys(Outcome, 0)
    try:
        size = lines.path.stat().st_size
        with (
            lines.path.open("rb") as stream,
            opened(shell) as library,
            _bar(shell, as_json, size // _KIB, "Adding (KiB)") as advance,
        ):
            done = 0
            for added in keep_all(library, lines.documents(stream)):
                advance("", lines.read_bytes // _KIB - done)
                done = lines.read_bytes // _KIB
                for one in added:
                    counts[one.outcome] += 1
        with opened(shell) as library:
            embed_added(shell, shell.settings(), library, as_json=as_json)
    except OSError as exc:
        raise InputError(f"{file} cannot be read: {exc.strerror}.") from exc
    if as_json:
        told = {outcome.value: n for outcome, n in counts.items()}
        shell.stdout.line(json.dumps({"path": str(file), **told, "bad_lines": lines.bad}))
    else:
        said = ", ".join(f"{n:,} {outcome}" for outcome, n in counts.items() if n)
        shell.stdout.line(f"{said or 'No documents'}.")
        if detail := detail_of(lines):
            shell.stdout.line(one_line(detail))
    if not sum(counts.values()):
        raise InputError(f"{file} holds no document.", fix="Each line is JSON with url and text.")
    return Exit.DONE


@dataclass
class _Telling:
    """Says what becomes of files as it is kept: each as a line of JSON, or those that failed."""

    shell: Shell
    as_json: bool
    records: list[FileRecord] = field(default_factory=list[FileRecord])

    def file(self, record: FileRecord) -> None:
        self.records.append(record)
        if self.as_json:
            self.shell.stdout.line(json.dumps(file_record(record)))

    def folder(self, path: str, records: Sequence[FileRecord], looked: Looked) -> None:
        if self.as_json:
            return
        self.shell.stdout.line(one_line(f"{path}: {summary(records)}"))
        if looked.documents:
            new = f"{counted(looked.documents, 'document')}, {counted(looked.passages, 'passage')}"
            self.shell.stdout.line(f"  New: {new}.")
        if looked.gone:
            self.shell.stdout.line(
                f"  Not in the folder any more, and deleted: {counted(len(looked.gone), 'document')}."
            )
        for record in records:
            if record.state is FileState.FAILED:
                self.shell.stdout.line(f"  {file_row(record)}")

    def page(self, url: str, state: FileState, reason: str, document: str = "") -> None:
        record = FileRecord(url, "", state, document=document)
        self.records.append(record)
        if self.as_json:
            told = {"url": url, "state": state, "reason": reason, "document": document}
            self.shell.stdout.line(json.dumps(told))
        else:
            self.shell.stdout.line(file_row(replace(record, detail=Message.verbatim(reason))))

    def say(self, said: str) -> None:
        if not self.as_json:
            self.shell.stdout.line(one_line(said))

    def exit(self) -> Exit:
        counts = tally(self.records)
        all_failed = counts.failed and not counts.indexed + counts.unchanged
        return Exit.SERVICE_FAILED if all_failed else Exit.DONE


def _resolved(place: str) -> str:
    path = Path(place).expanduser()
    try:
        return str(path.resolve(strict=True))
    except (OSError, RuntimeError, ValueError) as exc:
        why = exc.strerror if isinstance(exc, OSError) else "it leads nowhere"
        raise InputError(f"{place} cannot be read: {why}.") from exc


def _folder(
    known: Folder | None,
    path: str,
    tags: Sequence[str],
    include: Sequence[str] | None,
    exclude: Sequence[str] | None,
) -> Folder:
    """Return a folder with the patterns that it has, or is given now."""
    before = known or Folder(path)
    return Folder(
        path,
        before.include if include is None else tuple(include),
        before.exclude if exclude is None else tuple(exclude),
        tuple(dict.fromkeys((*before.tags, *tags))),
    )


async def _look(
    settings: Settings,
    library: KeptLibrary,
    folders: Sequence[Folder],
    telling: _Telling,
    *,
    again: bool,
) -> None:
    if not folders:
        return
    async with folder_reader(settings, library) as reader:
        for folder in folders:
            seen: list[FileRecord] = []
            with ExitStack() as stack:
                looked = await reader.look(folder, *_progress(telling, stack, seen), again=again)
            telling.folder(folder.path, seen, looked)


def _progress(
    telling: _Telling, stack: ExitStack, seen: list[FileRecord]
) -> tuple[Callable[[FileRecord], None], Callable[[int], None]]:
    advances: list[_Advance] = []

    def counted_files(n: int) -> None:
        bar = _bar(telling.shell, telling.as_json, n, "Reading")
        advances.append(stack.enter_context(bar))

    def told(record: FileRecord) -> None:
        seen.append(record)
        telling.file(record)
        for advance in advances:
            advance(one_line(Path(record.path).name), 1)

    return told, counted_files


async def _read(
    shell: Shell,
    settings: Settings,
    library: KeptLibrary,
    urls: Sequence[str],
    tags: tuple[str, ...],
    telling: _Telling,
) -> None:
    async with shell.open_app(without_model(settings), shell.folders) as app:
        sent = noting(shell, app, "askance library add")
        for url in urls:
            try:
                page = await app.reader.read(url, sent=sent)
            except ServiceError as exc:
                page = Page(url, PageStatus.FAILED, PageReason.NETWORK, exc.message)
            if page.status is not PageStatus.OK:
                telling.page(url, FileState.FAILED, str(page.detail or page.reason))
                continue
            (added,) = await asyncio.to_thread(library.add, [document_of(page, tags)])
            state = _OF_OUTCOME.get(added.outcome, FileState.INDEXED)
            telling.page(url, state, "", added.id)


@contextmanager
def _bar(shell: Shell, as_json: bool, of: int, label: str) -> Generator[_Advance]:
    """Draw a bar on a terminal that can be drawn over; elsewhere nothing."""
    if as_json or not shell.redraws:
        yield lambda _last, _by: None
        return
    from askance.cli.render.question_bar import question_bar  # noqa: PLC0415 - rich costs 100 ms

    with question_bar(shell.stdout, shell.environment, 0, of, label) as bar:
        yield bar.advance
