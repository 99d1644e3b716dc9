"""Controls that windows share: a button that asks for confirmation, a line of progress, a field for a hotkey, targets
for what is dropped.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import (
    QEasingCurve,
    QEvent,
    QFileInfo,
    QMimeData,
    QObject,
    QRectF,
    Qt,
    QUrl,
    QVariantAnimation,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QDragMoveEvent,
    QDropEvent,
    QFocusEvent,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import QApplication, QFileDialog, QProgressBar, QPushButton, QWidget
from shiboken6 import isValid

from askance.domain.characters import one_line
from askance.domain.events import ignore
from askance.domain.file_formats import is_read
from askance.domain.ports.hotkey import NAMED_KEYS, SIGN_KEYS, Combination, Modifier
from askance.presentation.answers import place_of
from askance.presentation.i18n import plural, tr, translated
from askance.ui.design import theme
from askance.ui.design.composing import Button, Composite, Styled, row_of, style
from askance.ui.design.drawing import draw_hairline
from askance.ui.design.focus import announce
from askance.ui.design.labels import StyledLabel, TextStyle
from askance.ui.design.theme import Look


class ConfirmButton(Composite):
    """A button, and after a press of it a question with a yes and a no. Escape is a no.

    After the answer the focus is back where it was when the question came.
    """

    confirmed = Signal()

    def __init__(
        self, look: Look, offer: str, question: str, yes: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(look, parent)
        self._asked_from: QWidget | None = None
        self.offer = Button(look, offer, self, lambda: self._asks(True))
        beside = (theme.SPACE_S, 0, 0, 0)
        self._question = StyledLabel(
            look, TextStyle.BODY, question, self, margins=beside, wraps=False
        )
        self.yes = Button(look, yes, self, self._confirm)
        self.no = Button(look, tr("Keep"), self, lambda: self._asks(False))
        self.setLayout(row_of(look, self.offer, self._question, self.yes, self.no, None))
        self.yes.setAccessibleDescription(question)
        self.setFocusProxy(self.offer)
        self._show(False)

    def call(self, label: str, about: str) -> None:
        """Say to screen readers what the question would be about."""
        for button in (self.offer, self.yes, self.no):
            button.setAccessibleName(f"{label}: {button.text()}")
        self.offer.setAccessibleDescription(about)

    @property
    def is_asking(self) -> bool:
        """Whether the question stands there."""
        return self.offer.isHidden()

    def withdraw(self) -> None:
        """Take the question back, as when it would be about something else now."""
        self._show(False)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Take Escape for a no."""
        if event.key() == Qt.Key.Key_Escape and self.is_asking:
            self._asks(False)
        else:
            super().keyPressEvent(event)

    def _confirm(self) -> None:
        self._asks(False)
        self.confirmed.emit()

    def _asks(self, asking: bool) -> None:
        if asking:
            focused = QApplication.focusWidget()
            self._asked_from = None if focused is self.offer else focused
            self._show(True)
            # On the no: an Enter that was pressed once too often deletes nothing.
            self.no.setFocus(Qt.FocusReason.OtherFocusReason)
            announce(self, self._question.text())
            return
        back = self._asked_from
        # What had the focus may be gone by now, such as a row that was looked up anew.
        if back is None or not isValid(back) or not back.isVisible():
            back = self.offer
        # Before what has the focus is hidden, which would send it elsewhere.
        self.offer.show()
        back.setFocus(Qt.FocusReason.OtherFocusReason)
        self._show(False)

    def _show(self, asking: bool) -> None:
        self.offer.setVisible(not asking)
        for part in (self._question, self.yes, self.no):
            part.setVisible(asking)


# The unit of what a screen reader announces: whole steps of a per cent.
_STEPS = 100


