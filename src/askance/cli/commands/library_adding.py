"""`askance library add`, `import`, `embed` and `watch`: what comes into the library, with its progress."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager, ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from askance.app import library
from askance.app.container import App, Container, ledger_recorder, without_model
from askance.app.library import FolderResult, ImportProgress, OnFolder
from askance.cli.commands.library import NO_FOLDER, file_record, file_row, summary
from askance.cli.exits import Exit, run_async, stoppable, write_line
from askance.cli.shell import Shell
from askance.domain.characters import one_line
from askance.domain.errors import AskanceError, InputError
from askance.domain.library import AddOutcome, FileRecord, Folder, Followed, Listeners, tally
from askance.domain.messages import Message
from askance.domain.ports.model import EmbeddingProgress
from askance.presentation.i18n import counted

if TYPE_CHECKING:
    from askance.cli.live import Advance

_KIB = 1024
_MOST_KINDS = 8
_WEB = ("http://", "https://")


def add(
    shell: Shell,
    places: Sequence[str],
    tags: Sequence[str],
    include: Sequence[str] | None,
    exclude: Sequence[str] | None,
    *,
    again: bool = False,
    as_json: bool = False,
) -> Exit:
    """Add folders, files and web pages; 0 if anything of them is in the library now.

    Where none is named, all folders that were added are looked at again, and the index is put right.

    Raises:
        InputError: a folder or file is not there, or a pattern is empty.
    """
    # No file is of an empty name: all of the folder would leave the library.
    if not all(pattern.strip() for pattern in (*(include or ()), *(exclude or ()))):
        raise InputError("An empty pattern was given.", fix="Write it as in '*.md'.")
    if not places:
        return _reindex(shell, again=again, as_json=as_json)
    urls = [place for place in places if place.lower().startswith(_WEB)]
    paths = [place for place in places if place not in urls]
    reporter = _AddReporter(shell, as_json)
    errors: list[InputError] = []

    def on_folder(result: FolderResult) -> None:
        if result.error is not None:
            errors.append(result.error)
        else:
            reporter.folder(result)

    with shell.container() as parts:
        folders = [
            _as_wished(folder, tags, include, exclude)
            for folder in library.folders_of(paths, parts.library.book.folders())
        ]
        _look(parts, folders, reporter, on_folder, again=again)
        if urls:
            run_async(_read(shell, parts, urls, tuple(tags), reporter))
        embed_added(shell, parts, as_json=as_json)
    if errors:
        # A folder named on the command line must be there; a look at all of them reports a missing one.
        raise errors[0]
    return reporter.exit()


def _reindex(shell: Shell, *, again: bool, as_json: bool) -> Exit:
    """Look at all folders again, and build the index anew where it is wrong."""
    reporter = _AddReporter(shell, as_json)
    with shell.container() as parts:
        library = parts.library
        folders = library.book.folders()
        if not folders:
            reporter.report(NO_FOLDER)
        _look(parts, folders, reporter, reporter.folder, again=again)
        wrong = library.check()
        for what in wrong:
            reporter.report(what)
        if again or wrong:
            with shell.bar("Indexing", library.stats().passages, as_json=as_json) as advance:
                n = library.rebuild(lambda by: advance(by=by))
            reporter.report(f"{counted(n, 'passage')} indexed anew.")
    return reporter.exit()


def import_lines(shell: Shell, file: Path, tags: Sequence[str], *, as_json: bool = False) -> Exit:
    """Add the documents of a file, one a line, with the addresses and origins that it tells.

    Whoever imports a file vouches for it, as for an own export; only what was read from the web since stays.

    Raises:
        InputError: the file cannot be read, or holds no document.
    """
    try:
        with shell.container() as parts:
            # Closed before the new documents are embedded, which draws a bar of its own.
            with closing(_LateBar(shell, "Adding (KiB)", as_json)) as bar:
                counts = library.import_lines(
                    parts, file, tags, lambda read, of: bar.reach(read // _KIB, of // _KIB)
                )
            embed_added(shell, parts, as_json=as_json)
    except OSError as exc:
        raise InputError(f"{file} cannot be read: {exc.strerror or exc}.") from exc
    if as_json:
        outcomes = {outcome.value: counts.outcomes[outcome] for outcome in AddOutcome}
        record = {"path": str(file), **outcomes, "bad_lines": counts.bad_lines}
        shell.stdout.line(json.dumps(record))
    else:
        named = [f"{n:,} {outcome}" for outcome in AddOutcome if (n := counts.outcomes[outcome])]
        shell.stdout.line(f"{', '.join(named) or 'No documents'}.")
        if counts.detail:
            shell.stdout.line(one_line(counts.detail))
    # After the record, so that a program that reads JSON gets its line.
    if not counts.outcomes.total():
        raise InputError(f"{file} holds no document.", fix="Each line is JSON with url and text.")
    return Exit.DONE


@dataclass
class _LateBar:
    """A bar that is drawn from the first report on: until then nobody knows how much there is to do."""

    shell: Shell
    label: str
    as_json: bool
    _stack: ExitStack = field(default_factory=ExitStack)
    _advance: Advance | None = None
    _done: int = 0

    def reach(self, done: int, of: int, last: str = "") -> None:
        if self._advance is None:
            bar = self.shell.bar(self.label, of, done=done, as_json=self.as_json)
            self._advance = self._stack.enter_context(bar)
        else:
            self._advance(last, done - self._done)
        self._done = done

    def close(self) -> None:
        """Take the bar away; the next report draws another one."""
        self._stack.close()
        self._advance = None


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

    def folder(self, result: FolderResult) -> None:
        if result.error is not None:
            self.file(result.records[0])
            self.report(str(result.error))
            return
        if self.as_json:
            return
        records = result.records
        unread = _unread_kinds(records)
        kinds = f" Not read: {unread}." if unread else ""
        self.shell.stdout.line(one_line(f"{result.folder.path}: {summary(records)}{kinds}"))
        if result.documents:
            new = f"{counted(result.documents, 'document')}, {counted(result.passages, 'passage')}"
            self.shell.stdout.line(f"  New: {new}.")
        if result.moved:
            self.shell.stdout.line(f"  Moved: {counted(result.moved, 'document')}.")
        if result.gone:
            self.shell.stdout.line(
                f"  Not in the folder any more, and deleted: {counted(result.gone, 'document')}."
            )
        # Whoever has such a file expects it to be followed.
        if any(record.path.endswith(f"{os.sep}.gitignore") for record in records):
            self.shell.stdout.line("  .gitignore is not followed: --exclude leaves files out.")
        for record in records:
            if record.is_partly_lost or _is_named_in_vain(record):
                self.shell.stdout.line(f"  {file_row(record)}")

    def page(self, step: ImportProgress) -> None:
        if (record := step.record) is None:
            return
        self.records.append(record)
        if self.as_json:
            fields = {"url": record.path, "state": record.state, "reason": str(record.detail)}
            self.shell.stdout.line(json.dumps({**fields, "document": record.document}))
        else:
            self.shell.stdout.line(file_row(record))

    def report(self, text: str) -> None:
        if not self.as_json:
            self.shell.stdout.line(one_line(text))

    def exit(self) -> Exit:
        counts = tally(self.records)
        refused = counts.failed or any(map(_is_named_in_vain, self.records))
        # The command fails only where all files failed.
        all_failed = refused and not counts.indexed + counts.unchanged
        return Exit.SERVICE_FAILED if all_failed else Exit.DONE


def _is_named_in_vain(record: FileRecord) -> bool:
    """Whether a file was named by hand, and is of a kind that is not read."""
    return library.is_of_unread_kind(record) and record.path == record.folder


def _unread_kinds(records: Sequence[FileRecord]) -> str:
    """Return of which kinds files of a folder are not read, the most frequent ones by their endings."""
    kinds = Counter(
        Path(r.path).suffix.lower() or "without an ending"
        for r in records
        if library.is_of_unread_kind(r)
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


def _look(
    parts: Container,
    folders: Sequence[Folder],
    reporter: _AddReporter,
    on_folder: OnFolder,
    *,
    again: bool = False,
) -> None:
    with closing(_LateBar(reporter.shell, "Reading", reporter.as_json)) as bar:

        def on_progress(step: ImportProgress) -> None:
            if step.record is not None:
                reporter.file(step.record)
            bar.reach(step.done, step.of, one_line(step.name))

        def ended(result: FolderResult) -> None:
            # Before the line of its folder is written, or the bar would draw over it.
            bar.close()
            on_folder(result)

        run_async(library.read_folders(parts, folders, on_progress, ended, again=again))


async def _read(
    shell: Shell,
    parts: Container,
    urls: Sequence[str],
    tags: tuple[str, ...],
    reporter: _AddReporter,
) -> None:
    async with shell.open_app(without_model(parts.settings), shell.folders) as app:
        sent = ledger_recorder(app.ledger, library.OCCASION)
        await library.read_pages(parts, app.reader, urls, reporter.page, sent=sent, tags=tags)


# `askance library embed` and `watch`: passages get their vectors, and folders are followed as they change.


def embed(shell: Shell, *, as_json: bool = False) -> Exit:
    """Embed what has no vector, or everything anew if the model is another one than before.

    Raises:
        InputError: no model is set, or it is not there.
        ServiceError: it does not answer.
    """
    with shell.container() as parts:
        if not library.embeds(parts):
            raise InputError(
                "No embedding model is set.",
                fix="`askance config set embeddings.api ollama` takes one of Ollama's.",
            )
        done = _embed(shell, parts, as_json=as_json, anew=True)
    if not as_json:
        shell.stdout.line(f"{done.done:,} of {counted(done.of, 'passage')} embedded.")
    if done.failed and not as_json:
        shell.stdout.line(one_line(f"{counted(done.failed, 'passage')} failed: {done.problem}"))
    return Exit.SERVICE_FAILED if done.failed else Exit.DONE


def embed_added(shell: Shell, parts: Container, *, as_json: bool = False) -> None:
    """Embed what was just added, where a model is set; that it fails costs nothing of what was added."""
    if not library.embeds(parts):
        return
    try:
        done = _embed(shell, parts, as_json=as_json)
    except AskanceError as exc:
        shell.note(str(exc))
        return
    if done.problem:
        shell.note(str(done.problem))


def _embed(
    shell: Shell, parts: Container, *, as_json: bool, anew: bool = False
) -> EmbeddingProgress:
    """Embed, and tell how far it is: as lines of JSON, or as a bar once the first state is known."""
    with closing(_LateBar(shell, "Embedding", as_json)) as bar:

        def on_progress(state: EmbeddingProgress) -> None:
            if as_json:
                record = {"type": "embedded", "done": state.done, "of": state.of}
                failure = {"failed": state.failed, "problem": str(state.problem)}
                shell.stdout.line(json.dumps({**record, **failure}))
            else:
                bar.reach(state.done, state.of, one_line(str(state.problem)))

        def opened() -> AbstractAsyncContextManager[App]:
            return shell.open_app(parts.settings, parts.folders)

        return run_async(library.embed(parts, opened, on_progress, anew=anew))


def watch(shell: Shell, *, as_json: bool = False) -> Exit:
    """Follow all folders that were added, until Ctrl-C.

    Raises:
        InputError: none was added.
    """
    reporter = _WatchReporter(shell, as_json=as_json)
    listeners = Listeners(
        reporter.watching, reporter.followed, reporter.caught_up, reporter.trouble
    )

    async def follow() -> None:
        await stoppable(library.watch(parts, listeners))

    with shell.container() as parts:
        run_async(follow())
    # Only Ctrl-C ends it.
    write_line(shell.stderr, "Stopped.")
    return Exit.INTERRUPTED


@dataclass
class _WatchReporter:
    shell: Shell
    as_json: bool

    def watching(self, folders: Sequence[Folder]) -> None:
        paths = [folder.path for folder in folders]
        self._report(
            {"type": "watching", "folders": paths},
            f"Watching {counted(len(paths), 'folder')}: {', '.join(paths)}. Ctrl-C ends it.",
        )

    def caught_up(self) -> None:
        self._report({"type": "caught_up"}, "Up to date.")

    def followed(self, followed: Followed) -> None:
        record = {
            "type": "file",
            "path": followed.path,
            "became": followed.became,
            "rule": followed.rule,
            "reason": str(followed.detail),
            "moved_from": followed.moved_from,
        }
        origin = f" (from {followed.moved_from})" if followed.moved_from else ""
        why = f": {followed.detail}" if followed.detail else ""
        self._report(record, f"{followed.path}{origin}{why}", f"{followed.became:<9} ")

    def trouble(self, trouble: Message) -> None:
        self._report({"type": "trouble", "reason": str(trouble)}, trouble)

    def _report(self, record: dict[str, Any], text: str, head: str = "") -> None:
        self.shell.stdout.line(json.dumps(record) if self.as_json else f"{head}{one_line(text)}")
