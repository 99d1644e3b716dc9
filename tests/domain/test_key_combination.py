"""Combinations of keys: read generously, written one way, none that would take ordinary keys."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.domain.ports.hotkey import (
    FUNCTION_KEYS,
    KEYS,
    Combination,
    Modifier,
    parse_combination,
)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("Ctrl+Space", "Ctrl+Space"),
        (" shift + CONTROL + k ", "Ctrl+Shift+K"),
        ("cmd+option+enter", "Alt+Super+Return"),
        ("Win+/", "Super+Slash"),
        ("f9", "F9"),
        ("Shift+F10", "Shift+F10"),
    ],
)
def test_other_names_and_orders_are_understood(text: str, written: str) -> None:
    assert str(parse_combination(text)) == written


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "must end with a key"),
        ("Ctrl+", "must end with a key"),
        ("Ctrl", "no modifier"),
        ("Ctrl+Alt", "no modifier"),
        ("Ctrl+Blue", "names no key that can be used: blue"),
        ("Blue+K", "not blue"),
        ("+K", "not nothing"),
        ("K", "needs Ctrl, Alt or Super"),
        ("Shift+K", "needs Ctrl, Alt or Super"),
        ("Space", "needs Ctrl, Alt or Super"),
        ("Ctrl+F25", "names no key"),
        ("Ctrl+" * 20 + "K", "too long"),
    ],
)
def test_what_is_no_combination_is_said_in_words(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        parse_combination(text)


@given(st.sets(st.sampled_from(Modifier)), st.sampled_from(sorted(KEYS)))
def test_every_combination_reads_back_as_it_was_written(modifiers: set[Modifier], key: str) -> None:
    if modifiers <= {Modifier.SHIFT} and key not in FUNCTION_KEYS:
        with pytest.raises(ValueError, match="needs Ctrl"):
            Combination(frozenset(modifiers), key)
        return
    combination = Combination(frozenset(modifiers), key)
    assert parse_combination(str(combination)) == combination
    assert parse_combination(str(combination).upper()) == combination


@given(st.text(max_size=40))
def test_any_text_is_a_combination_or_a_value_error(text: str) -> None:
    with suppress(ValueError):
        assert parse_combination(text).key in KEYS
