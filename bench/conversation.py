"""A conversation over the sample web: what its follow-ups cost, and whether their evidence was in hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from askance.app.evaluation.running import GoldCoverage, look
from askance.config.settings import Settings
from askance.domain.conversation import Conversation, RunRequest
from askance.domain.events import Answered
from askance.domain.history import turn_of
from askance.engine.prompts import load_prompts
from askance.engine.run import Engine
from askance.sample_web.sample_pages import Gold, Question, QuestionKind
from bench.clock import simulate
from bench.costs import Speed
from bench.model import ScriptedModel
from bench.runs import TODAY
from bench.web import SampleReader, SampleSearch

LIGHT = "http://light.hesperay.example"


def _asked(name: str, question: str, *gold: Gold) -> Question:
    kind = QuestionKind.SINGLE if gold else QuestionKind.UNANSWERABLE
    return Question(name, kind, question, (), gold, (), ())


# Follow-ups as people write them: most name nothing themselves.
TURNS = (
    _asked(
        "keeper",
        "Who was the last principal keeper of Skarne Light?",
        Gold(f"{LIGHT}/history", "The last principal keeper was Hector Pym"),
    ),
    _asked(
        "automatic",
        "When was it made automatic?",
        Gold(f"{LIGHT}/history", "on 31 March 1988, when the light was made automatic"),
    ),
    _asked(
        "designer",
        "And who designed the tower?",
        Gold(f"{LIGHT}/history", "was designed by the engineer Abel Moss"),
    ),
    _asked(
        "birthplace",
        "Where was Abel Moss born?",
        Gold(f"{LIGHT}/abel-moss", "Abel Corrigan Moss was born in Strandmouth in 1819"),
    ),
    _asked(
        "drawing",
        "What sum did he leave for teaching drawing?",
        Gold(f"{LIGHT}/abel-moss", "and a sum of £200 for teaching drawing to girls and boys"),
    ),
    _asked("painter", "Which painter did he draw a portrait of?"),
)
IN_HAND = frozenset({"automatic", "designer", "drawing"})
"""The follow-ups whose answer stands in what was read for the turns before."""


@dataclass(frozen=True, slots=True)
class Said:
    """One turn: how it ended, and its tokens. `shown` is what the writer's prompt showed of its gold."""

    question: Question
    end: Answered
    shown: GoldCoverage
    evaluated: int
    written: int


def converse(
    turns: Sequence[Question], speed: Speed, settings: Settings, *, believes: bool = False
) -> list[Said]:
    """Ask one question after the other of an engine that keeps its model, from a cold start.

    A judge that `believes` finds everything sufficient.
    """
    return simulate(_converse(turns, speed, settings, believes=believes))


async def _converse(
    turns: Sequence[Question], speed: Speed, settings: Settings, *, believes: bool
) -> list[Said]:
    model = ScriptedModel(turns[0], speed, believes=believes)
    engine = Engine(model, SampleSearch(), SampleReader(), load_prompts(), settings, lambda: TODAY)
    conversation = Conversation()
    texts: list[Said] = []
    for question in turns:
        model.question, before = question, len(model.calls)
        end = await engine.run(RunRequest(question.question, conversation), emit=lambda _: None)
        assert isinstance(end, Answered), f"{question.id} ended with {end}"
        calls = model.calls[before:]
        shown = look(question, calls[-1].prompt)
        evaluated, written = (
            sum(n) for n in zip(*((c.evaluated, c.written) for c in calls), strict=True)
        )
        texts.append(Said(question, end, shown, evaluated, written))
        conversation = conversation.with_turn(turn_of(question.question, end))
    return texts
