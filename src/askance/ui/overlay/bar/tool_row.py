"""Row 2 of the ask bar: the menu, attach, what Enter asks, the model, the title or a hint, and what opens other pages; and
the button at the end of row 1, which sends, stops, and rests for a moment after a run.

Nothing here that can be pressed moves or changes its width, whatever is typed, runs or is chosen: a second click meant
for one button must not meet another. Only what stands in the middle changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import partial

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetrics,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QApplication, QSizePolicy, QStackedLayout, QWidget, QWidgetAction

from askance.presentation.i18n import tr
from askance.presentation.steps import Tone
from askance.ui.design import theme
from askance.ui.design.composing import Button, Composite, Styled, row_of, style
from askance.ui.design.drawing import LEFT, antialiased, draw_cap, fill, write
from askance.ui.design.focus import HISTORY, PIN, PaintedButton
from askance.ui.design.glyphs import GlyphButton, draw_glyph, fill_hover
from askance.ui.design.labels import PlainLabel, set_tip
from askance.ui.design.popover import Menu
from askance.ui.design.theme import Look
from askance.ui.overlay.bar.mode_switch import ModeSwitch
from askance.ui.overlay.bar.status import StatusIndicator

ATTACH, MODEL_SWITCH, LIBRARY, SETTINGS = "Ctrl+U", "Ctrl+M", "Ctrl+L", "Ctrl+,"
NARROW = 560
"""In a window of less there is no title, hint or pin, and the last button is a menu with pin and settings."""
_ARROW, _DOT, _GAP, _PAD = 12, 7, 6, 7
_BESIDE_TITLE = 36
_MARK = 20
_MIDDLE = Qt.TextElideMode.ElideMiddle


class SendState(Enum):
    """What the button at the end of the field does now: its glyph, its ink, its ground and its edge."""

    OFF = ("send", "ink_3", "", "line_2")
    ON = ("send", "paper", "accent", "")
    STOP = ("stop", "accent", "accent_soft", "accent")
    DONE = ("check", "accent", "", "line_2")
    WAIT = ("history", "accent", "accent_soft", "")


class _BarButton(PaintedButton):
    """A button that leaves the keyboard in the field when it is clicked, and looks so where the window has none."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(look, theme.LABEL_TEXT)
        self.setParent(parent)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._is_on, self._is_active = False, True

    def set_on(self, is_on: bool) -> None:
        """Show it as pressed in, as while what it opens is open."""
        self._is_on = is_on
        self.update()

    def set_active(self, is_active: bool) -> None:
        """Say whether the window has the keyboard."""
        self._is_active = is_active
        self.update()


class SendButton(_BarButton):
    """Sends, or stops what runs, at one place. It does nothing while it is off, and right after a run."""

    _SIZE, _RADIUS, _GLYPH = 34, 9, 18

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(look, parent)
        style(self, look, width=self._SIZE, height=self._SIZE)
        self.state = SendState.OFF
        self.show_state(SendState.OFF)

    def show_state(self, state: SendState) -> None:
        """Look like this from now on."""
        self.state = state
        tip = tr("Stop · Esc") if state is SendState.STOP else tr("Ask · Enter")
        name, _, keys = tip.partition(" · ")
        self.setAccessibleName(name)
        set_tip(self, tip)
        self.setAccessibleDescription(keys)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's interface
        """Draw the ground, the edge and the glyph."""
        c, radius = self.look.colours, self.look.px(self._RADIUS)
        glyph, ink, ground, edge = self.state.value
        if not self._is_active:
            ink, ground, edge = SendState.OFF.value[1:]
        with antialiased(self) as painter:
            if ground:
                fill(painter, self.rect(), getattr(c, ground), radius)
            if edge:
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.setPen(QPen(QColor(getattr(c, edge)), 1))
                inside = self.rect().toRectF().adjusted(0.5, 0.5, -0.5, -0.5)
                painter.drawRoundedRect(inside, radius, radius)
            draw_glyph(painter, self, self.look, glyph, getattr(c, ink), self.rect(), self._GLYPH)


