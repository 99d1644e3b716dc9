"""One question and all that is shown of it: a fold over the events of its run, with the answer while it is written.

The same events at the same seconds give the same view, so a run from the history looks as it did.
The tokens may be missing there: of a run that ended with an answer or a question nothing that they
brought is left, because the checked text takes the place of the draft. A run that was stopped or
failed goes on showing what was written until then; of one that was stopped its end has that, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from markdown_it.token import Token

from askance.citations.markdown.grammar import CAN_OPEN, parse_blocks, parse_inline
from askance.citations.markdown.marker_forms import Span
from askance.domain import events
from askance.domain.characters import clean_event
from askance.domain.conversation import ParsedCommand, from_memory, searches
from askance.domain.events import Answered, DraftRetracted, TokenArrived
from askance.domain.evidence import Citation, Source
from askance.domain.history import ConversationRecord
from askance.domain.messages import FixKind, Message, fix_of
from askance.domain.web_pages import PageStatus
from askance.presentation.answers import (
    SourceRow,
    cost_text,
    found_text,
    headline,
    origin_note,
    source_rows,
)
from askance.presentation.i18n import term, tr, translated
from askance.presentation.progress import RunProgress, Status
from askance.presentation.steps import Trace, TraceRow, shortened
from askance.text.languages.scripts import CJK
from askance.ui.overlay.answer.citation_links import QuoteLanguage, language_of_quote
from askance.ui.overlay.answer.markdown_blocks import BlockStream, MarkdownBlock, MarkdownBlockKind
from askance.ui.overlay.answer.markup import AnswerText, Piece, Rendered, render, render_draft

# What can begin emphasis, code, an escape, a marker, a link or an address. Without any of these
# nothing has to be closed.
_OPENING = re.compile(r"[*_~`\\\[<【]")
_TICKS = re.compile(r"`+")
_MARKS_AND_BLANKS = "*_~ \t\n"
# Accepts ` [`, ` [12` and `【3` at the end: more digits and the closing bracket may come.
_HALF_MARKER = re.compile(r"(?<!\\)[ \t]?(?:(?<!\\)\[[0-9]{0,3}|【[0-9]{0,3})$")
# Accepts `[words](https://exa` at the end, of which the words are shown meanwhile.
_HALF_LINK = re.compile(r"(?<!\\)!?(?<!\\)\[([^\[\]\n]{0,500})\]\([^()\s]{0,2000}$")
# Accepts `<https://exa` at the end, which is shown without its bracket.
_HALF_ADDRESS = re.compile(r"(?<!\\)<(https?:[^\s<>]{0,2000})$", re.IGNORECASE)
_CLOSING = frozenset({"strong_close", "em_close", "s_close"})
_UNSPACED = re.compile(f"[{CJK}]")
_PARAGRAPH_END = 2
"""Line breaks behind which a paragraph does not go on."""


@dataclass(frozen=True, slots=True)
class DraftView:
    """What is written so far. `pieces` grows at its end, until it is retracted; `tail` changes."""

    pieces: tuple[Piece, ...]
    tail: tuple[Piece, ...]


class AnswerDraft:
    """Collects the tokens of a run."""

    def __init__(self) -> None:
        self._stream = BlockStream()
        self._numbers: frozenset[int] = frozenset()
        self._urls: frozenset[str] | None = None
        self._pieces: list[Piece] = []
        self._drawn = 0

    def know(self, sources: Sequence[Source]) -> None:
        """Take note of the sources that a marker may name."""
        self._numbers = frozenset(source.n for source in sources)
        self._urls = frozenset(source.url for source in sources) if sources else None

    def add(self, text: str) -> None:
        """Take in what the model wrote next."""
        self._stream.add(text)

    def take(self, event: TokenArrived | DraftRetracted) -> None:
        """Take in what the model wrote next, or forget all of that, and not the sources."""
        if isinstance(event, TokenArrived):
            self.add(event.text)
        else:
            self._stream, self._pieces, self._drawn = BlockStream(), [], 0

    @property
    def view(self) -> DraftView | None:
        """What to show; None while nothing was written."""
        # Finished blocks never change: each is rendered once, however many views are made.
        for block in self._stream.since(self._drawn):
            self._pieces += render_draft(block, self._numbers, self._urls)
        self._drawn = self._stream.count
        tail = self._stream.tail
        shown = render_draft(replace(tail, text=closed(tail)), self._numbers, self._urls)
        return DraftView(tuple(self._pieces), shown) if self._pieces or shown else None


def closed(tail: MarkdownBlock) -> str:
    """Return the text of an open block as it may be drawn: emphasis and code closed at its end.

    Only the last paragraph, heading or cell can still be closed; it is read with the grammar that
    draws it. What may be the first half of a mark, a marker or an address is left out until the
    next character decides.
    """
    text = tail.text.rstrip()
    blanks = tail.text[len(text) :]
    content = _open_content(tail) if blanks.count("\n") < _PARAGRAPH_END else ""
    if not content or not _OPENING.search(content):
        return tail.text
    shown = _closed_inline(content)
    # A half-written mark that was left out may have stood alone on its lines: they go with it.
    if (dropped := content.count("\n") - shown.count("\n")) > 0:
        text, blanks = text.rsplit("\n", dropped)[0].rstrip(), ""
    # In a cell a bar is written with a backslash, and read without.
    written = content.split("\n")[shown.count("\n")].strip().replace("|", r"\|")
    written = written if text.endswith(written) else written.replace(r"\|", "|")
    # A heading may end in signs that are none of its words: `# Title #` (CommonMark 0.31, 4.2).
    if tail.kind is MarkdownBlockKind.HEADING and not text.endswith(written):
        bare = text.rstrip("#").rstrip()
        text, blanks = bare, text[len(bare) :] + blanks
    # Words that are written otherwise than they are read cannot be found in the text. It is left
    # alone then: closing may never show a sign that was not written.
    if not text.endswith(written):
        return tail.text
    return text.removesuffix(written) + shown.rpartition("\n")[2].lstrip() + blanks


def _open_content(tail: MarkdownBlock) -> str:
    """Return the words that come last in a block; "" if it ends with code."""
    for token in reversed(parse_blocks(tail.markdown)):
        if token.content:
            return token.content if token.type == "inline" else ""
    return ""


def _closed_inline(content: str) -> str:
    tokens = parse_inline(content)
    if _ends_with_mark(tokens) and not _opening_marks(tokens):
        return content
    code = _open_code(tokens)
    behind = content[code[1] :].rstrip("`").rstrip() if code else ""
    if code and behind:
        # Code ends with as many backticks as it began with. A blank keeps one of its own at its end
        # from counting among them (CommonMark 0.31, 6.1).
        ticks = content[code[0] : code[1]]
        shown = content[: code[1]] + behind + (" " if behind.endswith("`") else "") + ticks
    else:
        shown = _without_halves(content[: code[0]] if code else content)
    if shown != content:
        tokens = parse_inline(shown)
    marks = [mark for mark, at in _opening_marks(tokens) if not _is_in_word(shown, at)]
    if not marks:
        return shown
    # A few sequences of opening marks, such as `<*<*a`, no sequence of closing ones can close.
    for closing in (marks, marks[-1:]):
        with_ends = shown + "".join(reversed(closing))
        if _is_hidden(with_ends, len(shown)):
            return with_ends
    return shown if code else content


def _is_hidden(text: str, begin: int) -> bool:
    """Whether all marks of emphasis from a place on close something."""
    return not any(
        token.type == "text" and token.content and start >= begin
        for token, (start, _) in parse_inline(text)
    )


def _ends_with_mark(tokens: Sequence[tuple[Token, Span]]) -> bool:
    """Whether the last character of a text closes emphasis."""
    shown = (token for token, _ in reversed(tokens) if token.type != "text" or token.content)
    return next(shown).type in _CLOSING


def _open_code(tokens: Sequence[tuple[Token, Span]]) -> Span | None:
    """Return where the backticks stand that begin code whose end has not come."""
    for token, (start, end) in tokens:
        is_verbatim = token.type == "text" and len(token.content) == end - start
        if is_verbatim and (ticks := _TICKS.search(token.content)):
            return start + ticks.start(), start + ticks.end()
    return None


def _without_halves(text: str) -> str:
    """Return a text without the marks at its end, of which more may come."""
    text = _HALF_ADDRESS.sub(r"\1", _HALF_LINK.sub(r"\1", _HALF_MARKER.sub("", text)))
    while True:
        bare = text.rstrip(_MARKS_AND_BLANKS)
        if _is_escaped(text, len(bare)):
            if escaped := text[len(bare) : len(bare) + 1].strip():
                return bare + escaped
            bare = bare[:-1]
        if bare == text:
            return bare
        text = bare


def _is_escaped(text: str, at: int) -> bool:
    # Backslashes escape each other in pairs: only an odd one is left to escape (CommonMark 0.31, 2.4).
    return (at - len(text[:at].rstrip("\\"))) % 2 == 1


def _opening_marks(tokens: Sequence[tuple[Token, Span]]) -> list[tuple[str, int]]:
    """Return the marks of emphasis that words behind the text may close, each with its place."""
    marks: list[tuple[str, int]] = []
    depth = 0
    for token, (start, _) in tokens:
        depth += token.nesting
        if not depth and token.type == "text" and token.content and CAN_OPEN in token.meta:
            marks.append((token.content, start))
    return marks


def _is_in_word(text: str, at: int) -> bool:
    """Whether a mark of emphasis is taken for itself (2*3), as one within a word is.

    In scripts that part no words, only a single one is.
    """
    mark = text[at]
    before = text[:at].rstrip(mark)[-1:]
    is_doubled = mark in (text[at + 1 : at + 2], text[at - 1 : at])
    return before.isalnum() and not (is_doubled and _UNSPACED.match(before))


_FIX_LABELS = {
    FixKind.START_SERVICES: term("Start it"),
    FixKind.ALLOW_SEARCH: term("Use built-in search"),
    FixKind.DOWNLOAD_MODEL: term("Choose a model"),
    FixKind.SET_UP_SEARCH: term("Set up search"),
    FixKind.DIAGNOSE: term("Find out why"),
    FixKind.USE_PROXY: term("Use the proxy"),
}


def label_of(fix: FixKind) -> str:
    """Return what stands on the button of a failure that a click can fix."""
    return tr(_FIX_LABELS[fix])


_LONGEST_NOTE = 500


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
    WITH_WEB = "with_web"
    WITHOUT_WEB = "without_web"
    ALLOW_WORDS = "allow_words"
    """Search again with the words that were held back."""
    ASK_NOW = "ask_now"
    DROP = "drop"
    REPLY = "reply"


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is no answer, and what fixes it."""

    problem: str
    fix: str = ""
    quick_fix: FixKind | None = None


