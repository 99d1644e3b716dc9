"""The window of settings: its pages at the side, the chosen one beside them.

A plain window with the system's frame: forms grow with the text size, so it must be moved, resized
and closed the way that every other window of that desktop is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QColor,
    QFocusEvent,
    QFont,
    QHideEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QFrame,
    QListWidget,
    QListWidgetItem,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from askance.config.settings import Settings
from askance.domain.errors import SettingsError
from askance.presentation.i18n import tr, translated
from askance.ui.design import tokens
from askance.ui.design.composing import column_of, hand_on, row_of
from askance.ui.design.focus import FocusRing, came_by_pointer, closes, press_with_enter
from askance.ui.design.labels import Tone, Words
from askance.ui.design.tab_order import move_focus, reading_order
from askance.ui.design.theme import Look
from askance.ui.settings import storage
from askance.ui.settings.about import AboutControl, KeysControl
from askance.ui.settings.controls import ChoiceControl, Control, LineControl, SwitchControl
from askance.ui.settings.library import LibraryControl, PatternsControl
from askance.ui.settings.models import ModelControl
from askance.ui.settings.page import Field, SettingsPage
from askance.ui.settings.programs import ProgramsControl
from askance.ui.settings.programs_connecting import ConnectingControl
from askance.ui.settings.services import ServicesControl
from askance.ui.settings.special_controls import ConsentControl, HotkeyControl, SearxngControl
from askance.ui.settings.surroundings import Surroundings
from askance.ui.settings.tables import PAGES, Kind, Row

_WIDTH = 176
_ROW = 35
_KEYED = "keyed"
_NORMAL = QFont.Weight.Normal
_BY_KEY = {Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason}


class Sidebar(QWidget):
    """Names of pages, of which one is chosen; a hairline parts it from the page."""

    chosen = Signal(int)
    entered = Signal()
    """Enter, or an arrow that leads into the page."""

    def __init__(self, look: Look, names: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self.list = _Names(self)
        self.list.entered_page.connect(self.entered)
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setAccessibleName(tr("Pages of the settings"))
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.addItems(list(names))
        self.list.currentRowChanged.connect(self._choose)
        self.setFocusProxy(self.list)
        self._column = QVBoxLayout(self)
        self._column.addWidget(self.list)
        self.set_look(look)
        self.list.setCurrentRow(0)

    def choose(self, number: int) -> None:
        """Turn to a page."""
        self.list.setCurrentRow(number)

    def step(self, by: int) -> None:
        """Turn to a page beside the present one; the last is followed by the first."""
        self.choose((self.list.currentRow() + by) % self.list.count())

    def show_focus(self, *, wanted: bool) -> None:
        """Draw the ring of the focus around the chosen page, or wait for a key before it is."""
        self.list.show_focus(wanted=wanted)

    def set_look(self, look: Look) -> None:
        """Draw with another look from now on."""
        self._look = look
        c, px = look.colours, look.px
        self.setFixedWidth(px(_WIDTH))
        self._column.setContentsMargins(px(10), px(tokens.SPACE_M), px(11), px(tokens.SPACE_M))
        radius = px(tokens.CONTROL_RADIUS)
        self.list.setStyleSheet(
            f"""QListWidget {{ background: transparent; border: none; outline: none; }}
            QListWidget::item {{ color: {c.ink_2}; height: {px(_ROW)}px; padding-left: {px(8)}px;
                border: 1px solid transparent; border-radius: {radius}px; }}
            QListWidget::item:hover {{ color: {c.ink}; }}
            QListWidget::item:selected {{ background: {c.accent_soft}; color: {c.ink}; }}
            QListWidget[{_KEYED}="true"]::item:selected:focus {{ border: 2px solid {c.accent};
                padding-left: {px(8) - 1}px; }}"""
        )
        self._embolden()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's interface
        """Draw the hairline at the right."""
        painter = QPainter(self)
        painter.fillRect(self.width() - 1, 0, 1, self.height(), QColor(self._look.colours.line))
        painter.end()

    def _choose(self, number: int) -> None:
        self._embolden()
        self.chosen.emit(number)

    def _embolden(self) -> None:
        for number in range(self.list.count()):
            item: QListWidgetItem = self.list.item(number)
            weight = QFont.Weight.Medium if number == self.list.currentRow() else _NORMAL
            item.setFont(self._look.font(tokens.BODY_TEXT - 1, weight))


class _Names(QListWidget):
    entered_page = Signal()

    def show_focus(self, *, wanted: bool) -> None:
        if bool(self.property(_KEYED)) is not wanted:
            self.setProperty(_KEYED, wanted)
            self.style().unpolish(self)
            self.style().polish(self)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Need no ring to be found."""
        self.show_focus(wanted=False)
        super().mousePressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show that the keys go here now."""
        if event.reason() in _BY_KEY:
            self.show_focus(wanted=True)
        super().focusInEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Leave for the page beside with Enter and the arrow that points there."""
        self.show_focus(wanted=True)
        right_to_left = self.layoutDirection() is Qt.LayoutDirection.RightToLeft
        inwards = Qt.Key.Key_Left if right_to_left else Qt.Key.Key_Right
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, inwards):
            self.entered_page.emit()
        else:
            super().keyPressEvent(event)


