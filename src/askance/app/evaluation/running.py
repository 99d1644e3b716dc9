"""What a model is asked for its evaluation, within a time: the sample web's questions, and built-in sentences of
which it says whether their sources state them.

Any beginning of the order is a fair sample."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.resources import files

from askance.app.evaluation.figures import Measured, Verified
from askance.app.evaluation.grading import LEAST_ASKED
from askance.app.evaluation.measuring import RecordingModel, ask
from askance.citations.foreign_markers import new_nonce
from askance.domain.errors import PromptTooLong, ServiceTimeout
from askance.domain.events import RunEvent
from askance.domain.evidence import Citation, Passage, Support
from askance.domain.ports.model import Defaults
from askance.engine.answer import ask_which_are_stated
from askance.engine.evidence_set import NumberedEvidence
from askance.engine.model_session import MalformedReply, ModelSession, SharedPrompt
from askance.engine.model_speed import ModelSpeed
from askance.engine.progress import RunState, turn
from askance.engine.prompts import ContextBudget, reply_tokens
from askance.engine.run import Engine
from askance.sample_web.server import Question

LIMIT_S = 600.0
# Who needs longer for three short sources and six sentences keeps a reader waiting for the grades.
BATCH_LIMIT_S = 60.0


def in_fair_order(questions: Sequence[Question]) -> tuple[Question, ...]:
    """Return all questions so that each beginning has of each kind and language what is its share."""
    rows: dict[tuple[str, str], list[Question]] = {}
    for question in questions:
        rows.setdefault((question.kind, question.language), []).append(question)
    placed = [
        ((i + 0.5) / len(row), n, question)
        for n, row in enumerate(rows.values())
        for i, question in enumerate(row)
    ]
    return tuple(question for _, _, question in sorted(placed, key=lambda place: place[:2]))


def in_order(
    questions: Sequence[Question], batches: Sequence[SentenceBatch]
) -> tuple[Question | SentenceBatch, ...]:
    """Return all that is asked: the sentences once enough questions were asked for a grade, on a slow machine
    too."""
    ordered = in_fair_order(questions)
    return (*ordered[:LEAST_ASKED], *batches, *ordered[LEAST_ASKED:])


async def _as_any_other(_model: str) -> Defaults:
    """Ask small models what large ones are asked: whether they follow that is what their grade tells."""
    return Defaults(is_small=False)


def unmeasured(engine: Engine) -> Engine:
    """Return an engine that runs as if nothing had been measured of its model.

    It has a pace of its own: runs on the sample web, whose pages come at once, tell nothing of real ones. And
    nothing that was measured before counts: a judge who is not asked cannot be measured.
    """
    return replace(engine, model_speed=ModelSpeed(), evaluated=_as_any_other)


async def ask_all(
    engine: Engine,
    asked: Sequence[Question | SentenceBatch],
    on_measured: Callable[[Measured | Verified], None],
    *,
    limit_s: float = LIMIT_S,
) -> bool:
    """Ask one question after the other, and say whether all were asked within the time.

    Each is handed to `on_measured` as it is done; the one that the limit cuts off is not. So are batches
    of sentences.

    Raises:
        AskanceError: the model server failed, or has the model no more.
    """
    limit = asyncio.timeout(limit_s)
    try:
        async with limit:
            for item in asked:
                if isinstance(item, SentenceBatch):
                    on_measured(await ask_batch(engine, item))
                else:
                    on_measured(await ask(engine, item))
    except TimeoutError:
        if not limit.expired():
            raise
        return False
    return True


@dataclass(frozen=True, slots=True)
class SourceSentence:
    """A sentence about a source, by its number from 1 on, and whether that states it."""

    text: str
    source: int
    is_stated: bool


@dataclass(frozen=True, slots=True)
class SentenceBatch:
    """Sentences that are asked in one call, with their sources: titles and texts."""

    id: str
    question: str
    sources: tuple[tuple[str, str], ...]
    sentences: tuple[SourceSentence, ...]


@lru_cache(maxsize=1)
def load_batches() -> tuple[SentenceBatch, ...]:
    """Return all built-in sentences, half of them stated by their source, in the order of their file."""
    text = files("askance.app.evaluation").joinpath("sentences.json").read_text(encoding="utf-8")
    return tuple(
        SentenceBatch(
            row["id"],
            row["question"],
            tuple((title, text) for title, text in row["sources"]),
            tuple(SourceSentence(s["text"], s["source"], s["stated"]) for s in row["sentences"]),
        )
        for row in json.loads(text)
    )


async def ask_batch(
    engine: Engine, batch: SentenceBatch, *, limit_s: float = BATCH_LIMIT_S
) -> Verified:
    """Ask the engine's model about a batch. What it does not say in time, it has not said.

    Raises:
        AskanceError: the model server failed otherwise than by being slow: nothing was measured.
    """
    assert engine.model is not None
    model, model_speed, settings = RecordingModel(engine.model), engine.model_speed, engine.settings
    evidence = NumberedEvidence(new_nonce())
    evidence.add_passages(_passages(batch), {})
    clock = asyncio.get_running_loop().time
    stated: frozenset[int] = frozenset()
    async with turn(engine.queue, _unheard):
        info = await model.info()
        await model_speed.recall(info.name)
        calls = ModelSession(
            model,
            ContextBudget(
                info.context_tokens,
                reply_tokens(settings, think=settings.llm.think),
                model_speed.token_factor,
            ),
            engine.prompts,
            RunState(_unheard, wall_clock_s=limit_s, answer_reserve_s=0),
            SharedPrompt(engine.system(), batch.question),
            think=settings.llm.think,
            model_speed=model_speed,
        )
        begun = clock()
        try:
            async with asyncio.timeout(limit_s):
                stated = await ask_which_are_stated(
                    _cited(batch), evidence.text, calls, engine.prompts
                )
        except (TimeoutError, MalformedReply, ServiceTimeout, PromptTooLong):
            pass  # in a run, too, no grade is raised then
    if model.failure is not None:
        raise model.failure
    return _verified(batch, stated, clock() - begun)


def _passages(batch: SentenceBatch) -> list[Passage]:
    return [
        Passage(f"http://{batch.id}.example/{n}", title, text, 0)
        for n, (title, text) in enumerate(batch.sources, 1)
    ]


def _cited(batch: SentenceBatch) -> Sequence[Citation]:
    return [Citation(s.source, s.text, 0, len(s.text), Support.WEAK) for s in batch.sentences]


def _verified(batch: SentenceBatch, claimed: frozenset[int], seconds: float) -> Verified:
    asked = list(enumerate(batch.sentences, 1))
    stated = [n for n, sentence in asked if sentence.is_stated]
    unstated = [n for n, sentence in asked if not sentence.is_stated]
    return Verified(
        id=batch.id,
        seconds=round(seconds, 1),
        stated=len(stated),
        stated_right=sum(n in claimed for n in stated),
        unstated=len(unstated),
        unstated_right=sum(n not in claimed for n in unstated),
    )


def _unheard(_event: RunEvent) -> None:
    """Nobody follows this."""
