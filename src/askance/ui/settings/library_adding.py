"""What is added to the library from its page: chosen, typed or dropped."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from askance.presentation.i18n import tr
from askance.ui.design.composing import Button, Composite, LineField, column_of, row_of
from askance.ui.design.dropping import PlaceTarget
from askance.ui.design.focus import announce
from askance.ui.design.labels import Tone, Words
from askance.ui.design.theme import Look
from askance.ui.model.library import named_places

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


class Adding(Composite):
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
        prompt, name = tr("Address of a web page"), tr("Address of a web page to add")
        self.address = LineField(look, prompt, self, name=name)
        self.page = Button(look, tr("Add"), self)
        self.page.setAccessibleName(tr("Add the web page"))
        self.question = Words(look, Tone.BODY, parent=self)
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
        self.yes.clicked.connect(self._say_yes)
        self.no.clicked.connect(self._say_no)
        self.ask(())

    def take_drops_on(self, widget: QWidget) -> None:
        """Let files, folders and pages be dropped on a widget; it is asked before they are added."""
        PlaceTarget(widget, self).dropped.connect(self.ask)

    def ask(self, places: tuple[str, ...]) -> None:
        """Ask whether something that was dropped is to be added; of nothing nothing is asked."""
        self._held_out = places
        said = tr("Add {what} to the library?", what=named_places(places)) if places else ""
        self.question.say(said)
        for button in (self.yes, self.no):
            button.setVisible(bool(places))
            button.setAccessibleDescription(said)
        if places:
            self.yes.setFocus(Qt.FocusReason.OtherFocusReason)
            announce(self, said)

    def _say_yes(self) -> None:
        places = self._held_out
        self._say_no()
        self.wanted.emit(places)

    def _say_no(self) -> None:
        self.folder.setFocus(Qt.FocusReason.OtherFocusReason)
        self.ask(())

    def _add_page(self) -> None:
        typed = self.address.text().strip()
        if typed.lower().startswith(WEB):
            self.address.clear()
            self.wanted.emit((typed,))
        elif typed:
            self.refused.emit(tr("An address begins with http:// or https://."))
