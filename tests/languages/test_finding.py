"""Words found in whatever case, accents and typography, and where they stand in the text that is shown."""

from __future__ import annotations

import pytest

from askance.text.finding import holds, places_of

FOUND: tuple[tuple[str, str, list[str]], ...] = (
    ("Café, CAFE, cafe\u0301s", "cafe", ["Café", "CAFE", "cafe\u0301"]),
    ("über Uber", "uber", ["über", "Uber"]),
    ("Große Straße", "strasse", ["Straße"]),
    ("Große Straße", "s", ["ß", "S", "ß"]),
    ("it’s ‘so’, “quoted” – and — dashed", "it's", ["it’s"]),
    ("it’s ‘so’, “quoted” – and — dashed", '"quoted" -', ["“quoted” –"]),
    ("the ﬁrst oﬃce", "office", ["oﬃce"]),
    ("ship\u00adwreck", "shipwreck", ["ship\u00adwreck"]),
    ("Łódź", "lodz", ["Łódź"]),
    ("ΟΔΟΣ οδός", "οδος", ["ΟΔΟΣ", "οδός"]),
    ("10\u00a0km", "10 km", ["10\u00a0km"]),
    ("ab", "abc", []),
    ("", "a", []),
    ("a", "", []),
)


@pytest.mark.parametrize(("text", "words", "found"), FOUND)
def test_what_is_found_stands_at_its_place(text: str, words: str, found: list[str]) -> None:
    assert [text[start:end] for start, end in places_of(text, words)] == found


def test_places_of_several_words_are_in_order_and_apart() -> None:
    assert places_of("hide hidden", "hid", "hide", "den") == ((0, 4), (5, 8), (8, 11))


def test_all_of_the_words_are_wanted_in_any_part() -> None:
    assert holds("Schlüssel, der ein- und ausblendet", "AUSBLEND schlussel")
    assert not holds("Schlüssel", "schlüssel fehlt")