class ModelButton(_BarButton):
    """The model that answers, with a dot: filled where it is there, a ring where none is, a pie while one is downloaded."""

    lit = Signal()
    """It was looked whether a model is there."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(look, parent)
        self.most = 170
        """How wide it may be, in pixels of the tokens."""
        self._light = StatusIndicator("")
        self._download: tuple[str, float] | None = None
        self._restyle()

    def _restyle(self) -> None:
        self.show_light(self._light)

    def show_light(self, light: StatusIndicator) -> None:
        """Show a model, or that there is none, and why."""
        self._light = light
        self._speak()
        self.lit.emit()

    def set_download(self, name: str, fraction: float | None) -> None:
        """Show how much of a model has come, from 0 to 1, in the place of the model that is missing; None ends that."""
        self._download = None if fraction is None else (name, fraction)
        self._speak()

    @property
    def is_missing(self) -> bool:
        """Whether no model answers now."""
        return self._light.tone not in (Tone.GOOD, Tone.PLAIN)

    @property
    def words(self) -> str:
        """What stands on it."""
        if self._shows_download and self._download is not None:
            return tr("{name} · {n} %", name=self._download[0], n=int(self._download[1] * 100))
        return self._light.text or tr("Model")

    @property
    def _shows_download(self) -> bool:
        # A model that is there answers while another one comes.
        return self._download is not None and self._light.tone is not Tone.GOOD

    def _speak(self) -> None:
        detail = self._light.detail
        self.setAccessibleName(tr("Model: {name}", name=self.words))
        set_tip(self, "\n".join(filter(None, (self.words, detail))))
        self.setAccessibleDescription(detail)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """Return the room for dot, name and arrow, up to the most."""
        px = self.look.px
        words = QFontMetrics(self.font()).horizontalAdvance(self.words) + 1
        around = px(_PAD + _DOT + _GAP) + px(_PAD + _ARROW + _GAP)
        return QSize(min(px(self.most), words + around), px(theme.GLYPH_TARGET))

    def minimumSizeHint(self) -> QSize:
        """Return the same: what is beside it gives way."""
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's interface
        """Draw the dot, the name and the arrow."""
        c, px = self.look.colours, self.look.px
        with antialiased(self) as painter:
            if self._is_on:
                fill(painter, self.rect(), c.accent_soft, px(theme.MENU_ROW_RADIUS))
            elif self.underMouse():
                fill_hover(painter, self.rect(), self.look)
            lacks = self.is_missing and not self._shows_download
            ink = c.ink if self._is_on or self.underMouse() else c.ink_2
            if not self._is_active:
                ink = c.ink_3
            elif lacks:
                ink = c.amber
            self._draw_dot(painter, lacks)
            room = self.rect().adjusted(px(_PAD + _DOT + _GAP), 0, -px(_PAD + _ARROW + _GAP), 0)
            # How much has come is never cut off.
            elide = _MIDDLE if self._shows_download else Qt.TextElideMode.ElideRight
            write(painter, self.words, room, self.font(), ink, where=LEFT, elide=elide)
            arrow = QRect(self.width() - px(_PAD + _ARROW), 0, px(_ARROW), self.height())
            draw_glyph(painter, self, self.look, "down", ink, arrow, _ARROW)

    def _draw_dot(self, painter: QPainter, lacks: bool) -> None:
        c, px = self.look.colours, self.look.px
        dot = px(_DOT)
        place = QRectF(px(_PAD), (self.height() - dot) / 2, dot, dot)
        painter.setPen(Qt.PenStyle.NoPen)
        if self._shows_download and self._download is not None:
            # A little larger, so that its part is seen.
            place.adjust(-1, -1, 1, 1)
            painter.setBrush(QColor(c.line_2))
            painter.drawEllipse(place)
            painter.setBrush(QColor(c.accent))
            painter.drawPie(place, 90 * 16, -round(self._download[1] * 360 * 16))
        elif self._light.tone is Tone.GOOD:
            painter.setBrush(QColor(c.accent if self._is_active else c.ink_3))
            painter.drawEllipse(place)
        else:
            width = 1.6 * self.look.scale
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(c.amber if lacks else c.ink_3), width))
            half = width / 2
            painter.drawEllipse(place.adjusted(half, half, -half, -half))


@dataclass(frozen=True, slots=True)
class Hint:
    """What a key does now: the key, which is drawn as a cap, and the words behind it."""

    key: str
    words: str

    @classmethod
    def of(cls, text: str, key: str = "") -> Hint:
        """Split a text that begins with a key."""
        key = key or text.split(" ", 1)[0]
        # A language may set a comma behind the key, which has no place behind a cap.
        return cls(key, text.removeprefix(key).lstrip(" ,"))


class HintLine(Styled, QWidget):
    """Hints, at the right end of the middle. Those that have no room are left out, the last one first."""

    _CAP_PAD, _CAP_HEIGHT, _BETWEEN = 5, 17, 10

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(look, parent)
        self._hints: tuple[Hint, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    @property
    def shown(self) -> tuple[Hint, ...]:
        """What there is room for now."""
        shown = list(self._hints)
        room = self.width() - self.look.px(theme.SPACE_S)
        while shown and sum(map(self._width, shown)) + self._gaps(shown) > room:
            shown.pop()
        return tuple(shown)

    def show_hints(self, hints: Sequence[Hint]) -> None:
        """Show these and no others."""
        self._hints = tuple(hints)
        spoken = ", ".join(f"{hint.key} {hint.words}" for hint in hints)
        # Screen readers say nothing of the signs.
        self.setAccessibleName(spoken.replace("↑↓", tr("Arrows")))
        self.update()

    def sizeHint(self) -> QSize:
        """Return the height alone: it takes what is left of the width."""
        return QSize(0, self.look.px(theme.GLYPH_TARGET))

    def minimumSizeHint(self) -> QSize:
        """Return the same."""
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's interface
        """Draw the caps and their words, up to the right end."""
        shown, px, c = self.shown, self.look.px, self.look.colours
        font = self.look.font(theme.LABEL_TEXT)
        left = self.width() - px(theme.SPACE_S)
        left -= sum(map(self._width, shown)) + self._gaps(shown)
        with antialiased(self) as painter:
            for hint in shown:
                cap_width, high = self._cap_width(hint), px(self._CAP_HEIGHT)
                cap = QRect(left, (self.height() - high) // 2, cap_width, high)
                if hint.key:
                    draw_cap(painter, self.look, hint.key, cap)
                words = QRect(left + cap_width + px(5), 0, self.width(), self.height())
                write(painter, hint.words, words, font, c.ink_3)
                left += self._width(hint) + px(self._BETWEEN)

    def _cap_width(self, hint: Hint) -> int:
        if not hint.key:
            return 0
        metrics = QFontMetrics(self.look.font(theme.KEY_TEXT))
        return metrics.horizontalAdvance(hint.key) + 2 * self.look.px(self._CAP_PAD)

    def _width(self, hint: Hint) -> int:
        words = QFontMetrics(self.look.font(theme.LABEL_TEXT)).horizontalAdvance(hint.words)
        return self._cap_width(hint) + (words + self.look.px(5) if words else 0)

    def _gaps(self, hints: Sequence[Hint]) -> int:
        return self.look.px(self._BETWEEN) * max(0, len(hints) - 1)


class TitleButton(_BarButton):
    """The title of the conversation in the middle, with an arrow. The window is dragged by it as by the paper around."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(look, parent)
        self.setCursor(Qt.CursorShape.ArrowCursor)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._pressed_at, self.title = QPoint(), ""
        self._is_heading = False

    def be_heading(self, is_heading: bool) -> None:
        """Stand at the left and somewhat larger, as over a conversation, or in the middle."""
        self._is_heading = is_heading
        self._restyle()
        self.update()

    def _restyle(self) -> None:
        self.setFont(self.look.font(theme.SMALL_TEXT if self._is_heading else theme.LABEL_TEXT))

    def show_title(self, title: str, about: str = "") -> None:
        """Show a title. One that says something `about` itself has no menu."""
        # Not as the button's text, of which Qt would make a shortcut: of what follows a `&`.
        self.title = title
        self.setEnabled(not about)
        self.setAccessibleName(tr("Title: {title}", title=title))
        set_tip(self, about or title)
        self.update()

    def sizeHint(self) -> QSize:
        """Return the height alone: it takes what is left of the width."""
        return QSize(0, self.look.px(theme.GLYPH_TARGET))

    def minimumSizeHint(self) -> QSize:
        """Return the same."""
        return self.sizeHint()

    def hitButton(self, at: QPoint) -> bool:
        """Take clicks on the title alone, and not beside it."""
        return self._words_at.contains(at)

    # What is ignored comes to the window, which is moved by it.

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Press it; a movement may begin here as well."""
        self._pressed_at = event.position().toPoint()
        super().mousePressEvent(event)
        event.ignore()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Let the window move; what was dragged was not clicked."""
        super().mouseMoveEvent(event)
        way = event.position().toPoint() - self._pressed_at
        if way.manhattanLength() >= QApplication.startDragDistance():
            self.setDown(False)
        event.ignore()

    @property
    def _words_at(self) -> QRect:
        px = self.look.px
        around = 2 * px(_PAD) + (px(_GAP - 2 + _ARROW) if self.isEnabled() else 0)
        words = QFontMetrics(self.font()).horizontalAdvance(self.title) + 1
        # The window is dragged and widened by what is beside a title, however long that is.
        wide = min(self.width() - px(_BESIDE_TITLE), words + around)
        left = 0 if self._is_heading else (self.width() - wide) // 2
        return QRect(left, 0, wide, self.height())

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's interface
        """Draw the title in the middle, and the arrow behind it."""
        c, px = self.look.colours, self.look.px
        place = self._words_at
        with antialiased(self) as painter:
            is_lit = self.isEnabled() and (self.underMouse() or self._is_on)
            if is_lit:
                fill_hover(painter, place, self.look)
            ink = c.ink if is_lit or self._is_heading else c.ink_2
            ink = ink if self._is_active else c.ink_3
            room = place.adjusted(px(_PAD), 0, -px(_PAD), 0)
            if self.isEnabled():
                arrow = QRect(room.right() + 1 - px(_ARROW), 0, px(_ARROW), self.height())
                draw_glyph(painter, self, self.look, "down", ink, arrow, _ARROW)
                room.adjust(0, 0, -px(_ARROW + _GAP - 2), 0)
            write(painter, self.title, room, self.font(), ink, where=LEFT)


