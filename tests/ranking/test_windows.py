"""Windows of whole sentences, as long as told, each beginning with the end of the one before."""

from __future__ import annotations

from itertools import pairwise

import pytest

from askance.domain.web_pages import Page, PageStatus
from askance.engine.prompts import ContextBudget
from askance.text.languages.sentences import sentence_spans
from askance.text.ranking.scoring import FoundPage
from askance.text.ranking.sentence_windows import (
    LEAST_TOKENS,
    MOST_OVERLAP,
    MOST_TOKENS,
    RankedWindow,
    Window,
    _cuts,
    rank_windows,
)

COST = ContextBudget(8192, 0).cost
ENGLISH = " ".join(
    f"The keeper of tower {i} wrote {i} pages about the storms of spring." for i in range(120)
)
GERMAN = " ".join(
    f"Der Wärter des Turms {i} schrieb {i} Seiten über die Stürme." for i in range(120)
)
CHINESE = "".join(f"第{i}座灯塔的看守人在春天写下了关于风暴的记录。" for i in range(120))
UNBROKEN = "灯" * 4000
ANSWER = "Clara Whitlow built the Lindmouth lighthouse in 1871."


def found(url: str, markdown: str, *, is_read: bool = True) -> FoundPage:
    page = Page(url, PageStatus.OK, title="Towers", markdown=markdown)
    return FoundPage(page, ("q",), is_read=is_read)


def ranked(*pages: FoundPage) -> list[RankedWindow]:
    return rank_windows("Who built the Lindmouth lighthouse?", pages, COST)


def cut_windows(text: str) -> list[Window]:
    return [cut.window for cut in _cuts(text, COST)]


@pytest.mark.parametrize("text", [ENGLISH, GERMAN, CHINESE], ids=["en", "de", "zh"])
def test_windows_are_of_whole_sentences_and_overlap(text: str) -> None:
    windows = cut_windows(text)
    spans = sentence_spans(text)
    starts, ends = {start for start, _ in spans}, {end for _, end in spans}
    assert len(windows) > 2
    assert all(w.start in starts and w.end in ends for w in windows)
    sizes = [COST(text[w.start : w.end]) for w in windows]
    assert all(LEAST_TOKENS <= size <= MOST_TOKENS for size in sizes[:-1])
    assert (windows[0].start, windows[-1].end) == (0, len(text))
    for before, after in pairwise(windows):
        shared = COST(text[after.start : before.end])
        assert 0 < shared <= 1.1 * MOST_OVERLAP * MOST_TOKENS


def test_what_has_no_sentences_is_cut_all_the_same_and_nothing_is_lost() -> None:
    windows = cut_windows(UNBROKEN)
    assert all(COST(UNBROKEN[w.start : w.end]) <= MOST_TOKENS for w in windows)
    assert {i for w in windows for i in range(w.start, w.end)} == set(range(len(UNBROKEN)))


def test_a_window_stays_below_its_heading_unless_that_has_next_to_nothing() -> None:
    short = "It opens at nine."
    text = f"# Birds\n\n{ENGLISH[:900]}\n\n# Fish\n\n{ENGLISH[900:1800]}\n\n# Hours\n\n{short}\n\n# Way\n\nBy bus."
    windows = cut_windows(text)
    assert [w.heading for w in windows] == ["Birds", "Fish", "Hours"]
    assert "By bus." in text[windows[2].start : windows[2].end]


def test_an_empty_page_has_none() -> None:
    assert cut_windows("# Only a heading\n\n") == []


def test_the_window_that_tells_it_comes_first() -> None:
    text = f"{ENGLISH}\n\n{ANSWER}\n\n{ENGLISH}"
    best = ranked(found("https://a.example/", ENGLISH), found("https://b.example/", text))[0]
    assert best.found.page.url == "https://b.example/"
    assert ANSWER in best.text


@pytest.mark.parametrize("number", range(40, 60, 3))
def test_the_best_window_has_what_was_asked_for_in_its_middle(number: int) -> None:
    place = sentence_spans(ENGLISH)[number][0]
    text = f"{ENGLISH[:place]}{ANSWER} {ENGLISH[place:]}"
    best = ranked(found("https://a.example/", text))[0]
    ahead, _, behind = best.text.partition(ANSWER)
    assert min(COST(ahead), COST(behind)) > LEAST_TOKENS / 3
    assert LEAST_TOKENS <= COST(best.text) <= MOST_TOKENS


def test_a_moved_window_stays_below_its_heading() -> None:
    text = f"# Storms\n\n{ENGLISH[:2000]}\n\n# Towers\n\n{ANSWER} {ENGLISH[:3000]}"
    best = ranked(found("https://a.example/", text))[0]
    assert best.window.heading == "Towers"
    assert best.text.startswith(ANSWER)


def test_of_two_pages_that_say_it_the_first_of_the_search_comes_first() -> None:
    urls = ["https://z.example/", "https://a.example/"]
    assert [r.found.page.url for r in ranked(*(found(url, ANSWER) for url in urls))] == urls


def test_what_a_search_showed_comes_behind_what_was_read() -> None:
    shown = found("https://a.example/", ANSWER, is_read=False)
    windows = ranked(shown, found("https://z.example/", f"{ENGLISH[:600]} {ANSWER}"))
    assert windows[0].found.page.url == "https://z.example/"
    assert windows[-1].found is shown


def test_the_subject_counts_though_most_pages_that_were_found_speak_of_it() -> None:
    subject, other = "The Lindmouth lighthouse stands by the sea.", "Gulls cry over the sand."
    text = f"{subject} Its keeper was Whitlow."
    texts = [text, *[subject] * 6, other, other, "Gulls were the last to cry over it."]
    pages = [found(f"https://{n}.example/", text) for n, text in enumerate(texts)]
    best = rank_windows("the last Lindmouth lighthouse", pages, COST)[0]
    assert "Lindmouth" in best.text
