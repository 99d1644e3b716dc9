"""One question and all that is shown of it, folded from the events of its run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from askance.domain.conversation import CHAT, Outcome, ParsedCommand, QuoteOrigin, Usage
from askance.domain.events import (
    Answered,
    Cancelled,
    CitationsChecked,
    ClarifyAsked,
    DraftRetracted,
    Failed,
    PageRead,
    PageRequested,
    RequestSent,
    ResultsFound,
    RunEvent,
    Sending,
    SourcesReady,
    TimeExpected,
    TokenArrived,
    Warned,
)
from askance.domain.evidence import Citation, Source, Support
from askance.domain.messages import NOTHING, Message
from askance.domain.web_pages import PageReason, PageStatus
from askance.presentation.progress import Status
from askance.presentation.source_line import SourceState
from askance.ui.overlay.answer.copying import with_sources
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
    assert view.actions[:2] == (ExchangeAction.COPY, ExchangeAction.RETRY)
    assert ExchangeAction.WITHOUT_WEB in view.actions
    assert ExchangeAction.ADD_SOURCES in view.actions
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
    assert view.actions[0] is ExchangeAction.REPLY
    assert ExchangeAction.WITHOUT_WEB in view.actions
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
    assert view.failure.problem == "No engine answered."
    assert view.failure.fix == "Some refuse an address that asks often; this passes."
    assert view.actions[0] is ExchangeAction.RETRY
    assert ExchangeAction.COPY not in view.actions
    assert view.status == Status("No answer")


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
    again = shown([SourcesReady(SOURCES), Cancelled("It *was")])
    assert replace(again, took=live.took) == live


def test_a_chat_shows_no_search():
    view = shown([TokenArrived("Hel"), TokenArrived("lo."), CHATTED], "chat")
    assert view.trace == ()
    assert view.status == Status("")
    assert view.footer == "1 model call · 2.0 s"
    assert ExchangeAction.WITH_WEB in view.actions
    assert ExchangeAction.WITHOUT_WEB not in view.actions
    assert view.answer
    assert drawn(view.answer.pieces) == "Hello."
    assert view.notes == ()
    assert [tag.text for tag in view.tags] == ["From memory, not checked"]
    # Whoever pastes it elsewhere is to know it as well.
    assert "From memory, not checked" in with_sources(view.copied)


def test_a_chat_says_when_the_model_begins_to_write():
    model = ExchangeModel(ParsedCommand("chat", "Hi"))
    model.apply(TokenArrived("Hel"), 0.1)
    assert model.view.status == Status("Writing")
    assert model.view.progress is None


@pytest.mark.parametrize(
    ("outcome", "note"),
    [
        (Outcome.INSUFFICIENT, "The sources do not answer the question in full."),
        (Outcome.PASSAGES_ONLY, "Quotes only, no model."),
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


def test_notes_and_steps_name_no_command_of_a_terminal():
    warned = Warned(WARNED.code, Message("Nothing is embedded. `askance library embed` does it."))
    detail = Message("The reader is off. `askance up` starts it.")
    read = PageRead(FERRY, PageStatus.FAILED, PageReason.TIMED_OUT, detail, "", 0, 5)
    down = Failed(
        Message("Ollama is off. Try `ollama serve`."), fix=Message("Type `ollama serve`.")
    )
    asked = PageRequested(FERRY, 1)
    view = shown([asked, read, warned, down])
    assert view.notes == ("Nothing is embedded.",)
    cells = [cell.text for row in view.trace for cells in row.lines for cell in cells]
    assert any("The reader is off." in text for text in cells)
    assert not [text for text in cells if "`" in text]


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


LATE = tuple(
    Source(n, f"https://page{n}.example/a", f"Page {n}", f"page{n}.example", None, False)
    for n in (7, 9, 12)
)
LATE_TEXT = "It is white [12]. It was lit in 1887 [7][12]. It turns."


def test_numbers_begin_at_one_and_are_the_same_in_the_draft_and_in_the_answer():
    model = ExchangeModel(ParsedCommand("search", QUESTION))
    model.apply(SourcesReady(LATE), 1.0)
    model.apply(TokenArrived(LATE_TEXT[:20]), 2.0)
    writing = model.view
    assert writing.draft
    assert "[[1]]" in drawn(writing.draft.tail)
    assert next((row.n, row.place, row.cited) for row in writing.sources) == (
        1,
        "page12.example",
        True,
    )
    start = LATE_TEXT.index("It was lit")
    sentence = "It was lit in 1887 [7][12]."
    citations = (
        Citation(7, sentence, start, start + len(sentence), Support.SUPPORTED, "lit in 1887"),
        Citation(12, "It is white [12].", 0, 17, Support.WEAK, "white"),
    )
    model.apply(TokenArrived(LATE_TEXT[20:]), 3.0)
    model.apply(CitationsChecked(LATE_TEXT, citations, 0, 0), 4.0)
    warned = Warned(WARNED.code, Message("Sources disagree: [7] says 1887, [9] says 1890."))
    model.apply(warned, 4.0)
    model.apply(Answered(LATE_TEXT, LATE, citations, Outcome.WEB, 1, Usage(), (), 5000), 5.0)
    view = model.view
    assert view.text == "It is white [1]. It was lit in 1887 [2][1]. It turns."
    assert [(s.n, s.host) for s in view.known_sources] == [
        (1, "page12.example"),
        (2, "page7.example"),
        (3, "page9.example"),
    ]
    assert [c.n for c in view.citations] == [2, 1]
    assert [view.text[c.start : c.end] for c in view.citations] == [
        "It was lit in 1887 [2][1].",
        "It is white [1].",
    ]
    assert view.notes == ("Sources disagree: [2] says 1887, [3] says 1890.",)
    assert "[1] Page 12" in with_sources(view.copied)


def test_the_first_source_is_known_with_the_first_result_and_the_cited_ones_come_first():
    model = ExchangeModel(ParsedCommand("search", QUESTION))
    urls = tuple(source.url for source in LATE)
    gone = "https://gone.example/x"
    model.apply(ResultsFound("q", 3, 3, (), NOTHING, 5, urls=(*urls, gone)), 0.1)
    assert [tile.name for tile in model.view.source_line][:2] == ["page7.example", "page9.example"]
    assert {tile.state for tile in model.view.source_line} == {SourceState.WAITING}
    for url in (*urls, gone):
        model.apply(PageRequested(url, 1), 0.2)
    for url in urls:
        model.apply(PageRead(url, PageStatus.OK, PageReason.NONE, NOTHING, "T", 9, 5), 1.0)
    model.apply(PageRead(gone, PageStatus.FAILED, PageReason.TIMED_OUT, NOTHING, "", 0, 5), 1.0)
    model.apply(SourcesReady(LATE), 1.5)
    model.apply(TokenArrived(LATE_TEXT[:20]), 2.0)
    # While it is read nothing moves; a letter becomes a number.
    assert [tile.sign for tile in model.view.source_line] == [
        "P",
        "P",
        "1",
        "\N{MULTIPLICATION SIGN}",
    ]
    model.apply(
        Answered(
            LATE_TEXT,
            LATE,
            (Citation(12, "", 0, 17, Support.SUPPORTED),),
            Outcome.WEB,
            1,
            Usage(),
            (),
            5,
        ),
        3,
    )
    assert [tile.name for tile in model.view.source_line] == [
        "page12.example",
        "page7.example",
        "page9.example",
        "gone.example",
    ]


def test_what_is_of_the_users_own_library_says_so_without_a_warning():
    end = Answered("412 [1].", SOURCES[:1], (), Outcome.LIBRARY, 0, Usage(1), (), 4000)
    view = shown([TimeExpected(9), end])
    assert [(tag.text, tag.is_own) for tag in view.tags] == [("From your library", True)]
    assert (view.notes, view.status.text, view.took) == ((), "1 document", "4 s")
    assert "From your library" not in with_sources(view.copied)


def test_a_text_in_other_words_may_take_the_place_of_the_selection():
    asked = ParsedCommand("refine", "", "It were lit.", QuoteOrigin.SELECTED)
    model = ExchangeModel(asked)
    model.apply(Answered("It was lit.", (), (), Outcome.GIVEN, 0, Usage(1), (), 400), 0.4)
    assert model.view.is_rewritten
    assert [tag.text for tag in model.view.tags] == ["Selected text, 3 words"]
    assert not shown([ANSWERED]).is_rewritten
