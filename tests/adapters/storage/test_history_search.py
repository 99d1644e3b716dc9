"""Words are found in the history: any words, in any script, without syntax."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.adapters.storage.history import SqliteHistory, excerpt, pairs, query_of
from askance.domain.evidence import Source
from askance.domain.history import SearchHit, TimedEvent
from cli.runs import ANSWERED
from sampled import examples

SOURCE = Source(1, "https://owl.example/nest", "How owls nest", "owl.example")


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqliteHistory]:
    file = tmp_path_factory.mktemp("found") / "history.sqlite3"
    with closing(SqliteHistory(file, pytest.fail)) as opened:
        yield opened


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[SqliteHistory]:
    with closing(SqliteHistory(tmp_path / "history.sqlite3", pytest.fail)) as opened:
        yield opened


def keep(
    history: SqliteHistory,
    text: str,
    answer: str = "",
    *,
    quote: str = "",
    conversation: int | None = None,
    sources: tuple[Source, ...] = (),
) -> int:
    key = history.begin_exchange(conversation, "search", text, quote)
    end = replace(ANSWERED, answer=answer, sources=sources, citations=())
    assert history.finish_exchange(key, [TimedEvent(1.0, end)])
    return key.conversation


def found(history: SqliteHistory, words: str) -> list[int]:
    return [hit.conversation for hit in history.search(words)]


def marked(hit: SearchHit) -> list[str]:
    return [hit.excerpt[start:end] for start, end in hit.marks]


@pytest.mark.parametrize(
    "words",
    [
        "lighthouse",
        "LIGHTH",
        "lamp light",
        "kerosene",
        "ker lam",
        "cafe",
        "café",
        "CAFE\u0301",
        "re\u0301sume\u0301",
        "selected",
        "owl",
        "owl.example",
        "nest owls",
        "foo-bar",
        "foo bar",
        "well_known",
        "1887",
    ],
)
def test_words_are_found_wherever_they_stand(empty: SqliteHistory, words: str) -> None:
    number = keep(
        empty,
        "When was the lamp of the lighthouse lit?",
        "In 1887, with kerosene from the Café's résumé. See foo-bar, well_known.",
        quote="the selected text",
        sources=(SOURCE,),
    )
    keep(empty, "something else", "entirely")
    assert found(empty, words) == [number]


@pytest.mark.parametrize("words", ["", "  ", '"', "* ^ - ( )", "lamp zebra", "amp zebra", "。"])
def test_what_is_not_there_is_not_found(empty: SqliteHistory, words: str) -> None:
    keep(empty, "the lamp of the lighthouse")
    assert found(empty, words) == []


@pytest.mark.parametrize(
    ("words", "marks", "in_title"),
    [
        ("offee", ["offee"], ["offee"]),
        ("house cof", ["cof", "house"], ["Cof", "house"]),
        ("KÜBEL", ["kübel"], []),
        ("ubel", ["übel"], []),
    ],
)
def test_parts_of_words_are_found_in_titles_and_questions(
    empty: SqliteHistory, words: str, marks: list[str], in_title: list[str]
) -> None:
    number = keep(empty, "Is coffeehouse one word, or a kübel for a GC-4?", "entirely")
    empty.rename(number, "Coffeehouse")
    keep(empty, "something else", "with much coffeehouse kübel inside")
    hits = [hit for hit in empty.search(words) if hit.conversation == number]

    assert [marked(hit) for hit in hits] == [marks]
    assert [hits[0].title[start:end] for start, end in hits[0].title_marks] == in_title


def test_what_begins_a_word_stands_before_what_is_inside_of_one(empty: SqliteHistory) -> None:
    inside, begins = keep(empty, "an offeed"), keep(empty, "feed")
    newer = keep(empty, "reed and feed, offeed")

    assert found(empty, "feed") == [begins, newer, inside]


@pytest.mark.parametrize(
    "words",
    [
        'lamp" OR "x',
        "lamp AND NOT",
        "NEAR(lamp lit, 2)",
        "title : lamp",
        "{title} : lamp",
        "-lamp",
        "lamp*",
        "^lamp",
        "lamp + lit",
        "lamp'; DROP TABLE words; --",
        "lamp \0 lit",
        "lamp \ud800",
    ],
)
def test_what_is_typed_never_becomes_syntax(empty: SqliteHistory, words: str) -> None:
    keep(empty, "lamp lit and not or near x 2 title drop table words", "lamp")
    assert len(empty.search(words)) == 1


@pytest.mark.exhaustive
@examples(150)
@given(st.text(max_size=40))
def test_any_text_can_be_searched(history: SqliteHistory, words: str) -> None:
    history.search(words)


@examples(60)
@given(
    st.lists(st.text("abcé東京都タワー한국 \n1.", min_size=1, max_size=12), min_size=1, max_size=4)
)
def test_a_question_is_found_by_its_own_words(history: SqliteHistory, texts: list[str]) -> None:
    text = " ".join(texts)
    number = keep(history, text)
    if query_of(text):
        hits = history.search(text, limit=100_000)
        assert number in {hit.conversation for hit in hits}
    history.delete(number)


@pytest.mark.parametrize(
    "words",
    ["東京", "京都", "東", "都", "東京都", "タワー", "灯台 白い", "2020", "2020年", "tower"],
)
def test_scripts_without_spaces_are_searched_by_any_piece_of_them(
    empty: SqliteHistory, words: str
) -> None:
    number = keep(empty, "東京都の灯台は白い", "2020年に東京タワーtowerが建った。")
    keep(empty, "大阪の海は青い")
    assert found(empty, words) == [number]


def test_characters_that_stand_apart_are_not_found_as_one_word(empty: SqliteHistory) -> None:
    keep(empty, "東。京 都")
    assert found(empty, "東京") == []
    assert found(empty, "京都") == []


def test_a_title_weighs_more_than_a_question_and_that_more_than_an_answer(
    empty: SqliteHistory,
) -> None:
    answer = keep(empty, "first", "the herring of the sea " + "and more words " * 5)
    question = keep(empty, "short")
    keep(empty, "the herring of the sea and more", conversation=question)
    title = keep(empty, "third")
    empty.rename(title, "The herring")
    assert found(empty, "herring") == [title, question, answer]


def test_a_title_is_found_once_a_conversation_and_no_longer_under_its_old_name(
    empty: SqliteHistory,
) -> None:
    number = keep(empty, "when")
    keep(empty, "why", conversation=number)
    empty.rename(number, "Whalebone 鯨骨")
    for words in ("whalebone", "鯨骨"):
        (hit,) = empty.search(words)
        assert hit.title == hit.excerpt == "Whalebone 鯨骨"
        assert marked(hit)[0].casefold() == words
    empty.rename(number, "")
    assert found(empty, "whalebone") == found(empty, "鯨骨") == []


def test_a_title_moves_on_when_its_first_question_is_dropped(empty: SqliteHistory) -> None:
    first = empty.begin_exchange(None, "search", "one")
    number = keep(empty, "two", conversation=first.conversation)
    empty.rename(number, "Herring")
    assert found(empty, "herring") == [number]
    empty.finish_exchange(first, [TimedEvent(1.0, ANSWERED)])
    assert found(empty, "herring") == [number]
    empty.drop_exchange(first)
    (hit,) = empty.search("herring")
    assert hit.conversation == number
    assert empty.search("lamp") == ()


def test_the_best_hits_come_first_and_no_more_than_wanted(empty: SqliteHistory) -> None:
    keep(empty, "a very long question about many things, and a lamp too, among all of them")
    best = keep(empty, "lamp lamp")
    for _ in range(5):
        keep(empty, "x", "lamp and other words, more and more of them, until it is long enough")
    hits = empty.search("lamp", limit=3)
    assert len(hits) == 3
    assert hits[0].conversation == best


def test_a_hit_says_where_the_words_stand(empty: SqliteHistory) -> None:
    text = "One. " * 60 + "The Café's lamp\nwas lit; lamps burn. " + "Two. " * 60
    keep(empty, "when", text)
    (hit,) = empty.search("cafe lamp")
    assert marked(hit) == ["Café", "lamp", "lamp"]
    assert hit.excerpt.startswith("…")
    assert hit.excerpt.endswith("…")
    assert "The Café's lamp was lit; lamps burn. Two." in hit.excerpt
    assert len(hit.excerpt) <= 162
    assert hit.title == "when"


# What the index holds, and of what it consists.
@pytest.mark.parametrize("records", ["id > 10", "id = 10"])
def test_a_damaged_index_is_built_anew_and_nothing_is_lost(
    empty: SqliteHistory, records: str
) -> None:
    numbers = [keep(empty, f"the lamp {i}") for i in range(3)]
    spoil = f"UPDATE words_data SET block = x'ffffffffffffffffff' WHERE {records}"  # noqa: S608 - ours
    empty._database.write(lambda c: c.execute(spoil))
    empty.close()
    assert sorted(found(empty, "lamp")) == numbers
    empty._database.write(lambda c: c.execute(spoil))
    empty.close()
    assert empty.delete(numbers[0])
    empty._database.write(lambda c: c.execute(spoil))
    numbers.append(keep(empty, "the lamp 3"))
    assert sorted(found(empty, "lamp")) == numbers[1:]


@given(st.text(max_size=60), st.lists(st.text(max_size=400), max_size=4))
def test_marks_are_in_order_apart_and_inside(words: str, texts: list[str]) -> None:
    piece = excerpt(words, texts)
    at = 0
    for start, end in piece.marks:
        assert at <= start < end <= len(piece.text)
        at = end
    assert "\n" not in piece.text
    assert len(piece.text) <= 162


def test_an_excerpt_without_a_word_is_the_beginning_of_what_there_is() -> None:
    assert excerpt("zebra", ["", "the lamp"]).text == "the lamp"
    assert excerpt("zebra", []).text == ""
    assert excerpt("zebra", ["", "the lamp"]).marks == ()


def test_a_mark_ends_where_its_excerpt_is_cut() -> None:
    assert excerpt("y" * 300, ["y" * 300]).marks == ((0, 160),)


def test_a_word_behind_a_script_without_spaces_is_marked() -> None:
    assert excerpt("tower", ["東京tower, watchtower"]).marks == ((2, 7),)


def test_an_excerpt_is_taken_from_the_text_with_most_of_the_words() -> None:
    assert excerpt("lamp lit", ["a lamp", "a lamp was lit", "lit lamp lamp"]).text == (
        "a lamp was lit"
    )


def test_bigrams_are_made_only_where_words_have_no_spaces() -> None:
    assert pairs("the lamp") == ""
    assert pairs("東京都 x 2020年") == "東京 京都 都 2020 年"
