"""Models: one that chats and streams, the queue before its server, how fast it was, and those that embed.

Of what embeds texts: which model, of which vectors, and which prefix it expects before a text.
"""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from enum import StrEnum
from statistics import median
from typing import Any, Protocol

from askance.domain.conversation import Picture
from askance.domain.library import Filters, LibraryHit
from askance.domain.messages import NOTHING, Message

Vector = Sequence[float]
"""A direction: its length is 1. Two texts are as similar as the product of theirs."""

# A shorter vector has no direction: to divide by its length would make noise or infinities.
_SHORTEST = 1e-12


class Scheme(StrEnum):
    """What a model wants to see before a question and before a passage."""

    NONE = "none"
    NOMIC = "nomic"
    E5 = "e5"
    GEMMA = "embeddinggemma"
    BGE = "bge"

    def question(self, text: str) -> str:
        """Return a question as the model wants it."""
        return f"{_BEFORE_QUESTIONS[self]}{text}"

    def passage(self, title: str, text: str) -> str:
        """Return a passage as the model wants it; its title goes first."""
        if self is Scheme.GEMMA:
            return f"title: {title or 'none'} | text: {text}"
        titled = f"{title}\n{text}" if title else text
        return f"{_BEFORE_PASSAGES[self]}{titled}"


# As the models' own cards have them.
_BEFORE_QUESTIONS = {
    Scheme.NONE: "",
    Scheme.NOMIC: "search_query: ",
    Scheme.E5: "query: ",
    Scheme.GEMMA: "task: search result | query: ",
    Scheme.BGE: "Represent this sentence for searching relevant passages: ",
}
_BEFORE_PASSAGES = {
    Scheme.NONE: "",
    Scheme.NOMIC: "search_document: ",
    Scheme.E5: "passage: ",
    Scheme.BGE: "",
}
# Parts of names, since servers put more around them: `intfloat/multilingual-e5-small`,
# `nomic-embed-text:v1.5`.
_NAMED = {
    "nomic-embed": Scheme.NOMIC,
    "embeddinggemma": Scheme.GEMMA,
    "embedding-gemma": Scheme.GEMMA,
    "e5-": Scheme.E5,
}
# bge-m3 is the one of its family that wants none.
_BGE, _BGE_WITHOUT = "bge-", "bge-m3"


def scheme_of(model: str) -> Scheme:
    """Return the scheme of a model, by its name; none where the name tells nothing."""
    name = model.lower()
    for part, scheme in _NAMED.items():
        if part in name:
            return scheme
    return Scheme.BGE if _BGE in name and _BGE_WITHOUT not in name else Scheme.NONE


@dataclass(frozen=True, slots=True)
class Identity:
    """What two vectors must have in common to be compared: the model to the byte, and how it was asked.

    `digest` is what the server or the file tells of the model's contents, empty where nobody does.
    """

    model: str
    digest: str
    dimension: int
    scheme: Scheme = Scheme.NONE

    @property
    def key(self) -> str:
        """One line that names it, and nothing else."""
        # The name stands last, for it alone may hold a stroke: `model_of` splits at the first
        # three.
        return f"{self.scheme}|{self.dimension}|{self.digest}|{self.model}"


def model_of(key: str) -> str:
    """Return the model that an identity's key names."""
    return key.split("|", 3)[-1]


@dataclass(frozen=True, slots=True)
class Unembedded:
    """A passage without a vector. `row` is its number in the store, `content` the hash of its text.

    `around` is the beginning of that text, of which a line on the passage may be made.
    """

    row: int
    content: str
    number: int
    title: str
    text: str
    around: str = ""


@dataclass(frozen=True, slots=True)
class EmbeddingProgress:
    """How far embedding is: passages that have a vector, all of them, and those that failed this time.

    `problem` says what failed last.
    """

    done: int
    of: int
    failed: int = 0
    problem: Message = NOTHING


def unit(values: Sequence[float]) -> list[float] | None:
    """Return a vector of length 1 in the same direction; None if it has none, or is no vector."""
    length = math.sqrt(math.fsum(value * value for value in values)) if values else 0.0
    if not math.isfinite(length) or length < _SHORTEST:
        return None
    return [value / length for value in values]


