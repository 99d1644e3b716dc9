"""One question and all that is shown of it: a fold over the events of its run, with the answer while it is written.

The same events at the same seconds give the same view, so a run from the history looks as it did.
The tokens may be missing there: of a run that ended with an answer or a question nothing that they
brought is left, because the checked text takes the place of the draft. A run that was stopped or
failed goes on showing what was written until then; of one that was stopped its end has that, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from askance.citations.markdown.answer_markers import (
    numbered_from_one,
    numbers_from_one,
    numbers_in,
    renumbered,
)
from askance.domain import events
from askance.domain.characters import clean_event
from askance.domain.checked_text import CheckProposal
from askance.domain.conversation import (
    CHECK,
    Outcome,
    ParsedCommand,
    QuoteOrigin,
    TextTask,
    asks_files,
    from_memory,
    rests_on,
    searches,
)
from askance.domain.evidence import Citation, Disagreement, Source, Support
from askance.domain.history import ConversationRecord, Exchange
from askance.domain.messages import FixKind, Message, fix_of
from askance.domain.web_pages import PageStatus, is_web_address
from askance.presentation.answers import (
    SourceRow,
    as_of_text,
    cost_text,
    found_text,
    headline,
    in_own_words,
    origin_note,
    source_rows,
)
from askance.presentation.i18n import duration, plural, term, tr
from askance.presentation.missing_parts import Blocks, in_window_step, in_window_words, missing_part
from askance.presentation.progress import RunProgress, Status
from askance.presentation.source_line import LineSource, SourceLine, cited_first
from askance.presentation.steps import Trace, TraceRow, shortened
from askance.ui.overlay.answer.answer_draft import AnswerDraft, DraftView
from askance.ui.overlay.answer.citation_links import QuoteLanguage, language_of_quote
from askance.ui.overlay.answer.copying import AnswerText
from askance.ui.overlay.answer.markup import Piece, Rendered, render
from askance.ui.overlay.conversation.field import Chip

_FIX_LABELS = {
    FixKind.START_SERVICES: term("Start SearXNG"),
    FixKind.ALLOW_SEARCH: term("Use built-in search"),
    FixKind.DOWNLOAD_MODEL: term("Choose a model"),
    FixKind.SET_UP_SEARCH: term("Set up search"),
    FixKind.DIAGNOSE: term("Troubleshoot"),
    FixKind.USE_PROXY: term("Use the proxy"),
}


def label_of(fix: FixKind) -> str:
    """Return what stands on the button of a failure that a click can fix."""
    return tr(_FIX_LABELS[fix])


_LONGEST_NOTE = 500
# From a minute on both are said.
_SECONDS_ALONE = 60


class State(StrEnum):
    """Where an exchange stands. One that is waiting is asked once the ones before it have ended."""

    WAITING = "waiting"
    RUNNING = "running"
    ANSWERED = "answered"
    CLARIFYING = "clarifying"
    FAILED = "failed"
    STOPPED = "stopped"


class ExchangeAction(StrEnum):
    """What a person can do with an exchange."""

    STOP = "stop"
    COPY = "copy"
    RETRY = "retry"
    OTHER_MODEL = "other_model"
    EDIT = "edit"
    WITH_WEB = "with_web"
    WITHOUT_WEB = "without_web"
    ALLOW_WORDS = "allow_words"
    """Search again with the words that were held back."""
    ASK_NOW = "ask_now"
    DROP = "drop"
    REPLY = "reply"
    REWORD = "reword"
    """Word the text otherwise: shorter, friendlier."""
    ASK = "ask"
    """Ask a question that goes on from the answer."""
    CONFIRM = "confirm"
    """Let what a text would be checked by leave this computer."""
    ADD_SOURCES = "add_sources"
    """Put the pages that it cites into the library."""
    SHOW_STEPS = "show_steps"
    PRINT = "print"
    DELETE = "delete"


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is no answer, and what fixes it."""

    problem: str
    fix: str = ""
    quick_fix: FixKind | None = None
    title: str = ""
    """That of the missing part, in English."""
    blocks: Blocks = Blocks.ONE_QUESTION


@dataclass(frozen=True, slots=True)
class OriginTag:
    """Where an answer or its question comes from, in few words; `tip` says more. `is_own`: from the user's library."""

    text: str
    tip: str = ""
    is_own: bool = False


