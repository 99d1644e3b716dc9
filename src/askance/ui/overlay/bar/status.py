"""What the overlay says of itself: why something was not done, below the field, and at the foot of the window lights for
model, search and reader, hints, and buttons.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QElapsedTimer, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from askance.app.commands import CommandError
from askance.config.choices import Consent
from askance.domain.addresses import bare_address
from askance.domain.errors import AskanceError
from askance.presentation.i18n import tr, translated, without_backticks
from askance.presentation.steps import Tone
from askance.ui.design import theme
from askance.ui.design.composing import Composite, Measures, Styled, row_of, style
from askance.ui.design.drawing import antialiased, draw_hairline
from askance.ui.design.focus import LinkButton, announce
from askance.ui.design.labels import ElidedLabel, PlainLabel, on_button, set_tip
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
        self._since_news = QElapsedTimer()  # valid where a message came by itself
        self._sentence = PlainLabel(parent=self)
        style(self._sentence, look, font=theme.SMALL_TEXT, ink="amber")
        self._sentence.setWordWrap(True)
        self._button = LinkButton(self)
        self._button.clicked.connect(self._accept)
        self._insist = LinkButton(self)
        self._insist.clicked.connect(lambda: self.insisted.emit(self._problem.as_question))
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
        self._row.setContentsMargins(INSET, self.look.px(6), 0, 0)
        self._fit()

    @property
    def sentence(self) -> str:
        """What is complained of; empty if nothing is."""
        return "" if self.isHidden() else self._problem.problem

    def show_problem(self, problem: CommandError) -> None:
        """Show a complaint, and tell it to a screen reader."""
        self._since_news.invalidate()
        self._show(problem)

    def _show(self, problem: CommandError, step: MessageAction | None = None) -> None:
        text = without_backticks(problem.problem)
        # As it is shown: `take_back` and `add_problem` compare sentences with these.
        self._problem, self._step = replace(problem, problem=text), step
        self._sentence.setText(_BREAKS.sub("\u200b", text))
        # Without the spaces that only serve to break lines.
        self._sentence.setAccessibleName(text)
        self._button.setVisible(bool(problem.nearest or step))
        use = tr("Use {text}", text=(problem.nearest.split() or [""])[0])
        self._button.setText(step.label if step else use)
        self._button.setAccessibleDescription(problem.nearest)
        self._insist.setVisible(bool(problem.as_question))
        self._insist.setText(tr("Ask it anyway"))
        self._insist.setAccessibleDescription(problem.as_question)
        self._fit()
        self.show()
        announce(self, text)

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

    def _accept(self) -> None:
        if self._step is not None:
            self._step.run()
        else:
            self.accepted.emit(self._problem.nearest)


MODEL, SERVICES = "Model", "Services"
"""What a click on a light leads to: the page of the settings of that title."""
_DOT = 7
_RING = 1.6
_GAP = 14
# A button has so much room around its words, and what stands beside it has the same.
_PAD = 5
# As high as the buttons, so that it stands on one line with them.
_WORDS = Measures(font=theme.LABEL_TEXT, ink="ink_3", height=theme.TARGET)
# A long name gives way before the names of the services do.
_NAME_CHARACTERS = 12


@dataclass(frozen=True, slots=True)
class StatusIndicator:
    """One thing of the left side: a service, a model, a round.

    A plain one is a text; any other tone stands before it as a dot, filled where all is well.
    """

    text: str
    tone: Tone = Tone.PLAIN
    detail: str = ""
    """What the tone means, in words: for the pointer and for screen readers."""
    action: str = ""
    """What `BottomBar.activated` says when it is pressed; it is no button without."""


class BottomBar(Composite):
    """Lights and hints on one line below a hairline. Hints give way first where it is narrow."""

    activated = Signal(str)
    """The action of a light that was pressed."""

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self._lights: tuple[StatusIndicator, ...] = ()
        self._hints: tuple[str, ...] = ()
        self._light_views: list[_LightView] = []
        self._hint_views: list[PlainLabel] = []
        self._row = row_of(look, None)
        self.setLayout(self._row)
        style(self, look, height=theme.BOTTOM_BAR_HEIGHT)
        self._restyle()

    def _restyle(self) -> None:
        self.setAccessibleName(tr("State"))
        side = self.look.px(theme.SPACE_L)
        self._row.setContentsMargins(side - self.look.px(_PAD), 1, side, 0)
        self._row.setSpacing(self.look.px(_GAP) - 2 * self.look.px(_PAD))
        for view in self._hint_views:
            view.setContentsMargins(2 * self.look.px(_PAD), 0, 0, 0)
        self._arrange()

    def set_lights(self, lights: Sequence[StatusIndicator]) -> None:
        """Show these at the left."""
        lights = tuple(lights)
        # The same widgets go on wherever they can: a new button would lose the focus and its
        # tooltip.
        if [bool(light.action) for light in lights] == [bool(o.action) for o in self._lights]:
            for view, light in zip(self._light_views, lights, strict=True):
                view.set_light(light)
        else:
            for view in self._light_views:
                self._row.drop(view)
            self._light_views = [_LightView(light, self.look, self) for light in lights]
            for place, view in enumerate(self._light_views):
                view.pressed.connect(self.activated)
                self._row.insertWidget(place, view)
        self._lights = lights
        self._arrange()

    def set_hints(self, hints: Sequence[str]) -> None:
        """Show these texts at the right."""
        hints = tuple(hints)
        if hints == self._hints:
            return
        # Labels are kept where their number is the same: hints change with each number of tokens.
        if len(hints) != len(self._hints):
            for view in self._hint_views:
                self._row.drop(view)
            self._hint_views = [PlainLabel(parent=self) for _ in hints]
            for view in self._hint_views:
                style(view, self.look, **_WORDS)
                self._row.addWidget(view)
        for view, hint in zip(self._hint_views, hints, strict=True):
            view.setText(hint)
        self._hints = hints
        self._restyle()

    def minimumSizeHint(self) -> QSize:
        """Return the height: what has no room in the width is cut or left out."""
        return QSize(0, self.look.px(theme.BOTTOM_BAR_HEIGHT))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave out the hints that have no room."""
        super().resizeEvent(event)
        self._arrange()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's interface
        """Draw the hairline above."""
        with QPainter(self) as painter:
            draw_hairline(painter, self.look.colours.line, self.width())

    def _arrange(self) -> None:
        margins = self._row.contentsMargins()
        room = self.width() - margins.left() - margins.right()
        gap = self._row.spacing()
        room -= sum(view.sizeHint().width() + gap for view in self._light_views)
        # The last hint is the most telling one: the token count, the way to a new line.
        for view in reversed(self._hint_views):
            room -= view.sizeHint().width() + gap
            # Whole hints only: half a hint says nothing.
            view.setVisible(room >= 0)


