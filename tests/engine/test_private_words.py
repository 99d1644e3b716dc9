"""Queries tell nothing that only the user's own texts say, however it is spelled."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.engine.query_privacy import PrivateWords, Screened
from sampled import each_row

QUESTION = "Where can I park near the Lindmouth lighthouse?"
PRIVATE = (
    "My IBAN is DE89370400440532013000, and since the diagnosis of diabetes mellitus I walk less."
    " Phone 0151 2345678, mail anna.k@home.example. Meine Depression ist überstanden."
    " Zuckerkrankheit. 私は糖尿病です。 Chemotherapy on 3 May. Dr. Mueller, Frau Jäger.",
    "marlowe",
)
PUBLISHED = ("Who was Ada Lovelace?", "Lovelace wrote notes on the Analytical Engine.")
EVIDENCE = "The keeper Clara Whitlow, tel. 555 123 9876, sells permits for DE12500105170648489890."


@pytest.fixture
def words() -> PrivateWords:
    private = PrivateWords(QUESTION, PRIVATE, PUBLISHED)
    private.publish(EVIDENCE)
    return private


@pytest.mark.parametrize(
    ("query", "left"),
    [
        ("DE89370400440532013000 parking", "parking"),
        ("DE89 3704 0044 0532 0130 00 parking", "parking"),
        ("parking DE89-3704-0044", "parking"),
        ("parking 8937.0400.44", "parking"),
        ("parking D E 8 9 3 7 0 4 0 0 4 4", "parking D E"),
        ("parking de89370400440532013000.", "parking"),
        ("parking 01512345678", "parking"),
        ("parking +49 151 2345678", "parking"),
        ("parking anna.k@home.example", "parking"),
        ("parking somebody@else.example", "parking"),
        ("parking diabetes", "parking"),
        ("Diabetic parking", "parking"),
        ("parking DIABETES", "parking"),
        ("parking diábetes", "parking"),
        ("parking dia betes", "parking"),
        ("parking dia\u200bbetes", "parking"),
        ("parking dia-betes", "parking"),
        ("parking dia/be,tes", "parking"),
        ("parking di a be tes", "parking"),
        ("parking dia_betes", "parking"),
        ("parking \uff13\uff17\uff10\uff14\uff10", "parking"),
        ("parking \u0660\u0661\u0665\u0661\u0662\u0663", "parking"),
        ("parking Müller", "parking"),
        ("parking Mueller", "parking"),
        ("parking Strauss Jaeger", "parking Strauss"),
        ("parking d i a b e t e s", "parking"),
        ("parking \u201cdiabetes\u201d", "parking"),
        ("parking diabetes-friendly", "parking"),
        ("Diabetesdiät Lindmouth", "Lindmouth"),
        ("depressiv Lindmouth", "Lindmouth"),
        ("Zuckerkranke Lindmouth", "Lindmouth"),
        ("Chemotherapies Lindmouth", "Lindmouth"),
        ("糖尿病 駐車場", "駐車場"),
        ("Lindmouth 灯台糖尿病", "Lindmouth 灯台"),
        ("Lindmouth marlowe", "Lindmouth"),
        ("Lindmouth sk-abcdef1234567890", "Lindmouth"),
        ("Lindmouth 4111 1111 1111 1111", "Lindmouth"),
        ("diabetes", ""),
        ("the diabetes of me", ""),
    ],
)
def test_what_only_the_users_own_texts_say_is_taken_out(
    words: PrivateWords, query: str, left: str
) -> None:
    screened = words.screen(query)
    assert screened.query == left
    assert screened.held_back


@pytest.mark.parametrize(
    "query",
    [
        QUESTION,
        "Lindmouth lighthouse car park fees",
        "Ada Lovelace birthday",
        "Analytical Engine notes",
        "Clara Whitlow 555-123-9876",
        "permit DE12 5001 0517 0648 4898 90",
        "World War 1914-1918, 2026-05-04, 3 best",
        "price 1,000,000,000 crowns",
        "C++ python3.11 iphone15 covid19",
        "駐車場 リンドマス灯台",
        "  spaced   as written ",
        "",
    ],
)
def test_the_question_the_evidence_and_what_a_model_knows_may_be_searched(
    words: PrivateWords, query: str
) -> None:
    assert words.screen(query) == Screened(query)


def test_what_the_question_itself_says_is_not_private() -> None:
    words = PrivateWords("Is diabetes covered by policy 123456789?", PRIVATE, ())
    query = "diabetic cover policy 123 456 789"
    assert words.screen(query) == Screened(query)


def test_an_identifier_must_have_been_told_even_where_nothing_is_private() -> None:
    words = PrivateWords(QUESTION, (), ())
    assert words.screen("parking 4111 1111 1111 1111").query == "parking"
    assert words.screen("Lindmouth parking near harbour").held_back == ()


@given(st.text(max_size=60))
def test_screening_twice_changes_nothing_more(query: str) -> None:
    words = PrivateWords(QUESTION, PRIVATE, PUBLISHED)
    once = words.screen(query).query
    assert words.screen(once).query == once


def test_of_an_answer_only_what_was_said_in_public_may_be_searched_later() -> None:
    words = PrivateWords("Who built it?", ["My IBAN is DE89370400440532013000"], ())
    words.publish("Clara Whitlow built it in 1871; call 0049 30 1234567, type WX12-34567890.")
    answer = (
        "Clara Whitlow’s diabetes, WX12-34567890, DE89370400440532013000; call 0049 30 1234567."
    )
    found = words.public_words(answer)
    assert {"clara", "whitlow", "0049301234567", "WX12-34567890"} <= set(found)
    assert not {w for w in found if "diab" in w or ("89" in w and "37" in w)}
    later = PrivateWords("And she?", [answer], ["\n".join(found)])
    assert later.screen("Clara Whitlow 0049301234567").query == "Clara Whitlow 0049301234567"
    assert later.screen("Whitlow diabetes").query == "Whitlow"
    assert later.screen("DE89370400440532013000").query == ""


_FOREIGN = json.loads(Path(__file__).with_name("private_words.json").read_text(encoding="utf-8"))


@each_row(
    ("code", "query", "left"),
    [(code, *row) for code, texts in _FOREIGN.items() for row in texts["queries"]],
)
def test_a_private_word_is_held_back_in_the_inflections_of_its_language(
    code: str, query: str, left: str
) -> None:
    private = PrivateWords(_FOREIGN[code]["asked"], [_FOREIGN[code]["told"]], [])
    assert private.screen(query).query == left


@pytest.mark.parametrize("code", _FOREIGN)
def test_what_was_asked_or_published_is_public_in_other_inflections_too(code: str) -> None:
    reported = _FOREIGN[code]["told"]
    private = PrivateWords(_FOREIGN[code]["asked"], [reported], [reported])
    assert private.screen(reported) == Screened(reported)


@pytest.mark.parametrize("other", _FOREIGN)
def test_texts_in_another_language_free_no_word_of_an_english_one(other: str) -> None:
    english = "My sister was told that the man will die of an obscure gout."
    both = PrivateWords("Where can I park?", [english, _FOREIGN[other]["told"]], [])
    alone = PrivateWords("Where can I park?", [english], [])
    for query in ("park gout", "obscurely parking", "die Gicht park", "the man", "war und Gout"):
        freed = set(both.screen(query).query.split()) - set(alone.screen(query).query.split())
        assert not freed


def test_a_text_in_another_language_changes_nothing_where_all_else_is_english() -> None:
    plain = PrivateWords(QUESTION, ["My sister has diabetes."], [])
    assert plain.screen("und die Diabetes") == Screened("und die", ("Diabetes",))
