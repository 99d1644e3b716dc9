"""Fields of a model's JSON: read by their type, never by Python's spelling of it."""

from __future__ import annotations

from typing import Any

import pytest

from askance.engine.model_replies import question_in, texts_in
from sampled import each_row

TEXTS: list[tuple[Any, tuple[str, ...]]] = [
    ("lamp", ("lamp",)),
    ("  lamp ", ("lamp",)),
    (None, ()),
    (7, ()),
    (True, ()),
    ("", ()),
    ("   ", ()),
    ("None", ()),
    ("null", ()),
    ("N/A", ()),
    ("n/a.", ()),
    ("---", ()),
    (["a", "b"], ("a", "b")),
    (["a", None, 7, ["b", {"query": "c"}]], ("a", "b", "c")),
    ([["a"], "None"], ("a",)),
    ("['a', 'b']", ("a", "b")),
    ('["a", "b"]', ("a", "b")),
    ('{"query": "a"}', ("a",)),
    ("{'query': None}", ()),
    ({"query": "lamp"}, ("lamp",)),
    ({"type": "web", "text": "lamp"}, ("lamp",)),
    ({"en": "lamp"}, ("lamp",)),
    ({"query": ["a", "b"]}, ("a", "b")),
    ({"weight": 3, "kind": "web"}, ()),
    ({}, ()),
    ([], ()),
    ("[draft] lighthouse plans [1871]", ("[draft] lighthouse plans [1871]",)),
    ("None of the above meaning", ("None of the above meaning",)),
    ("null pointer exception", ("null pointer exception",)),
]


@each_row(("value", "texts"), TEXTS)
def test_a_field_holds_the_texts_that_it_plainly_holds(value: Any, texts: tuple[str, ...]) -> None:
    assert texts_in(value) == texts


def test_lists_in_lists_without_end_hold_nothing() -> None:
    value: Any = "lamp"
    for _ in range(50):
        value = [value]
    assert texts_in(value) == ()


@each_row(
    "value",
    [None, "", " ", "None", "none.", "NULL", "N/A", "n/a", "-", "No", "Nothing", "not applicable",
     "No clarification needed.", "No clarifying question is needed", "keine", "无", "[]", [], {},
     ["None"], False, 0, {"question": None}, {"question": "N/A"}],
)  # fmt: skip
def test_what_says_that_there_is_no_question_is_none(value: Any) -> None:
    assert question_in(value) == ""


@pytest.mark.parametrize(
    "value", ["Which lighthouse?", ["Which lighthouse?"], {"question": "Which lighthouse?"}]
)
def test_a_question_is_asked_as_it_is(value: Any) -> None:
    assert question_in(value) == "Which lighthouse?"
