"""The library as runs use it: what a search has read goes in, and what answered a question comes out."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from askance.domain.conversation import Outcome
from askance.domain.events import Answered
from askance.domain.evidence import Extract, ExtractKind, Passage
from askance.domain.library import AnsweringPlace, DocumentRecord, document_of
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
        urls = {s.n: s.url if s.kept else "" for s in end.sources}
        urls |= {s.n: kept[s.url].url for s in end.sources if s.url in kept}
        cited = {citation.n for citation in end.citations}
        if cited and all(urls.get(n) for n in cited):
            self.answers.keep(key, [_place(e, urls[e.n]) for e in extracts if e.n in cited])

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
    digest = _digest(extract.text) if extract.kind is ExtractKind.PASSAGE else ""
    return AnsweringPlace(url, extract.offset, stop, extract.heading, digest)


def _digest(text: str) -> str:
    return hashlib.sha256(seen_text(text).encode()).hexdigest()[:_DIGEST_DIGITS]
