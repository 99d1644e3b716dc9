"""The library by words and by meaning: the one way in, by which it is searched, and how its passages get vectors.

Engine, window, command line and other programs search it here. Keywords always search; where a model embeds, what is
meant does, too. Who may not read is refused here, and what another program reads is entered into the ledger.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import partial
from time import monotonic
from typing import ParamSpec, TypeVar

from askance.domain.errors import (
    AskanceError,
    LibraryAccessDenied,
    ServiceError,
    ServiceRefused,
    StorageError,
    place_of,
)
from askance.domain.events import RequestSent, Sending, ignore
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
from askance.domain.ports.model import (
    ChatModel,
    Embedder,
    EmbeddingProgress,
    Identity,
    ModelCall,
    Role,
    Text,
    Unembedded,
    Vector,
    VectorStore,
)
from askance.domain.ports.storage import Library
from askance.domain.ports.web import OutboundLedger
from askance.engine.prompts import Prompts, prompted
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
        wanted = self._mode(words, mode)
        if self.semantic is None and mode in {SearchMode.SEMANTIC, SearchMode.HYBRID}:
            notes.append(NO_EMBEDDER)
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

    def _mode(self, words: str, mode: SearchMode) -> SearchMode:
        """Return how to search: as asked for, and by meaning where something embeds and words tell it."""
        if self.semantic is None:
            return SearchMode.KEYWORDS
        if mode is not SearchMode.AUTO:
            return mode
        is_meant = intent_of(words) is Intent.SEMANTIC
        return SearchMode.HYBRID if is_meant else SearchMode.KEYWORDS

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


# Passages get their vectors: in batches, in the background or by a command, again after any kill.
#
# The queue is the store itself, which knows what has no vector. So nothing waits in memory but a batch,
# and nothing is lost with the process.

# A batch is tried so often, with these pauses before the second and the third time.
PAUSES_S = (1.0, 5.0)
# After so many batches in a row that failed the model is not there, and not the passages' fault.
MOST_FAILED_BATCHES = 3
# A batch that is refused is asked for in parts, with so many requests in all.
# Halving 32 passages down to a single bad one takes eleven requests.
MOST_PARTS = 16
# What is added in one go is embedded in one go; and what comes without an end is not waited for.
DEBOUNCE_S, LONGEST_DEBOUNCE_S = 2.0, 30.0
# Other processes add, too, and nobody tells of them.
RECHECK_S = 60.0
_LINE_TOKENS = 80
_LONGEST_LINE = 400
_P = ParamSpec("_P")
_Result = TypeVar("_Result")

OnProgress = Callable[[EmbeddingProgress], None]
Line = Callable[[Unembedded], Awaitable[str]]
"""Returns a line that goes before a passage; empty where there is none."""

CHANGED = Message(
    "The embedding model is another one than before. `askance library embed` embeds everything anew."
)


@dataclass(frozen=True, slots=True)
class ContextLines:
    """Lets the chat model say in a line what a passage is about, in its document.

    A model on another computer is asked only where it `may_read` what is the user's own.
    """

    model: ChatModel
    prompts: Prompts
    may_read: bool = False

    async def __call__(self, passage: Unembedded) -> str:
        """Return the line; empty where the model fails."""
        prompt = self.prompts.render("context_line", around=passage.around, passage=passage.text)
        call = ModelCall((prompted(Role.USER, prompt),), _LINE_TOKENS)
        parts: list[str] = []
        try:
            if not self.may_read and (await self.model.info()).host:
                return ""
            async with self.model.reply(call) as reply:
                parts += [part.text async for part in reply if isinstance(part, Text)]
        except AskanceError as exc:
            _log.info("no line on a passage: %s", place_of(exc))
            return ""
        return " ".join("".join(parts).split())[:_LONGEST_LINE]


@dataclass(slots=True)
class LibraryEmbedding:
    """Embeds the passages that have no vector.

    `on_progress` is called after each batch. `line` makes what goes before a passage, `ledger` is
    given the requests to a model on another machine.
    """

    vectors: VectorStore
    embedder: Embedder
    _: KW_ONLY
    batch_size: int = 32
    on_progress: OnProgress = ignore
    line: Line | None = None
    ledger: OutboundLedger | None = None
    pause: Callable[[float], Awaitable[object]] = asyncio.sleep
    debounce_s: float = DEBOUNCE_S
    recheck_s: float = RECHECK_S
    _noticed: asyncio.Event = field(default_factory=asyncio.Event, init=False)

    async def embed(self, *, anew: bool = False) -> EmbeddingProgress:
        """Embed what has no vector, and return what came of it. What fails is left for the next time.

        Where another model has embedded the library before, nothing happens, unless `anew` says
        that the vectors of that one are to go once all passages have one of this.

        Raises:
            AskanceError: the model is not there at all, or the library cannot be read or written.
        """
        identity = await self.embedder.identity()
        others = [key for key in await _to_the_end(self.vectors.identities) if key != identity.key]
        done, of = await _to_the_end(self.vectors.counted, identity)
        state = EmbeddingProgress(done, of)
        # Vectors of two models cannot be compared, and a library of days must not be embedded anew
        # unasked.
        if others and not done and not anew:
            state = replace(state, problem=CHANGED)
            self.on_progress(state)
            return state
        if done < of:
            enter_model(self.ledger, self.embedder.host, identity.model, "askance library embed")
            state = await self._each_batch(identity, state)
        if others and anew and not state.failed:
            await _to_the_end(self.vectors.forget_others, identity)
        return state

    def notice(self) -> None:
        """Take note that something was added. For the thread of the loop that `watch` runs in."""
        self._noticed.set()

    async def watch(self) -> None:
        """Embed what comes into the library, until cancelled. What fails is tried again later."""
        while True:
            try:
                await self.embed()
            except AskanceError as exc:
                self.on_progress(EmbeddingProgress(0, 0, problem=exc.message))
            await self._anything_new(self.recheck_s)
            with suppress(TimeoutError):
                async with asyncio.timeout(LONGEST_DEBOUNCE_S):
                    while await self._anything_new(self.debounce_s):
                        pass

    async def _anything_new(self, within_s: float) -> bool:
        """Wait for a notice; return whether one came in time."""
        with suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                await self._noticed.wait()
        noticed = self._noticed.is_set()
        # Cleared after the wait: what is noticed while a batch is embedded makes one more round.
        self._noticed.clear()
        return noticed

    async def _each_batch(self, identity: Identity, state: EmbeddingProgress) -> EmbeddingProgress:
        after = in_a_row = 0
        while batch := await _to_the_end(self.vectors.unembedded, identity, self.batch_size, after):
            # By row, and not by what is left: a batch that failed is not asked for again in this call.
            after = batch[-1].row
            before = state
            state = await self._in_parts(identity, batch, state)
            in_a_row = in_a_row + 1 if state.done == before.done else 0
            self.on_progress(state)
            # Each failure may have waited for its timeout three times: an absent server would cost
            # hours.
            if in_a_row == MOST_FAILED_BATCHES:
                return replace(state, failed=state.of - state.done)
        return state

    async def _in_parts(
        self, identity: Identity, batch: Sequence[Unembedded], state: EmbeddingProgress
    ) -> EmbeddingProgress:
        """Embed a batch; one that is refused in halves, since a single passage may be the reason."""
        parts, requests = [batch], 0
        while parts:
            part = parts.pop()
            requests += 1
            try:
                state = replace(state, done=state.done + await self._store(identity, part))
            except ServiceError as exc:
                _log.info("a batch was not embedded: %s", place_of(exc))
                half = len(part) // 2
                if isinstance(exc, ServiceRefused) and half and requests < MOST_PARTS:
                    parts += [part[half:], part[:half]]
                else:
                    state = replace(state, failed=state.failed + len(part), problem=exc.message)
        return state

    async def _store(self, identity: Identity, batch: Sequence[Unembedded]) -> int:
        lines = [await self.line(passage) if self.line else "" for passage in batch]
        texts = [
            (passage.title, f"{line}\n{passage.text}" if line else passage.text)
            for passage, line in zip(batch, lines, strict=True)
        ]
        vectors = await self._tried(texts)
        # A server can replace a model under its name while a batch is on its way.
        if await self.embedder.identity() != identity:
            # Nobody knows which of the two models made these.
            problem = Message("The model {model} has changed meanwhile.", model=identity.model)
            raise ServiceError(identity.model, "", problem)
        made = list(zip(batch, vectors, strict=True))
        return await _to_the_end(self.vectors.store, identity, made)

    async def _tried(self, texts: Sequence[tuple[str, str]]) -> Sequence[Vector]:
        for pause_s in PAUSES_S:
            try:
                return await self.embedder.embed_passages(texts)
            # What was refused once is refused again: no pause helps, smaller parts may.
            except ServiceRefused:
                raise
            except ServiceError:
                await self.pause(pause_s)
        return await self.embedder.embed_passages(texts)


def enter_model(ledger: OutboundLedger | None, host: str, model: str, occasion: str) -> None:
    """Enter into the ledger that texts go to a model on another machine."""
    if ledger is not None and host:
        with suppress(StorageError):
            ledger.add(RequestSent(Sending.MODEL, host, Message("this program"), model), occasion)


async def _to_the_end(step: Callable[_P, _Result], *args: _P.args, **named: _P.kwargs) -> _Result:
    """Do something in a thread; who cancels this waits for it, since the store is closed after that."""
    loop = asyncio.get_running_loop()
    doing = loop.run_in_executor(None, partial(step, *args, **named))
    try:
        return await asyncio.shield(doing)
    except asyncio.CancelledError:
        # A thread cannot be stopped: closed under it, the store would fail in the midst of a write.
        await asyncio.wait([doing])
        raise
