"""The one way into the library: the engine, the window, the command line and other programs search it here.

Keywords always search; where a model embeds, what is meant does, too. Who may not read is refused here,
and what another program reads is entered into the ledger.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import monotonic

from askance.citations.markers.foreign_markers import seen_text
from askance.domain.conversation import Outcome, Turn
from askance.domain.errors import (
    AskanceError,
    LibraryAccessDenied,
    ServiceError,
    ServiceRefused,
    StorageError,
    place_of,
)
from askance.domain.events import Answered, RequestSent, Sending, ignore
from askance.domain.evidence import Extract, ExtractKind, Passage, RememberedAnswer, Source
from askance.domain.library import (
    EVERY,
    PAGE_BREAK,
    USER,
    AnsweringPlace,
    Caller,
    Document,
    DocumentKind,
    DocumentRecord,
    Filters,
    LibraryHit,
    LibraryMatches,
    Origin,
    SearchMode,
    document_of,
)
from askance.domain.messages import NOTHING, Message
from askance.domain.ports.model import Embedder, Identity, VectorStore
from askance.domain.ports.storage import AnswerIndex, Library, LibrarySearch
from askance.domain.ports.web import OutboundLedger
from askance.domain.web_pages import Page, PageStatus
from askance.engine.library_embedding import CHANGED, enter_model
from askance.engine.queries import content_words_of, named
from askance.text.languages.language import BIGRAMS, language
from askance.text.languages.recognition import recognise
from askance.text.ranking.index_terms import words
from askance.text.ranking.intent import Intent, intent_of
from askance.text.ranking.scoring import stretched

LEAST_SIMILARITY = 0.3
# Somebody waits for the search, and keywords have found what they find by then.
QUERY_TIMEOUT_S = 5.0
REST_S = 60.0
"""So long a server is not asked for a question's vector again after it has failed to answer."""
# docs/decisions/0031-embeddings.md: of each list so many are merged.
MERGED = 30
OCCASION = "library"
# docs/decisions/0031-embeddings.md: scores keep what ranks lose, and meaning counts a quarter.
MEANING_WEIGHT = 0.25

_log = logging.getLogger(__name__)