@dataclass(frozen=True, slots=True)
class ExchangeView:
    """Everything that the window shows of a question.

    `progress` is None where no determinate line is drawn. `answer` takes the place of `draft` once
    it is checked; `answer.doubts` and the links in it are explained by `citations` (`quote_of`).
    `evidence_tokens` is what the evidence weighs, for the bar at the bottom. Sources and citations have the
    numbers that are shown: from 1, as the answer cites them.
    """

    asked: ParsedCommand
    state: State = State.RUNNING
    status: Status = field(default_factory=Status)
    progress: float | None = None
    round: int = 0
    evidence_tokens: int = 0
    trace: tuple[TraceRow, ...] = ()
    draft: DraftView | None = None
    answer: Rendered | None = None
    text: str = ""
    sources: tuple[SourceRow, ...] = ()
    source_line: tuple[LineSource, ...] = ()
    """What was found, from the first result on."""
    known_sources: tuple[Source, ...] = ()
    citations: tuple[Citation, ...] = ()
    quote_languages: tuple[QuoteLanguage, ...] = ()
    """Those of the citations: they are recognised beside the window."""
    as_of: str = ""
    """Of which day the answer is, where that matters."""
    disagreements: tuple[Disagreement, ...] = ()
    """What sources disagree in, by the numbers that are shown."""
    notes: tuple[str, ...] = ()
    """Amber sentences below the answer."""
    origin: OriginTag | None = None
    """Where the answer comes from, where that is not the web."""
    expected_s: int = 0
    """The seconds that such a run takes here; 0 where that is not known."""
    took: str = ""
    """For how long it went on."""
    held_back: tuple[str, ...] = ()
    """What queries were sent without: one of the notes says so."""
    footer: str = ""
    clarify: str = ""
    proposal: CheckProposal | None = None
    """What would be searched for a text, while that is not confirmed."""
    failure: Failure | None = None

    @property
    def ended(self) -> bool:
        """Whether nothing more will come."""
        return self.state not in {State.WAITING, State.RUNNING}

    @property
    def actions(self) -> tuple[ExchangeAction, ...]:
        """What can be done with it now, in the order in which it is offered."""
        web = (ExchangeAction.WITHOUT_WEB,) if searches(self.asked.command) else ()
        # No model has a part in the check of a text.
        again = (ExchangeAction.RETRY, ExchangeAction.EDIT) if self.is_check else _AGAIN
        # Nothing of an answer from memory was checked: to search for it is offered beside the line that says
        # so (decision 19).
        if from_memory(self.asked.command):
            web = (ExchangeAction.WITH_WEB,)
        match self.state:
            case State.WAITING if self.is_unconfirmed:
                return ()
            case State.WAITING:
                return (ExchangeAction.ASK_NOW, ExchangeAction.DROP)
            case State.RUNNING:
                return (ExchangeAction.STOP,)
            case State.ANSWERED:
                cited = (ExchangeAction.ADD_SOURCES,) if self.cited_pages else ()
                return (ExchangeAction.COPY, *again, *web, *cited, *_LATER)
            case State.CLARIFYING:
                return (ExchangeAction.REPLY, ExchangeAction.EDIT, *web, ExchangeAction.DELETE)
            case State.STOPPED if self.text:
                return (ExchangeAction.COPY, *again, *web, *_LATER)
            case State.FAILED | State.STOPPED:
                return (*again, *web, ExchangeAction.SHOW_STEPS, ExchangeAction.DELETE)

    @property
    def is_check(self) -> bool:
        """Whether a text is compared with the web."""
        return self.asked.command == CHECK

    @property
    def is_unconfirmed(self) -> bool:
        """Whether it is the check of a text that nobody has confirmed yet."""
        return self.is_check and self.asked.claims is None and not self.ended

    @property
    def copied(self) -> AnswerText:
        """What a copy of it is made of."""
        stopped = (tr("Stopped"),) if self.state is State.STOPPED else ()
        # A copy says what the line above the answer says: that nothing of it was checked.
        origin = (self.origin.text,) if self.origin and not self.origin.is_own else ()
        notes = (*self.notes, *origin, *stopped)
        sources, disagreements = self.known_sources, self.disagreements
        return AnswerText(self.text, sources, self.citations, notes, disagreements, self.as_of)

    @property
    def is_rewritten(self) -> bool:
        """Whether it is a text of the user's in other words, which may take its place."""
        is_done = self.state is State.ANSWERED and bool(self.asked.quote)
        return is_done and self.asked.command in _REWRITING

    @property
    def is_of_selection(self) -> bool:
        """Whether it is about what was selected in another program."""
        return self.asked.origin is QuoteOrigin.SELECTED

    def reworded(self, how: str) -> ParsedCommand:
        """Ask for the text of the answer in other words: shorter, friendlier."""
        return ParsedCommand(TextTask.REWRITE.value, how, self.text, self.asked.origin)

    @property
    def cited_pages(self) -> tuple[str, ...]:
        """The addresses of the pages of the web that it cites."""
        pages = (row.address for row in self.sources if row.cited)
        return tuple(dict.fromkeys(page for page in pages if is_web_address(page)))

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """The answer, or as much of it as was written."""
        if self.answer is not None:
            return self.answer.pieces
        return (*self.draft.pieces, *self.draft.tail) if self.draft is not None else ()

    @property
    def tags(self) -> tuple[OriginTag, ...]:
        """What is said before the line of the run: what the question is about, and where the answer comes from."""
        quote, origin = self.asked.quote, self.asked.origin
        about = Chip(origin, quote) if quote else None
        quoted = (OriginTag(about.label, about.preview),) if about else ()
        if origin is QuoteOrigin.ATTACHED:
            quoted = (OriginTag(", ".join(quote.splitlines())),)
        # Their own text in other words is nothing that could be checked.
        return (*quoted, self.origin) if self.origin and not self.is_rewritten else quoted


