"""Whether texts have one origin: measured on the pages of the sample web, and on copies made of them."""

from __future__ import annotations

import re
from itertools import combinations

import pytest

from askance.sample_web.sample_pages import FileFormat, SamplePage, load_library
from askance.text.ranking.origins import SHORTEST_QUOTE_WORDS, ComparedText, have_one_origin

# What the sample web has of copies: two reports of a newspaper in the news, and an archive of the museum's pages.
COPIES = {
    ("coastwire.example/hesperay-ferry-batteries", "gazette.hesperay.example/ferry-batteries-2023"),
    ("coastwire.example/petrel-census", "gazette.hesperay.example/petrel-census-2023"),
    ("hesperay-archive.example/good-intent", "museum.hesperay.example/good-intent"),
    ("hesperay-archive.example/marrin-sela", "museum.hesperay.example/sela-marrin"),
}
REPORT = (
    "The Gazette has learned that the ferry Good Intent will be sold to a yard on the mainland. The council of Kelhaven"
    " had hoped to keep her as a museum beside the old Customs House.\n\n"
    "Her last crossing was on 14 March 2021 with 140 people and a brass band on board. Nobody has counted the miles that"
    " she made in the forty years before."
)
SAID = "Her last crossing was on 14 March 2021 with 140 people and a brass band on board."


def pages() -> list[SamplePage]:
    return [page for page in load_library().documents.values() if not page.missing]


def text_of(page: SamplePage) -> str:
    return page.text if page.form is FileFormat.HTML else page.body


def made_copies(text: str) -> dict[str, str]:
    """Return what becomes of a text elsewhere: another headline, cut in two ways, more around it."""
    lines = [line for line in text.splitlines() if line.strip()]
    half = max(1, len(lines) // 2)
    more = (
        "The weather stays fine for the boats this week, says the club of those who count the rain."
    )
    return {
        "headline": "\n\n".join(["# What they say on the mainland today", *lines[1:]]),
        "cut": "\n\n".join(lines[:half]),
        "end": "\n\n".join(lines[half:]),
        "longer": "\n\n".join([more, *lines, more]),
    }


def test_of_all_pages_of_the_sample_web_only_its_copies_are_copies() -> None:
    texts = {page.url.removeprefix("http://"): ComparedText(text_of(page)) for page in pages()}
    found = {(a, b) for a, b in combinations(sorted(texts), 2) if texts[a].is_copy_of(texts[b])}
    assert found == COPIES


def test_what_is_made_of_a_page_elsewhere_is_a_copy_of_it() -> None:
    missed: list[tuple[str, str]] = []
    for page in pages():
        original = ComparedText(text_of(page))
        if original.words >= 40:
            made = {kind: ComparedText(text) for kind, text in made_copies(text_of(page)).items()}
            missed += [
                (page.url, kind)
                for kind, text in made.items()
                if text.words and not text.is_copy_of(original)
            ]
    assert missed == []


@pytest.mark.parametrize("name", ["Coastwire", "The Harbour Daily", "This paper"])
def test_the_name_of_another_site_makes_no_other_text_of_it(name: str) -> None:
    copied = REPORT.replace("The Gazette", name)
    assert ComparedText(copied).is_copy_of(ComparedText(REPORT))


@pytest.mark.parametrize(
    "other",
    [
        # The same facts in other words.
        "On 14 March 2021 the Good Intent crossed for the last time, and 140 passengers went with her. A yard on the"
        " mainland buys the ferry, though Kelhaven's councillors wanted a museum ship.",
        # The same form of words about another ship.
        re.sub("Good Intent|Kelhaven|Customs", "Wilhelmina", REPORT)
        .replace("140", "62")
        .replace("14 March", "2 May"),
        "",
        "Sold.",
    ],
    ids=["own words", "another ship", "nothing", "a word"],
)
def test_who_agrees_in_own_words_or_tells_of_another_thing_is_independent(other: str) -> None:
    one, two = ComparedText(REPORT), ComparedText(other)
    assert not one.is_copy_of(two)
    assert not have_one_origin(one, two, [(SAID, other[:120])])


def test_a_sentence_that_both_have_word_for_word_is_a_quotation() -> None:
    quoting = ComparedText(
        f"We went to see what is left of the old boats, and were told this: {SAID} The rest of the day we spent in"
        " the sun, far from the harbour and its smell of diesel and rope."
    )
    report = ComparedText(REPORT)
    sold, away = (
        REPORT.partition(". ")[0],
        "They are gone from here for good, as all of us knew they would.",
    )
    assert not quoting.is_copy_of(report)
    assert have_one_origin(report, quoting, [(SAID, SAID)])
    # To another claim each has words of its own.
    assert not have_one_origin(report, quoting, [(SAID, SAID), (sold, away)])
    assert not have_one_origin(report, quoting)


def test_a_short_sentence_tells_nothing() -> None:
    short = "It has 148 steps and no lift."
    assert len(short.split()) < SHORTEST_QUOTE_WORDS
    one = ComparedText(f"{short} Bring your own lamp.")
    assert not have_one_origin(one, ComparedText(f"{short} Dogs wait below."), [(short, short)])


def test_a_quote_with_another_number_is_no_quotation() -> None:
    changed = SAID.replace("140", "410")
    assert not ComparedText(REPORT).states(changed)
    assert ComparedText(REPORT).states(SAID)
