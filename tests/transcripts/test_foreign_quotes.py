"""Quotes in another language than the answer: named, and written from their own side."""

from __future__ import annotations

import pytest

from askance.domain.evidence import Citation, Source, Support
from askance.presentation.transcripts import as_html, as_markdown
from transcripts.past import answered, conversation, exchange, only
from transcripts.test_html_transcript import harmless

TEXT = "Der Leuchtturm wurde im Jahr 1871 gebaut [1]."
ARABIC = "بنيت المنارة في عام 1871 على صخرة عند مصب النهر."
ENGLISH = "The lighthouse was built in 1871 on a rock at the mouth of the river."
GERMAN = "Der Turm wurde 1871 auf einem Felsen an der Mündung des Flusses errichtet."
SOURCE = Source(1, "https://a.example/", "Lindmouth", "a.example", "", False)


def quoted(*quotes: str, text: str = TEXT):
    citations = (Citation(1, text, 0, len(text), Support.SUPPORTED, q) for q in quotes)
    return only(answered(text, (SOURCE,), tuple(citations)))


@pytest.mark.parametrize(
    ("quote", "attributes", "named"),
    [
        (ARABIC, {"lang": "ar", "dir": "rtl"}, "Arabic"),
        (ENGLISH, {"lang": "en", "dir": "ltr"}, "English"),
        (GERMAN, {"lang": "de", "dir": "ltr"}, ""),
        ("1871", {"dir": "auto"}, ""),
    ],
)
def test_a_quote_in_another_language_says_which(
    quote: str, attributes: dict[str, str], named: str
) -> None:
    page = harmless(as_html(quoted(quote)))
    assert page.all("q") == [attributes]
    assert page.texts["q"] == quote
    assert page.texts["span.host"] == f"a.example{named}"
    text = f" ({named})" if named else ""
    assert f"   - “{quote}”{text}\n" in as_markdown(quoted(quote))


def test_each_quote_is_told_once_in_the_order_of_the_answer() -> None:
    page = harmless(as_html(quoted(ENGLISH, ARABIC, ENGLISH)))
    assert page.texts["q"] == ENGLISH + ARABIC
    assert page.texts["span.host"] == "a.exampleEnglishArabic"


def test_an_answer_from_right_to_left_begins_on_the_right() -> None:
    page = harmless(as_html(quoted(ENGLISH, text=ARABIC)))
    (answer,) = page.all("div", "answer")
    assert (answer["lang"], answer["dir"]) == ("ar", "rtl")
    assert [q["dir"] for q in page.all("q")] == ["ltr"]
    asked = conversation(
        exchange(1, "متى بنيت المنارة في ليندموث؟", answered(ARABIC), quote=ARABIC)
    )
    page = harmless(as_html(asked))
    assert [h["dir"] for h in page.all("h2")] == ["rtl"]
    assert [p["dir"] for p in page.all("p", "quoted")] == ["rtl"]
