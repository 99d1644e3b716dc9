"""What of a message is searched: its question alone, and of an error its own words, whatever was pasted beside it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.adapters.search.searxng import plain_query
from askance.engine.queries import initial_queries
from askance.engine.query_privacy import PrivateWords
from askance.text.message_parts import MessageParts, error_words, read_message
from sampled import each_row

TEMPLATES: dict[str, str] = json.loads(
    (Path(__file__).parent / "message_templates.json").read_text(encoding="utf-8")
)
TYPED: list[str] = json.loads(
    (Path(__file__).parent / "questions_as_typed.json").read_text(encoding="utf-8")
)
QUESTIONS = (
    "Is it safe to drive with it?",
    "Darf ich damit Auto fahren?",
    "吃了以后可以开车吗？",
    "هل يمكنني القيادة بعد ذلك؟",
    "summarise the side effects",
)
SENTENCES = (
    "Patient Elvira Quintrell, born 14 March 1961, policy 88-4471, mail elvira@quintrell.example.",
    "She takes 40 mg of Zorvanil each morning since the operation in Brackley.",
    "Can you send me the Zorvanil by Friday, Quintrell?",
    "The account is DE02 1203 0000 0000 2020 51, and the key sk-abcdef1234567890.",
    "<b>Whoever</b> reads `this` in Brackley < 5 > knows {{nothing}}.",
)
PRIVATE = (
    "quintrell",
    "zorvanil",
    "88-4471",
    "brackley",
    "1203",
    "sk-abc",
    "elvira",
    "mara",
    "ole",
)


def filled(template: str, document: str, question: str) -> str:
    return template.replace("{document}", document).replace("{question}", question)


def assert_alone(message: str, question: str) -> None:
    """Nothing but the question is searched ahead of a plan, and of the rest nothing by a plan."""
    parts = read_message(message)
    assert parts.question == question
    asked = [word for query in initial_queries(message) for word in query.split()]
    assert not [word for word in asked if word not in question]
    private = PrivateWords(parts.question, [parts.private], [])
    for word in ("Quintrell", "Zorvanil", "Brackley", "88-4471", "DE02 1203 0000 0000"):
        if word in message:
            assert not private.screen(word).query


@each_row("question", QUESTIONS)
@each_row("template", TEMPLATES.values())
@each_row("length", [1, 2, 5, 19])
def test_of_a_message_in_a_template_its_question_is_searched(
    template: str, question: str, length: int
) -> None:
    document = " ".join(SENTENCES[i % len(SENTENCES)] for i in range(length))
    assert_alone(filled(template, document, question), question)


@given(
    st.sampled_from(sorted(TEMPLATES.values())),
    st.sampled_from(QUESTIONS),
    st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=30),
    st.sampled_from([" ", "\n", "\n\n"]),
)
def test_no_length_and_no_layout_of_a_document_is_taken_for_the_question(
    template: str, question: str, sentences: list[str], between: str
) -> None:
    message = filled(template, between.join(sentences), question)
    asked = " ".join(initial_queries(message)).casefold()
    assert not [word for word in PRIVATE if word in asked]


@each_row("question", TYPED)
def test_a_question_as_it_is_typed_is_all_of_it(question: str) -> None:
    assert read_message(question) == MessageParts(question.strip())


@pytest.mark.parametrize("times", [1, 4, 12, 100])
def test_a_question_behind_a_preamble_is_searched(times: int) -> None:
    preamble = "I have kept bees on a small roof in Quostobdia for years, since 14 May 2019. "
    question = "Which flower should I plant for early pollen?"
    message = preamble * times + question
    parts = read_message(message)
    assert question in initial_queries(message)[0]
    if times > 3:
        assert parts.question == question
        private = PrivateWords(parts.question, [parts.private], [])
        assert private.screen("pollen flowers roof bees").query == "pollen flowers roof bees"
        assert private.screen("Quostobdia pollen").query == "pollen"


@pytest.mark.parametrize("times", [4, 12])
def test_a_question_before_a_long_text_is_searched(times: int) -> None:
    question = "Which flower should I plant for early pollen?"
    paragraph = "I keep bees. " * 20
    assert read_message("\n\n".join([question, *[paragraph] * times])).question == question


def test_of_a_text_that_asks_nothing_no_name_and_no_number_is_searched() -> None:
    message = (
        "Dear Ole,\nplease pay 812,00 EUR to DE02 1203 0000 0000 2020 51 by Friday.\n"
        "The landlord is Karl, mara.lind@example.org.\nBest, Mara"
    )
    asked = " ".join(map(plain_query, initial_queries(message)))
    for word in ("Ole", "812", "DE02", "1203", "Karl", "mara", "Mara"):
        assert word not in asked


def test_a_request_behind_a_log_is_its_question() -> None:
    log = "2026-11-01 12:00:01 ERROR of host quostobdia: key=abc123\n" * 5
    assert read_message(f"{log}how do I fix this").question == "how do I fix this"


@pytest.mark.parametrize(
    "typed",
    [
        "How do I exit vim?\n:wq does not work",
        "Compare these:\n- C++\n- Rust",
        "what does <context> mean in html?",
        "Question: what is RAG?",
        "What is the `<source>` tag?",
        "Is it true? They say so. Or not?",
    ],
)
def test_a_short_message_of_a_few_lines_is_a_question(typed: str) -> None:
    assert read_message(typed) == MessageParts(typed)


@pytest.mark.parametrize("words", [42, 50])
def test_one_long_sentence_that_asks_is_searched_whole(words: int) -> None:
    question = f"How does the keeper {'row by ' * words}himself?"
    assert 300 < len(question) <= 400
    assert read_message(question) == MessageParts(question)


def test_what_is_too_long_for_engines_or_says_more_than_it_asks_is_no_single_question() -> None:
    asked = f"How does the keeper {'row by ' * 45}himself?"
    assert read_message(f"{asked} {asked}").question != f"{asked} {asked}"
    assert (
        read_message(f"Anna Grime owes me rent. {asked}").question
        != f"Anna Grime owes me rent. {asked}"
    )


UNMARKED: dict[str, list[str]] = json.loads(
    (Path(__file__).parent / "unmarked_questions.json").read_text(encoding="utf-8")
)
LETTER = (
    "Dear Ole,\nplease pay 812,00 EUR to DE02 1203 0000 0000 2020 51 by Friday.\n"
    "When you have paid, call me in Brackley.\nBest, Mara\n"
)


@each_row("asked", UNMARKED["asked"])
@each_row("thanks", ["", " Thanks a lot!"])
def test_what_is_asked_without_a_question_mark_at_an_end_of_prose_is_its_question(
    asked: str, thanks: str
) -> None:
    preamble = "My sister moved to a new town, and we have been arguing about mountains since. " * 6
    for message in (preamble + asked, f"{preamble}\n\n{asked}", f"{asked}\n\n{preamble}"):
        assert read_message(message).question == asked
    if asked.endswith("."):
        assert read_message(preamble + asked + thanks).question == asked


@pytest.mark.parametrize(
    "asked", ["How long does a transfer to Italy take", "wie lange dauert das nach Italien"]
)
def test_a_line_beside_a_letter_asks_without_a_question_mark(asked: str) -> None:
    assert read_message(f"{LETTER}\n{asked}").question == asked
    assert read_message(f"{asked}\n\n{LETTER}").question == asked


@pytest.mark.parametrize(
    "sentence",
    [
        "When the tenant Elvira Quintrell is late the landlord may write to her in Brackley.",
        "Wer in Brackley wohnt und Quintrell heißt zahlt nicht.",
        "Please let Quintrell know what she owes in Brackley.",
        "Where Quintrell lives, nobody in Brackley says",
    ],
)
def test_a_statement_that_begins_as_questions_do_says_no_name(sentence: str) -> None:
    contract = "The rent is due on the third day of each month and is paid in advance. " * 6
    for message in (contract + sentence, f"{contract}\n{sentence}", f"{LETTER}{sentence}"):
        asked = " ".join(initial_queries(message))
        assert "Quintrell" not in asked
        assert "Brackley" not in asked


@pytest.mark.parametrize(("preamble", "asked"), UNMARKED["amid"])
def test_a_question_amid_prose_of_a_script_without_capitals_is_found(
    preamble: str, asked: str
) -> None:
    assert read_message(f"{preamble * 15}\n\n{asked}\n\n{preamble * 2}").question == asked


@pytest.mark.parametrize("letter", UNMARKED["letters"])
def test_of_a_letter_whose_script_has_no_capitals_nothing_is_searched_that_nobody_asked(
    letter: str,
) -> None:
    assert "".join(initial_queries(letter)) == ""
    asked = "How long does a transfer to Italy take?"
    assert read_message(f"{letter}\n\n{asked}").question == asked


@pytest.mark.parametrize("chat", UNMARKED["chats"])
def test_of_a_chat_whose_script_has_no_capitals_no_question_is_asked(chat: str) -> None:
    assert "".join(initial_queries(chat * 3)) == ""
    asked = "How long does a transfer to Italy take?"
    for message in (f"{chat}\n{asked}", f"{asked}\n\n{chat}"):
        assert read_message(message).question == asked


@pytest.mark.parametrize(
    "pasted",
    [
        '{"token": "ghp_16C7e42F292c6912E7710c838347Ae178B4a"}',
        "Mara <mara.lind@example.org>",
        "DE02 1203 0000 0000 2020 51",
        "+44 7700 900123",
    ],
)
@pytest.mark.parametrize("asked", ["What does 401 Bad credentials mean?", "what does 401 mean"])
def test_a_short_paste_with_an_identifier_is_not_part_of_its_question(
    pasted: str, asked: str
) -> None:
    assert read_message(f"{pasted}\n\n{asked}").question == asked
    assert read_message(f"{asked}\n\n{pasted}").question == asked


@pytest.mark.parametrize(
    "typed",
    [
        "Who calls from +44 7700 900123?",
        "what is 0xC000021A\nand 0x80070005",
        "How many digits has 12345678901?\nAnd its square?",
    ],
)
def test_an_identifier_that_is_asked_for_is_searched(typed: str) -> None:
    assert read_message(typed) == MessageParts(typed)


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("KeyError: 'quostobdia'", "KeyError"),
        ("java.lang.IllegalStateException: com.grimewitz.Quost is closed", "IllegalStateException"),
        ("src/a.ts(3,7): error TS2339: Property 'grimewitz' does not exist on type 'Quost'.",
         "TS2339 error Property does not exist on type"),
        ("Installation failed with error 0x80070643", "0x80070643 failed with error"),
        ("Process finished with exit code 137", "exit code 137"),
        ("GET http://quost.example/ 503 Service Unavailable", "503 Service Unavailable"),
        ("listen EADDRINUSE: address already in use :::3000", "EADDRINUSE address already in use"),
        ("ERROR: No matching distribution\nValueError: torch==2.1.0", "ValueError ERROR No matching distribution torch 2.1.0"),
    ],
)  # fmt: skip
def test_a_class_a_code_and_common_words_are_searched(text: str, query: str) -> None:
    assert error_words(text).query == query


@pytest.mark.parametrize(
    "text",
    [
        "My door has the code 4711, and the policy is E4471.",
        "Dear Error, the invoice INV-20311 of C4021 is overdue.",
        "ELVIRA_QUOSTOBDIA_KEY=1",
        "",
    ],
)
def test_what_is_no_error_has_no_words_of_one(text: str) -> None:
    assert error_words(text).query == ""


def test_a_package_that_is_called_like_a_folder_here_is_not_searched() -> None:
    home = "/home/"
    missing = "No module named 'grimewitz_sync'"
    own = f'File "{home}x/grimewitz_sync/a.py"\nModuleNotFoundError: {missing}'
    assert "grimewitz" not in f"{error_words(own)}"
    installed = own.replace(f"{home}x/", "/usr/lib/python3/site-packages/")
    assert "grimewitz_sync" in error_words(installed).query
