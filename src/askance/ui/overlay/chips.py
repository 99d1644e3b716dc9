"""The texts that a question is asked about, as chips above the field; what is dropped becomes one."""

from __future__ import annotations

import codecs
from pathlib import Path

from PySide6.QtCore import QMimeData, QSize, Qt, QUrl, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QWidget

from askance.config.regular_files import open_regular
from askance.presentation.i18n import tr
from askance.ui.design import icons, tokens
from askance.ui.design.composing import Composite, row_of
from askance.ui.design.dropping import DropTarget, places_of_drop
from askance.ui.design.icons import IconLabel
from askance.ui.design.labels import ElidedLabel, set_tip
from askance.ui.design.styling import Styled, style
from askance.ui.design.theme import Look
from askance.ui.model.field import MOST_CHARACTERS, Chip, QuoteOrigin, chip_from_elsewhere
from askance.ui.overlay.ask_field import INSET

KINDS = (".txt", ".md")
# A character takes four bytes at the most; one more shows that there is more.
_MOST_BYTES = 4 * (MOST_CHARACTERS + 1)
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


class ChipTarget(DropTarget):
    """Takes what can be quoted or kept.

    A text, or the text of a file, becomes a quote. Files, folders and pages may enter the library.
    """

    dropped = Signal(object)
    """A `Chip`; one signal for each of the files."""
    held_out = Signal(object)
    """Paths and addresses of pages that may be added to the library, if that is wished."""
    refused = Signal()
    """There was nothing of all that in it."""

    def takes(self, data: QMimeData) -> bool:
        """Take what may become a quote, or what the library reads."""
        return is_quotable(data) or bool(places_of_drop(data))

    def take(self, data: QMimeData) -> None:
        """Tell of all that is in it."""
        chips, places = chips_of_drop(data), places_of_drop(data)
        for chip in chips:
            self.dropped.emit(chip)
        if places:
            self.held_out.emit(places)
        elif not chips:
            self.refused.emit()


def is_quotable(data: QMimeData) -> bool:
    """Return whether what is held over the window may become a quote."""
    if data.hasUrls():
        return any(_file(url) is not None for url in data.urls())
    return data.hasText()


def chips_of_drop(data: QMimeData) -> tuple[Chip, ...]:
    """Return the quotes that what was dropped becomes; none where it holds no text."""
    if data.hasUrls():
        files = [file for url in data.urls() if (file := _file(url)) is not None]
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
    except OSError:
        return None
    text = _decoded(beginning)
    return None if "\0" in text else chip_from_elsewhere(text, QuoteOrigin.FILE, file.name)


def _decoded(data: bytes) -> str:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data.decode(encoding, errors="ignore")
    try:
        # What was read may end within a character.
        return codecs.getincrementaldecoder("utf-8")().decode(data)
    except UnicodeDecodeError:
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
        self._row.setContentsMargins(INSET, 0, 0, self.look.px(tokens.SPACE_S))

    @property
    def chips(self) -> tuple[Chip, ...]:
        """What stands there, in order."""
        return tuple(view.chip for view in self._views)

    def add(self, chip: Chip) -> None:
        """Put a chip behind the others. A text that stands there already is not put there twice."""
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
        super().__init__(parent)
        self.chip = chip
        style(self, look, height=_HEIGHT)
        icon = IconLabel(look, _ICON, "quote", "ink_3", self)
        label = chip.label
        words = style(ElidedLabel(label, self), look, font=tokens.LABEL_TEXT)
        self._cross = _Cross(self)
        self._cross.setAccessibleName(tr("Remove: {chip}", chip=label))
        self._cross.setAccessibleDescription(chip.preview)
        self._cross.clicked.connect(self.removed)
        set_tip(self, chip.preview)
        row = style(QHBoxLayout(self), look, margins=(8, 0, 1, 0), gap=6)
        for part in (icon, words, self._cross):
            row.addWidget(part)
        self.look = look
        self._restyle()

    @property
    def has_focus(self) -> bool:
        return self._cross.hasFocus()

    def _restyle(self) -> None:
        c, px = self.look.colours, self.look.px
        self._cross.setIcon(icons.icon("cross", c.ink_2, px(_CROSS)))
        self._cross.setIconSize(QSize(px(_CROSS), px(_CROSS)))
        self._cross.setFixedSize(px(24), px(24))
        self.setStyleSheet(
            f"""_ChipView {{ background: {c.raised}; border: 1px solid {c.edge};
            border-radius: {px(tokens.CONTROL_RADIUS)}px; }}
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
