"""The real window, shown a run in which all that is foreign has a hostile shape.

    QT_QPA_PLATFORM=offscreen python -m bench.hostile_window [--out docs/bench/hostile-window.md]

What a run tells is folded outside of the measured turns, as the engine's thread does it. What is
measured is the window's share: to show what became of it.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections.abc import AsyncGenerator, Callable, Generator, Iterable, Sequence
from contextlib import asynccontextmanager, closing, contextmanager
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from askance.adapters.search.searxng import (
    MAX_ENTRIES,
    MAX_SNIPPET_CHARS,
    MAX_TITLE_CHARS,
    MAX_URL_CHARS,
)
from askance.adapters.storage.history import SqliteHistory
from askance.domain.conversation import Outcome, Usage
from askance.domain.events import (
    Answered,
    CitationsChecked,
    Failed,
    GapFound,
    Judged,
    Judging,
    PageRead,
    PageRequested,
    PassagesSelected,
    Planned,
    RequestSent,
    ResultsFound,
    ResultsRanked,
    RunEvent,
    SearchStarted,
    Sending,
    SourcesReady,
    TokenArrived,
    Warned,
    WarningCode,
)
from askance.domain.evidence import Citation, Source, Support
from askance.domain.history import TimedEvent
from askance.domain.messages import NOTHING, Message
from askance.domain.phases import Action, Sufficiency
from askance.domain.web_pages import PageReason, PageStatus, UnresponsiveEngine
from askance.engine.judge import LONGEST_QUERY, MOST_QUERIES
from askance.ui.bridge import Bridge, Fold
from askance.ui.design.theme import LIGHT, Look, apply_look, load_fonts
from askance.ui.design.toast import Toast
from askance.ui.overlay.answer.copying import CopyKind
from askance.ui.overlay.conversation.exchange_view import ExchangeWidget
from askance.ui.overlay.conversation.session import Session
from askance.ui.overlay.deletions import Deletions
from askance.ui.overlay.history_popover import HistoryList, HistoryPopover
from askance.ui.overlay.overlay import Overlay
from askance.ui.overlay.stored import StoredConversations
from bench.hostile_answers import ANSWERS, PLAIN, SLOW, answer_text, plain_answer
from bench.hostile_shapes import SHAPES, shape
from bench.turn_probe import Turns, turning

# Characters that come between two frames of a model that writes 200 tokens a second, and of one that
# writes runs of spaces or of dashes, of which 64 and more are one token.
BUNDLE_CHARACTERS = 512
PAGES = 20
# The steps of which a run has one for each query or page.
REPEATED = (ResultsFound, PageRequested, RequestSent, PageRead)
HEAD = """# The window and hostile shapes

`python -m bench.hostile_window`: the longest turn of the window's event loop, drawing included, in processor
time of its thread, while it shows a whole run: its steps and their trace, an answer that streams in, its end with
citations, its quotes, scrolling, copying, the history, and the run again from there. 50 ms is the most. In the
first table all that is a page's or a service's has the shape, as long as the adapters let it be; in the second
the answer, of 32,768 characters. Qt draws without a screen.

