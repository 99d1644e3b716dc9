"""One question, measured: which answers are right, what a model that is cut off has said, fair orders."""

from __future__ import annotations

from typing import Any

import pytest

from askance.app.evaluation.running import Part, RecordingModel, ask, in_fair_order, is_right
from askance.domain.errors import (
    AskanceError,
    ModelMissing,
    PromptTooLong,
    ServiceDown,
    ServiceTimeout,
)
from askance.domain.ports.model import ChatMessage, ModelCall, ModelChanged, Role, Text
from askance.sample_web.sample_server import Question, QuestionKind, load_questions
from fakes.judged_models import JudgedModel, engine_of, oracle

QUESTIONS = {question.id: question for question in load_questions()}
VERDICT = {"properties": {"sufficiency": {}}}


@pytest.mark.parametrize(
    ("name", "answer", "right"),
    [
        ("strongest-gust", "It was 52.1 metres per second [1].", True),
        ("strongest-gust", "It was 152.1 metres per second [1].", False),
        ("tern-cottage", "It sleeps 5 [2].", True),
        ("tern-cottage", "It was built in 52.5 days [5].", False),
        ("tern-cottage", "It sleeps many [5].", False),
        ("todai-kaidan", "階段は百四十八段です [1]。", True),
        ("crane-price", "They paid £186,000.", True),
        ("crane-price", "They paid £186,000,000.", False),
        ("higher-hill", "Ferrin is higher than Stoll Law.", True),
        ("higher-hill", "Stoll Law is higher than Ferrin.", False),
        ("light-year", "In 1863, or 1861 by the plate [1][2].", True),
        ("light-year", "In 1863 [1].", False),
        ("cats", "There are seventeen.", False),
        ("cats", "", False),
    ],
)
def test_an_answer_is_right_where_it_says_what_is_asked_for(
    name: str, answer: str, right: bool
) -> None:
    assert is_right(QUESTIONS[name], answer) is right


def call_of(text: str, *, max_tokens: int = 100, schema: dict[str, Any] | None = None) -> ModelCall:
    return ModelCall((ChatMessage(Role.USER, text),), max_tokens, schema=schema)


@pytest.mark.parametrize(
    ("answer", "heard_out", "readable"),
    [
        ('{"sufficiency": "partial", "reasoning": "nothing of it is said anywhere"}', False, True),
        ('{"sufficiency": "splendid", "reasoning": "all of it is said everywhere"}', True, False),
        ('{"reasoning": "it begins with the reasons, which are long", "x": 1}', False, None),
        ("I think that the sources are enough, are they not? Yes, they are.", True, False),
    ],
)
async def test_a_verdict_counts_once_it_can_be_judged(
    answer: str, heard_out: bool, readable: bool | None
) -> None:
    model = RecordingModel(JudgedModel(lambda _prompt, _schema: answer))
    question = QUESTIONS["cats"].question
    async with model.reply(call_of(question, schema=VERDICT)) as parts:
        async for part in parts:
            if isinstance(part, Text) and not heard_out:
                break
    (call,) = model.calls
    assert (call.part, call.is_readable) == (Part.VERDICT, readable)


async def test_what_only_has_the_server_take_something_in_is_no_answer() -> None:
    model = RecordingModel(JudgedModel(oracle))
    async with model.reply(call_of(QUESTIONS["cats"].question, max_tokens=1)) as parts:
        assert [part async for part in parts]
    assert [call.part for call in model.calls] == [Part.OTHER]


async def test_a_question_is_measured_from_what_its_model_was_shown() -> None:
    measured = await ask(engine_of(JudgedModel(oracle)), QUESTIONS["namesake-rescue"])
    assert (measured.end, measured.right) == ("web", True)
    assert (measured.there_right, measured.believed) == (measured.there, 0)
    assert measured.there > 0
    assert measured.markers_right == measured.markers > 0


@pytest.mark.parametrize(
    ("failure", "counts"),
    [
        (ServiceTimeout("Ollama", "http://x", "It is slow."), True),
        (PromptTooLong("It does not fit."), True),
        (ServiceDown("Ollama", "http://x", "It is down."), False),
        (ModelMissing("It is gone."), False),
    ],
    ids=lambda value: type(value).__name__,
)
async def test_what_the_server_fails_at_is_not_held_against_its_model(
    failure: AskanceError, counts: bool
) -> None:
    async def fail(_question: Question) -> None:
        raise failure

    engine = engine_of(JudgedModel(oracle, before=fail))
    if counts:
        assert not (await ask(engine, QUESTIONS["tower-steps"])).right
    else:
        with pytest.raises(type(failure)):
            await ask(engine, QUESTIONS["tower-steps"])


async def test_another_model_in_its_place_is_not_measured() -> None:
    changed = ModelChanged("wren:8b", "finch:latest")
    with pytest.raises(ModelMissing) as raised:
        await ask(engine_of(JudgedModel(oracle, changed=changed)), QUESTIONS["tower-steps"])
    assert raised.value.problem.values == {"before": "wren:8b", "now": "finch:latest"}


def test_every_beginning_of_the_order_is_a_fair_sample() -> None:
    order = in_fair_order(load_questions())
    assert sorted(q.id for q in order) == sorted(QUESTIONS)
    begun = order[:16]
    assert {question.kind for question in begun} == set(QuestionKind)
    assert {question.language for question in begun} == {"en", "de", "ja"}
