"""What enters the evidence: the best of all pages, nothing twice, never more than is paid for."""

from __future__ import annotations

import random
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.domain.evidence import Passage
from askance.text.ranking.index_terms import query_terms, terms
from askance.text.ranking.scoring import (
    SHORTEST_COPY_WORDS,
    Budget,
    FoundPage,
    PassageSelector,
    Selection,
    containment,
    shingles,
)
from fakes.reader import page
from sampled import examples

QUESTION = "When was the lighthouse at Kelhaven built?"
PLENTY = Budget(10_000)
NEAR_COPY = 0.8

_WORDS = [
    "lighthouse",
    "Kelhaven",
    "built",
    "harbour",
    "storm",
    "keeper",
    "ferry",
    "island",
    "winter",
    "boats",
    "granite",
    "lamp",
    "tower",
    "stone",
    "pier",
    "council",
    "school",
    "bread",
    "wool",
    "birds",
    "census",
    "walk",
    "hill",
    "sound",
    "mill",
]


def paragraph(seed: int, length: int = 60) -> str:
    """Sixty words or so that no other seed gives in this order."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    return " ".join(["The", *chance.choices(_WORDS, k=length)]) + "."


def count(text: str) -> int:
    return len(text.split())


def found(url: str, *paragraphs: str, title: str = "", queries: tuple[str, ...] = ()) -> FoundPage:
    return FoundPage(page(url, "\n\n".join(paragraphs), title), queries)


def selector(question: str = QUESTION, near_copy: float = NEAR_COPY) -> PassageSelector:
    return PassageSelector(question, max_words=200, near_copy=near_copy)


def choose(pages: list[FoundPage], budget: Budget = PLENTY, question: str = QUESTION) -> Selection:
    return selector(question).select(pages, budget, count)


_PAGES = st.lists(
    st.lists(
        st.tuples(st.integers(0, 30), st.sampled_from([3, 9, 25, 60])), min_size=1, max_size=8
    ),
    min_size=1,
    max_size=5,
).map(
    lambda shapes: [
        found(
            f"https://p{n}.example/",
            *(paragraph(*shape) for shape in shapes),
            title=f"Page {n}",
            queries=("lighthouse keeper",) if n % 2 else (),
        )
        for n, shapes in enumerate(shapes)
    ]
)


def test_the_passage_that_answers_comes_first() -> None:
    answer = "The lighthouse at Kelhaven was built in 1867 of granite from the island."
    other = "The bakery at the harbour opens at six and sells bread, wool and coffee to walkers."
    chosen = choose([found("https://a.example/", other), found("https://b.example/", answer)])
    assert chosen.passages[0].text == answer
    assert chosen.passages[0].url == "https://b.example/"


def test_a_passage_knows_its_page_its_heading_its_place_and_its_query() -> None:
    text = "# History\n\nThe lighthouse at Kelhaven was built in 1867."
    source = FoundPage(
        page("https://a.example/", text, "Kelhaven"), ("kelhaven lighthouse", "other")
    )
    assert choose([source]).passages == (
        Passage(
            "https://a.example/",
            "Kelhaven",
            "The lighthouse at Kelhaven was built in 1867.",
            text.index("The lighthouse"),
            "History",
            "kelhaven lighthouse",
        ),
    )


def test_what_shares_no_word_with_the_question_is_no_evidence() -> None:
    assert choose([found("https://a.example/", "Bread and coffee from six.")]).passages == ()


def test_the_query_that_found_a_page_counts_too() -> None:
    text = "Abel Moss kept the lamp for forty years."
    assert choose([found("https://a.example/", text)]).passages == ()
    chosen = choose([found("https://a.example/", text, queries=("Abel Moss lamp",))])
    assert [p.text for p in chosen.passages] == [text]


ABOUT = [
    f"The lighthouse at Kelhaven was {seen} by {who}, and {what} was heard of it for years."
    for seen, who, what in (
        ("sketched", "the keeper of the island museum", "not a word"),
        ("inspected", "three gentlemen of the harbour board", "nothing good"),
        ("completed", "Sela Marrin in the autumn of 1867", "much praise"),
        ("repainted", "two sailors who owed money", "some laughter"),
    )
]


def shown_by(*snippets: str) -> list[str]:
    """The paragraphs in the order in which they are chosen, of a page shown with such snippets."""
    source = FoundPage(page("https://a.example/", "\n\n".join(ABOUT)), (), snippets)
    one = PassageSelector("lighthouse Kelhaven", max_words=20, near_copy=NEAR_COPY)
    return [passage.text for passage in one.select([source], PLENTY, count).passages]


@pytest.mark.parametrize("place", range(len(ABOUT)))
def test_the_place_that_the_snippet_shows_comes_first(place: int) -> None:
    assert shown_by(ABOUT[place])[0] == ABOUT[place]


@pytest.mark.parametrize(
    ("snippets", "first"),
    [
        ((), 0),
        (("... completed by Sela Marrin in the aut",), 2),
        (("Opening hours and prices of the museum.", ABOUT[1]), 1),
        (("Opening hours and prices of the museum.", "", "lamp"), 0),
    ],
    ids=["none", "cut in mid-sentence", "one of several", "of something else"],
)
def test_a_snippet_tells_the_place_in_part_or_not_at_all(
    snippets: tuple[str, ...], first: int
) -> None:
    assert shown_by(*snippets)[0] == ABOUT[first]


def test_what_only_a_snippet_points_at_does_not_outrank_a_much_better_passage() -> None:
    weak = "The bakery is near the lighthouse, and it opens at six."
    strong = "The lighthouse at Kelhaven was built in 1867."
    pages = [
        FoundPage(page("https://a.example/", weak), (), (weak,)),
        FoundPage(page("https://b.example/", strong), ()),
    ]
    assert [p.text for p in choose(pages).passages] == [strong, weak]


@examples(40)
@given(_PAGES, st.integers(0, 400), st.integers(1, 3))
def test_neither_budget_nor_quota_is_exceeded(
    pages: list[FoundPage], tokens: int, quota: int
) -> None:
    chosen = choose(pages, Budget(tokens))
    assert sum(count(p.text) for p in chosen.passages) <= tokens
    assert len(choose(pages, Budget(10_000, quota)).passages) <= quota


@examples(40)
@given(_PAGES, st.lists(st.integers(0, 250), min_size=1, max_size=3))
def test_no_paragraph_is_taken_twice_in_any_round(
    pages: list[FoundPage], rounds: list[int]
) -> None:
    one = selector()
    taken = [p for tokens in rounds for p in one.select(pages, Budget(tokens), count).passages]
    for a, b in combinations(taken, 2):
        apart = a.offset + len(a.text) <= b.offset or b.offset + len(b.text) <= a.offset
        assert a.url != b.url or apart


@examples(40)
@given(_PAGES)
def test_no_passage_is_a_near_copy_of_one_before_it(pages: list[FoundPage]) -> None:
    passages = choose(pages).passages
    for i, later in enumerate(passages):
        for part in later.text.split("\n\n"):
            if count(part) < SHORTEST_COPY_WORDS:
                continue
            for earlier in passages[:i]:
                assert containment(shingles(part), shingles(earlier.text)) < NEAR_COPY


@examples(40)
@given(_PAGES, st.integers(20, 400), st.randoms(use_true_random=False))
def test_the_order_of_the_pages_does_not_matter(
    pages: list[FoundPage], tokens: int, chance: random.Random
) -> None:
    mixed = list(pages)
    chance.shuffle(mixed)
    assert choose(mixed, Budget(tokens)) == choose(pages, Budget(tokens))


def test_ties_are_settled_by_address() -> None:
    text = "The lighthouse of Kelhaven stands {}."
    pages = [found(f"https://{h}.example/", text.format(h * 3)) for h in "cab"]
    assert [p.url for p in choose(pages).passages] == [f"https://{h}.example/" for h in "abc"]


def test_a_copy_on_another_host_is_set_aside_and_counted() -> None:
    text = "The lighthouse at Kelhaven was built in 1867 of granite by three brothers from Stoll."
    chosen = choose([found("https://a.example/", text), found("https://b.example/", text)])
    assert [p.url for p in chosen.passages] == ["https://a.example/"]
    assert chosen.copies == 1
    assert chosen.dropped == 0


def test_entries_of_one_pattern_are_no_copies_of_each_other() -> None:
    def entry(village: str, year: int) -> str:
        return (
            f"The lighthouse of {village} was built by the council of the island out of grey granite from"
            f" the quarry at the foot of the hill, and its lamp was lit for the first time in {year}."
        )

    first, other = entry("Ord", 1861), entry("Skarne", 1863)
    mirrored = entry("Skarne", 1901)
    texts = {
        "https://a.example/1": first,
        "https://a.example/2": other,
        "https://b.example/": first,
        "https://c.example/": mirrored,
    }
    pages = [found(url, text) for url, text in texts.items()]
    selection = choose(pages, question="lighthouse built granite lamp lit")
    # The mirror that says another year may be the one that is right.
    assert sorted(p.text for p in selection.passages) == sorted([first, other, mirrored])
    assert selection.copies == 1


def test_a_passage_that_does_not_fit_leaves_its_room_to_a_smaller_one() -> None:
    big = f"The lighthouse at Kelhaven was built: {paragraph(1, 100)}"
    small = "The Kelhaven lighthouse is white."
    chosen = choose(
        [found("https://a.example/", big), found("https://b.example/", small)], Budget(40)
    )
    assert [p.text for p in chosen.passages] == [small]
    assert chosen.dropped == 1


def test_what_was_dropped_for_want_of_room_may_enter_in_a_later_round() -> None:
    big = f"The lighthouse at Kelhaven was built: {paragraph(1, 100)}"
    one = selector()
    assert one.select([found("https://a.example/", big)], Budget(40), count).passages == ()
    assert len(one.select([found("https://a.example/", big)], PLENTY, count).passages) == 1


def test_an_earlier_round_is_remembered() -> None:
    pages = [found("https://a.example/", "The lighthouse at Kelhaven was built in 1867, they say.")]
    one = selector()
    assert len(one.select(pages, PLENTY, count).passages) == 1
    again = one.select(pages, PLENTY, count)
    assert again.passages == ()
    assert again.copies == 0
    copy = found("https://b.example/", "The lighthouse at Kelhaven was built in 1867, they say.")
    assert one.select([*pages, copy], PLENTY, count).copies == 1
    assert one.holds("the lighthouse at Kelhaven was built in 1867")
    assert one.holds("lighthouse at Kelhaven was built in 1867, they say. A ferry was")
    assert not one.holds("the lighthouse at Kelhaven was built in 1868, they say")
    assert not one.holds("the ferry was built in Stoll by other people")


def test_short_lines_may_be_alike() -> None:
    pages = [
        found(f"https://{h}.example/", "Lighthouse Kelhaven built 1867.", paragraph(n))
        for n, h in enumerate("ab")
    ]
    chosen = choose(pages)
    assert {p.url for p in chosen.passages} == {"https://a.example/", "https://b.example/"}


def test_evidence_grows_around_a_hit() -> None:
    around = [
        f"It sold bread and wool in week {i} of the {i}th year, as {i} people say."
        for i in range(40)
    ]
    around[20] = (
        "It has a lighthouse, the one at Kelhaven that was built in 1867 by people of Stoll."
    )
    text = "\n\n".join(around)
    chosen = choose([FoundPage(page("https://a.example/", text), ())]).passages
    assert around[20] in chosen[0].text
    taken = sorted(around.index(part) for p in chosen for part in p.text.split("\n\n"))
    assert taken == list(range(taken[0], taken[-1] + 1))
    assert len(taken) > len(chosen[0].text.split("\n\n"))


@pytest.mark.parametrize("near_copy", [0.0, 1.0])
def test_the_threshold_for_copies_may_be_at_either_end(near_copy: float) -> None:
    opening = "The lighthouse at Kelhaven was built"
    pages = [
        found(
            f"https://{h}.example/",
            f"{opening} {paragraph(ord(h)).lower().replace('kelhaven', 'sea')}",
        )
        for h in "ab"
    ]
    chosen = selector(near_copy=near_copy).select(pages, PLENTY, count)
    assert len(chosen.passages) == (2 if near_copy else 1)


BESIDE = [
    "The lamp of the old mole was lit by a keeper who rowed out to it in all weathers.",
    "A ferry leaves for the mole at nine, and comes back before the tide turns in the evening.",
]


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Which colour has the harbour of Larkspur?", "The color of the harbor is that of slate in rain."),
        ("Which organization has the gray catalog?", "The grey catalogue is that of an organisation of readers."),
        ("Which mast is 47 metres?", "One that was raised here is 47m from foot to lantern, and of pine."),
        ("Which mast is 47 m?", "One that was raised here is 47 meters from foot to lantern, and of pine."),
        ("What costs €90?", "A ticket for the season is 90 euros where the keeper sells them."),
    ],
)  # fmt: skip
def test_the_passage_in_the_other_spelling_comes_first(question: str, text: str):
    pages = [
        FoundPage(page(f"https://{i}.example/", each), (question,))
        for i, each in enumerate([*BESIDE, text])
    ]
    chosen = PassageSelector(question).select(pages, Budget(10_000, passages=1), len)
    assert [passage.text for passage in chosen.passages] == [text]


def test_a_question_without_a_unit_keeps_its_terms():
    question = "When was the tower of Skarne, 3 miles off, in 1871 built?"
    assert query_terms("When was the tower built in 1871?") == tuple(
        terms("When was the tower built in 1871?")
    )
    assert set(query_terms(question)) - set(terms(question)) == {"mi", "3mi"}
