"""What holds for every answer, however odd, and however long."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from askance.citations.check.checking import check_citations
from askance.citations.markdown.answer_markers import lift_markers
from askance.citations.markdown.grammar import code_spans, markers
from askance.citations.markdown.safe_markdown import own_links_only
from askance.domain.evidence import Extract, ExtractKind, Support
from call_counts import count_calls
from sampled import examples, sampled

FACTS = [
    "The Eiffel Tower was built from 1887 to 1889.",
    "The Forth Bridge was opened on 4 March 1890.",
    "The Corinth Canal is 6.4 kilometres long.",
    "Around 4,600 workers built the bridge in Scotland.",
    "东京塔于1958年建成。",
    "No freighter uses the canal.",
]
EXTRACTS = [
    Extract(i % 4 + 1, ExtractKind.PASSAGE, " ".join(FACTS[i:] + FACTS[:i])) for i in range(5)
]
KNOWN = frozenset(extract.n for extract in EXTRACTS)

pieces = st.sampled_from(
    [
        *FACTS, "[1]", "[2]", " [3]", "[9]", "[1, 2]", "[2-7]", "【1】", "[^1]", "[Source 2]", "[[1]]",
        "[1](http://a.example)", "[a](http://a.example)", "![", "](x)", "[", "]", "(", ")", "**", "*", "_",
        "`", "```", "~~~", "\n", "\n\n", " ", "  ", "- ", "1. ", "> ", "# ", "|", ".", "!", "?", "。", "...",
        ",", ":", ";", "1", "2019", "U.S.", "word", "Paris", "not", "\\", "<sup>", "</sup>", "^", "†", "http://a",
        "Sources:", "\t", "\u00a0", "é", "東", "“", "”", "\r", "\u2028", "—", "-", "&", "and", "\x00",
    ]
)  # fmt: skip
answers = st.one_of(
    st.lists(pieces, max_size=14).map("".join),
    st.text(max_size=60),
    st.text("[]()1 .a\n*`:", max_size=40),
)


@examples(150)
@example("[99]1]")
@example("[[99]1]")
@example("foo [1][](q)(y)")
@example("`[a](`)[1]`")
@example("东京塔于1958年建成。[a](http://a.example)The Corinth Canal is 6.4 kilometres long.")
@example("东京塔于1958年建成。[a](http://a.example)The Corinth Canal is 6.4 kilometres long.?")
@example("【1】 _http://aThe Corinth Canal is 6.4 kilometres long.é")
@example("【1】\n_http://aThe Corinth Canal is 6.4 kilometres long.é")
@given(answers)
def test_checking_what_was_checked_changes_nothing(answer: str):
    once = check_citations(answer, EXTRACTS)
    twice = check_citations(once.text, EXTRACTS)
    assert twice.text == once.text
    assert (twice.added, twice.removed, twice.moved) == (0, 0, 0)
    assert [(c.n, c.support) for c in twice.citations] == [(c.n, c.support) for c in once.citations]


@examples(100)
@given(answers)
def test_text_outside_of_markers_stays(answer: str):
    text = check_citations(answer, EXTRACTS).text
    bare = own_links_only(answer, ())
    before, after = lift_markers(bare, KNOWN).text, lift_markers(text, KNOWN).text
    assert "".join(after.split()) == "".join(before.split())


@examples(100)
@given(answers)
def test_markers_offsets_and_quotes_are_true(answer: str):
    checked = check_citations(answer, EXTRACTS)
    code = code_spans(checked.text)
    found = markers(checked.text, KNOWN)
    assert not any(start <= marker.start < end for start, end in code for marker in found)
    assert Counter(c.n for c in checked.citations) <= Counter(marker.n for marker in found)
    for citation in checked.citations:
        assert checked.text[citation.start : citation.end] == citation.sentence
        assert f"[{citation.n}]" in citation.sentence
        end = citation.quote_offset + len(citation.quote)
        texts = [extract.text for extract in EXTRACTS if extract.n == citation.n]
        assert any(text[citation.quote_offset : end] == citation.quote for text in texts)


@examples(40)
@given(st.permutations(list(enumerate(FACTS))), st.data())
def test_no_marker_is_lost_from_a_supported_sentence(
    order: list[tuple[int, str]], data: st.DataObject
):
    numbers = [data.draw(st.sampled_from(sorted(KNOWN))) for _ in order]
    answer = " ".join(
        f"{fact[:-1]} [{n}]{fact[-1]}" for (_, fact), n in zip(order, numbers, strict=True)
    )
    checked = check_citations(answer, EXTRACTS)
    assert [citation.n for citation in checked.citations] == numbers
    assert {citation.support for citation in checked.citations} == {Support.SUPPORTED}


@examples(60)
@given(st.lists(st.text(max_size=80), max_size=4), st.text(max_size=80))
def test_any_evidence_and_any_answer_go_through(texts: list[str], answer: str):
    extracts = [Extract(i + 1, ExtractKind.SNIPPET, text, text) for i, text in enumerate(texts)]
    checked = check_citations(answer + " [1][2]", extracts, titles={1: answer})
    assert {citation.n for citation in checked.citations} <= set(range(1, len(texts) + 1))


LINEAR = 2.1
"""At most 2.02 was counted."""
CHARACTERS = 2_000
DEEP = ("1. ", "> ")
"""Units that are nested: only four thousand characters, and twice as many, go as deep as is allowed."""
LIGHTHOUSES = [
    Extract(
        n, ExtractKind.PASSAGE, "The lighthouse was built in 1871 by Clara Whitlow. " * 8, "", 0
    )
    for n in (1, 2, 3)
]
UNITS = (
    "x [1] ", "[1], ", "a\n", "1. ", "- a\n", "`a` ", "`a`\n", "[", "![", "**[1]**", "[1](", "<sup>1</sup>", "| a | b [1] |\n",
    "> ", "A. ", "1,000 ", "not ", "The lighthouse was built in 1871 [2]. ", "[1", "[a](", "[[1](a)", "**", "`", "a`", "U.S.", "é",
    "東", "(", "Ab ", "|",
)  # fmt: skip


def calls_of(text: str) -> int:
    return count_calls(lambda: check_citations(text, LIGHTHOUSES))


@pytest.mark.exhaustive
@pytest.mark.parametrize("unit", sampled(UNITS, every=3))
def test_twice_the_answer_takes_twice_the_calls(unit: str) -> None:
    characters = 2 * CHARACTERS if unit in DEEP else CHARACTERS
    calls_of(unit)  # what is made once is made now
    once = calls_of(unit * (characters // len(unit)))
    twice = calls_of(unit * (2 * characters // len(unit)))
    assert twice <= LINEAR * once + 500, (once, twice)
