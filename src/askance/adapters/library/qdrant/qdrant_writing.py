"""Documents on their way to a Qdrant server: what is news of them, and the order in which it is written."""

from __future__ import annotations

import hashlib
import os
import socket
import time
import uuid
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import psutil
from qdrant_client import models

from askance.adapters.library.qdrant.points import (
    CURRENT,
    DOCUMENTS,
    EARLIER,
    PASSAGES,
    RECORD_FIELDS,
    Held,
    Payload,
    batches,
    document_payload,
    document_point,
    held_of,
    measured,
    passage_facts,
    passages_of,
    record_of,
    version_payload,
    version_point,
)
from askance.adapters.library.qdrant.qdrant_server import (
    INDEXED_OF_DOCUMENTS,
    INDEXED_OF_PASSAGES,
    QdrantServer,
    among,
    any_of,
    every,
    same,
)
from askance.adapters.library.qdrant.vectors import QdrantVectors
from askance.adapters.library.sqlite.library_tables import (
    content_hash,
    identity,
    place_of,
    tidy_tags,
)
from askance.adapters.storage.database import storable
from askance.domain.library import Added, AddOutcome, Document, DocumentRecord, Origin
from askance.text.languages.recognition import language_of_document

# So many documents are written at once.
_AT_ONCE = 64
BEGUN = "begun"
"""The state of a point that says which documents are being changed; `docs/decisions/0033-qdrant.md`."""
# What another machine has begun so long ago it does not finish any more: a run of documents takes seconds.
_ABANDONED_S = 600.0
_MARK_FIELDS = ("mark", "machine", "process", "begun", "begun_at")


@dataclass(frozen=True, slots=True)
class _Change:
    """A document as it will be, and as it was; None of one that is new."""

    held: Held
    before: DocumentRecord | None
    outcome: AddOutcome

    @property
    def is_text_new(self) -> bool:
        return self.before is None or self.before.content_hash != self.held.record.content_hash

    @property
    def are_passages_new(self) -> bool:
        return self.is_text_new or (
            self.before is not None and self.before.title != self.held.record.title
        )


