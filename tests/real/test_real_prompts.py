"""What the engine expects a server to take in, next to what real servers say they took in.

The model of llama.cpp's server is tiny, and its replies are written by the tests: prompts alone are
looked at, and SmolLM2 takes a minute to take them in.
"""

from __future__ import annotations

import json
import math
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import pairwise
from pathlib import Path

import httpx
import pytest
from bench.slow_server import serve
from bench.tiny_models import write_tiny_model
from bench.web import SampleReader, SampleSearch

from askance.adapters.llm.ollama import OllamaModel
from askance.adapters.llm.openai import OpenAIModel
from askance.config.choices import LlmApi
from askance.config.settings import LlmSettings, Settings
from askance.domain.conversation import RunRequest
from askance.domain.events import Answered, RunEvent
from askance.domain.ports.model import (
    ChatMessage,
    ChatModel,
    Finished,
    FinishReason,
    ModelCall,
    ModelInfo,
    ReplyPart,
    Role,
    Text,
    Timing,
)
from askance.engine.model_speed import ModelSpeed
from askance.engine.prompts import ContextBudget, load_prompts
from askance.engine.run import Engine
from askance.sample_web.sample_pages import load_questions
from fakes.model import role_of
from servers.model_script import plan, verdict
from servers.real_models import (
    OLLAMA_MODEL,
    OLLAMA_URL,
    Llama,
    needs_ollama,
    running_llama,
    small_model,
)
from waiting import patience

CONTEXT_TOKENS = 8192
QUESTIONS = [question.question for question in load_questions()[:2]]
# A part of a prompt is a few words long, which no estimate hits to the token.
TOLERANCE, SMALL_TOKENS, FEW_TOKENS = 0.05, 100, 8
PORTION_TOKENS = 150
REPLIES = {
    # What SmolLM2 asks for.
    "plan": json.dumps(plan("clarifying_question")),
    "judge": json.dumps(verdict("sufficient")),
    "answer": "The ferry takes two hours [1].",
}
pytestmark = [pytest.mark.real, pytest.mark.exhaustive]


class Expecting(ModelSpeed):
    """Keeps what is expected of a call, and sends prompts whole or in portions of one size."""

    def __init__(self, hang_up_s: float) -> None:
        super().__init__()
        self.hang_up_s = hang_up_s
        self.expected = 0

    @property
    def portion_tokens(self) -> int:
        return PORTION_TOKENS

    def begin(self, tokens: int) -> None:
        self.expected = tokens
        super().begin(tokens)


@dataclass
class Sent:
    """One request: the tokens that were expected, and those that the server counted."""

    expected: int
    expected_whole: int
    evaluated: int = 0
    whole: int = 0
    first_token: bool = False

    @property
    def is_near(self) -> bool:
        return near(self.expected, self.evaluated)

    @property
    def is_near_in_whole(self) -> bool:
        return near(self.expected_whole, self.whole)


def near(expected: int, counted: int) -> bool:
    """Say whether one is within a twentieth of the other, or a few tokens where there are few."""
    most = TOLERANCE * counted if counted >= SMALL_TOKENS else FEW_TOKENS
    return abs(expected - counted) <= most


@dataclass
class Counting:
    """A model, with what its server says of each request; `replies` stand for its own, role by role."""

    model: ChatModel
    pace: Expecting
    replies: Mapping[str, str]
    sent: list[Sent] = field(default_factory=list[Sent])

    async def info(self) -> ModelInfo:
        return await self.model.info()

    async def models(self) -> tuple[ModelInfo, ...]:
        return await self.model.models()

    @asynccontextmanager
    async def reply(self, call: ModelCall) -> AsyncGenerator[AsyncIterator[ReplyPart]]:
        governor = ContextBudget(CONTEXT_TOKENS, 1, self.pace.token_factor)
        sent = Sent(self.pace.expected, governor.prompt_cost(call.messages))
        self.sent.append(sent)
        # A portion of a prompt has no reply.
        text = self.replies.get(role_of(call)) if call.max_tokens else None
        async with self.model.reply(replace(call, max_tokens=1) if text else call) as parts:
            yield _counted(_replied(parts, text) if text else parts, sent)


