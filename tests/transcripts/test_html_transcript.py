from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askance.domain.evidence import Citation, Source, Support
from askance.domain.history import ConversationRecord
from askance.presentation.transcripts import as_html, doubted_sentences, markers_of
from transcripts.past import WHOLE, answered, conversation, exchange, only

A = Source(1, "https://a.example/page", 'The "A" page', "a.example", None, False)
B = Source(2, "ftp://b.example/", "B", "b.example")
ALLOWED = {
    *("html", "head", "meta", "title", "style", "body", "header", "article", "section", "div"),
    *("h1", "h2", "h3", "h4", "h5", "h6", "p", "ol", "ul", "li", "blockquote", "pre", "hr", "br"),
    *("table", "thead", "tbody", "tr", "th", "td", "a", "span", "q", "strong", "em", "s", "code"),
}
VOID = {"meta", "br", "hr"}


class Page(HTMLParser):
    """Every element, checked to be closed, and the text of each kind of them."""

    def __init__(self, document: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.open: list[tuple[str, str]] = []
        self.texts: dict[str, str] = {}
        self.text = ""
        self.feed(document)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.elements.append((tag, found))
        if tag not in VOID:
            self.open.append((tag, found.get("class", "")))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in VOID
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop()[0] == tag

    def handle_data(self, data: str) -> None:
        for tag, kind in self.open:
            key = f"{tag}.{kind}" if kind else tag
            self.texts[key] = self.texts.get(key, "") + data
        if ("body", "") in self.open:
            self.text += data

    def all(self, tag: str, kind: str = "") -> list[dict[str, str]]:
        return [a for t, a in self.elements if t == tag and (not kind or a.get("class") == kind)]


def harmless(document: str) -> Page:
    """Check that a page loads nothing, runs nothing, and leads only to web pages and itself."""
    page = Page(document)
    assert {tag for tag, _ in page.elements} <= ALLOWED
    for _, attributes in page.elements:
        assert not any(name.startswith("on") or name == "src" for name in attributes)
        assert re.fullmatch(r"(text-align:(left|right|center))?", attributes.get("style", ""))
    for link in page.all("a"):
        assert re.match(r"https?://|#q\d+s\d+$", link["href"], re.IGNORECASE), link
        assert link["rel"] == "noreferrer noopener"
    assert "url(" not in page.texts["style"]
    assert "@import" not in page.texts["style"]
    return page


def shown(text: str, *citations: Citation) -> Page:
    return harmless(as_html(only(answered(text, (A, B), citations))))


def cited(text: str, sentence: str, n: int, support: Support, quote: str = "") -> Citation:
    start = text.index(sentence)
    return Citation(n, sentence, start, start + len(sentence), support, quote)


def test_a_whole_conversation_is_in_one_page_that_needs_nothing_else() -> None:
    page = harmless(as_html(WHOLE))
    (policy,) = [m for m in page.all("meta") if m.get("http-equiv") == "Content-Security-Policy"]
    assert policy["content"].startswith("default-src 'none'; style-src 'unsafe-inline'")
    assert page.texts["title"] == page.texts["h1"] == "When was the *lamp* lit?"
    assert page.texts["h2"] == "When was\nthe *lamp* lit?1. And why?And who?And then?"
    assert page.texts["p.quoted"] == "- a <b>quote</b>\n\n# of two lines"
    assert page.texts["p.answer"] == "Which [lamp](x)?"
    assert page.texts["p.failure"] == "Failure: There is no answer: SearXNG was down. Start it."
    assert page.texts["p.note"] == (
        "Note: Two rounds were not enough.Note: This run was not finished."
    )
    assert page.texts["q"] == "lit in 1887painted white"
    assert [li["value"] for li in page.all("li") if "value" in li] == ["1", "2", "3"]
    assert "prefers-color-scheme: dark" in page.texts["style"]


def test_a_marker_opens_the_page_at_its_quote_and_tells_it() -> None:
    text = "It is **lit** [1]."
    page = shown(text, cited(text, text, 1, Support.SUPPORTED, "lit in\n1887"))
    (link,) = page.all("a", "cite")
    assert link["href"] == "https://a.example/page#:~:text=lit%20in,1887"
    assert link["title"] == '“lit in 1887”\nThe "A" page · a.example'
    assert link["aria-label"] == "Source 1"
    assert page.texts["a.cite"] == "1"
    assert page.all("p", "legend") == []


def test_a_marker_whose_source_is_no_web_page_leads_to_the_list_of_sources() -> None:
    page = shown("It is lit [2].")
    (link,) = page.all("a", "cite")
    assert link["href"] == "#q1s1"
    assert [li["id"] for li in page.all("li")] == ["q1s1", "q1s2"]


def test_a_doubt_is_told_by_a_sign_a_word_and_a_line_under_the_sentence() -> None:
    text = "Sure [1]. It is **very** white [1]. It _turns_ [2]. The end."
    page = shown(
        text,
        cited(text, "Sure [1].", 1, Support.SUPPORTED),
        cited(text, "It is **very** white [1].", 1, Support.WEAK),
        cited(text, "It _turns_ [2].", 2, Support.UNSUPPORTED),
    )
    assert page.texts["span.weak"] == "It is very white ."
    assert page.texts["span.unsupported"] == "It turns."
    assert page.texts["div.answer"].strip() == (
        "Sure 1. It is very white 1≈. It turns 2✗. The end."
    )
    assert page.texts["em"] == "turns"
    labels = [link["aria-label"] for link in page.all("a") if "aria-label" in link]
    assert labels == ["Source 1", "Source 1, weak", "Source 2, unsupported"]
    assert all(s["title"].startswith("weak: supported") for s in page.all("span", "weak"))
    assert page.texts["p.legend"].startswith("≈ weak: ")


@pytest.mark.parametrize("turn", [1, -1])
def test_a_sentence_that_one_source_carries_is_not_doubted_for_another(turn: int) -> None:
    text = "It is white [1][2]."
    both = [cited(text, text, 1, Support.WEAK), cited(text, text, 2, Support.SUPPORTED)]
    page = shown(text, *both[::turn])
    assert page.all("span", "weak") == []
    assert page.texts["a.cite weak"] == "1≈"
    assert page.texts["a.cite"] == "2"


@pytest.mark.parametrize(
    "text",
    ["# It is white [1].", "| a | b [1] |\n|---|---|\n| It is | white [1] |", "- - It is [1]."],
)
def test_marking_a_doubt_leaves_the_form_of_the_text_alone(text: str) -> None:
    plain = shown(text)
    first = text.splitlines()[0]
    doubted = shown(text, cited(text, first, 1, Support.WEAK))
    tags = [tag for tag, attributes in plain.elements if attributes.get("class") != "host"]
    assert [t for t, a in doubted.elements if t != "span"][: len(tags)] != []
    for tag in ("h1", "table", "th", "td"):
        assert len(doubted.all(tag)) == len(plain.all(tag))


def test_what_stands_in_code_is_no_marker() -> None:
    page = shown("`x[1]` and\n\n```py\ny[1]\n```\n\n    z[1]\n\n[1]: x[9] [2]")
    assert page.texts["code"] == "x[1]z[1]\n"
    assert page.texts["code.language-py"] == "y[1]\n"
    assert "x[9]" in page.text
    assert "\u2cf9" not in page.text


def test_code_that_the_citation_check_does_not_take_for_code_comes_back_as_it_was() -> None:
    page = shown("- ```a[1]\n  y[1]\n  ```")
    assert page.texts["code.language-a[1]"] == "y[1]\n"


@pytest.mark.parametrize("span", [(7, 16), (0, 8), (7, 8)])
def test_a_sentence_that_begins_or_ends_inside_a_marker_doubles_nothing(
    span: tuple[int, int],
) -> None:
    page = shown("It is [1] white.", Citation(1, "", *span, Support.WEAK))
    assert page.texts["div.answer"].strip() == "It is 1≈ white."


def test_of_sentences_that_overlap_only_the_first_is_marked() -> None:
    spans = ((4, 9), (0, 5), (5, 8))
    citations = tuple(Citation(1, "", *span, Support.WEAK) for span in spans)
    end = answered("one two three", (A,), citations)
    assert [span for span, _ in doubted_sentences(end)] == [(0, 5), (5, 8)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<script>alert(1)</script>", "<script>alert(1)</script>"),
        ("<img src=x onerror=y>", "<img src=x onerror=y>"),
        ("![an *image*](https://x.example/y.png)", "an image"),
        ("[![i](https://x.example/y)](https://z.example)", "i"),
        ("[a](javascript:alert(1))", "a"),
        ("[a](mailto:x@y.example)", "a"),
        ("[a](//x.example)", "a"),
        ("<mailto:x@y.example>", "mailto:x@y.example"),
        ("[a]: ftp://x.example\n\n[a] b", "[a]: ftp://x.example\n[a] b"),
        ("&lt;b&gt; &amp;", "<b> &"),
    ],
)
def test_what_a_model_may_not_write_becomes_text(text: str, expected: str) -> None:
    assert shown(text).texts["div.answer"].strip().replace("*", "") == expected


