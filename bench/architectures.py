"""How much of its prompts a server has not to evaluate again, by the architecture of the model and the batch.

    python -m bench.architectures GGUF

Whole runs of the engine with llama.cpp's own server and tiny models, whose vocabulary is that of the GGUF file
that is named: one question after the other on one server, each in a conversation of its own. Every prompt is
evaluated by the server, and its reply is written by the script. It prints the table of
`docs/bench/embedded-model.md`: in each cell the share of the prompt tokens that was not evaluated, and by how much
the engine's estimate of the others was wrong at the most, from the second run on.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path

from askance.adapters.llm.openai import OpenAIModel
from askance.config.choices import LlmApi
from askance.config.settings import LlmSettings, Settings
from askance.domain.conversation import RunRequest
from askance.domain.events import ignore
from askance.domain.ports.model import (
    ChatModel,
    Finished,
    FinishReason,
    ModelCall,
    ModelInfo,
    ReplyPart,
    Text,
    Timing,
)
from askance.engine.model_speed import ModelSpeed
from askance.engine.prompts import load_prompts
from askance.engine.run import Engine
from askance.sample_web.sample_pages import Question, load_questions
from bench.costs import count_tokens, flatten
from bench.script import Manner, reply_to
from bench.slow_server import serve
from bench.tiny_models import ARCHITECTURES, write_tiny_model
from bench.web import SampleReader, SampleSearch

# The built-in engine's, and llama.cpp's own.
BATCHES = (64, 0)


@dataclass(slots=True)
class RunTokens:
    """Prompt tokens of one run: all that were sent, and what was evaluated of them, counted and expected."""

    sent: int = 0
    evaluated: int = 0
    expected: int = 0


class ForecastingSpeed(ModelSpeed):
    """Remembers what is expected of the call that begins."""

    expected = 0

    def begin(self, tokens: int) -> None:
        """Note what a server has to take in. See `ModelSpeed.begin`."""
        self.expected = tokens
        super().begin(tokens)


@dataclass
class EvaluatedModel:
    """A model whose server evaluates every prompt, while the script writes the replies."""

    served: ChatModel
    model_speed: ForecastingSpeed
    question: Question
    tokens: RunTokens = field(default_factory=RunTokens)

    async def info(self) -> ModelInfo:
        """Return what the server says."""
        return await self.served.info()

    async def models(self) -> tuple[ModelInfo, ...]:
        """Return what the server has."""
        return await self.served.models()

    @asynccontextmanager
    async def reply(self, call: ModelCall) -> AsyncGenerator[AsyncIterator[ReplyPart]]:
        """Open a reply of one token, and give the script's in its place."""
        self.tokens.expected += self.model_speed.expected
        async with self.served.reply(
            replace(call, max_tokens=min(1, call.max_tokens), schema=None)
        ) as parts:
            timing = [part async for part in parts if isinstance(part, Timing)][-1]
        self.tokens.sent += timing.prompt_tokens
        self.tokens.evaluated += timing.evaluated_tokens
        prompt = flatten(call.messages)
        text = reply_to(prompt, call.schema, self.question, Manner.RIGHT)
        yield _written(text, timing)


async def _written(text: str, timing: Timing) -> AsyncGenerator[ReplyPart]:
    yield timing
    yield Text(text)
    yield Finished(FinishReason.STOP, timing.prompt_tokens, count_tokens(text))


async def ask(
    served: ChatModel, questions: Sequence[Question], model_speed: ForecastingSpeed
) -> list[RunTokens]:
    """Ask one question after the other, each in a conversation of its own."""
    runs: list[RunTokens] = []
    for question in questions:
        model = EvaluatedModel(served, model_speed, question)
        engine = Engine(
            model,
            SampleSearch(),
            SampleReader(),
            load_prompts(),
            Settings(),
            lambda: date(2026, 3, 2),
            model_speed=model_speed,
        )
        await engine.run(RunRequest(question.question), emit=ignore)
        runs.append(model.tokens)
    return runs


async def _measured(url: str, questions: Sequence[Question]) -> list[RunTokens]:
    model = OpenAIModel(LlmSettings(api=LlmApi.OPENAI, url=url))
    async with model:
        return await ask(model, questions, ForecastingSpeed())


def saved(runs: Sequence[RunTokens]) -> float:
    """Return the share of the tokens that were not evaluated."""
    return 1 - sum(run.evaluated for run in runs) / sum(run.sent for run in runs)


def worst_error(runs: Sequence[RunTokens]) -> float:
    """Return by how much the estimate of a run was wrong at the most, but for the first run."""
    return max(abs(run.expected / run.evaluated - 1) for run in runs[1:])


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.architectures", description=__doc__)
    parser.add_argument("vocabulary", type=Path, help="a GGUF file with a tokenizer")
    parser.add_argument("--questions", type=int, default=8)
    parser.add_argument("--only", choices=ARCHITECTURES, action="append")
    parser.add_argument("--batch", type=int, action="append", help="0 is llama.cpp's own")
    options = parser.parse_args(arguments)
    questions, batches = load_questions()[: options.questions], options.batch or BATCHES
    heads = " | ".join(str(batch or "default") for batch in batches)
    sys.stdout.write(f"| architecture | {heads} |\n|---|{'---:|' * len(batches)}\n")
    for name in options.only or ARCHITECTURES:
        cells: list[str] = []
        with tempfile.TemporaryDirectory() as folder:
            write_tiny_model(gguf := Path(folder) / "tiny.gguf", options.vocabulary, name)
            for batch in batches:
                with serve(gguf, threads=1, batch=batch) as server:
                    runs = asyncio.run(_measured(server.url, questions))
                cells.append(f"{saved(runs):.0%}, {worst_error(runs):.0%}")
        sys.stdout.write(f"| {name} | {' | '.join(cells)} |\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
