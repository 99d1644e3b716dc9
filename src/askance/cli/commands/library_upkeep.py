"""`askance library embed` and `watch`: passages get their vectors, and folders are followed as they change."""

from __future__ import annotations

import json
from collections.abc import Generator, Sequence
from contextlib import AsyncExitStack, ExitStack, closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from askance.adapters.library.watching import Followed, Listeners
from askance.app.stores import folder_watch, library_embedding, open_ledger
from askance.cli.commands.library import opened
from askance.cli.exits import Exit, run_async, stoppable
from askance.cli.render.output import write_line
from askance.cli.shell import Shell
from askance.config.choices import EmbeddingsApi
from askance.config.settings import Settings
from askance.domain.embeddings import EmbeddingProgress
from askance.domain.errors import AskanceError, InputError
from askance.domain.library import Folder
from askance.domain.messages import Message
from askance.presentation.i18n import counted
from askance.presentation.sanitizing import one_line

if TYPE_CHECKING:
    from askance.app.stores import OpenLibrary
    from askance.cli.render.live import Advance
    from askance.engine.library_embedding import Line, OnProgress


def embed(shell: Shell, *, as_json: bool = False) -> Exit:
    """Embed what has no vector, or everything anew if the model is another one than before.

    Raises:
        InputError: no model is set, or it is not there.
        ServiceError: it does not answer.
    """
    settings = shell.settings()
    if settings.embeddings.api is EmbeddingsApi.NONE:
        raise InputError(
            "No embedding model is set.",
            fix="`askance config set embeddings.api ollama` takes one of Ollama's.",
        )
    with opened(shell) as library:
        done = run_async(_embed(shell, settings, library, as_json=as_json, anew=True))
    if not as_json:
        shell.stdout.line(f"{done.done:,} of {counted(done.of, 'passage')} embedded.")
    if done.failed and not as_json:
        shell.stdout.line(one_line(f"{counted(done.failed, 'passage')} failed: {done.problem}"))
    return Exit.SERVICE_FAILED if done.failed else Exit.DONE


def embed_added(
    shell: Shell, settings: Settings, library: OpenLibrary, *, as_json: bool = False
) -> None:
    """Embed what was just added, where a model is set; that it fails costs nothing of what was added."""
    if settings.embeddings.api is EmbeddingsApi.NONE:
        return
    try:
        done = run_async(_embed(shell, settings, library, as_json=as_json))
    except AskanceError as exc:
        shell.note(str(exc))
        return
    if done.problem:
        shell.note(str(done.problem))


async def _embed(
    shell: Shell,
    settings: Settings,
    library: OpenLibrary,
    *,
    as_json: bool,
    anew: bool = False,
) -> EmbeddingProgress:
    with (
        closing(open_ledger(settings, shell.folders, shell.complain)) as ledger,
        _progress(shell, as_json=as_json) as on_progress,
    ):
        async with AsyncExitStack() as stack:
            line = await _context_line(shell, settings, stack)
            embedding = await stack.enter_async_context(
                library_embedding(
                    settings, library, on_progress=on_progress, line=line, ledger=ledger
                )
            )
            return (
                EmbeddingProgress(0, 0) if embedding is None else await embedding.embed(anew=anew)
            )


async def _context_line(shell: Shell, settings: Settings, stack: AsyncExitStack) -> Line | None:
    """Open the chat model, if it is to put each passage into a line."""
    if not settings.embeddings.context_lines:
        return None
    from askance.engine.library_embedding import ContextLines  # noqa: PLC0415 - rarely wanted
    from askance.engine.prompts import load_prompts  # noqa: PLC0415

    app = await stack.enter_async_context(shell.open_app(settings, shell.folders))
    if app.model is None:
        return None
    return ContextLines(app.model, load_prompts(), settings.library.share_with_remote_model)


@contextmanager
def _progress(shell: Shell, *, as_json: bool) -> Generator[OnProgress]:
    """Tell how far it is: as lines of JSON, or as a bar once the first state is known."""
    with ExitStack() as stack:
        bars: list[Advance] = []
        done = 0

        def on_progress(state: EmbeddingProgress) -> None:
            nonlocal done
            if as_json:
                record = {"type": "embedded", "done": state.done, "of": state.of}
                failure = {"failed": state.failed, "problem": str(state.problem)}
                shell.stdout.line(json.dumps({**record, **failure}))
            elif bars:
                bars[0](one_line(str(state.problem)), state.done - done)
            else:
                bar = shell.bar("Embedding", state.of, done=state.done)
                bars.append(stack.enter_context(bar))
            done = state.done

        yield on_progress


def watch(shell: Shell, *, as_json: bool = False) -> Exit:
    """Follow all folders that were added, until Ctrl-C.

    Raises:
        InputError: none was added.
    """
    settings = shell.settings()
    with opened(shell) as library:
        if not library.book.folders():
            raise InputError(
                "There is no folder to watch.", fix="`askance library add FOLDER` adds one."
            )
        reporter = _WatchReporter(shell, as_json=as_json)
        listeners = Listeners(
            reporter.watching, reporter.followed, reporter.caught_up, reporter.trouble
        )

        async def follow() -> None:
            await stoppable(folder_watch(settings, shell.folders, library, listeners).run())

        run_async(follow())
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