async def look_at_lights(app: App) -> tuple[StatusIndicator, ...]:
    """Look at the model and the search engine; nothing leaves this machine for it."""
    from askance.app.checks.first_steps import reader_is_set_up  # noqa: PLC0415 - in the engine's thread

    reader = tr("reader") if reader_is_set_up(app.folders) else tr("built-in reader")
    return (await _model_light(app), await _search_light(app), StatusIndicator(reader))


def why_no_search(lights: tuple[StatusIndicator, ...]) -> str:
    """Return why nothing can be searched, in a sentence; nothing if something can."""
    missing = (light for light in lights if light.action == SERVICES and light.tone is Tone.AMBER)
    return next((light.detail for light in missing), "")


def on_sample(lights: tuple[StatusIndicator, ...]) -> tuple[StatusIndicator, ...]:
    """Return the lights while the sample web is searched in place of the real one."""
    text = tr("An invented web on this computer. /new leaves it.")
    return (lights[0], StatusIndicator(tr("sample web"), Tone.AMBER, text))


class _LightView(Styled, QWidget):
    pressed = Signal(str)

    def __init__(self, light: StatusIndicator, look: Look, parent: QWidget) -> None:
        super().__init__(look, parent)
        self._light = light
        self._dot = _Dot(look, self)
        self._words = ElidedLabel(parent=self, least_characters=_NAME_CHARACTERS)
        style(self._words, look, **_WORDS)
        self._button = LinkButton(self) if light.action else None
        self._row = style(QHBoxLayout(self), look, gap=6 if self._button is None else 1)
        self._row.addWidget(self._dot)
        if self._button is None:
            self._row.addWidget(self._words)
        else:
            self._words.hide()
            self._button.clicked.connect(self._press)
            style(self._button, look, font=theme.LABEL_TEXT, min_height=theme.TARGET)
            self._row.addWidget(self._button)
        self.set_light(light)

    def set_light(self, light: StatusIndicator) -> None:
        self._light = light
        self._dot.set_tone(light.tone)
        self._restyle()
        spoken = ", ".join(filter(None, (light.text, light.detail)))
        set_tip(self, light.detail)
        self._words.setText(light.text)
        self._words.setAccessibleName(spoken)
        if self._button is not None:
            self._button.setText(on_button(light.text))
            self._button.setAccessibleName(spoken)

    def _restyle(self) -> None:
        """Leave the room around dot and words that a button has around its words."""
        pad, is_bare = self.look.px(_PAD), self._button is None
        has_dot = self._light.tone is not Tone.PLAIN
        self._row.setContentsMargins(pad if is_bare or has_dot else 0, 0, pad if is_bare else 0, 0)

    def _press(self) -> None:
        self.pressed.emit(self._light.action)


class _Dot(Styled, QWidget):
    """Filled in the accent where all is well, a ring where it is not: colour is not the only sign."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(look, parent)
        self._tone = Tone.PLAIN
        style(self, look, width=_DOT, height=_DOT)

    def set_tone(self, tone: Tone) -> None:
        self._tone = tone
        self.setVisible(tone is not Tone.PLAIN)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's interface
        c = self.look.colours
        colour = QColor(
            {Tone.GOOD: c.accent, Tone.AMBER: c.amber, Tone.BAD: c.red}.get(self._tone, c.ink_3)
        )
        with antialiased(self) as painter:
            if self._tone is Tone.GOOD:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(colour)
                painter.drawEllipse(QRectF(self.rect()))
                return
            width = _RING * self.look.scale
            painter.setPen(QPen(colour, width))
            half = width / 2
            painter.drawEllipse(QRectF(self.rect()).adjusted(half, half, -half, -half))


async def _model_light(app: App) -> StatusIndicator:
    if app.model is None:
        return StatusIndicator(
            tr("no model"), Tone.AMBER, tr("No language model is set up."), MODEL
        )
    try:
        info = await app.model.info()
    except AskanceError as exc:
        return StatusIndicator(tr("no model"), Tone.AMBER, translated(exc), MODEL)
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