async def _replied(parts: AsyncIterator[ReplyPart], text: str) -> AsyncGenerator[ReplyPart]:
    async for part in parts:
        match part:
            case Text():
                pass
            case Finished():
                yield Text(text)
                yield replace(part, reason=FinishReason.STOP)
            case _:
                yield part


async def _counted(parts: AsyncIterator[ReplyPart], sent: Sent) -> AsyncGenerator[ReplyPart]:
    async for part in parts:
        sent.first_token = True
        match part:
            case Timing(evaluated_tokens=evaluated, prompt_tokens=whole):
                sent.evaluated, sent.whole = evaluated, whole
            case Finished(prompt_tokens=whole):
                sent.whole = whole
            case _:
                pass
        yield part


class Asker:
    """An engine over the sample web, as one window has it."""

    def __init__(
        self, model: ChatModel, replies: Mapping[str, str], hang_up_s: float = math.inf
    ) -> None:
        self.model = Counting(model, pace := Expecting(hang_up_s), replies)
        self.engine = Engine(
            self.model,
            SampleSearch(),
            SampleReader(),
            load_prompts(),
            Settings(),
            lambda: date(2026, 3, 2),
            model_speed=pace,
        )

    async def ask(self, question: str) -> list[Sent]:
        """Ask in a conversation of its own, and return what was counted of it.

        What a server has kept of a request that was left in its prompt, nobody can know: neither that
        nor the next one counts.
        """
        before = len(self.model.sent)
        async with patience():
            end = await self.engine.run(RunRequest(question), emit=_ignore)
        assert isinstance(end, Answered)
        pairs = pairwise([Sent(0, 0, first_token=True), *self.model.sent])
        return [s for last, s in list(pairs)[before:] if last.first_token and s.first_token]


def _ignore(event: RunEvent) -> None:
    pass


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    write_tiny_model(gguf := tmp_path_factory.mktemp("models") / "tiny.gguf", small_model())
    return gguf


async def system_tokens(llama: Llama) -> int:
    """Have the server itself count the text with which all prompts begin."""
    key = {"Authorization": f"Bearer {llama.process.key}"}
    content = load_prompts().render("system", today="2026-03-02")
    async with httpx.AsyncClient(base_url=llama.process.url, headers=key, trust_env=False) as http:
        reply = await http.post("/tokenize", json={"content": content})
    return len(reply.json()["tokens"])


@pytest.mark.exhaustive
async def test_llama_cpp_evaluates_what_the_engine_expects_and_keeps_the_system_text(
    tiny: Path,
) -> None:
    async with running_llama(CONTEXT_TOKENS, gguf=tiny) as llama, llama.model() as model:
        asker = Asker(model, REPLIES)
        first, second = [await asker.ask(question) for question in QUESTIONS]
        counted = [sent for sent in (*first, *second) if sent.evaluated]
        assert len(counted) >= 4
        assert max(sent.evaluated for sent in counted) > 300
        assert [sent for sent in counted if not (sent.is_near and sent.is_near_in_whole)] == []
        assert near(sum(s.expected for s in counted), sum(s.evaluated for s in counted))
        assert first[0].evaluated == first[0].whole
        assert second[0].whole - second[0].evaluated >= await system_tokens(llama)


@pytest.mark.exhaustive
async def test_llama_cpp_evaluates_what_the_engine_expects_of_each_portion(tiny: Path) -> None:
    async with running_llama(CONTEXT_TOKENS, gguf=tiny) as llama, llama.model() as model:
        asked = await Asker(model, REPLIES, hang_up_s=0.0).ask(QUESTIONS[0])
    sent = [s for s in asked if s.evaluated]
    assert len(sent) > 5
    # Portions are cut by their characters: some have a table in them.
    assert all(s.evaluated < 2 * PORTION_TOKENS for s in sent[1:])
    # One that ends in the task is evaluated to the end of the evidence.
    assert all(abs(s.expected - s.evaluated) <= PORTION_TOKENS / 5 for s in sent)
    assert near(sum(s.expected for s in sent), sum(s.evaluated for s in sent))


