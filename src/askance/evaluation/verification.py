"""Whether a model can tell what a source states in other words: built-in sentences, asked as a run asks its own."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from askance.domain.errors import PromptTooLong, ServiceSlow
from askance.domain.events import RunEvent
from askance.domain.evidence import Citation, Passage, Support
from askance.engine.budget import Governor, reply_tokens
from askance.engine.calls import Calls, MalformedReply
from askance.engine.ledger import Ledger, new_nonce
from askance.engine.progress import Progress, turn
from askance.engine.run import Engine
from askance.engine.verifying import ask_which_are_stated
from askance.evaluation.figures import Verified
from askance.evaluation.measuring import RecordingModel

# Who needs longer for three short sources and six sentences keeps a reader waiting for the grades.
LIMIT_S = 60.0


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence about a source, by its number from 1 on, and whether that states it."""

    text: str
    source: int
    is_stated: bool


@dataclass(frozen=True, slots=True)
class Batch:
    """Sentences that are asked in one call, with their sources: titles and texts."""

    id: str
    question: str
    sources: tuple[tuple[str, str], ...]
    sentences: tuple[Sentence, ...]


@lru_cache(maxsize=1)
def load_batches() -> tuple[Batch, ...]:
    """Return all built-in sentences, half of them stated by their source, in the order of their file."""
    text = files("askance.evaluation").joinpath("sentences.json").read_text(encoding="utf-8")
    return tuple(
        Batch(
            row["id"],
            row["question"],
            tuple((title, told) for title, told in row["sources"]),
            tuple(Sentence(s["text"], s["source"], s["stated"]) for s in row["sentences"]),
        )
        for row in json.loads(text)
    )


async def ask_batch(engine: Engine, batch: Batch, *, limit_s: float = LIMIT_S) -> Verified:
    """Ask the engine's model about a batch. What it does not say in time, it has not said.

    Raises:
        AskanceError: the model server failed otherwise than by being slow: nothing was measured.
    """
    assert engine.model is not None
    model, pace, settings = RecordingModel(engine.model), engine.pace, engine.settings
    ledger = Ledger(new_nonce())
    ledger.add_passages(_passages(batch), {})
    clock = asyncio.get_running_loop().time
    said: frozenset[int] = frozenset()
    async with turn(engine.queue, _unheard):
        info = await model.info()
        await pace.recall(info.name)
        calls = Calls(
            model,
            Governor(info.context_tokens, reply_tokens(settings), pace.token_factor),
            engine.prompts,
            Progress(_unheard, wall_clock_s=limit_s, answer_reserve_s=0),
            system=engine.system(),
            turns=(),
            question=batch.question,
            think=settings.llm.think,
            pace=pace,
        )
        begun = clock()
        try:
            async with asyncio.timeout(limit_s):
                said = await ask_which_are_stated(_cited(batch), ledger.text, calls, engine.prompts)
        except (TimeoutError, MalformedReply, ServiceSlow, PromptTooLong):
            pass  # in a run, too, no grade is raised then
    if model.failure is not None:
        raise model.failure
    return _verified(batch, said, clock() - begun)


def _passages(batch: Batch) -> list[Passage]:
    return [
        Passage(f"http://{batch.id}.example/{n}", title, text, 0)
        for n, (title, text) in enumerate(batch.sources, 1)
    ]


def _cited(batch: Batch) -> Sequence[Citation]:
    return [Citation(s.source, s.text, 0, len(s.text), Support.WEAK) for s in batch.sentences]


def _verified(batch: Batch, said: frozenset[int], seconds: float) -> Verified:
    asked = list(enumerate(batch.sentences, 1))
    stated = [n for n, sentence in asked if sentence.is_stated]
    unstated = [n for n, sentence in asked if not sentence.is_stated]
    return Verified(
        id=batch.id,
        seconds=round(seconds, 1),
        stated=len(stated),
        stated_right=sum(n in said for n in stated),
        unstated=len(unstated),
        unstated_right=sum(n not in said for n in unstated),
    )


def _unheard(_event: RunEvent) -> None:
    """Nobody follows this."""
