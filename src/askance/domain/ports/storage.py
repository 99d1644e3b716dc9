"""What is stored on this machine, as the rest of the program needs it: conversations, the library, clients.

Clients are other programs that ask Askance for something; each may do what its user has allowed it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from askance.domain.history import (
    ConversationRecord,
    ConversationSummary,
    ExchangeKey,
    SearchHit,
    TimedEvent,
)
from askance.domain.library import (
    Added,
    AnsweringPlace,
    Document,
    DocumentRecord,
    DocumentVersion,
    FileRecord,
    Filters,
    Folder,
    LibraryHit,
    LibraryStats,
    Prepared,
    Removed,
)


class Capability(StrEnum):
    """What a program may be allowed. Stable codes: settings and commands name them.

    Whoever may both read the library and search the web can carry private text out of this machine.
    """

    WEB = "web"
    """Search the web, and have questions answered from it."""
    READ = "read"
    """Read pages by their address."""
    LIBRARY_READ = "library_read"
    """Search the library, and have questions answered from it."""
    LIBRARY_WRITE = "library_write"
    """Add to the library."""


# Its user said nothing, so nothing private may be read or written: a search tells the web a query
# at most.
AT_FIRST = frozenset({Capability.WEB})
"""What a program may do that the user has said nothing about."""


LONGEST_NAME = 60
"""Signs of a client's name at the most."""


def cleaned_name(name: str) -> str:
    """Return what a program calls itself as a name that can be shown and kept; "" where nothing is left."""
    # Cut before it is looked at: what a program calls itself may be a megabyte long.
    shown = "".join(sign if sign.isprintable() else " " for sign in name[: 4 * LONGEST_NAME])
    return " ".join(shown.split())[:LONGEST_NAME].strip()


@dataclass(frozen=True, slots=True)
class Client:
    """A program that asks, by the name that the user knows it by."""

    name: str
    allowed: frozenset[Capability] = AT_FIRST

    def may(self, *capabilities: Capability) -> bool:
        """Say whether it is allowed all of these."""
        return self.allowed.issuperset(capabilities)


@dataclass(frozen=True, slots=True)
class ClientCall:
    """One thing that a client asked for. `at` is a moment in ISO 8601, UTC; `outcome` a stable word."""

    client: str
    tool: str
    at: str
    outcome: str
    ms: int


@dataclass(frozen=True, slots=True)
class ClientRecord:
    """What is known of a client. `has_token`: it has a token of its own, and asks over HTTP."""

    client: Client
    has_token: bool
    first_seen: str
    last_seen: str
    calls: int


class History(Protocol):
    """Keeps conversations. Its methods block for a bounded time: none is for an event loop.

    Each is whole or has not happened. All of them raise StorageError where the store cannot be
    read or written; what was stored before is untouched then.
    """

    def begin_exchange(
        self, conversation: int | None, command: str, text: str, quote: str = ""
    ) -> ExchangeKey:
        """Keep a question before its run starts.

        Without a conversation, or if that one was deleted meanwhile, a new one begins with it.
        """
        ...

    def finish_exchange(self, key: ExchangeKey, events: Sequence[TimedEvent]) -> bool:
        """Keep the events of a run that has ended, but for its arriving tokens.

        False if the exchange was deleted meanwhile.
        """
        ...

    def note_events(self, key: ExchangeKey, events: Sequence[TimedEvent]) -> None:
        """Keep how far a run is that goes on: all that is there of it if the program is killed."""
        ...

    def drop_exchange(self, key: ExchangeKey) -> None:
        """Forget an exchange, and its conversation too if that has no other."""
        ...

    def conversations(
        self, limit: int, before: ConversationSummary | None = None
    ) -> tuple[ConversationSummary, ...]:
        """Return conversations, last used first; those that follow `before` in this order."""
        ...

    def conversation(self, number: int) -> ConversationRecord | None:
        """Return a whole conversation, or None. What of it cannot be read says so in its place."""
        ...

    def search(self, words: str, limit: int = 50) -> tuple[SearchHit, ...]:
        """Return the exchanges that hold all the words, or words that begin so, best first.

        Behind them come those whose title and question hold parts of words that were typed. Words have no syntax. Questions, quotes, answers, titles and sources are searched.
        """
        ...

    def rename(self, number: int, title: str) -> bool:
        """Give a conversation a title; a blank one makes it that of its first question again.

        False if there is no such conversation.
        """
        ...

    def delete(self, number: int) -> bool:
        """Forget a conversation. False if there was none."""
        ...

    def delete_all(self) -> int:
        """Forget all conversations, and return how many there were."""
        ...

    def prune(self, keep_days: int) -> int:
        """Forget the conversations that were not used for so many days, and return how many.

        0 keeps all.
        """
        ...


# The library as the rest of the program needs it: documents that are stored, and what is found in
# them.


