"""What is kept in files, and what runs in containers: each built alone.

The other half of `wiring`: a command that shows one of them loads nothing that a search needs.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from askance.adapters.storage.history import SqliteHistory
from askance.adapters.storage.ledger import SqliteLedger
from askance.config.choices import EmbeddingsApi, RerankerApi
from askance.config.folders import Folders
from askance.config.regular_files import exists
from askance.config.sections import Bar, EmbeddingsSettings
from askance.config.settings import ReaderSettings, Settings
from askance.domain.addresses import bare_address
from askance.domain.errors import InputError
from askance.domain.library import USER, Caller
from askance.domain.messages import Message
from askance.domain.ports.library import AnswerIndex, FolderIndex, Library

if TYPE_CHECKING:
    from askance.adapters.containers.compose_output import ComposeProgress
    from askance.adapters.containers.services import LocalServices
    from askance.adapters.containers.state import StartResult, Survey
    from askance.adapters.library.adding import FolderReader
    from askance.adapters.library.watching import FolderWatch, Listeners
    from askance.adapters.storage.clients import SqliteClientBook
    from askance.adapters.storage.library import SqliteLibrary
    from askance.adapters.storage.page_cache import PageCache
    from askance.adapters.storage.qdrant import QdrantLibrary
    from askance.adapters.storage.traces import TraceStore
    from askance.app.evaluation.records import EvaluationFolder
    from askance.domain.library import Document
    from askance.domain.ports.embeddings import Embedder, Reranker, VectorStore
    from askance.domain.ports.web import OutboundLedger
    from askance.engine.library_embedding import LibraryEmbedding, Line, OnProgress
    from askance.engine.library_search import CircuitBreaker, LibraryRouter

# The others load what these do not need: httpx alone costs half a second.
# ruff: noqa: PLC0415

OnError = Callable[[str], None]
"""Is told, in one sentence, of a file of ours that is damaged or out of reach."""


class Services(Protocol):
    """What front ends need of the services that run in containers."""

    async def up(self, report: Callable[[ComposeProgress], None]) -> StartResult:
        """Start what the settings ask for."""
        ...

    async def down(self, report: Callable[[ComposeProgress], None]) -> bool:
        """Stop and remove it; return whether there was anything."""
        ...

    async def survey(self) -> Survey:
        """Look at it."""
        ...


def ignore(_trouble: str) -> None:
    """A damaged file is told of where the parts are opened."""


def open_history(folders: Folders, on_error: OnError = ignore) -> SqliteHistory:
    """Return the conversations that are kept; whoever opens them closes them."""
    return SqliteHistory(folders.history, on_error)


def open_ledger(settings: Settings, folders: Folders, on_error: OnError = ignore) -> SqliteLedger:
    """Return the record of what left this computer; whoever opens it closes it."""
    return SqliteLedger(folders.ledger, settings.ledger.keep_days, on_error)


def open_clients(folders: Folders, on_error: OnError = ignore) -> SqliteClientBook:
    """Return the programs that ask the server; whoever opens them closes them."""
    from askance.adapters.storage.clients import SqliteClientBook

    return SqliteClientBook(folders.clients, on_error)


def open_page_cache(settings: Settings, folders: Folders, on_error: OnError = ignore) -> PageCache:
    """Return the pages that are kept; whoever opens them closes them."""
    from askance.adapters.storage.page_cache import PageCache

    return PageCache(folders.page_cache, settings.cache.size_mb, on_error)


class OpenLibrary(Library, Protocol):
    """A library with what became of the files of each folder; whoever opens it closes it."""

    @property
    def book(self) -> FolderIndex:
        """What became of the files of each folder."""
        ...

    @property
    def answers(self) -> AnswerIndex:
        """What of it has answered which question."""
        ...

    def close(self) -> None:
        """Let go of it. A later use opens a file again."""
        ...


def open_library(settings: Settings, folders: Folders, on_error: OnError = ignore) -> OpenLibrary:
    """Return the documents that were added, where the settings keep them; whoever opens them closes them.

    Raises:
        InputError: they are on a Qdrant server, and what speaks to one is not installed.
    """
    local = open_library_file(settings, folders, on_error)
    if not settings.library.qdrant_url:
        return local
    return open_library_server(settings, folders, local, on_error)


def open_library_file(
    settings: Settings, folders: Folders, on_error: OnError = ignore
) -> SqliteLibrary:
    """Return the documents that are kept in a file of this machine."""
    from askance.adapters.storage.library import SqliteLibrary

    return SqliteLibrary(folders.library, settings.library.versions_days, on_error)


def browser_histories(browser: str) -> list[Path]:
    """Return the files of a kind of browsers, `firefox` or `chromium`, or the one that is named."""
    from askance.adapters.storage.browser_history import BROWSERS, histories_of

    if browser in BROWSERS:
        return histories_of(browser, Path.home())
    return [Path(browser).expanduser().absolute()]


def visited_pages(file: Path, folders: Folders) -> list[Document]:
    """Return the pages that a browser remembers, without what is secret in their addresses."""
    from askance.adapters.storage.browser_history import visited_pages

    return visited_pages(file, folders.cache)


def _vectors(library: OpenLibrary) -> VectorStore:
    """Return where vectors of a library's passages are kept: beside them."""
    from askance.adapters.storage.library import SqliteLibrary

    if isinstance(library, SqliteLibrary):
        from askance.adapters.storage.library_vectors import SqliteVectors

        return SqliteVectors(library)
    from askance.adapters.storage.qdrant import QdrantLibrary

    assert isinstance(library, QdrantLibrary)
    return library.vectors


