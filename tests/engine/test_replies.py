"""Reading JSON while it streams in, and telling a loop from a text."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from askance.engine.model_replies import (
    LONGEST_LOOP,
    LOOP_CHARS,
    LOOP_TIMES,
    finished_fields,
    is_looping,
)
from sampled import each_row

_KEYS = st.text("abcdefgh_", min_size=1, max_size=6)
_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=3),
    max_leaves=6,
)
_OBJECTS = st.dictionaries(_KEYS, _VALUES, max_size=4)


@given(_OBJECTS, st.data(), st.sampled_from([None, 2]), st.booleans())
@example({"a": 12.5e10}, None, None, True)
def test_a_reply_cut_anywhere_gives_only_fields_of_the_whole(
    whole: dict[str, Any], data: st.DataObject | None, indent: int | None, ascii_only: bool
) -> None:
    text = json.dumps(whole, indent=indent, ensure_ascii=ascii_only)
    cuts = [data.draw(st.integers(0, len(text)))] if data else range(len(text) + 1)
    for cut in cuts:
        fields = finished_fields(text[:cut])
        assert list(fields.items()) == list(whole.items())[: len(fields)]
    assert finished_fields(text) == whole


@given(_OBJECTS)
def test_fields_are_only_ever_added(whole: dict[str, Any]) -> None:
    text = json.dumps(whole)
    counts = [len(finished_fields(text[:cut])) for cut in range(len(text) + 1)]
    assert counts == sorted(counts)


@given(st.text())
def test_no_text_is_too_strange_to_be_read(text: str) -> None:
    assert isinstance(finished_fields(text), dict)
    assert isinstance(finished_fields("{" + text), dict)
    assert isinstance(finished_fields('{"a": ' + text), dict)


@each_row(
    ("text", "fields"),
    [
        ('```json\n{"action": "proceed"}\n```', {"action": "proceed"}),
        ('Here you are: {"a": "b"} Anything else?', {"a": "b"}),
        ('{"a": {"b": {"c": [1, 2]}}, "d": "e', {"a": {"b": {"c": [1, 2]}}}),
        ('{"a": {"b": 1}', {"a": {"b": 1}}),
        ('{"a": 12', {}),
        ('{"a": 12,', {"a": 12}),
        ('{"a": 12}', {"a": 12}),
        ('{"a": -', {}),
        ('{"a": 1e', {}),
        ('{"a": tru', {}),
        ('{"a": true}', {"a": True}),
        ('{"a": "\\u00e', {}),
        ('{"a": "one\\"two"', {"a": 'one"two'}),
        ('{"a": "two\nlines", "b": "c"}', {"a": "two\nlines", "b": "c"}),
        ("{'a': 'b'}", {}),
        ('{"a" "b"}', {}),
        ("{}", {}),
        ("{", {}),
        ("no JSON at all", {}),
        ("", {}),
        ('["a", "b"]', {}),
    ],
)
def test_what_models_send_is_read_as_far_as_it_is_certain(
    text: str, fields: dict[str, Any]
) -> None:
    assert finished_fields(text) == fields


def test_brackets_without_end_are_no_reply() -> None:
    assert finished_fields('{"a": "b", "c": ' + "[" * 100_000) == {"a": "b"}


@pytest.mark.parametrize(
    "unit", ["the lamp and ", "no. ", "\n", "0", "Ich weiß es nicht. ", "灯台"]
)
def test_a_text_that_repeats_itself_without_end_is_a_loop(unit: str) -> None:
    assert is_looping("The lighthouse was built in 1867. " + unit * 300)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ha " * 20,
        "The lighthouse was built in 1867 by three brothers. [1] " * 3,
        " ".join(
            f"In {year} it was painted again by the council of Stoll." for year in range(1900, 1930)
        ),
        "| year | boats |\n" + "".join(f"| {y} | {y % 7} |\n" for y in range(1900, 1960)),
        "\n".join(f"- [{i}] is a source" for i in range(40)),
    ],
)
def test_a_text_with_a_refrain_is_none(text: str) -> None:
    assert not is_looping(text)


def test_a_phrase_that_returns_once_is_no_loop() -> None:
    phrase = "according to the annual report of the harbour council of the island of Hesperay in "
    between = "1987 the mast was new, and then a storm came and took it away, again "
    text = "Long before that, it stood. " * 3 + phrase + between + phrase
    assert len(text) > 240
    assert not is_looping(text)
    assert not is_looping((phrase + between) * 2)


@pytest.mark.parametrize(
    ("chars", "times", "loops"),
    [
        (LONGEST_LOOP, LOOP_TIMES, True),
        (LONGEST_LOOP, LOOP_TIMES - 1, False),
        (LONGEST_LOOP + 1, LOOP_TIMES + 1, False),
        (90, LOOP_TIMES, True),
        (LOOP_CHARS // LOOP_TIMES - 1, LOOP_TIMES, False),
    ],
)
def test_a_whole_paragraph_said_over_and_over_is_a_loop(
    chars: int, times: int, loops: bool
) -> None:
    unit = " ".join(f"The lamp number {n} burns." for n in range(1000, 1040))[:chars]
    before = "It was built long before that, in granite, by three brothers. " * (not loops)
    assert is_looping(before + unit * times) is loops


def test_a_loop_is_told_only_once_it_has_gone_on_for_a_while() -> None:
    before = (
        "The lighthouse was built in 1867 by three brothers from Stoll, and the lamp came later. "
        * 2
    )
    assert not is_looping(before + "and so on, " * 12)
    assert is_looping(before + "and so on, " * 24)


def test_a_loop_that_has_ended_is_forgotten() -> None:
    after = (
        "But then the model came to its senses, and wrote of granite, lamps, keepers and storms. "
    )
    assert not is_looping("no. " * 200 + after + "It told of brothers, wool, the pier, and winter.")
