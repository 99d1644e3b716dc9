"""An answer's sources numbered from 1: in the order in which it cites them, every character and place kept."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.citations.markdown.answer_markers import numbered_from_one, numbers_in
from askance.citations.markdown.grammar import markers
from askance.domain.evidence import Citation, Source, Support


def sources(*numbers: int) -> tuple[Source, ...]:
    return tuple(Source(n, f"https://p{n}.example/", f"P{n}", f"p{n}.example") for n in numbers)


@pytest.mark.parametrize(
    ("text", "known", "shown"),
    [
        ("It is white [12]. Lit [7][12].", (7, 9, 12), "It is white [1]. Lit [2][1]."),
        ("As it was [1][2].", (1, 2), "As it was [1][2]."),
        ("From ten on [10], then [9].", tuple(range(1, 12)), "From ten on [1], then [2]."),
        ("Code `a[7]` stays [7].", (7,), "Code `a[7]` stays [1]."),
        # A bracket that names no source now must not name one afterwards.
        ("See [1], says [7].", (7,), "See [1], says [7]."),
        ("Nothing is cited.", (5, 6), "Nothing is cited."),
    ],
)
def test_markers_are_numbered_in_the_order_of_their_first_places(
    text: str, known: tuple[int, ...], shown: str
) -> None:
    assert numbered_from_one(text, sources(*known), ()).text == shown


def test_sources_follow_the_numbers_and_the_uncited_ones_come_last() -> None:
    numbered = numbered_from_one("A [9]. B [4].", sources(4, 6, 9), ())
    assert [(s.n, s.host) for s in numbered.sources] == [
        (1, "p9.example"),
        (2, "p4.example"),
        (3, "p6.example"),
    ]
    assert numbers_in("[6] says 1, [9] says 2, [70] is none.", numbered.numbers) == (
        "[3] says 1, [1] says 2, [70] is none."
    )


@given(
    st.lists(st.integers(3, 130), min_size=1, max_size=12),
    st.sampled_from(["It turns", "äöü", "*so*"]),
)
def test_each_citation_still_bounds_its_sentence(cited: list[int], words: str) -> None:
    sentences = [f"{words} {i} [{n}]." for i, n in enumerate(cited)]
    text = " ".join(sentences)
    citations: list[Citation] = []
    for n, sentence in zip(cited, sentences, strict=True):
        start = text.index(sentence)
        citations.append(Citation(n, sentence, start, start + len(sentence), Support.WEAK))
    numbered = numbered_from_one(text, sources(*sorted(set(cited))), citations)
    known = {source.n for source in numbered.sources}
    assert known == set(range(1, len(set(cited)) + 1))
    for i, (new, marker) in enumerate(
        zip(numbered.citations, markers(numbered.text, known), strict=True)
    ):
        assert numbered.text[new.start : new.end] == new.sentence == f"{words} {i} [{new.n}]."
        assert marker.n == new.n