| pages and services | longest turn, ms | while |
|---|---:|---|
"""
_BETWEEN = "\n| answers | longest turn, ms | while |\n|---|---:|---|\n"


class ScriptedBridge(QObject):
    """A bridge whose runs tell what they are told."""

    happened = Signal(int, object)

    def __init__(self) -> None:
        super().__init__()
        self._runs = 0
        self._fold: Fold = lambda _: None

    def run(self, _work: object, fold: Fold) -> int:
        """Begin a run that waits."""
        self._runs += 1
        self._fold = fold
        return self._runs

    def call(self, _work: object, _then: object) -> None:
        """Suggest nothing that may be asked next."""

    def stop(self, number: int) -> None:
        """Leave a run; the next takes its place."""

    def tell(self, events: Iterable[tuple[float, RunEvent]]) -> None:
        """Fold events of the last run; what becomes of them is shown in a later turn."""
        self.happened.emit(self._runs, self._fold(tuple(events)))


@dataclass
class HostileWindow:
    """The overlay and the history, with what drives them through measured turns."""

    turns: Turns
    bridge: ScriptedBridge
    session: Session
    overlay: Overlay
    history: SqliteHistory
    past: HistoryPopover
    kept: StoredConversations

    @property
    def newest(self) -> ExchangeWidget:
        """The exchange that was asked last."""
        return self.overlay.conversation.exchanges[-1]

    def show_run(
        self, foreign: str, answer: str, bundle: int = BUNDLE_CHARACTERS, at_once: int = 1
    ) -> None:
        """Show a whole run: its steps, an answer that streams in, its check, all that opens of it.

        `foreign` stands wherever a page or a service has its say. The answer comes in pieces of
        `bundle` characters, and of the steps that repeat `at_once` between two turns. The names of
        the steps are those under which the turns are counted.
        """
        question, before = "When did it move?", len(self.session.views)
        self.turns.do("asking", lambda: self.session.submit(f"/search {question}"))
        self.turns.until("asking", lambda: len(self.overlay.conversation.exchanges) > before)
        found = tuple((1.0, event) for event in steps(foreign))
        for repeats, alike in groupby(found, lambda timed: isinstance(timed[1], REPEATED)):
            told, most = list(alike), at_once if repeats else 1
            for at in range(0, len(told), most):
                self._tell("steps", *told[at : at + most])
        self._open("trace", self.newest.trace.disclosure.click)
        for at in range(0, len(answer), bundle):
            self._tell("streaming", (2.0, TokenArrived(answer[at : at + bundle])))
        end = ends(foreign, answer)
        for timed in end:
            self._tell("end", (3.0, timed))
        self._open("folding the trace", self.newest.trace.disclosure.click)
        self._open("folding the trace", self.newest.trace.disclosure.click)
        self._walk()
        clipboard = QApplication.clipboard()
        clipboard.clear()
        self._open("copying", lambda: self.newest.copy_as(CopyKind.WITH_SOURCES))
        self.turns.until("copying", lambda: bool(clipboard.text()))
        self._resume(question, [TimedEvent(*t) for t in found] + [TimedEvent(3.0, e) for e in end])

    def show_failure(self, failed: RunEvent) -> None:
        """Show a run that fails at once."""
        self.turns.do("asking", lambda: self.session.submit("/search When did it move?"))
        self._tell("end", (1.0, failed))

    def _tell(self, step: str, *events: tuple[float, RunEvent]) -> None:
        self.bridge.tell(events)
        self._settle(step)

    def _open(self, step: str, action: Callable[[], object]) -> None:
        self.turns.do(step, action)
        self._settle(step)

    def _walk(self) -> None:
        """Go through the first markers and all over the answer, as Tab and End do."""
        answer = self.newest.answer
        self.turns.do("quotes", lambda: answer.setFocus(Qt.FocusReason.TabFocusReason))
        for _ in range(3):
            self._open("quotes", lambda: QTest.keyClick(answer, Qt.Key.Key_Tab))
        bar = self.overlay.conversation.verticalScrollBar()
        for part in (0, 1, 2, 3, 4):
            place = bar.maximum() * part // 4
            self._open("scrolling", lambda place=place: bar.setValue(place))
        self._open("selecting", answer.selectAll)
        self._open("selecting", answer.copy)

    def _resume(self, question: str, events: Sequence[TimedEvent]) -> None:
        """Keep the run, look for it in the history, and open it from there."""
        key = self.history.begin_exchange(None, "search", question)
        self.history.finish_exchange(key, events)
        self.turns.do("history", lambda: self.past.open_history(self.overlay.ask_bar))
        self.turns.until("history", lambda: self.past.rows.rowCount() > 0)
        self.turns.do("history", lambda: self.past.search.setText("a"))
        self._settle("history")
        self.turns.do("history", self.past.hide)
        conversation = self.overlay.conversation
        self.turns.do("resuming", lambda: self.kept.open(key.conversation))
        self.turns.until("resuming", lambda: self.session.conversation == key.conversation)
        self.turns.until("resuming", lambda: bool(conversation.exchanges))
        self._settle("resuming")
        self.turns.do("leaving", self.session.begin_anew)

    def _settle(self, step: str) -> None:
        conversation = self.overlay.conversation
        quiet = 0

        def is_quiet() -> bool:
            nonlocal quiet
            settled = conversation.is_complete and all(
                e.answer.is_settled
                and (e.trace.panel is None or e.trace.panel.is_settled)
                and e.height() == e.heightForWidth(e.width())
                for e in conversation.exchanges
            )
            quiet = quiet + 1 if settled else 0
            return quiet > 3

        self.turns.until(step, is_quiet)


@contextmanager
def hostile_window(turns: Turns, folder: Path) -> Generator[HostileWindow]:
    """Open the window; the history lies in the folder. There must be a `QApplication`."""
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    look = Look(LIGHT, moves=False)
    load_fonts()
    apply_look(application, look)
    with closing(SqliteHistory(folder / "history.sqlite3", print)) as history:

        @asynccontextmanager
        async def parts() -> AsyncGenerator[Any]:
            yield SimpleNamespace(history=history)

        beside, bridge = Bridge(parts), ScriptedBridge()
        beside.start()
        session = Session(bridge)  # type: ignore[arg-type]
        overlay = Overlay(look, session)
        deletions = Deletions(beside, overlay, Toast(overlay))
        rows = HistoryList(look, deletions, dict, set)
        past = HistoryPopover(overlay, beside, deletions, rows)
        stored = StoredConversations(beside, session, overlay)
        try:
            overlay.summon()
            turns.until("opening", overlay.isVisible)
            yield HostileWindow(turns, bridge, session, overlay, history, past, stored)
        finally:
            beside.close()
            # What Qt's platform without a screen still holds of Python's at exit ends in a crash.
            QApplication.clipboard().clear()
            for window in (past, overlay):
                window.hide()
                window.deleteLater()


def foreign_text(name: str) -> str:
    """Return a text of a hostile shape, without the markup around it, as long as anything needs."""
    _, text = shape(name)
    body = re.sub(r"</?(?:html|head|title|body|main)>", "", text[:400_000])
    return body.removeprefix("Of the lighthouse")


def steps(foreign: str) -> Iterable[RunEvent]:
    """Yield the events of a run until its answer is written, as long as adapters let them be."""
    urls, title = _urls(foreign), foreign[:MAX_TITLE_CHARS]
    queries = tuple(f"{n} {foreign}"[:LONGEST_QUERY] for n in range(MOST_QUERIES))
    silent = tuple(
        UnresponsiveEngine(f"{n} {foreign}"[:MAX_TITLE_CHARS], Message.verbatim(title))
        for n in range(MAX_ENTRIES)
    )
    yield SearchStarted(queries, 1)
    yield RequestSent(Sending.QUERY, foreign[:MAX_TITLE_CHARS], Message("SearXNG"), queries[0])
    for query in queries:
        yield ResultsFound(
            query, 20, 20, silent, Message.verbatim(title), 900, Message.verbatim(title)
        )
    yield Planned(Action.PROCEED, Sufficiency.INSUFFICIENT, queries, False, 1100)
    yield ResultsRanked(tuple(urls), (title,) * len(urls), 0, 1)
    yield Judged(Judging.SNIPPETS, Sufficiency.PARTIAL, queries, Message.verbatim(title), 1, 1400)
    for url in urls:
        yield PageRequested(url, 1)
        yield RequestSent(Sending.PAGE, foreign[:253], Message("this program"), url)
    for n, url in enumerate(urls):
        status = PageStatus.FAILED if n % 2 else PageStatus.OK
        reason = PageReason.NETWORK if n % 2 else PageReason.NONE
        yield PageRead(
            url, status, reason, Message.verbatim(foreign[:500]), title, 100, 400, NOTHING
        )
    yield PassagesSelected(6, 3, 812, 0, 2, 1)
    yield Judged(Judging.PASSAGES, Sufficiency.PARTIAL, queries, Message.verbatim(title), 1, 1400)
    yield GapFound(queries, 2)
    yield SourcesReady(_sources(foreign))


def ends(foreign: str, answer: str) -> Sequence[RunEvent]:
    """Return the end of a run: every marker cites, and every other one leaves a doubt."""
    quote = foreign[:MAX_SNIPPET_CHARS]
    citations = tuple(
        Citation(
            int(found[1]),
            answer[max(0, found.start() - 200) : found.end()],
            max(0, found.start() - 20),
            found.end(),
            (Support.WEAK, Support.UNSUPPORTED, Support.SUPPORTED)[n % 3],
            quote,
        )
        for n, found in enumerate(re.finditer(r"\[([12])\]", answer))
    )
    note = foreign[:MAX_SNIPPET_CHARS]
    return (
        CitationsChecked(answer, citations, 0, 0),
        Warned(WarningCode.WEAK_SOURCES, Message.verbatim(note)),
        Answered(
            answer,
            _sources(foreign),
            citations,
            Outcome.WEB,
            2,
            Usage(),
            (Message.verbatim(note[1:]),),
            14_000,
        ),
    )


def failure(foreign: str) -> RunEvent:
    """Return a failure that says what a service said."""
    text = foreign[:MAX_SNIPPET_CHARS]
    return Failed(Message.verbatim(text), Message.verbatim(text), text[:MAX_TITLE_CHARS], text)


def _urls(foreign: str) -> list[str]:
    path = "".join(foreign[: 2 * MAX_URL_CHARS].split())
    return [f"https://h{n}.example/{path}"[:MAX_URL_CHARS] for n in range(PAGES)]


def _sources(foreign: str) -> tuple[Source, ...]:
    title = foreign[:MAX_TITLE_CHARS]
    return tuple(
        Source(n, url, title, f"{foreign[:200]}.example", foreign[:300], n % 2 == 0)
        for n, url in enumerate(_urls(foreign), 1)
    )


def measure(foreign: str, answer: str) -> str:
    """Show a run, and return the longest turn and its step as the end of a row."""
    with (
        tempfile.TemporaryDirectory() as folder,
        turning() as turns,
        hostile_window(turns, Path(folder)) as window,
    ):
        window.show_run("A page.", PLAIN)
        turns.longest_ms.clear()
        window.show_run(foreign, answer)
    step, ms = turns.worst
    return f"{ms:.0f} | {step} |\n"


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables, or write them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, help="file to write to")
    chosen = parser.parse_args(arguments)
    application = QApplication.instance() or QApplication(sys.argv[:1])
    ordinary = "The lighthouse engineer was born in 1839. " * 10_000
    text = HEAD + f"| an ordinary page | {measure(ordinary, PLAIN)}"
    text += "".join(f"| {name} | {measure(foreign_text(name), PLAIN)}" for name in SHAPES)
    text += f"{_BETWEEN}| an ordinary answer | {measure('A page.', plain_answer())}"
    text += "".join(
        f"| {name} | {measure('A page.', answer_text(name))}"
        for name in ANSWERS
        if name not in SLOW
    )
    del application
    if chosen.out:
        chosen.out.write_text(text, encoding="utf-8")
    sys.stdout.write(text)


if __name__ == "__main__":
    main()