class ProgressLine(Styled, QProgressBar):
    """A line two pixels high over the whole width, which shows the progress that it is given.

    It is a progress bar to screen readers, and nothing to the keyboard.
    """

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self.fraction: float | None = None
        self.shown = 0.0
        self._is_ruled = False
        self._easing = QVariantAnimation(self)
        self._easing.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._easing.valueChanged.connect(self._move)
        self.setRange(0, _STEPS)
        self.setTextVisible(False)
        self._restyle()

    def _restyle(self) -> None:
        self.setAccessibleName(tr("Progress"))
        self.setFixedHeight(self.look.px(theme.PROGRESS_HEIGHT))
        # Nought where animations are off: `set_fraction` moves at once then.
        self._easing.setDuration(self.look.motion_ms)
        self._settle()

    def set_fraction(self, fraction: float | None) -> None:
        """Show how much is done, from 0 to 1; None shows no progress at all."""
        wanted = None if fraction is None else min(1.0, max(0.0, fraction))
        if wanted == self.fraction:
            return
        self.fraction = wanted
        self.setUpdatesEnabled(False)  # Qt would draw the whole window before it goes on
        if wanted is None:
            self.reset()
        else:
            self.setValue(round(wanted * _STEPS))
        self.setUpdatesEnabled(True)
        self._easing.stop()
        # A line that goes back belongs to another run: that is not a movement.
        if wanted is None or wanted < self.shown or not self.look.motion_ms:
            self._settle()
            return
        self._easing.setStartValue(self.shown)
        self._easing.setEndValue(wanted)
        self._easing.start()

    def set_ruled(self, is_ruled: bool) -> None:
        """Say whether a hairline parts the field from what stands below while nothing runs."""
        self._is_ruled = is_ruled
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's interface
        """Draw the way that is left as a hairline's colour, and what is done in the accent."""
        with QPainter(self) as painter:
            colours = self.look.colours
            if self.fraction is None:
                if self._is_ruled:
                    draw_hairline(painter, colours.line, self.width())
                return
            painter.fillRect(self.rect(), QColor(colours.line))
            done = QRectF(0, 0, self.width() * self.shown, self.height())
            if self.isRightToLeft():
                done.moveRight(self.width())
            painter.fillRect(done, QColor(colours.accent))

    def _settle(self) -> None:
        self._easing.stop()
        self._move(self.fraction or 0.0)

    def _move(self, shown: float) -> None:
        self.shown = shown
        self.update()


_NATIVE = QKeySequence.SequenceFormat.NativeText
# Qt calls Command the control key of a Mac, and Control its meta key.
_ON_MAC = sys.platform == "darwin"
_MODIFIERS = {
    Qt.KeyboardModifier.ControlModifier: Modifier.SUPER if _ON_MAC else Modifier.CTRL,
    Qt.KeyboardModifier.MetaModifier: Modifier.CTRL if _ON_MAC else Modifier.SUPER,
    Qt.KeyboardModifier.AltModifier: Modifier.ALT,
    Qt.KeyboardModifier.ShiftModifier: Modifier.SHIFT,
}
_ONLY_MODIFY = (
    "Control",
    "Meta",
    "Super_L",
    "Super_R",
    "Alt",
    "AltGr",
    "Shift",
    "CapsLock",
    "NumLock",
)
_MODIFIER_KEYS = {getattr(Qt.Key, f"Key_{name}") for name in _ONLY_MODIFY}
# What Qt calls otherwise.
_OF_QT = {"Quote": "Apostrophe", "Backquote": "QuoteLeft"}
_NAMED = {
    **{getattr(Qt.Key, f"Key_{_OF_QT.get(n, n)}"): n for n in (*NAMED_KEYS, *SIGN_KEYS)},
    # The key of the number pad, and Tab with Shift, have names of their own in Qt.
    Qt.Key.Key_Enter: "Return",
    Qt.Key.Key_Backtab: "Tab",
}

_WIDTH = 200


