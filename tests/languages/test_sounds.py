"""Names that sound alike in two scripts, and words that only look so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from askance.citations.check.cross_language import (
    KnownWord,
    SoundScript,
    han_likeness,
    likeness,
    near,
    romanised,
    script_of,
    sounds,
    spelling,
    syllables,
)
from askance.text.languages.recognition import recognise_beside

TEXTS: dict[str, Any] = json.loads(
    Path(__file__).with_name("sounds.json").read_text(encoding="utf-8")
)


def known(word: str, *, is_name: bool = True) -> KnownWord:
    return KnownWord(romanised(word.lower()), script_of(word), set(), set(), is_name)


def are_one(word: str, other: KnownWord) -> bool:
    roman, script = romanised(word.lower()), script_of(word)
    own = sounds(roman, script)
    theirs = sounds(other.roman, other.script)
    is_near = any(near(a) & near(b) for a in own for b in theirs)
    is_spelled = spelling(roman) == spelling(other.roman)
    return (is_near or is_spelled) and likeness(roman, script, own, other) > 0


@pytest.mark.parametrize(("word", "name"), TEXTS["alike"])
def test_a_name_is_heard_in_another_script(word: str, name: str) -> None:
    assert are_one(word, known(name))


@pytest.mark.parametrize(("word", "name"), TEXTS["different"])
def test_another_name_is_not(word: str, name: str) -> None:
    assert not are_one(word, known(name))


@pytest.mark.parametrize(("run", "name"), TEXTS["chinese"])
def test_a_name_is_heard_in_chinese_syllables(run: str, name: str) -> None:
    text = syllables(run)
    other = known(name)
    whole = ["".join(text[i:end]) for i in range(len(text)) for end in range(i + 2, len(text) + 1)]
    assert any(
        han_likeness(roman, sound, other) > 0
        for roman in whole
        for sound in sounds(roman, SoundScript.HAN)
    )


def test_a_common_word_is_no_name_in_another_script() -> None:
    word, name = TEXTS["alike"][0]
    assert not are_one(word, known(name, is_name=False))


@pytest.mark.parametrize(("word", "cognate"), TEXTS["cognates"])
def test_cognates_are_heard_but_count_for_less(word: str, cognate: str) -> None:
    roman, script = romanised(word.lower()), script_of(word)
    own = sounds(roman, script)
    as_word = likeness(roman, script, own, known(cognate, is_name=False))
    assert 0 < as_word < likeness(roman, script, own, known(cognate))


def test_scripts_are_told() -> None:
    assert [script_of(word) for word in TEXTS["scripts"]] == [
        SoundScript.LATIN, SoundScript.LATIN, SoundScript.OTHER, SoundScript.UNVOWELLED, SoundScript.UNVOWELLED, SoundScript.HAN,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected", "told"),
    [
        (TEXTS["spanish names"], "en", "en"),
        (TEXTS["spanish"], "en", "es"),
        (TEXTS["russian"], "en", "ru"),
        ("42", "de", "de"),
        ("", "", ""),
    ],
)
def test_a_text_among_others_is_of_their_language_in_doubt(
    text: str, expected: str, told: str
) -> None:
    assert recognise_beside(text, expected) == told
