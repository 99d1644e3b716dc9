"""What contradicts a claim, and what only speaks of something else."""

from __future__ import annotations

from askance.citations.check.contradicting import contradicts
from askance.citations.check.support import SupportIndex
from askance.domain.evidence import Extract, ExtractKind
from sampled import each_row

AGAINST = [
    ("The tower is 43 metres high.", "The tower is 34 metres high and of granite."),
    (
        "Abel Moss died in Kelhaven on 19 January 1893.",
        "Moss, Abel, died in Kelhaven on 19 January 1883.",
    ),
    ("Ada Quill was born in Hull in 1871.", "Ada Quill was born in Tarnbeck in 1871."),
    ("The mill was not closed in 1938.", "The mill was closed in 1938."),
    ("The lens weighs 3.9 tonnes.", "The lens weighs 2.9 tonnes and floats on mercury."),
]
NOT_AGAINST = [
    # Of somebody else, of something else, about right, or both may be true.
    ("Ada Quill was born in Hull.", "Tom Reed was born in Tarnbeck."),
    (
        "He was drafted in the second round of the 2003 draft.",
        "Bly was drafted in the second round of the 1999 draft.",
    ),
    ("The crossing takes about 40 minutes.", "The crossing takes 38 minutes in calm weather."),
    ("The tower has 148 steps.", "The tower has four floors and a lamp."),
    ("The tower is 34 metres high.", "The tower is 34 metres high."),
    ("The mill was painted green.", "The mill was painted white."),
    (
        "The lens weighs 3.9 tonnes.",
        "It dropped a boulder of granite on the green, weighing 23 tonnes.",
    ),
]


def is_against(claim: str, quote: str) -> bool:
    index = SupportIndex([Extract(1, ExtractKind.PASSAGE, quote)], {}, "en")
    read = index.read(claim)
    return any(contradicts(read, match) for match in index.match(read).values())


@each_row("claim, quote", AGAINST)
def test_another_number_or_name_or_a_denial_contradicts(claim: str, quote: str) -> None:
    assert is_against(claim, quote)


@each_row("claim, quote", NOT_AGAINST)
def test_what_may_both_be_true_does_not(claim: str, quote: str) -> None:
    assert not is_against(claim, quote)
