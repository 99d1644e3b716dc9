"""Each marker gets its citation, however many an answer has."""

from __future__ import annotations

from time import thread_time

from hypothesis import given
from hypothesis import strategies as st

from askance.citations.markdown.answer_markers import REACH
from askance.citations.markdown.grammar import Marker
from askance.domain.evidence import Citation, Support
from askance.ui.overlay.answer.citation_links import assign


def marker(n: int, at: int) -> Marker:
    return Marker(at, at + 3, n)


places = st.integers(0, 60)
citations_ = st.lists(
    st.builds(
        lambda n, start, length: Citation(n, "", start, start + length, Support.WEAK, ""),
        st.integers(1, 3),
        places,
        st.integers(1, 30),
    ),
    max_size=8,
)
markers_ = st.lists(st.builds(marker, st.integers(1, 3), places), max_size=8)


def away(citation: Citation, at: int) -> int:
    return max(citation.start - at, at - citation.end, 0)


@given(markers=markers_, citations=citations_)
def test_a_marker_gets_the_nearest_citation_that_no_other_has_yet(
    markers: list[Marker], citations: list[Citation]
) -> None:
    used: set[int] = set()
    for found, index in zip(markers, assign(markers, citations), strict=True):
        near = [
            (i in used, away(c, found.start), i)
            for i, c in enumerate(citations)
            if c.n == found.n and away(c, found.start) <= REACH
        ]
        assert index == (min(near)[2] if near else None)
        used |= {index} - {None}  # type: ignore[arg-type]


def test_an_answer_with_ten_times_the_citations_takes_no_hundred_times_as_long() -> None:
    def seconds(count: int) -> float:
        markers = [marker(1, 100 * i + 50) for i in range(count)]
        cited = [Citation(1, "", 100 * i, 100 * i + 50, Support.WEAK, "") for i in range(count)]
        began = thread_time()
        assert assign(markers, cited) == list(range(count))
        return thread_time() - began

    assert seconds(5_000) < 40 * max(seconds(500), 0.001)
