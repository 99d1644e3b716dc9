"""Words as a keyboard types them find their file, in whatever language: as they stand, with its apostrophe, without their marks."""
# ruff: noqa: RUF001 - letters of all languages

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest

from adapters.storage.shelf import library, page, urls
from askance.adapters.library.sqlite_library import SqliteLibrary
from askance.domain.library import PAGE_BREAK
from sampled import sampled

TEXTS = dict(
    line.split("\t")
    for line in Path(__file__).with_name("forty_languages.tsv").read_text("utf-8").splitlines()
)
# Words with an apostrophe, of languages that write some; in all the others a name from abroad has it.
OWN = {
    "af": "foto's, Sannie se oupa's",
    "az": "Bakı'dan",
    "ca": "l'aigua d'ahir, s'ha",
    "cy": "i'r tŷ, o'r gegin",
    "da": "Lars' hus, hva'ba",
    "en": "o'clock, ma'am",
    "fr": "presqu'île, aujourd'hui, quelqu'un, prud'homme",
    "ga": "d'oibrigh, m'athair, b'fhéidir",
    "he": "ג'ירפה, צ'ק, ז'קט",
    "it": "quell'anno, un'altra, c'è",
    "nl": "baby's, Hugo's, A'dam",
    "pt": "copo d'água, pau d'arco",
    "tr": "Ankara'daki, İzmir'den",
    "uk": "комп'ютер, сім'я, п'ятницю, м'ясо, об'єкт",
    "vi": "Đắk R'lấp, M'Đrắk",
}
NAME = "O'Malley"
# What stands in texts in the place of an apostrophe.
TYPESET = "’‘ʼʻ＇´"

# Letters that are no letter with a mark, and that people have no key for.
_PLAIN = str.maketrans({
    "œ": "oe", "æ": "ae", "ß": "ss", "ł": "l", "ø": "o", "Ø": "O", "đ": "d", "Đ": "D", "ð": "d", "Ð": "D",
    "þ": "th", "Þ": "Th", "ı": "i", "ə": "e", "ё": "е", "ґ": "г", "أ": "ا", "إ": "ا", "آ": "ا", "ة": "ه", "ى": "ي",
})  # fmt: skip


def without_marks(word: str) -> str:
    parted = unicodedata.normalize("NFKD", word.translate(_PLAIN))
    # Vowel signs of India and Thailand are letters there, and Korean syllables are made of theirs.
    plain = (c for c in parted if not unicodedata.combining(c) or "\u0900" <= c < "\u0e80")
    return unicodedata.normalize("NFC", "".join(plain))


def words_of(text: str) -> list[str]:
    return list(dict.fromkeys(word.strip(".,、。") for word in text.split()))


def stored_texts(tmp_path: Path, texts: dict[str, str]) -> SqliteLibrary:
    stored = library(tmp_path)
    stored.add([page(f"https://one.example/{code}", text, "x") for code, text in texts.items()])
    return stored


def lost(stored: SqliteLibrary, code: str, words: list[str], limit: int = 100) -> list[str]:
    found = {word: {hit.url for hit in stored.search(word, limit)} for word in words}
    return [word for word, of in found.items() if f"https://one.example/{code}" not in of]


@pytest.mark.parametrize("mark", TYPESET)
def test_the_apostrophe_of_the_keyboard_finds_words_of_every_language(
    tmp_path: Path, mark: str
) -> None:
    typed = {code: f"{text} {OWN.get(code, '')} {NAME}." for code, text in TEXTS.items()}
    stored = stored_texts(tmp_path, {c: text.replace("'", mark) for c, text in typed.items()})
    words = {code: [w for w in words_of(text) if "'" in w] for code, text in typed.items()}
    assert len(words) == len(TEXTS) == 46
    assert all(NAME in found for found in words.values())
    assert not {c: left for c, found in words.items() if (left := lost(stored, c, found))}


def test_a_word_as_it_was_typeset_finds_what_was_typed(tmp_path: Path) -> None:
    stored = stored_texts(tmp_path, {"uk": "Мій комп'ютер стоїть.", "fr": "La presqu'île est là."})
    for mark in TYPESET:
        assert urls(stored, f"комп{mark}ютер") == ["https://one.example/uk"]
        assert urls(stored, f"presqu{mark}île") == ["https://one.example/fr"]


def test_words_of_every_language_are_found_without_their_marks(tmp_path: Path) -> None:
    stored = stored_texts(tmp_path, TEXTS)
    words = {
        code: list(
            dict.fromkeys(form for w in words_of(text) for form in (without_marks(w), w.lower()))
        )
        for code, text in TEXTS.items()
    }
    assert not {c: left for c, found in words.items() if (left := lost(stored, c, found))}


