"""What was measured of a model drives the settings that nobody has set: through real files and real runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from askance.app.container import Container, open_app
from askance.app.evaluation.records import Evaluation, Measured, Verified
from askance.config.choices import Verification
from askance.config.folders import Folders, find_folders
from askance.config.settings import Settings
from askance.config.sources import load_settings
from askance.domain.events import (
    Answered,
    CitationsVerified,
    GapFound,
    Judged,
    SettingsFitted,
)
from askance.domain.evidence import Support
from askance.domain.phases import Sufficiency
from askance.domain.ports.model import Defaults
from askance.engine.question_run import SMALL_MODEL_BYTES, fitted
from askance.engine.run import Engine
from askance.sample_web.sample_pages import QuestionKind
from integration.order import assert_legal
from servers.model_script import ModelScript, plan, verdict
from servers.world import (
    ONE_ROUND,
    PLANNED,
    RecordedEvents,
    serving,
    settings_for,
    the_answer,
)
from servers.world import (
    credulous as world,
)

QUESTION = "When was the Lindmouth lighthouse built?"
BUILT = "The Lindmouth lighthouse was built in 1871 [1]."
REWORDED = "The river pilots paid a share of a third and gamblers the remainder [1]."
MODEL = "tiny:latest"


def script_of(answer: str = f"{BUILT} {REWORDED}", **fields: Any) -> ModelScript:
    texts = ({"supported": [1]},)
    return ModelScript([plan("Lindmouth")], ONE_ROUND, [answer], verify=texts, **fields)


def verified(right: int) -> Verified:
    half = {"stated": 12, "stated_right": right, "unstated": 12, "unstated_right": right}
    return Verified.model_validate({"id": "all", "seconds": 9.0, **half})


def measured(number: int = 10, **fields: Any) -> list[Measured]:
    row = {"kind": QuestionKind.SINGLE, "end": "web", "right": True, "seconds": 50.0, **fields}
    return [Measured.model_validate({"id": f"q{n}", **row}) for n in range(number)]


def evaluation_of(server: str, *rows: Measured | Verified, **fields: Any) -> Evaluation:
    evaluation = Evaluation.begin(server, MODEL, 56)
    for row in rows:
        evaluation = evaluation.with_measured(row)
    return evaluation.model_copy(update=fields)


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    return find_folders({"ASKANCE_HOME": str(tmp_path)})


Known = Callable[[str], Evaluation]
"""Returns what is known of the model of a server."""


async def asked(
    folders: Folders,
    script: ModelScript,
    known: Known | None = None,
    *,
    question: str = QUESTION,
    **settings: Any,
) -> RecordedEvents:
    """Ask a question on a machine that knows this of the model that is set."""
    async with world(script, settings=settings) as w:
        server, evaluations = w.settings.llm.server, Container(Settings(), folders).evaluations
        if known is not None:
            evaluations.store(known(server))
        w.engine = replace(w.engine, evaluated=partial(evaluations.defaults, server))
        reported = await w.ask(question)
        await w.until_idle()
    assert_legal(reported.events)
    assert isinstance(reported.end, Answered)
    return reported


def grades(on_progress: RecordedEvents) -> list[Support]:
    return [citation.support for citation in on_progress.end.citations]


async def test_without_an_evaluation_nobody_is_asked_to_verify(folders: Folders) -> None:
    script = script_of()
    reported = await asked(folders, script)
    assert not script.of("verify")
    assert not reported.of(SettingsFitted)
    assert grades(reported) == [Support.SUPPORTED, Support.WEAK]


async def test_who_has_passed_verifies_and_the_run_says_what_it_cost(folders: Folders) -> None:
    script = script_of()
    reported = await asked(folders, script, lambda server: evaluation_of(server, verified(11)))
    assert grades(reported) == [Support.SUPPORTED, Support.SUPPORTED]
    assert [event.verifies for event in reported.of(SettingsFitted)] == [True]
    (event,) = reported.of(CitationsVerified)
    assert (event.asked, event.supported) == (1, 1)
    (call,) = script.of("verify")
    assert 0 < event.tokens < len(call.text), "part of it by estimate"


@pytest.mark.parametrize(
    "known",
    [
        lambda server: evaluation_of(server, verified(7)),
        lambda server: evaluation_of(server, *measured()),
        lambda server: evaluation_of(f"{server}/other", verified(12)),
        lambda server: evaluation_of(server, verified(12), model="tiny:8b"),
    ],
    ids=["failed", "not measured", "another server", "another model"],
)
async def test_who_has_not_passed_here_does_not_verify(folders: Folders, known: Known) -> None:
    script = script_of()
    reported = await asked(folders, script, known)
    assert not script.of("verify")
    assert grades(reported) == [Support.SUPPORTED, Support.WEAK]


@pytest.mark.parametrize(("said", "right", "calls"), [("always", 0, 1), ("never", 12, 0)])
async def test_what_the_user_says_of_verification_wins(
    folders: Folders, said: str, right: int, calls: int
) -> None:
    script = script_of()
    chosen = {"answer.verify": said}
    reported = await asked(
        folders, script, lambda server: evaluation_of(server, verified(right)), **chosen
    )
    assert len(script.of("verify")) == calls
    assert not reported.of(SettingsFitted)


async def test_a_damaged_evaluation_knows_nothing(folders: Folders) -> None:
    script = script_of()
    evaluations = Container(Settings(), folders).evaluations

    def damaged(server: str) -> Evaluation:
        evaluation = evaluation_of(server, verified(12))
        evaluations.store(evaluation)
        (file,) = folders.evaluations.iterdir()
        file.write_bytes(b"{")
        assert evaluations.of(server, MODEL) is None
        return evaluation_of("http://another", verified(12))

    await asked(folders, script, damaged)
    assert not script.of("verify")


def noise(server: str) -> Evaluation:
    """An evaluation of a model whose verdicts are no better than chance."""
    return evaluation_of(server, *measured(there=1, there_right=1, lacking=1, believed=1))


async def test_a_judge_that_is_noise_is_not_asked_and_the_check_decides(folders: Folders) -> None:
    script = script_of(BUILT)
    reported = await asked(folders, script, noise)
    assert not script.of("judge")
    assert [event.judges for event in reported.of(SettingsFitted)] == [False]
    assert all(event.by_code for event in reported.of(Judged))
    assert reported.end.rounds == 1


async def test_what_the_check_misses_is_searched_without_the_judge(folders: Folders) -> None:
    """The engineer of the first round's page is named in the question; where she went is on another page."""
    script = ModelScript([plan(PLANNED)], [verdict("sufficient")], [the_answer])
    question = "In which village was Clara Whitlow, the engineer of the Lindmouth lighthouse, born?"
    reported = await asked(folders, script, noise, question=question)
    assert not script.of("judge")
    assert reported.of(GapFound), "a second round"
    doubted = [
        event for event in reported.of(Judged) if event.sufficiency is not Sufficiency.SUFFICIENT
    ]
    assert doubted
    assert all(event.by_code and event.doubt for event in doubted)
    assert "village of Orr" in reported.end.answer


