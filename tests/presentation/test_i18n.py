"""The seam of languages: what goes in, what comes out, and that a catalogue can find every text."""

from __future__ import annotations

import ast
import string
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from askance.domain.events import PageRead
from askance.domain.messages import NOTHING, Message
from askance.domain.web_pages import PageReason, PageStatus
from askance.presentation.i18n import (
    English,
    day_of,
    decimal_mark,
    duration,
    plural,
    quoted,
    speak,
    term,
    tr,
)
from askance.presentation.steps import why_unread

SOURCES = Path(__file__).parents[2] / "src" / "askance"


class Backwards(English):
    """A language in which words are written backwards, with its own ways of numbers and dates."""

    def text(self, source: str) -> str:
        return {"{n} ms": "ms {n}", "hello": "olleh"}.get(source, source)

    def plural(self, one: str, many: str, number: int) -> str:
        return f"[{many if number > 5 else one}]"

    def number(self, value: float, decimals: int) -> str:
        return f"{value:.{decimals}f}".replace(".", ",")

    def date(self, day: date) -> str:
        return day.strftime("%d.%m.%Y")


@pytest.fixture
def backwards() -> Iterator[None]:
    speak(Backwards())
    yield
    speak(English())


def test_english_is_spoken_unless_something_else_is_asked_for():
    assert tr("{n} of {all}", n=1204, all="many") == "1,204 of many"
    assert tr("{share} s", share=1.25) == "1.2 s"
    assert tr("braces } stay { where nothing is filled in") == (
        "braces } stay { where nothing is filled in"
    )
    assert plural("{n} page", "{n} pages", 1) == "1 page"
    assert plural("{n} page of {host}", "{n} pages of {host}", 1204, host="{x}") == (
        "1,204 pages of {x}"
    )
    assert term("a word") == "a word"
    assert quoted(["a", "b"]) == "“a”, “b”"
    assert decimal_mark() == "."


@pytest.mark.usefixtures("backwards")
def test_another_language_has_its_own_words_numbers_plurals_and_dates():
    assert tr("hello") == "olleh"
    assert plural("{n} page", "{n} pages", 5) == "[5 page]"
    assert plural("{n} page", "{n} pages", 6) == "[6 pages]"
    assert duration(12) == "ms 12"
    assert duration(1_840) == "1,8 s"
    assert day_of("1981-05-12T10:00:00") == "12.05.1981"
    assert decimal_mark() == ","


@pytest.mark.parametrize(
    ("ms", "text"),
    [(0, "0 ms"), (99, "99 ms"), (100, "0.1 s"), (9_940, "9.9 s"), (9_960, "10 s"),
     (59_400, "59 s"), (59_600, "1 min 0 s"), (125_000, "2 min 5 s")],
)  # fmt: skip
def test_a_span_of_time_is_told_as_short_as_it_can_be(ms: float, text: str):
    assert duration(ms) == text


@pytest.mark.parametrize(
    ("stamp", "text"),
    [("1981-05-12", "12 May 1981"), ("2014", "2014"), ("2014-13-40", "2014"), ("soon", ""),
     ("", ""), (None, ""), ("١٩٨١", "")],
)  # fmt: skip
def test_of_a_date_as_much_is_told_as_is_known(stamp: str | None, text: str):
    assert day_of(stamp) == text


@pytest.mark.parametrize("reason", PageReason)
def test_every_reason_for_an_unread_page_has_its_words(reason: PageReason):
    page = PageRead("https://a.example/", PageStatus.FAILED, reason, NOTHING, "", 0, 1)
    assert why_unread(page)


def test_the_readers_own_words_come_first():
    page = PageRead(
        "https://a.example/",
        PageStatus.FAILED,
        PageReason.HTTP_STATUS,
        Message("it answered 404"),
        "",
        0,
        1,
    )
    assert why_unread(page) == "it answered 404"


def calls() -> Iterator[tuple[Path, ast.Call]]:
    for folder in ("cli", "presentation", "ui"):
        for path in sorted((SOURCES / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                    continue
                if node.func.id in ("tr", "plural", "term"):
                    yield path, node


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


def test_every_text_is_written_out_and_has_a_value_for_each_of_its_places():
    seen = 0
    for path, call in calls():
        assert isinstance(call.func, ast.Name)
        where = f"{path.name}:{call.lineno}"
        texts = call.args[: 2 if call.func.id == "plural" else 1]
        if call.func.id == "tr" and not isinstance(texts[0], ast.Constant):
            assert not isinstance(texts[0], ast.JoinedStr), where
            continue  # a `term` that stands in a table
        for text in texts:
            assert isinstance(text, ast.Constant), where
            assert isinstance(text.value, str), where
            seen += 1
            if call.func.id != "term":
                given = {keyword.arg for keyword in call.keywords}
                given |= {"n"} if call.func.id == "plural" else set()
                assert fields(text.value) == given, where
    assert seen > 100
