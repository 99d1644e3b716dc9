from __future__ import annotations

import dataclasses
import json
from typing import Any, get_args

import pytest

from askance.domain.conversation import Outcome, Usage
from askance.domain.errors import InputError
from askance.domain.events import (
    Answered,
    Cancelled,
    CitationsChecked,
    CitationsVerified,
    ClarifyAsked,
    Dequeued,
    DraftRetracted,
    Failed,
    GapFound,
    Judged,
    Judging,
    LibraryRecalled,
    PageRead,
    PageRequested,
    PagesChosen,
    PassagesSelected,
    Planned,
    Queued,
    RequestSent,
    ResultsFound,
    ResultsRanked,
    RunEvent,
    SearchStarted,
    Sending,
    SettingsFitted,
    SourcesReady,
    TimeExpected,
    TokenArrived,
    Warned,
    WarningCode,
)
from askance.domain.evidence import Citation, Source, Support
from askance.domain.history import EVENT_TYPES, from_record, to_record, type_name
from askance.domain.messages import NOTHING, Message, Remedy
from askance.domain.phases import Action, Sufficiency
from askance.domain.web_pages import PageReason, PageStatus, UnresponsiveEngine
from sampled import each_row

SOURCES = (
    Source(1, "https://example.org/ä", "Ein Titel – “x”", "example.org", "2024-05-01", False),
    Source(2, "https://example.org/b", "", "example.org", None),
)
CITATIONS = (
    Citation(1, "It is so [1].", 0, 13, Support.SUPPORTED, "It is so.", 40),
    Citation(2, "Perhaps [2].", 14, 26, Support.UNSUPPORTED, added=True),
)
EXAMPLES: list[RunEvent] = [
    Planned(Action.PROCEED, Sufficiency.PARTIAL, ("one", "東京 две"), False, 12),
    ClarifyAsked("Which one?", Usage(1, 200, 20, 1)),
    LibraryRecalled(3, Sufficiency.SUFFICIENT, 4),
    SearchStarted(("a", 'b "c"\n'), 2),
    ResultsFound("a", 10, 8, (UnresponsiveEngine("alpha", Message("timeout")),), NOTHING, 90),
    ResultsRanked(("https://example.org/",), ("A",), 2, 1),
    Judged(
        Judging.PASSAGES,
        Sufficiency.INSUFFICIENT,
        "No date.",
        ("date",),
        Message("contradicts"),
        1,
        7,
    ),
    PageRequested("https://example.org/", 1),
    PageRead(
        "https://example.org/",
        PageStatus.FAILED,
        PageReason.TIMED_OUT,
        Message("too slow"),
        "",
        0,
        10_000,
    ),
    PassagesSelected(4, 2, 900, 3, 1, 2),
    GapFound(("a", "b"), 3),
    SourcesReady(SOURCES),
    TokenArrived(" \u2028[1]\ud800"),
    CitationsChecked("It is so [1].", CITATIONS, 1, 2),
    Warned(WarningCode.ROUND_LIMIT, Message("Three rounds were not enough.")),
    Answered("A", SOURCES, CITATIONS, Outcome.WEB, 2, Usage(3, 4, 5, 6, 7, 8), (Message("w"),), 99),
    Failed(Message("SearXNG is down."), Message("askance up"), "SearXNG", "http://127.0.0.1:1"),
    Cancelled(),
    Queued(2),
    Dequeued(12_345),
    RequestSent(Sending.PAGE, "a.example", Message("this program"), "http://a.example/"),
    TimeExpected(40),
    CitationsVerified(3, 2, 400, 220),
    SettingsFitted(900, None, False, None, True),
    PagesChosen(("https://a.example/",), (0.9,), 10, 1, 12),
    DraftRetracted(),
]


def test_every_event_has_an_example() -> None:
    assert {type(event) for event in EXAMPLES} == set(get_args(RunEvent))
    assert set(EVENT_TYPES.values()) == set(get_args(RunEvent))


@each_row("event", EXAMPLES)
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
    assert len(EVENT_TYPES) == len(get_args(RunEvent))


def test_nested_values_are_plain_in_the_record() -> None:
    record = to_record(SourcesReady(SOURCES), 0)
    assert record["sources"][0]["published"] == "2024-05-01"
    assert to_record(EXAMPLES[8], 0)["reason"] == "timed_out"


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
        (EXAMPLES[3], {"round": "two"}),
        (EXAMPLES[3], {"queries": None}),
        (EXAMPLES[3], {"queries": "one"}),
        (EXAMPLES[3], {"queries": [1]}),
        (EXAMPLES[0], {"action": "dance"}),
        (EXAMPLES[4], {"silent_engines": [["alpha", "timeout"]]}),
        (EXAMPLES[4], {"silent_engines": [{"name": "alpha"}]}),
        (EXAMPLES[11], {"sources": [{}]}),
        (EXAMPLES[15], {"usage": []}),
    ],
)
def test_a_field_of_the_wrong_kind_is_damage(event: RunEvent, broken: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="damaged"):
        from_record({**to_record(event, 0), **broken})


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
