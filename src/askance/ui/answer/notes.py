"""What a person should know beside the answer: amber notes, and a failure with what fixes it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from askance.presentation.words import tr
from askance.ui.design import tokens
from askance.ui.design.prose import Prose, lines, span
from askance.ui.design.theme import Look
from askance.ui.model.exchange import Failure
from askance.ui.model.quick_fixes import QuickFix


class NotesView(QWidget):
    """Amber sentences on one panel."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._texts: tuple[str, ...] = ()
        self._words = Prose()
        self._layout = QVBoxLayout(self)
        self._layout.addWidget(self._words)
        self.set_look(look)

    def set_look(self, look: Look) -> None:
        """Draw with another look from now on."""
        self.look = look
        side, pad = look.px(tokens.SPACE_M), look.px(tokens.SPACE_S)
        self._layout.setContentsMargins(side, pad, side, pad)
        self._draw()

    def show_notes(self, texts: Sequence[str]) -> None:
        """Show notes, each on a line of its own."""
        self._texts = tuple(texts)
        self._draw()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's interface
        """Draw the panel."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QColor(0, 0, 0, 0))
        painter.setBrush(QColor(self.look.colours.amber_soft))
        radius = self.look.px(tokens.CONTROL_RADIUS)
        painter.drawRoundedRect(self.rect(), radius, radius)
        painter.end()

    def _draw(self) -> None:
        texts = [_told(text, self.look.colours.amber) for text in self._texts]
        markup = lines(self.look, texts, tokens.SMALL_TEXT, tokens.SMALL_LINE)
        spoken = [tr("Note: {text}", text=text.replace("`", "")) for text in self._texts]
        self._words.set_markup(markup, "\n".join(spoken))


class FailureView(QWidget):
    """Why there is no answer, what fixes it, and a button where a click can fix it."""

    fix_requested = Signal(str)
    """What its button promises: the value of a `QuickFix`."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._failure: Failure | None = None
        self._quick_fix: QuickFix | None = None
        self._words = Prose()
        self.button = QPushButton()
        self.button.clicked.connect(self._fix)
        self._layout = QHBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.addWidget(self._words, 1)
        self._layout.addWidget(self.button)
        self.set_look(look)

    def set_look(self, look: Look) -> None:
        """Draw with another look from now on."""
        self.look = look
        self._layout.setSpacing(look.px(tokens.SPACE_M))
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
            [_told(failure.fix, colours.ink_2)] if fix else [],
            tokens.SMALL_TEXT,
            tokens.SMALL_LINE,
        )
        self._words.set_markup(problem + remedy, f"{failure.problem} {fix}".strip())
        self._quick_fix = failure.quick_fix
        self.button.setVisible(self._quick_fix is not None)
        if self._quick_fix is not None:
            self.button.setText(self._quick_fix.label)
            self.button.setAccessibleDescription(fix)

    def _fix(self) -> None:
        if self._quick_fix is not None:
            self.fix_requested.emit(self._quick_fix)


def _told(text: str, colour: str) -> str:
    """Return a sentence as markup, the commands that it names in the typeface of code."""
    parts = enumerate(text.split("`"))
    return "".join(span(part, colour, is_code=i % 2 == 1) for i, part in parts)
