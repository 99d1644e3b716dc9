"""Why what was typed was not done: a sentence under the field, and what was probably meant."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QFont, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from askance.app.commands import CommandError
from askance.presentation.i18n import tr, without_backticks
from askance.ui.design import tokens
from askance.ui.design.focus import LinkButton, announce
from askance.ui.design.labels import PlainLabel
from askance.ui.design.styling import Styled, style
from askance.ui.design.theme import Look
from askance.ui.overlay.ask_field import INSET

_MOST_SENTENCES = 3
_ANY_HEIGHT = 10_000
# Where a path or an address may go on in the next line: a space that nobody sees is put there.
_BREAKS = re.compile(r"(?<=[/\\._-])(?=\w)")


@dataclass(frozen=True, slots=True)
class MessageAction:
    """What can be done about a complaint: the label of its button, and what that does."""

    label: str
    take: Callable[[], object]


class InlineMessage(Styled, QWidget):
    """Hidden while there is nothing to complain of."""

    accepted = Signal(str)
    """The text that was meant, and is to stand in the field."""
    insisted = Signal(str)
    """The text that asks what was typed as it stands."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._nearest = self._as_question = self._text = ""
        self._step: MessageAction | None = None
        self._sentence = PlainLabel(parent=self)
        style(self._sentence, look, font=tokens.SMALL_TEXT, ink="amber")
        self._sentence.setWordWrap(True)
        self._button = LinkButton(self)
        self._button.clicked.connect(self._accept)
        self._insist = LinkButton(self)
        self._insist.clicked.connect(lambda: self.insisted.emit(self._as_question))
        for button in (self._button, self._insist):
            medium = QFont.Weight.Medium
            style(button, look, font=tokens.SMALL_TEXT, weight=medium, min_height=tokens.TARGET)
        self._row = style(QHBoxLayout(self), look, gap=tokens.SPACE_S)
        self._row.addWidget(self._sentence)
        self._row.addWidget(self._button, 0, Qt.AlignmentFlag.AlignTop)
        self._row.addWidget(self._insist, 0, Qt.AlignmentFlag.AlignTop)
        self._row.addStretch(1)
        self.look = look
        self._restyle()
        self.hide()

    def _restyle(self) -> None:
        self._row.setContentsMargins(INSET, self.look.px(6), 0, 0)
        self._fit()

    @property
    def sentence(self) -> str:
        """What is complained of; empty if nothing is."""
        return "" if self.isHidden() else self._text

    def show_problem(self, problem: CommandError, step: MessageAction | None = None) -> None:
        """Show a complaint, and tell it to a screen reader. A step gets the button, where one is."""
        self._step = step
        self._nearest, self._text = problem.nearest, without_backticks(problem.problem)
        self._as_question = problem.as_question
        self._sentence.setText(_BREAKS.sub("\u200b", self._text))
        self._sentence.setAccessibleName(self._text)
        self._button.setVisible(bool(problem.nearest or step))
        use = tr("Use {text}", text=(problem.nearest.split() or [""])[0])
        self._button.setText(step.label if step else use)
        self._button.setAccessibleDescription(problem.nearest)
        self._insist.setVisible(bool(problem.as_question))
        self._insist.setText(tr("Ask it anyway"))
        self._insist.setAccessibleDescription(problem.as_question)
        self._fit()
        self.show()
        announce(self, self._text)

    def take_back(self, sentence: str) -> None:
        """Show a sentence no more: what it says is no longer so."""
        taken = set(without_backticks(sentence).splitlines())
        if self.isHidden() or taken.isdisjoint(self.sentence.splitlines()):
            return
        left = [line for line in self.sentence.splitlines() if line not in taken]
        if left:
            self.show_problem(CommandError("\n".join(left), self._nearest, self._as_question))
        else:
            self.hide()

    def add_problem(self, sentence: str, step: MessageAction | None = None) -> None:
        """Show a sentence below those that are shown: each of several troubles is to be read."""
        sentences, sentence = self.sentence.splitlines(), without_backticks(sentence)
        if sentence not in sentences:
            sentences = [*sentences, sentence][-_MOST_SENTENCES:]
        if self.isHidden():
            self._nearest = self._as_question = ""
            self._step = None
        problem = CommandError("\n".join(sentences), self._nearest, self._as_question)
        self.show_problem(problem, step or self._step)

    def minimumSizeHint(self) -> QSize:
        """Return the height alone: the sentence takes as many lines as the width leaves it."""
        return QSize(0, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Break the sentence anew."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Let the sentence be as wide as it is, or as there is room for, and as high as that takes."""
        if not self._text:
            return
        room = self.width() - INSET
        for button in (self._button, self._insist):
            if not button.isHidden():
                room -= button.sizeHint().width() + self._row.spacing()
        text, metrics = self._sentence.text(), self._sentence.fontMetrics()
        whole = 1 + max(map(metrics.horizontalAdvance, text.split("\n")))
        width = max(1, min(whole, room))
        # The label's own answer is never less than the height that it has been given before.
        high = QRect(0, 0, width, _ANY_HEIGHT)
        needed = metrics.boundingRect(high, Qt.TextFlag.TextWordWrap, text).height()
        self._sentence.setFixedSize(width, needed)

    def _accept(self) -> None:
        if self._step is not None:
            self._step.take()
            return
        self.accepted.emit(self._nearest)
