"""The window of settings: the list of its pages at the side, the chosen one beside it, and above that what of the file
is not understood. A page is a heading and a row for each setting, with its help and what is wrong.

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
    QFocusEvent,
    QFont,
    QHideEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QFrame,
    QListWidget,
    QListWidgetItem,
    QScrollArea,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from askance.config.editing import Setting
from askance.config.settings import Settings
from askance.domain.errors import SettingsError
from askance.presentation.i18n import tr, translated
from askance.ui.design import theme
from askance.ui.design.composing import Box, Button, Composite, Styled, column_of, row_of, style
from askance.ui.design.controls import ConfirmButton
from askance.ui.design.focus import (
    FocusRing,
    announce,
    came_by_pointer,
    closes,
    press_with_enter,
    reading_order,
)
from askance.ui.design.frame import TopLevelWindow
from askance.ui.design.labels import Hairline, StyledLabel, TextStyle
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
from askance.ui.settings.page_tables import PAGES, ControlKind, PageTable, SettingRow
from askance.ui.settings.programs import ConnectingControl, ProgramsControl
from askance.ui.settings.row_controls import (
    AboutControl,
    ChoiceControl,
    ConsentControl,
    Control,
    HotkeyControl,
    KeysControl,
    LineControl,
    SecretControl,
    SwitchControl,
)
from askance.ui.settings.settings_jobs import SettingsContext
from askance.ui.settings.source import SettingsSource, explained, written


class FileTrouble(Composite):
    """What of the settings file is not understood, above every page, with the buttons that help; else hidden."""

    open_requested = Signal()
    """The file is to be opened in the user's editor."""
    was_reset = Signal()
    """The file was set aside: the defaults count."""

    def __init__(self, look: Look, source: SettingsSource, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._source = source
        self._sentence = StyledLabel(look, TextStyle.NOTE, parent=self)
        self.open = Button(look, tr("Open the file"), self, self.open_requested)
        self.reset = ConfirmButton(
            look,
            tr("Start with the defaults"),
            tr("The file stays, under another name."),
            tr("Start"),
            self,
        )
        self.reset.call(tr("Settings"), tr("The file stays, under another name."))
        buttons = row_of(look, self.open, self.reset, None)
        margins = (theme.SPACE_XL, theme.SPACE_M, theme.SPACE_XL, 0)
        self.setLayout(column_of(look, self._sentence, buttons, margins=margins))
        self.reset.confirmed.connect(self._reset)
        self.show_message("")

    @property
    def sentence(self) -> str:
        """What is said; empty if nothing is."""
        return self._sentence.text()

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
        self._sentence.show_text(sentence)
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


_LABEL_SHARE, _CONTROL_SHARE = 46, 54
# Below this width German labels and controls have no room beside each other.
_NARROW = 400
_MARGIN = 26
_AROUND = (0, 11, 0, 11)


class SettingField(Composite):
    """The row of a setting. It checks what was typed, and hands on only what the setting may be."""

    accepted = Signal(str, str)
    """The setting's name and its new value."""

    def __init__(
        self,
        look: Look,
        row: SettingRow,
        control: Control,
        source: SettingsSource,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(look, parent)
        self.row, self.control, self._source = row, control, source
        self._began_with: str | None = None
        self._of_setting = self._standing = ""
        self._label = StyledLabel(look, TextStyle.LABEL, tr(row.label), self)
        self._help = StyledLabel(look, TextStyle.HELP, tr(row.about), self)
        self._note = StyledLabel(look, TextStyle.NOTE, parent=self)
        self.problem = StyledLabel(look, TextStyle.PROBLEM, parent=self)
        self._note.hide()
        self.problem.hide()
        self._label.setBuddy(control.main)
        control.setParent(self)
        control.edited.connect(self.take)
        self._halves = self._laid_out()
        self.setLayout(self._halves)
        self._name()

    @property
    def note(self) -> str:
        """What is to be known of the value: what overrides it, from when on it counts."""
        return self._note.text()

    def stack(self, *, is_narrow: bool) -> None:
        """Put the control below the label where there is no room beside it."""
        if self.control.is_wide:
            return
        self._halves.turn(is_down=is_narrow, gap=theme.SPACE_S if is_narrow else theme.SPACE_L)
        for half, share in enumerate((_LABEL_SHARE, _CONTROL_SHARE)):
            self._halves.setStretch(half, 0 if is_narrow else share)

    def refresh(self) -> None:
        """Show the setting as it is in force now.

        Raises:
            SettingsError: a source of settings is wrong.
        """
        # A row without a name stands for no setting: it has no value, and its help is in the table.
        if not self.row.name:
            self.control.show_value("")
            self._help.show_text(tr(self.row.about))
            return
        setting = self._source.describe(self.row.name)
        self.control.show_value(written(setting.value))
        variable = self._source.overriding(setting)
        # What is written into the file would change nothing while the variable is set.
        self.control.main.setEnabled(not variable)
        self._help.show_text(tr(self.row.about) or explained(setting))
        self._of_setting = self._notes(variable, setting)
        self._show_note()
        self._name()

    def take(self, text: str) -> None:
        """Take another value: say what is wrong with it, or hand it on."""
        problem = self._source.inline_message(self.row.name, text)
        # Nothing is written that the settings would refuse when they are read.
        self.complain(problem)
        if not problem:
            self.accepted.emit(self.row.name, text)

    def complain(self, problem: str) -> None:
        """Say below the control what is wrong; nothing takes it away."""
        self.problem.show_text(problem)
        self._name()
        announce(self.control.main, problem)

    def set_note(self, note: str) -> None:
        """Say this below the control, behind what is to be known of the setting itself."""
        self._standing = note
        self._show_note()

    def _show_note(self) -> None:
        self._note.show_text(" ".join(filter(None, (self._of_setting, self._standing))))

    def _notes(self, variable: str, setting: Setting) -> str:
        if variable:
            return tr("Set by the environment variable {variable}.", variable=variable)
        if setting.is_held:
            return tr("A line of the settings file is not understood: the strictest counts.")
        # Changed back to what the window was opened with, it needs no restart.
        if self.row.later and written(setting.value) != self._first(setting):
            return tr("Takes effect after a restart.")
        return ""

    def _first(self, setting: Setting) -> str:
        """The value with which this window was opened."""
        if self._began_with is None:
            self._began_with = written(setting.value)
        return self._began_with

    def _name(self) -> None:
        descriptions = (self._help.text(), self._note.text(), self.problem.text())
        self.control.call(self._label.text(), " ".join(filter(None, descriptions)))

    def _laid_out(self) -> Box:
        """Return what is said of it and the control, side by side unless that wants the whole width.

        No grid: what spans rows of one is given the height that it would have at any width.
        """
        texts = column_of(self.look, self._label, self._help, gap=2)
        parts = column_of(self.look, self.control, self._note, self.problem, gap=theme.SPACE_XS)
        if self.control.is_wide:
            return column_of(self.look, texts, parts, margins=_AROUND)
        # Both begin at the top, however high the other is.
        for half in (texts, parts):
            half.put(None)
        halves = row_of(self.look, texts, parts, gap=theme.SPACE_L, margins=_AROUND)
        halves.setStretch(0, _LABEL_SHARE)
        halves.setStretch(1, _CONTROL_SHARE)
        return halves


MakeField = Callable[[SettingRow], SettingField]


class SettingsPage(Styled, QScrollArea):
    """A page that scrolls where its rows have no room."""

    def __init__(
        self, look: Look, table: PageTable, make_field: MakeField, parent: QWidget | None = None
    ) -> None:
        super().__init__(look, parent)
        self.table = table
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName(tr(table.title))
        inside = QWidget(self)
        self._column = QVBoxLayout(inside)
        self._column.setSpacing(0)
        about = StyledLabel(look, TextStyle.LEAD, tr(table.about), inside, margins=(0, 6, 0, 14))
        self._column.addWidget(StyledLabel(look, TextStyle.TITLE, tr(table.title), inside))
        self._column.addWidget(about)
        self.fields: Sequence[SettingField] = tuple(make_field(row) for row in table.rows)
        for field in self.fields:
            self._column.addWidget(Hairline(look, inside))
            self._column.addWidget(field)
        self._column.addStretch(1)
        self.setWidget(inside)
        self._restyle()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay the rows out for another width."""
        super().resizeEvent(event)
        self._restyle()

    def _restyle(self) -> None:
        px = self.look.px
        # The width with the bar: rows that grow by being stacked must not come back by it.
        is_narrow = self.width() < px(_NARROW)
        across = px(theme.SPACE_L if is_narrow else _MARGIN)
        self._column.setContentsMargins(across, px(20), across, px(theme.SPACE_L))
        for field in self.fields:
            field.stack(is_narrow=is_narrow)


_WIDTH = 176
_KEYED = "keyed"
_NORMAL = QFont.Weight.Normal
_BY_KEY = {Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason}


class Sidebar(Styled, QWidget):
    """Names of pages, of which one is chosen; a hairline parts it from the page."""

    chosen = Signal(int)
    entered = Signal()
    """Enter, or an arrow that leads into the page."""

    def __init__(self, look: Look, names: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self.list = _Names(self)
        self.list.entered_page.connect(self.entered)
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setAccessibleName(tr("Pages of the settings"))
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.addItems(list(names))
        self.list.currentRowChanged.connect(self._choose)
        self.setFocusProxy(self.list)
        style(self, look, width=_WIDTH)
        column = QVBoxLayout(self)
        style(column, look, margins=(10, theme.SPACE_M, 11, theme.SPACE_M))
        column.addWidget(self.list)
        self._restyle()
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

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's interface
        """Draw the hairline at the right."""
        with QPainter(self) as painter:
            painter.fillRect(self.width() - 1, 0, 1, self.height(), QColor(self.look.colours.line))

    def _choose(self, number: int) -> None:
        self._restyle()
        self.chosen.emit(number)

    def _restyle(self) -> None:
        for number in range(self.list.count()):
            item: QListWidgetItem = self.list.item(number)
            weight = QFont.Weight.Medium if number == self.list.currentRow() else _NORMAL
            item.setFont(self.look.font(theme.BODY_TEXT - 1, weight))


class _Names(QListWidget):
    entered_page = Signal()

    def show_focus(self, *, wanted: bool) -> None:
        if bool(self.property(_KEYED)) is not wanted:
            self.setProperty(_KEYED, wanted)
            # A style sheet looks at a property only when a widget is polished.
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
        # The page lies at the side to which the language reads on.
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
        self.side.choose(number)

    def page(self, number: int) -> SettingsPage:
        """Return a page of the list at the side; it is built at its first use."""
        if number not in self._built:
            page = SettingsPage(self.look, PAGES[number], self._field, self)
            self._stack.addWidget(page)
            self._built[number] = page
            # On the whole page, since its list alone is a small target.
            for control in page.findChildren(LibraryControl):
                control.adding.take_drops_on(page)
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
        # The parts first, so that the pages show what came of it.
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