class TextSizeRow(Composite):
    """A row of the menu that makes all text smaller or larger, and as delivered by a click on the number."""

    stepped = Signal(int)
    """-1, 1, or 0 for the size as delivered."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(look, parent)
        label = style(PlainLabel(tr("Text size"), self), look, font=theme.SMALL_TEXT)
        self.buttons = tuple(
            Button(look, text, self, partial(self.stepped.emit, step))
            for step, text in (
                (-1, "\u2212"),
                (0, tr("{n} %", n=round(100 * look.scale))),
                (1, "+"),
            )
        )
        names = (tr("Smaller text"), tr("Text size as delivered"), tr("Larger text"))
        for button, name in zip(self.buttons, names, strict=True):
            button.setProperty("quiet", True)
            button.setAccessibleName(name)
        # In line with the rows of the menu, whose words stand behind a glyph.
        margins = (theme.SPACE_XL + theme.SPACE_L, 0, theme.SPACE_M, 0)
        self.setLayout(row_of(look, label, *self.buttons, gap=2, wide=label, margins=margins))


class ToolRow(Composite):
    """All of row 2."""

    attach_requested = Signal()
    model_requested = Signal()
    title_requested = Signal()
    history_requested = Signal()
    new_requested = Signal()
    pin_toggled = Signal(bool)
    settings_requested = Signal()
    library_requested = Signal()
    keys_requested = Signal()
    text_size_requested = Signal(int)
    """-1, 1, or 0 for the size as delivered."""
    network_requested = Signal()
    quit_requested = Signal()

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(look, parent)
        self._is_pinned = self._is_active = True
        self._is_parted = self._is_search = False
        self._hints: tuple[Hint, ...] = ()
        self.menu_button = GlyphButton(look, "mark", then=self._open_menu, parent=self, size=_MARK)
        self.attach_button = GlyphButton(look, "attach", then=self.attach_requested, parent=self)
        self.switch = ModeSwitch(look, self)
        self.model_button = ModelButton(look, self)
        # The middle is one place: title and hint never stand there at once.
        self.middle = QWidget(self)
        self.title_button = TitleButton(look, self)
        self.hint_line = HintLine(look, self)
        self.new_button = GlyphButton(look, "new", then=self.new_requested.emit, parent=self)
        self.history_button = GlyphButton(look, "history", then=self.history_requested, parent=self)
        self.pin_button = GlyphButton(look, "pin", then=self.toggle_pin, parent=self)
        self.settings_button = GlyphButton(look, "settings", then=self._settle, parent=self)
        self.model_button.clicked.connect(self.model_requested)
        self.title_button.clicked.connect(self.title_requested)
        self._middle = QStackedLayout(self.middle)
        self._blank = QWidget(self.middle)
        self.fillers = (self._blank, self.hint_line)
        """What stands in the middle and is not pressed."""
        for part in (self._blank, self.title_button, self.hint_line):
            self._middle.addWidget(part)
        # In a row of a wide window what stands behind the title stays at the end.
        policy = self.title_button.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.title_button.setSizePolicy(policy)
        self._lay_out()
        self.set_active(True)
        self.set_pinned(False)
        self._restyle()

    @property
    def is_narrow(self) -> bool:
        """Whether there is no room for title, hint and pin."""
        return not self._is_parted and self.width() < self.look.px(NARROW)

    def set_title(self, title: str, about: str = "") -> None:
        """Show a title in the middle, while no hint is to be shown; nothing for an empty one."""
        self.title_button.show_title(title, about)
        self._arrange()

    def show_hints(self, hints: Sequence[Hint]) -> None:
        """Show hints in the middle, in the place of the title; without any, the title."""
        # Each step of a run asks for them again, mostly the same.
        if tuple(hints) != self._hints:
            self._hints = tuple(hints)
            self.hint_line.show_hints(hints)
            self._arrange()

    def set_pinned(self, is_pinned: bool) -> None:
        """Show whether the window is pinned."""
        self._is_pinned = is_pinned
        self.pin_button.set_on(is_pinned)
        self._dress()

    def set_parted(self, is_parted: bool) -> None:
        """Leave what belongs to the window, and not to the question, to the rows of a wide one, or take it back.

        What is left to them they put into their own layouts.
        """
        self._is_parted = is_parted
        self.title_button.be_heading(is_parted)
        if not is_parted:
            self._row.insertWidget(0, self.menu_button)
            self._row.put(*self._right)
            self._middle.addWidget(self.title_button)
            # Screen readers go by the order of the children.
            for part in (self.middle, *self._right):
                part.raise_()
            self.menu_button.lower()
        self._arrange()

    def show_search(self, is_search: bool) -> None:
        """Let the history button stand for the search alone, as above the history itself."""
        self._is_search = is_search
        self._dress()

    def set_has_news(self, has_news: bool) -> None:
        """Show whether an answer of another conversation is there that nobody has seen."""
        self.history_button.set_news(has_news, tr("ready, not seen"))

    def set_active(self, is_active: bool) -> None:
        """Show whether the window has the keyboard."""
        for part in (self.switch, self.model_button, self.title_button):
            part.set_active(is_active)
        self._is_active = is_active
        self._dress()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave out what has no room."""
        super().resizeEvent(event)
        self._arrange()

    def _restyle(self) -> None:
        self.setFixedHeight(self.look.px(38))
        self._arrange()

    def _dress(self) -> None:
        """Give the buttons their names and their glyphs."""
        ink = "ink_2" if self._is_active else "ink_3"
        history, last = ("history", tr("History"), HISTORY), ("settings", tr("Settings"), SETTINGS)
        if self._is_search:
            history = ("search", tr("Search conversations"), "Ctrl+Shift+H")
        if self.is_narrow:
            last = ("dots", tr("More"), "")
        faces = (
            (self.menu_button, "mark", tr("Menu"), ""),
            (self.attach_button, "attach", tr("Attach"), ATTACH),
            (self.new_button, "new", tr("New conversation"), "Ctrl+N"),
            (self.history_button, *history),
            (self.pin_button, "pin", tr("Unpin") if self._is_pinned else tr("Pin"), PIN),
            (self.settings_button, *last),
        )
        for button, glyph, name, keys in faces:
            button.set_glyph(glyph, ink)
            button.rename(name, keys)
        if self._is_active:
            self.menu_button.set_glyph("mark", "accent")

    def _lay_out(self) -> None:
        left = (self.menu_button, self.attach_button)
        self._right = (self.new_button, self.history_button, self.pin_button, self.settings_button)
        for button in (*left, *self._right):
            # A click leaves the keyboard in the field.
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        beside = row_of(self.look, self.switch, gap=0, margins=(6, 0, 6, 0))
        parts = (*left, beside, self.model_button, self.middle, *self._right)
        # So that the glyphs, and not their targets, begin and end in line with the text above.
        margins = (18, 1, 18, 9)
        self._row = row_of(self.look, *parts, gap=4, wide=self.middle, margins=margins)
        self.setLayout(self._row)

    def _arrange(self) -> None:
        is_narrow = self.is_narrow
        most = 126 if is_narrow else 170
        if self.model_button.most != most:
            self.model_button.most = most
            self.model_button.updateGeometry()
        self.pin_button.setVisible(not is_narrow)
        has_title = bool(self.title_button.title)
        shown = self.hint_line if self._hints else self._blank
        if has_title and not (self._hints or self._is_parted):
            shown = self.title_button
        self._middle.setCurrentWidget(self._blank if is_narrow else shown)
        if self._is_parted:
            self.title_button.setVisible(has_title)
        self._dress()

    def toggle_pin(self) -> None:
        """Ask for the window to be pinned, or to be so no more."""
        self.pin_toggled.emit(not self._is_pinned)

    def _settle(self) -> None:
        if not self.is_narrow:
            self.settings_requested.emit()
            return
        menu = self._menu(self.settings_button)
        name = tr("Unpin") if self._is_pinned else tr("Pin")
        menu.add(name, self.toggle_pin, glyph="pin", keys=PIN)
        menu.add(tr("Settings"), self.settings_requested, glyph="settings", keys=SETTINGS)
        menu.open_below(self.settings_button, at_right=True)

    def _open_menu(self) -> None:
        menu = self._menu(self.menu_button)
        menu.add(tr("Library"), self.library_requested, glyph="book", keys=LIBRARY)
        menu.add(tr("Keys and commands"), self.keys_requested, glyph="keys", keys="F1")
        size = QWidgetAction(menu)
        # Drawn by its widget; a screen reader goes by this.
        size.setText(tr("Text size"))
        row = TextSizeRow(self.look, menu)
        row.stepped.connect(self.text_size_requested)
        size.setDefaultWidget(row)
        menu.addAction(size)
        menu.addSeparator()
        menu.add(tr("Network activity"), self.network_requested, glyph="list")
        menu.add(tr("Quit Askance"), self.quit_requested, glyph="cross")
        menu.open_below(self.menu_button)

    def _menu(self, button: GlyphButton) -> Menu:
        menu = Menu(self.look, self)
        button.set_on(True)
        menu.aboutToHide.connect(lambda: button.set_on(False))
        return menu