_SIZE = (760, 520)
_SMALLEST = (630, 380)
# Large text must not make a window that no screen holds.
_SHARE_OF_SCREEN = 0.9
HOTKEY = "window.hotkey"


class SettingsWindow(QWidget):
    """Shows and changes the settings. Every change is written at once."""

    changed = Signal(object)
    """The `Settings` in force after a change: parts, look and hotkey are to follow them."""
    hotkey_recording = Signal(bool)
    """Whether a combination is being pressed here: the hotkey in force must not hear it."""

    def __init__(self, look: Look, surroundings: Surroundings) -> None:
        # On top, since the overlay is, and would hide it.
        super().__init__(None, Qt.WindowType.Window | Qt.WindowType.WindowStaysOnTopHint)
        self._look, self._around = look, surroundings
        self.setWindowTitle(tr("Settings"))
        self._trouble = Words(look, Tone.NOTE, parent=self)
        self._trouble.hide()
        self.pages = tuple(SettingsPage(look, table, self._field, self) for table in PAGES)
        self.side = Sidebar(look, [tr(table.title) for table in PAGES], self)
        self._stack = QStackedWidget(self)
        for page in self.pages:
            self._stack.addWidget(page)
        self.side.chosen.connect(self._stack.setCurrentIndex)
        for page in self.pages:
            for control in page.findChildren(LibraryControl):
                control.take_drops_on(page)
        for control in self.findChildren(ConnectingControl):
            control.made.connect(self.findChildren(ProgramsControl)[0].show_program)
        self.side.entered.connect(self._enter_page)
        FocusRing(look, self)
        right = column_of(look, self._trouble, self._stack, gap=0, wide=self._stack)
        self.setLayout(row_of(look, self.side, right, gap=0))
        self.resize(self._room(*_SIZE))
        self.set_look(look)
        self.refresh()

    @property
    def trouble(self) -> str:
        """Why the settings cannot be read or written; empty if they can."""
        return self._trouble.text()

    def set_look(self, look: Look) -> None:
        """Draw with another look from now on."""
        self._look = look
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.Window, QColor(look.colours.paper))
        self.setPalette(palette)
        self.setMinimumSize(self._room(*_SMALLEST))
        side = look.px(tokens.SPACE_XL)
        self._trouble.setContentsMargins(side, look.px(tokens.SPACE_M), side, 0)
        hand_on(look, self)

    def show_page(self, title: str) -> None:
        """Turn to a page by its English title. Raises StopIteration: there is no such page."""
        number = next(n for n, table in enumerate(PAGES) if table.title == title)
        self.side.choose(number)

    def refresh(self) -> None:
        """Show the settings as they are in force now."""
        try:
            for page in self.pages:
                for field in page.fields:
                    field.refresh()
        except SettingsError as exc:
            self._trouble.say(translated(exc))
        else:
            self._trouble.say("")

    def start_services(self) -> None:
        """Start the containers, and tell of it on their page."""
        self.findChildren(ServicesControl)[0].begin()

    def add_to_library(self, places: Sequence[str]) -> None:
        """Add files, folders and web pages to the library, and tell of it on its page."""
        self.findChildren(LibraryControl)[0].add(places)

    def field(self, name: str) -> Field:
        """Return the first row of a setting. There must be one."""
        return next(f for page in self.pages for f in page.fields if f.row.name == name)

    def say_of_hotkey(self, problem: str) -> None:
        """Say why the hotkey is not heard, with its remedy; nothing if it is."""
        self.field(HOTKEY).complain(problem)

    def showEvent(self, event: QShowEvent) -> None:
        """Begin at the list of pages."""
        super().showEvent(event)
        self.side.show_focus(wanted=not came_by_pointer())
        self.side.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close, turn pages with Ctrl and the page keys, and press buttons with Enter."""
        held = event.modifiers() & Qt.KeyboardModifier.ControlModifier
        if event.key() == Qt.Key.Key_Escape or closes(event):
            self.close()
        elif held and event.key() in {Qt.Key.Key_PageDown, Qt.Key.Key_PageUp}:
            self.side.step(1 if event.key() == Qt.Key.Key_PageDown else -1)
        elif not press_with_enter(self, event):
            super().keyPressEvent(event)

    def focusNextPrevChild(self, next: bool) -> bool:  # noqa: A002 - Qt's interface
        """Move the focus in reading order."""
        return move_focus(self, next)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Keep what was typed and not yet left."""
        self._commit()
        super().closeEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:
        """Keep what was typed and not yet left."""
        self._commit()
        super().hideEvent(event)

    def _enter_page(self) -> None:
        if stops := reading_order(self.pages[self._stack.currentIndex()]):
            stops[0].setFocus(Qt.FocusReason.TabFocusReason)

    def _room(self, width: int, height: int) -> QSize:
        """Return a size in this look, at most a share of the screen."""
        wanted = QSize(self._look.px(width), self._look.px(height))
        return wanted.boundedTo(self.screen().availableSize() * _SHARE_OF_SCREEN)

    def _commit(self) -> None:
        for page in self.pages:
            for field in page.fields:
                field.control.commit()

    def _save(self, name: str, text: str) -> None:
        try:
            settings = self._around.source.write(name, text)
        except SettingsError as exc:
            self._trouble.say(translated(exc))
            return
        self._tell(settings)

    def _tell(self, settings: Settings) -> None:
        self.changed.emit(settings)
        self.refresh()

    def _services_moved(self) -> None:
        try:
            self._tell(self._around.source.load())
        except SettingsError as exc:
            self._trouble.say(translated(exc))

    def _field(self, row: Row) -> Field:
        field = Field(self._look, row, self._control(row), self._around.source, self)
        field.accepted.connect(self._save)
        if isinstance(field.control, HotkeyControl):
            field.control.keys.refused.connect(field.complain)
            field.control.keys.listening.connect(self.hotkey_recording)
        if isinstance(field.control, ServicesControl):
            field.control.moved.connect(self._services_moved)
        return field

    def _control(self, row: Row) -> Control:
        look, around = self._look, self._around
        makers: Mapping[Kind, Callable[[], Control]] = {
            Kind.NUMBER: lambda: LineControl(look, narrow=True),
            Kind.TEXT: lambda: LineControl(look, narrow=False),
            Kind.SEARXNG: lambda: SearxngControl(look, around),
            Kind.SWITCH: lambda: SwitchControl(look),
            Kind.CHOICE: lambda: ChoiceControl(look, row.options),
            Kind.CONSENT: lambda: ConsentControl(look, around.source),
            Kind.HOTKEY: lambda: HotkeyControl(look),
            Kind.KEYS: lambda: KeysControl(look),
            Kind.MODEL: lambda: ModelControl(look, around),
            Kind.SERVICES: lambda: ServicesControl(look, around),
            Kind.LIBRARY: lambda: LibraryControl(look, around),
            Kind.PATTERNS: lambda: PatternsControl(look, narrow=False),
            Kind.PROGRAMS: lambda: ProgramsControl(look, around),
            Kind.CONNECTING: lambda: ConnectingControl(look, around),
            Kind.LEDGER: lambda: storage.LedgerControl(look, around),
            Kind.HISTORY: lambda: storage.KeptControl(
                look, around, storage.history_size, storage.clear_history, storage.history_text
            ),
            Kind.CACHE: lambda: storage.KeptControl(
                look, around, storage.cache_contents, storage.clear_cache, storage.cache_text
            ),
            Kind.CRASHES: lambda: storage.KeptControl(
                look,
                around,
                storage.crash_reports,
                storage.clear_crash_reports,
                storage.crash_reports_text,
            ),
            Kind.ABOUT: lambda: AboutControl(look, around.folders),
        }
        return makers[row.kind]()
