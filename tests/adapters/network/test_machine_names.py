"""What this machine and its user are called, as far as it tells them from others."""

from __future__ import annotations

import pytest

from askance.engine.query_privacy import PrivateWords, Screened
from askance.system.machine import distinctive, own_names


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Annas-MacBook-Pro.local", ("Annas",)),
        ("tower-of-quillfeather", ("quillfeather", "tower")),
        ("DESKTOP-7A6B5C4", ("7A6B5C4",)),
        ("thinkpad-x1.lan", ()),
        ("ubuntu", ()),
        ("李明", ("李明",)),
        ("jo", ("jo",)),
        ("", ()),
    ],
)
def test_the_words_that_machines_have_in_common_are_no_names(
    name: str, words: tuple[str, ...]
) -> None:
    assert set(distinctive(name)) >= set(words)
    assert {"pro", "macbook", "desktop", "local", "thinkpad"}.isdisjoint(
        word.lower() for word in distinctive(name)
    )


def test_a_machine_with_a_usual_name_takes_no_word_out_of_a_query() -> None:
    words = PrivateWords("Which phone is the newest?", distinctive("Annas-MacBook-Pro.local"), ())
    query = "iPhone 17 Pro local price, MacBook Air"
    assert words.screen(query) == Screened(query)
    assert words.screen("newest phone of Annas").held_back == ("Annas",)


def test_this_machine_and_its_user_are_named_in_words() -> None:
    assert all(word.isalnum() for word in own_names())
