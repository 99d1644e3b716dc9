"""What stands around an answer: the clock of its run, a question asked back, notes, and what can be done."""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic

from PySide6.QtCore import QObject, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeySequence, QPainter, QPaintEvent
from PySide6.QtWidgets import QLineEdit, QPushButton

from askance.domain.fixes import FixKind
from askance.presentation.i18n import quoted, term, tr
from askance.presentation.progress import SILENCE_S
from askance.ui.design import tokens
from askance.ui.design.composing import Button, Composite, column_of, row_of
from askance.ui.design.drawing import fill
from askance.ui.design.focus import PaintedButton
from askance.ui.design.labels import PlainLabel, set_tip
from askance.ui.design.rich_text import RichLabel, lines, span
from askance.ui.design.theme import Look
from askance.ui.design.timers import repeating_timer, single_shot_timer
from askance.ui.model.exchange import ExchangeAction, Failure
from askance.ui.model.keys import ALLOW_WORDS
from askance.ui.model.quick_fixes import label_of

_TICK_MS = 1000


class RunClock(QObject):
    """Ticks every second while a run is under way."""

    ticked = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._began = self._last_event = 0.0
        self._timer = repeating_timer(self, _TICK_MS)
        self._timer.timeout.connect(self.ticked)

    def note_event(self) -> None:
        """Take note of a sign of the run; the first one begins it."""
        self._last_event = now()
        if not self._timer.isActive():
            self._began = self._last_event
            self._timer.start()

    def stop(self) -> None:
        """Stand still: the run has ended."""
        self._timer.stop()

    @property
    def seconds(self) -> int | None:
        """How many seconds the run has gone on; None while there is none."""
        return int(now() - self._began) if self._timer.isActive() else None

    @property
    def is_silent(self) -> bool:
        """Whether nothing was heard for so long that it must be said what is waited for."""
        return self._timer.isActive() and now() - self._last_event >= SILENCE_S


def now() -> float:
    """Return the seconds of a clock that only goes forward."""
    return monotonic()


class ClarifyForm(Composite):
    """Asks, and takes one reply; after that it only shows what was replied."""

    replied = Signal(str)

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self._text = ""
        self._question = RichLabel()
        self.field = QLineEdit()
        self.field.setPlaceholderText(tr("Your answer"))
        self.field.returnPressed.connect(self._reply)
        self.button = QPushButton(tr("Answer"))
        self.button.setEnabled(False)
        self.button.clicked.connect(self._reply)
        self.field.textChanged.connect(self._weigh)
        answering = row_of(look, self.field, self.button, wide=self.field)
        self.setLayout(column_of(look, self._question, answering))
        self.set_look(look)

    def set_look(self, look: Look) -> None:
        """Draw with another look from now on."""
        super().set_look(look)
        self.show_question(self._text)

    def show_question(self, text: str) -> None:
        """Show a question."""
        self._text = text
        markup = span(text, self.look.colours.ink)
        self._question.set_markup(
            lines(self.look, [markup], tokens.BODY_TEXT, tokens.BODY_LINE), text
        )
        self.field.setAccessibleName(text)

    def _weigh(self, text: str) -> None:
        self.button.setEnabled(bool(text.strip()))

    def _reply(self) -> None:
        reply = self.field.text().strip()
        if reply and not self.field.isReadOnly():
            self.field.setReadOnly(True)
            self.button.hide()
            self.replied.emit(reply)


