"""A text's language is told from the text alone, or not at all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.text.languages.language import CODES
from askance.text.languages.names import language_of_question
from askance.text.languages.recognition import (
    SAMPLE_CHARACTERS,
    is_unknown,
    language_of,
    recognise,
    surely,
)
from sampled import each_row

HERE = Path(__file__).parent
TEXTS: dict[str, list[str]] = json.loads((HERE / "texts.json").read_text(encoding="utf-8"))
QUESTIONS: dict[str, list[str]] = json.loads((HERE / "questions.json").read_text(encoding="utf-8"))
NEIGHBOURS = {"da", "nb"}
# Questions in languages that are not known: their own words, and those that a known one shares.
UNKNOWN_QUESTIONS: dict[str, str] = json.loads(
    (HERE / "unknown_questions.json").read_text(encoding="utf-8")
)
SHORT: list[tuple[str, str]] = json.loads((HERE / "short.json").read_text(encoding="utf-8"))
NEIGHBOURING: list[str] = json.loads((HERE / "neighbouring.json").read_text(encoding="utf-8"))
STRANGERS: dict[str, str] = json.loads((HERE / "strangers.json").read_text(encoding="utf-8"))


def test_there_are_texts_of_every_language() -> None:
    assert set(TEXTS) == set(QUESTIONS) == set(CODES)


@each_row("code", CODES)
def test_a_text_of_five_sentences_is_enough(code: str) -> None:
    assert recognise(" ".join(TEXTS[code])) == code


@each_row("code", CODES)
def test_a_question_is_enough(code: str) -> None:
    assert [recognise(question) for question in QUESTIONS[code]] == [code, code]


@each_row("code", CODES)
def test_a_sentence_is_never_taken_for_another_language(code: str) -> None:
    """It may be too short to be told, and right in Danish and Norwegian alike."""
    others = NEIGHBOURS if code in NEIGHBOURS else {code}
    assert {recognise(sentence) for sentence in TEXTS[code]} <= {*others, ""}


@pytest.mark.parametrize("text", ["", "…", "1889", "Sela Marrin", "Kelhaven", "\U0001f600", "x"])
def test_what_has_no_language_has_none(text: str) -> None:
    assert recognise(text) == ""


@pytest.mark.parametrize("name", STRANGERS)
def test_a_language_that_is_not_known_is_not_taken_for_its_neighbour(name: str) -> None:
    assert recognise(STRANGERS[name]) == ""


@each_row("name", UNKNOWN_QUESTIONS)
def test_a_question_in_a_language_that_is_not_known_is_in_none(name: str) -> None:
    question = UNKNOWN_QUESTIONS[name]
    assert (recognise(question), surely(question), language_of_question(question)) == ("", "", "")


@each_row("text", NEIGHBOURING)
def test_what_a_language_does_not_have_counts_against_it(text: str) -> None:
    code, _, value = text.partition(": ")
    assert recognise(value) == code.strip()


@each_row(("codes", "question"), SHORT)
def test_a_short_question_is_enough(codes: str, question: str) -> None:
    assert recognise(question) in codes.split()


@pytest.mark.parametrize("question", ["Hvorfor sover du her?", "Har du en plan?"])
def test_a_question_that_is_right_in_danish_and_norwegian_may_be_in_neither(question: str) -> None:
    assert recognise(question) == ""


@pytest.mark.parametrize(
    "name", ["Los Angeles Lakers", "Der Spiegel", "El Nino", "Burkina Faso", "FC Bayern"]
)
def test_a_name_is_in_no_language_for_sure(name: str) -> None:
    assert recognise(name) == surely(name) == ""


def test_what_is_known_is_not_unknown() -> None:
    assert is_unknown("Koľko obyvateľov má toto mesto a kedy vzniklo?")
    assert not is_unknown("Kolik obyvatel má toto město a kdy vzniklo?")
    assert not is_unknown("Kelhaven")


def test_foreign_names_do_not_change_an_english_text() -> None:
    text = (
        "Die Zauberflöte was first given in Vienna; Łódź, Пётр and 東京 were named in it as well."
    )
    assert recognise(text) == "en"


def test_latin_names_do_not_change_a_text_of_another_script() -> None:
    assert recognise("Apollo Guidance Computer是什么时候造的？") == "zh"
    assert recognise("Кто разработал операционную систему GNU/Linux?") == "ru"


def test_most_of_several_texts_decides() -> None:
    german, english = " ".join(TEXTS["de"]), " ".join(TEXTS["en"])
    assert language_of([german, english, english]) == "en"
    assert language_of([german, german, english]) == "de"
    assert language_of(["Kelhaven", german]) == "de"
    assert language_of([]) == language_of(["Kelhaven"]) == ""


def test_the_beginning_of_a_text_decides() -> None:
    beginning = (" ".join(TEXTS["fr"]) + " ") * 20
    assert len(beginning) > SAMPLE_CHARACTERS
    assert recognise(beginning + " ".join(TEXTS["en"]) * 100) == "fr"


@given(st.text())
def test_every_text_is_of_a_known_language_or_of_none(text: str) -> None:
    assert recognise(text) in {"", *CODES}


JAPANESE = (
    "横浜 天気", "桜 満開 時期", "渋谷駅 終電", "源泉徴収 計算", "国民健康保険 料金", "令和8年 祝日", "消費税 還付",
    "運転免許 更新 手続", "高速道路 料金 検索", "沖縄県 台風 進路", "労働基準法 残業", "歯医者 予約", "有給休暇 日数",
)  # fmt: skip
CHINESE = (
    "北京天气", "上海地铁图", "怎么学习游泳", "台北捷運營運時間", "蘋果手機價格", "香港機場點去", "春节放假安排", "国际学校学费",
    "臺灣總統選舉", "如何申请护照", "感冒吃什么", "中國人口有多少",
)  # fmt: skip
EITHER = ("香港機場巴士", "富士山 高度", "東京", "人工智能", "長城", "北京 大学", "最低賃金 東京都")


@pytest.mark.parametrize(("code", "questions"), [("ja", JAPANESE), ("zh", CHINESE), ("", EITHER)])
def test_ideographs_alone_are_of_the_country_that_writes_them(
    code: str, questions: tuple[str, ...]
) -> None:
    assert {q: recognise(q) for q in questions} == dict.fromkeys(questions, code)


def test_a_long_text_of_ideographs_that_both_countries_write_is_chinese() -> None:
    assert (
        recognise(
            "天地玄黃宇宙洪荒日月盈昃辰宿列張寒來暑往秋收冬藏閏餘成歲律呂調陽雲騰致雨露結為霜"
        )
        == "zh"
    )
