"""A text that is pasted with a question: nothing of it leaves, whoever asks, and the answer says what was asked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from askance.domain.conversation import RunRequest, TurnInput
from askance.domain.events import Answered, Warned, WarningCode
from askance.domain.history import published_in
from servers.model_script import ModelScript, plan, verdict
from servers.openai_endpoint import open_endpoint
from servers.world import ONE_ROUND, QUESTION, RecordedEvents, knowing_model, world

SECRETS = ("quostobdia", "zorvanil", "88-4471", "grimewitz")
TEXT = "Patient Elvira Quostobdia, policy 88-4471, takes Zorvanil since the operation in Grimewitz."
LEAK = "Quostobdia Zorvanil 88-4471 Grimewitz Lindmouth lighthouse"
MESSAGES = {
    "mail": f"From: Mara <mara@grimewitz.example>\nSubject: you\n\nDear Ole,\n{TEXT}\nMara\n\n{QUESTION}",
    "template": f"<context>\n<source id='1'>{TEXT}</source>\n</context>\n\n{QUESTION}",
    "labels": f"Context: {TEXT}\n\nQuestion: {QUESTION}\nAnswer:",
    "before": f"{QUESTION}\n\n> {TEXT}\n> {TEXT}\n> {TEXT}",
    "preamble": f"{TEXT} {'It rained and nobody came by. ' * 12}{QUESTION}",
}


def leaking() -> ModelScript:
    return ModelScript(
        [plan(LEAK)], [verdict("partial", LEAK), verdict("sufficient")], ["Built in 1871 [1]."]
    )


def assert_nothing_leaves(asked: list[str]) -> None:
    assert QUESTION in asked
    assert not [word for word in SECRETS if word in " ".join(asked).lower()]


@pytest.mark.parametrize("message", MESSAGES.values(), ids=MESSAGES)
async def test_of_a_pasted_text_nothing_is_searched_and_the_model_reads_it(message: str):
    async with world(leaking()) as w:
        reported = RecordedEvents()
        end = await w.engine.run(RunRequest(message), emit=reported.events.append)
        asked = [r.query.get("q", "") for r in w.servers["search"].requests]
        assert TEXT in w.script.calls[0].text
    assert_nothing_leaves(asked)
    assert isinstance(end, Answered)
    assert end.asked == QUESTION
    assert TurnInput.TEXT in end.inputs
    assert WarningCode.PART_SEARCHED in {e.code for e in reported.of(Warned)}
    assert TEXT not in " ".join(published_in(message, replace(end, public_words=())))


async def test_without_a_model_too_the_question_alone_is_searched():
    async with world(knowing_model()) as w:
        w.engine = replace(w.engine, model=None)
        await w.engine.run(RunRequest(MESSAGES["mail"]), emit=lambda _: None)
        asked = [r.query.get("q", "") for r in w.servers["search"].requests]
    assert_nothing_leaves(asked)


@pytest.mark.parametrize("message", MESSAGES.values(), ids=MESSAGES)
async def test_over_the_api_the_answer_says_what_was_asked(tmp_path: Path, message: str):
    script = ModelScript([plan(LEAK)], ONE_ROUND, ["Built in 1871 [1]."])
    async with open_endpoint(tmp_path, script) as endpoint:
        asked = [{"role": "user", "content": message}]
        text = await endpoint.client.chat.completions.create(model="askance", messages=asked)  # type: ignore[arg-type]
        searched = [r.query.get("q", "") for r in endpoint.world.servers["search"].requests]
    assert_nothing_leaves(searched)
    assert "Taken as the question" in (text.choices[0].message.content or "")
