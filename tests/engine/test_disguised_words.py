"""Private names in disguise: none leaves in a query, and innocent queries keep all of their words."""

from __future__ import annotations

import json
import re
import time
from itertools import product
from pathlib import Path

import pytest
from fuzz.disguises import DISGUISES, FILLER, Private, private_names

from askance.engine.query_privacy import PrivateWords, Screened
from askance.text.languages.language import CODES
from sampled import each_row

NAMES = {private.code: private for private in private_names()}
PAGE = f"A {FILLER} of the harbour."
INNOCENT = {FILLER, "harbour"}
MOST_LEFT = 2
ATTACKS = [
    (code, kind)
    for code, kind in product(NAMES, DISGUISES)
    if kind == "plain" or DISGUISES[kind](NAMES[code].name) != NAMES[code].name
]
LANGUAGES = Path(__file__).parents[1] / "languages"
QUESTIONS = json.loads((LANGUAGES / "questions.json").read_text(encoding="utf-8"))
_LETTERS = re.compile(r"[^\W\d_]+")


def words_of(private: Private, *published: str) -> PrivateWords:
    return PrivateWords(private.asked, [private.told], [PAGE, *published])


def left_of(words: PrivateWords, disguised: str) -> set[str]:
    """What is left of a query beside its innocent words, and a letter or two of an ending."""
    left = words.screen(f"{FILLER} {disguised} harbour").query
    beside = [w for w in _LETTERS.findall(left.lower()) if w not in INNOCENT]
    if disguised in left:
        return {disguised}
    return set() if len("".join(beside)) <= MOST_LEFT else set(beside)


def test_all_languages_have_a_private_name() -> None:
    assert set(NAMES) == set(CODES)


@each_row("kind", DISGUISES)
def test_no_disguise_of_a_private_name_leaves(kind: str) -> None:
    leaked: dict[str, set[str]] = {}
    for code in (code for code, known in ATTACKS if known == kind):
        private = NAMES[code]
        words = words_of(private)
        assert words.screen(f"{FILLER} harbour") == Screened(f"{FILLER} harbour")
        if left := left_of(words, DISGUISES[kind](private.name)):
            leaked[code] = left
    assert not leaked


@pytest.mark.parametrize(("code", "cut"), [("ru", 0), ("ru", 3), ("tr", 0), ("hi", 3), ("hu", 0)])
def test_disguises_that_once_got_through_do_not(code: str, cut: int) -> None:
    name = NAMES[code].name
    disguised = f"{name[:cut]} {name[cut:]}" if cut else f"{FILLER}{name}{FILLER}"
    assert not left_of(words_of(NAMES[code]), disguised)


def test_a_first_name_and_a_surname_that_are_short_count_together() -> None:
    words = PrivateWords("Where can I park?", ["The tenant Ali Kayan owes us rent."], [])
    for query in ("lampalikayanlamp", "nayakila", "nvxnlna nyvxnlna", "YWxpa2F5YW4"):
        assert "kayan" not in words.screen(f"lamp {query}").query
    assert words.screen("lampalikayanlamp").query == ""
    assert words.screen("kaolin alicante").held_back == ()


def test_a_long_public_word_before_a_private_one_does_not_cover_it() -> None:
    words = PrivateWords("Lindmouth lighthouse", ["Mr Krantz owes us rent."], ["Lighthouses."])
    for query in ("lighthousekrantz", "Lindmouthlighthousekrantz", "lighthouse-skrantz"):
        assert words.screen(f"lamp {query}").query == "lamp"
    assert words.screen("lighthousekeeper").held_back == ()


def test_what_nobody_sees_in_a_query_is_not_sent() -> None:
    hidden = "".join(chr(0xE0000 + ord(c)) for c in "Krantzmore")
    selectors = "".join(chr(0xFE00 + i) for i in (4, 11, 7, 2))
    assert words_of(NAMES["en"]).screen(f"{FILLER}{hidden} x{selectors}").query == f"{FILLER} x"


@each_row("code", NAMES)
def test_questions_in_other_languages_keep_their_words(code: str) -> None:
    words = words_of(NAMES[code])
    asked = [q for other, rows in QUESTIONS.items() if other != code for q in rows]
    asked += [private.asked for private in NAMES.values()]
    lost = {q: held for q in asked if (held := words.screen(q).held_back)}
    assert len(lost) <= len(asked) / 50, "a few words stand in two languages"


def test_ordinary_words_that_hold_the_beginning_of_a_private_one_are_searched() -> None:
    text = "Our neighbour Krantz met him at the personal meeting about the summer house."
    words = PrivateWords("Where can I park?", [text], [])
    for query in ("kranky kran tower", "super sonic flight", "Sumerian culture"):
        assert words.screen(query) == Screened(query)


def test_what_is_public_is_searched_however_it_is_written() -> None:
    private = NAMES["de"]
    words = words_of(private, f"The {FILLER}{private.name}{FILLER} of Dr. {private.name[::-1]}")
    for query in (f"{FILLER}{private.name}{FILLER} museum", f"Dr. {private.name[::-1]}"):
        assert words.screen(query) == Screened(query)
    public = PrivateWords(private.told, [private.told], [])
    for kind in ("embedded", "hyphens", "reversed"):
        assert public.screen(DISGUISES[kind](private.name)).held_back == ()


def test_what_is_left_is_screened_again() -> None:
    name = NAMES["en"].name
    query = f"{name[:4]} {FILLER}{name}{FILLER} {name[4:]}"
    assert words_of(NAMES["en"]).screen(query).query == ""


@pytest.mark.exhaustive
def test_the_time_of_a_screening_grows_with_the_query() -> None:
    words = words_of(NAMES["en"])
    words.screen("warm")

    def cost(size: int) -> float:
        queries = (
            "Krantzmor " * size,
            "a1" * 5 * size,
            "Krantzmo" * size,
            "kra ntz mor " * size,
            "4b72616e " * size,
            "\u0391\u0301\u0130" * 5 * size,
            "aabb" * 2 * size,
        )
        began = time.process_time()
        for query in queries:
            words.screen(query)
        return time.process_time() - began

    cost(50)
    small, large = cost(200), cost(1_600)
    assert large < 30 * small, "eight times the text, and no square of it"
