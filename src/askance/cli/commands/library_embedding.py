"""`askance library embed`: passages get their vectors, with the progress of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Generator
from contextlib import AsyncExitStack, ExitStack, closing, contextmanager
from typing import TYPE_CHECKING

from askance.cli.commands.library import opened
from askance.cli.exits import Exit
from askance.cli.shell import Shell
from askance.config.choices import EmbeddingsApi
from askance.config.settings import Settings
from askance.domain.embeddings import Embedded
from askance.domain.errors import AskanceError, InputError
from askance.presentation.i18n import counted
from askance.presentation.sanitizing import one_line
from askance.stores import library_embedding, open_ledger

if TYPE_CHECKING:
    from askance.engine.library_embedding import Line, Tell
    from askance.stores import KeptLibrary

Advance = Callable[[str, int], None]


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
        done = asyncio.run(_embed(shell, settings, library, as_json=as_json, anew=True))
    if not as_json:
        shell.stdout.line(f"{done.done:,} of {counted(done.of, 'passage')} embedded.")
    if done.failed and not as_json:
        shell.stdout.line(one_line(f"{counted(done.failed, 'passage')} failed: {done.problem}"))
    return Exit.SERVICE_FAILED if done.failed else Exit.DONE


def embed_added(
    shell: Shell, settings: Settings, library: KeptLibrary, *, as_json: bool = False
) -> None:
    """Embed what was just added, where a model is set; that it fails costs nothing of what was added."""
    if settings.embeddings.api is EmbeddingsApi.NONE:
        return
    try:
        done = asyncio.run(_embed(shell, settings, library, as_json=as_json))
    except AskanceError as exc:
        shell.note(str(exc))
        return
    if done.problem:
        shell.note(str(done.problem))


async def _embed(
    shell: Shell,
    settings: Settings,
    library: KeptLibrary,
    *,
    as_json: bool,
    anew: bool = False,
) -> Embedded:
    with (
        closing(open_ledger(settings, shell.folders, shell.complain)) as ledger,
        _progress(shell, as_json=as_json) as tell,
    ):
        async with AsyncExitStack() as stack:
            line = await _context_line(shell, settings, stack)
            embedding = await stack.enter_async_context(
                library_embedding(settings, library, tell=tell, line=line, ledger=ledger)
            )
            return Embedded(0, 0) if embedding is None else await embedding.embed(anew=anew)


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
def _progress(shell: Shell, *, as_json: bool) -> Generator[Tell]:
    """Tell how far it is: as lines of JSON, or as a bar where a terminal can be drawn over."""
    with ExitStack() as stack:
        shown: list[Embedded] = []

        def told(state: Embedded) -> None:
            if as_json:
                record = {"type": "embedded", "done": state.done, "of": state.of}
                failure = {"failed": state.failed, "problem": str(state.problem)}
                shell.stdout.line(json.dumps({**record, **failure}))
            elif shell.redraws:
                before = shown[-1] if shown else None
                if before is None:
                    bars.append(_bar(shell, stack, state))
                else:
                    bars[0](one_line(str(state.problem)), state.done - before.done)
            shown.append(state)

        bars: list[Advance] = []
        yield told


def _bar(shell: Shell, stack: ExitStack, state: Embedded) -> Advance:
    from askance.cli.render.question_bar import question_bar  # noqa: PLC0415 - rich costs 100 ms

    bar = question_bar(shell.stdout, shell.environment, state.done, state.of, "Embedding")
    return stack.enter_context(bar).advance
