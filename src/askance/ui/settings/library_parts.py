"""The parts of the library's page: what adds to it, and one folder with what became of each of its files."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from askance.app.library.adding import with_patterns
from askance.domain.library import FileState, Folder
from askance.presentation.i18n import plural, tr
from askance.presentation.library import STATES
from askance.ui.design import tokens
from askance.ui.design.composing import Button, Composite, LineField, column_of, row_of
from askance.ui.design.controls import ConfirmButton
from askance.ui.design.dropping import PlaceTarget
from askance.ui.design.focus import announce
from askance.ui.design.labels import StyledLabel, TextStyle
from askance.ui.design.lists import LineList, ListLine
from askance.ui.design.theme import Look
from askance.ui.design.timers import single_shot_timer
from askance.ui.model.library import FileRow, FolderRow, fitting, named_places
from askance.ui.settings.controls import ChoiceControl

WEB = ("http://", "https://")
ChoosePlaces = Callable[[QWidget, bool, Callable[[tuple[str, ...]], None]], None]


def choose_places(parent: QWidget, folder: bool, then: Callable[[tuple[str, ...]], None]) -> None:
    """Let a person choose a folder, or files; `then` gets their paths."""
    dialog = QFileDialog(parent, tr("Add a folder") if folder else tr("Add files"))
    dialog.setFileMode(
        QFileDialog.FileMode.Directory if folder else QFileDialog.FileMode.ExistingFiles
    )
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.accepted.connect(lambda: then(tuple(dialog.selectedFiles())))
    dialog.open()


class AddControls(Composite):
    """Buttons that choose, a field for an address, and a question about what was dropped."""

    wanted = Signal(object)
    """Paths and addresses that are to be added, a tuple."""
    refused = Signal(str)
    """Why what was typed is not added."""

    def __init__(self, look: Look, parent: QWidget, choose: ChoosePlaces = choose_places) -> None:
        super().__init__(look, parent)
        self._choose = choose
        self._held_out: tuple[str, ...] = ()
        self.folder = Button(look, tr("Add folder…"), self)
        self.files = Button(look, tr("Add files…"), self)
        prompt, name = tr("Web address"), tr("Address of a web page to add")
        self.address = LineField(look, prompt, self, name=name)
        self.page = Button(look, tr("Add"), self)
        self.page.setAccessibleName(tr("Add the web page"))
        self.question = StyledLabel(look, TextStyle.BODY, parent=self)
        self.yes = Button(look, tr("Add"), self)
        self.yes.setAccessibleName(tr("Add to the library"))
        self.no = Button(look, tr("Don't add"), self)
        choosing = row_of(look, self.folder, self.files, None)
        addressing = row_of(look, self.address, self.page, wide=self.address)
        asking = row_of(look, self.question, self.yes, self.no, wide=self.question)
        self.setLayout(column_of(look, choosing, addressing, asking))
        self.folder.clicked.connect(lambda: self._choose(self.window(), True, self.wanted.emit))
        self.files.clicked.connect(lambda: self._choose(self.window(), False, self.wanted.emit))
        self.address.returnPressed.connect(self._add_page)
        self.page.clicked.connect(self._add_page)
        self.yes.clicked.connect(self._accept)
        self.no.clicked.connect(self._decline)
        self.ask(())

    def take_drops_on(self, widget: QWidget) -> None:
        """Let files, folders and pages be dropped on a widget; it is asked before they are added."""
        PlaceTarget(widget, self).dropped.connect(self.ask)

    def ask(self, places: tuple[str, ...]) -> None:
        """Ask whether something that was dropped is to be added; of nothing nothing is asked."""
        self._held_out = places
        text = tr("Add {what} to the library?", what=named_places(places)) if places else ""
        self.question.show_text(text)
        for button in (self.yes, self.no):
            button.setVisible(bool(places))
            button.setAccessibleDescription(text)
        if places:
            self.yes.setFocus(Qt.FocusReason.OtherFocusReason)
            announce(self, text)

    def _accept(self) -> None:
        places = self._held_out
        self._decline()
        self.wanted.emit(places)

    def _decline(self) -> None:
        self.folder.setFocus(Qt.FocusReason.OtherFocusReason)
        self.ask(())

    def _add_page(self) -> None:
        typed = self.address.text().strip()
        if typed.lower().startswith(WEB):
            self.address.clear()
            self.wanted.emit((typed,))
        elif typed:
            self.refused.emit(tr("An address begins with http:// or https://."))


MOST_SHOWN = 2000
"""As many as a person looks through."""
_MOST_FILES = 6
_STATE_WIDTH = 120
_FIELD_TEXT = tokens.BODY_TEXT - 1
# A list is filtered when the typing rests for so long.
_REST_MS = 150


class FolderContentsView(Composite):
    """Shows the folder that is chosen, or the documents that came from none."""

    read_again = Signal(object)
    """A `Folder` that is to be read again: with other patterns, if it was given some."""
    removed = Signal(object, object, object)
    """Documents that are to leave the library, and the paths of the folders that go with them."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(look, parent)
        self._folder: Folder | None = None
        self._rows: tuple[FileRow, ...] = ()
        self._shown: tuple[FileRow, ...] = ()
        self.again = Button(look, tr("Read again"), self)
        self.remove = ConfirmButton(
            look, tr("Remove…"), tr("The files stay as they are."), tr("Remove"), self
        )
        self.patterns_label = StyledLabel(look, TextStyle.HELP, tr("Excluded in this folder"), self)
        prompt, name = tr("Such as *.log, /drafts"), tr("Excluded in this folder")
        self.patterns = LineField(look, prompt, self, name=name, size=_FIELD_TEXT)
        self.filter = LineField(look, tr("Filter files"), self, size=_FIELD_TEXT)
        self.filter.setClearButtonEnabled(True)
        self.state = ChoiceControl(
            look,
            (("", tr("All states")), *((state.value, STATES[state]) for state in FileState)),
            self,
            width=_STATE_WIDTH,
        )
        self.state.main.setAccessibleName(tr("State"))
        self.state_label = StyledLabel(look, TextStyle.HELP, tr("State"), self)
        self.state_label.setWordWrap(False)
        self.state_label.setBuddy(self.state.main)
        self.patterns_label.setBuddy(self.patterns)
        self._state = ""
        self.counted = StyledLabel(look, TextStyle.HELP, parent=self)
        self.files = LineList(look, _MOST_FILES, self)
        self.files.setAccessibleName(tr("Files"))
        self.remove_file = ConfirmButton(
            look, tr("Remove this one…"), tr("The file stays as it is."), tr("Remove"), self
        )
        self._rest = single_shot_timer(self, _REST_MS)
        whole = column_of(look, row_of(look, self.again, self.remove, wide=self.remove))
        whole.put(self.patterns_label, self.patterns, self.filter)
        whole.put(row_of(look, self.counted, self.state_label, self.state, wide=self.counted))
        whole.put(self.files, self.remove_file)
        whole.setAlignment(self.remove_file, Qt.AlignmentFlag.AlignLeft)
        self.setLayout(whole)
        self._connect()

    def show_folder(self, row: FolderRow) -> None:
        """Show a folder and its files, or the documents that came from none."""
        self._folder, self._rows = row.folder, row.files
        is_folder = row.folder is not None
        if row.folder and not (self.patterns.hasFocus() and self.patterns.isModified()):
            self.patterns.setText(", ".join(row.folder.exclude))
        of_folders = (self.again, self.remove, self.patterns_label, self.patterns)
        for part in (*of_folders, self.state_label, self.state):
            part.setVisible(is_folder)
        self.remove.withdraw()
        self._filter()

    def _filter(self) -> None:
        self._rest.stop()
        state = ""
        if self._state and self._folder is not None:
            state = tr(STATES[FileState(self._state)])
        found = fitting(self._rows, self.filter.text(), state)
        self._shown = found[:MOST_SHOWN]
        lines = [
            ListLine(row.name, row.reason, row.shown_state, row.is_failed, row.path)
            for row in self._shown
        ]
        self.files.show_lines(lines)
        self.counted.show_text(self._count(len(found)))
        self._enable()

    def _count(self, n: int) -> str:
        of = len(self._rows)
        if n > MOST_SHOWN:
            return tr(
                "{n} files, the first {most} of them. Filter to see others.", n=n, most=MOST_SHOWN
            )
        if self._folder is None:
            return plural("{n} document", "{n} documents", n)
        if n < of:
            return tr("{n} of {of} files", n=n, of=of)
        return plural("{n} file", "{n} files", n)

    def _chosen(self) -> FileRow | None:
        row = self.files.row
        return self._shown[row] if 0 <= row < len(self._shown) else None

    def _enable(self) -> None:
        chosen = self._chosen()
        self.remove_file.withdraw()
        self.remove_file.setEnabled(
            chosen is not None and (bool(chosen.document) or chosen.is_found)
        )

    def _choose_state(self, state: str) -> None:
        self._state = state
        self._filter()

    def _read_again(self) -> None:
        self.patterns.setModified(False)
        if self._folder is not None:
            self.read_again.emit(with_patterns(self._folder, self.patterns.text()))

    def _take_patterns(self) -> None:
        if self.patterns.isModified():
            self._read_again()

    def _remove(self) -> None:
        if self._folder is not None:
            documents = tuple(row.document for row in self._rows if row.document)
            self.removed.emit(documents, (self._folder.path,), self._files(self._rows))

    def _remove_file(self) -> None:
        if (row := self._chosen()) is not None:
            self.removed.emit((row.document,) if row.document else (), (), self._files((row,)))

    def _files(self, rows: Iterable[FileRow]) -> tuple[str, ...]:
        """The files of some rows: one of them may hold many documents."""
        return tuple(row.path for row in rows) if self._folder is not None else ()

    def _connect(self) -> None:
        self.again.clicked.connect(self._read_again)
        self.remove.confirmed.connect(self._remove)
        self.remove_file.confirmed.connect(self._remove_file)
        self.patterns.editingFinished.connect(self._take_patterns)
        self.filter.textChanged.connect(self._rest.start)
        self._rest.timeout.connect(self._filter)
        self.state.edited.connect(self._choose_state)
        self.files.chosen.connect(self._enable)
