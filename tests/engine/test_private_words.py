"""Queries tell nothing that only the user's own texts say, however it is spelled; what of a talk a plan may say."""

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


LISBON = "Tell me about Lisbon\nLisbon is the capital of Portugal, with a large population."


@each_row(
    ("turn", "question", "query"),
    [
        (LISBON, "how many people live there?", "population of Lisbon"),
        (LISBON, "how many people live there?", "Lisbon inhabitants"),
        (LISBON, "how many people live there?", "population of Portugal"),
        ("What is the Rhine?\nThe Rhine is a river.", "How long is it?", "length of the Rhine"),
        ("Tell me about New York\nA large city.", "Who? No: is it big?", "large city"),
        (
            "Erzähl mir von Lissabon\nLissabon ist die Hauptstadt von Portugal.",
            "Wie viele Menschen leben dort?",
            "Einwohner Lissabon",
        ),
        (
            "Расскажи про Лиссабон\n Столица Португалии.",
            "Сколько людей там живёт?",
            "население столицы",
        ),
        (
            "Tell me about Peru\nPeru is a country with a large population and an old religion.",
            "why?",
            "religion and population of Iceland",
        ),
        (
            "เล่าเรื่องข้าว\nข้าวเป็นพืชที่ปลูกในประเทศไทยมานาน ชาวนาปลูกข้าวในฤดูฝนและเก็บเกี่ยวในฤดูหนาว",
            "ทำไม?",
            "แม่น้ำที่ยาวที่สุดในทวีปแอฟริกา",
        ),
        (
            "Hà Nội có bao nhiêu người?\nThành phố có khoảng tám triệu người và nhiều trường học.",
            "tại sao?",
            "dân số của thành phố Tokyo năm nay",
        ),
        ("介绍一下水稻\n水稻是一种在亚洲种植了很久的作物。", "为什么？", "非洲最长的河流是什么"),
        # "we" in an answer about anything, a Roman numeral, another's words
        (
            "Why is the sky blue?\nAir scatters blue light. We see it from all sides. The sun looks red at dusk.",
            "why?",
            "light of a lamp",
        ),
        (
            "De ce este cerul albastru?\nAerul împrăștie lumina. Noi vedem albastrul. Seara este roșu.",
            "de ce?",
            "lumina unei lămpi",
        ),
        (
            "Which hall is the oldest?\nThe market is a grade I listed building, beside many others of its kind.",
            "why?",
            "listed bridge in many towns",
        ),
        (
            "Who said it?\nA judge wrote: “Whoever asks “I am here, what now?” will be heard” in a famous letter.",
            "when?",
            "famous judge letter",
        ),
        # a question at the end of a quotation
        (
            'Did he ask "is butter better than oil?"\nButter melts.',
            "why?",
            "melting point of butter?",
        ),
        # function words, ordinals and frequent given names in names; what only begins like one
        (
            "¿Quién fue el médico?\nAl-Biruni escribió mucho sobre plantas.",
            "¿cuándo?",
            "precio al por mayor",
        ),
        ("Who won the war?\nThe Second Battle was lost.", "why?", "second largest city"),
        ("Who built the bridge?\nJohn Quillfeather did.", "when?", "John Harbottle paintings"),
        ("Where is the road?\nOn the Interstate 5 bypass.", "why?", "interceptions in football"),
    ],
)
def test_ordinary_words_and_the_thing_that_is_meant_leave(
    turn: str, question: str, query: str
) -> None:
    assert PrivateWords(question, ["", turn], []).screen(query) == Screened(query)


@pytest.mark.parametrize(
    ("turn", "question", "query", "left"),
    [
        # persons
        ("Tell me about Anna Grime\nA baker.", "where does she live?", "Anna Grime house", "house"),
        ("Who is Anna Grime?\nA baker.", "is it true?", "Anna Grime house", "house"),
        ("Tell me about Dr. Grime\nA doctor.", "how old is it?", "Grime birthday", "birthday"),
        ("Tell me about bread\nAnna Grime bakes it.", "is it good?", "Grime bread", ""),
        # without a word that refers to it
        (LISBON, "why?", "Lisbon weather", "weather"),
        # what is about the user, and statements
        ("I live in Lisbon\nLisbon is large.", "how many people live there?", "large Lisbon", ""),
        ("My sister has gout\nGout is an illness.", "is it bad?", "illness treatment", "treatment"),
        ("Karl is ill\nKarl has gout.", "is it bad?", "gout treatment", "treatment"),
        # what is delicate, and words that tell something together
        ("Is diabetes hereditary?\nOften.", "is it bad?", "diabetes parking", "parking"),
        (
            "Which ships carried barrels of salted herring to Bergen in winter?\nMany did.",
            "why?",
            "herring barrels price",
            "price",
        ),
        # names of an answer, in other forms and without a frequent given name
        (
            "Who built the bridge?\nJohn Quillfeather did.",
            "when?",
            "Quillfeather's bridges",
            "bridges",
        ),
        (
            "Кто построил мост?\n Инженер Савельев это сделал.",
            "когда?",
            "дом Савельева",
            "дом",
        ),
        # answers about whoever asks, and letters
        ("What is gout?\nOur dog has gout.", "why?", "dog treatment", "treatment"),
        ("What is gout?\nI have gout. It hurts. It goes.", "why?", "hurts treatment", "treatment"),
        (
            "How do people resign?\nDear committee,\nthe treasurer resigns today.",
            "why?",
            "treasurer tasks",
            "tasks",
        ),
        # numbers and identifiers
        ("What is 0151 2345678?\nA number.", "why?", "0151 2345678 owner", "owner"),
        ("What is at a@b.example?\nNothing.", "why?", "a@b.example owner", "owner"),
    ],
)
def test_persons_numbers_and_the_users_own_matters_stay(
    turn: str, question: str, query: str, left: str
) -> None:
    screened = PrivateWords(question, [turn], []).screen(query)
    assert screened.query == left
    assert screened.held_back


def test_once_a_page_was_read_all_of_a_talk_is_held_back() -> None:
    words = PrivateWords("how many people live there?", [LISBON], [])
    assert words.allows("large Lisbon")
    words.publish("A page about the sea.")
    assert not words.allows("large Lisbon")


def test_of_a_turn_of_unknown_origin_the_thing_that_is_meant_leaves_and_no_word_of_its_answer() -> (
    None
):
    text = "Tell me about Lisbon\nthe scan of quostobdia shows a shadow"
    words = PrivateWords("how many people live there?", [], [], [text])
    assert words.screen("population of Lisbon") == Screened("population of Lisbon")
    assert words.screen("scan shadow Lisbon").query == "Lisbon"


def test_one_pair_of_characters_is_nobodys_secret_and_a_name_is() -> None:
    words = PrivateWords("我可以在哪里停车？", ["我的医生告诉欧阳纳德他的病情。"], [])
    assert words.screen("欧阳纳德 停车").query == "停车"
    assert words.allows("医学史")
