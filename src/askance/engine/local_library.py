"""The library as runs use it: what a search has read goes in, and what answered a question comes out."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from askance.domain.conversation import Outcome
from askance.domain.events import Answered
from askance.domain.evidence import Extract, ExtractKind, Passage, Source
from askance.domain.library import (
    AnsweringPlace,
    Document,
    DocumentRecord,
    Kind,
    Origin,
    document_of,
)
from askance.domain.web import Page
from askance.engine.ledger import seen_text
from askance.engine.names import telling_words
from askance.languages.recognition import recognise
from askance.ports.library import AnswerBook, Library, LibrarySearch

_KEY_DIGITS = 32
_DIGEST_DIGITS = 16


@dataclass(frozen=True, slots=True)
class Remembered:
    """What of a document has answered a question, in the words that it has now as then."""

    record: DocumentRecord
    passages: tuple[Passage, ...]


def _do_nothing() -> None:
    pass


@dataclass(frozen=True, slots=True)
class LocalLibrary:
    """How the library is searched, where its texts are, and what they have answered.

    `kept` is called after something was kept, in the thread of the loop.
    """

    search: LibrarySearch
    documents: Library
    answers: AnswerBook
    kept: Callable[[], None] = _do_nothing

    def keep(
        self, question: str, pages: Sequence[Page], extracts: Sequence[Extract], end: Answered
    ) -> None:
        """Keep what was read for a question, as far as its servers allow, and what answered it. It blocks.

        An answer is remembered where all that it cites is kept: a part of it would answer worse.

        Raises:
            StoreUnusable: the library cannot be written.
        """
        kept = {page.url: document_of(page) for page in pages if page.storable}
        if kept:
            self.documents.add(list(kept.values()))
        if end.outcome not in {Outcome.WEB, Outcome.LIBRARY} or not (key := question_key(question)):
            return
        cited = {citation.n for citation in end.citations}
        read = {e.n for e in extracts if e.kind is ExtractKind.PASSAGE}
        if not cited & read:
            # No page could be read: next time one may be, and say more.
            return
        places: list[AnsweringPlace] = []
        for source in (s for s in end.sources if s.n in cited):
            under = [extract for extract in extracts if extract.n == source.n]
            found = self._places(source, under, kept)
            if not found:
                return
            places += found
        if places:
            self.answers.keep(key, places)

    def _places(
        self, source: Source, extracts: Sequence[Extract], kept: Mapping[str, Document]
    ) -> list[AnsweringPlace]:
        """Return where a source's part of the evidence is kept; nothing if any of it is not.

        Of a page that was read its passages count, and not what a search showed of it before. Where it
        was not read, that alone is what was cited, and is kept in its place.
        """
        passages = [extract for extract in extracts if extract.kind is ExtractKind.PASSAGE]
        if passages:
            url = source.url if source.kept else kept[source.url].url if source.url in kept else ""
            return [_place(extract, url) for extract in passages] if url else []
        known = self.documents.find(source.url)
        if source.url in kept or any(record.kind is not Kind.SNIPPET for record in known):
            return []
        text = "\n\n".join(extract.text for extract in extracts)
        snippet = Document(
            source.url,
            source.title,
            text,
            Origin.WEB,
            Kind.SNIPPET,
            published=source.published or "",
        )
        self.documents.add([snippet])
        return [AnsweringPlace(source.url, 0, len(text), "", _digest(text))]

    def remembered(self, question: str) -> tuple[Remembered, ...]:
        """Return what has answered a question, in the order of its evidence; nothing if any of it has changed.

        It blocks.

        Raises:
            StoreUnusable: the library cannot be read.
        """
        key = question_key(question)
        found: dict[str, Remembered] = {}
        for place in self.answers.places(key) if key else ():
            records = self.documents.find(place.document)
            text = self.documents.text(place.document) or ""
            said = text[place.start : place.stop]
            if not records or _digest(said) != place.digest:
                return ()
            before = found.get(place.document) or Remembered(records[0], ())
            record = before.record
            passage = Passage(record.url, record.title, said, place.start, place.heading)
            found[place.document] = Remembered(record, (*before.passages, passage))
        return tuple(found.values())


def question_key(question: str) -> str:
    """Return what names a question whatever the order and the endings of its words; empty if it has none."""
    stems = sorted(telling_words(question, recognise(question)))
    return hashlib.sha256(" ".join(stems).encode()).hexdigest()[:_KEY_DIGITS] if stems else ""


def _place(extract: Extract, url: str) -> AnsweringPlace:
    stop = extract.offset + extract.length
    return AnsweringPlace(url, extract.offset, stop, extract.heading, _digest(extract.text))


def _digest(text: str) -> str:
    return hashlib.sha256(seen_text(text).encode()).hexdigest()[:_DIGEST_DIGITS]
