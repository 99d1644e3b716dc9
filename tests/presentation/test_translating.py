"""Messages in another language: the template is translated, the values come along."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

import pytest

from askance.domain.errors import ServiceDown
from askance.domain.messages import Message
from askance.presentation.i18n import English, speak, translated


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
