"""One folder of the library: what became of each of its files, what is excluded, and what can be done."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from askance.domain.library import FileState, Folder
from askance.presentation.i18n import plural, tr
from askance.presentation.library import STATES
from askance.session.library import with_patterns
from askance.ui.design import tokens
from askance.ui.design.controls import AskingTwice
from askance.ui.design.labels import Tone, Words
from askance.ui.design.theme import Look
from askance.ui.model.library import FileRow, FolderRow, fitting
from askance.ui.settings.controls import ChoiceControl
from askance.ui.settings.library_lists import Line, LineList

MOST_SHOWN = 2000
"""As many as a person looks through."""
_MOST_FILES = 6
_STATE_WIDTH = 120
# A list is filtered when the typing rests for so long.
_REST_MS = 150


class ShelfView(QWidget):
    """Shows the folder that is chosen, or the documents that came from none."""

    read_again = Signal(object)
    """A `Folder` that is to be read again: with other patterns, if it was given some."""
    removed = Signal(object, object, object)
    """Documents that are to leave the library, and the paths of the folders that go with them."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._folder: Folder | None = None
        self._rows: tuple[FileRow, ...] = ()
        self._shown: tuple[FileRow, ...] = ()
        self.again = QPushButton(tr("Read again"), self)
        self.remove = AskingTwice(
            look, tr("Remove…"), tr("The files stay as they are."), tr("Remove"), self
        )
        self.patterns_label = Words(look, Tone.HELP, tr("Excluded in this folder"), self)
        self.patterns = QLineEdit(self)
        self.patterns.setPlaceholderText(tr("Such as *.log, /drafts"))
        self.patterns.setAccessibleName(tr("Excluded in this folder"))
        self.filter = QLineEdit(self)
        self.filter.setPlaceholderText(tr("Filter files"))
        self.filter.setAccessibleName(tr("Filter files"))
        self.filter.setClearButtonEnabled(True)
        self.state = ChoiceControl(
            look, (("", tr("All states")), *((state.value, STATES[state]) for state in FileState))
        )
        self.state.setParent(self)
        self.state.main.setAccessibleName(tr("State"))
        self.state_label = Words(look, Tone.HELP, tr("State"), self)
        self.state_label.setWordWrap(False)
        self.state_label.setBuddy(self.state.main)
        self.patterns_label.setBuddy(self.patterns)
        self._state = ""
        self.counted = Words(look, Tone.HELP, parent=self)
        self.files = LineList(look, _MOST_FILES, self)
        self.files.setAccessibleName(tr("Files"))
        self.remove_file = AskingTwice(
            look, tr("Remove this one…"), tr("The file stays as it is."), tr("Remove"), self
        )
        self._rest = QTimer(self, singleShot=True)
        self._rest.setInterval(_REST_MS)
        self._lay_out()
        self._connect()
        self.set_look(look)

    def set_look(self, look: Look) -> None:
        """Draw with another look from now on."""
        self._column.setSpacing(look.px(tokens.SPACE_S))
        for row in (self._buttons, self._filters):
            row.setSpacing(look.px(tokens.SPACE_S))
        for part in (self.remove, self.remove_file, self.patterns_label, self.counted):
            part.set_look(look)
        for part in (self.files, self.state_label, self.state):
            part.set_look(look)
        self.state.box.setMinimumWidth(look.px(_STATE_WIDTH))
        self.again.setFont(look.font(tokens.SMALL_TEXT))
        for field in (self.patterns, self.filter):
            field.setFont(look.font(tokens.BODY_TEXT - 1))

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
        before = self._chosen()
        state = ""
        if self._state and self._folder is not None:
            state = tr(STATES[FileState(self._state)])
        found = fitting(self._rows, self.filter.text(), state)
        self._shown = found[:MOST_SHOWN]
        lines = [Line(row.name, row.reason, row.state, row.is_failed) for row in self._shown]
        kept = [n for n, row in enumerate(self._shown) if before and row.path == before.path]
        self.files.show_lines(lines, kept[0] if kept else -1)
        self.counted.say(self._count(len(found)))
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

    def _lay_out(self) -> None:
        self._buttons, self._filters = QHBoxLayout(), QHBoxLayout()
        self._buttons.addWidget(self.again)
        self._buttons.addWidget(self.remove, 1)
        self._filters.addWidget(self.counted, 1)
        self._filters.addWidget(self.state_label)
        self._filters.addWidget(self.state)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.addLayout(self._buttons)
        self._column.addWidget(self.patterns_label)
        self._column.addWidget(self.patterns)
        self._column.addWidget(self.filter)
        self._column.addLayout(self._filters)
        self._column.addWidget(self.files)
        self._column.addWidget(self.remove_file, 0, Qt.AlignmentFlag.AlignLeft)

    def _connect(self) -> None:
        self.again.clicked.connect(self._read_again)
        self.remove.confirmed.connect(self._remove)
        self.remove_file.confirmed.connect(self._remove_file)
        self.patterns.editingFinished.connect(self._take_patterns)
        self.filter.textChanged.connect(self._rest.start)
        self._rest.timeout.connect(self._filter)
        self.state.edited.connect(self._choose_state)
        self.files.chosen.connect(self._enable)
