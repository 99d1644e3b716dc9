"""The library on a Qdrant server, for more passages than one file serves well, or for several machines.

A passage is found only if its document says that it is its own: so a document's point, which is written
last and deleted first, is what makes a change whole (docs/decisions/0033-qdrant.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from qdrant_client import QdrantClient, models

from askance.adapters.library.qdrant.points import (
    CURRENT,
    DOCUMENTS,
    EARLIER,
    PASSAGES,
    RECORD_FIELDS,
    Payload,
    batches,
    day_number,
    document_point,
    held_of,
    hit_of,
    holds,
    record_of,
    stem_number,
)
from askance.adapters.library.qdrant.qdrant_server import (
    PAGE,
    QdrantServer,
    any_of,
    conditions,
    connect,
    every,
    same,
)
from askance.adapters.library.qdrant.qdrant_writing import BEGUN, Writer, apart
from askance.adapters.library.qdrant.vectors import QdrantVectors
from askance.adapters.library.sqlite.library_search import FEW_WORDS, readings_of, spoken
from askance.adapters.library.sqlite.library_tables import place_of, tidy_tags
from askance.adapters.library.sqlite.sqlite_library import (
    SHORTEST_ID,
    SqliteAnswerIndex,
    SqliteFolderIndex,
    SqliteLibrary,
)
from askance.adapters.network.this_machine import distant_host_of
from askance.adapters.storage.database import storable, utc_now, written
from askance.adapters.storage.ledger import RemoteLibraryAudit, SqliteLedger
from askance.config.settings import LibrarySettings
from askance.domain.library import (
    EVERY,
    Added,
    Document,
    DocumentRecord,
    DocumentVersion,
    Filters,
    LibraryHit,
    LibraryStats,
    Removed,
)
from askance.domain.messages import Message
from askance.text.ranking.index_terms import count_words
from askance.text.ranking.intent import Query, readings

_CANDIDATES, _MOST_CANDIDATES = 100, 1_000
_AT_ONCE = 64
# Of the documents that are given out in the order of their addresses: 100 bytes each, some millions of them.
_MOST_CHARACTERS = 100_000_000


class QdrantLibrary:
    """A `Library` on a Qdrant server. For any thread, and several machines at once.

    `local` is the library in this machine's file: it keeps the folders and what became of their files.
    `client` talks to the server at `address`; `leaving` is called with each request, where that is another machine.
    """

    def __init__(
        self,
        client: QdrantClient,
        address: str,
        local: SqliteLibrary,
        versions_days: int,
        *,
        is_local: bool = False,
        leaving: RemoteLibraryAudit | None = None,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        self.server = QdrantServer(client, address, is_local=is_local, leaving=leaving)
        self.vectors = QdrantVectors(self.server, self._nearest)
        self._leaving = leaving
        self._local = local
        self._versions_days = versions_days
        self._clock = clock
        self._writer = Writer(self.server, self.vectors)

    @property
    def book(self) -> SqliteFolderIndex:
        """What became of the files of each folder; it is stored in this machine's file."""
        return self._local.book

    @property
    def answers(self) -> SqliteAnswerIndex:
        """What has answered which question; of documents that this machine's file does not hold, nothing."""
        return self._local.answers

    def close(self) -> None:
        """Close the connection, the file and the ledger."""
        if self._leaving is not None:
            self._leaving.close()
        self.server.close()
        self._local.close()

    def add(self, documents: Sequence[Document]) -> tuple[Added, ...]:
        """Keep documents, in their order; each of them is whole or has not changed."""
        now = written(self._clock())
        added: list[Added] = []
        for run in apart(documents):
            more = f" + {len(run) - 1}" if len(run) > 1 else ""
            self._enter(f"{run[0].url}{more}")
            added += self._writer.add(run, now)
        return tuple(added)

    def search(
        self, words: str, limit: int, filters: Filters = EVERY, *, passages_each: int = 1
    ) -> tuple[LibraryHit, ...]:
        """Return the passages that fit some words best, best first; of each text so many at most."""
        for query in readings(words):
            if hits := self._fitting(query, words, limit, filters, passages_each):
                return hits
        return ()

    def _fitting(
        self, query: Query, words: str, limit: int, filters: Filters, passages_each: int
    ) -> tuple[LibraryHit, ...]:
        stems = self._stems(query.words) if query.words else {}
        asked = {stem_number(stem): 1.0 for of in stems.values() for stem in of}
        if not asked:
            return ()
        self._enter(words)
        pages = self._pages(PASSAGES, asked, filters, limit)
        fits = [*query.phrases], [*query.without]
        return self._chosen(pages, stems, limit, passages_each, *fits)

    def _nearest(
        self,
        collection: str,
        vector: Sequence[float],
        limit: int,
        filters: Filters,
        *,
        words: str,
        passages_each: int,
        least: float,
    ) -> tuple[LibraryHit, ...]:
        """Return the passages whose vectors in a collection are most similar to one, best first.

        `words` are those that are marked in the snippets.
        """
        if not self.server.exists(collection):
            return ()
        self._enter(words)
        found = self._pages(collection, vector, filters, limit, least)
        pages = (self.vectors.passages(page) for page in found)
        return self._chosen(pages, self._stems(words), limit, passages_each, [], [])

    def documents(
        self, filters: Filters = EVERY, limit: int = -1, skip: int = 0
    ) -> tuple[DocumentRecord, ...]:
        """Return documents, the one that was read last first."""
        wanted = every(same("state", CURRENT), *_conditions(filters))
        if 0 <= skip + limit <= PAGE and limit >= 0:
            found = self.server.newest(DOCUMENTS, wanted, "fetched", skip + limit)
        else:
            found = list(self.server.scan(DOCUMENTS, wanted, RECORD_FIELDS))
        # Sorting is stable: documents of one moment stay in the order of their identities.
        found.sort(key=lambda payload: payload["document"])
        found.sort(key=lambda payload: payload["fetched_at"], reverse=True)
        return self._records(found[skip : skip + limit if limit >= 0 else None])

    def find(self, reference: str) -> tuple[DocumentRecord, ...]:
        """Return the documents that are meant by an address, an identity, or the beginning of one."""
        meant = storable(reference.strip())
        named: list[models.Condition] = [same("place", place_of(meant)), same("document", meant)]
        wanted = models.Filter(must=[same("state", CURRENT)], should=named)
        found = list(self.server.scan(DOCUMENTS, wanted, RECORD_FIELDS))
        if not found and len(meant) >= SHORTEST_ID and meant.isalnum():
            wanted = every(same("state", CURRENT), same("begins", meant.lower()))
            found = list(self.server.scan(DOCUMENTS, wanted, RECORD_FIELDS))
        return self._records(found)

    def copies(self, document: str) -> tuple[DocumentRecord, ...]:
        """Return the other documents that have the same text as one."""
        found = [one for one in self.find(document) if one.id == document]
        if not found:
            return ()
        wanted = every(same("state", CURRENT), same("hash", found[0].content_hash))
        known = self._records(list(self.server.scan(DOCUMENTS, wanted, RECORD_FIELDS)))
        return tuple(sorted((one for one in known if one.id != document), key=lambda one: one.url))

    def text(self, document: str, content_hash: str = "") -> str | None:
        """Return the text of a document, or that of an earlier version; None if it is not kept."""
        # The present text lies under the document's own number, so that no search is needed for
        # it.
        point = document_point(document)
        if not content_hash:
            found = self.server.read(DOCUMENTS, [point], ["text"])
            return str(found[0]["text"]) if found else None
        wanted = every(same("document", document))
        stored = self.server.scan(DOCUMENTS, wanted, ["hash", "text"])
        return next((p["text"] for p in stored if p["hash"].startswith(content_hash)), None)

    def versions(self, document: str) -> tuple[DocumentVersion, ...]:
        """Return the earlier versions that can still be cited, the newest first."""
        wanted = every(same("state", EARLIER), same("document", document))
        found = self.server.scan(DOCUMENTS, wanted, ["hash", "title", "fetched_at", "until"])
        retained = [
            DocumentVersion(p["hash"], p["title"], p["fetched_at"], p["until"]) for p in found
        ]
        return tuple(sorted(retained, key=lambda version: version.until, reverse=True))

    def tag(self, document: str, add: Sequence[str], remove: Sequence[str]) -> tuple[str, ...]:
        """Change the tags of a document, and return those that it has now."""
        self._writer.finish_begun()
        found = self.server.read(DOCUMENTS, [document_point(document)])
        if not found:
            return ()
        held = held_of(found[0])
        tags = tidy_tags((*held.record.tags, *add))
        remaining = tuple(tag for tag in tags if tag not in tidy_tags(remove))
        if remaining != held.record.tags:
            self._writer.write_again(held.with_record(tags=remaining))
        return remaining

    def remove(self, documents: Sequence[str]) -> Removed:
        """Delete documents with their versions, in this machine's file as well."""
        # What is in this machine's file as well would come back from it.
        held = [document for document in documents if self._local.find(document)]
        removed = self._remove_from_server(documents)
        here = self._local.remove(held)
        return replace(removed, copies=here.copies, log=here.log)

    def _remove_from_server(self, documents: Sequence[str]) -> Removed:
        """Delete documents with their versions on the server alone, which gives their room back when it
        tidies up."""
        gone = passages = versions = vectors = 0
        if not self.server.exists(DOCUMENTS):
            return Removed(0, 0, 0, 0)
        self._writer.finish_begun()
        for ids in batches(dict.fromkeys(documents), _AT_ONCE):
            wanted = every(any_of("document", ids))
            named = any_of("document", ids)
            gone += self.server.count(DOCUMENTS, every(same("state", CURRENT), named))
            versions += self.server.count(DOCUMENTS, every(same("state", EARLIER), named))
            passages += self.server.count(PASSAGES, wanted)
            with self._writer.begun(ids):
                self.server.delete(DOCUMENTS, wanted)
                self.server.delete(PASSAGES, wanted)
                vectors += self.vectors.delete(wanted)
        return Removed(gone, passages, versions, vectors)

    def clear(self) -> Removed:
        """Delete everything, in this machine's file as well."""
        found = self.server.scan(DOCUMENTS, None, ["document"])
        removed = self.remove([payload["document"] for payload in found if payload["document"]])
        # Marks of changes that broke off name documents that are gone now.
        self.server.delete(DOCUMENTS, every(same("state", BEGUN)))
        self.vectors.drop(self.vectors.collections())
        self._local.clear()
        return replace(removed, copies=())

    def prune(self, pages_days: int = 0) -> int:  # noqa: ARG002 - no machine decides that for all
        """Delete the versions that are older than `library.versions_days`, and return how many they were."""
        limit = (self._clock() - timedelta(days=self._versions_days)).timestamp()
        is_old = models.FieldCondition(key="until_at", range=models.Range(lt=limit))
        wanted = every(same("state", EARLIER), is_old)
        gone = self.server.count(DOCUMENTS, wanted)
        if gone:
            self.server.delete(DOCUMENTS, wanted)
        return gone

    def stats(self) -> LibraryStats:
        """Count what is stored. What room it takes the server does not say: `bytes` is 0."""
        current = every(same("state", CURRENT))
        origins, kinds, tags = (
            self.server.values(DOCUMENTS, field, current) for field in ("origin", "kind", "tags")
        )
        return LibraryStats(
            documents=self.server.count(DOCUMENTS, current),
            passages=self.server.count(PASSAGES),
            versions=self.server.count(DOCUMENTS, every(same("state", EARLIER))),
            words=sum(p["words"] for p in self.server.scan(DOCUMENTS, current, ["words"])),
            bytes=0,
            origins=origins,
            kinds=kinds,
            languages=self.server.values(PASSAGES, "language"),
            tags=tags,
            embedded=self.vectors.embedded(),
        )

    def check(self) -> tuple[str, ...]:
        """Return in what documents and passages differ; nothing where they agree."""
        counts: dict[tuple[str, str], int] = {}
        for payload in self.server.scan(PASSAGES, None, ["document", "hash"]):
            key = payload["document"], payload["hash"]
            counts[key] = counts.get(key, 0) + 1
        lacking = 0
        current = every(same("state", CURRENT))
        for payload in self.server.scan(DOCUMENTS, current, ["document", "hash", "passages"]):
            found = counts.pop((payload["document"], payload["hash"]), 0)
            lacking += abs(payload["passages"] - found)
        left_over = sum(counts.values())
        vectors = self.vectors.left_over()
        values = {
            Message("The index lacks passages: {n}.", n=lacking): lacking,
            Message("The index holds passages that are not kept: {n}.", n=left_over): left_over,
            Message("There are vectors of passages that are not kept: {n}.", n=vectors): vectors,
        }
        return tuple(message for message, n in values.items() if n)

    def rebuild(self, advance: Callable[[int], None]) -> int:
        """Make all passages anew from the texts, and return how many they are."""
        total = 0
        hashes: dict[str, str] = {}
        found = self.server.scan(DOCUMENTS, every(same("state", CURRENT)))
        for batch in batches(found, _AT_ONCE):
            held = [held_of(payload) for payload in batch]
            done = self._writer.write_passages(held)
            hashes |= {one.record.id: one.record.content_hash for one in held}
            advance(done)
            total += done
        for payload in self.server.scan(PASSAGES, None, ["document", "hash"]):
            document, digest = payload["document"], payload["hash"]
            if hashes.get(document) != digest:
                wanted = every(same("document", document), same("hash", digest))
                self.server.delete(PASSAGES, wanted)
        self.vectors.left_over(delete=True)
        return total

    def every(self) -> Iterator[tuple[DocumentRecord, str]]:
        """Yield every document with its text, by the order of addresses."""
        for batch in batches(self._in_order(), _AT_ONCE):
            points = [document_point(document) for _, document in batch]
            found = self.server.read(DOCUMENTS, points)
            texts = {payload["document"]: payload["text"] for payload in found}
            records = {record.id: record for record in self._records(found)}
            for _, document in batch:
                if document in records:
                    yield records[document], texts[document]

    def _in_order(self) -> list[tuple[str, str]]:
        """Return the places and identities of all documents, by the order of their places."""
        current = every(same("state", CURRENT))
        places: list[tuple[str, str]] = []
        characters = 0
        for payload in self.server.scan(DOCUMENTS, current, ["place", "document"]):
            places.append((payload["place"], payload["document"]))
            characters += len(payload["place"]) + len(payload["document"])
            if characters > _MOST_CHARACTERS:
                raise self.server.nonsense()
        return sorted(places)

    def _stems(self, words: str) -> dict[str, list[str]]:
        """Return the stems of a query, as each language reads it that a hundredth of the passages has; of a few words,
        as every language of the library does."""
        languages = self.server.values(PASSAGES, "language", exact=False)
        main = spoken(words, languages)
        return readings_of(words, main, languages if count_words(words) <= FEW_WORDS else main)

    def _pages(
        self,
        collection: str,
        query: Mapping[int, float] | Sequence[float],
        filters: Filters,
        limit: int,
        least: float | None = None,
    ) -> Iterator[list[tuple[float, Payload]]]:
        """Yield what is nearest to a query, so many points at once, until there are no more."""
        wanted = every(*_conditions(filters))
        # A further page is needed only where hits are dropped here, by their hash or for a phrase.
        for skip in range(0, max(_MOST_CANDIDATES, limit), _CANDIDATES):
            page = self.server.find(collection, query, wanted, _CANDIDATES, skip, least)
            yield page
            if len(page) < _CANDIDATES:
                return

    def _enter(self, content: str) -> None:
        if self._leaving is not None:
            self._leaving.enter(content)

    def _chosen(
        self,
        pages: Iterable[Sequence[tuple[float, Payload]]],
        stems: dict[str, list[str]],
        limit: int,
        passages_each: int,
        phrases: Sequence[str],
        without: Sequence[str],
    ) -> tuple[LibraryHit, ...]:
        """Return the best passages that hold what they must, of each text no more than are wanted."""
        taken: dict[str, int] = {}
        chosen: list[LibraryHit] = []
        for page in pages:
            own = self._own(payload["document"] for _, payload in page)
            for score, payload in page:
                digest = payload["hash"]
                # Passages of a change that is half done have another hash than their document.
                if own.get(payload["document"]) != digest or taken.get(digest, 0) >= passages_each:
                    continue
                if not holds(payload, phrases, without):
                    continue
                taken[digest] = taken.get(digest, 0) + 1
                chosen.append(hit_of(payload, score, stems))
                if len(chosen) == limit:
                    return tuple(chosen)
        return tuple(chosen)

    def _own(self, documents: Iterable[str]) -> dict[str, str]:
        """Return the hash of the text that each document has now."""
        points = [document_point(document) for document in dict.fromkeys(documents)]
        found = self.server.read(DOCUMENTS, points, ["document", "hash"])
        return {payload["document"]: payload["hash"] for payload in found}

    def _records(self, payloads: Sequence[Payload]) -> tuple[DocumentRecord, ...]:
        ids = [payload["document"] for payload in payloads]
        counts: dict[str, int] = {}
        for batch in batches(ids, PAGE):
            earlier = every(same("state", EARLIER), any_of("document", batch))
            counts |= self.server.values(DOCUMENTS, "document", earlier)
        return tuple(record_of(p, counts.get(p["document"], 0)) for p in payloads)


def open_library(
    settings: LibrarySettings, local: SqliteLibrary, open_ledger: Callable[[], SqliteLedger]
) -> QdrantLibrary:
    """Return the documents that are stored on a server; `local` keeps the folders.

    What goes to a server on another machine is entered into the ledger.
    """
    url = settings.qdrant_url
    client = connect(url, settings.qdrant_key.get_secret_value())
    host = distant_host_of(url)
    leaving = RemoteLibraryAudit(open_ledger(), host) if host else None
    return QdrantLibrary(client, url, local, settings.versions_days, leaving=leaving)


def _conditions(filters: Filters) -> list[models.Condition]:
    since = day_number(filters.since) if filters.since else 0
    until = day_number(filters.until, "9") if filters.until else 0
    return conditions(filters, tidy_tags(filters.tags), since, until)