# So many past runs tell what to expect of the next one; fewer tell nothing.
LEAST_RUNS = 2
MOST_RUNS = 7
# So many prompts tell what a server evaluates again, those that are so many times as long, or as short.
MOST_AGAIN, ALIKE = 12, 2.0
# What most calls of a run have in common with the one before, and the least that tells something.
USUAL_KNOWN, LEAST_KNOWN = 1_000, 40
# Nobody knows it to the second.
ROUNDED_FROM_S = 20
Waiting = Callable[[int], None]
"""Called with how many questions are ahead, when there are any, and again when that number changes."""


class Role(StrEnum):
    """Who speaks in a prompt."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message of a prompt. `pictures` go with it, to a model that sees."""

    role: Role
    content: str
    pictures: tuple[Picture, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One request to the model.

    `schema` is a JSON schema the reply must follow, or None for prose. `max_tokens` bounds the reply; with 0
    nobody reads it, and the server only evaluates the prompt. `think` lets a reasoning model reason; its
    reasoning arrives as `Thought`, never as text. `context_tokens` asks for a larger context than the usual
    one; 0 takes that. `reasons_unasked`: the model was seen to reason although it was asked not to. The reply
    must begin before `ends_at`, in seconds of the event loop's clock: no retry waits for longer. Later prompts
    begin with the first `repeated` characters of the last message, too; None where none goes on from this one.
    """

    messages: tuple[ChatMessage, ...]
    max_tokens: int
    temperature: float = 0.0
    schema: dict[str, Any] | None = None
    think: bool = False
    context_tokens: int = 0
    reasons_unasked: bool = False
    ends_at: float = math.inf
    repeated: int | None = None


@dataclass(frozen=True, slots=True)
class Text:
    """A piece of the reply."""

    text: str


@dataclass(frozen=True, slots=True)
class Thought:
    """A piece of the model's reasoning, separate from its reply."""

    text: str


@dataclass(frozen=True, slots=True)
class Retracted:
    """All `Text` of this reply so far was reasoning: only now has the model closed it."""


@dataclass(frozen=True, slots=True)
class ModelChanged:
    """The model that was chosen is not there any more; the first part says which one replies."""

    before: str
    now: str


@dataclass(frozen=True, slots=True)
class Timing:
    """How long the server says it took; 0 for what it does not say. A later one of a reply counts.

    `evaluated_tokens` of the prompt were taken in anew in `prompt_s`, the rest came from the cache.
    `output_s` is for writing, `load_s` for loading the model before. `prompt_tokens` counts the whole
    prompt, as `Finished` does: a reply that is cut short has no `Finished`.
    """

    evaluated_tokens: int = 0
    prompt_s: float = 0.0
    output_s: float = 0.0
    load_s: float = 0.0
    prompt_tokens: int = 0


class FinishReason(StrEnum):
    """Why a reply ended: all but `STOP` left it unfinished."""

    STOP = "stop"
    LENGTH = "length"
    OTHER = "other"
    """Such as a filter, or a fault of the server."""


@dataclass(frozen=True, slots=True)
class Finished:
    """The reply is complete. Token counts are the server's; 0 where it gives none.

    `prompt_tokens` counts the whole prompt, cached or not. `word` is the server's own for the reason.
    `is_from_reasoning` says that the server sent the text as reasoning, and nothing else.
    """

    reason: FinishReason
    prompt_tokens: int = 0
    output_tokens: int = 0
    word: str = ""
    is_from_reasoning: bool = False


ReplyPart = Text | Thought | Retracted | ModelChanged | Timing | Finished


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """The model as its server describes it. `context_tokens` is the context that calls really get.

    `host` is the machine that it runs on where that is not this one. `largest_context` is what a call
    may ask for at the most, in tokens; 0 where every call gets the same. `sees` says whether it can be shown
    pictures, None where the server does not tell.
    """

    name: str
    context_tokens: int
    server: str = ""
    size_bytes: int = 0
    capabilities: tuple[str, ...] = ()
    host: str = ""
    largest_context: int = 0
    sees: bool | None = None


class ChatModel(Protocol):
    """A model behind a server, or in a child process. All calls use one context size, but for those
    that ask for a larger one: the model is loaded anew for them."""

    async def info(self) -> ModelInfo:
        """Ask the server about the model, once; later calls return the same value.

        Raises:
            ServiceDown, ServiceTimeout, ServiceRefused, ServiceProtocolError: the server failed.
            ModelMissing: the server does not have the model.
            ModelRefused: the model runs in a cloud.
        """
        ...

    def reply(self, call: ModelCall) -> AbstractAsyncContextManager[AsyncIterator[ReplyPart]]:
        """Open a reply. Leaving the context closes the connection, which stops the model.

        The iterator ends after `Finished`. A stream that breaks off before that raises.

        Raises:
            ServiceDown, ServiceTimeout, ServiceRefused, ServiceProtocolError: the server failed, or was
                silent for longer than the idle limit.
            ModelMissing: the server does not have the model.
            PromptTooLong: the prompt does not fit the context.
        """
        ...

    async def models(self) -> tuple[ModelInfo, ...]:
        """List the models that the server could run here.

        Raises:
            ServiceDown, ServiceTimeout, ServiceRefused, ServiceProtocolError: the server failed.
        """
        ...


class ModelQueue(Protocol):
    """Lets one run after the other to a model server: first come, first served among those of one kind."""

    def turn(self, waiting: Waiting) -> AbstractAsyncContextManager[None]:
        """Wait until it is this run's turn, which lasts as long as the context. It never fails."""
        ...

    def is_free(self) -> bool:
        """Whether a run would have its turn at once, as far as can be seen now."""
        ...


@dataclass(frozen=True, slots=True)
class Speed:
    """What is known of one model on one server; 0 where nothing is.

    `prompt_tps` and `reply_tps` are tokens a second, of a prompt taken in and of a reply written.
    `load_s` is what loading the model took, `wait_s` what a call waits before the server begins.
    `runs_s` are the seconds of the last runs that ended with an answer, the newest last. `thought_tokens` is
    what the model reasons before a reply although it was asked not to; 1 where it did so once. `again` has for
    the last prompts how much of them the server had evaluated before, in tokens, and how much of that it did again.
    """

    prompt_tps: float = 0.0
    reply_tps: float = 0.0
    load_s: float = 0.0
    wait_s: float = 0.0
    runs_s: tuple[float, ...] = ()
    thought_tokens: int = 0
    again: tuple[tuple[int, int], ...] = ()

    @property
    def saved_share(self) -> float | None:
        """The share of what it had evaluated that the server did not evaluate again; None where nothing was seen."""
        known = sum(known for known, _ in self.again)
        return 1 - sum(again for _, again in self.again) / known if known else None

    def usual_again(self, known: int = USUAL_KNOWN) -> int:
        """Return what is evaluated again of so many tokens that the server has evaluated before.

        0 where nothing was seen. Prompts of about that length tell: a short beginning is lost where a long one
        is not.
        """
        alike = [again for seen, again in self.again if seen / ALIKE <= known <= ALIKE * seen]
        # The median: another asker's prompt drives all out now and then.
        rows = alike or [again for _, again in self.again]
        return min(known, round(median(rows))) if rows else 0

    def with_again(self, known: int, new: int, timing: Timing) -> Speed:
        """Return it with what a server counted of a prompt, of which by estimate so much is known to it, and new.

        Where it does not count, or knows next to nothing, that tells nothing.
        """
        evaluated, had = timing.evaluated_tokens, timing.prompt_tokens - timing.evaluated_tokens
        if not evaluated or had < 0 or known < LEAST_KNOWN:
            return self
        # The error of an estimate grows with it: the smaller one tells.
        again = evaluated - new if new < known else known - had
        row = known, min(known, max(0, again))
        return replace(self, again=(*self.again, row)[-MOST_AGAIN:])

    @property
    def typical_run_s(self) -> int:
        """The seconds that a run takes here, as one would say it; 0 where too few were seen."""
        if len(self.runs_s) < LEAST_RUNS:
            return 0
        # The median, not the mean: a run that waited for its model to be loaded says little of the
        # next.
        seconds = median(self.runs_s)
        return max(1, round(seconds)) if seconds < ROUNDED_FROM_S else 5 * round(seconds / 5)


class Speeds(Protocol):
    """A store of speeds. It never fails: one that cannot be read knows nothing."""

    async def known(self, server: str, model: str) -> Speed:
        """Return what is known of a model on a server; an empty `Speed` where nothing is."""
        ...

    async def store(self, server: str, model: str, speed: Speed) -> None:
        """Keep what is known now, in place of what was."""
        ...


@dataclass(frozen=True, slots=True)
class Defaults:
    """What fits a model here, as far as it was measured; None for what was not.

    `judges` says whether its verdicts are worth their time, `verifies` whether it tells what a source
    states in other words, `is_small` that it follows few instructions at a time, `invents` that it answers questions
    that have no answer. The portion is the first one of the evidence; the time is that of a whole run.
    """

    first_portion_tokens: int | None = None
    judges: bool | None = None
    run_timeout_s: int | None = None
    verifies: bool | None = None
    is_small: bool | None = None
    invents: bool | None = None


Evaluated = Callable[[str], Awaitable[Defaults]]
"""Returns what was measured of the model of this name, on the server that is set. It never fails."""


async def not_evaluated(_model: str) -> Defaults:
    """Know nothing of any model."""
    return Defaults()


class Embedder(Protocol):
    """A model that puts texts into vectors. `host` is another machine's that they go to, else empty.

    All methods raise
        ServiceError: it is down, slow, refuses, or sends what cannot be understood.
        ModelMissing, ModelRefused, SettingsError: it is not there, or set up wrongly.
    """

    @property
    def host(self) -> str:
        """The host of the server, where that is another machine."""
        ...

    async def identity(self) -> Identity:
        """Say what it is now. A server may have got another model under the same name."""
        ...

    async def embed_query(self, text: str) -> Vector:
        """Return the vector of a question, of length 1."""
        ...

    async def embed_passages(self, passages: Sequence[tuple[str, str]]) -> Sequence[Vector]:
        """Return the vectors of passages, each given as title and text, in their order."""
        ...


class Entailment(Protocol):
    """A small model on this machine that reads a text and a sentence together: does the one state the other?"""

    async def probabilities(self, pairs: Sequence[tuple[str, str]]) -> Sequence[float]:
        """Return for each pair of a text and a sentence how surely the text states the sentence, 0 to 1.

        Raises:
            ServiceError: it fails.
            SettingsError: it is not there, or set up wrongly.
        """
        ...


class VectorStore(Protocol):
    """Keeps vectors of the library's passages, those of each identity apart.

    Its methods block. All raise StorageError where the store cannot be read or written.
    """

    def nearest(
        self,
        identity: Identity,
        vector: Vector,
        limit: int,
        filters: Filters,
        *,
        words: str,
        passages_each: int = 1,
        least: float = 0.0,
    ) -> tuple[LibraryHit, ...]:
        """Return the passages that are most similar to a vector, best first; `score` is how similar.

        None is less similar than `least`. `words` are those that are marked in the snippets.
        """
        ...

    def unembedded(self, identity: Identity, limit: int, after: int = 0) -> tuple[Unembedded, ...]:
        """Return passages without a vector, by their rows, from the one behind `after` on."""
        ...

    def store(self, identity: Identity, vectors: Sequence[tuple[Unembedded, Vector]]) -> int:
        """Keep vectors, all or none, and return how many. One whose passage has gone is left out."""
        ...

    def counted(self, identity: Identity | None) -> tuple[int, int]:
        """Return how many passages have a vector, and how many there are."""
        ...

    def identities(self) -> tuple[str, ...]:
        """Return the keys of the identities of which vectors are stored."""
        ...

    def forget_others(self, identity: Identity) -> int:
        """Delete the vectors of all other identities, and return how many they were."""
        ...


@dataclass(frozen=True, slots=True)
class PullStep:
    """How far a model is: the bytes of all layers that are known by now."""

    done_bytes: int = 0
    total_bytes: int = 0