class Library(Protocol):
    """Keeps documents and finds passages in them. Its methods block: none is for an event loop.

    Each is whole or has not happened. All raise StorageError where the store cannot be read or
    written; what was stored before is untouched then.
    """

    def add(
        self, documents: Sequence[Document], prepared: Sequence[Prepared | None] = ()
    ) -> tuple[Added, ...]:
        """Keep documents, in their order, all or none. `prepared` is what was computed of each; the rest is computed here.

        A document of an address that is known gets a new version if its text has changed. The same
        text under two addresses is stored once. Its tags are added to those that it has.
        """
        ...

    def search(
        self, words: str, limit: int, filters: Filters, *, passages_each: int = 1
    ) -> tuple[LibraryHit, ...]:
        """Return the passages that fit some words best, best first; of each document so many at most.

        Words have no syntax but quotes around what must stand side by side, and `-` before a word
        that must not be there.
        """
        ...

    def documents(self, filters: Filters, limit: int, skip: int = 0) -> tuple[DocumentRecord, ...]:
        """Return documents, the one that was read last first."""
        ...

    def find(self, reference: str) -> tuple[DocumentRecord, ...]:
        """Return the documents that are meant by an address, an identity, or the beginning of one."""
        ...

    def copies(self, document: str) -> tuple[DocumentRecord, ...]:
        """Return the other documents that have the same text as one; a search shows it once."""
        ...

    def text(self, document: str, content_hash: str = "") -> str | None:
        """Return the text of a document, or that of an earlier version; None if it is not kept."""
        ...

    def versions(self, document: str) -> tuple[DocumentVersion, ...]:
        """Return the earlier versions that can still be cited, the newest first."""
        ...

    def tag(self, document: str, add: Sequence[str], remove: Sequence[str]) -> tuple[str, ...]:
        """Change the tags of a document, and return those that it has now."""
        ...

    def remove(self, documents: Sequence[str]) -> Removed:
        """Delete documents with their versions, and leave no word of them in the file."""
        ...

    def clear(self) -> Removed:
        """Delete everything, damaged files that were set aside included."""
        ...

    def prune(self, pages_days: int = 0) -> int:
        """Delete the versions that are older than `library.versions_days`, and return how many they were.

        With `pages_days` the pages of searches go, too, that were read longer ago, if nobody has added or
        tagged it since. What is stored for several machines lets none of them decide that.
        """
        ...

    def stats(self) -> LibraryStats:
        """Count what is stored."""
        ...

    def check(self) -> tuple[str, ...]:
        """Return in what the index and the tables differ; nothing where they agree."""
        ...

    def rebuild(self, advance: Callable[[int], None]) -> int:
        """Build the index anew from the texts, and return the number of passages.

        `advance` is called with how many more of them are done.
        """
        ...

    def every(self) -> Iterator[tuple[DocumentRecord, str]]:
        """Yield every document with its text, by the order of addresses."""
        ...


class AnswerIndex(Protocol):
    """Keeps what of which documents has answered which question. It raises as `Library` does.

    A question is named by a key of the caller's: the same one means the same question.
    """

    def store(self, question: str, places: Sequence[AnsweringPlace]) -> None:
        """Keep what has answered a question, in this order; what did before counts no more.

        Documents are named by their addresses; those that are not kept are left out.
        """
        ...

    def places(self, question: str) -> tuple[AnsweringPlace, ...]:
        """Return what has answered a question, in the order of the evidence; nothing once a part of it is gone."""
        ...


class FolderIndex(Protocol):
    """Keeps which folders were added, and what became of each of their files. It raises as `Library` does."""

    def folders(self) -> tuple[Folder, ...]:
        """Return the folders, by their paths."""
        ...

    def store_folder(self, folder: Folder) -> None:
        """Keep a folder, or its changed patterns."""
        ...

    def drop_folder(self, path: str) -> None:
        """Forget a folder and its files."""
        ...

    def files(self, folder: str = "") -> tuple[FileRecord, ...]:
        """Return the files of a folder, or of all, by their paths."""
        ...

    def file(self, path: str) -> FileRecord | None:
        """Return what became of a file, None if nothing is known of it."""
        ...

    def documents_of(self, path: str) -> tuple[str, ...]:
        """Return the identities of the documents that a file holds: by its address, or one below it."""
        ...

    def note(self, records: Sequence[FileRecord], gone: Sequence[str] = ()) -> None:
        """Keep what became of some files; forget those that are gone."""
        ...


class ClientRegistry(Protocol):
    """Keeps the clients. All of it blocks, and raises StorageError where it cannot be read or written."""

    def look_up(self, name: str) -> Client | None:
        """Return the client of a name as it is now, None where it is not known yet. Nothing is written."""
        ...

    def known(self, name: str) -> Client:
        """Return the client of a name as it is now; a new one is taken note of, and may search the web."""
        ...

    def by_token(self, token: str) -> Client | None:
        """Return the client whose token this is. All tokens are compared, in constant time."""
        ...

    def allow(self, name: str, capabilities: Collection[Capability]) -> None:
        """Set what a client may do, from its next call on."""
        ...

    def make_token(self, name: str) -> str:
        """Give a client a new token, and return it: only a digest is stored. An earlier one ends."""
        ...

    def forget(self, name: str) -> None:
        """Delete a client with its token and its calls."""
        ...

    def note(self, call: ClientCall) -> None:
        """Keep what a client did; the oldest of its calls go."""
        ...

    def records(self) -> Sequence[ClientRecord]:
        """Return all clients, the one that was seen last first."""
        ...

    def calls(self, name: str, limit: int) -> Sequence[ClientCall]:
        """Return the last calls of a client, newest first."""
        ...