class NotesView(Composite):
    """Amber sentences on one panel, and a button where queries were sent without words."""

    allowed = Signal()
    """Words that were held back may be searched."""

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self._texts: tuple[str, ...] = ()
        self._words = RichLabel()
        self.button = Button(look, tr("Search with these words"))
        self.button.clicked.connect(self.allowed)
        self.button.hide()
        self._layout = row_of(look, self._words, self.button, gap=tokens.SPACE_M, wide=self._words)
        self.setLayout(self._layout)
        self.set_look(look)

    def set_look(self, look: Look) -> None:
        """Draw with another look from now on."""
        super().set_look(look)
        side, pad = look.px(tokens.SPACE_M), look.px(tokens.SPACE_S)
        self._layout.setContentsMargins(side, pad, side, pad)
        self._draw()

    def show_notes(self, texts: Sequence[str], held_back: Sequence[str] = ()) -> None:
        """Show notes, each on a line of its own; `held_back` are the words that may be searched all the same."""
        self._texts = tuple(texts)
        self._draw()
        self.button.setVisible(bool(held_back))
        if held_back:
            key = QKeySequence(ALLOW_WORDS).toString(QKeySequence.SequenceFormat.NativeText)
            text = tr("Asks again, with {words} ({key})", words=quoted(held_back), key=key)
            set_tip(self.button, text)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's interface
        """Draw the panel."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        radius = self.look.px(tokens.CONTROL_RADIUS)
        fill(painter, self.rect(), self.look.colours.amber_soft, radius)
        painter.end()

    def _draw(self) -> None:
        texts = [_coloured(text, self.look.colours.amber) for text in self._texts]
        markup = lines(self.look, texts, tokens.SMALL_TEXT, tokens.SMALL_LINE)
        spoken = [tr("Note: {text}", text=text.replace("`", "")) for text in self._texts]
        self._words.set_markup(markup, "\n".join(spoken))


class FailureView(Composite):
    """Why there is no answer, what fixes it, and a button where a click can fix it."""

    fix_requested = Signal(str)
    """What its button promises: the value of a `FixKind`."""

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self._failure: Failure | None = None
        self._quick_fix: FixKind | None = None
        self._words = RichLabel()
        self.button = QPushButton()
        self.button.clicked.connect(self._fix)
        self.setLayout(row_of(look, self._words, self.button, gap=tokens.SPACE_M, wide=self._words))
        self.set_look(look)

    def set_look(self, look: Look) -> None:
        """Draw with another look from now on."""
        super().set_look(look)
        if self._failure is not None:
            self.show_failure(self._failure)

    def show_failure(self, failure: Failure) -> None:
        """Show a failure."""
        self._failure = failure
        colours = self.look.colours
        problem = lines(
            self.look,
            [span(failure.problem, colours.red)],
            tokens.BODY_TEXT,
            tokens.BODY_LINE,
        )
        fix = failure.fix.replace("`", "")
        remedy = lines(
            self.look,
            [_coloured(failure.fix, colours.ink_2)] if fix else [],
            tokens.SMALL_TEXT,
            tokens.SMALL_LINE,
        )
        self._words.set_markup(problem + remedy, f"{failure.problem} {fix}".strip())
        self._quick_fix = failure.quick_fix
        self.button.setVisible(self._quick_fix is not None)
        if self._quick_fix is not None:
            self.button.setText(label_of(self._quick_fix))
            self.button.setAccessibleDescription(fix)

    def _fix(self) -> None:
        if self._quick_fix is not None:
            self.fix_requested.emit(self._quick_fix)


_THANKS_MS = 1600
_ACTION = "action"
_BETWEEN = 16
_COPY = term("Copy")
_NAMES = {
    ExchangeAction.WITH_WEB: term("Search the web"),
    ExchangeAction.COPY: term("Copy with sources"),
    ExchangeAction.RETRY: term("Retry"),
    ExchangeAction.WITHOUT_WEB: term("Without the web"),
    ExchangeAction.ASK_NOW: term("Ask now"),
    ExchangeAction.DROP: term("Discard"),
}


class ExchangeActions(Composite):
    """Quiet buttons at the left, figures at the right."""

    chosen = Signal(object)

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self._copy = _NAMES[ExchangeAction.COPY]
        self.buttons: dict[ExchangeAction, QuietButton] = {}
        for action, name in _NAMES.items():
            button = QuietButton(look, tr(name))
            button.setProperty(_ACTION, action)
            button.clicked.connect(self._choose)
            self.buttons[action] = button
        self._figures = PlainLabel()
        self.setLayout(row_of(look, *self.buttons.values(), None, self._figures, gap=_BETWEEN))
        self._back = single_shot_timer(self)
        self._back.timeout.connect(self._rest)
        self.set_look(look)

    def set_look(self, look: Look) -> None:
        """Draw with another look from now on."""
        super().set_look(look)
        self._figures.setFont(look.font(tokens.LABEL_TEXT))
        self._figures.set_ink(look.colours.ink_3)

    def show_actions(self, actions: tuple[ExchangeAction, ...], figures: str) -> None:
        """Show what can be done, and what it took."""
        for action, button in self.buttons.items():
            button.setVisible(action in actions)
        # What came from memory has no sources to copy.
        self._copy = _COPY if ExchangeAction.WITH_WEB in actions else _NAMES[ExchangeAction.COPY]
        self._rest()
        self._figures.setText(figures)

    @property
    def figures(self) -> str:
        """What it took, as it is shown."""
        return self._figures.text()

    def thank(self) -> None:
        """Say for a moment that it was copied."""
        self.buttons[ExchangeAction.COPY].setText(tr("Copied"))
        self._back.start(_THANKS_MS)

    def _choose(self) -> None:
        self.chosen.emit(ExchangeAction(self.sender().property(_ACTION)))

    def _rest(self) -> None:
        self.buttons[ExchangeAction.COPY].setText(tr(self._copy))


class QuietButton(PaintedButton):
    """Words that can be clicked. They stand in line with the text above: nothing is around them."""

    def __init__(self, look: Look, text: str) -> None:
        super().__init__(look, tokens.LABEL_TEXT)
        self.setText(text)

    def sizeHint(self) -> QSize:
        """Return the room of the words."""
        words = self.fontMetrics().horizontalAdvance(self.text())
        return QSize(words, self.look.px(tokens.TARGET))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's interface
        """Draw the words, darker under the pointer and with the focus."""
        painter = QPainter(self)
        colours = self.look.colours
        painter.setFont(self.font())
        lit = self.underMouse() or self.hasFocus()
        painter.setPen(QColor(colours.ink if lit else colours.ink_2))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.text())
        painter.end()


def _coloured(text: str, colour: str) -> str:
    """Return a sentence as markup, the commands that it names in the typeface of code."""
    parts = enumerate(text.split("`"))
    return "".join(span(part, colour, is_code=i % 2 == 1) for i, part in parts)
