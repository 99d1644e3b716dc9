"""What of a talk with the model a plan may say: the thing that was named and is meant now, and ordinary words."""

from __future__ import annotations

import pytest

from askance.engine.query_privacy import PrivateWords, Screened
from sampled import each_row

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
