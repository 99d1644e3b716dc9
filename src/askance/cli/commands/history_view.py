"""`askance history`: past conversations, listed, searched, shown again and written to files."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from askance.cli.exits import Exit, report_end, run_async
from askance.cli.render.output import marked, write_new
from askance.cli.render.views import follow
from askance.cli.shell import Shell
from askance.domain.characters import clean, one_line
from askance.domain.errors import InputError
from askance.domain.events import Cancelled, Emit, RunEnd
from askance.domain.history import ConversationRecord, ConversationSummary, Exchange
from askance.domain.ports.storage import History
from askance.presentation.i18n import counted, moment_row
from askance.presentation.transcripts import TranscriptFormat, document

LISTED = 50


def list_all(shell: Shell, limit: int = LISTED) -> Exit:
    """List the conversations, last used first."""
    with _history(shell) as history:
        found = history.conversations(limit + 1)
    for summary in found[:limit]:
        shell.stdout.line(row(summary))
    if not found:
        shell.stdout.line("No conversations are kept.")
    if len(found) > limit:
        shell.stdout.line(f"There are more; --limit shows more than {limit}.")
    return Exit.DONE


def search(shell: Shell, words: str, limit: int = LISTED) -> Exit:
    """Show the questions that hold all the words, or words that begin so, best first."""
    with _history(shell) as history:
        hits = history.search(words, limit)
    for hit in hits:
        shell.stdout.line(
            f"{hit.conversation:>5}  {moment_row(hit.asked_at)}  {one_line(hit.title)}"
        )
        shell.stdout.line(f"       {marked(hit.excerpt, hit.marks, bold=shell.redraws)}")
    if not hits:
        shell.stdout.line(f"No conversation holds {one_line(words)!r}.")
    return Exit.DONE


def show(shell: Shell, number: int, *, verbose: bool = False) -> Exit:
    """Show a conversation again as it was shown."""
    record = _found(shell, number)
    shell.stdout.line(row(record.summary))

    async def shown() -> None:
        for exchange in record.exchanges:
            await _shown(shell, exchange, verbose=verbose)

    run_async(shown())
    return Exit.DONE


def export(shell: Shell, number: int, form: TranscriptFormat, out: Path | None = None) -> Exit:
    """Write a conversation as Markdown, HTML or JSON to a new file, or to the standard output.

    Raises:
        InputError: the file is there already, or cannot be written.
    """
    text = document(_found(shell, number), form)
    if out is None:
        # A terminal would obey what a page or a model wrote; a pipe gets it as it was.
        shell.stdout.write(clean(text) if shell.stdout.isatty() else text)
        return Exit.DONE
    write_new(out, [text])
    shell.stdout.line(f"Saved to {out}.")
    return Exit.DONE


def rename(shell: Shell, number: int, title: str) -> Exit:
    """Give a conversation a title; a blank one makes it that of its first question again."""
    with _history(shell) as history:
        if not history.rename(number, clean(title)):
            raise _missing(number)
        record = history.conversation(number)
    if record is not None:  # another process can be quicker
        shell.stdout.line(row(record.summary))
    return Exit.DONE


def delete(shell: Shell, number: int) -> Exit:
    """Forget a conversation."""
    with _history(shell) as history:
        if not history.delete(number):
            raise _missing(number)
    shell.stdout.line("1 conversation forgotten.")
    return Exit.DONE


def clear(shell: Shell) -> Exit:
    """Forget all conversations, copies of their file, and what was typed and not sent."""
    with _history(shell) as history:
        gone = history.delete_all()
    with suppress(OSError):
        shell.folders.drafts.unlink(missing_ok=True)
    shell.stdout.line(f"{counted(gone, 'conversation')} forgotten.")
    return Exit.DONE


def row(summary: ConversationSummary) -> str:
    """Return a conversation on one line: number, when it was last used, questions, title."""
    asked = counted(summary.exchanges, "question")
    title = one_line(summary.title)
    return f"{summary.id:>5}  {moment_row(summary.updated_at)}  {asked:<12}  {title}"


async def _shown(shell: Shell, exchange: Exchange, *, verbose: bool) -> None:
    command = "" if exchange.command == "chat" else f"/{exchange.command} "
    shell.stdout.line()
    shell.stdout.line(one_line(f"> {command}{exchange.text}"))
    for line in clean(exchange.quote).splitlines():
        shell.stdout.line(f"  | {line}")
    for note in _notes(exchange):
        shell.stdout.line(note)
    if (end := exchange.answer or exchange.end) is None:
        return

    async def run(emit: Emit) -> RunEnd:
        for timed in exchange.events[:-1]:
            emit(timed.event)
        emit(end)
        return end

    await follow(shell.front(verbose=verbose, command=exchange.command), run)
    report_end(end, shell.stderr)


def _notes(exchange: Exchange) -> Sequence[str]:
    if exchange.damage:
        return [one_line(exchange.damage)]
    if isinstance(exchange.end, Cancelled):
        return ["Stopped."]
    return [] if exchange.end else ["This run was not finished."]


def _found(shell: Shell, number: int) -> ConversationRecord:
    with _history(shell) as history:
        record = history.conversation(number)
    if record is None:
        raise _missing(number)
    return record


def _missing(number: int) -> InputError:
    return InputError(
        f"There is no conversation {number}.", fix="`askance history` shows all of them."
    )


@contextmanager
def _history(shell: Shell) -> Generator[History]:
    """Open the history. What was to be kept no longer is forgotten before anything is shown."""
    with shell.container() as parts:
        parts.history.prune(parts.settings.history.days)
        yield parts.history