@pytest.mark.parametrize(
    ("code", "text", "typed"),
    [
        ("fr", "Le nœud du bateau de ma sœur est défait.", "noeud soeur defait"),
        ("pl", "Wójt z Łęczycy kupił żółty płot.", "Leczycy zolty plot"),
        ("da", "Ærlig talt, Søren bor på Ærø nær Åbenrå.", "Soren Soeren Aero Abenra Aabenraa"),
        ("hr", "Đurđa vodi građevinu.", "Durda Djurdja gradevinu"),
        ("is", "Þórður býr á Ísafirði.", "Thordur Isafirdi"),
        ("tr", "Iğdır'da ılık bir akşamdı.", "Igdir ilik aksamdi"),
        ("de", "Die Straße ist heiß.", "Strasse heiss"),
        ("ru", "Ёлка стоит у зелёной тёплой печи.", "Елка зеленой теплой"),
        ("ar", "أعلنت الإدارة عن افتتاح المكتبة إلى أحمد، ومستشفى كبير.", "اعلنت الاداره المكتبه احمد مستشفي"),
        ("ar", "كِتَابٌ قَدِيمٌ في المـــدينة", "كتاب قديم المدينة المدينه"),
        ("he", "שָׁלוֹם לַיְלָדִים", "שלום"),
    ],
)  # fmt: skip
def test_letters_that_no_key_has_are_found_as_people_type_them(
    tmp_path: Path, code: str, text: str, typed: str
) -> None:
    stored = stored_texts(tmp_path, {**TEXTS, code: text})
    assert not lost(stored, code, typed.split())


def test_a_snippet_and_its_page_are_those_of_a_word_without_marks(tmp_path: Path) -> None:
    pages = ["Nic zajímavého tu není. " * 20, "Klíč leží pod dubovým stolem.", "Konec."]
    stored = stored_texts(tmp_path, {"cs": f"\n\n{PAGE_BREAK}".join(pages)})
    (hit,) = stored.search("dubovym", 10)
    ((start, end),) = hit.marks
    assert (hit.snippet[start:end], hit.page) == ("dubovým", 2)


MANY = {
    "en": "Note {n} about the work in the garden and the house, with plans for week {n} of the year.",
    "de": "Notiz {n} über die Arbeit im Garten und was im Haus zu tun ist, mit Plänen für Woche {n}.",
    "tr": "Bahçedeki ve evdeki işler üzerine {n} numaralı not, yılın {n}. haftası için planlar.",
    "ja": "庭と家の仕事についてのメモ{n}、年の第{n}週の計画。",
}


@pytest.mark.parametrize("most", sampled(MANY, every=4))
def test_every_word_finds_its_file_among_a_thousand_of_another_language(
    tmp_path: Path, most: str
) -> None:
    stored = stored_texts(tmp_path, TEXTS)
    stored.add([page(f"https://many.example/{n}", MANY[most].format(n=n)) for n in range(1_000)])
    words = {code: words_of(text) for code, text in TEXTS.items()}
    assert not {c: left for c, found in words.items() if (left := lost(stored, c, found, 1_100))}


def test_a_word_of_one_file_comes_first_and_others_beside_it_do_no_harm(tmp_path: Path) -> None:
    stored = stored_texts(tmp_path, TEXTS)
    stored.add([page(f"https://many.example/{n}", MANY["en"].format(n=n)) for n in range(300)])
    for query in (
        "świetlicy",
        '"świetlicy"',
        "garden świetlicy",
        "Klucz do świetlicy leży w kuchni",
    ):
        assert urls(stored, query)[0] == "https://one.example/pl"


def test_letters_in_other_forms_are_the_same(tmp_path: Path) -> None:
    stored = library(tmp_path)
    stored.add([
        page("https://wide.example/", "請求書番号ＡＢＣ１２３４、合計。ｼｽﾃﾑ", "x"),
        page("https://arabic.example/", "ﺍﻟﻌﺮﺑﻴﺔ", "x"),
        page("https://tied.example/", "The eﬃcient sloth.", "x"),
    ])  # fmt: skip
    assert urls(stored, "ABC1234") == urls(stored, "システム") == ["https://wide.example/"]
    assert urls(stored, "العربية") == ["https://arabic.example/"]
    assert urls(stored, "efficient") == ["https://tied.example/"]


def test_function_words_alone_find_texts_of_their_language(tmp_path: Path) -> None:
    stored = library(tmp_path)
    stored.add([
        page("https://a.example/", "The ferry was late, and it did not wait.", "x"),
        page("https://b.example/", "The mill is old.", "x"),
    ])  # fmt: skip
    assert urls(stored, "was") == ["https://a.example/"]
    assert urls(stored, "ferry was") == ["https://a.example/"]
    assert not urls(stored, "why")