class HotkeyField(QPushButton):
    """Shows the combination; a click or Enter begins to listen for another one.

    While it listens, Esc leaves everything as it was, and Backspace alone asks for no hotkey. `size` is
    that of its words, `width` what it is wide at least, in pixels of the tokens.
    """

    chosen = Signal(str)
    """The combination as the settings have it, or "" for none."""
    refused = Signal(str)
    """Why what was pressed cannot be one, in words; the field goes on listening."""
    listening = Signal(bool)
    """Whether it listens. The hotkey in force must not, meanwhile: it would take its own keys."""

    def __init__(
        self,
        look: Look,
        parent: QWidget | None = None,
        *,
        size: float = theme.BODY_TEXT - 1,
        width: float = _WIDTH,
    ) -> None:
        super().__init__(parent)
        self._written = ""
        self._listens = False
        self._label = tr("Hotkey")
        self.clicked.connect(self._begin)
        style(self, look, font=size, min_width=width)
        self._show()

    def call(self, label: str, about: str) -> None:
        """Say to screen readers what the keys are for."""
        self._label = label
        self.setAccessibleDescription(about)
        self._show()

    def set_combination(self, written: str) -> None:
        """Show the combination in force, "" for none."""
        self._written = written
        self._show()

    def keyPressEvent(self, pressed: QKeyEvent) -> None:
        """Take the combination while listening."""
        if not self._listens:
            if pressed.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._begin()
            else:
                super().keyPressEvent(pressed)
            return
        key, held = Qt.Key(pressed.key()), _held(pressed)
        # A modifier alone is no combination: it is pressed before the key that it modifies.
        if key in _MODIFIER_KEYS or pressed.isAutoRepeat():
            return
        if key is Qt.Key.Key_Escape:
            self._end()
        elif key is Qt.Key.Key_Backspace and not held:
            self._choose("")
        else:
            self._take(held, key, pressed.text())

    def event(self, happened: QEvent) -> bool:
        """Keep shortcuts of the window from taking what is pressed."""
        # Qt asks by this event before it gives a key to a shortcut.
        if self._listens and happened.type() is QEvent.Type.ShortcutOverride:
            happened.accept()
            return True
        return super().event(happened)

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Let Tab be part of a combination."""
        return False if self._listens else super().focusNextPrevChild(forward)

    def focusOutEvent(self, left: QFocusEvent) -> None:
        """Stop listening when the user goes elsewhere."""
        self._end()
        super().focusOutEvent(left)

    def _begin(self) -> None:
        if not self._listens:
            self._listens = True
            self._show()
            announce(self, self.text())
            self.listening.emit(True)

    def _end(self) -> None:
        if self._listens:
            self._listens = False
            self._show()
            self.listening.emit(False)

    def _take(self, held: frozenset[Modifier], key: Qt.Key, text: str) -> None:
        try:
            # A key that we have no name for is refused by what it writes, so that the sentence can
            # say which it was.
            combination = Combination(held, _name(key) or text.strip() or "?")
        except ValueError as exc:
            self.refused.emit(tr("This cannot be the hotkey: {why}.", why=translated(exc)))
        else:
            self._choose(str(combination))

    def _choose(self, written: str) -> None:
        self._written = written
        self._end()
        self.chosen.emit(written)

    def _show(self) -> None:
        text = tr("Press the keys") if self._listens else _named(self._written) or tr("None")
        self.setText(text)
        self.setAccessibleName(f"{self._label}: {text}")


def _named(written: str) -> str:
    """Return a combination with the names that its keys have in the language of the window."""
    if _ON_MAC:
        return written  # where Qt's Ctrl is another key
    # Qt calls the Super key Meta, in what it reads and in what it writes.
    keys = QKeySequence(written.replace(f"{Modifier.SUPER}+", "Meta+"))
    return keys.toString(_NATIVE).replace("Meta+", f"{Modifier.SUPER}+") or written


def _held(pressed: QKeyEvent) -> frozenset[Modifier]:
    modifiers = pressed.modifiers()
    return frozenset(ours for theirs, ours in _MODIFIERS.items() if modifiers & theirs)


def _name(key: Qt.Key) -> str:
    """Return our name of a key, or ""."""
    if Qt.Key.Key_A <= key <= Qt.Key.Key_Z or Qt.Key.Key_0 <= key <= Qt.Key.Key_9:
        return chr(key)
    if Qt.Key.Key_F1 <= key <= Qt.Key.Key_F24:
        return f"F{key - Qt.Key.Key_F1 + 1}"
    return _NAMED.get(key, "")


class DropTarget(QObject):
    """Makes a widget take what is dropped on it, and its children what they take themselves.

    `takes` says whether what is held over the widget may be dropped; `drop` gets what was. `hold` gets what is held
    over it, and whether Shift is pressed with it; None once it is not any more.
    """

    def __init__(
        self,
        widget: QWidget,
        takes: Callable[[QMimeData], bool],
        drop: Callable[[QMimeData], None],
        hold: Callable[[QMimeData | None, bool], None] = ignore,
    ) -> None:
        super().__init__(widget)
        self._takes, self._drop, self._hold = takes, drop, hold
        widget.setAcceptDrops(True)
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: ARG002 - Qt's interface
        """Say what may be dropped, and take it."""
        # The events of entering and moving are `QDropEvent`s as well: the type tells them apart.
        if isinstance(event, QDropEvent) and event.type() is QEvent.Type.Drop:
            # Never a move: what is dropped stays where it comes from.
            event.setDropAction(Qt.DropAction.CopyAction)
            event.accept()
            self._hold(event.mimeData(), _is_shifted(event))
            self._hold(None, False)
            self._drop(event.mimeData())
            return True
        if isinstance(event, QDragMoveEvent):
            # Without an accepted entry Qt sends no drop.
            event.setAccepted(self._takes(event.mimeData()))
            if event.isAccepted():
                self._hold(event.mimeData(), _is_shifted(event))
            return True
        if event.type() is QEvent.Type.DragLeave:
            self._hold(None, False)
        return False


def _is_shifted(event: QDropEvent) -> bool:
    return bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)


_COPIED_FILES = "x-special/gnome-copied-files"
# What file managers write before the addresses of files that were copied.
_HEADS = {"x-special/nautilus-clipboard", "copy", "cut"}
_WEB = {"http", "https", "mailto"}


def urls_of(data: QMimeData) -> list[QUrl]:
    """Return the files and pages that what was pasted or dropped stands for, in whichever form its program gives them."""
    if data.hasUrls():
        return data.urls()
    is_list = data.hasFormat(_COPIED_FILES)
    copied = bytes(data.data(_COPIED_FILES).data()).decode("utf-8", "replace")
    text = copied if is_list else data.text()
    if not is_list and not text.lstrip().lower().startswith(("file:", "x-special/")):
        return []
    stripped = (line.strip() for line in text.splitlines())
    lines = [line for line in stripped if line and line not in _HEADS]
    return [QUrl(line) for line in lines] if is_list or all(map(_is_file_url, lines)) else []


def _is_file_url(line: str) -> bool:
    if not line.lower().startswith("file://"):
        return False
    # Addresses have no blanks, but programs write some; a sentence may begin with an address.
    return " " not in line or QFileInfo(QUrl(line).toLocalFile()).exists()


def holds_files(data: QMimeData) -> bool:
    """Return whether what was pasted is files or a picture: neither belongs into a text, least of all a path."""
    is_picture = data.hasImage() and not data.hasText()
    return is_picture or any(url.scheme() not in _WEB for url in urls_of(data))


def may_be_dropped(data: QMimeData) -> bool:
    """Return whether what is held over a window is files, pages, a text or a picture."""
    if urls := urls_of(data):
        return any(url.isLocalFile() or url.scheme() in {"http", "https"} for url in urls)
    return data.hasText() or data.hasImage()


def places_of_drop(data: QMimeData) -> tuple[str, ...]:
    """Return the folders, web pages and files of kinds that are read in what was dropped."""
    return tuple(dict.fromkeys(filter(None, map(_place, urls_of(data)))))


def _place(url: QUrl) -> str:
    if url.isLocalFile():
        path = Path(url.toLocalFile())
        return str(path) if path.is_dir() or is_read(path) else ""
    web = url.scheme() in {"http", "https"} and bool(url.host())
    return url.toString(QUrl.ComponentFormattingOption.FullyEncoded) if web else ""


def choose_places(
    parent: QWidget, folder: bool, then: Callable[[tuple[str, ...]], None], title: str = ""
) -> None:
    """Let a person choose a folder, or files; `then` gets their paths."""
    usual = tr("Add a folder") if folder else tr("Add files")
    dialog = QFileDialog(parent, title or usual)
    dialog.setFileMode(
        QFileDialog.FileMode.Directory if folder else QFileDialog.FileMode.ExistingFiles
    )
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.accepted.connect(lambda: then(tuple(dialog.selectedFiles())))
    dialog.open()


def named_places(places: Sequence[str]) -> str:
    """Return what files, folders and addresses are called in a sentence."""
    if len(places) > 1:
        return plural("{n} item", "{n} items", len(places))
    place = places[0]
    if place.startswith(("http://", "https://")):
        return place_of(place)
    return tr("“{text}”", text=one_line(Path(place).name or place))
