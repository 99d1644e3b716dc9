"""The bar at the foot of the window: lights for model, search and reader, hints, and buttons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from askance.config.choices import Consent
from askance.domain.addresses import bare_address
from askance.domain.errors import AskanceError
from askance.presentation.i18n import tr, translated
from askance.presentation.steps import Tone
from askance.ui.design import tokens
from askance.ui.design.composing import Composite, Measures, Styled, row_of, style
from askance.ui.design.drawing import antialiased, draw_hairline
from askance.ui.design.focus import LinkButton
from askance.ui.design.labels import ElidedLabel, PlainLabel, on_button, set_tip
from askance.ui.design.theme import Look

if TYPE_CHECKING:
    from askance.app.container import App

MODEL, SERVICES = "Model", "Services"
"""What a click on a light leads to: the page of the settings of that title."""
_DOT = 7
_RING = 1.6
_GAP = 14
# A button has so much room around its words, and what stands beside it has the same.
_PAD = 5
# As high as the buttons, so that it stands on one line with them.
_WORDS = Measures(font=tokens.LABEL_TEXT, ink="ink_3", height=tokens.TARGET)
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
        style(self, look, height=tokens.BOTTOM_BAR_HEIGHT)
        self._restyle()

    def _restyle(self) -> None:
        self.setAccessibleName(tr("State"))
        side = self.look.px(tokens.SPACE_L)
        self._row.setContentsMargins(side - self.look.px(_PAD), 1, side, 0)
        self._row.setSpacing(self.look.px(_GAP) - 2 * self.look.px(_PAD))
        for view in self._hint_views:
            view.setContentsMargins(2 * self.look.px(_PAD), 0, 0, 0)
        self._arrange()

    def set_lights(self, lights: Sequence[StatusIndicator]) -> None:
        """Show these at the left."""
        lights = tuple(lights)
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
        return QSize(0, self.look.px(tokens.BOTTOM_BAR_HEIGHT))

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
            view.setVisible(room >= 0)


async def look_at_lights(app: App) -> tuple[StatusIndicator, ...]:
    """Look at the model and the search engine; nothing leaves this machine for it."""
    from askance.app.checks.first_steps import reader_is_set_up  # noqa: PLC0415 - in the engine's thread

    settings = app.settings
    reader = (
        tr("reader") if reader_is_set_up(settings.reader, app.folders) else tr("built-in reader")
    )
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
            style(self._button, look, font=tokens.LABEL_TEXT, min_height=tokens.TARGET)
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
    if app.settings.search.in_process is Consent.GIVEN:
        return StatusIndicator(tr("built-in search"), detail=why, action=SERVICES)
    return StatusIndicator(tr("no search"), Tone.AMBER, why, SERVICES)