async def test_a_judge_that_is_worth_its_time_is_asked(folders: Folders) -> None:
    script = script_of(BUILT)
    reported = await asked(
        folders,
        script,
        lambda server: evaluation_of(server, *measured(there=1, there_right=1, lacking=1)),
        question="Whose drawings of 1871 hang beside the oldest lamp in the museum of Lindmouth?",
    )
    assert script.of("judge")
    assert not any(event.by_code for event in reported.of(Judged))


@pytest.mark.parametrize(
    ("size_bytes", "rows", "is_small"),
    [
        (SMALL_MODEL_BYTES, measured(), False),
        (SMALL_MODEL_BYTES, measured(end="passages_only", right=False), True),
        (1, measured(), False),
        (1, measured(number=7), True),
        (SMALL_MODEL_BYTES, measured(number=7), False),
    ],
)
async def test_the_grade_and_not_the_size_says_who_is_asked_in_few_words(
    folders: Folders, size_bytes: int, rows: list[Measured], is_small: bool
) -> None:
    script = script_of(BUILT, size_bytes=size_bytes)
    await asked(folders, script, lambda server: evaluation_of(server, *rows))
    (call,) = script.of("answer")
    assert ("two to four" not in call.task) is is_small


async def test_the_first_portion_and_the_time_limit_follow_the_machine(folders: Folders) -> None:
    reported = await asked(
        folders,
        script_of(BUILT),
        lambda server: evaluation_of(server, *measured(), prompt_tps=30.0),
    )
    (event,) = reported.of(SettingsFitted)
    assert (event.first_portion_tokens, event.run_timeout_s) == (200, 100)


async def test_one_file_of_settings_leaves_the_rest_to_the_evaluation(folders: Folders) -> None:
    reported = await asked(
        folders,
        script_of(BUILT),
        lambda server: evaluation_of(server, *measured(), prompt_tps=30.0),
        **{"limits.run_timeout_s": "0", "evidence.first_round_tokens": "1500"},
    )
    (event,) = reported.of(SettingsFitted)
    assert (event.first_portion_tokens, event.run_timeout_s) == (200, None)


async def test_front_ends_open_an_engine_that_knows_what_was_measured(folders: Folders) -> None:
    async with serving(script_of()) as (servers, _, _):
        chosen = settings_for(servers, {"reader.mode": "inprocess"})
        async with open_app(chosen, folders) as app:
            assert isinstance(app.engine, Engine)
            assert await app.engine.evaluated(MODEL) == Defaults()
            # It may be measured while the program runs.
            Container(Settings(), folders).evaluations.store(
                evaluation_of(chosen.llm.server, verified(12))
            )
            assert (await app.engine.evaluated(MODEL)).verifies is True


MEASURED = Defaults(600, judges=True, run_timeout_s=120, verifies=True, is_small=False)


def test_what_was_measured_takes_the_place_of_what_nobody_has_set() -> None:
    settings, reported = fitted(Settings(), MEASURED)
    assert settings.limits.run_timeout_s == 120
    assert settings.answer.verify is Verification.ALWAYS
    assert reported == SettingsFitted(600, 120, judges=True, verifies=True, is_small=False)


@pytest.mark.parametrize(
    ("set_by_the_user", "untouched"),
    [
        ({"limits.run_timeout_s": 0}, "run_timeout_s"),
        ({"answer.verify": "never"}, "verifies"),
    ],
    ids=str,
)
def test_what_the_user_has_set_stays_even_where_it_is_the_default(
    set_by_the_user: dict[str, Any], untouched: str
) -> None:
    before = load_settings(None, {}, set_by_the_user)
    settings, reported = fitted(before, MEASURED)
    assert reported is not None
    assert getattr(reported, untouched) is None
    (name,) = set_by_the_user
    section, _, field = name.partition(".")
    assert getattr(getattr(settings, section), field) == getattr(getattr(before, section), field)


def test_where_nothing_was_measured_settings_stay_themselves() -> None:
    settings = Settings()
    assert fitted(settings, Defaults()) == (settings, None)
    assert fitted(settings, Defaults(verifies=False))[0].answer.verify is Verification.NEVER
