"""The seam of languages: what goes in, what comes out, and that a catalogue can find every text."""

from __future__ import annotations

import ast
import string
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from askance.domain.errors import ServiceDown
from askance.domain.events import PageRead
from askance.domain.messages import NOTHING, Message
from askance.domain.web_pages import PageReason, PageStatus
from askance.presentation.i18n import (
    English,
    day_group,
    day_of,
    decimal_mark,
    duration,
    local_moment,
    moment_row,
    moment_text,
    plural,
    quoted,
    speak,
    term,
    tr,
    translated,
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


# Kept moments as people read them: by the day, as short as a list wants them, and in local time.

NOW = datetime(2026, 5, 14, 10, 40, 7).astimezone()
IN_UTC = NOW.astimezone(UTC).isoformat()
NO_MOMENTS = ("some\nday", "", "9999-99-99", "0001-01-01T00:00:00+14:00")


@pytest.mark.parametrize(
    ("days", "text"),
    [(0, "today at 10:40"), (1, "yesterday at 10:40"), (2, "12 May 2026"), (400, "9 April 2025")],
)
def test_a_moment_is_told_by_its_day(days: int, text: str) -> None:
    assert moment_text((NOW - timedelta(days=days)).isoformat(), NOW) == text


def test_a_terminal_shows_local_time() -> None:
    assert moment_row(IN_UTC) == "2026-05-14 10:40"
    assert moment_row(IN_UTC, seconds=True) == "2026-05-14 10:40:07"


@pytest.mark.parametrize("iso", NO_MOMENTS)
def test_what_is_no_moment_is_shown_on_one_line_as_it_is(iso: str) -> None:
    shown = " ".join(iso.split())
    assert local_moment(iso) is None
    assert (moment_text(iso, NOW), moment_row(iso)) == (shown, shown)
    assert day_group(iso, NOW.date()) == "Without a date"


# Messages in another language: the template is translated, the values come along.


class Marked(English):
    """A language that marks what it was asked for, and writes numbers with a comma."""

    def text(self, source: str) -> str:
        return source if source.startswith(("{", "Words")) else f"«{source}»"

    def plural(self, one: str, many: str, number: int) -> str:
        return one if number == 1 else many

    def number(self, value: float, decimals: int) -> str:
        return f"{value:.{decimals}f}".replace(".", ",")

    def date(self, day: date) -> str:
        return str(day)


@pytest.fixture
def marked() -> Iterator[None]:
    speak(Marked())
    yield
    speak(English())


NESTED = Message("A search failed: {problem}", problem=Message("It took {n} s.", n=2.25))


def test_in_english_a_message_is_its_text():
    assert translated(NESTED) == "A search failed: It took 2.25 s."


@pytest.mark.usefixtures("marked")
def test_a_message_is_translated_with_the_messages_in_it():
    assert translated(NESTED) == "«A search failed: «It took 2,25 s.»»"


@pytest.mark.usefixtures("marked")
def test_words_of_others_stay_as_they_are():
    assert translated("A search failed: {problem}") == "A search failed: {problem}"
    assert translated(Message.verbatim("It took 2.25 s.")) == "It took 2.25 s."
    assert translated(Message("Said {said}.", said="It took 2.25 s.")) == "«Said It took 2.25 s..»"


@pytest.mark.usefixtures("marked")
def test_an_error_is_its_problem_and_its_remedy():
    error = ServiceDown("s", "a", Message("Down."), fix=Message("Look at {name}.", name="it"))
    assert translated(error) == "«Down.» «Look at it.»"


@pytest.mark.usefixtures("marked")
def test_a_language_that_lacks_a_message_says_it_in_english():
    assert translated(Message("Words of {name}", name=Message("others"))) == "Words of «others»"


class Sentences(Marked):
    """Knows one sentence, with its full stop."""

    def text(self, source: str) -> str:
        return "Die Seite ist leer." if source == "The page is empty." else source


def test_a_clause_is_translated_as_its_sentence():
    speak(Sentences())
    try:
        assert translated(Message("The page is empty.").clause()) == "Die Seite ist leer"
    finally:
        speak(English())
