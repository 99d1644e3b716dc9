"""The one way into the library: the engine, the window, the command line and other programs search it here.

Keywords always search; where a model embeds, what is meant does, too. Who may not read is refused here,
and what another program reads is entered into the ledger.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from time import monotonic

from askance.domain.errors import (
    AskanceError,
    LibraryAccessDenied,
    ServiceError,
    ServiceRefused,
    StorageError,
    place_of,
)
from askance.domain.events import RequestSent, Sending
from askance.domain.library import (
    EVERY,
    USER,
    Caller,
    Filters,
    LibraryHit,
    LibraryMatches,
    SearchMode,
)
from askance.domain.messages import NOTHING, Message
from askance.domain.ports.model import Embedder, Identity, VectorStore
from askance.domain.ports.storage import Library
from askance.domain.ports.web import OutboundLedger
from askance.engine.library_embedding import CHANGED, enter_model
from askance.text.ranking.intent import Intent, intent_of
from askance.text.ranking.scoring import stretched

LEAST_SIMILARITY = 0.3
# Somebody waits for the search, and keywords have found what they find by then.
QUERY_TIMEOUT_S = 5.0
REST_S = 60.0
"""So long a server is not asked for a question's vector again after it has failed to answer."""
# docs/bench/library.md: of each list so many are merged.
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
    """Searches a library, for the engine and every front end."""

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
        """Return the passages that fit some words best; of each document so many at most.

        What is semantic about it may fail: keywords find then, and a note says so.

        Raises:
            LibraryAccessDenied: the caller may not read the library.
            StorageError: the library cannot be read.
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
