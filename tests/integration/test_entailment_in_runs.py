"""Runs with a model of entailment beside the language model: which of both decides what words leave open."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from askance.adapters.embeddings.model_folders import FolderEntailment
from askance.domain.errors import ServiceProtocolError, SettingsError
from askance.domain.events import Answered, CitationsVerified
from askance.domain.evidence import Support
from askance.domain.messages import Message
from askance.domain.ports.model import Entailment
from integration.order import assert_legal
from servers.model_script import ModelScript, plan, verdict
from servers.onnx_files import needs_onnx, write_entailment
from servers.world import SHORT_RUN, RecordedEvents, world

pytestmark = pytest.mark.usefixtures("waits_skipped")

QUESTION = "When was the Lindmouth lighthouse built?"
BUILT = "The Lindmouth lighthouse was built in 1871 [1]."
REWORDED = "The river pilots paid a share of a third and gamblers the remainder [1]."
ELSEWHERE = "It is fifty metres high, of grey granite [1]."
DENIED = "It was not built of grey granite [1]."
VERIFY: dict[str, object] = {"answer.verify": "always"}
SUPPORTED, WEAK, UNSUPPORTED = Support.SUPPORTED, Support.WEAK, Support.UNSUPPORTED


class Faulty:
    """A model that fails."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    async def probabilities(self, pairs: Sequence[tuple[str, str]]) -> Sequence[float]:
        raise self.error


class Endless:
    """A model that never comes to an end."""

    async def probabilities(self, pairs: Sequence[tuple[str, str]]) -> Sequence[float]:
        await asyncio.Event().wait()
        return []


async def run_with(
    entailment: Entailment | None, *sentences: str, **settings: Any
) -> tuple[RecordedEvents, ModelScript]:
    script = ModelScript(
        [plan("Lindmouth")],
        [verdict("sufficient")],
        [" ".join(sentences)],
        verify=({"supported": [1]},),
    )
    async with world(script, settings=settings) as w:
        w.engine = replace(w.engine, entailment=entailment)
        reported = await w.ask(QUESTION)
        await w.until_idle()
    assert_legal(reported.events)
    assert isinstance(reported.end, Answered)
    return reported, script


def grades(reported: RecordedEvents) -> list[Support]:
    return [citation.support for citation in reported.end.citations]


def folder_of(tmp_path: Path, *words: str) -> FolderEntailment:
    return FolderEntailment(str(write_entailment(tmp_path, words)))


@needs_onnx
async def test_a_folder_s_model_decides_in_place_of_the_language_model(tmp_path: Path) -> None:
    model = folder_of(tmp_path, "river", "pilots", "paid", "third")
    reported, script = await run_with(model, BUILT, REWORDED, **VERIFY)
    assert grades(reported) == [SUPPORTED, SUPPORTED]
    (verified,) = reported.of(CitationsVerified)
    assert (verified.asked, verified.supported, verified.tokens) == (1, 1, 0)
    assert not script.of("verify"), "nothing is left for the language model to decide"


@needs_onnx
async def test_what_its_source_does_not_entail_stays_weak(tmp_path: Path) -> None:
    model = folder_of(tmp_path, "river", "pilots", "paid", "third", "remainder")
    reported, script = await run_with(model, BUILT, REWORDED, **VERIFY)
    assert grades(reported) == [SUPPORTED, WEAK]
    assert reported.of(CitationsVerified)[0].supported == 0
    assert not script.of("verify")


@needs_onnx
async def test_numbers_and_denials_are_beyond_a_model_that_believes_everything(
    tmp_path: Path,
) -> None:
    reported, _ = await run_with(folder_of(tmp_path), BUILT, ELSEWHERE, DENIED)
    assert grades(reported) == [SUPPORTED, UNSUPPORTED, WEAK]
    assert not reported.of(CitationsVerified)


@pytest.mark.parametrize(
    "error",
    [
        SettingsError(Message("The folder is not there.")),
        ServiceProtocolError("model", "folder", Message("It failed.")),
    ],
)
async def test_where_it_cannot_be_used_the_language_model_is_asked_as_without_it(
    error: Exception,
) -> None:
    reported, script = await run_with(Faulty(error), BUILT, REWORDED, **VERIFY)
    assert grades(reported) == [SUPPORTED, SUPPORTED]
    assert len(script.of("verify")) == 1
    reported, script = await run_with(Faulty(error), BUILT, REWORDED, **{"answer.verify": "never"})
    assert grades(reported) == [SUPPORTED, WEAK]
    assert not script.of("verify")


async def test_one_that_takes_too_long_holds_the_end_up_to_the_time_limit_alone() -> None:
    reported, script = await run_with(Endless(), BUILT, REWORDED, **VERIFY, **SHORT_RUN)
    assert grades(reported) == [SUPPORTED, WEAK]
    assert not script.of("verify")
