"""The library as runs use it: what a search has read goes in, and what answered a question comes out."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from askance.citations.markdown.foreign_markers import seen_text
from askance.domain.conversation import Outcome, Turn
from askance.domain.events import Answered, ignore
from askance.domain.evidence import Extract, ExtractKind, Passage, RememberedAnswer, Source
from askance.domain.library import (
    PAGE_BREAK,
    AnsweringPlace,
    Document,
    DocumentKind,
    DocumentRecord,
    LibraryHit,
    Origin,
    document_of,
)
from askance.domain.messages import NOTHING, Message
from askance.domain.ports.storage import AnswerIndex, Library
from askance.domain.web_pages import Page, PageStatus
from askance.engine.queries import content_words_of, named
from askance.text.languages.language import BIGRAMS, language
from askance.text.languages.recognition import recognise
from askance.text.ranking.index_terms import words

if TYPE_CHECKING:
    from askance.engine.library_router import LibraryRouter

# A document longer than this many characters enters by what stands around the passages that were found.
LONGEST_WHOLE = 60_000
AROUND_CHARACTERS = 6_000
_KEY_DIGITS = 32
_DIGEST_DIGITS = 16


@dataclass(frozen=True, slots=True)
class LocalLibrary:
    """How the library is searched, where its texts are, and what they have answered.

    `on_stored` is called after something was stored, in the thread of the loop. `left_out` says by a file's
    address what of it could not be read. What is stored here goes `pages_days` after it was read for the last
    time; 0 keeps it.
    """

    search: LibraryRouter
    documents: Library
    answers: AnswerIndex
    on_stored: Callable[[], None] = ignore
    pages_days: int = 0
    left_out: Callable[[str], Message] = lambda _address: NOTHING

    def store(
        self,
        question: str,
        pages: Sequence[Page],
        extracts: Sequence[Extract],
        end: Answered,
        *,
        is_alone: bool = True,
    ) -> None:
        """Keep what was read for a question, as far as its servers allow, and what answered it. It blocks.

        An answer is remembered where all that it cites is stored, since a part of it would answer worse, and
        where the question is alone (`stands_alone`).

        Raises:
            StorageError: the library cannot be written.
        """
        documents = {
            page.url: document_of(page, in_passing=True) for page in pages if page.storable
        }
        if documents:
            self.documents.add(list(documents.values()))
            self.documents.prune(self.pages_days)
        key = question_key(question)
        if key and is_alone and end.outcome in {Outcome.WEB, Outcome.LIBRARY}:
            self._store_answer(key, extracts, end, documents)

    def _store_answer(
        self,
        key: str,
        extracts: Sequence[Extract],
        end: Answered,
        documents: Mapping[str, Document],
    ) -> None:
        cited = {citation.n for citation in end.citations}
        read = {e.n for e in extracts if e.kind is ExtractKind.PASSAGE}
        if not cited & read:
            # No page could be read: next time one may be, and say more.
            return
        places: list[AnsweringPlace] = []
        for source in (s for s in end.sources if s.n in cited):
            under = [extract for extract in extracts if extract.n == source.n]
            found = self._places(source, under, documents)
            # One citation without a stored text, and the question would be answered worse the next
            # time.
            if not found:
                return
            places += found
        if places:
            self.answers.store(key, places)

    def _places(
        self, source: Source, extracts: Sequence[Extract], documents: Mapping[str, Document]
    ) -> list[AnsweringPlace]:
        """Return where a source's part of the evidence is stored; nothing if any of it is not.

        Of a page that was read its passages count, and not what a search showed of it before. Where it
        was not read, that alone is what was cited, and is stored in its place.
        """
        passages = [extract for extract in extracts if extract.kind is ExtractKind.PASSAGE]
        if passages:
            stored = documents.get(source.url)
            url = source.url if source.kept else stored.url if stored else ""
            return [
                AnsweringPlace(url, e.offset, e.offset + e.length, e.heading, _digest(e.text))
                for e in passages
                if url
            ]
        known = self.documents.find(source.url)
        if source.url in documents or any(
            record.kind is not DocumentKind.SNIPPET for record in known
        ):
            return []
        text = "\n\n".join(extract.text for extract in extracts)
        snippet = Document(
            source.url,
            source.title,
            text,
            Origin.WEB,
            DocumentKind.SNIPPET,
            published=source.published or "",
            in_passing=True,
        )
        self.documents.add([snippet])
        return [AnsweringPlace(source.url, 0, len(text), "", _digest(text))]

    def remembered(self, question: str) -> tuple[RememberedAnswer, ...]:
        """Return what has answered a question, in the order of its evidence; nothing if any of it has changed.

        It blocks.

        Raises:
            StorageError: the library cannot be read.
        """
        key = question_key(question)
        places = self.answers.places(key) if key else ()
        # All or nothing: an answer whose evidence has changed in part may be wrong in just that part.
        found = self._unchanged(places)
        return _by_document(found) if len(found) == len(places) else ()

    def _unchanged(self, places: Sequence[AnsweringPlace]) -> list[RememberedAnswer]:
        """Return those stretches of documents that say the same as when they were stored."""
        found: list[RememberedAnswer] = []
        documents: dict[str, tuple[Sequence[DocumentRecord], str]] = {}
        for place in places:
            if place.document not in documents:
                records = self.documents.find(place.document)
                documents[place.document] = records, self.documents.text(place.document) or ""
            records, text = documents[place.document]
            words = text[place.start : place.stop]
            # By what is seen: white space and invisible characters may have changed.
            if records and _digest(words) == place.digest:
                record = records[0]
                passage = Passage(record.url, record.title, words, place.start, place.heading)
                found.append(RememberedAnswer(record, (passage,)))
        return found


def question_key(question: str) -> str:
    """Return what names a question whatever the order and the endings of its words; empty if it has none."""
    stems = sorted(content_words_of(question, recognise(question)))
    # A hash, so that the table of answers does not hold what was asked; the stems sorted, so that
    # their order is none.
    return hashlib.sha256(" ".join(stems).encode()).hexdigest()[:_KEY_DIGITS] if stems else ""


def stands_alone(question: str, turns: Sequence[Turn]) -> bool:
    """Say whether a question means the same in another conversation: it is the first, or it names what it is
    about, asks for something of it, and refers to nothing that was said before.

    That it was asked before in this one does not count.
    """
    own = question_key(question)
    if all(question_key(turn.question) == own for turn in turns):
        return True
    code, names = recognise(question), " ".join(named(question))
    if not names or not content_words_of(question, code) - content_words_of(names, code):
        return False  # "And in Germany?"
    known = language(code)
    if known.code in BIGRAMS:
        return not any(pronoun in question for pronoun in known.pronouns | known.going_on)
    return (known.pronouns | known.going_on).isdisjoint(words(question, code))


def _by_document(found: Sequence[RememberedAnswer]) -> tuple[RememberedAnswer, ...]:
    """Join what was found of the same document, in the order of the first of each."""
    joined: dict[str, RememberedAnswer] = {}
    for known in found:
        before = joined.get(known.record.id, RememberedAnswer(known.record, ()))
        passages = (*before.passages, *known.passages)
        joined[known.record.id] = RememberedAnswer(before.record, passages)
    return tuple(joined.values())


def _digest(text: str) -> str:
    return hashlib.sha256(seen_text(text).encode()).hexdigest()[:_DIGEST_DIGITS]


def _around(text: str, hits: Sequence[LibraryHit]) -> str:
    """Return a text, of a long one what stands around some passages, or its beginning if there are none.

    Line feeds stand for the rest, so that every passage keeps its place in the document, and its page.
    """
    if len(text) <= LONGEST_WHOLE or not hits:
        return text[:LONGEST_WHOLE]
    retained = [PAGE_BREAK if character == PAGE_BREAK else "\n" for character in text]
    for hit in hits:
        start = max(0, hit.offset - AROUND_CHARACTERS)
        stop = min(len(text), hit.offset + len(hit.text) + AROUND_CHARACTERS)
        retained[start:stop] = text[start:stop]
    return "".join(retained)


def page_of(hit: LibraryHit | DocumentRecord, text: str, hits: Sequence[LibraryHit]) -> Page:
    """Return a document as a page that was read; of a long one what stands around some passages."""
    return Page(
        hit.url,
        PageStatus.OK,
        final_url=hit.url,
        title=hit.title,
        markdown=_around(text, hits),
        published=hit.published or None,
        language=hit.language or None,
        fetched_at=hit.fetched_at,
    )
