"""`askance library embed` and `watch`: passages get their vectors, and folders are followed as they change."""

from __future__ import annotations

import json
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from askance.app import library
from askance.app.container import Container
from askance.app.library import OnEmbedded
from askance.cli.exits import Exit, run_async, stoppable
from askance.cli.render.output import write_line
from askance.cli.shell import Shell
from askance.domain.embeddings import EmbeddingProgress
from askance.domain.errors import AskanceError, InputError
from askance.domain.library import Folder, Followed, Listeners
from askance.domain.messages import Message
from askance.presentation.i18n import counted
from askance.presentation.sanitizing import one_line

if TYPE_CHECKING:
    from askance.cli.render.live import Advance


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
    with _progress(shell, as_json=as_json) as on_progress:
        return run_async(
            library.embed(
                parts,
                lambda: shell.open_app(parts.settings, parts.folders),
                on_progress,
                anew=anew,
            )
        )


@contextmanager
def _progress(shell: Shell, *, as_json: bool) -> Generator[OnEmbedded]:
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
    reporter = _WatchReporter(shell, as_json=as_json)
    listeners = Listeners(
        reporter.watching, reporter.followed, reporter.caught_up, reporter.trouble
    )

    async def follow() -> None:
        await stoppable(library.watch(parts, listeners))

    with shell.container() as parts:
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
