"""What prompts say of languages: nothing to a question in English, little to others."""

from __future__ import annotations

from typing import get_args

import pytest

from askance.config.choices import AnswerLanguage, AnswerLength
from askance.domain.conversation import Turn
from askance.engine.evidence_set import TASK_TOKENS
from askance.engine.prompts import (
    LENGTHS,
    OF_LANGUAGE,
    VARIABLES,
    ContextBudget,
    Prompts,
    Tongues,
    tongues_of,
)
from askance.text.languages.language import CODES

GERMAN = "Wie hoch ist der Leuchtturm von Lindmouth?"
ENGLISH = "How high is the lighthouse of Lindmouth?"
VALUES = {
    "length": LENGTHS[AnswerLength.NORMAL],
    "question": "Q?",
    "today": "2026-03-01",
}


def rendered(prompts: Prompts, name: str) -> str:
    return prompts.render(name, **{variable: VALUES[variable] for variable in VARIABLES[name]})


def test_the_setting_has_every_language_that_is_known() -> None:
    assert get_args(AnswerLanguage) == ("auto", *CODES)


@pytest.mark.parametrize("name", OF_LANGUAGE)
@pytest.mark.parametrize("question", [ENGLISH, "Lindmouth", "2020?", "Los Angeles Lakers"])
def test_a_question_in_english_or_in_no_language_is_asked_as_it_was_measured(
    name: str, question: str, prompts: Prompts
) -> None:
    speaking = prompts.speaking(tongues_of(question, (), "auto"))
    assert rendered(speaking, name) == rendered(prompts, name)


@pytest.mark.parametrize(
    ("question", "language"),
    [
        (GERMAN, "German"),
        ("Какова высота маяка в Линдмуте?", "Russian"),
        ("灯塔有多高？", "Chinese"),
        ("كم يبلغ ارتفاع المنارة في ليندموث؟", "Arabic"),
        ("Lindmouth deniz fenerinin yüksekliği ne kadar?", "Turkish"),
    ],
)
def test_the_language_of_the_question_is_named(
    question: str, language: str, prompts: Prompts
) -> None:
    speaking = prompts.speaking(tongues_of(question, (), "auto"))
    assert f"from the sources above alone, in {language} (quotes as" in rendered(speaking, "answer")
    assert f'begin with "I could not find" in {language} and' in rendered(speaking, "answer")
    assert rendered(speaking, "answer_small").startswith(
        f"Answer in one or two sentences, using only the text above, in {language}."
    )
    assert f"what to ask the user, in {language}, or" in rendered(speaking, "plan")
    assert f"Reply in {language} unless" in rendered(speaking, "chat")


@pytest.mark.parametrize("name", ["plan", "judge", "judge_again"])
def test_queries_for_what_is_not_asked_in_english_go_where_most_is_written(
    name: str, prompts: Prompts
) -> None:
    wanted = "in the language of most pages about it (else English)"
    assert wanted in rendered(prompts.speaking(tongues_of(GERMAN, (), "auto")), name)
    assert wanted in rendered(prompts.speaking(tongues_of(GERMAN, (), "en")), name)
    assert wanted not in rendered(prompts.speaking(tongues_of(ENGLISH, (), "de")), name)


def test_the_setting_comes_before_the_question(prompts: Prompts) -> None:
    assert "alone, in French (" in rendered(
        prompts.speaking(tongues_of(GERMAN, (), "fr")), "answer"
    )
    assert "alone, in English (" in rendered(
        prompts.speaking(tongues_of(GERMAN, (), "en")), "answer"
    )
    assert "alone, in English (" in rendered(
        prompts.speaking(tongues_of("2020?", (), "en")), "answer"
    )
    english = prompts.speaking(tongues_of(ENGLISH, (), "en"))
    assert rendered(english, "answer") == rendered(prompts, "answer")


@pytest.mark.parametrize(
    ("turns", "question", "tongue"),
    [
        ((Turn(GERMAN, "Er ist dreißig Meter hoch [1]."),), "2020?", "de"),
        ((Turn("Lindmouth?", "Der Turm ist dreißig Meter hoch [1]."),), "Lindmouth 2020?", "de"),
        ((Turn(GERMAN, "Er ist hoch."), Turn(ENGLISH, "It is high.")), "2020?", "en"),
        ((Turn(GERMAN, "Er ist hoch."),), "And how high was it in 2020?", "en"),
        ((Turn(ENGLISH, "It is high."),), "Каким он был в 2020 году?", "ru"),
        ((), "2020?", ""),
    ],
)
def test_a_question_that_cannot_be_told_is_of_the_language_of_the_conversation(
    turns: tuple[Turn, ...], question: str, tongue: str
) -> None:
    assert tongues_of(question, turns, "auto") == Tongues(tongue)


@pytest.mark.parametrize("name", ["plan", "judge", "judge_again", "answer", "answer_small"])
def test_no_task_in_another_language_is_longer_than_the_room_that_is_kept_for_it(
    name: str, prompts: Prompts
) -> None:
    norwegian = prompts.speaking(Tongues("nb"))
    assert ContextBudget(8192, 900).cost(rendered(norwegian, name)) <= TASK_TOKENS
    assert len(rendered(norwegian, name)) - len(rendered(prompts, name)) < 80
