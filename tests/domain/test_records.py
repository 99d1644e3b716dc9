"""Events as records: every one survives JSON, and damage is said."""

from __future__ import annotations

import dataclasses
import json
import types
from enum import Enum
from typing import Any, cast, get_args, get_origin, get_type_hints

import pytest

from askance.domain.conversation import Outcome, Usage
from askance.domain.errors import InputError
from askance.domain.events import (
    Answered,
    ClarifyAsked,
    Failed,
    PageRead,
    Planned,
    ResultsFound,
    RunEvent,
    SearchStarted,
    SourcesReady,
    Warned,
    WarningCode,
)
from askance.domain.evidence import Source
from askance.domain.history import EVENT_TYPES, from_record, to_record, type_name
from askance.domain.messages import Message, Remedy
from sampled import each_row


def example_of(kind: Any) -> Any:
    """Return a value of a type of a field, or an event of a class, that is easily damaged."""
    if get_origin(kind) is tuple:
        return (example_of(get_args(kind)[0]),)
    if get_origin(kind) is types.UnionType:
        return example_of(get_args(kind)[0])
    if dataclasses.is_dataclass(kind):
        hints, made = get_type_hints(kind), cast("Any", kind)
        return made(**{f.name: example_of(hints[f.name]) for f in dataclasses.fields(kind)})
    if issubclass(kind, Enum):
        return list(kind)[-1]
    if kind is Message:
        return Message("After {n} of “{what}”.", n=3, what="ä")
    return {str: 'Ein “ä” – 東京 "c"\n\u2028[1]\ud800', int: 10_000, float: 0.9, bool: True}[kind]


EVENTS: tuple[Any, ...] = get_args(RunEvent)
SOURCES = (
    Source(1, "https://example.org/ä", "Ein Titel – “x”", "example.org", "2024-05-01", False),
    Source(2, "https://example.org/b", "", "example.org", None),
)


def test_every_event_has_a_type() -> None:
    assert set(EVENT_TYPES.values()) == set(EVENTS)
    assert len(EVENT_TYPES) == len(EVENTS)


@each_row("event", [*map(example_of, EVENTS), SourcesReady(SOURCES)])
def test_an_event_survives_json(event: RunEvent) -> None:
    record = json.loads(json.dumps(to_record(event, 1.23456)))
    assert from_record(record) == event
    assert list(record)[:2] == ["type", "at_s"]
    assert record["at_s"] == 1.235
    fields = {f.name for f in dataclasses.fields(event)}
    assert set(record) - {"messages"} == {"type", "at_s", *fields}


def test_types_are_names_in_snake_case() -> None:
    assert type_name(PageRead) == "page_read"
    assert type_name(ClarifyAsked) == "clarify_asked"


def test_nested_values_are_plain_in_the_record() -> None:
    record = to_record(SourcesReady(SOURCES), 0)
    assert record["sources"][0]["published"] == "2024-05-01"
    assert to_record(example_of(PageRead), 0)["reason"] == "internal"


def test_unknown_keys_of_a_newer_version_are_passed_over() -> None:
    record = to_record(SourcesReady(SOURCES), 0)
    record["mood"] = "good"
    record["sources"][0]["colour"] = "red"
    assert from_record(record) == SourcesReady(SOURCES)


def test_missing_fields_with_a_default_take_it() -> None:
    assert from_record({"type": "clarify_asked", "question": "?"}) == ClarifyAsked("?")


@pytest.mark.parametrize("record", [{}, {"type": "page_lost"}, {"type": None}, {"type": []}])
def test_an_unknown_type_is_an_input_error(record: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="not known"):
        from_record(record)


@pytest.mark.parametrize(
    ("event", "broken"),
    [
        (SearchStarted, {"round": "two"}),
        (SearchStarted, {"queries": None}),
        (SearchStarted, {"queries": "one"}),
        (SearchStarted, {"queries": [1]}),
        (Planned, {"action": "dance"}),
        (ResultsFound, {"silent_engines": [["alpha", "timeout"]]}),
        (ResultsFound, {"silent_engines": [{"name": "alpha"}]}),
        (SourcesReady, {"sources": [{}]}),
        (Answered, {"usage": []}),
    ],
)
def test_a_field_of_the_wrong_kind_is_damage(event: Any, broken: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="damaged"):
        from_record({**to_record(example_of(event), 0), **broken})


def test_a_missing_field_is_damage() -> None:
    with pytest.raises(InputError, match="damaged"):
        from_record({"type": "search_started", "queries": []})


def test_messages_keep_what_they_were_made_from() -> None:
    problem = Message("Nothing answers at {address}.", address="http://a.example")
    fix = Remedy("Start it with `{command}`.", command="askance up")
    warned = Message("A search failed: {problem}", problem=problem)
    events: list[RunEvent] = [
        Failed(problem, fix, "SearXNG", "http://a.example"),
        Warned(WarningCode.SEARCH_FAILED, warned),
        Warned(WarningCode.WORDS_HELD_BACK, warned, ("Lisbon", "tram 28")),
        Answered("a", (), (), Outcome.WEB, 1, Usage(), (Message("b"), warned), 5),
    ]
    for event in events:
        record = json.loads(json.dumps(to_record(event, 0)))
        assert to_record(from_record(record), 0) == record
        assert record["messages"]
    record = to_record(events[0], 0)
    assert record["fix"] == "Start it with `askance up`."
    assert record["messages"]["fix"]["template"] == "Start it with `{command}`."


def test_a_record_of_an_earlier_version_says_what_it_said() -> None:
    old = {"type": "warned", "at_s": 1.0, "code": "search_failed", "message": "It {failed}."}
    event = from_record(old)
    assert event == Warned(WarningCode.SEARCH_FAILED, Message.verbatim("It {failed}."))
    assert to_record(event, 1.0) == {**old, "words": []}
