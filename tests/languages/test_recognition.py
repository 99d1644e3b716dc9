"""A text's language is told from the text alone, or not at all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.text.languages import recognition
from askance.text.languages.language import CODES
from askance.text.languages.language_model import norwegian_by_pairs, reapportioned
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


EVEN = {"da": 0.2, "nb": 0.2, "sv": 0.2, "en": 0.1, "fo": 0.1}
DANISH = ["hvad", "siger", "hun", "til", "mig", "af", "det"]
NYNORSK = ["eg", "veit", "ikkje", "kva", "ho", "seier"]


def test_the_language_whose_words_are_frequent_gets_the_most() -> None:
    found = reapportioned(EVEN, EVEN, DANISH, {})
    assert found["da"] > 0.5 > 0.05 > found["sv"]


def test_nynorsk_counts_as_norwegian() -> None:
    found = reapportioned(EVEN, EVEN, NYNORSK, {})
    assert found["nb"] > 0.5
    assert "nn" not in found


@pytest.mark.parametrize("words", [DANISH, NYNORSK, [], ["zzzz"]])
def test_a_group_keeps_what_it_has_and_others_too(words: list[str]) -> None:
    found = reapportioned(EVEN, EVEN, words, {})
    assert sum(found[code] for code in ("da", "nb", "sv")) == pytest.approx(0.6)
    assert (found["en"], found["fo"]) == (0.1, 0.1)


def test_words_that_no_list_has_say_nothing() -> None:
    assert reapportioned(EVEN, EVEN, ["zzzz"], {}) == pytest.approx(EVEN)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Who built the old tower of the town?", "en"),
        ("Wer baute den Leuchtturm in Lindmouth?", "de"),
        ("In der Mitte der Stadt steht ein Turm, der im Jahr 1871 gebaut wurde.", "de"),
        # Its neighbours share some of its function words, and are asked of the model.
        ("Dr Turm isch im Johr 1871 vo de Stadt baut worde und stoht hüt no.", ""),
        ("De Toorn is in dat Johr 1871 boot worrn un steiht noch hüüt.", ""),
        ("Wien huet den Tuerm zu Esch gebaut, a firwat?", ""),
    ],
)
def test_plain_english_and_german_need_no_model(
    text: str, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_: str) -> dict[str, float]:
        raise AssertionError("The model was asked.")

    monkeypatch.setattr(recognition, "likelihoods", fails)
    recognition._recognised.cache_clear()
    if code:
        assert recognise(text) == code
    else:
        with pytest.raises(AssertionError, match="asked"):
            recognise(text)


def test_a_language_that_the_model_does_not_know_gets_its_part() -> None:
    spanish = {"es": 0.9, "pt": 0.1}
    asturian = reapportioned(
        spanish, spanish, ["yá", "tien", "munchu", "que", "facer", "nel", "pueblu"], {}
    )
    assert asturian["ast"] > 0.5 > asturian["es"]
    assert (
        reapportioned(
            spanish, spanish, ["ya", "tiene", "mucho", "que", "hacer", "en", "el", "pueblo"], {}
        )["es"]
        > 0.5
    )


def test_what_counts_against_a_language_goes_to_its_neighbours() -> None:
    """The group is known for sure, its language is not."""
    found = reapportioned({"cs": 0.8, "sk": 0.1}, {"cs": 0.008, "sk": 0.1}, [], {})
    assert found["sk"] > found["cs"]
    assert found["cs"] + found["sk"] == pytest.approx(0.9)


def test_long_texts_are_not_surer_than_the_most_that_words_say() -> None:
    short, long = (reapportioned(EVEN, EVEN, DANISH * n, {}) for n in (20, 2000))
    assert short == long
    assert long["sv"] > 0


def test_spanish_words_that_asturian_has_as_well_are_spanish() -> None:
    """Novels of Asturian have many of them more often than all of what is written in Spanish."""
    words = ["la", "tormenta", "alcanza", "una", "temperatura", "inferior"]
    spanish = {"es": 0.5, "an": 0.1}
    alone, beside = (reapportioned(spanish, spanish, words, foreign) for foreign in ({}, {"es": 1}))
    assert alone["es"] > 3 * alone["ast"]
    assert beside["ast"] > 3 * alone["ast"]


@pytest.mark.parametrize(
    ("norwegian", "danish"),
    [("hvor skal du", "hvor skal du hen"), ("hvor mange land er det", "hvor mange lande er der")],
)
def test_pairs_of_words_tell_danish_and_norwegian_questions_apart(
    norwegian: str, danish: str
) -> None:
    assert norwegian_by_pairs(norwegian.split()) > 0 > norwegian_by_pairs(danish.split())


def test_what_most_of_some_texts_are_in_is_told_without_the_model(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    english = "The lighthouse was built by the engineer of the town in the year of the flood."
    names = "Sela Marrin, Kelhaven"
    # So long a text might outvote the English one, were it of a language.
    many_names = f"{names}. " * 9
    assert language_of([english, names]) == language_of([names, english]) == "en"
    assert language_of([many_names, english]) == "en"
    asked: list[str] = []
    monkeypatch.setattr(recognition, "likelihoods", lambda text: asked.append(text) or {})
    recognition._recognised.cache_clear()
    assert language_of([english, names]) == language_of([names, english]) == "en"
    # Nothing in it speaks for another language.
    assert language_of([many_names, english]) == "en"
    assert not asked
    spanish = "La torre de la ciudad."
    assert language_of([f"{spanish} {many_names}", english]) == "en"
    assert asked