@cache
def _rest(_api: EmbeddingsApi, _url: str, _model: str) -> CircuitBreaker:
    """Return what lets a server rest: one for each, since every search of the window opens its own parts."""
    from askance.engine.library_search import CircuitBreaker

    return CircuitBreaker()


@asynccontextmanager
async def library_router(
    settings: Settings,
    library: OpenLibrary,
    *,
    caller: Caller = USER,
    ledger: OutboundLedger | None = None,
) -> AsyncGenerator[LibraryRouter]:
    """Give the one way to search a library, by words and, where a model embeds, by meaning."""
    from askance.engine.library_search import LibraryRouter, Semantic

    chosen = settings.embeddings
    semantic = None
    async with AsyncExitStack() as stack:
        if chosen.api is not EmbeddingsApi.NONE:
            vectors = _vectors(library)
            embedder = await stack.enter_async_context(_embedder(settings))
            rest = _rest(chosen.api, chosen.url, chosen.model)
            semantic = Semantic(embedder, vectors, rest=rest)
        reranker: Reranker | None = None
        if chosen.reranker is not RerankerApi.NONE:
            reranker = await stack.enter_async_context(_reranker(settings))
        yield LibraryRouter(library, semantic, reranker, caller, ledger)


@asynccontextmanager
async def library_embedding(
    settings: Settings,
    library: OpenLibrary,
    *,
    on_progress: OnProgress,
    line: Line | None = None,
    ledger: OutboundLedger | None = None,
) -> AsyncGenerator[LibraryEmbedding | None]:
    """Give what embeds the passages of a library; None where no model is set."""
    from askance.engine.library_embedding import LibraryEmbedding

    if settings.embeddings.api is EmbeddingsApi.NONE:
        yield None
        return
    vectors = _vectors(library)
    async with _embedder(settings) as embedder:
        yield LibraryEmbedding(
            vectors,
            embedder,
            on_progress=on_progress,
            line=line,
            ledger=ledger,
        )


def _with_key(settings: Settings, url: str) -> EmbeddingsSettings:
    """Return the settings of embeddings, with the model server's key where that is the server at `url`."""
    chosen = settings.embeddings
    if chosen.api_key or bare_address(url) != bare_address(settings.llm.url):
        return chosen
    return chosen.model_copy(update={"api_key": settings.llm.api_key})


@asynccontextmanager
async def _embedder(settings: Settings) -> AsyncGenerator[Embedder]:
    chosen = _with_key(settings, settings.embeddings.url)
    match chosen.api:
        case EmbeddingsApi.OLLAMA:
            from askance.adapters.embeddings.servers import OllamaEmbedder

            made = OllamaEmbedder(chosen)
        case EmbeddingsApi.OPENAI:
            from askance.adapters.embeddings.servers import OpenAIEmbedder

            made = OpenAIEmbedder(chosen)
        case EmbeddingsApi.EMBEDDED:
            from askance.adapters.embeddings.servers import EmbeddedEmbedder

            made = EmbeddedEmbedder(chosen)
        case EmbeddingsApi.ONNX:
            from askance.adapters.embeddings.folders import onnx_embedder

            made = onnx_embedder(chosen)
        case EmbeddingsApi.STATIC | EmbeddingsApi.NONE:
            from askance.adapters.embeddings.folders import static_embedder

            made = static_embedder(chosen)
    async with made as embedder:
        yield embedder


