"""Numbers as people write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.citations.check.facts import NumberKind, carries, find_numbers, read_facts
from sampled import each_row


@each_row(
    ("source", "claim"),
    [
        ("1,462 people", "1462 people"),
        ("1.462 Menschen", "1462 people"),
        ("1\u202f462 personnes", "1,462 people"),
        ("1,234,567.5", "1234567.5"),
        ("3 million", "3,000,000"),
        ("2,102,650", "2.1 million"),
        ("210万人", "2.1 million"),
        ("three stations", "3 stations"),
        ("twenty-one", "21"),
        ("5 %", "5 percent"),
        ("3.14159", "3.14"),
        ("in 1994", "in the 1990s"),
        ("the 1990s", "the 1990s"),
        ("on 16.07.1966", "1966"),
        ("version 1.2.3", "version 1.2.3"),
        ("the 19th century", "19th"),
        ("１９５８年", "1958"),
        ("30km", "30 km"),
        ("1,500,000 cells", "1.5 \u00d7 10^6 cells"),
        ("1.5 \u00d7 10⁶ cells", "1,500,000 cells"),
        ("1.5·10^6", "1.5 million"),
        ("1,520,000", "1.5 \u00d7 10^6"),
        ("10^5 cells", "100,000 cells"),
        ("0.001 mol", "10⁻³ mol"),
        ("2.5 x 10^\u22123", "0.0025"),
        ("10⁵ cells", "10^5 cells"),
        ("10² of them", "10 of them"),
    ],
)
def test_the_same_number_written_otherwise_is_carried(source: str, claim: str):
    claimed = find_numbers(claim)
    assert claimed
    assert all(carries(find_numbers(source), number) for number in claimed)


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("1,462", "1,463"),
        ("2,180,000", "2.1 million"),
        ("the 1990s", "1994"),
        ("3.1", "3.14"),
        ("about 3", "3.14"),
        ("1984", "the 1990s"),
        ("5", "5 million"),
        ("B52", "52"),
        ("10^5 cells", "105 cells"),
        ("10^5 cells", "5 cells"),
        ("12,000", "1.5 \u00d7 10^6"),
        ("1.5 \u00d7 10^6", "1.5"),
        ("3²", "9"),
        ("", "7"),
    ],
)
def test_another_number_is_not_carried(source: str, claim: str):
    (claimed,) = find_numbers(claim)
    assert not carries(find_numbers(source), claimed)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("1990", NumberKind.YEAR),
        ("1,990", NumberKind.COUNT),
        ("1990s", NumberKind.DECADE),
        ("19 %", NumberKind.PERCENT),
        ("$19", NumberKind.MONEY),
        ("19th", NumberKind.ORDINAL),
        ("1990 million", NumberKind.COUNT),
    ],
)
def test_the_form_of_a_number_tells_its_kind(text: str, kind: NumberKind):
    (number,) = find_numbers(text)
    assert number.kind is kind


@given(st.text("0123456789.,'’ %$smillion-\uff10", max_size=40))
def test_every_number_lies_within_its_text(text: str):
    for number in find_numbers(text):
        assert 0 <= number.start < number.end <= len(text)
        assert number.readings


def test_names_are_capitalised_words_but_not_sentence_openers():
    assert read_facts("However, Marie Curie moved to Paris.").names == {"mari", "curi", "pari"}
    assert read_facts("Founded early, it grew.").names == frozenset()
    assert read_facts("Zorblax won.").opener == "zorblax"


def test_an_iso_date_names_its_month():
    assert "juli" in read_facts("born 1966-07-16").stems
