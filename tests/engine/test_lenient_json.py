"""JSON as models write it: what they mean comes out, and nothing else."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.engine.model_replies import find_fields

KEYS = ("action", "query")
PLAN = {"action": "proceed", "query": "tower height"}
WRITTEN = json.dumps(PLAN)


@pytest.mark.parametrize(
    "text",
    [
        WRITTEN,
        f"For the {{question}} I will use this plan: {WRITTEN}",
        f"Sure! Here it is:\n\n```json\n{WRITTEN}\n```\n\nAnything else?",
        f'First {{"action": "clarify"}}, no: {WRITTEN}',
        f'{{"plan": {WRITTEN}}}',
        f'{{"result": {{"plan": {WRITTEN}}}, "n": 1}}',
        f"[{WRITTEN}]",
        json.dumps(WRITTEN),
        '{\n  // what to do\n  "action": "proceed", /* ok */\n  "query": "tower height" # yes\n}',
        "{'action': 'proceed', 'query': 'tower height'}",
        '{action: "proceed", query: "tower height"}',
        "{action: proceed, query: tower height}",
        "{“action”: “proceed”, “query”: “tower height”}",
        "{„action“: „proceed“, „query“: „tower height“}",
        "{`action`: `proceed`, `query`: `tower height`}",
        '{"action": "proceed", "query": "tower height",}',
        '{"Action": "proceed", "QUERY": "tower height"}',
        '{"action": "proceed", "query": "tower height", "why": "it is',
        '{"n": NaN, "m": None, "k": True, "action": "proceed", "query": "tower height"}',
    ],
)
def test_what_is_meant_comes_out(text: str) -> None:
    assert find_fields(text, KEYS) == PLAN


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("{'query': 'What's its height'}", "What's its height"),
        ('{"query": "the "old" tower"}', 'the "old" tower'),
        ('{"query": "a\nb\\tc \\u00e4 \\ud83d\\ude00"}', "a\nb\tc ä 😀"),
        ('{"query": "http://x/y // z"}', "http://x/y // z"),
        ("{'query': None}", None),
        ('{"query": ["a", "b",]}', ["a", "b"]),
    ],
)
def test_values_stay_what_they_are(text: str, query: Any) -> None:
    assert find_fields(text, KEYS) == {"query": query}


@pytest.mark.parametrize(
    "text", ["", "I would search.", "{", '{"query": "cut', "{" * 9_000, "[{" * 4_000, '{"a": 1}']
)
def test_where_there_is_nothing_nothing_is_made_up(text: str) -> None:
    assert find_fields(text, KEYS) == {}


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-1000, 1000) | st.text(max_size=12),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("xyz", min_size=1), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(st.fixed_dictionaries({"action": _VALUES, "query": _VALUES}), st.sampled_from([None, 1]))
def test_strict_json_is_read_as_a_strict_reader_reads_it(
    value: dict[str, Any], indent: int | None
) -> None:
    assert find_fields(json.dumps(value, indent=indent), KEYS) == value
    assert find_fields(json.dumps(value, ensure_ascii=False), KEYS) == value
