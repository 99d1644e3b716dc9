"""A word typed as it stands in a file finds that file, in whatever language and beside whatever others."""

from __future__ import annotations

from pathlib import Path

import pytest

from adapters.storage.shelf import library, page, urls
from sampled import sampled

TEXTS = dict(
    line.split("\t")
    for line in Path(__file__).with_name("forty_languages.tsv").read_text("utf-8").splitlines()
)
MANY = {
    "en": "Note {n} about the work in the garden and the house, with plans for week {n} of the year.",
    "de": "Notiz {n} über die Arbeit im Garten und was im Haus zu tun ist, mit Plänen für Woche {n}.",
    "tr": "Bahçedeki ve evdeki işler üzerine {n} numaralı not, yılın {n}. haftası için planlar.",  # noqa: RUF001 - Turkish
    "ja": "庭と家の仕事についてのメモ{n}、年の第{n}週の計画。",
}


def words_of(text: str) -> list[str]:
    return list(dict.fromkeys(word.strip(".,、。") for word in text.split()))


@pytest.mark.parametrize("most", sampled(MANY, every=4))
def test_every_word_finds_its_file_among_a_thousand_of_another_language(
    tmp_path: Path, most: str
) -> None:
    stored = library(tmp_path)
    stored.add([page(f"https://many.example/{n}", MANY[most].format(n=n)) for n in range(1_000)])
    stored.add([page(f"https://one.example/{code}", text, "x") for code, text in TEXTS.items()])
    lost = [
        (code, word)
        for code, text in TEXTS.items()
        for word in words_of(text)
        if f"https://one.example/{code}" not in {hit.url for hit in stored.search(word, 1_100)}
    ]
    assert not lost


def test_a_word_of_one_file_comes_first_and_others_beside_it_do_no_harm(tmp_path: Path) -> None:
    stored = library(tmp_path)
    stored.add([page(f"https://many.example/{n}", MANY["en"].format(n=n)) for n in range(300)])
    stored.add([page(f"https://one.example/{code}", text, "x") for code, text in TEXTS.items()])
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