@dataclass(frozen=True, slots=True)
class ExchangeView:
    """Everything that the window shows of a question.

    `progress` is None where no determinate line is drawn. `answer` takes the place of `draft` once
    it is checked; `answer.doubts` and the links in it are explained by `citations` (`quote_of`).
    `evidence_tokens` is what the evidence weighs, for the bar at the bottom.
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
    known_sources: tuple[Source, ...] = ()
    citations: tuple[Citation, ...] = ()
    quote_languages: tuple[QuoteLanguage, ...] = ()
    """Those of the citations: they are recognised beside the window."""
    notes: tuple[str, ...] = ()
    """Amber sentences below the answer."""
    held_back: tuple[str, ...] = ()
    """What queries were sent without: one of the notes says so."""
    footer: str = ""
    clarify: str = ""
    failure: Failure | None = None

    @property
    def ended(self) -> bool:
        """Whether nothing more will come."""
        return self.state not in {State.WAITING, State.RUNNING}

    @property
    def actions(self) -> tuple[ExchangeAction, ...]:
        """What can be done with it now, in the order in which it is offered."""
        web = (ExchangeAction.WITHOUT_WEB,) if searches(self.asked.command) else ()
        # Nothing of an answer from memory was checked: to search for it is what is offered first
        # (decision 19).
        if from_memory(self.asked.command):
            web = (ExchangeAction.WITH_WEB,)
        match self.state:
            case State.WAITING:
                return (ExchangeAction.ASK_NOW, ExchangeAction.DROP)
            case State.RUNNING:
                return (ExchangeAction.STOP,)
            case State.ANSWERED:
                copy = (ExchangeAction.COPY, ExchangeAction.RETRY)
                return (*web, *copy) if from_memory(self.asked.command) else (*copy, *web)
            case State.CLARIFYING:
                return (ExchangeAction.REPLY, *web)
            case State.STOPPED if self.text:
                return (ExchangeAction.COPY, ExchangeAction.RETRY, *web)
            case State.FAILED | State.STOPPED:
                return (ExchangeAction.RETRY, *web)

    @property
    def copied(self) -> AnswerText:
        """What a copy of it is made of."""
        stopped = (tr("Stopped"),) if self.state is State.STOPPED else ()
        return AnswerText(self.text, self.known_sources, self.citations, (*self.notes, *stopped))


class ExchangeModel:
    """Folds the events of one run into its view."""

    def __init__(self, asked: ParsedCommand) -> None:
        self._view = ExchangeView(asked)
        self._progress = RunProgress(asked.command)
        self._trace = Trace()
        self._drafting = AnswerDraft()
        self._written: list[str] = []
        self._pages_read = 0
        self._cited: set[int] = set()

    def apply(self, event: events.RunEvent, at_s: float) -> None:
        """Take in an event that came at this second of the run; after the end nothing counts."""
        if self._view.ended:
            return
        # Once for all that is shown: pages and models write characters that hide others or turn
        # their order.
        event = clean_event(event)
        self._progress.apply(event)
        self._trace.apply(event, at_s)
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
                self._list(sources)
            case events.TokenArrived() | events.DraftRetracted():
                self._draft(event)
            case events.CitationsChecked(text=text, citations=citations):
                self._check(text, citations)
            case events.Warned(message=message, words=words):
                self._change(held_back=(*self._view.held_back, *words))
                self._note(_shown_text(message))
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
        return replace(
            self._view,
            status=self._progress.status,
            progress=self._progress.fraction,
            trace=self._trace.rows,
            draft=None if self._view.answer else self._drafting.view,
        )

    def _change(self, **changes: Any) -> None:
        self._view = replace(self._view, **changes)

    def _draft(self, event: events.TokenArrived | events.DraftRetracted) -> None:
        self._drafting.take(event)
        if isinstance(event, events.TokenArrived):
            self._written.append(event.text)
        else:
            self._written.clear()

    def _list(self, sources: tuple[Source, ...]) -> None:
        self._change(
            sources=source_rows(sources, self._view.citations),
            known_sources=sources,
        )

    def _check(self, text: str, citations: tuple[Citation, ...]) -> None:
        view = self._view
        numbers = {source.n for source in view.known_sources}
        answer = view.answer
        # The end of a run says once more what was checked; it takes long to render.
        if answer is None or (text, citations, numbers) != (view.text, view.citations, self._cited):
            urls = {source.url for source in view.known_sources} or None
            answer = render(text, numbers, citations, urls)
        self._cited = numbers
        languages = view.quote_languages
        if citations != view.citations:
            # A long answer cites one passage for many of its sentences that are alike.
            alike = {(citation.quote, citation.sentence): citation for citation in citations}
            known = {words: language_of_quote(citation) for words, citation in alike.items()}
            languages = tuple(known[citation.quote, citation.sentence] for citation in citations)
        self._change(answer=answer, text=text, citations=citations, quote_languages=languages)
        self._list(view.known_sources)

    def _note(self, note: str) -> None:
        if note not in self._view.notes:
            self._change(notes=(*self._view.notes, note))

    def _end(
        self,
        end: events.Answered | events.ClarifyAsked | events.Failed | events.Cancelled,
        at_s: float,
    ) -> None:
        draft = None
        match end:
            case events.Answered():
                self._answer(end)
                status = found_text(end, self._view.asked.command)
                self._change(footer=cost_text(end.usage, end.elapsed_ms))
            case events.ClarifyAsked(question=question):
                footer = cost_text(end.usage, round(1000 * at_s))
                self._change(state=State.CLARIFYING, clarify=question, footer=footer)
                status = tr("One question first")
            case events.Failed(problem=problem, fix=fix):
                failure = Failure(_shown_text(problem), _shown_text(fix), fix_of(fix))
                # What failed the run has often been noted on the way.
                notes = tuple(n for n in self._view.notes if failure.problem not in n)
                self._change(state=State.FAILED, failure=failure, notes=notes)
                status = headline(self._view.round, self._pages_read) or tr("Failed")
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
        )

    def _answer(self, end: events.Answered) -> None:
        self._change(
            state=State.ANSWERED,
            known_sources=end.sources,
        )
        self._check(*in_own_words(end))
        for message in end.warnings:
            self._note(_shown_text(message))
        if note := origin_note(end, self._view.asked.command, self._view.asked.quote):
            self._note(note)


def waiting(asked: ExchangeView) -> ExchangeView:
    """Return a question that waits for the ones before it."""
    return replace(asked, state=State.WAITING, status=Status(tr("Next, after the answer above")))


def dropped(waited: ExchangeView) -> ExchangeView:
    """Return a question that waited and was not asked."""
    return replace(waited, state=State.STOPPED, status=Status(tr("Not asked")))


def fold(record: ConversationRecord) -> list[ExchangeView]:
    """Return the exchanges of a stored conversation as they looked, oldest first."""
    views: list[ExchangeView] = []
    for stored in record.exchanges:
        model = ExchangeModel(ParsedCommand(stored.command, stored.text, stored.quote))
        view = model.take((timed.at_s, timed.event) for timed in stored.events)
        if not view.ended:
            # The program was killed in it, or its end cannot be read.
            view = model.take(
                [(0.0, events.Failed(stored.damage or Message("This run was not finished.")))]
            )
        views.append(view)
    return views


def in_own_words(end: Answered) -> tuple[str, tuple[Citation, ...]]:
    """Return the text of an answer and its citations, whose places move along.

    A model's words stay as they are.
    """
    opening = translated(end.opening)
    moved = len(opening) - len(end.opening)
    return f"{opening}{end.answer[len(end.opening) :]}", tuple(
        replace(citation, start=citation.start + moved, end=citation.end + moved)
        for citation in end.citations
    )


def _shown_text(text: str) -> str:
    """Return a sentence in the reader's language; what quotes a page or a service has an end."""
    return shortened(translated(text), _LONGEST_NOTE)
