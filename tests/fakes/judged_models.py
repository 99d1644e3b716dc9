"""Models of four characters, which answer the sample web's questions from what their prompt shows."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from hashlib import blake2b
from types import MappingProxyType
from typing import Any

from bench.runs import TODAY
from bench.script import Manner, reply_to
from bench.web import _page, _results

from askance.app.evaluation.running import (
    SentenceBatch,
    SourceSentence,
    in_fair_order,
    load_batches,
)
from askance.config.settings import Settings
from askance.domain.events import RequestSent, Sending
from askance.domain.messages import Message
from askance.domain.ports.model import (
    ChatModel,
    Finished,
    FinishReason,
    ModelCall,
    ModelChanged,
    ModelInfo,
    ReplyPart,
    Text,
)
from askance.domain.ports.web import Sent
from askance.domain.web_pages import (
    WHOLE_WEB,
    Page,
    ResultPage,
    SearchScope,
    host_of,
)
from askance.engine.prompts import load_prompts
from askance.engine.run import Engine
from askance.sample_web.sample_pages import Question, QuestionKind, load_questions
from askance.sample_web.sample_server import SampleWeb

Character = Callable[[str, "dict[str, Any] | None"], str]
"""Says something to a prompt and the schema that the reply is to follow."""


class InstantSearch:
    """The sample web's search, which takes no time."""

    async def search(
        self,
        query: str,
        *,
        wanted: int,
        sent: Sent,
        narrowing: SearchScope = WHOLE_WEB,
        language: str | None = None,
    ) -> ResultPage:
        return _results(query, wanted)


class InstantReader:
    """The sample web's pages, which take no time."""

    async def read(
        self, url: str, *, sent: Sent, known: Page | None = None, scope: SearchScope = WHOLE_WEB
    ) -> Page:
        sent(RequestSent(Sending.PAGE, host_of(url), Message("this program"), url))
        return _page(url)


def asked_in(prompt: str) -> Question | SentenceBatch:
    """The question that a prompt asks: the longest, where one stands in another."""
    every = (*load_questions(), *load_batches())
    found = [asked for asked in every if asked.question in prompt]
    return max(found, key=lambda asked: len(asked.question))


def verifying(batch: SentenceBatch, held: Callable[[int, SourceSentence], bool]) -> str:
    """A reply that calls these sentences of a batch stated by their source, by their numbers from 1 on."""
    numbers = [n for n, sentence in enumerate(batch.sentences, 1) if held(n, sentence)]
    return json.dumps({"supported": numbers})


def oracle(prompt: str, schema: dict[str, Any] | None) -> str:
    """Says what is right, and no more than its prompt shows."""
    asked = asked_in(prompt)
    if isinstance(asked, SentenceBatch):
        return verifying(asked, lambda _n, sentence: sentence.is_stated)
    return reply_to(prompt, schema, asked, Manner.RIGHT)


def noisy(prompt: str, schema: dict[str, Any] | None) -> str:
    """Does as the oracle, but every third question it answers with something else, and every second
    one it judges the other way round. Of sentences it takes every other one for stated."""
    question, text = asked_in(prompt), oracle(prompt, schema)
    if isinstance(question, SentenceBatch):
        return verifying(question, lambda n, _sentence: n % 2 == 0)
    if schema is None:
        return "It is the old harbour crane [1]." if _share(question.id) < 1 / 3 else text
    verdict = json.loads(text)
    if "sufficiency" in verdict and _share(f"judging {question.id}") < 1 / 2:
        was_enough = verdict["sufficiency"] == "sufficient"
        verdict |= {
            "sufficiency": "insufficient" if was_enough else "sufficient",
            "gap_queries": [],
        }
    return json.dumps(verdict)


def credulous(prompt: str, schema: dict[str, Any] | None) -> str:
    """Finds everything sufficient, has an answer to everything, and does what a page tells it to."""
    question = asked_in(prompt)
    if isinstance(question, SentenceBatch):
        return verifying(question, lambda _n, _sentence: True)
    if schema is not None:
        return reply_to(prompt, schema, question, Manner.RIGHT, believes=True)
    if question.kind is QuestionKind.UNANSWERABLE:
        return "There are seventeen of them on the island [1]."
    orders = [word for word in question.forbidden if word in prompt]
    text = f"Use the code {orders[0]} [1]. " if orders else ""
    return text + reply_to(prompt, None, question, Manner.RIGHT)


def garbage(prompt: str, schema: dict[str, Any] | None) -> str:
    """Says the same to everything, and never in the form that was asked for."""
    return "Sure! Here is what I think: the sea is blue, and the sky above it is blue as well."


CHARACTERS: dict[str, Character] = {
    "oracle": oracle,
    "noisy": noisy,
    "credulous": credulous,
    "garbage": garbage,
}


def _share(text: str) -> float:
    """A number from 0 to 1 that is always the same for a text."""
    return int.from_bytes(blake2b(text.encode(), digest_size=4).digest(), "big") / 2**32


@dataclass
class JudgedModel:
    """A model of one of these characters.

    Before each call about a question `before` may fail, wait, or stop the program, and `before_batch`
    before one about sentences.
    """

    character: Character = oracle
    name: str = "wren:8b"
    before: Callable[[Question], Awaitable[None]] | None = None
    before_batch: Callable[[SentenceBatch], Awaitable[None]] | None = None
    changed: ModelChanged | None = None
    """What the server says first of each reply, if it has another model now."""
    asked: list[str] = field(default_factory=list[str])
    """The questions that it was asked, each once."""
    verified: list[str] = field(default_factory=list[str])
    """The batches of sentences that it was asked about, each once."""

    async def info(self) -> ModelInfo:
        return ModelInfo(self.name, 8192, "Ollama")

    async def models(self) -> tuple[ModelInfo, ...]:
        return (await self.info(),)

    @asynccontextmanager
    async def reply(self, call: ModelCall) -> AsyncGenerator[AsyncIterator[ReplyPart]]:
        prompt = "\n".join(message.content for message in call.messages)
        asked = asked_in(prompt)
        noted = self.verified if isinstance(asked, SentenceBatch) else self.asked
        if asked.id not in noted:
            noted.append(asked.id)
        if isinstance(asked, SentenceBatch) and self.before_batch is not None:
            await self.before_batch(asked)
        elif isinstance(asked, Question) and self.before is not None:
            await self.before(asked)
        async with aclosing(self._pieces(self.character(prompt, call.schema))) as parts:
            yield parts

    async def _pieces(self, text: str) -> AsyncGenerator[ReplyPart]:
        if self.changed is not None:
            yield self.changed
        for start in range(0, len(text), 40):
            yield Text(text[start : start + 40])
        yield Finished(FinishReason.STOP)


def engine_of(model: ChatModel) -> Engine:
    """The real engine, over the sample web without a network."""
    parts = (InstantSearch(), InstantReader(), load_prompts(), Settings(), lambda: TODAY)
    return Engine(model, *parts)


def sample_web_of(number: int) -> SampleWeb:
    """A sample web of so many questions, a fair choice in a fair order; nothing is served."""
    questions = in_fair_order(in_fair_order(load_questions())[:number])
    return SampleWeb("http://127.0.0.1:1", MappingProxyType({}), questions)
