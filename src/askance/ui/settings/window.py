"""The window of settings: its pages at the side, the chosen one beside them.

A plain window with the system's frame: forms grow with the text size, so it must be moved, resized
and closed the way that every other window of that desktop is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QCloseEvent, QColor, QHideEvent, QKeyEvent, QPalette, QShowEvent
from PySide6.QtWidgets import QStackedWidget

from askance.config.settings import Settings
from askance.domain.errors import SettingsError
from askance.presentation.i18n import tr
from askance.ui.design.composing import column_of, row_of
from askance.ui.design.focus import (
    FocusRing,
    came_by_pointer,
    closes,
    press_with_enter,
    reading_order,
)
from askance.ui.design.frame import TopLevelWindow
from askance.ui.design.theme import Look
from askance.ui.settings.context import SettingsContext
from askance.ui.settings.controls import (
    AboutControl,
    ChoiceControl,
    ConsentControl,
    Control,
    HotkeyControl,
    KeysControl,
    LineControl,
    SearxngControl,
    SecretControl,
    SwitchControl,
)
from askance.ui.settings.installation import (
    CACHE,
    CRASHES,
    HISTORY,
    LedgerControl,
    ServicesControl,
    StoredDataControl,
    UpdatesControl,
)
from askance.ui.settings.library import LibraryControl, PatternsControl
from askance.ui.settings.models import ModelControl
from askance.ui.settings.page import FileTrouble, SettingField, SettingsPage, Sidebar
from askance.ui.settings.programs import ConnectingControl, ProgramsControl
from askance.ui.settings.tables import PAGES, ControlKind, SettingRow

_SIZE = (760, 520)
_SMALLEST = (630, 380)
# Large text must not make a window that no screen holds.
_SHARE_OF_SCREEN = 0.9
HOTKEY = "window.hotkey"

_Control = TypeVar("_Control", bound=Control)


class SettingsWindow(TopLevelWindow):
    """Shows and changes the settings. Every change is written at once."""

    changed = Signal(object)
    """The `Settings` in force after a change: parts, look and hotkey are to follow them."""
    hotkey_recording = Signal(bool)
    """Whether a combination is being pressed here: the hotkey in force must not react."""
    file_requested = Signal()
    """The settings file is to be opened in the user's editor."""
    closed = Signal()
    """The user has closed the window."""

    def __init__(self, look: Look, context: SettingsContext) -> None:
        # On top, since the overlay is, and would hide it.
        super().__init__(look, None, Qt.WindowType.Window | Qt.WindowType.WindowStaysOnTopHint)
        self._context = context
        self.setWindowTitle(tr("Settings"))
        self.file_trouble = FileTrouble(look, context.source, self)
        self.file_trouble.open_requested.connect(self.file_requested)
        self.file_trouble.was_reset.connect(self._load_again)
        # Built when they are first needed: all of them take seven times as long as one.
        self._built: dict[int, SettingsPage] = {}
        self.side = Sidebar(look, [tr(table.title) for table in PAGES], self)
        self._stack = QStackedWidget(self)
        self.side.chosen.connect(self._turn_to)
        self.side.entered.connect(self._enter_page)
        FocusRing(look, self)
        right = column_of(look, self.file_trouble, self._stack, gap=0, wide=self._stack)
        self.setLayout(row_of(look, self.side, right, gap=0))
        self.resize(self._room(*_SIZE))
        self._restyle()
        self._turn_to(0)
        self.refresh()

    @property
    def pages(self) -> tuple[SettingsPage, ...]:
        """All pages, in the order of the list at the side; those not yet shown are built."""
        return tuple(map(self.page, range(len(PAGES))))

    @property
    def trouble(self) -> str:
        """Why the settings cannot be read or written; empty if they can."""
        return self.file_trouble.sentence

    def event(self, event: QEvent) -> bool:
        """Look again whether the file is understood: somebody may have been at it."""
        if event.type() is QEvent.Type.WindowActivate and self.trouble:
            self._load_again()
        return super().event(event)

    def _restyle(self) -> None:
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.Window, QColor(self.look.colours.paper))
        self.setPalette(palette)
        self.setMinimumSize(self._room(*_SMALLEST))

    def show_page(self, title: str) -> None:
        """Turn to a page by its English title. Raises StopIteration: there is no such page."""
        number = next(n for n, table in enumerate(PAGES) if table.title == title)
        self.side.choose(number)

    def page(self, number: int) -> SettingsPage:
        """Return a page of the list at the side; it is built at its first use."""
        if number not in self._built:
            page = SettingsPage(self.look, PAGES[number], self._field, self)
            self._stack.addWidget(page)
            self._built[number] = page
            for control in page.findChildren(LibraryControl):
                control.adding.take_drops_on(page)
            # Both stand on one page: who has just been given a token is chosen in the list above.
            for control in page.findChildren(ConnectingControl):
                control.made.connect(page.findChildren(ProgramsControl)[0].show_program)
            try:
                _refresh(page)
            except SettingsError as exc:
                self.file_trouble.show_error(exc)
        return self._built[number]

    def refresh(self) -> None:
        """Show the settings as they are in force now."""
        try:
            for page in self._built.values():
                _refresh(page)
        except SettingsError as exc:
            self.file_trouble.show_error(exc)
        else:
            self.file_trouble.refresh()

    def start_services(self) -> None:
        """Start the containers, and tell of it on their page."""
        self.control(ControlKind.SERVICES, ServicesControl).begin()

    def add_to_library(self, places: Sequence[str]) -> None:
        """Add files, folders and web pages to the library, and tell of it on its page."""
        self.control(ControlKind.LIBRARY, LibraryControl).add(places)

    def field(self, name: str) -> SettingField:
        """Return the first row of a setting. There must be one."""
        return self._first(lambda row: row.name == name)

    def control(self, kind: ControlKind, type_: type[_Control]) -> _Control:
        """Return the first control of a kind; its page is built for it."""
        control = self._first(lambda row: row.kind is kind).control
        assert isinstance(control, type_)
        return control

    def show_hotkey(self, problem: str = "", note: str = "") -> None:
        """Say why the hotkey does not work, with its remedy, or what the desktop says of it."""
        field = self.field(HOTKEY)
        field.set_note(note)
        field.complain(problem)

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

    def closeEvent(self, event: QCloseEvent) -> None:
        """Keep what was typed and not yet left."""
        self._commit()
        super().closeEvent(event)
        self.closed.emit()

    def hideEvent(self, event: QHideEvent) -> None:
        """Keep what was typed and not yet left."""
        self._commit()
        super().hideEvent(event)

    def _enter_page(self) -> None:
        if stops := reading_order(self.page(self.side.list.currentRow())):
            stops[0].setFocus(Qt.FocusReason.TabFocusReason)

    def _room(self, width: int, height: int) -> QSize:
        """Return a size in this look, at most a share of the screen."""
        wanted = QSize(self.look.px(width), self.look.px(height))
        return wanted.boundedTo(self.screen().availableSize() * _SHARE_OF_SCREEN)

    def _turn_to(self, number: int) -> None:
        self._stack.setCurrentWidget(self.page(number))

    def _first(self, is_wanted: Callable[[SettingRow], bool]) -> SettingField:
        number = next(n for n, table in enumerate(PAGES) if any(map(is_wanted, table.rows)))
        return next(field for field in self.page(number).fields if is_wanted(field.row))

    def _commit(self) -> None:
        for page in self._built.values():
            for field in page.fields:
                field.control.commit()

    def _save(self, name: str, text: str) -> None:
        try:
            settings = self._context.source.write(name, text)
        except SettingsError as exc:
            self.file_trouble.show_error(exc)
            return
        self._apply(settings)

    def _apply(self, settings: Settings) -> None:
        self.changed.emit(settings)
        self.refresh()

    def _load_again(self) -> None:
        try:
            self._apply(self._context.source.load())
        except SettingsError as exc:
            self.file_trouble.show_error(exc)

    def _field(self, row: SettingRow) -> SettingField:
        field = SettingField(self.look, row, self._control(row), self._context.source, self)
        field.accepted.connect(self._save)
        if isinstance(field.control, HotkeyControl):
            field.control.keys.refused.connect(field.complain)
            field.control.keys.listening.connect(self.hotkey_recording)
        if isinstance(field.control, ServicesControl):
            field.control.moved.connect(self._load_again)
        return field

    def _control(self, row: SettingRow) -> Control:
        look, context = self.look, self._context
        makers: Mapping[ControlKind, Callable[[], Control]] = {
            ControlKind.NUMBER: lambda: LineControl(look, narrow=True),
            ControlKind.TEXT: lambda: LineControl(look, narrow=False),
            ControlKind.SECRET: lambda: SecretControl(look),
            ControlKind.SEARXNG: lambda: SearxngControl(look, context),
            ControlKind.SWITCH: lambda: SwitchControl(look),
            ControlKind.CHOICE: lambda: ChoiceControl(look, row.options),
            ControlKind.CONSENT: lambda: ConsentControl(look, context.source),
            ControlKind.HOTKEY: lambda: HotkeyControl(look),
            ControlKind.KEYS: lambda: KeysControl(look),
            ControlKind.MODEL: lambda: ModelControl(look, context),
            ControlKind.SERVICES: lambda: ServicesControl(look, context),
            ControlKind.LIBRARY: lambda: LibraryControl(look, context),
            ControlKind.PATTERNS: lambda: PatternsControl(look, narrow=False),
            ControlKind.PROGRAMS: lambda: ProgramsControl(look, context),
            ControlKind.CONNECTING: lambda: ConnectingControl(look, context),
            ControlKind.LEDGER: lambda: LedgerControl(look, context),
            ControlKind.HISTORY: lambda: StoredDataControl(look, context, HISTORY),
            ControlKind.CACHE: lambda: StoredDataControl(look, context, CACHE),
            ControlKind.CRASHES: lambda: StoredDataControl(look, context, CRASHES),
            ControlKind.UPDATES: lambda: UpdatesControl(look, context),
            ControlKind.ABOUT: lambda: AboutControl(look, context.folders),
        }
        return makers[row.kind]()


def _refresh(page: SettingsPage) -> None:
    for field in page.fields:
        field.refresh()
