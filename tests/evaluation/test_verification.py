"""The built-in sentences: half of them stated, asked as a run asks its own, and what counts where nothing comes."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest

from askance.app.evaluation.records import LEAST_SENTENCES, defaults_of, sum_up
from askance.app.evaluation.running import SentenceBatch, ask_batch, in_order, load_batches
from askance.domain.errors import (
    AskanceError,
    ModelMissing,
    PromptTooLong,
    ServiceDown,
    ServiceTimeout,
)
from askance.domain.ports.model import ModelChanged
from askance.engine.answer import MOST_SENTENCES, SCHEMA
from askance.engine.prompts import load_prompts
from askance.sample_web.sample_server import load_questions
from askance.text.languages.recognition import recognise
from fakes.judged_models import (
    Character,
    JudgedModel,
    credulous,
    engine_of,
    garbage,
    noisy,
    oracle,
)
from fakes.model import ScriptedModel

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


async def test_another_model_in_its_place_is_not_measured() -> None:
    changed = ModelChanged("wren:8b", "finch:latest")
    with pytest.raises(ModelMissing):
        await ask_batch(engine_of(JudgedModel(oracle, changed=changed)), BATCH)