async def test_the_first_question_finds_the_system_text_in_a_server_that_was_warmed_up(
    tiny: Path,
) -> None:
    async with running_llama(CONTEXT_TOKENS, gguf=tiny) as llama, llama.model() as model:
        asker = Asker(model, REPLIES)
        async with patience():
            await asker.engine.warm_up(1800.0)
        warm_up = asker.model.sent[0]
        first, *_ = await asker.ask(QUESTIONS[0])
        assert first.whole - first.evaluated >= await system_tokens(llama)
        assert warm_up.expected == 0
        assert first.is_near


async def test_ollama_counts_as_many_tokens_in_a_prompt_as_are_estimated() -> None:
    """It does not tell how many of them it had from its cache."""
    needs_ollama()
    settings = LlmSettings(url=OLLAMA_URL, model=OLLAMA_MODEL, context_tokens=CONTEXT_TOKENS)
    async with OllamaModel(settings) as model:
        # The first is estimated with nothing known of the vocabulary.
        asked = await Asker(model, {}, hang_up_s=0.0).ask(QUESTIONS[0])
    _, *others = [sent for sent in asked if sent.whole]
    assert others
    assert [sent for sent in others if not sent.is_near_in_whole] == []


async def evaluated_tokens(model: ChatModel, evidence: str, task: str) -> tuple[int, int]:
    """Return how many tokens of a prompt a server evaluated, and how many the prompt has."""
    body = f"Which word stands last?\n\n{evidence}"
    messages = (
        ChatMessage(Role.SYSTEM, "You answer from evidence."),
        ChatMessage(Role.USER, f"{body}\n\n{task}"),
    )
    timings = list[Timing]()
    async with model.reply(ModelCall(messages, max_tokens=4, repeated=len(body))) as parts:
        async for part in parts:
            if isinstance(part, Timing):
                timings.append(part)
    return timings[-1].evaluated_tokens, timings[-1].prompt_tokens


@pytest.mark.parametrize("batch", [64, 0])
@pytest.mark.parametrize("architecture", ["llama", "mamba2", "gpt-oss"])
async def test_no_model_evaluates_evidence_again(
    tmp_path: Path, architecture: str, batch: int
) -> None:
    # A recurrent model keeps one state and no positions: only a checkpoint can save the evidence.
    write_tiny_model(gguf := tmp_path / "tiny.gguf", small_model(), architecture)
    portions = [f"Part {n}. " + f"Word {n} stands here. " * 40 for n in range(7)]
    evidence = ["\n\n".join(portions[: n + 1]).strip() for n in range(7)]
    async with patience():
        if batch:
            async with running_llama(CONTEXT_TOKENS, gguf=gguf) as llama:
                counted = await _all_evaluated(llama.model(), evidence)
        else:
            with serve(gguf, threads=1) as server:
                model = OpenAIModel(LlmSettings(api=LlmApi.OPENAI, url=server.url))
                counted = await _all_evaluated(model, evidence)
    evaluated = [tokens for tokens, _ in counted]
    portion_tokens = (counted[-1][1] - counted[0][1]) / 6
    tail_tokens = counted[0][1] - portion_tokens
    # Each portion is evaluated once, and behind it a task twice.
    assert sum(evaluated) < 7 * portion_tokens + 14 * (tail_tokens + 12)


async def _all_evaluated(model: OpenAIModel, evidence: list[str]) -> list[tuple[int, int]]:
    async with model:
        return [
            await evaluated_tokens(model, text, f"Task {n} of two.")
            for text in evidence
            for n in range(2)
        ]
