"""Passages get their vectors: in batches, in the background or by a command, again after any kill.

The queue is the store itself, which knows what has no vector. So nothing waits in memory but a batch,
and nothing is lost with the process.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import partial
from typing import ParamSpec, TypeVar

from askance.domain.errors import (
    AskanceError,
    ServiceError,
    ServiceRefused,
    StorageError,
    place_of,
)
from askance.domain.events import RequestSent, Sending, ignore
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
from askance.domain.ports.web import OutboundLedger
from askance.engine.prompts import Prompts, prompted

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

_log = logging.getLogger(__name__)


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
            async with _at_most(LONGEST_DEBOUNCE_S):
                while await self._anything_new(self.debounce_s):
                    pass

    async def _anything_new(self, within_s: float) -> bool:
        """Wait for a notice; return whether one came in time."""
        noticed = False
        async with _at_most(within_s):
            await self._noticed.wait()
            noticed = True
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


def enter_model(ledger: OutboundLedger | None, host: str, model: str, occasion: str) -> Message:
    """Enter into the ledger that texts go to a model on another machine; return why it was not."""
    if ledger is None or not host:
        return NOTHING
    try:
        ledger.add(RequestSent(Sending.MODEL, host, Message("this program"), model), occasion)
    except StorageError as exc:
        return exc.message
    return NOTHING


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


@asynccontextmanager
async def _at_most(seconds: float) -> AsyncGenerator[None]:
    """Bound what happens inside; it ends there without a word."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            yield