def test_a_link_of_an_answer_without_sources_says_where_it_would_lead_and_leads_nowhere() -> None:
    page = Page(
        as_html(
            only(answered("[a **b**](https://x.example/?a=1&b=2 'title') c <https://y.example>"))
        )
    )
    assert not page.all("a")
    assert "a b (https://x.example/?a=1&b=2) c https://y.example" in page.texts["div.answer"]


def test_an_answer_with_sources_links_to_nothing_else() -> None:
    page = shown(
        "[a](https://x.example/) <https://a.example/page> [c][r]\n\n[r]: https://z.example"
    )
    hosts = {a["href"].split("/")[2] for a in page.all("a") if a["href"].startswith("http")}
    assert hosts == {"a.example"}


def test_a_hostile_question_title_and_source_are_text() -> None:
    hostile = "</title><script>x</script>\"'><img src=x>"
    source = Source(1, 'https://a.example/"><script>', hostile, hostile)
    end = answered("x [1]", (source,), (Citation(1, "x [1]", 0, 5, Support.WEAK, hostile),))
    record = conversation(exchange(1, hostile, end, command=hostile, quote=hostile), title=hostile)
    page = harmless(as_html(record))
    assert page.texts["h1"] == page.texts["h2"] == page.texts["title"] == hostile


