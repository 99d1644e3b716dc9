"""How windows are put together: what reaches all parts with a look, rows and columns that keep their distances, plain
buttons and fields, input methods in fields, buttons that flow into several lines, timers.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypedDict, TypeVar, Unpack

from PySide6.QtCore import (
    QElapsedTimer,
    QEvent,
    QObject,
    QPoint,
    QRect,
    QSize,
    Qt,
    QTimer,
    SignalInstance,
)
from PySide6.QtGui import QColor, QFocusEvent, QFont, QInputMethodEvent, QKeyEvent, QPalette
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QBoxLayout,
    QLayout,
    QLayoutItem,
    QLineEdit,
    QPushButton,
    QToolButton,
    QWidget,
)

from askance.presentation.i18n import tr
from askance.ui.design import theme
from askance.ui.design.theme import Look

Margins = tuple[float, float, float, float]
"""Left, top, right and bottom, in pixels of the tokens."""
_Part = TypeVar("_Part", bound=QWidget | QLayout)
Slot = Callable[[], object] | SignalInstance
"""What a signal without arguments is connected with."""


def propagate_look(look: Look, inside: QObject) -> None:
    """Call `set_look` on all that lies in a widget, down to what hands the look on by itself."""
    for part in inside.children():
        if isinstance(part, QWidget):
            # What was never shown gets its first colours back when Qt polishes it, which it does when that is shown.
            part.ensurePolished()
        take: Callable[[Look], None] | None = getattr(part, "set_look", None)
        if take is not None:
            take(look)
        else:
            propagate_look(look, part)


def set_ink(widget: QWidget, colour: str) -> None:
    """Let a widget write in a colour."""
    palette = widget.palette()
    palette.setColor(QPalette.ColorRole.WindowText, QColor(colour))
    widget.setPalette(palette)


def set_state(widget: QWidget, name: str, *, is_on: bool) -> None:
    """Set a property of a widget that the style sheet goes by."""
    if bool(widget.property(name)) is not is_on:
        widget.setProperty(name, is_on)
        # A style sheet looks at a property only when a widget is polished.
        widget.style().unpolish(widget)
        widget.style().polish(widget)


class Styled:
    """Mixed into a widget that draws with `look`, and hands another one on to all that lies in it."""

    def __init__(self, look: Look, *args: Any) -> None:
        # The widget that this is mixed into comes next, and gets all but the look.
        super().__init__(*args)
        self.look = look

    def set_look(self, look: Look) -> None:
        """Draw with another look from now on, in the language of the reader."""
        self.look = look
        assert isinstance(self, QWidget)
        # The parts first: what `_restyle` sets follows from their sizes, as the height of a field
        # does.
        propagate_look(look, self)
        self._restyle()
        self.updateGeometry()
        self.update()

    def _restyle(self) -> None:
        """Set what Qt does not ask for when it draws: sizes, style sheets, texts. Constructors call it too."""


class Measures(TypedDict, total=False):
    """What `style` sets, in pixels of the tokens."""

    font: float
    weight: QFont.Weight
    ink: str
    """The name of a colour of the palette."""
    margins: Margins
    gap: float
    gap_down: float
    """Between the rows of a grid, where that is not the gap between its columns."""
    width: float
    height: float
    min_width: float
    min_height: float


_SETTERS = {
    "gap": "setSpacing",
    "gap_down": "setVerticalSpacing",
    "width": "setFixedWidth",
    "height": "setFixedHeight",
    "min_width": "setMinimumWidth",
    "min_height": "setMinimumHeight",
}


def style(part: _Part, look: Look, **measures: Unpack[Measures]) -> _Part:
    """Return a part that has these measures in this look and in every later one."""
    _Measured(part, measures).set_look(look)
    return part


class _Measured(QObject):
    """Lies in a part, where `propagate_look` finds it."""

    def __init__(self, part: QObject, measures: Measures) -> None:
        # A child of the part: it goes when that goes, and nobody has to remember it.
        super().__init__(part)
        self._measures = measures

    def set_look(self, look: Look) -> None:
        part, measures = self.parent(), self._measures
        if "font" in measures and isinstance(part, QWidget):
            part.setFont(look.font(measures["font"], measures.get("weight", QFont.Weight.Normal)))
        if "ink" in measures and isinstance(part, QWidget):
            set_ink(part, getattr(look.colours, measures["ink"]))
        if "margins" in measures and isinstance(part, QWidget | QLayout):
            part.setContentsMargins(*map(look.px, measures["margins"]))
        for name, setter in _SETTERS.items():
            if (measure := measures.get(name)) is not None:
                getattr(part, setter)(look.px(measure))


_Item = QWidget | QLayout | None
_DIRECTIONS = (QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom)


class Box(QBoxLayout):
    """Widgets and layouts side by side or below one another, `gap` pixels of the tokens apart."""

    def __init__(
        self,
        look: Look,
        *parts: _Item,
        is_down: bool,
        gap: float = theme.SPACE_S,
        wide: QWidget | None = None,
        margins: Margins = (0, 0, 0, 0),
    ) -> None:
        super().__init__(_DIRECTIONS[is_down])
        self._gap, self._margins = gap, margins
        self.set_look(look)
        self.put(*parts, wide=wide)

    def set_look(self, look: Look) -> None:
        """Keep the distances of another look from now on."""
        self._look = look
        self.setSpacing(look.px(self._gap))
        self.setContentsMargins(*map(look.px, self._margins))
        propagate_look(look, self)

    def turn(self, *, is_down: bool, gap: float) -> None:
        """Go on below one another or side by side, other distances apart."""
        self.setDirection(_DIRECTIONS[is_down])
        self._gap = gap
        self.setSpacing(self._look.px(gap))

    def put(self, *parts: _Item, wide: QWidget | None = None) -> None:
        """Add parts at the end. None is empty room, and `wide` the part that takes all that is left."""
        for part in parts:
            if isinstance(part, QWidget):
                self.addWidget(part, 1 if part is wide else 0)
            elif part is None:
                self.addStretch(1)
            else:
                self.addLayout(part)

    def drop(self, widget: QWidget) -> None:
        """Take a widget away for good; it is deleted in the next turn of the event loop."""
        self.removeWidget(widget)
        # Until it is deleted it would stand where it stood, over what takes its place.
        widget.hide()
        widget.deleteLater()


row_of = partial(Box, is_down=False)
"""Return parts side by side; see `Box.put`."""
column_of = partial(Box, is_down=True)
"""Return parts below one another; see `Box.put`."""


def activate_layouts(widget: QWidget) -> None:
    """Lay out all that lies in a widget now, the innermost first, but for what lies in scrolling parts.

    In a hidden window no layout does so by itself, and none tells the one around it of a change.
    """
    for part in widget.children():
        # What is scrolled has its height from its own content, and changes nothing around it.
        if isinstance(part, QWidget) and not isinstance(part, QAbstractScrollArea):
            activate_layouts(part)
    layout = widget.layout()
    if layout is not None:
        layout.activate()


class Composite(Styled, QWidget):
    """A widget that is put together from others, and hands a look on to them."""


class Button(QPushButton):
    """A button of a form: its words are small. `then` is called when it is pressed."""

    def __init__(
        self, look: Look, text: str = "", parent: QWidget | None = None, then: Slot | None = None
    ) -> None:
        super().__init__(text, parent)
        style(self, look, font=theme.SMALL_TEXT)
        if then is not None:
            self.clicked.connect(then)


SAME_PRESS_MS = 50
"""What belongs to one press of a key comes within this time; nobody presses two keys so close together."""
# Whatever they would do, they end or leave a composition, whether the input method swallows them or not.
_ENDING = {Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape, Qt.Key.Key_Tab}


class Composition(QObject):
    """Follows what an input method composes in a field. `edit` lets the field edit with a key.

    A key that an input method has no use for ends the composition, and is let through. ibus commits first
    and lets the key through within a millisecond; fcitx5, which is spoken to as ibus, does both the other
    way round (measured with fcitx5 5.0.21 and ibus 1.5.27). Either way the words come before what is typed
    behind them, and the key that ends a composition sends nothing and closes nothing.
    """

    def __init__(self, edit: Callable[[QKeyEvent], None], parent: QObject) -> None:
        super().__init__(parent)
        self.is_on = False
        self._edit = edit
        self._ended = QElapsedTimer()
        self._held: list[QKeyEvent] = []
        self._waiting = single_shot_timer(self, self._let_go)

    def follow(self, event: QInputMethodEvent) -> None:
        """Note what an event did, once the field has taken it."""
        was_on, self.is_on = self.is_on, bool(event.preeditString())
        if was_on and not self.is_on:
            self._ended.start()
            self._let_go()

    def takes(self, event: QKeyEvent) -> bool:
        """Return whether a key that was pressed is nothing to the field, or not yet."""
        if event.key() in _ENDING:
            return self.is_on or self._has_just_ended
        if not event.text() or not (self.is_on or self._held):
            return False
        # A copy, since Qt deletes its event once it was handled.
        self._held.append(event.clone())
        self._waiting.start(SAME_PRESS_MS)
        return True

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: ARG002 - Qt's interface
        """Take a key before whatever else filters those of the field."""
        if event.type() is QEvent.Type.KeyRelease:
            self.release()
        return (
            isinstance(event, QKeyEvent)
            and event.type() is QEvent.Type.KeyPress
            and self.takes(event)
        )

    def release(self) -> None:
        """Note that a key was released: the next press is another one."""
        self._ended.invalidate()

    def leave(self) -> None:
        """Note that the focus is gone, and the composition with it."""
        self.is_on = False
        self._ended.invalidate()
        self._let_go()

    @property
    def _has_just_ended(self) -> bool:
        return self._ended.isValid() and not self._ended.hasExpired(SAME_PRESS_MS)

    def _let_go(self) -> None:
        self._waiting.stop()
        held, self._held = self._held, []
        for event in held:
            self._edit(event)


class LineField(QLineEdit):
    """A field of one line. `prompt` stands in it while it is empty; `name` is what screen readers say."""

    def __init__(
        self,
        look: Look,
        prompt: str = "",
        parent: QWidget | None = None,
        *,
        name: str = "",
        size: float = theme.SMALL_TEXT,
    ) -> None:
        super().__init__(parent)
        self.setPlaceholderText(prompt)
        self.setAccessibleName(name or prompt)
        style(self, look, font=size)
        self._composition = Composition(super().keyPressEvent, self)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        """Know whether an input method is composing."""
        super().inputMethodEvent(event)
        self._composition.follow(event)
        # The filter that was installed last is the first one: before those of a popover and of a list's row.
        self.installEventFilter(self._composition)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Let the composition know."""
        super().focusOutEvent(event)
        self._composition.leave()

    def setClearButtonEnabled(self, enable: bool) -> None:
        """Have a button that empties it, with a name for screen readers, which Qt's has not."""
        super().setClearButtonEnabled(enable)
        for button in self.findChildren(QToolButton):
            button.setAccessibleName(tr("Clear"))