class Writer:
    """Writes documents, their earlier texts and their passages into collections of a server."""

    def __init__(self, server: QdrantServer, vectors: QdrantVectors) -> None:
        self._server = server
        self._vectors = vectors
        # What this process is changing just now, by the numbers of the points that say so.
        self._open: set[str] = set()

    @contextmanager
    def begun(self, documents: Sequence[str]) -> Generator[None]:
        """Keep on the server that documents are being changed, until that is done.

        What breaks off leaves the mark behind, and the next change finishes it: see `finish_begun`.
        """
        mark = str(uuid.uuid4())
        payload = {
            "state": BEGUN,
            # Nobody takes it for a document's own.
            "document": "",
            "mark": mark,
            "machine": _machine(),
            "process": os.getpid(),
            "begun": list(documents),
            "begun_at": time.time(),
        }
        # Before it is on the server: otherwise another thread of this process could take it for
        # one that broke off.
        self._open.add(mark)
        try:
            self._server.put(DOCUMENTS, [(mark, payload, None, None)])
            yield
            self._server.delete(DOCUMENTS, every(among([mark])))
        finally:
            self._open.discard(mark)

    def finish_begun(self) -> None:
        """Finish what broke off: documents are what their own points say again, and nothing else is stored of them.

        What another process is changing just now is left alone.
        """
        marks = self._server.scan(DOCUMENTS, every(same("state", BEGUN)), _MARK_FIELDS)
        # All are read first, since each that is finished is deleted from what is being read.
        for mark in [mark for mark in marks if self._is_abandoned(mark)]:
            for documents in batches(mark["begun"], _AT_ONCE):
                self._restore(documents)
            self._server.delete(DOCUMENTS, every(among([mark["mark"]])))

    def _is_abandoned(self, mark: Payload) -> bool:
        if mark["mark"] in self._open:
            return False
        is_here = mark["machine"] == _machine()
        is_gone = mark["process"] == os.getpid() or not psutil.pid_exists(mark["process"])
        return (is_here and is_gone) or time.time() - mark["begun_at"] > _ABANDONED_S

    def _restore(self, documents: Sequence[str]) -> None:
        points = [document_point(document) for document in documents]
        held = [held_of(payload) for payload in self._server.read(DOCUMENTS, points)]
        restored = {one.record.id for one in held}
        if gone := [document for document in documents if document not in restored]:
            wanted = every(any_of("document", gone))
            for collection in (DOCUMENTS, PASSAGES):
                self._server.delete(collection, wanted)
            self._vectors.delete(wanted)
        self._vectors.retain_only(held)
        for one in held:
            own = same("document", one.record.id), same("hash", one.record.content_hash)
            self._delete_left_over(one.record)
            if self._server.count(PASSAGES, every(*own)) != one.record.passages:
                self.write_passages([one])
            # What was to become an earlier text is the present one still.
            self._server.delete(DOCUMENTS, every(same("state", EARLIER), *own))

    def add(self, given: Sequence[Document], now: str) -> list[Added]:
        """Keep documents, of which no two have one address. `now` ends the versions of those that change."""
        self._make()
        self.finish_begun()
        changes = self._changes(given, now)
        with self.begun([change.held.record.id for change in changes]):
            self._write(changes, now)
        return [Added(c.held.record.id, c.outcome, c.held.record.passages) for c in changes]

    def _write(self, changes: Sequence[_Change], now: str) -> None:
        # Before the document's own point is written anew, which holds the only copy of the old
        # text.
        self._store_earlier([c for c in changes if c.outcome is AddOutcome.CHANGED], now)
        cut_anew = [change for change in changes if change.are_passages_new]
        had_vectors = [change.held for change in cut_anew if change.before is not None]
        # Before, so that whatever breaks off leaves a passage waiting; and after, since another machine
        # may just be keeping a vector of what was there.
        self._vectors.retain_only(had_vectors)
        self.write_passages([change.held for change in cut_anew])
        for change in changes:
            if not change.are_passages_new and change.before != change.held.record:
                self._write_facts(change.held, change.before)
        self._put([change.held for change in changes])
        for change in changes:
            if change.outcome is AddOutcome.CHANGED:
                self._delete_left_over(change.held.record)
        self._vectors.retain_only(had_vectors)

    def write_again(self, held: Held) -> None:
        """Keep other facts of a document whose text and title are as they were."""
        with self.begun([held.record.id]):
            self._write_facts(held, None)
            self._put([held])

    def write_passages(self, documents: Sequence[Held]) -> int:
        """Write the passages of documents with all that they have, and return how many they are."""
        self._make()
        passages = [passage for held in documents for passage in passages_of(held)]
        points = [(passage.id, passage.payload, passage.stems, None) for passage in passages]
        self._server.put(PASSAGES, points)
        return len(passages)

    def _make(self) -> None:
        self._server.make(DOCUMENTS, INDEXED_OF_DOCUMENTS, dimensions=None)
        self._server.make(PASSAGES, INDEXED_OF_PASSAGES, dimensions=0)

    def _changes(self, given: Sequence[Document], now: str) -> list[_Change]:
        places = {place_of(url) for d in given for url in (d.url, d.moved_from) if url}
        wanted = every(same("state", CURRENT), any_of("place", sorted(places)))
        found = self._server.scan(DOCUMENTS, wanted, RECORD_FIELDS)
        known = {payload["place"]: payload for payload in found}
        news = [d for d in given if _known(d, known)[0] is None]
        ids = self._identities(news)
        return [self._change(document, known, ids, now) for document in given]

    def _change(
        self, given: Document, known: Mapping[str, Payload], ids: Mapping[str, str], now: str
    ) -> _Change:
        before, _ = _known(given, known)
        if before is None or before.origin != Origin.WEB or given.origin == Origin.WEB:
            return _change(given, known, ids, now)
        # What was read of a page of the web stays as it is, whatever else is known of its address.
        (found,) = self._server.read(DOCUMENTS, [document_point(before.id)])
        record = replace(before, tags=tidy_tags((*before.tags, *given.tags)))
        return _Change(Held(record, found["place"], found["text"]), before, AddOutcome.UNCHANGED)

    def _identities(self, news: Sequence[Document]) -> dict[str, str]:
        """Return an identity for each new document, by its address."""
        first = {d.url: d.id or identity(place_of(d.url), lambda _: False) for d in news}
        points = [document_point(made) for made in first.values()]
        taken = {p["document"] for p in self._server.read(DOCUMENTS, points, ["document"])}
        ids: dict[str, str] = {}

        def is_taken(made: str) -> bool:
            if made in taken or made in ids.values():
                return True
            # What was in the first question is known to be free, and is not asked about again.
            asked = made in first.values()
            return not asked and bool(
                self._server.read(DOCUMENTS, [document_point(made)], ["document"])
            )

        for document in news:
            own = first[document.url]
            ids[document.url] = identity(place_of(document.url), is_taken) if is_taken(own) else own
        return ids

    def _store_earlier(self, changes: Sequence[_Change], now: str) -> None:
        points = [document_point(change.held.record.id) for change in changes]
        for payload in self._server.read(DOCUMENTS, points):
            old = held_of(payload)
            point = version_point(old.record.id, old.record.content_hash)
            self._server.put(DOCUMENTS, [(point, version_payload(old, now), None, None)])
        for change in changes:
            # A text that comes back is no earlier one any more.
            record = change.held.record
            again = same("document", record.id), same("hash", record.content_hash)
            self._server.delete(DOCUMENTS, every(same("state", EARLIER), *again))

    def _write_facts(self, held: Held, before: DocumentRecord | None) -> None:
        own = same("document", held.record.id), same("hash", held.record.content_hash)
        if self._server.count(PASSAGES, every(*own)) != held.record.passages:
            # A server gives no other stems to what it does not have.
            self.write_passages([held])
            return
        if before is None or before.tags != held.record.tags:
            stems = {passage.id: passage.stems for passage in passages_of(held)}
            self._server.put_stems(PASSAGES, stems)
        wanted = every(same("document", held.record.id))
        facts = passage_facts(held.record)
        self._server.set_fields(PASSAGES, facts, wanted)
        self._vectors.set_fields(facts, wanted)

    def _put(self, documents: Iterable[Held]) -> None:
        points = [
            (document_point(held.record.id), document_payload(held), None, None)
            for held in documents
        ]
        self._server.put(DOCUMENTS, points)

    def _delete_left_over(self, record: DocumentRecord) -> None:
        own = same("hash", record.content_hash)
        wanted = models.Filter(must=[same("document", record.id)], must_not=[own])
        self._server.delete(PASSAGES, wanted)


