"""How long the window is kept busy by an answer that streams, by its check, by a long conversation.

Each function drives real widgets and measures single turns of the event loop, drawing included.
Without a screen: set `QT_QPA_PLATFORM=offscreen` before.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from time import perf_counter

from PySide6.QtWidgets import QApplication

from askance.domain.conversation import Outcome, ParsedCommand, Usage
from askance.domain.events import Answered, CitationsChecked, RunEvent, SourcesReady, TokenArrived
from askance.domain.evidence import Citation, Source, Support
from askance.ui.bridge import BUNDLE_S
from askance.ui.design.theme import LIGHT, Look, apply_look, load_fonts
from askance.ui.overlay.conversation.conversation_view import ConversationView
from askance.ui.overlay.conversation.exchange import ExchangeModel, ExchangeView

_SOURCES = tuple(
    Source(n, f"https://s{n}.example/p", f"Source {n}", f"s{n}.example", None, False)
    for n in (1, 2, 3)
)
_PARAGRAPH = (
    "The lighthouse was moved **140 metres** inland between March and October 1931 [1], after the"
    " winter storms of 1930 had undercut the `cliff` beneath its gallery [2]. Two thirds of what it"
    " cost came from the Harbour Trust [3].\n\n"
)
_LIST = "- rails were laid [1]\n- then it was pulled\n- at last it stood [2]\n\n"
_CODE = "```python\n" + "moved = step(1, 'metre')  # slowly\n" * 12 + "```\n\n"
_SENTENCES = (
    ("October 1931 [1]", Support.SUPPORTED),
    ("gallery [2]", Support.WEAK),
    ("Trust [3]", Support.UNSUPPORTED),
)
# Characters in a bundle: a fast model writes about three tokens in its time.
_BUNDLE = 40
_LIMIT_S = 60.0


@dataclass(frozen=True, slots=True)
class Turns:
    """Turns of the event loop in which something was done, in milliseconds."""

    count: int
    median_ms: float
    longest_ms: float
    total_ms: float


@dataclass(frozen=True, slots=True)
class Answering:
    """The turns while an answer came in, and those that its check took."""

    characters: int
    streaming: Turns
    checking: Turns


def stage(width: int = 720, height: int = 640) -> ConversationView:
    """Return an empty conversation on the screen. There must be a `QApplication`."""
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    look = Look(LIGHT, moves=False)
    load_fonts()
    apply_look(application, look)
    conversation = ConversationView(look)
    conversation.resize(width, height)
    conversation.show()
    application.processEvents()
    return conversation


def answering(
    conversation: ConversationView, characters: int, every_s: float = BUNDLE_S
) -> Answering:
    """Stream an answer of about that length at the end of a conversation, and check it.

    A bundle of tokens comes every `every_s`, as the bridge hands them over.
    """
    text = _text(characters)
    model = ExchangeModel(ParsedCommand("search", "When did the lighthouse move?"))
    model.apply(SourcesReady(_SOURCES), 1.0)
    exchange = conversation.add(model.view)
    costs: list[float] = []
    for at in range(0, len(text), _BUNDLE):
        next_at = perf_counter() + every_s
        model.apply(TokenArrived(text[at : at + _BUNDLE]), 2.0)
        costs.append(_timed(lambda: exchange.show_view(model.view)))
        costs += _until(lambda: perf_counter() >= next_at)  # noqa: B023 - it is called here
    _until(lambda: exchange.answer.is_settled)
    for event in _end(text):
        model.apply(event, 3.0)
    checks = [_timed(lambda: exchange.show_view(model.view))]
    checks += _until(lambda: exchange.answer.is_settled)
    return Answering(len(text), _turns(costs), _turns(checks))


def resuming(conversation: ConversationView, exchanges: int) -> Turns:
    """Show a conversation of so many exchanges from the history, until all of it is there."""
    view = _finished(_text(1_500))
    costs = [_timed(lambda: conversation.show_all([view] * exchanges))]
    return _turns(costs + _until(lambda: conversation.is_complete))


def _finished(text: str) -> ExchangeView:
    model = ExchangeModel(ParsedCommand("search", "When did the lighthouse move?"))
    for event in _end(text):
        model.apply(event, 3.0)
    return model.view


def _text(characters: int) -> str:
    text = ""
    for n in range(characters):
        if len(text) >= characters:
            break
        text += _CODE if n % 7 == 6 else _LIST if n % 7 == 3 else _PARAGRAPH
    return text


def _end(text: str) -> tuple[RunEvent, ...]:
    citations: list[Citation] = []
    for words, support in _SENTENCES:
        at = text.find(words)
        while at >= 0:
            end = at + len(words)
            citations.append(Citation(int(words[-2]), words, at, end, support, words))
            at = text.find(words, end)
    found = tuple(citations)
    usage = Usage()
    return (
        CitationsChecked(text, found, 0, 0),
        Answered(text, _SOURCES, found, Outcome.WEB, 1, usage, (), 3_000),
    )


def _timed(work: Callable[[], object]) -> float:
    began = perf_counter()
    work()
    return 1000 * (perf_counter() - began)


def _until(is_done: Callable[[], bool]) -> list[float]:
    costs: list[float] = []
    ends_s = perf_counter() + _LIMIT_S
    while not is_done():
        if perf_counter() > ends_s:
            raise TimeoutError("What was waited for did not happen.")
        costs.append(_timed(QApplication.processEvents))
    return costs


def _turns(costs: list[float]) -> Turns:
    busy = [cost for cost in costs if cost > 0.1] or [0.0]
    return Turns(len(busy), median(busy), max(busy), sum(busy))
