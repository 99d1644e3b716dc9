"""Passages of the library get their vectors, and its folders are followed."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack

from askance.app.container import App, Container
from askance.config.choices import EmbeddingsApi
from askance.domain.embeddings import EmbeddingProgress
from askance.domain.errors import InputError
from askance.domain.folder_changes import Listeners

OnEmbedded = Callable[[EmbeddingProgress], None]


def embeds(container: Container) -> bool:
    """Whether an embedding model is set."""
    return container.settings.embeddings.api is not EmbeddingsApi.NONE


async def embed(
    container: Container,
    open_model: Callable[[], AbstractAsyncContextManager[App]],
    on_progress: OnEmbedded,
    *,
    anew: bool = False,
) -> EmbeddingProgress:
    """Embed what has no vector; with `anew` everything if the model is another one than before.

    `open_model` opens the chat model, which is used only if it is to put each passage into a line.

    Raises:
        InputError: the embedding model is not there.
        ServiceError: it does not answer.
    """
    async with AsyncExitStack() as stack:
        line = None
        if container.settings.embeddings.context_lines:
            from askance.engine.library_embedding import ContextLines  # noqa: PLC0415 - rare
            from askance.engine.prompts import load_prompts  # noqa: PLC0415

            app = await stack.enter_async_context(open_model())
            if app.model is not None:
                shared = container.settings.library.share_with_remote_model
                line = ContextLines(app.model, load_prompts(), shared)
        embedding = await stack.enter_async_context(
            container.embedding(on_progress=on_progress, line=line)
        )
        return EmbeddingProgress(0, 0) if embedding is None else await embedding.embed(anew=anew)


async def watch(container: Container, listeners: Listeners) -> None:
    """Follow all folders that were added, until it is cancelled.

    Raises:
        InputError: none was added.
    """
    if not container.library.book.folders():
        raise InputError(
            "There is no folder to watch.", fix="`askance library add FOLDER` adds one."
        )
    await container.folder_watch(listeners).run()