def test_half_a_surrogate_pair_can_be_written() -> None:
    assert "a ? b" in as_html(only(answered("a \ud800 b"))).encode().decode()


def test_citations_of_a_broken_record_do_no_harm() -> None:
    ends = (Citation(1, "x", 3, 900, Support.WEAK), Citation(1, "x", 5, 2, Support.WEAK))
    page = shown("It is [1] white.", *ends)
    assert page.texts["div.answer"].strip().startswith("It is 1")
    end = answered("ab cd [1]", (A,), (Citation(1, "", 0, 5, Support.WEAK), *ends))
    assert doubted_sentences(end) == (((0, 5), Support.WEAK),)


def test_a_marker_far_from_any_sentence_of_its_source_is_not_known() -> None:
    text = "It is white." + " And so on." * 5 + " [1]"
    end = answered(text, (A,), (Citation(1, "It is white.", 0, 12, Support.WEAK, "q"),))
    (marker,) = markers_of(end)
    assert (marker.citation, marker.url) == (None, A.url)


_PIECES = st.sampled_from(
    (
        *(
            "![",
            "[",
            "]",
            "](",
            "](https://x.example)",
            "]: ",
            "[1]",
            "[2]",
            "[1][2]",
            "<b>",
            "x:y",
        ),
        *("\\", "`", "```", "~~~", "\n", "\n\n", "    ", "- ", "> ", "| ", "|-|", "# ", "**", "_"),
        *("word", " ", ".", "\u2cf9", "\u2cfb", "&", "javascript:", "a.example"),
    )
)


@settings(deadline=None)
@given(
    st.lists(_PIECES, max_size=25).map("".join),
    st.lists(st.tuples(st.integers(0, 60), st.integers(0, 30), st.sampled_from(Support))),
)
def test_no_answer_makes_a_broken_or_harmful_page(
    text: str, places: list[tuple[int, int, Support]]
) -> None:
    citations = tuple(
        Citation(1 + i % 2, "", start, start + length, support, "a quote")
        for i, (start, length, support) in enumerate(places)
    )
    page = shown(text, *citations)
    assert not {"\u2cfa", "\u2cfc", "\u2cfe"} & set(page.text)


def as_record(text: str) -> ConversationRecord:
    return conversation(exchange(1, text, quote=text, command=text), title=text)


@settings(deadline=None)
@given(st.text(max_size=60))
def test_no_question_makes_a_broken_or_harmful_page(text: str) -> None:
    harmless(as_html(as_record(text or "q")))
