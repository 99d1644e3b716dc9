"""The library where the settings keep it: in a file, or on a Qdrant server."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from askance.adapters.network.this_machine import distant_host_of
from askance.adapters.storage.ledger import RemoteLibraryAudit, SqliteLedger
from askance.adapters.storage.library import SqliteLibrary
from askance.config.folders import Folders
from askance.config.settings import Settings
from askance.domain.errors import InputError
from askance.domain.messages import Message
from askance.domain.ports.model import VectorStore
from askance.domain.ports.storage import AnswerIndex, FolderIndex, Library

if TYPE_CHECKING:
    from askance.adapters.storage.qdrant import QdrantLibrary

# ruff: noqa: PLC0415 - what speaks to Qdrant is seldom installed, vectors are seldom there


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


def library_in_file(
    settings: Settings, folders: Folders, on_error: Callable[[str], None]
) -> SqliteLibrary:
    """Return the documents that are stored in a file of this machine."""
    return SqliteLibrary(folders.library, settings.library.versions_days, on_error)


def library_on_server(
    settings: Settings, local: SqliteLibrary, open_ledger: Callable[[], SqliteLedger]
) -> QdrantLibrary:
    """Return the documents that are stored on a Qdrant server; `local` keeps the folders.

    What goes to a server on another machine is entered into the ledger.

    Raises:
        InputError: what speaks to a Qdrant server is not installed.
    """
    try:
        from askance.adapters.storage.qdrant import QdrantLibrary
        from askance.adapters.storage.qdrant_server import connect
    except ModuleNotFoundError as exc:
        raise InputError(
            Message("The package for Qdrant is not installed."),
            fix=Message("Install it with `pip install 'askance[qdrant]'`."),
        ) from exc
    library = settings.library
    client = connect(library.qdrant_url, library.qdrant_key.get_secret_value())
    host = distant_host_of(library.qdrant_url)
    leaving = RemoteLibraryAudit(open_ledger(), host) if host else None
    return QdrantLibrary(client, library.qdrant_url, local, library.versions_days, leaving=leaving)


def vectors_of(library: OpenLibrary) -> VectorStore:
    """Return where vectors of a library's passages are stored: beside them."""
    if isinstance(library, SqliteLibrary):
        from askance.adapters.storage.library_vectors import SqliteVectors

        return SqliteVectors(library)
    from askance.adapters.storage.qdrant import QdrantLibrary

    assert isinstance(library, QdrantLibrary)
    return library.vectors
