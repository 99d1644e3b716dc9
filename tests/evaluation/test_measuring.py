"""A model, measured: which answers are right, what it has said when it is cut off, fair orders, sentences to verify."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from askance.app.container import Container
from askance.app.evaluation.records import LEAST_SENTENCES, defaults_of, sum_up
from askance.app.evaluation.running import (
    Part,
    RecordingModel,
    SentenceBatch,
    ask,
    ask_batch,
    in_fair_order,
    in_order,
    is_right,
    load_batches,
)
from askance.app.model_choices import evaluate_model
from askance.config.folders import find_folders
from askance.config.settings import Settings
from askance.domain.errors import (
    AskanceError,
    ModelMissing,
    PromptTooLong,
    ServiceDown,
    ServiceTimeout,
)
from askance.domain.ports.model import ChatMessage, ModelCall, ModelChanged, Role, Text
from askance.engine.answer import MOST_SENTENCES, SCHEMA
from askance.engine.prompts import load_prompts
from askance.sample_web.sample_pages import Question, QuestionKind, load_questions
from askance.text.languages.recognition import recognise
from fakes.judged_models import (
    Character,
    JudgedModel,
    credulous,
    engine_of,
    garbage,
    noisy,
    oracle,
    sample_web_of,
)
from fakes.model import ScriptedModel

QUESTIONS = {question.id: question for question in load_questions()}
failures = pytest.mark.parametrize(
    ("failure", "counts"),
    [
        (ServiceTimeout("Ollama", "http://x", "It is slow."), True),
        (PromptTooLong("It does not fit."), True),
        (ServiceDown("Ollama", "http://x", "It is down."), False),
        (ModelMissing("It is gone."), False),
    ],
    ids=lambda value: type(value).__name__,
)
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
    async with model.reply(call_of(QUESTIONS["cats"].question, max_tokens=0)) as parts:
        assert [part async for part in parts]
    assert [call.part for call in model.calls] == [Part.OTHER]


async def test_a_question_is_measured_from_what_its_model_was_shown() -> None:
    measured = await ask(engine_of(JudgedModel(oracle)), QUESTIONS["namesake-rescue"])
    assert (measured.end, measured.right) == ("web", True)
    assert (measured.there_right, measured.believed) == (measured.there, 0)
    assert measured.there > 0
    assert measured.markers_right == measured.markers > 0


@failures
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


BATCH = load_batches()[0]


async def hang(_batch: SentenceBatch) -> None:
    await asyncio.Event().wait()


def test_half_of_the_sentences_are_stated_in_each_batch_and_over_languages() -> None:
    batches = load_batches()
    sentences = [sentence for batch in batches for sentence in batch.sentences]
    assert Counter(s.is_stated for s in sentences) == {
        True: LEAST_SENTENCES,
        False: LEAST_SENTENCES,
    }
    for batch in batches:
        assert Counter(s.is_stated for s in batch.sentences) == {True: 3, False: 3}
        assert {s.source for s in batch.sentences} == set(range(1, len(batch.sources) + 1))
        assert len(batch.sentences) <= MOST_SENTENCES
    foreign = [s for s in sentences if recognise(s.text) != "en"]
    assert {recognise(s.text) for s in foreign} == {"de", "es", "zh"}
    assert Counter(s.is_stated for s in foreign) == {True: 5, False: 5}


def test_no_number_gives_a_sentence_away() -> None:
    for batch in load_batches():
        for sentence in batch.sentences:
            reported = batch.sources[sentence.source - 1][1]
            numbers = [word for word in sentence.text.split() if any(c.isdigit() for c in word)]
            assert all(number.strip(".,") in reported for number in numbers)


def test_ids_and_questions_are_no_others() -> None:
    asked = [*load_questions(), *load_batches()]
    assert len({one.id for one in asked}) == len({one.question for one in asked}) == len(asked)


@pytest.mark.parametrize("number", [0, 4, 8, 20])
def test_sentences_come_once_there_is_a_grade(number: int) -> None:
    order = in_order(load_questions()[:number], load_batches())
    places = [n for n, item in enumerate(order) if isinstance(item, SentenceBatch)]
    assert places == [min(number, 8) + n for n in range(len(load_batches()))]


async def test_the_model_is_asked_as_in_a_run() -> None:
    model = ScriptedModel({"supported": [2, 4, 5]})
    verified = await ask_batch(engine_of(model), BATCH)
    (call,) = model.calls
    assert call.schema == SCHEMA
    system, user = (message.content for message in call.messages)
    assert system == engine_of(model).system()
    listed = "\n".join(f"S{n} [{s.source}]: {s.text}" for n, s in enumerate(BATCH.sentences, 1))
    assert user.endswith(load_prompts().render("verify", sentences=listed))
    assert user.startswith(f"Question: {BATCH.question}\n\n<<<web ")
    assert f"[1] {BATCH.sources[0][0]} (" in user
    assert (verified.stated_right, verified.unstated_right) == (3, 3)


@pytest.mark.parametrize(
    ("character", "value", "verifies"),
    [(oracle, 1.0, True), (noisy, 0.5, False), (credulous, 0.5, False), (garbage, 0.5, False)],
)
async def test_who_cannot_tell_is_half_right(
    character: Character, value: float, verifies: bool
) -> None:
    engine = engine_of(JudgedModel(character))
    figures = sum_up([], [await ask_batch(engine, batch) for batch in load_batches()])
    assert figures.verification == pytest.approx(value, abs=0.1)
    assert defaults_of([], figures).verifies is verifies


async def test_what_does_not_come_in_time_is_not_said() -> None:
    verified = await ask_batch(engine_of(JudgedModel(before_batch=hang)), BATCH, limit_s=0.02)
    assert (verified.stated_right, verified.unstated_right) == (0, 3)


async def test_a_limit_from_outside_measures_nothing() -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.02):
            await ask_batch(engine_of(JudgedModel(before_batch=hang)), BATCH)


@failures
async def test_only_slowness_is_held_against_a_model(failure: AskanceError, counts: bool) -> None:
    async def fail(_batch: SentenceBatch) -> None:
        raise failure

    engine = engine_of(JudgedModel(before_batch=fail))
    if counts:
        verified = await ask_batch(engine, BATCH)
        assert (verified.stated_right, verified.unstated_right) == (0, 3)
    else:
        with pytest.raises(type(failure)):
            await ask_batch(engine, BATCH)


async def test_another_model_in_its_place_verifies_nothing() -> None:
    changed = ModelChanged("wren:8b", "finch:latest")
    with pytest.raises(ModelMissing):
        await ask_batch(engine_of(JudgedModel(oracle, changed=changed)), BATCH)


async def test_a_model_is_evaluated_from_a_list_and_goes_on_where_it_was_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    web, opened = sample_web_of(4), list[str]()

    @asynccontextmanager
    async def open_app(settings: Settings, *_: Any, **__: Any) -> AsyncIterator[Any]:
        opened.append(settings.llm.model)
        yield SimpleNamespace(engine=engine_of(JudgedModel(oracle, "wren:4b")))

    module = "askance.sample_web.sample_server.serve_sample_web"
    monkeypatch.setattr(module, lambda: nullcontext(web))
    monkeypatch.setattr("askance.app.container.open_app", open_app)
    folders, settings = find_folders({"ASKANCE_HOME": str(tmp_path)}), Settings()
    steps: list[tuple[int, int]] = []

    def stop(step: tuple[int, int]) -> None:
        steps.append(step)
        if len(steps) == 3:
            raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await evaluate_model(settings, folders, "wren:4b", stop)
    of = 4 + len(load_batches())
    assert steps == [(0, of), (1, of), (2, of)]
    await evaluate_model(settings, folders, "wren:4b", steps.append)
    assert steps[3:] == [(n, of) for n in range(2, of + 1)]
    found = Container(settings, folders).evaluations.of(settings.llm.server, "wren:4b")
    assert found is not None
    assert found.is_complete
    assert opened == ["wren:4b"] * 2