# Of the others the result says something about the text, and does not stand for it.
_REWRITING = frozenset({TextTask.REWRITE, TextTask.REFINE, TextTask.TRANSLATE})
_AGAIN = (ExchangeAction.RETRY, ExchangeAction.OTHER_MODEL, ExchangeAction.EDIT)
_LATER = (ExchangeAction.SHOW_STEPS, ExchangeAction.PRINT, ExchangeAction.DELETE)


class ExchangeModel:
    """Folds the events of one run into its view."""

    def __init__(self, asked: ParsedCommand) -> None:
        self._view = ExchangeView(asked)
        self._progress = RunProgress(asked.command)
        self._trace = Trace()
        self._drafting = AnswerDraft()
        self._written: list[str] = []
        self._pages_read = 0
        self._line = SourceLine()
        # As the run has them: its numbers are those of the evidence.
        self._sources: tuple[Source, ...] = ()
        self._checked: tuple[object, ...] | None = None
        self._disagreements: tuple[Disagreement, ...] = ()
        self._notes: list[Message | str] = []
        self._numbers: Mapping[int, int] = {}

    def apply(self, event: events.RunEvent, at_s: float) -> None:
        """Take in an event that came at this second of the run; after the end nothing counts."""
        if self._view.ended:
            return
        # Once for all that is shown: pages and models write characters that hide others or turn
        # their order.
        event = clean_event(event)
        self._progress.apply(event)
        self._trace.apply(in_window_step(event), at_s)
        self._line.apply(event)
        match event:
            case events.SearchStarted(round=round_) | events.GapFound(round=round_):
                self._change(round=max(self._view.round, round_))
            case events.PageRead(status=PageStatus.OK):
                self._pages_read += 1
            case events.PassagesSelected(tokens=tokens):
                weight = self._view.evidence_tokens + tokens
                self._change(evidence_tokens=weight)
            case events.SourcesReady(sources=sources):
                self._drafting.know(sources)
                self._sources = sources
            case events.TokenArrived() | events.DraftRetracted():
                self._draft(event)
            case events.CitationsChecked(text=text, citations=citations):
                self._check(text, citations)
            case events.Warned(message=message, words=words):
                self._change(held_back=(*self._view.held_back, *words))
                self._note(message)
            case events.Answered() | events.ClarifyAsked() | events.Failed() | events.Cancelled():
                self._end(event, at_s)
            case _:
                pass

    def take(self, timed: Iterable[tuple[float, events.RunEvent]]) -> ExchangeView:
        """Take in events, each with its second of the run, and return all that is shown then."""
        for at_s, event in timed:
            self.apply(event, at_s)
        return self.view

    @property
    def view(self) -> ExchangeView:
        """All that is shown now."""
        if self._view.ended:
            return self._view
        draft = None if self._view.answer else self._drafting.view
        return replace(
            self._view,
            status=self._progress.status,
            progress=self._progress.fraction,
            expected_s=self._progress.expected_s,
            trace=self._trace.rows,
            draft=draft,
            **self._listed(),
        )

    def _change(self, **changes: Any) -> None:
        self._view = replace(self._view, **changes)

    def _draft(self, event: events.TokenArrived | events.DraftRetracted) -> None:
        self._drafting.take(event)
        if isinstance(event, events.TokenArrived):
            self._written.append(event.text)
        else:
            self._written.clear()

    def _listed(self) -> dict[str, Any]:
        """Return what is shown of the sources: cited are those that the draft cites until it is checked."""
        if self._checked is not None:
            known, citations = self._view.known_sources, self._view.citations
        else:
            cited = self._drafting.cited
            numbers = numbers_from_one(cited, {source.n for source in self._sources})
            known = renumbered(self._sources, numbers)
            citations = _unchecked(sorted(cited.values()))
        # A source that is named in the table alone has its number from there.
        named = _unchecked(_named_in(self._view.disagreements))
        rows = source_rows(known, (*citations, *named))
        return {"known_sources": known, "sources": rows, "source_line": self._line.sources(rows)}

    def _check(self, text: str, citations: tuple[Citation, ...]) -> None:
        # The end of a run says once more what was checked; it takes long to render.
        if (checked := (text, citations, self._sources, self._disagreements)) == self._checked:
            return
        self._checked = checked
        named = _named_in(self._disagreements)
        numbered = numbered_from_one(text, self._sources, citations, named)
        self._numbers = numbered.numbers
        urls = {source.url for source in numbered.sources} or None
        numbers = {source.n for source in numbered.sources}
        answer = render(numbered.text, numbers, numbered.citations, urls)
        # A long answer cites one passage for many of its sentences that are alike.
        alike = {(c.quote, c.sentence): c for c in numbered.citations}
        known = {words: language_of_quote(citation) for words, citation in alike.items()}
        languages = tuple(known[c.quote, c.sentence] for c in numbered.citations)
        self._change(
            answer=answer,
            text=numbered.text,
            known_sources=numbered.sources,
            citations=numbered.citations,
            quote_languages=languages,
            disagreements=tuple(d.renumbered(numbered.numbers) for d in self._disagreements),
        )
        self._show_notes()

    def _note(self, note: Message | str) -> None:
        if note not in self._notes:
            self._notes.append(note)
            self._show_notes()

    def _show_notes(self) -> None:
        texts = dict.fromkeys(numbers_in(_shown_text(n), self._numbers) for n in self._notes)
        self._change(notes=tuple(text for text in texts if text))

    def _end(
        self,
        end: events.Answered | events.ClarifyAsked | events.Failed | events.Cancelled,
        at_s: float,
    ) -> None:
        draft = None
        self._change(took=_whole(1000 * at_s))
        match end:
            case events.Answered():
                self._answer(end)
                status = self._found(end)
                self._change(
                    footer=cost_text(end.usage, end.elapsed_ms), took=_whole(end.elapsed_ms)
                )
            case events.ClarifyAsked(question=question):
                footer = cost_text(end.usage, round(1000 * at_s))
                self._change(state=State.CLARIFYING, clarify=question, footer=footer)
                status = tr("One question first")
            case events.Failed() as failed:
                part = missing_part(failed)
                # Of a stored question it is not true that it waits.
                waits = part.blocks in (Blocks.WEB, Blocks.MODEL)
                more = "" if waits else _shown_text(part.sentence)
                title = f"{_shown_text(part.title)}."
                # What starts or downloads a model stands below the ask bar, which knows what is there.
                fix = None if part.blocks is Blocks.MODEL else fix_of(failed.fix)
                failure = Failure(title, more, fix, part.title, part.blocks)
                problem = _shown_text(failed.problem)
                # What failed the run has often been noted on the way.
                notes = tuple(n for n in self._view.notes if problem not in n)
                self._change(state=State.FAILED, failure=failure, notes=notes)
                status = headline(self._view.round, self._pages_read) or tr("No answer")
                draft = self._drafting.view
            case events.Cancelled(text=text):
                # From the history: there the end has what was written, and no tokens are stored
                # (decision 45).
                if text and not self._written:
                    self._draft(events.TokenArrived(text))
                written = self._view.text or "".join(self._written).strip()
                self._change(state=State.STOPPED, text=written)
                status = tr("Stopped")
                draft = self._drafting.view
        self._change(
            status=Status(status),
            trace=self._trace.rows,
            draft=None if self._view.answer else draft,
            **self._listed(),
        )
        if self._view.state is State.ANSWERED:
            # Once, when the answer ends: while it is read nothing moves.
            self._change(source_line=cited_first(self._view.source_line))

    def _found(self, end: events.Answered) -> str:
        if self._view.is_check:
            return headline(end.rounds, end.usage.pages_read)
        if end.outcome is Outcome.LIBRARY and end.sources:
            return plural("{n} document", "{n} documents", len(end.sources))
        return found_text(end, self._view.asked.command)

    def _answer(self, end: events.Answered) -> None:
        self._sources, self._disagreements = end.sources, end.disagreements
        self._change(state=State.ANSWERED, as_of=as_of_text(end))
        self._check(*in_own_words(end))
        for message in end.warnings:
            self._note(message)
        asked = self._view.asked
        if end.outcome is Outcome.LIBRARY:
            # Attached files are in no library, and stand above the question.
            if not asks_files(asked.command):
                self._change(origin=OriginTag(tr("From your library"), is_own=True))
        elif note := origin_note(end, asked.command, asked.quote):
            if rests_on(end.outcome, asked.command, asked.quote) in _UNCHECKED:
                self._change(origin=OriginTag(note.removesuffix(".")))
            else:
                self._note(note)


