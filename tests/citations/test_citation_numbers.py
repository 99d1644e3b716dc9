"""Numbers as people write them. One statement in the other spelling of English, or with its unit written otherwise, is
supported; another value never is.
"""

from __future__ import annotations

import json
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.citations.check.checking import check_citations
from askance.citations.check.facts import NumberKind, carries, find_numbers, read_facts
from askance.domain.evidence import Extract, ExtractKind, Support
from askance.text.ranking.index_terms import terms
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


TABLE: dict[str, Any] = json.loads(Path(__file__).with_name("measures.json").read_text("utf-8"))
SPELLINGS = [tuple(pair.split()) for pair in TABLE["spellings"].split("|")]
EQUAL = [pair for group in TABLE["equal"] for pair in permutations(group, 2)]
UNEQUAL = [pair for pair in TABLE["unequal"] for pair in (pair, pair[::-1])]
BESIDE = Extract(2, ExtractKind.PASSAGE, "Something else was said of the quay in 1999.")


def checked(claim: str, source: str) -> tuple[Support, str]:
    """Return how a claim with a marker is graded, and what becomes of it without one."""
    extracts = [Extract(1, ExtractKind.PASSAGE, source), BESIDE]
    (citation,) = check_citations(f"{claim} [1].", extracts).citations
    return citation.support, check_citations(f"{claim}.", extracts).text


def of_mill(quantity: str) -> str:
    return f"The wheel of the Larkspur mill was rated at {quantity}"


@each_row(("one", "other"), [pair for pair in SPELLINGS for pair in (pair, pair[::-1])])
def test_the_other_spelling_of_english_is_supported_and_gets_its_number(one: str, other: str):
    claim = f"Visitors to Larkspur mention the {one}"
    support, text = checked(claim, f"Visitors to Larkspur mention the {other}, and the quay.")
    assert terms(one) == terms(other)
    assert support is Support.SUPPORTED
    assert text == f"{claim} [1]."


@each_row("pair", TABLE["other words"].split("|"))
def test_words_that_only_look_like_two_spellings_stay_two(pair: str):
    one, other = pair.split()
    assert terms(f"x{one} {one}")[1:] != terms(f"x{other} {other}")[1:]


@each_row(("one", "other"), EQUAL)
def test_what_is_equal_in_value_is_supported_and_gets_its_number(one: str, other: str):
    claim = of_mill(one)
    support, text = checked(claim.removesuffix("."), f"{of_mill(other)}, as the guide says.")
    assert support is Support.SUPPORTED
    assert "[1]" in text


@each_row(("one", "other"), UNEQUAL)
def test_another_value_is_never_supported(one: str, other: str):
    claim = of_mill(one)
    support, text = checked(claim, f"{of_mill(other)}, as the guide says.")
    assert support is not Support.SUPPORTED
    assert text == f"{claim}."


@pytest.mark.parametrize(("claim", "source", "is_equal"), TABLE["elsewhere"])
def test_units_are_read_in_other_languages_too(claim: str, source: str, is_equal: bool):
    support, text = checked(claim, source)
    assert (support is Support.SUPPORTED) is is_equal
    assert (text == f"{claim} [1].") is is_equal


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("The tower of Larkspur has a height of 47 metres", "The tower of Larkspur is 47 m tall."),
        ("The tower of Larkspur is 47 metres high", "The tower of Larkspur has a height of 47 m."),
        ("The route to Larkspur is 12 km long", "The length of the route to Larkspur is 12 km."),
        ("The panel of Larkspur measures 3 by 5 m", "The panel of Larkspur measures 3 m x 5 m."),
        ("The bell of Larkspur weighs 300 kg", "The weight of the bell of Larkspur is 0.3 tonnes."),
        ("It lies 40 to 47 m below Larkspur", "It lies 40 metres to 47 metres below Larkspur."),
    ],
)
def test_a_measure_may_be_a_noun_or_an_adjective(claim: str, source: str):
    support, text = checked(claim, source)
    assert support is Support.SUPPORTED
    assert text == f"{claim} [1]."


@pytest.mark.parametrize(
    ("text", "dimension"),
    [
        ("it stands 5 in the list", ""),
        ("in 1985 V. Ek left", ""),
        ("5 A levels", ""),
        ("the 1990s were", ""),
        ("the 3rd metre", ""),
        ("5 m deep", "length"),
        ("5 in deep", "length"),
        ("$5 m", "USD"),
        ("47-metre mast", "length"),
        ("60 W bulb", "power"),
    ],
)
def test_a_unit_is_read_only_where_it_is_sure(text: str, dimension: str):
    number = find_numbers(text)[0]
    assert (number.units[0].dimension if number.units else "") == dimension


def test_a_sign_stands_for_the_word_of_its_unit():
    assert read_facts("It costs €5.").stems == read_facts("It costs 5 euros.").stems
    assert read_facts("It was 20 °C.").names == read_facts("It was 20 degrees Celsius.").names
    assert find_numbers("5 million euros")[0].kind is NumberKind.MONEY


@pytest.mark.parametrize("quantity", ["40 m²", "12 %", "20 °C", "3 cm³", "€5"])
def test_a_marker_behind_a_unit_is_one(quantity: str):
    support, _ = checked(of_mill(quantity), f"{of_mill(quantity)}, as the guide says.")
    assert support is Support.SUPPORTED
