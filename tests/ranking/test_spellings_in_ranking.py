"""A page is found in the other spelling of English, and with its units written otherwise."""

from __future__ import annotations

import pytest

from askance.text.ranking.index_terms import query_terms, terms
from askance.text.ranking.scoring import Budget, FoundPage, PassageSelector
from fakes.reader import page

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
