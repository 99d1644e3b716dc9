"""What another program has selected or copied, and offers to be quoted."""

from __future__ import annotations

from collections import deque
from typing import Protocol

from PySide6.QtCore import QEvent, QMimeData, QObject, QSize, Qt, Signal
from PySide6.QtGui import QClipboard, QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from askance.domain.conversation import QuoteOrigin
from askance.presentation.i18n import tr
from askance.ui.design import theme
from askance.ui.design.composing import Composite, Styled, single_shot_timer, style
from askance.ui.design.drawing import IconLabel
from askance.ui.design.focus import announce
from askance.ui.design.labels import ElidedLabel, PlainLabel
from askance.ui.design.theme import Look
from askance.ui.overlay.bar.ask_field import INSET, AskField
from askance.ui.overlay.conversation.field import Chip, chip_from_elsewhere

_ICON = 14
_HEIGHT = 26
_CAP_HEIGHT = 18


class QuoteSuggestion(Composite):
    """What another program has selected or copied, offered in one line. Tab in the field takes it; else hidden."""

    accepted = Signal(object)
    """The `Chip` that is to be quoted."""

    def __init__(self, look: Look, field: AskField, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self.chip: Chip | None = None
        self._field = field
        field.installEventFilter(self)
        self.button = _Button(look, self)
        self.button.clicked.connect(self.accept)
        self._column = QVBoxLayout(self)
        self._column.addWidget(self.button, 0, Qt.AlignmentFlag.AlignLeft)
        self._restyle()
        self.hide()

    def _restyle(self) -> None:
        px = self.look.px
        self._column.setContentsMargins(INSET, px(theme.SPACE_XS), 0, px(theme.SPACE_M))

    def show_chip(self, chip: Chip) -> None:
        """Offer a text, and tell a screen reader of it."""
        self.chip = chip
        self.button.show_chip(chip)
        self.show()
        announce(self, f"{chip.offer}. {self.button.accessibleDescription()}")

    def withdraw(self) -> None:
        """Offer nothing any more."""
        self.chip = None
        self.hide()

    def accept(self) -> None:
        """Take what is offered, if anything is."""
        chip = self.chip
        self.withdraw()
        if chip is not None:
            self.accepted.emit(chip)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take Tab in the field, unless it completes there or belongs to an input method."""
        if self.chip is None or watched is not self._field or not isinstance(event, QKeyEvent):
            return False
        is_tab = event.key() == Qt.Key.Key_Tab and not event.modifiers()
        if event.type() is not QEvent.Type.KeyPress or not is_tab or self._field.is_completing:
            return False
        # While something is composed, Tab is the input method's.
        if self._field.textCursor().block().layout().preeditAreaText():
            return False
        self.accept()
        return True


class _Button(Styled, QPushButton):
    """The whole line. It gives way where there is no room for all its words."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(look, parent)
        self.setAutoDefault(False)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        style(self, look, height=_HEIGHT)
        icon = IconLabel(look, _ICON, "quote", "ink_3", self)
        self._words = ElidedLabel(parent=self)
        style(self._words, look, font=theme.LABEL_TEXT, ink="ink_2")
        self._key = style(PlainLabel(parent=self), look, font=theme.KEY_TEXT, height=_CAP_HEIGHT)
        self._key.setObjectName("key")
        self._row = style(QHBoxLayout(self), look, margins=(8, 0, 5, 0), gap=6)
        for part in (icon, self._words, self._key):
            # Clicks go through to the button that they lie on.
            part.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            self._row.addWidget(part)
        self._restyle()

    def _restyle(self) -> None:
        c, px = self.look.colours, self.look.px
        self._key.setText(tr("Tab"))
        self.setAccessibleDescription(tr("Tab adds it to the question"))
        self.setStyleSheet(
            f"""_Button {{ background: transparent; border: 1px dashed {c.edge}; padding: 0;
            border-radius: {px(theme.CONTROL_RADIUS)}px; }}
            _Button:hover {{ background: {c.raised}; border-style: solid; }}
            _Button:pressed {{ background: {c.accent_soft}; }}
            _Button:focus {{ border: 2px solid {c.accent}; }}
            PlainLabel#key {{ color: {c.ink_3}; background: {c.raised}; border: 1px solid {c.line};
            border-radius: {px(4)}px; padding: 0 {px(4)}px; }}"""
        )

    def show_chip(self, chip: Chip) -> None:
        self._words.setText(chip.offer)
        self.setAccessibleName(chip.offer)
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        return QSize(self._row.sizeHint().width(), self.height())

    def minimumSizeHint(self) -> QSize:
        return QSize(self._row.minimumSize().width(), self.height())


# How password managers mark what they put there: on KDE and elsewhere, on Windows, on macOS.
_SECRET = (
    "x-kde-passwordManagerHint",
    "ExcludeClipboardContentFromMonitorProcessing",
    "org.nspasteboard.ConcealedType",
)
# Of so many texts it is known that they were offered; only their hashes are held.
_REMEMBERED = 50


class Clipboard(Protocol):
    """What is asked of `QClipboard`."""

    def supportsSelection(self) -> bool:
        """Whether what is selected can be read without being copied."""
        ...

    def ownsSelection(self) -> bool:
        """Whether the selection is in a window of ours."""
        ...

    def ownsClipboard(self) -> bool:
        """Whether what was copied comes from a window of ours."""
        ...

    def mimeData(self, mode: QClipboard.Mode, /) -> QMimeData | None:
        """Return what is there; None where that is not known."""
        ...


class SelectionWatcher(QObject):
    """Looks at what is selected, or copied where selections cannot be read, and offers it.

    It goes nowhere and is not stored unless the user takes it.
    """

    found = Signal(object)
    """A `Chip` that was not offered since the window came up."""

    def __init__(self, clipboard: Clipboard, parent: QObject) -> None:
        super().__init__(parent)
        self.is_wanted = True
        """Whether anything may be looked at."""
        self._clipboard = clipboard
        self._offered: deque[int] = deque(maxlen=_REMEMBERED)
        self._soon = single_shot_timer(self, self._look)

    def look_soon(self) -> None:
        """Look once the window is there: a program that hangs may take long to hand over its text."""
        if self.is_wanted:
            self._soon.start(0)

    def forget(self) -> None:
        """Offer everything anew when the window comes up the next time."""
        self._offered.clear()

    def _look(self) -> None:
        chip = self._chip() if self.is_wanted else None
        if chip is None or hash(chip.text) in self._offered:
            return
        # Only a hash: a text that nobody has taken is not to be kept.
        self._offered.append(hash(chip.text))
        self.found.emit(chip)

    def _chip(self) -> Chip | None:
        board = self._clipboard
        # X11, and Wayland where the desktop offers it, have a selection beside the clipboard.
        if board.supportsSelection():
            is_ours, mode = board.ownsSelection(), QClipboard.Mode.Selection
            origin = QuoteOrigin.SELECTED
        else:
            is_ours, mode = board.ownsClipboard(), QClipboard.Mode.Clipboard
            origin = QuoteOrigin.COPIED
        # What is selected here, in an answer, is no text of another program.
        if is_ours or not _owner_answers():
            return None
        data = board.mimeData(mode)
        if data is None:
            return None
        # Each question goes to the other program: its forms are asked for once.
        forms = data.formats()
        # Anywhere in the name: on Windows Qt puts names that it does not know into one of its own.
        is_secret = any(mark in form for form in forms for mark in _SECRET)
        if "text/plain" not in forms or "text/uri-list" in forms or is_secret:
            return None
        return chip_from_elsewhere(data.text(), origin)


def copied_text() -> str:
    """Return the text in the clipboard, cleaned; none where its owner calls it a secret."""
    data = QGuiApplication.clipboard().mimeData()
    if any(mark in form for form in data.formats() for mark in _SECRET):
        return ""
    found = chip_from_elsewhere(data.text(), QuoteOrigin.COPIED)
    return found.text if found else ""


def _owner_answers() -> bool:
    """Return whether the text would be handed over soon; under X11 that can be asked beforehand."""
    if QGuiApplication.platformName() != "xcb":
        return True
    from askance.system.x11 import owner_answers  # noqa: PLC0415 - Xlib is on Linux only

    return owner_answers()
