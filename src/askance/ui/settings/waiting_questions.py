"""Questions that were asked while a model is downloaded: they wait where they are seen, and are asked when it is ready."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from askance.domain.characters import one_line
from askance.domain.conversation import ParsedCommand
from askance.presentation.i18n import tr
from askance.presentation.model_words import download_title, left_text
from askance.ui.design import theme
from askance.ui.design.composing import Button, Composite, Styled, column_of, row_of, style
from askance.ui.design.drawing import IconLabel, antialiased, fill
from askance.ui.design.focus import announce
from askance.ui.design.glyphs import GlyphButton
from askance.ui.design.labels import ElidedLabel, StyledLabel, TextStyle
from askance.ui.design.theme import Look
from askance.ui.settings.download_list import DownloadList

_HEIGHT, _SIGN, _LEAST, _BUTTON, _WITH_TIME = 28, 14, 12, 26, 520


class WaitingQuestions(QObject):
    """Holds questions while a model comes and none answers.

    `lacks_model` says whether none answers now, `ask` asks at once, without a model if there is none.
    """

    changed = Signal()

    def __init__(
        self,
        downloads: DownloadList,
        lacks_model: Callable[[], bool],
        ask: Callable[[ParsedCommand], object],
    ) -> None:
        super().__init__(downloads)
        self._downloads, self._lacks_model, self._ask = downloads, lacks_model, ask
        self.held: list[ParsedCommand] = []
        downloads.arrived.connect(self.release)

    @property
    def is_model_coming(self) -> bool:
        """Whether a download is under way, and was not paused."""
        current = self._downloads.current
        return current is not None and current.is_active

    def take(self, asked: ParsedCommand) -> bool:
        """Keep a question if a model comes that can answer it; return whether it is kept."""
        if not self.is_model_coming or not self._lacks_model():
            return False
        self.held.append(asked)
        self.changed.emit()
        return True

    def drop(self, asked: ParsedCommand) -> None:
        """Do not ask it."""
        self.held = [held for held in self.held if held is not asked]
        self.changed.emit()

    def ask_now(self, asked: ParsedCommand) -> None:
        """Ask it now, whatever can answer it."""
        self.drop(asked)
        self._ask(asked)

    def release(self) -> None:
        """Ask all that waits, in its order."""
        held, self.held = self.held, []
        if held:
            self.changed.emit()
        for asked in held:
            self._ask(asked)


class WaitingChip(Styled, QWidget):
    """A question that waits, in a box with a cross that drops it."""

    def __init__(
        self, look: Look, asked: ParsedCommand, drop: Callable[[], object], parent: QWidget
    ) -> None:
        super().__init__(look, parent)
        sign = IconLabel(look, _SIGN, "history", "accent", self)
        self.question = ElidedLabel(one_line(asked.text), self, least_characters=_LEAST)
        style(self.question, look, font=theme.LABEL_TEXT, ink="ink")
        self.state = ElidedLabel(tr("asked when ready"), self)
        style(self.state, look, font=theme.LABEL_TEXT, ink="accent")
        self.cross = GlyphButton(look, "cross", tr("Do not ask it"), then=drop, parent=self)
        parts = (sign, self.question, self.state, self.cross)
        self.setLayout(row_of(look, *parts, gap=theme.SPACE_S, margins=(10, 0, 0, 0)))
        style(self, look, height=_HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(f"{self.question.text()}, {self.state.text()}")

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's interface
        """Draw the box."""
        with antialiased(self) as painter:
            radius = self.look.px(theme.MENU_ROW_RADIUS)
            fill(painter, self.rect(), self.look.colours.accent_soft, radius)


class WaitingLine(Composite):
    """One question that waits, how long that takes, and what shows passages in place of an answer."""

    def __init__(
        self, look: Look, asked: ParsedCommand, questions: WaitingQuestions, parent: QWidget
    ) -> None:
        super().__init__(look, parent)
        self.chip = WaitingChip(look, asked, lambda: questions.drop(asked), self)
        self.left = StyledLabel(look, TextStyle.HELP, parent=self, wraps=False)
        self.now = Button(look, tr("Show passages now"), self, lambda: questions.ask_now(asked))
        style(self.now, look, font=theme.LABEL_TEXT, height=_BUTTON)
        self.now.setProperty("small", True)
        self.now.setAccessibleDescription(self.chip.question.text())
        self.setLayout(row_of(look, self.chip, self.left, None, self.now, gap=theme.SPACE_M))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave the time out where the question would have no room beside it."""
        super().resizeEvent(event)
        self.left.setVisible(self.width() >= self.look.px(_WITH_TIME))


class WaitingRow(Composite):
    """All questions that wait, a line each, with how long the download still takes; hidden while there is none."""

    changed = Signal()

    def __init__(
        self, look: Look, questions: WaitingQuestions, downloads: DownloadList, parent: QWidget
    ) -> None:
        super().__init__(look, parent)
        self._questions, self._downloads = questions, downloads
        self.lines: list[WaitingLine] = []
        self._column = column_of(look, gap=theme.SPACE_S, margins=(24, 12, 24, 14))
        self.setLayout(self._column)
        questions.changed.connect(self._rebuild)
        downloads.changed.connect(self._show_times)
        self._rebuild()

    def _rebuild(self) -> None:
        had = len(self.lines)
        for line in self.lines:
            self._column.drop(line)
        self.lines = []
        for asked in self._questions.held:
            line = WaitingLine(self.look, asked, self._questions, self)
            self._column.put(line)
            self.lines.append(line)
            line.show()
        self.setVisible(bool(self.lines))
        self._show_times()
        if len(self.lines) > had:
            announce(self, self.lines[-1].chip.accessibleName())
        self.changed.emit()

    def _show_times(self) -> None:
        current = self._downloads.current
        text = ""
        if current is not None:
            text = left_text(current) if current.is_active else download_title(current)
        for line in self.lines:
            line.left.setText(text)
