from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.adapters.search.searxng import (
    MAX_QUERY_CHARS,
    MAX_SITES_CHARS,
    language_for,
    narrowed_query,
    plain_query,
)
from askance.domain.web_pages import SearchScope


@pytest.mark.parametrize(
    ("written", "sent"),
    [
        ("who built the bridge", "who built the bridge"),
        ("!!g cats", "g cats"),
        ("!wikipedia cats", "wikipedia cats"),
        ("cats !images", "cats images"),
        (":de Katzen", "de Katzen"),
        ("<3 cats", "3 cats"),
        ("!!<:!en cats", "en cats"),
        ("-!g cats", "g cats"),
        ("cats !! dogs", "cats dogs"),
        ("site:example.org cats", "example.org cats"),
        ("-site:example.org cats", "-example.org cats"),
        ("<-5 degrees", "-5 degrees"),
        ("<\u0663 cats", "\u0663 cats"),
        (":::de cats", "de cats"),
        ("::!g cats", "g cats"),
        ("SITE:!g cats", "g cats"),
        ("site:intitle:cats", "cats"),
    ],
)
def test_syntax_becomes_plain_words(written: str, sent: str) -> None:
    assert plain_query(written) == sent


@pytest.mark.parametrize(
    "query",
    [
        '"to be or not to be" author',
        '"!g cats"',
        "python := operator",
        "C++ a != b",
        "Kuka omistaa BBC -yhtiön?",
        'cats -dogs -"hot dogs" --tail',
        "-5 degrees in Celsius",
        "10:30 train to Łódź",
        "what does note: mean",
        "https://example.org/site:map",
        "東京 の 人口",
        "rock'n'roll co-op e-mail",
        "what is in #include <stdio.h>",
        "CSS ::before and ::after",
        "<T> in Java",
    ],
)
def test_what_is_no_syntax_stays_as_it_was(query: str) -> None:
    assert plain_query(query) == query


@pytest.mark.parametrize(
    ("domains", "sent"),
    [
        ((), "cats evil.example"),
        (("a.example",), "cats evil.example site:a.example"),
        (("a.example", "b.example"), "cats evil.example (site:a.example OR site:b.example)"),
        ((f"{'a' * MAX_SITES_CHARS}.example",), "cats evil.example"),
    ],
)
def test_only_the_adapter_narrows_a_query(domains: tuple[str, ...], sent: str) -> None:
    assert narrowed_query("cats site:evil.example", SearchScope(domains)) == sent
    assert narrowed_query("!!", SearchScope(domains)) == ""


def test_a_type_of_files_stands_behind_a_query() -> None:
    scope = SearchScope(("a.example",), filetype="pdf")
    assert narrowed_query("cats", scope) == "cats site:a.example filetype:pdf"
    assert narrowed_query("cats", SearchScope(filetype="pdf")) == "cats filetype:pdf"


def test_a_narrowed_query_gives_up_words_and_not_its_site() -> None:
    sent = narrowed_query("cats " * MAX_QUERY_CHARS, SearchScope(("a.example",)))
    assert sent.endswith("cats site:a.example")
    assert MAX_QUERY_CHARS - 5 <= len(sent) <= MAX_QUERY_CHARS


def test_line_breaks_and_control_characters_become_spaces() -> None:
    assert plain_query("one\ntwo\r\n\tthree\x00four\u2028five") == "one two three four five"


def test_a_command_hidden_behind_a_control_character_is_none() -> None:
    assert plain_query("cats\x1c!!g\x00!al") == "cats g al"


@pytest.mark.parametrize("empty", ["", "  \n", "!!", "\udcff", "!! !!!"])
def test_a_query_without_words_is_empty(empty: str) -> None:
    assert plain_query(empty) == ""


def test_a_lone_surrogate_does_not_break_the_request() -> None:
    assert plain_query("caf\udce9 cats") == "caf cats"


def test_a_long_query_is_cut_between_words() -> None:
    query = plain_query("word " * 200)
    assert query == ("word " * 80).strip()


def test_a_long_query_without_spaces_is_cut_all_the_same() -> None:
    assert plain_query("字" * 1000) == "字" * MAX_QUERY_CHARS


@given(st.text(st.sampled_from("!:<- \n\x00ag5é字\"'=") | st.characters(), max_size=60))
def test_no_word_is_ever_a_command(text: str) -> None:
    query = plain_query(text)
    for word in query.split():
        assert not word.startswith("!!")
        assert word[0] != "!" or not any(c.isalnum() for c in word)
        assert word[0] != "<" or not word[1:].isdigit()
        assert word[0] != ":" or word[1:2] == ":" or not any(c.isalnum() for c in word)
    assert plain_query(query) == query
    query.encode("utf-8")


@pytest.mark.parametrize(
    ("wanted", "query", "language"),
    [
        ("auto", "minimum wage chile per hour", "auto"),
        ("auto", "Wie hoch ist der Leuchtturm von Lindmouth", "de"),
        ("auto", "высота маяка Линдмут", "ru"),
        ("auto", "灯塔 历史", "zh"),
        ("auto", "how high is the lighthouse of Lindmouth", "auto"),
        ("auto", "Los Angeles Lakers", "auto"),
        ("auto", "Lindmouth", "auto"),
        ("all", "Wie hoch ist der Leuchtturm von Lindmouth", "all"),
        ("fr", "Wie hoch ist der Leuchtturm von Lindmouth", "fr"),
    ],
)
def test_a_query_goes_out_in_its_own_language_where_none_is_set(
    wanted: str, query: str, language: str
) -> None:
    assert language_for(wanted, query) == language


@pytest.mark.parametrize(
    ("wanted", "told", "language"),
    [("auto", "fr", "fr"), ("auto", "en", "auto"), ("auto", "", "auto"), ("de", "fr", "de")],
)
def test_the_language_of_a_query_is_told_with_it(wanted: str, told: str, language: str) -> None:
    assert language_for(wanted, "Wie hoch ist der Leuchtturm", told) == language