@asynccontextmanager
async def _reranker(settings: Settings) -> AsyncGenerator[Reranker]:
    if settings.embeddings.reranker is RerankerApi.SERVER:
        from askance.adapters.embeddings.servers import ServerReranker

        chosen = _with_key(settings, settings.embeddings.reranker_url)
        async with ServerReranker(chosen) as reranker:
            yield reranker
        return
    from askance.adapters.embeddings.folders import OnnxReranker

    async with OnnxReranker(settings.embeddings) as reranker:
        yield reranker


def open_library_server(
    settings: Settings, folders: Folders, local: SqliteLibrary, on_error: OnError = ignore
) -> QdrantLibrary:
    """Return the documents that are kept on a Qdrant server; `local` keeps the folders.

    What goes to a server on another machine is entered into the ledger.

    Raises:
        InputError: what speaks to a Qdrant server is not installed.
    """
    try:
        from askance.adapters.storage.ledger import RemoteLibraryAudit
        from askance.adapters.storage.qdrant import QdrantLibrary
        from askance.adapters.storage.qdrant_server import connect
    except ModuleNotFoundError as exc:
        raise InputError(
            Message("The package for Qdrant is not installed."),
            fix=Message("Install it with `pip install 'askance[qdrant]'`."),
        ) from exc
    library = settings.library
    client = connect(library.qdrant_url, library.qdrant_key.get_secret_value())
    from askance.adapters.network.this_machine import distant_host_of

    host = distant_host_of(library.qdrant_url)
    leaving = RemoteLibraryAudit(open_ledger(settings, folders, on_error), host) if host else None
    return QdrantLibrary(client, library.qdrant_url, local, library.versions_days, leaving=leaving)


@asynccontextmanager
async def folder_reader(settings: Settings, library: OpenLibrary) -> AsyncGenerator[FolderReader]:
    """Give what reads folders into a library. The processes that it needs start with the first file.

    Raises:
        SettingsError: what is to be left out is not known for sure.
    """
    settings.refuse_if_barred(Bar.FILES)
    from askance.adapters.library.adding import FolderReader
    from askance.adapters.reader.workers import WORKER_MEMORY_MB, WORKERS, WorkerPool

    processes = WorkerPool(WORKERS, WORKER_MEMORY_MB, eager=False, background=True)
    async with processes as pool:
        # As many files as processes: the time of one is not that of waiting for another.
        yield FolderReader(library, library.book, settings.library, pool, WORKERS)


def folder_watch(
    settings: Settings, folders: Folders, library: OpenLibrary, listeners: Listeners
) -> FolderWatch:
    """Return what follows the folders that were added; for the loop that runs it."""
    from askance.adapters.library.watching import FolderWatch

    return FolderWatch(
        lambda: folder_reader(settings, library),
        library.book,
        settings.library,
        listeners,
        apart=folders.data,
    )


def open_evaluations(folders: Folders, on_error: OnError = ignore) -> EvaluationFolder:
    """Return what was measured of models on this machine."""
    from askance.app.evaluation.records import EvaluationFolder

    return EvaluationFolder(folders.evaluations, on_error)


def trace_store(settings: Settings, folders: Folders, on_error: OnError = ignore) -> TraceStore:
    """Return the traces of past runs."""
    from askance.adapters.storage.traces import TraceStore

    return TraceStore(folders.traces, settings.trace.keep, on_error)


def local_services(
    settings: Settings, folders: Folders, environment: Mapping[str, str]
) -> LocalServices:
    """Return the services of this machine, which run in containers."""
    from askance.adapters.containers.services import LocalServices

    return LocalServices(settings, folders, environment)


def reader_token_file(settings: ReaderSettings, folders: Folders) -> Path:
    """Return the file with the token of the reader service, there or not."""
    named = settings.token_file
    return Path(named).expanduser() if named else folders.reader_token


def reader_is_set_up(settings: ReaderSettings, folders: Folders) -> bool:
    """Whether `askance up` has made a token. One that we may not look at was made by somebody."""
    try:
        return exists(reader_token_file(settings, folders))
    except OSError:
        return True
