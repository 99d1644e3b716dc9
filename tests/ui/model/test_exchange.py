"""One question and all that is shown of it, folded from the events of its run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from askance.domain.conversation import CHAT, Outcome, ParsedCommand, Usage
from askance.domain.events import (
    Answered,
    Cancelled,
    ClarifyAsked,
    DraftRetracted,
    Failed,
    PageRead,
    PageRequested,
    RequestSent,
    RunEvent,
    Sending,
    SourcesReady,
    TokenArrived,
    Warned,
)
from askance.domain.messages import NOTHING, Message
from askance.domain.web_pages import PageReason, PageStatus
from askance.presentation.progress import Status
from askance.ui.overlay.answer.markup import with_sources
from askance.ui.overlay.conversation.exchange import (
    ExchangeAction,
    ExchangeModel,
    ExchangeView,
    State,
)
from cli.runs import ANSWERED, FERRY, GAZETTE, RUN, SOURCES, TEXT, WARNED
from sampled import each_row
from ui.model.drawn import drawn

QUESTION = "When was the lamp lit?"
CHATTED = Answered("Hello.", (), (), Outcome.HISTORY, 0, Usage(1, 20, 3), (), 2_000)


def shown(events: Sequence[RunEvent], command: str = "search", pace_s: float = 0.5) -> ExchangeView:
    model = ExchangeModel(ParsedCommand(command, QUESTION))
    for n, event in enumerate(events):
        model.apply(event, n * pace_s)
    return model.view


def test_a_whole_run_ends_as_it_should_be_seen():
    view = shown(RUN)
    assert (view.asked.text, view.asked.command, view.state) == (QUESTION, "search", State.ANSWERED)
    assert view.ended
    assert view.status == Status("Searched twice, read 7 pages")
    assert view.footer == "7 pages read of 12 found · 5 model calls · 12 s"
    assert view.progress is None
    assert view.draft is None
    assert view.text == TEXT
    assert view.answer
    assert "[[1/0]]" in drawn(view.answer.pieces)
    assert len(view.answer.doubts) == 2
    assert [(row.n, row.cited) for row in view.sources] == [(1, True), (2, True), (3, False)]
    assert view.notes == (WARNED.message,)
    assert view.evidence_tokens == 812
    assert view.actions == (ExchangeAction.COPY, ExchangeAction.RETRY, ExchangeAction.WITHOUT_WEB)
    assert view.copied.notes == (WARNED.message,)


def test_a_run_is_seen_while_it_goes_on():
    model = ExchangeModel(ParsedCommand("search", QUESTION))
    assert model.view.status == Status("Starting")
    assert model.view.actions == (ExchangeAction.STOP,)
    drafts: list[str] = []
    for n, event in enumerate(RUN[:-3]):
        model.apply(event, float(n))
        view = model.view
        assert view.state is State.RUNNING
        assert view.footer == ""
        if view.draft and view.draft.tail:
            drafts.append(drawn(view.draft.tail))
    assert drafts == ["- It is **wh**", "- It is **white**. [[2]]\n- It may turn."]
    model.apply(RUN[-3], 20.0)
    assert model.view.draft is None
    assert model.view.answer
    assert model.view.state is State.RUNNING


def test_the_same_events_give_the_same_view_without_the_tokens_too():
    model = ExchangeModel(ParsedCommand("search", QUESTION))
    for n, event in enumerate(RUN):
        if not isinstance(event, TokenArrived):
            model.apply(event, n * 0.5)
    assert model.view == shown(RUN) == shown(RUN)


def test_looking_at_the_view_in_between_changes_nothing():
    model = ExchangeModel(ParsedCommand("search", QUESTION))
    for n, event in enumerate(RUN):
        model.apply(event, n * 0.5)
        assert model.view == model.view
    assert model.view == shown(RUN)


@each_row(
    "end",
    [ANSWERED, ClarifyAsked("Which lamp?"), Failed(Message("No."), Message("Do.")), Cancelled()],
)
@each_row("late", [*RUN, Failed(Message("Late.")), Cancelled()])
def test_nothing_counts_that_comes_after_the_end(end: RunEvent, late: RunEvent):
    assert shown([*RUN[:11], end, late]) == shown([*RUN[:11], end])


def test_a_question_asked_back_can_be_answered_in_place():
    view = shown([*RUN[:4], ClarifyAsked("Which lamp?", Usage(1, 200, 20))])
    assert (view.state, view.clarify) == (State.CLARIFYING, "Which lamp?")
    assert view.actions == (ExchangeAction.REPLY, ExchangeAction.WITHOUT_WEB)
    assert view.footer == "1 model call · 2.0 s"
    assert view.status.text


def test_a_failure_says_what_failed_and_what_mends_it():
    view = shown(
        [
            Failed(
                Message("SearXNG does not answer."),
                Message("askance up"),
                "SearXNG",
                "http://127.0.0.1:1",
            )
        ]
    )
    assert view.state is State.FAILED
    assert view.failure
    assert (view.failure.problem, view.failure.fix) == ("SearXNG does not answer.", "askance up")
    assert view.actions == (ExchangeAction.RETRY, ExchangeAction.WITHOUT_WEB)
    assert view.status == Status("Failed")


def test_a_failure_in_the_middle_says_how_far_it_came():
    assert shown([*RUN[:13], Failed(Message("No."))]).status.text == "Searched once, read 1 page"


@pytest.mark.parametrize(
    ("end", "text"),
    [(Cancelled(), "It was **lit"), (Failed(Message("The stream broke.")), "")],
)
def test_what_was_written_stays_in_sight_when_a_run_is_cut_off(end: RunEvent, text: str):
    view = shown([SourcesReady(SOURCES), TokenArrived("It was **lit"), end])
    assert view.draft
    assert view.draft.tail
    assert drawn(view.draft.tail) == "It was **lit**"
    assert view.answer is None
    assert view.text == text
    assert (ExchangeAction.COPY in view.actions) is bool(text)
    if text:
        assert "Stopped" in with_sources(view.copied)


def test_a_stopped_answer_looks_the_same_from_the_history():
    events = [SourcesReady(SOURCES), TokenArrived("hm"), DraftRetracted(), TokenArrived("It *was")]
    live = shown([*events, Cancelled()])
    assert shown([SourcesReady(SOURCES), Cancelled("It *was")]) == live


def test_a_chat_shows_no_search():
    view = shown([TokenArrived("Hel"), TokenArrived("lo."), CHATTED], "chat")
    assert view.trace == ()
    assert view.status == Status("")
    assert view.footer == "1 model call · 2.0 s"
    assert view.actions == (ExchangeAction.WITH_WEB, ExchangeAction.COPY, ExchangeAction.RETRY)
    assert view.answer
    assert drawn(view.answer.pieces) == "Hello."
    assert view.notes == ("From memory, not checked.",)


def test_a_chat_says_when_the_model_begins_to_write():
    model = ExchangeModel(ParsedCommand("chat", "Hi"))
    model.apply(TokenArrived("Hel"), 0.1)
    assert model.view.status == Status("Writing")
    assert model.view.progress is None


@pytest.mark.parametrize(
    ("outcome", "note"),
    [
        (Outcome.INSUFFICIENT, "The sources do not answer the question in full."),
        (Outcome.PASSAGES_ONLY, "Passages only: no model wrote this."),
    ],
)
def test_an_answer_that_is_less_than_one_says_so(outcome: Outcome, note: str):
    end = Answered("Not found.", (), (), outcome, 1, Usage(1), (Message("Old news."),), 900)
    view = shown([end])
    assert view.notes == ("Old news.", note)


def test_an_answer_that_says_itself_that_nothing_was_found_is_not_told_of_its_sources():
    nothing = Message("I could not find anything about this in your library.")
    end = Answered(nothing, (), (), Outcome.INSUFFICIENT, 0, Usage(), (), 10, opening=nothing)
    assert shown([end]).notes == ()


def test_a_warning_is_noted_once():
    view = shown([WARNED, WARNED, Warned(WARNED.code, Message("Another one."))])
    assert view.notes == (WARNED.message, "Another one.")


def test_text_that_hides_or_reorders_is_cleaned_before_it_is_shown():
    hidden = Answered("a\u202eb [1].", (), (), Outcome.WEB, 1, Usage(), (Message("w\x1b[31m"),), 10)
    view = shown([hidden])
    assert view.text == "ab [1]."
    assert view.notes == ("w[31m",)


def test_what_left_the_machine_stands_last_and_quiet():
    sent = [
        RequestSent(Sending.QUERY, "its engines", Message("SearXNG"), "lamp"),
        RequestSent(Sending.PAGE, "ferry.skarn.example", Message("this program"), FERRY),
        RequestSent(Sending.PAGE, "gazette.skarn.example", Message("this program"), GAZETTE),
        RequestSent(Sending.PAGE, "gazette.skarn.example", Message("this program"), GAZETTE),
        RequestSent(Sending.MODEL, "gpu.example:11434", Message("this program"), "m"),
    ]
    row = shown([*RUN[:5], *sent, *RUN[5:]]).trace[-1]
    assert row.label == "Sent"
    reports = [[cell.text for cell in line] for line in row.lines]
    assert reports[0] == [
        "2 queries",
        "3 pages asked for at 2 hosts",
        "the question and what was found, to the model at gpu.example:11434",
    ]
    assert ["ferry.skarn.example", "through this program"] in reports
    assert len(reports) == 6


def test_pages_that_nobody_waited_for_say_so():
    requested = [PageRequested(FERRY, 1), PageRequested(GAZETTE, 1)]
    read = PageRead(FERRY, PageStatus.OK, PageReason.NONE, NOTHING, "T", 12, 100)
    while_reading = shown([*requested, read])
    assert [c.text for c in while_reading.trace[0].lines[1]] == ["reading", "gazette.skarn.example"]
    after = shown([*requested, read, SourcesReady(SOURCES)])
    assert [c.text for c in after.trace[0].lines[1]] == ["not waited for", "gazette.skarn.example"]


def test_the_answer_that_was_checked_stays_as_it_is_when_the_run_ends():
    model = ExchangeModel(ParsedCommand("search", QUESTION))
    for event in RUN[:-1]:
        model.apply(event, 1.0)
    checked = model.view.answer
    assert checked is not None
    model.apply(RUN[-1], 2.0)
    assert model.view.answer is checked


def test_an_answer_whose_sources_change_at_the_end_names_only_those():
    model = ExchangeModel(ParsedCommand("search", QUESTION))
    for event in (*RUN[:-1], replace(ANSWERED, sources=SOURCES[1:])):
        model.apply(event, 1.0)
    assert model.view.answer
    assert "[[1" not in drawn(model.view.answer.pieces)
    assert "[[2" in drawn(model.view.answer.pieces)


def test_reasoning_that_was_shown_as_the_answer_is_taken_back():
    model = ExchangeModel(ParsedCommand(CHAT, "How tall is it?"))
    model.apply(SourcesReady(SOURCES), 0.0)
    model.apply(TokenArrived("Okay, the user asks.\n\nHm."), 0.1)
    assert model.view.draft is not None
    model.apply(DraftRetracted(), 0.2)
    assert model.view.draft is None
    model.apply(TokenArrived("It is 47 m."), 0.3)
    draft = model.view.draft
    assert draft is not None
    assert "Okay" not in repr(draft)
    assert "47 m" in repr(draft)