def _machine() -> str:
    """Return what tells this machine from others that write to the same server, and does not name it."""
    return hashlib.sha256(f"{uuid.getnode()} {socket.gethostname()}".encode()).hexdigest()[:16]


def apart(documents: Sequence[Document]) -> Iterator[list[Document]]:
    """Yield documents in runs in which no address is named twice."""
    run: list[Document] = []
    places: set[str] = set()
    for document in documents:
        own = {place_of(url) for url in (document.url, document.moved_from) if url}
        if run and (own & places or len(run) == _AT_ONCE):
            yield run
            run, places = [], set()
        run.append(document)
        places |= own
    if run:
        yield run


def _known(
    given: Document, known: Mapping[str, Payload]
) -> tuple[DocumentRecord | None, AddOutcome]:
    """Return the document of an address, or that of the file that was moved there."""
    payload, outcome = known.get(place_of(given.url)), AddOutcome.UNCHANGED
    if payload is None and given.moved_from:
        payload, outcome = known.get(place_of(given.moved_from)), AddOutcome.MOVED
    return (record_of(payload, 0), outcome) if payload else (None, AddOutcome.ADDED)


def _change(
    given: Document, known: Mapping[str, Payload], ids: Mapping[str, str], now: str
) -> _Change:
    before, outcome = _known(given, known)
    text = storable(given.text)
    digest = content_hash(text)
    is_same = before is not None and before.content_hash == digest
    if before is not None and not is_same:
        outcome = AddOutcome.CHANGED
    language = language_of_document(given.language, text)
    record = DocumentRecord(
        id=before.id if before else ids[given.url],
        url=storable(given.url.strip()),
        title=storable(given.title) or (before.title if before else ""),
        origin=given.origin,
        kind=given.kind,
        syntax=given.syntax,
        language=before.language if before is not None and is_same else language,
        published=storable(given.published),
        fetched_at=given.fetched_at or now,
        content_hash=digest,
        words=0,
        passages=0,
        versions=0,
        tags=tidy_tags((*(before.tags if before else ()), *given.tags)),
    )
    return _Change(Held(measured(record, text), place_of(given.url), text), before, outcome)