class FlowLayout(QLayout):
    """Buttons side by side, in as many lines as they need: at large sizes of text and in long languages."""

    def __init__(self, look: Look, *parts: QWidget) -> None:
        super().__init__()
        # Qt leaves it to a layout of one's own to keep its items.
        self._items: list[QLayoutItem] = []
        self.setContentsMargins(0, 0, 0, 0)
        style(self, look, gap=theme.SPACE_S)
        for part in parts:
            self.addWidget(part)

    def addItem(self, item: QLayoutItem) -> None:
        """Add a part at the end."""
        self._items.append(item)

    def count(self) -> int:
        """Return how many parts there are, hidden ones too."""
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        """Return a part; None behind the last."""
        # Qt goes through a layout until it gets none.
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        """Take a part out."""
        # Qt empties a layout by taking the first until there is none.
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        """Say that no more room is wanted than is needed."""
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        """Say that the height depends on the width."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Return the height of all lines at a width."""
        return self._flow(QRect(0, 0, width, 0), moves=False)

    def sizeHint(self) -> QSize:
        """Return the size of all parts in one line."""
        sizes = [item.sizeHint() for item in self._shown()]
        gaps = self.spacing() * max(0, len(sizes) - 1)
        height = max((size.height() for size in sizes), default=0)
        return QSize(sum(size.width() for size in sizes) + gaps, height)

    def minimumSize(self) -> QSize:
        """Return the size of the widest part."""
        # One part a line is the narrowest: the window can be made as narrow as its widest button.
        least = QSize(0, 0)
        for item in self._shown():
            least = least.expandedTo(item.minimumSize())
        return least

    def setGeometry(self, rect: QRect) -> None:
        """Put each part into its place."""
        super().setGeometry(rect)
        self._flow(rect, moves=True)

    def _shown(self) -> list[QLayoutItem]:
        return [item for item in self._items if not item.isEmpty()]

    def _flow(self, rect: QRect, *, moves: bool) -> int:
        """Return how high the lines are, and move the parts there."""
        x, y, line = rect.x(), rect.y(), 0
        for item in self._shown():
            size = item.sizeHint()
            # The first part of a line stays there however wide it is, or an empty line would stand
            # above it.
            if line and x + size.width() > rect.x() + rect.width():
                x, y, line = rect.x(), y + line + self.spacing(), 0
            if moves:
                # A button wider than the line is cut off by it, and not by the edge of the window.
                width = min(size.width(), rect.width())
                item.setGeometry(QRect(QPoint(x, y), QSize(width, size.height())))
            x += size.width() + self.spacing()
            line = max(line, size.height())
        return y + line - rect.y()


# Qt properties are set by their setters: as keywords of a constructor they are not found where the
# process's locale writes the capital of i as İ (Turkish, Azerbaijani, Tatar).


def single_shot_timer(parent: QObject, then: Slot, interval_ms: int = 0) -> QTimer:
    """Return a timer that calls `then` once after each start."""
    timer = repeating_timer(parent, interval_ms, then)
    timer.setSingleShot(True)
    return timer


def repeating_timer(parent: QObject, interval_ms: int, then: Slot) -> QTimer:
    """Return a timer that calls `then` every `interval_ms` once it is started."""
    timer = QTimer(parent)
    timer.setInterval(interval_ms)
    timer.timeout.connect(then)
    return timer
