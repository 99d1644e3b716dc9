"""What the library finds, and in what order."""

from __future__ import annotations

from pathlib import Path

import pytest

from adapters.storage.shelf import FERRY, MILL, library, page, urls
from askance.adapters.storage import library_search
from askance.domain.library import Document, Filters, Kind, Origin


def test_the_passage_that_fits_best_comes_first(tmp_path: Path) -> None:
    kept = library(tmp_path)
    kept.add([
        page("https://a.example/", f"{FERRY} It passes the mill."),
        page("https://b.example/", MILL),
        page("https://c.example/", "Sheep graze above the village."),
    ])  # fmt: skip
    assert urls(kept, "who rebuilt the mill") == ["https://b.example/", "https://a.example/"]


def test_a_title_says_more_than_a_text(tmp_path: Path) -> None:
    kept = library(tmp_path)
    kept.add([
        page("https://a.example/", "It is near the lighthouse, on the hill.", "The school"),
        page("https://b.example/", "It is near the school, on the hill.", "The lighthouse"),
    ])  # fmt: skip
    assert urls(kept, "lighthouse")[0] == "https://b.example/"


def test_of_a_long_document_so_many_passages_as_are_wanted(tmp_path: Path) -> None:
    kept = library(tmp_path)
    text = "\n\n".join(f"# Part {i}\n\nThe ferry of part {i} is late." for i in range(5))
    kept.add([page("https://a.example/", text), page("https://b.example/", FERRY)])
    assert sorted(urls(kept, "ferry")) == ["https://a.example/", "https://b.example/"]
    hits = kept.search("ferry", 10, passages_each=3)
    assert [hit.url for hit in hits].count("https://a.example/") == 3
    assert {hit.heading for hit in hits} > {"Part 0"}
    for hit in hits:
        found = kept.text(hit.document)
        assert found is not None
        assert found[hit.offset :].startswith(hit.text)


def test_words_are_stemmed_in_the_language_of_the_document(tmp_path: Path) -> None:
    kept = library(tmp_path)
    german = "Die Häuser am Hafen sind alt, und ihre Dächer werden im Sommer erneuert."
    kept.add([page("https://de.example/", german), page("https://en.example/", FERRY)])
    assert urls(kept, "altes Haus mit neuem Dach") == ["https://de.example/"]
    assert urls(kept, "ferries leaving") == ["https://en.example/"]


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
    kept = library(tmp_path)
    kept.add([page("https://other.example/", FERRY), page("https://x.example/", text)])
    assert urls(kept, query) == ["https://x.example/"]


def test_quotes_and_minus_signs_hold(tmp_path: Path) -> None:
    kept = library(tmp_path)
    kept.add([
        page("https://a.example/", "Storm loaf is a bread with rye."),
        page("https://b.example/", "A loaf that the storm took."),
    ])  # fmt: skip
    assert urls(kept, '"storm loaf"') == ["https://a.example/"]
    assert urls(kept, "loaf -rye") == ["https://b.example/"]
    assert urls(kept, '"rye storm"') == []


@pytest.mark.parametrize(
    "words",
    ['"', '""', "AND", "OR NOT", "ferry*", "ferry)", "(ferry", "title:ferry", "^ferry", "{", "'",
     "-", "-ferry", "NEAR(ferry mill)", "ferry\x00mill", "the of and", "\ud800", "x" * 5000],
)  # fmt: skip
def test_nothing_that_is_typed_is_syntax_of_the_index(tmp_path: Path, words: str) -> None:
    kept = library(tmp_path)
    kept.add([page("https://a.example/", FERRY)])
    assert set(urls(kept, words)) <= {"https://a.example/"}


def test_filters_hold(tmp_path: Path) -> None:
    kept = library(tmp_path)
    kept.add([
        page("https://a.example/", f"{FERRY} One.", "", "x", "y", published="2024-05-14"),
        page("https://b.example/", f"{FERRY} Two.", "", "x", published="2025-05-14"),
        Document("file:///c.py", "c", "def ferry():\n    pass", Origin.FILE, Kind.CODE, "python"),
        page("https://d.example/", "Die Fähre und die ferry fahren nicht, wenn der Sturm kommt."),
    ])  # fmt: skip

    def found(**filters: object) -> set[str]:
        hits = kept.search("ferry", 10, Filters(**filters))  # type: ignore[arg-type]
        records = kept.documents(Filters(**filters))  # type: ignore[arg-type]
        assert {hit.url for hit in hits} == {record.url for record in records}
        return {hit.url.split("//")[1][:2].strip("/.") for hit in hits}

    assert found(tags=("x",)) == {"a", "b"}
    assert found(tags=("X", "y")) == {"a"}
    assert found(origin="file") == {"c"}
    assert found(kind="code", syntax="python") == {"c"}
    assert found(language="de") == {"d"}
    assert found(since="2025") == {"b", "c", "d"}
    assert found(until="2024") == {"a"}
    assert found(since="2024-06-01", until="2025-12-31") == {"b"}


def test_code_is_found_by_parts_of_names(tmp_path: Path) -> None:
    kept = library(tmp_path)
    source = "def parseTimetable(ferryName):\n    return ferryName"
    kept.add([Document("file:///c.py", "c.py", source, Origin.FILE, Kind.CODE, "python")])
    (hit,) = kept.search("timetable", 10)
    assert hit.heading == "def parseTimetable(ferryName):"
    assert hit.syntax == "python"


def test_common_words_ask_only_where_there_is_no_rare_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library_search, "FEWEST_RARE", 3)
    kept = library(tmp_path)
    kept.add([page(f"https://a.example/{i}", f"The ferry number {i}.") for i in range(20)])
    kept.add([page("https://b.example/", "The boat has a number.")])
    assert urls(kept, "ferry number boat") == ["https://b.example/"]
    assert len(urls(kept, "number ferry")) == 10
    assert len(kept.search("ferry number", 50)) == 20


def test_where_common_words_never_stand_all_together_two_of_the_rarest_must(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library_search, "FEWEST_RARE", 2)
    kept = library(tmp_path)
    for i in range(3):
        kept.add([
            page(f"https://a.example/{i}", f"The ferry waits each morning, {i}."),
            page(f"https://b.example/{i}", f"The mill grinds in winter, {i}."),
            page(f"https://c.example/{i}", f"Sheep graze in the village, {i}."),
        ])  # fmt: skip
    kept.add([page("https://d.example/", "No ferry, no boat.")])
    found = {hit.url for hit in kept.search("ferry mill winter morning", 20)}
    assert found == {f"https://{host}.example/{i}" for host in "ab" for i in range(3)}
    # Where no two of them do, any is enough.
    assert len(kept.search("sheep winter morning", 20)) == 9
