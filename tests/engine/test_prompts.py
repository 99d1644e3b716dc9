"""Prompts: exact variables, golden texts, one prefix for all calls of a run, and what they say of languages."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.config.choices import AnswerLanguage, AnswerLength
from askance.domain.conversation import Turn
from askance.domain.evidence import Passage
from askance.domain.ports.model import ChatMessage, Role
from askance.engine.evidence_set import TASK_TOKENS, NumberedEvidence
from askance.engine.prompts import (
    LENGTHS,
    OF_LANGUAGE,
    VARIABLES,
    ContextBudget,
    PromptError,
    Prompts,
    Tongues,
    build_messages,
    load_prompts,
    tongues_of,
)
from askance.text.languages.language import CODES
from fakes.search import result

TURNS = (Turn("Who was Abel Moss?", "A keeper of the Kelhaven lighthouse [1]."),)
QUESTION = "When was his lighthouse built?"
FILLED = {
    "blocks": "[1] Harbour\nThe harbour is old.",
    "today": "2026-03-01",
    "length": "Be brief.",
    "gaps": "its height",
    "uncited": "2, 3",
    "prompt": "Do it.",
    "mark": "text 1a2b3c4d",
    "keys": "a, b",
    "values": "1871 [1], 1874 [2]",
    "question": "Why so?",
    "wish": "Be kind.",
    "language": "German",
    "results": "[1] A page",
    "around": "The island has a ferry. It leaves at nine.",
    "passage": "It leaves at nine.",
    "sentences": "S1 [1]: It is so.",
}


def values(name: str) -> dict[str, str]:
    return {variable: FILLED[variable] for variable in VARIABLES[name]}


def small_ledger() -> NumberedEvidence:
    ledger = NumberedEvidence("c0ffee42")
    ledger.add_snippets(
        [
            result(
                "https://www.light.example/history",
                "The light",
                "Built in 1867.",
                published="2021-05-06",
            ),
            result("https://wire.example/", "Wire", "A storm took the mast."),
        ]
    )
    ledger.add_passages(
        [
            Passage(
                "https://www.light.example/history", "The light", "Three brothers built it [4].", 0
            ),
            Passage("https://www.light.example/history", "The light", "The lamp came later.", 500),
        ],
        {},
    )
    return ledger


def shown(messages: tuple[ChatMessage, ...]) -> str:
    return "\n\n".join(f"=== {m.role.value} ===\n{m.content}" for m in messages) + "\n"


@pytest.mark.parametrize("name", VARIABLES)
def test_a_prompt_takes_exactly_its_variables(name: str, prompts: Prompts) -> None:
    text = prompts.render(name, **values(name))
    assert all(value in text for value in values(name).values())
    assert "$" not in text
    with pytest.raises(PromptError, match=name):
        prompts.render(name, **values(name), other="x")
    if VARIABLES[name]:
        with pytest.raises(PromptError, match=name):
            prompts.render(name)


def test_a_value_is_put_in_as_it_is(prompts: Prompts) -> None:
    text = prompts.render("answer", length="$question ${x} $", question="$length?")
    assert "$question ${x} $" in text
    assert text.endswith("$length?")


@pytest.mark.parametrize("variables", [frozenset[str](), frozenset({"today", "more"})])
def test_a_prompt_file_with_other_variables_is_refused(
    variables: frozenset[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(VARIABLES, "system", variables)
    with pytest.raises(PromptError, match="'system' must have exactly"):
        load_prompts()


def test_a_prompt_without_a_file_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(VARIABLES, "poem", frozenset())
    with pytest.raises(PromptError, match="'poem' is missing"):
        load_prompts()


def test_every_length_has_its_words() -> None:
    assert set(LENGTHS) == set(AnswerLength)
    assert len(set(LENGTHS.values())) == len(LENGTHS)


@pytest.mark.parametrize("task", ["plan", "judge", "judge_again", "answer", "answer_small"])
def test_a_rendered_prompt_is_as_it_was_approved(
    task: str, prompts: Prompts, golden: Callable[[str, str], None]
) -> None:
    evidence = "" if task == "plan" else small_ledger().text
    filled = {"length": LENGTHS[AnswerLength.NORMAL], "question": QUESTION}
    values = {variable: filled[variable] for variable in VARIABLES[task]}
    system = prompts.render("system", today="2026-03-01")
    messages = build_messages(system, TURNS, QUESTION, evidence, prompts.render(task, **values))
    golden(f"prompt_{task}.txt", shown(messages))


@pytest.mark.parametrize("name", ["chat", "retry"])
def test_a_lone_prompt_is_as_it_was_approved(
    name: str, prompts: Prompts, golden: Callable[[str, str], None]
) -> None:
    golden(f"prompt_{name}.txt", prompts.render(name, **values(name)) + "\n")


@pytest.mark.parametrize("name", ["plan", "judge", "judge_again", "answer", "answer_small"])
@pytest.mark.parametrize("length", LENGTHS.values())
def test_no_task_is_longer_than_the_room_that_is_kept_for_it(
    name: str, length: str, prompts: Prompts
) -> None:
    values = {"length": length, "question": ""}
    task = prompts.render(name, **{variable: values[variable] for variable in VARIABLES[name]})
    assert 0 < ContextBudget(8192, 900).cost(task) <= TASK_TOKENS


def test_the_history_stands_before_the_question() -> None:
    messages = build_messages("S.", TURNS, "Q?", "E.", "T.")
    assert [m.role for m in messages] == [Role.SYSTEM, Role.USER, Role.ASSISTANT, Role.USER]
    assert messages[-1].content == "Question: Q?\n\nE.\n\nT."


_WORDS = st.text("abc \n[]12", min_size=1, max_size=20)
_GROWTH = st.lists(
    st.tuples(
        st.booleans(), st.lists(st.tuples(st.sampled_from("abcd"), _WORDS), min_size=1, max_size=3)
    ),
    max_size=5,
)


@given(_GROWTH, st.lists(_WORDS, max_size=2), _WORDS)
def test_all_calls_of_a_run_share_everything_up_to_their_task(
    growth: list[tuple[bool, list[tuple[str, str]]]], asked: list[str], question: str
) -> None:
    prompts = load_prompts()
    ledger = NumberedEvidence("c0ffee42")
    system = prompts.render("system", today="2026-03-01")
    turns = tuple(Turn(q, "An answer.") for q in asked)
    evidences = [""]
    for as_snippets, texts in growth:
        if as_snippets:
            ledger.add_snippets(result(f"https://{h}.example/", "T", text) for h, text in texts)
        else:
            ledger.add_passages([Passage(f"https://{h}.example/", "T", t, 0) for h, t in texts], {})
        evidences.append(ledger.text)
    tasks = ["plan", *(["judge"] * (len(evidences) - 1)), "answer"]
    calls = list(zip([*evidences, evidences[-1]], tasks, strict=True))
    for (before, task), (after, next_task) in pairwise(calls):
        one = build_messages(system, turns, question, before, prompts.render(task, **values(task)))
        two = build_messages(
            system, turns, question, after, prompts.render(next_task, **values(next_task))
        )
        assert one[:-1] == two[:-1]
        shared = "\n\n".join(part for part in (f"Question: {question}", before) if part)
        assert one[-1].content.startswith(shared)
        assert two[-1].content.startswith(shared)


GERMAN = "Wie hoch ist der Leuchtturm von Lindmouth?"
ENGLISH = "How high is the lighthouse of Lindmouth?"
VALUES = {
    "length": LENGTHS[AnswerLength.NORMAL],
    "question": "Q?",
    "today": "2026-03-01",
    "gaps": "-",
    "uncited": "-",
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