# What is no fault: a quiet word about it will do.
_UNCHECKED = frozenset({Outcome.MEMORY, Outcome.GIVEN, Outcome.HISTORY})


def _whole(ms: float) -> str:
    """Return a time as one would say it: nobody asks for the tenths."""
    seconds = max(1, round(ms / 1000))
    return tr("{n} s", n=seconds) if seconds < _SECONDS_ALONE else duration(ms)


def _named_in(disagreements: Iterable[Disagreement]) -> tuple[int, ...]:
    """Return the numbers of the sources that take sides, in order."""
    return tuple(n for d in disagreements for position in d.positions for n in position.sources)


def _unchecked(numbers: Iterable[int]) -> tuple[Citation, ...]:
    return tuple(Citation(n, "", 0, 0, Support.SUPPORTED) for n in numbers)


def waiting(asked: ExchangeView) -> ExchangeView:
    """Return a question that waits for the ones before it."""
    return replace(asked, state=State.WAITING, status=Status(tr("Waiting for the answer above")))


def proposed(asked: ExchangeView, proposal: CheckProposal | None = None) -> ExchangeView:
    """Return a text that is to be checked, with what would be searched for it once that is known."""
    status = tr("Nothing has left this computer yet") if proposal else tr("Reading the text")
    return replace(asked, state=State.WAITING, status=Status(status), proposal=proposal)


def dropped(waited: ExchangeView) -> ExchangeView:
    """Return a question that waited and was not asked."""
    return replace(waited, state=State.STOPPED, status=Status(tr("Removed")))


def fold(
    record: ConversationRecord, asked_in: Callable[[Exchange], ParsedCommand]
) -> list[ExchangeView]:
    """Return the exchanges of a stored conversation as they looked, oldest first."""
    views: list[ExchangeView] = []
    for stored in record.exchanges:
        model = ExchangeModel(asked_in(stored))
        view = model.take((timed.at_s, timed.event) for timed in stored.events)
        if not view.ended:
            # The program was killed in it, or its end cannot be read.
            view = model.take(
                [(0.0, events.Failed(stored.damage or Message("This run was not finished.")))]
            )
        views.append(view)
    return views


def _shown_text(text: str) -> str:
    """Return a sentence in the reader's language; what quotes a page or a service has an end."""
    return shortened(in_window_words(text), _LONGEST_NOTE)
