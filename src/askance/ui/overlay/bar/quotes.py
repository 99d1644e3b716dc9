"""The texts that a question is about: chips beside the field, and what another program offers to be quoted."""

from __future__ import annotations

import codecs
from collections import deque
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QEvent, QMimeData, QObject, QSize, Qt, QUrl, Signal
from PySide6.QtGui import QClipboard, QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from askance.config.private_files import open_regular
from askance.domain.conversation import QuoteOrigin
from askance.presentation.i18n import tr
from askance.ui.design import drawing, theme
from askance.ui.design.composing import Composite, Styled, row_of, single_shot_timer, style
from askance.ui.design.controls import urls_of
from askance.ui.design.drawing import IconLabel
from askance.ui.design.focus import announce
from askance.ui.design.labels import ElidedLabel, PlainLabel, set_tip
from askance.ui.design.theme import Look
from askance.ui.overlay.bar.ask_field import INSET, AskField
from askance.ui.overlay.conversation.field import MOST_CHARACTERS, Chip, chip_from_elsewhere

KINDS = (".txt", ".md")
# A character takes four bytes at the most; one more shows that there is more.
_MOST_BYTES = 4 * (MOST_CHARACTERS + 1)
# Byte order marks, with which editors on Windows may begin a file.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def is_quotable(data: QMimeData) -> bool:
    """Return whether what is held over the window may become a quote."""
    if urls := urls_of(data):
        return any(_file(url) is not None for url in urls)
    return data.hasText()


def chips_of_drop(data: QMimeData) -> tuple[Chip, ...]:
    """Return the quotes that what was dropped becomes; none where it holds no text."""
    if urls := urls_of(data):
        files = [file for url in urls if (file := _file(url)) is not None]
        chips = [_chip_of_file(file) for file in files]
    else:
        chips = [chip_from_elsewhere(data.text(), QuoteOrigin.PASTED)]
    return tuple(chip for chip in chips if chip is not None)


def _file(url: QUrl) -> Path | None:
    file = Path(url.toLocalFile())
    return file if url.isLocalFile() and file.suffix.casefold() in KINDS else None


def _chip_of_file(file: Path) -> Chip | None:
    try:
        # A pipe or a device has no end.
        with open_regular(file) as opened:
            beginning = opened.read(_MOST_BYTES)
    # Such a file gives no quote; the bar says so where a drop gives nothing at all.
    except OSError:
        return None
    text = _decoded(beginning)
    # A file with a NUL is no text, whatever its name says.
    return None if "\0" in text else chip_from_elsewhere(text, QuoteOrigin.FILE, file.name)


def _decoded(data: bytes) -> str:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            # What was read may end within a character.
            return data.decode(encoding, errors="ignore")
    try:
        # What was read may end within a character.
        return codecs.getincrementaldecoder("utf-8")().decode(data)
    except UnicodeDecodeError:
        # What is no UTF-8 was most likely written in Western Europe by an older Windows.
        return data.decode("cp1252", errors="replace")


_ICON = 14
_CROSS = 12
_HEIGHT = 26


class ChipRow(Composite):
    """The chips, side by side. Hidden while there is none."""

    changed = Signal()
    """A chip has come or gone."""
    left = Signal()
    """The keyboard took away the chip that had the focus: the field should have it now."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._views: list[_ChipView] = []
        self._row = row_of(look, None, gap=6)
        self.setLayout(self._row)
        self._restyle()
        self.hide()

    def _restyle(self) -> None:
        self._row.setContentsMargins(INSET, 0, 0, self.look.px(theme.SPACE_S))

    @property
    def chips(self) -> tuple[Chip, ...]:
        """What stands there, in order."""
        return tuple(view.chip for view in self._views)

    def add(self, chip: Chip) -> None:
        """Put a chip behind the others. A text that stands there already is not put there twice."""
        # A selection is offered again each time the window comes up.
        if chip.text in {shown.text for shown in self.chips}:
            return
        view = _ChipView(chip, self.look, self)
        view.removed.connect(self._remove_sender)
        self._row.insertWidget(len(self._views), view)
        self._views.append(view)
        self._emit_changed()

    def remove_last(self) -> None:
        """Take the last chip away, if there is one."""
        if self._views:
            self._remove(self._views[-1])

    def clear(self) -> None:
        """Take all chips away."""
        while self._views:
            self._remove(self._views[-1])

    def _remove_sender(self) -> None:
        view = self.sender()
        if isinstance(view, _ChipView):
            # Asked before it goes, and the focus with it to whatever stands beside it.
            had_focus = view.has_focus
            self._remove(view)
            if had_focus:
                self.left.emit()

    def _remove(self, view: _ChipView) -> None:
        self._views.remove(view)
        self._row.drop(view)
        self._emit_changed()

    def _emit_changed(self) -> None:
        self.setVisible(bool(self._views))
        self.changed.emit()


class _ChipView(Styled, QFrame):
    removed = Signal()

    def __init__(self, chip: Chip, look: Look, parent: QWidget) -> None:
        super().__init__(look, parent)
        self.chip = chip
        style(self, look, height=_HEIGHT)
        icon = IconLabel(look, _ICON, "quote", "ink_3", self)
        label = chip.label
        words = style(ElidedLabel(label, self), look, font=theme.LABEL_TEXT)
        self._cross = _Cross(self)
        self._cross.setAccessibleName(tr("Remove: {chip}", chip=label))
        self._cross.setAccessibleDescription(chip.preview)
        self._cross.clicked.connect(self.removed)
        set_tip(self, chip.preview)
        row = style(QHBoxLayout(self), look, margins=(8, 0, 1, 0), gap=6)
        for part in (icon, words, self._cross):
            row.addWidget(part)
        self._restyle()

    @property
    def has_focus(self) -> bool:
        return self._cross.hasFocus()

    def _restyle(self) -> None:
        c, px = self.look.colours, self.look.px
        self._cross.setIcon(drawing.icon("cross", c.ink_2, px(_CROSS)))
        self._cross.setIconSize(QSize(px(_CROSS), px(_CROSS)))
        self._cross.setFixedSize(px(24), px(24))
        self.setStyleSheet(
            f"""_ChipView {{ background: {c.raised}; border: 1px solid {c.edge};
            border-radius: {px(theme.CONTROL_RADIUS)}px; }}
            ElidedLabel {{ color: {c.ink_2}; }}
            _Cross {{ background: transparent; border: 1px solid transparent; padding: 0;
            border-radius: {px(5)}px; }}
            _Cross:hover {{ background: {c.accent_soft}; }}
            _Cross:focus {{ border-color: {c.accent}; }}"""
        )


class _Cross(QPushButton):
    """Takes its chip away: a click, Enter, Space, Delete and Backspace all do it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAutoDefault(False)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case (
                Qt.Key.Key_Delete | Qt.Key.Key_Backspace | Qt.Key.Key_Return | Qt.Key.Key_Enter
            ) if not event.isAutoRepeat():
                self.click()
            case _:
                super().keyPressEvent(event)


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
        self._column.setContentsMargins(INSET, self.look.px(6), 0, 0)

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


def _owner_answers() -> bool:
    """Return whether the text would be handed over soon; under X11 that can be asked beforehand."""
    if QGuiApplication.platformName() != "xcb":
        return True
    from askance.system.x11 import owner_answers  # noqa: PLC0415 - Xlib is on Linux only

    return owner_answers()
