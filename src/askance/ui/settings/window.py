"""The window of settings: the list of its pages at the side, the chosen one or what was found beside it, and above that
what of the file is not understood.

A plain window with the system's frame: forms grow with the text size, so it must be moved, resized
and closed the way that every other window of that desktop is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QColor,
    QHideEvent,
    QKeyEvent,
    QKeySequence,
    QPalette,
    QShortcut,
    QShowEvent,
)
from PySide6.QtWidgets import QWidget

from askance.config.settings import Settings
from askance.domain.errors import SettingsError
from askance.presentation.i18n import plural, tr, translated
from askance.ui.design import theme
from askance.ui.design.composing import Button, Composite, column_of, row_of
from askance.ui.design.controls import ConfirmButton
from askance.ui.design.focus import (
    FocusRing,
    announce,
    came_by_pointer,
    closes,
    press_with_enter,
    reading_order,
    show_all_of,
)
from askance.ui.design.frame import TopLevelWindow, centre_on_screen_of
from askance.ui.design.labels import StyledLabel, TextStyle
from askance.ui.design.lists import scrolling
from askance.ui.design.theme import Look
from askance.ui.settings.installation_page import (
    CACHE,
    CRASHES,
    HISTORY,
    LedgerControl,
    ServicesControl,
    StoredDataControl,
    UpdatesControl,
)
from askance.ui.settings.library_page import LibraryControl, PatternsControl
from askance.ui.settings.models import ModelControl
from askance.ui.settings.page_tables import PAGES, SettingRow, hits
from askance.ui.settings.programs import ConnectingControl, ProgramsControl
from askance.ui.settings.row_controls import (
    AboutControl,
    ChoiceControl,
    ConsentControl,
    Control,
    HotkeyControl,
    LineControl,
    SecretControl,
    SwitchControl,
)
from askance.ui.settings.setting_rows import SettingField, SettingsPage
from askance.ui.settings.settings_jobs import SettingsContext
from askance.ui.settings.sidebar import Sidebar
from askance.ui.settings.source import SettingsSource


class FileTrouble(Composite):
    """What of the settings file is not understood, above every page, with the buttons that help; else hidden."""

    open_requested = Signal()
    """The file is to be opened in the user's editor."""
    was_reset = Signal()
    """The file was set aside: the defaults count."""

    def __init__(self, look: Look, source: SettingsSource, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._source = source
        self.sentence = StyledLabel(look, TextStyle.NOTE, parent=self)
        self.open = Button(look, tr("Open the file"), self, self.open_requested)
        offer, question = tr("Start with the defaults"), tr("The file stays, under another name.")
        self.reset = ConfirmButton(look, offer, question, tr("Start"), self)
        self.reset.call(tr("Settings"), question)
        buttons = row_of(look, self.open, self.reset, None)
        margins = (theme.SPACE_XL, theme.SPACE_M, theme.SPACE_XL, 0)
        self.setLayout(column_of(look, self.sentence, buttons, margins=margins))
        self.reset.confirmed.connect(self._reset)
        self.show_message("")

    def refresh(self) -> None:
        """Say what is not understood now; nothing where all is."""
        try:
            self.show_message(self._source.unread(), is_of_file=True)
        except SettingsError as exc:
            self.show_error(exc)

    def show_error(self, error: SettingsError) -> None:
        """Say why the settings cannot be read or written."""
        self.show_message(translated(error), is_of_file=self._source.is_there)
        # A file of which single lines are not understood keeps the others: setting it aside would
        # lose them.
        self.reset.setVisible(self._source.is_there and not self._source.is_readable)

    def show_message(self, sentence: str, *, is_of_file: bool = False) -> None:
        """Say something; nothing takes it away."""
        self.sentence.show_text(sentence)
        self.open.setVisible(is_of_file)
        self.reset.hide()
        self.setVisible(bool(sentence))

    def _reset(self) -> None:
        try:
            self._source.set_aside()
        except SettingsError as exc:
            self.show_error(exc)
        else:
            self.was_reset.emit()


_SIZE = (860, 540)
_SMALLEST = (630, 380)
_MARGINS = (24, 18, 14, 18)
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
        # A dialogue, which managers that tile leave floating; on top, since the overlay is, and would hide it.
        super().__init__(look, None, Qt.WindowType.Dialog | Qt.WindowType.WindowStaysOnTopHint)
        self._context = context
        self.setWindowTitle(tr("Settings"))
        self.file_trouble = FileTrouble(look, context.source, self)
        self.file_trouble.open_requested.connect(self.file_requested)
        self.file_trouble.was_reset.connect(self._load_again)
        # Built when they are first needed: all of them take seven times as long as one.
        self._built: dict[int, SettingsPage] = {}
        self.side = Sidebar(look, [tr(table.title) for table in PAGES], self)
        self._turned_to = 0
        self.nothing = StyledLabel(look, TextStyle.LEAD, tr("Nothing matches"), self)
        self.nothing.hide()
        self._pages = column_of(look, self.nothing, None, gap=0, margins=_MARGINS)
        inside = QWidget()
        inside.setLayout(self._pages)
        self.area = scrolling(look, inside, self)
        self.side.chosen.connect(self._turn_to)
        self.side.entered.connect(self._enter_page)
        self.side.searched.connect(self._search)
        FocusRing(look, self)
        QShortcut(QKeySequence.StandardKey.Find, self, self.side.search.setFocus)
        right = column_of(look, self.file_trouble, self.area, gap=0, wide=self.area)
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
        return self.file_trouble.sentence.text()

    def event(self, event: QEvent) -> bool:
        """Look again whether the file is understood: somebody may have been at it."""
        # Only where there is something to fix: reading and applying settings takes a while.
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
        # English titles name the pages, for the lights, the commands and the fixes of failures.
        number = next(n for n, table in enumerate(PAGES) if table.title == title)
        self.side.search.clear()
        self.side.choose(number)

    def reveal(self, name: str) -> None:
        """Turn to the page of a setting, unfolded if it is folded away there, and scroll to its row."""
        field = self.field(name)
        number = next(n for n, page in self._built.items() if field in page.fields)
        self.show_page(PAGES[number].title)
        self._built[number].fold.unfold(field.row.advanced)
        show_all_of(field)

    def page(self, number: int) -> SettingsPage:
        """Return a page of the list at the side; it is built at its first use."""
        if number not in self._built:
            page = SettingsPage(self.look, PAGES[number], self._field, self)
            page.hide()
            # In the order of the list at the side: found rows stand below each other so.
            place = 1 + sum(other < number for other in self._built)
            self._pages.insertWidget(place, page)
            self._built[number] = page
            # On the whole page, since its list alone is a small target.
            for control in page.findChildren(LibraryControl):
                control.adding.take_drops_on(page)
            try:
                page.refresh()
            except SettingsError as exc:
                self.file_trouble.show_error(exc)
        return self._built[number]

    def refresh(self) -> None:
        """Show the settings as they are in force now."""
        try:
            for page in self._built.values():
                page.refresh()
        except SettingsError as exc:
            self.file_trouble.show_error(exc)
        else:
            self.file_trouble.refresh()

    def start_services(self) -> None:
        """Start the containers, and tell of it on their page."""
        self.control("services", ServicesControl).begin()

    def add_to_library(self, places: Sequence[str]) -> None:
        """Add files, folders and web pages to the library, and tell of it on its page."""
        self.control("library", LibraryControl).add(places)

    def field(self, name: str) -> SettingField:
        """Return the first row of a setting. There must be one."""
        return self._first(lambda row: row.name == name)

    def control(self, kind: str, type_: type[_Control]) -> _Control:
        """Return the first control of a kind; its page is built for it."""
        control = self._first(lambda row: row.kind == kind).control
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
        self.side.list.show_focus(wanted=not came_by_pointer())
        # Always there, whatever page was shown last.
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
        """Say that it is closed: the windows beside it go by that."""
        super().closeEvent(event)
        self.closed.emit()

    def hideEvent(self, event: QHideEvent) -> None:
        """Keep what was typed and not yet left."""
        for page in self._built.values():
            for field in page.fields:
                field.control.commit()
        super().hideEvent(event)

    def _enter_page(self) -> None:
        if stops := reading_order(self.area):
            stops[0].setFocus(Qt.FocusReason.TabFocusReason)

    def _room(self, width: int, height: int) -> QSize:
        """Return a size in this look, at most a share of the screen."""
        wanted = QSize(self.look.px(width), self.look.px(height))
        return wanted.boundedTo(self.screen().availableSize() * _SHARE_OF_SCREEN)

    def _turn_to(self, number: int) -> None:
        page = self.page(number)
        if self.side.search.text().strip():
            self.area.verticalScrollBar().setValue(page.y() - self.look.px(_MARGINS[1]))
            return
        for other in self._built.values():
            other.setVisible(other is page)
        # A page begins at its top, unless it is the one that was seen.
        if number != self._turned_to:
            self.area.verticalScrollBar().setValue(0)
        self._turned_to = number

    def _search(self, typed: str) -> None:
        """Show the rows of all pages in which all of the words stand; the chosen page without words."""
        words = typed.strip()
        counts = [sum(hits(row, page.title, words) for row in page.rows) for page in PAGES]
        self.side.show_hits(counts if words else None)
        for number, count in enumerate(counts):
            # Pages without a hit need not be built for it.
            if count or number in self._built:
                self.page(number).show_found(words)
                self.page(number).setVisible(bool(count))
        self.nothing.setVisible(bool(words) and not any(counts))
        if words:
            n = sum(counts)
            found = plural("{n} setting matches", "{n} settings match", n)
            announce(self.side.search, found if n else self.nothing.text())
            self.area.verticalScrollBar().setValue(0)
        else:
            self._turn_to(self.side.list.currentRow())

    def stand_before(self, window: QWidget) -> None:
        """Belong to a window, and come up in the middle of its screen."""
        centre_on_screen_of(self, window)
        self.winId()
        # Window managers that tile leave alone what belongs to another window.
        self.windowHandle().setTransientParent(window.windowHandle())

    def _first(self, is_wanted: Callable[[SettingRow], bool]) -> SettingField:
        number = next(n for n, table in enumerate(PAGES) if any(map(is_wanted, table.rows)))
        return next(field for field in self.page(number).fields if is_wanted(field.row))

    def _save(self, name: str, text: str) -> None:
        self._change(lambda: self._context.source.write(name, text))

    def _reset(self, name: str) -> None:
        self._change(lambda: self._context.source.reset(name))

    def _load_again(self) -> None:
        self._change(self._context.source.load)

    def _change(self, change: Callable[[], Settings]) -> None:
        try:
            settings = change()
        except SettingsError as exc:
            self.file_trouble.show_error(exc)
            return
        # The parts first, so that the pages show what came of it.
        self.changed.emit(settings)
        self.refresh()

    def _field(self, row: SettingRow) -> SettingField:
        field = SettingField(self.look, row, self._control(row), self._context.source, self)
        field.accepted.connect(self._save)
        field.reset.connect(self._reset)
        if isinstance(field.control, HotkeyControl):
            field.control.keys.refused.connect(field.complain)
            field.control.keys.listening.connect(self.hotkey_recording)
        if isinstance(field.control, ServicesControl):
            field.control.moved.connect(self._load_again)
        return field

    def _control(self, row: SettingRow) -> Control:
        look, context = self.look, self._context
        makers: Mapping[str, Callable[[], Control]] = {
            "number": lambda: LineControl(look, narrow=True),
            "text": lambda: LineControl(look, narrow=False),
            "secret": lambda: SecretControl(look),
            "switch": lambda: SwitchControl(look),
            "choice": lambda: ChoiceControl(look, row.options),
            "consent": lambda: ConsentControl(look, context.source),
            "hotkey": lambda: HotkeyControl(look),
            "model": lambda: ModelControl(look, context),
            "services": lambda: ServicesControl(look, context),
            "library": lambda: LibraryControl(look, context),
            "patterns": lambda: PatternsControl(look, narrow=False),
            "programs": lambda: ProgramsControl(look, context),
            "connecting": lambda: ConnectingControl(look, context),
            "ledger": lambda: LedgerControl(look, context),
            "history": lambda: StoredDataControl(look, context, HISTORY),
            "cache": lambda: StoredDataControl(look, context, CACHE),
            "crashes": lambda: StoredDataControl(look, context, CRASHES),
            "updates": lambda: UpdatesControl(look, context),
            "about": lambda: AboutControl(look, context.folders),
        }
        return makers[row.kind]()
