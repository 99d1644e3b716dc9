"""What opens above a window and closes with the next click beside it: menus, and paper with a list or a field."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, Qt, Signal
from PySide6.QtGui import QAction, QHideEvent, QKeyEvent, QKeySequence, QMouseEvent, QPaintEvent
from PySide6.QtWidgets import QMenu, QWidget

from askance.ui.design import theme
from askance.ui.design.composing import Slot, Styled, set_state
from askance.ui.design.drawing import antialiased, draw_keys, icon, keys_width
from askance.ui.design.frame import Frame, can_be_seen_through
from askance.ui.design.theme import Look

# Between what was pressed and what opens, and from the sides of the window.
_BELOW, _INSIDE = 4, 12
_PADDING = 6


class Popover(Frame):
    """Paper with a list or a field above its parent's window. Escape and a click beside it close it.

    Fill `contents`; what is to have the keyboard gets it by `setFocusProxy`.
    """

    kind = Qt.WindowType.Popup | Qt.WindowType.NoDropShadowWindowHint
    radius = theme.PANEL_RADIUS
    closed = Signal()

    def __init__(self, look: Look, parent: QWidget, width: float) -> None:
        super().__init__(look, parent)
        self._opener, self._paper_width = parent, width

    @property
    def ground(self) -> str:
        """The colour of a raised panel."""
        return self.look.colours.raised

    def open_below(self, anchor: QWidget, *, at_right: bool = False) -> None:
        """Show it below a part of the window: their left edges in line, or their right ones."""
        self.set_plain(not can_be_seen_through())
        around = self.shadow_margins
        bounds = _bounds(self._opener, self.look)
        width = min(self.look.px(self._paper_width), bounds.width())
        self.setFixedWidth(width + around.left() + around.right())
        # The width first: texts take as many lines as it leaves them.
        self.contents.activate()
        height = self.contents.sizeHint().height() - around.top() - around.bottom()
        paper = place_beside(anchor, QRect(0, 0, width, height), bounds, self.look, at_right)
        self.setFixedHeight(height + around.top() + around.bottom())
        self.move(paper.topLeft() - QPoint(around.left(), around.top()))
        self.show()
        self.setFocus(Qt.FocusReason.PopupFocusReason)

    def refit(self) -> None:
        """Make it as high as what is in it now, its upper edge where it is."""
        self.contents.activate()
        self.setFixedHeight(self.contents.sizeHint().height())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close with Escape."""
        if event.key() == Qt.Key.Key_Escape:
            self.close()
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Close with a press in the shadow, which is beside it to the eye."""
        if not self.paper.contains(event.position().toPoint()):
            self.close()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Stay: it belongs to what it was opened from, and is not moved."""

    def hideEvent(self, event: QHideEvent) -> None:
        """Say that it is closed."""
        super().hideEvent(event)
        self.closed.emit()


class Menu(Styled, QMenu):
    """A menu whose rows have a glyph, and the keys that do the same."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(look, parent)
        # Round corners show what is behind them.
        self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
        self.setWindowFlag(Qt.WindowType.FramelessWindowHint)
        self.setWindowFlag(Qt.WindowType.NoDropShadowWindowHint)
        # Made anew each time that it is opened: its rows are those of that moment.
        self.aboutToHide.connect(self.deleteLater)

    def add(self, text: str, then: Slot, *, glyph: str = "", keys: str = "") -> QAction:
        """Add a row at the end, and return it."""
        action = self.addAction(text)
        if glyph:
            action.setIcon(icon(glyph, self.look.colours.ink_2, self.look.px(theme.GLYPH)))
        if keys:
            # For readers alone: the window has the shortcut, and two of them would cancel each other.
            action.setShortcut(QKeySequence(keys))
            action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
            # Drawn on a cap, as everywhere, and not by Qt, which writes it as more of the text.
            action.setShortcutVisibleInContextMenu(False)
        action.triggered.connect(then)
        return action

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the keys of the rows at their ends."""
        super().paintEvent(event)
        with antialiased(self) as painter:
            for action in self.actions():
                side = self.look.px(_PADDING)
                row = self.actionGeometry(action).adjusted(side, 0, -side, 0)
                draw_keys(painter, self.look, _keys_of(action), row)

    def open_below(self, anchor: QWidget, *, at_right: bool = False) -> None:
        """Show it below a part of the window: their left edges in line, or their right ones."""
        self._prepare()
        size = QRect(QPoint(0, 0), self.sizeHint())
        bounds = _bounds(anchor, self.look)
        self.popup(place_beside(anchor, size, bounds, self.look, at_right).topLeft())

    def open_at(self, place: QPoint) -> None:
        """Show it at a place of the screen, as with a right click."""
        self._prepare()
        self.popup(place)

    def _prepare(self) -> None:
        """Have room for the keys, and round corners where they can be seen through."""
        self.setMinimumWidth(0)
        widest = max((keys_width(self.look, _keys_of(a)) for a in self.actions()), default=0)
        self.setMinimumWidth(self.sizeHint().width() + widest)
        set_state(self, "plain", is_on=not can_be_seen_through())


def _keys_of(action: QAction) -> list[str]:
    keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
    return [keys] if keys else []


def _bounds(part: QWidget, look: Look) -> QRect:
    """Return where something may open above a window, on the screen: not at its very sides."""
    window = part.window()
    paper = window.paper if isinstance(window, Frame) else window.rect()
    inside = look.px(_INSIDE)
    left, screen = window.mapToGlobal(paper.topLeft()).x(), window.screen().availableGeometry()
    return QRect(left + inside, screen.top(), paper.width() - 2 * inside, screen.height())


def place_beside(
    anchor: QWidget, size: QRect, bounds: QRect, look: Look, at_right: bool = False
) -> QRect:
    """Return where something of a size belongs: below its anchor, above where there is more room, within bounds."""
    here = QRect(anchor.mapToGlobal(QPoint(0, 0)), anchor.size())
    gap = look.px(_BELOW)
    left = here.right() + 1 - size.width() if at_right else here.left()
    left = max(bounds.left(), min(left, bounds.right() + 1 - size.width()))
    top = here.bottom() + 1 + gap
    over = top + size.height() > bounds.bottom() + 1
    if over and here.top() - bounds.top() > bounds.bottom() - here.bottom():
        top = max(bounds.top(), here.top() - gap - size.height())
    return QRect(QPoint(left, top), size.size())
