"""What of the settings file is not understood, above every page, with the buttons that help."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from askance.domain.errors import SettingsError
from askance.presentation.i18n import tr, translated
from askance.ui.design import tokens
from askance.ui.design.composing import Button, Composite, column_of, row_of
from askance.ui.design.controls import ConfirmButton
from askance.ui.design.labels import StyledLabel, TextStyle
from askance.ui.design.theme import Look
from askance.ui.settings.source import SettingsSource


class FileTrouble(Composite):
    """Hidden while there is none."""

    open_requested = Signal()
    """The file is to be opened in the user's editor."""
    mended = Signal()
    """The file was set aside: the defaults count."""

    def __init__(self, look: Look, source: SettingsSource, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._source = source
        self._sentence = StyledLabel(look, TextStyle.NOTE, parent=self)
        self.open = Button(look, tr("Open the file"), self)
        self.reset = ConfirmButton(
            look,
            tr("Start with the defaults"),
            tr("The file stays, under another name."),
            tr("Start"),
            self,
        )
        self.reset.call(tr("Settings"), tr("The file stays, under another name."))
        buttons = row_of(look, self.open, self.reset, None)
        margins = (tokens.SPACE_XL, tokens.SPACE_M, tokens.SPACE_XL, 0)
        self.setLayout(column_of(look, self._sentence, buttons, margins=margins))
        self.open.clicked.connect(self.open_requested)
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
            self.mended.emit()
