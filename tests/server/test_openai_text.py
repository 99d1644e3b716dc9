"""What a streamed answer shows leads nowhere but to its sources, however it comes in pieces."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.citations.markdown.grammar import viewer
from askance.domain.conversation import Outcome, Usage
from askance.domain.events import Answered
from askance.domain.evidence import Citation, Source, Support
from askance.server.openai_text import LinkedStream, cut_to, footer, is_same_text, shown

ONE = Source(1, "http://light.example/history", "The lighthouse", "light.example")
TWO = Source(2, "file:///home/ada/notes.txt", "Notes", "")
SOURCES = (ONE, TWO)
HOSTILE = (
    "[x](http://evil.example)", "![x](http://evil.example/i.png)", "<a href='http://evil.example'>",
    "http://evil.example/a", "<http://evil.example>", "[x]: http://evil.example\n", "[x][1]", "[x\n",
    "](http://evil.example)", "`", "``", "```\n", "~~~\n", "\n", "\n\n", "\\", "[1]", "[1, 2]", "- ",
    "    ", "\t", "> ", "word ", "[", "]", "(", ")", "<img src=http://evil.example>", "www.evil.example", "| ",
)  # fmt: skip


def streamed(*pieces: str) -> LinkedStream:
    stream = LinkedStream(SOURCES)
    reports = [stream.add(piece) for piece in pieces]
    reports.append(stream.close())
    assert "".join(reports) == stream.text
    return stream


def addresses(text: str) -> set[str]:
    """All that a viewer would lead to, or load."""
    return {
        str(token.attrs.get("href") or token.attrs.get("src") or token.content)
        for block in viewer().parse(text)
        for token in (block, *(block.children or ()))
        if token.type in {"link_open", "image", "html_inline", "html_block"}
    }


@given(st.lists(st.sampled_from(HOSTILE), max_size=24), st.integers(1, 7))
def test_a_streamed_text_leads_to_its_sources_alone(pieces: list[str], step: int):
    text = "".join(pieces)
    stream = streamed(*(text[i : i + step] for i in range(0, len(text), step)))
    assert {url for url in addresses(stream.text) if "evil" in url} == set()


@pytest.mark.parametrize("step", [1, 3, 1000])
def test_markers_become_links_and_annotations(step: int):
    text = "It was built in 1871 [1]. It is high [1][2], they say.\n\n```\na[1](b)\n```\nEnd [7]."
    stream = streamed(*(text[i : i + step] for i in range(0, len(text), step)))
    link = f"[1]({ONE.url})"
    assert stream.text == (
        f"It was built in 1871 {link}. It is high {link}[2], they say.\n\n```\na[1](b)\n```\nEnd."
    )
    spans = [a["url_citation"] for a in stream.annotations]
    assert [stream.text[s["start_index"] : s["end_index"]] for s in spans] == [link, link]
    assert {s["url"] for s in spans} == {ONE.url}


def test_the_check_is_told_to_the_annotations():
    stream = streamed("It was built in 1871 [1].")
    stream.judge([Citation(1, "It was built.", 0, 21, Support.WEAK, "built in 1871")])
    (annotation,) = stream.annotations
    assert annotation["url_citation"]["support"] == "weak"


def answered(text: str, *citations: Citation) -> Answered:
    return Answered(text, SOURCES, citations, Outcome.WEB, 1, Usage(), (), 0)


def test_a_checked_answer_opens_its_pages_at_the_quotes():
    text = "It was built in 1871 [1]. So it is old [2]."
    cited = Citation(1, text[:21], 0, 21, Support.SUPPORTED, "built in 1871")
    end = answered(text, cited, Citation(2, text[26:], 26, 42, Support.WEAK, "old"))
    made = shown(end)
    url = f"{ONE.url}#:~:text=built%20in%201871"
    assert made.text == f"It was built in 1871 [1]({url}). So it is old [2]≈."
    (annotation,) = made.annotations
    reported = annotation["url_citation"]
    assert made.text[reported["start_index"] : reported["end_index"]] == f"[1]({url})"
    assert (reported["title"], reported["support"]) == ("The lighthouse", "supported")
    below = footer(end)
    assert f"[The lighthouse]({url})" in below
    assert "[2]≈ Notes" in below
    assert "file:" not in made.text + below, "where a file lies is nobody's matter"


def test_a_text_is_cut_behind_a_word_and_links_cost_nothing():
    text = (
        "The lighthouse [1](http://light.example/a/very/long/address/of/a/page) is very old indeed."
    )
    assert cut_to(text, 0) == (text, False)
    assert cut_to(text, 1000) == (text, False)
    cut, is_cut = cut_to(text, 6)
    assert is_cut
    assert text.startswith(cut)
    assert cut.endswith("page)")


def test_the_same_text_is_known_whatever_its_markers():
    text = "The lighthouse was built in 1871 by Clara Whitlow [1] and it is tall."
    assert is_same_text(text, text.replace(" [1]", ""))
    assert not is_same_text(text, "The language model gave no usable answer. These are passages.")