class CircuitBreaker:
    """Skips a server for some seconds after a failure, so that not every search waits for its timeout.

    One of them serves all searches of a process: each opens its parts anew. `clock` tells seconds.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._until = 0.0
        self._why = NOTHING

    @property
    def why(self) -> Message:
        """Why it is not to be asked now; empty where it is."""
        return self._why if self._clock() < self._until else NOTHING

    def begin(self, why: Message) -> None:
        """Ask nothing for a while."""
        self._until, self._why = self._clock() + REST_S, why


@dataclass(frozen=True, slots=True)
class Semantic:
    """What searches by meaning. `least` is how similar a passage must be."""

    embedder: Embedder
    vectors: VectorStore
    least: float = field(default_factory=lambda: LEAST_SIMILARITY)
    timeout_s: float = QUERY_TIMEOUT_S
    rest: CircuitBreaker = field(default_factory=CircuitBreaker)


@dataclass(frozen=True, slots=True)
class LibraryRouter:
    """Searches a library. See `ports.storage.LibrarySearch`."""

    library: Library
    semantic: Semantic | None = None
    caller: Caller = USER
    ledger: OutboundLedger | None = None

    async def find(
        self,
        words: str,
        limit: int,
        filters: Filters = EVERY,
        *,
        passages_each: int = 1,
        mode: SearchMode = SearchMode.AUTO,
    ) -> LibraryMatches:
        """Return the passages that fit some words best.

        Raises:
            LibraryAccessDenied: the caller may not read the library.
        """
        notes = self._admitted(words)
        asked = _Asked(words, limit, filters, passages_each)
        wanted, problem = self._mode(words, mode)
        notes += problem
        meaning: list[LibraryHit] | Message = []
        if wanted is SearchMode.KEYWORDS:
            words_hits = await self._by_words(asked, limit)
        elif wanted is SearchMode.SEMANTIC:
            meaning = await self._by_meaning(asked)
            words_hits = []
            if isinstance(meaning, Message):
                words_hits = await self._by_words(asked, limit)
        else:
            words_hits, meaning = await self._both(asked)
        if isinstance(meaning, Message):
            return LibraryMatches(tuple(words_hits[:limit]), SearchMode.KEYWORDS, (*notes, meaning))
        hits = merged(words_hits, meaning) if words_hits and meaning else words_hits or meaning
        return LibraryMatches(_few_of_each(hits, limit, passages_each), wanted, tuple(notes))

    def _admitted(self, words: str) -> list[Message]:
        """Check read access and record reads by other programs in the ledger; return what could not be recorded.

        Raises:
            LibraryAccessDenied: the caller may not read.
        """
        caller = self.caller
        if not caller.may_read:
            raise LibraryAccessDenied(
                Message("{name} may not read the library.", name=caller.name or "?"),
                fix=Message("Allow it in the settings of Askance, if you want that."),
            )
        if not caller.name or self.ledger is None:
            return []
        reading = RequestSent(Sending.LIBRARY, caller.name, Message("this program"), words)
        try:
            self.ledger.add(reading, OCCASION)
        except StorageError as exc:
            return [exc.message]
        return []

    def _mode(self, words: str, mode: SearchMode) -> tuple[SearchMode, list[Message]]:
        """Return how to search, and why that is not what was asked for."""
        if mode is SearchMode.KEYWORDS:
            return mode, []
        if self.semantic is None:
            asked_for = mode is not SearchMode.AUTO
            return SearchMode.KEYWORDS, [NO_EMBEDDER] if asked_for else []
        if mode is not SearchMode.AUTO:
            return mode, []
        is_meant = intent_of(words) is Intent.SEMANTIC
        return (SearchMode.HYBRID if is_meant else SearchMode.KEYWORDS), []

    async def _both(self, asked: _Asked) -> tuple[list[LibraryHit], list[LibraryHit] | Message]:
        """Search by words while the question is being embedded."""
        failure, words_hits = None, []
        async with asyncio.TaskGroup() as tasks:
            by_meaning = tasks.create_task(self._by_meaning(asked))
            try:
                words_hits = await self._by_words(asked, MERGED)
            except StorageError as exc:  # which a group would wrap
                failure = exc
                by_meaning.cancel()
        if failure is not None:
            raise failure
        return words_hits, by_meaning.result()

    async def _by_words(self, asked: _Asked, limit: int) -> list[LibraryHit]:
        hits = await asyncio.to_thread(
            self.library.search,
            asked.words,
            max(limit, asked.limit),
            asked.filters,
            passages_each=asked.passages_each,
        )
        return list(hits)

    async def _by_meaning(self, asked: _Asked) -> list[LibraryHit] | Message:
        """Return what is meant, or why it is not known."""
        assert self.semantic is not None
        embedder, vectors = self.semantic.embedder, self.semantic.vectors
        rest = self.semantic.rest
        if why := rest.why:
            return why
        try:
            async with asyncio.timeout(self.semantic.timeout_s):
                identity = await embedder.identity()
                # Before the question leaves: it would be sent to another machine for nothing.
                if unready := await _unready(vectors, identity):
                    return unready
                enter_model(self.ledger, embedder.host, identity.model, OCCASION)
                vector = await embedder.embed_query(asked.words)
            hits = await asyncio.to_thread(
                vectors.nearest,
                identity,
                vector,
                max(MERGED, asked.limit),
                asked.filters,
                words=asked.words,
                passages_each=asked.passages_each,
                least=self.semantic.least,
            )
        except TimeoutError:
            why = _by_keywords_alone(Message("the embedding model did not answer in time"))
            rest.begin(why)
            return why
        except AskanceError as exc:
            why = _by_keywords_alone(exc.problem.clause())
            # One refusal may be this question's own fault, such as its length; a server that is
            # down is down for all.
            if isinstance(exc, ServiceError) and not isinstance(exc, ServiceRefused):
                rest.begin(why)
            return why
        except Exception as exc:  # noqa: BLE001 - a model must not cost what keywords find
            _log.error("search by meaning failed: %s", place_of(exc))
            return _by_keywords_alone(Message("the embedding model failed"))
        return list(hits)


NO_EMBEDDER = Message(
    "Only keywords were searched: set embeddings.api to search by meaning as well."
)
NOTHING_EMBEDDED = Message(
    "Only keywords were searched: no passage is embedded yet. `askance library embed` does it."
)


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is looked for."""

    words: str
    limit: int
    filters: Filters
    passages_each: int


def merged(
    words: Sequence[LibraryHit],
    meaning: Sequence[LibraryHit],
    weight: float = MEANING_WEIGHT,
) -> list[LibraryHit]:
    """Merge two lists by their scores, each stretched to reach from 0 to 1.

    `weight` is what meaning counts beside words. A passage of both lists stands as in the first.
    """
    scores: dict[str, float] = {}
    by_id: dict[str, LibraryHit] = {}
    for hits, counts in ((words, 1.0), (meaning, weight)):
        # A weighted CombSUM (Fox, Shaw, "Combination of Multiple Searches", TREC-2, 1994) of scores
        # that are stretched first: those of words have no upper end.
        shares = stretched([hit.score for hit in hits])
        for hit, share in zip(hits, shares, strict=True):
            scores[hit.passage] = scores.get(hit.passage, 0.0) + counts * share
            by_id.setdefault(hit.passage, hit)
    order = sorted(scores, key=lambda passage: (-scores[passage], passage))
    return [replace(by_id[passage], score=scores[passage]) for passage in order]


def _few_of_each(
    hits: Sequence[LibraryHit], limit: int, passages_each: int
) -> tuple[LibraryHit, ...]:
    taken: dict[str, int] = {}
    chosen: list[LibraryHit] = []
    for hit in hits:
        taken[hit.document] = taken.get(hit.document, 0) + 1
        if taken[hit.document] <= passages_each:
            chosen.append(hit)
    return tuple(chosen[:limit])


async def _unready(vectors: VectorStore, identity: Identity) -> Message | None:
    """Return why a model cannot search what there is: nothing is embedded by it."""
    known = await asyncio.to_thread(vectors.identities)
    if identity.key in known:
        return None
    return _by_keywords_alone(CHANGED.clause()) if known else NOTHING_EMBEDDED


def _by_keywords_alone(why: Message) -> Message:
    return Message("Only keywords were searched: {why}.", why=why)


# The library as runs use it: what a search has read goes in, and what answered a question comes
# out.

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

    search: LibrarySearch
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
