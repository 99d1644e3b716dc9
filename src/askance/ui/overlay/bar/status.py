"""What the overlay says of itself: why something was not done, below the ask bar, and whether model and search are there."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QElapsedTimer, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFont, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from askance.app.commands import CommandError
from askance.config.choices import Consent
from askance.domain.addresses import bare_address
from askance.domain.errors import AskanceError
from askance.presentation.i18n import tr, translated, without_backticks
from askance.presentation.steps import Tone
from askance.ui.design import theme
from askance.ui.design.composing import Styled, style
from askance.ui.design.focus import LinkButton, announce
from askance.ui.design.labels import PlainLabel
from askance.ui.design.theme import Look
from askance.ui.overlay.bar.ask_field import INSET

if TYPE_CHECKING:
    from askance.app.container import App


# The newest ones: the window must not grow with every fault.
_MOST_SENTENCES = 3
_ANY_HEIGHT = 10_000
# Somebody who types sees a message that comes by itself only after some keys more.
READING_MS = 4_000
# Where a path or an address may go on in the next line: a space that nobody sees is put there.
_BREAKS = re.compile(r"(?<=[/\\._-])(?=\w)")


@dataclass(frozen=True, slots=True)
class MessageAction:
    """What can be done about a complaint: the label of its button, and what that does."""

    label: str
    run: Callable[[], object]


class InlineMessage(Styled, QWidget):
    """Why something was not done, with a button for what helps; hidden while there is nothing to say."""

    accepted = Signal(str)
    """The text that was meant, and is to stand in the field."""
    insisted = Signal(str)
    """The text that asks what was typed as it stands."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._problem = CommandError("")
        self._step: MessageAction | None = None
        self._other: MessageAction | None = None
        self._since_news = QElapsedTimer()  # valid where a message came by itself
        self._sentence = PlainLabel(parent=self)
        style(self._sentence, look, font=theme.SMALL_TEXT, ink="amber")
        self._sentence.setWordWrap(True)
        self._button = LinkButton(self)
        self._button.clicked.connect(self._accept)
        self._insist = LinkButton(self)
        self._insist.clicked.connect(self._do_other)
        for button in (self._button, self._insist):
            medium = QFont.Weight.Medium
            style(button, look, font=theme.SMALL_TEXT, weight=medium, min_height=theme.TARGET)
        self._row = style(QHBoxLayout(self), look, gap=theme.SPACE_S)
        self._row.addWidget(self._sentence)
        self._row.addWidget(self._button, 0, Qt.AlignmentFlag.AlignTop)
        self._row.addWidget(self._insist, 0, Qt.AlignmentFlag.AlignTop)
        self._row.addStretch(1)
        self._restyle()
        self.hide()

    def _restyle(self) -> None:
        self._row.setContentsMargins(INSET, self.look.px(10), 0, self.look.px(10))
        self._fit()

    @property
    def sentence(self) -> str:
        """What is complained of; empty if nothing is."""
        return "" if self.isHidden() else self._problem.problem

    def show_problem(self, problem: CommandError) -> None:
        """Show a complaint, and tell it to a screen reader."""
        self._since_news.invalidate()
        self._show(problem)

    def _show(
        self,
        problem: CommandError,
        step: MessageAction | None = None,
        other: MessageAction | None = None,
    ) -> None:
        text = without_backticks(problem.problem)
        # As it is shown: `take_back` and `add_problem` compare sentences with these.
        self._problem, self._step = replace(problem, problem=text), step
        self._other = other
        self._sentence.setText(_BREAKS.sub("\u200b", text))
        # Without the spaces that only serve to break lines.
        self._sentence.setAccessibleName(text)
        self._button.setVisible(bool(problem.nearest or step))
        use = tr("Use {text}", text=(problem.nearest.split() or [""])[0])
        self._button.setText(step.label if step else use)
        self._button.setAccessibleDescription(problem.nearest)
        self._insist.setVisible(bool(problem.as_question or other))
        self._insist.setText(other.label if other else tr("Ask it anyway"))
        self._insist.setAccessibleDescription(problem.as_question)
        self._fit()
        self.show()
        announce(self, text)

    def ask(self, sentence: str, first: MessageAction, second: MessageAction) -> None:
        """Ask which of two things to do."""
        self._since_news.invalidate()
        self._show(CommandError(sentence), first, second)

    def take_back(self, sentence: str) -> None:
        """Show a sentence no more: what it says is no longer so."""
        taken = set(without_backticks(sentence).splitlines())
        if self.isHidden() or taken.isdisjoint(self.sentence.splitlines()):
            return
        # Each sentence is a line, so that one can go and the others stay.
        left = [line for line in self.sentence.splitlines() if line not in taken]
        if left:
            self._show(replace(self._problem, problem="\n".join(left)))
        else:
            self.hide()

    def add_problem(self, sentence: str, step: MessageAction | None = None) -> None:
        """Show a sentence below those that are shown: each of several troubles is to be read."""
        sentences, sentence = self.sentence.splitlines(), without_backticks(sentence)
        if sentence not in sentences:
            sentences = [*sentences, sentence][-_MOST_SENTENCES:]
        if self.isHidden():
            self._problem, self._step = CommandError(""), None
        problem = replace(self._problem, problem="\n".join(sentences))
        self._show(problem, step or self._step)
        self._since_news.start()

    def hide_read(self) -> None:
        """Hide what is shown, but not what came by itself less than `READING_MS` ago."""
        if not self._since_news.isValid() or self._since_news.elapsed() >= READING_MS:
            self.hide()

    def minimumSizeHint(self) -> QSize:
        """Return the height alone: the sentence takes as many lines as the width leaves it."""
        return QSize(0, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Break the sentence anew."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Let the sentence be as wide as it is, or as there is room for, and as high as that takes."""
        if not self._problem.problem:
            return
        # The buttons keep their width: it is the sentence that breaks.
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

    def _do_other(self) -> None:
        if self._other is not None:
            self._other.run()
        else:
            self.insisted.emit(self._problem.as_question)

    def _accept(self) -> None:
        if self._step is not None:
            self._step.run()
        else:
            self.accepted.emit(self._problem.nearest)


MODEL, SERVICES = "Model", "Services"
"""Titles of pages of the settings."""


@dataclass(frozen=True, slots=True)
class StatusIndicator:
    """How one part is: the model, or the search."""

    text: str
    tone: Tone = Tone.PLAIN
    detail: str = ""
    """What the tone means, in words: for the pointer and for screen readers."""
    action: str = ""
    """The page of the settings where that can be changed."""


async def look_at_lights(app: App) -> tuple[StatusIndicator, ...]:
    """Look at the model and the search engine; nothing leaves this machine for it."""
    return (await _model_light(app), await _search_light(app))


def why_no_search(lights: tuple[StatusIndicator, ...]) -> str:
    """Return why nothing can be searched, in a sentence; nothing if something can."""
    missing = (light for light in lights if light.action == SERVICES and light.tone is Tone.AMBER)
    return next((light.detail for light in missing), "")


def on_sample(lights: tuple[StatusIndicator, ...]) -> tuple[StatusIndicator, ...]:
    """Return the lights while the sample web is searched in place of the real one."""
    text = tr("Demo: a made-up web on this computer. A new conversation leaves it.")
    return (lights[0], StatusIndicator(tr("sample web"), Tone.AMBER, text))


async def _model_light(app: App) -> StatusIndicator:
    if app.model is None:
        return StatusIndicator(
            tr("No model"), Tone.AMBER, tr("No language model is set up."), MODEL
        )
    try:
        info = await app.model.info()
    except AskanceError as exc:
        return StatusIndicator(tr("No model"), Tone.AMBER, translated(exc), MODEL)
    return StatusIndicator(info.name, Tone.GOOD, info.server, MODEL)


async def _search_light(app: App) -> StatusIndicator:
    # Imported here, in the engine's thread: httpx costs half a second.
    from askance.app.checks.first_steps import why_no_searxng  # noqa: PLC0415

    try:
        _, off = await why_no_searxng(app.settings.search, app.folders)
    except AskanceError as exc:
        why = translated(exc)
    else:
        if not off:
            return StatusIndicator(
                "SearXNG", detail=bare_address(app.settings.search.url), action=SERVICES
            )
        why = translated(off)
    # Not amber: it is a full way to search, and somebody has said yes to it.
    if app.settings.search.in_process is Consent.GIVEN:
        return StatusIndicator(tr("built-in search"), detail=why, action=SERVICES)
    return StatusIndicator(tr("no search"), Tone.AMBER, why, SERVICES)
