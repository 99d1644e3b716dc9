"""What the library finds, and in what order."""

from __future__ import annotations

from pathlib import Path

import pytest

from adapters.storage.shelf import FERRY, library, page, urls
from askance.adapters.library import library_search


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("東京の人口は約千四百万人です。首都として知られています。", "東京の人口"),
        ("กรุงเทพมหานครเป็นเมืองหลวงของประเทศไทย", "เมืองหลวง"),
        ("서울은 대한민국의 수도이며 인구가 가장 많은 도시이다.", "서울의 인구"),
        ("Москва является столицей России и крупнейшим городом страны.", "столица России"),
    ],
)
def test_scripts_of_all_kinds_are_found(tmp_path: Path, text: str, query: str) -> None:
    stored = library(tmp_path)
    stored.add([page("https://other.example/", FERRY), page("https://x.example/", text)])
    assert urls(stored, query) == ["https://x.example/"]


@pytest.mark.parametrize(
    "words",
    ['"', '""', "AND", "OR NOT", "ferry*", "ferry)", "(ferry", "title:ferry", "^ferry", "{", "'",
     "-", "-ferry", "NEAR(ferry mill)", "ferry\x00mill", "the of and", "\ud800", "x" * 5000],
)  # fmt: skip
def test_nothing_that_is_typed_is_syntax_of_the_index(tmp_path: Path, words: str) -> None:
    stored = library(tmp_path)
    stored.add([page("https://a.example/", FERRY)])
    assert set(urls(stored, words)) <= {"https://a.example/"}


def test_common_words_ask_only_where_there_is_no_rare_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library_search, "FEWEST_RARE", 3)
    stored = library(tmp_path)
    stored.add([page(f"https://a.example/{i}", f"The ferry number {i}.") for i in range(20)])
    stored.add([page("https://b.example/", "The boat has a number.")])
    assert urls(stored, "ferry number boat") == ["https://b.example/"]
    assert len(urls(stored, "number ferry")) == 10
    assert len(stored.search("ferry number", 50)) == 20


def test_where_common_words_never_stand_all_together_two_of_the_rarest_must(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library_search, "FEWEST_RARE", 2)
    stored = library(tmp_path)
    for i in range(3):
        stored.add([
            page(f"https://a.example/{i}", f"The ferry waits each morning, {i}."),
            page(f"https://b.example/{i}", f"The mill grinds in winter, {i}."),
            page(f"https://c.example/{i}", f"Sheep graze in the village, {i}."),
        ])  # fmt: skip
    stored.add([page("https://d.example/", "No ferry, no boat.")])
    found = {hit.url for hit in stored.search("ferry mill winter morning", 20)}
    assert found == {f"https://{host}.example/{i}" for host in "ab" for i in range(3)}
    # Where no two of them do, any is enough.
    assert len(stored.search("sheep winter morning", 20)) == 9
