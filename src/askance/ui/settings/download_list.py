"""The downloads of models as the window has them: one list, which every place shows, and a row for each of them."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QLayout, QWidget

from askance.app.model_downloads import ModelDownloads
from askance.app.model_tiers import model_tiers
from askance.config.choices import LlmApi
from askance.config.folders import Folders
from askance.config.settings import LlmSettings, Settings
from askance.domain.downloads import DownloadPhase, ModelDownload, ModelTier
from askance.domain.errors import AskanceError
from askance.presentation.i18n import tr
from askance.presentation.model_words import button_of, download_text, download_title, tier_name
from askance.ui.bridge import Bridge
from askance.ui.design import theme
from askance.ui.design.composing import Box, Button, Composite, column_of, row_of, style
from askance.ui.design.controls import ProgressLine
from askance.ui.design.drawing import IconLabel, icon
from askance.ui.design.focus import announce
from askance.ui.design.labels import StyledLabel, TextStyle
from askance.ui.design.theme import Look
from askance.ui.settings.source import SettingsSource


class DownloadList(QObject):
    """The one list, in the window's thread. A model that has come is used, unless another one was chosen meanwhile."""

    changed = Signal()
    arrived = Signal(object)
    """The `Settings` in force with the model that has come."""

    _noted = Signal()

    def __init__(self, source: SettingsSource, folders: Folders, chores: Bridge) -> None:
        super().__init__(chores)
        self._source = source
        # With what the settings named when a download was begun, and the settings with what has come.
        self._begun: dict[str, tuple[str, ...]] = {}
        self._adopted: dict[str, Settings] = {}
        # Queued: the list tells of a change in whatever thread that happened.
        self._noted.connect(self._follow, Qt.ConnectionType.QueuedConnection)
        load, start = source.load, chores.call
        self._list = ModelDownloads(folders, load, start, self._note, adopt=self._adopt)

    @property
    def entries(self) -> tuple[ModelDownload, ...]:
        """All that is under way, paused or failed."""
        return tuple(e for e in self._list.entries() if e.phase is not DownloadPhase.DONE)

    @property
    def current(self) -> ModelDownload | None:
        """The one that is under way, or else the first that waits for somebody."""
        entries = self.entries
        return next((e for e in entries if e.is_active), entries[0] if entries else None)

    def download(self, tier: ModelTier, *, by_ollama: bool) -> None:
        """Begin with a tier, by Ollama or as a file."""
        if by_ollama:
            self.pull(tier.ollama, tier.name, tier.bytes)
        else:
            # Before it begins: one that is here already is adopted at once.
            self._begun[tier.file] = self._named()
            self._list.download(tier)

    def pull(self, model: str, name: str = "", size: int = 0) -> None:
        """Have Ollama download a model."""
        self._begun[model] = self._named()
        self._list.pull(model, name, size)

    def press(self, download: ModelDownload) -> None:
        """Do what the button beside a download says."""
        if download.phase in {DownloadPhase.OFFLINE, DownloadPhase.BUSY} or not download.is_active:
            # One of an earlier run of the program: it is wanted now.
            self._begun.setdefault(download.key, self._named())
            self._list.resume(download.key)
        else:
            self._list.pause(download.key)

    def cancel(self, download: ModelDownload) -> None:
        """Stop a download, and delete what has come."""
        self._list.cancel(download.key)

    def choose_smaller(self, download: ModelDownload) -> None:
        """Take the smallest tier in the place of one that has no room."""
        smaller = smaller_than(download)
        if smaller is not None:
            by_ollama = not any(tier.file == download.key for tier in model_tiers())
            self.cancel(download)
            self.download(smaller, by_ollama=by_ollama)

    def _note(self) -> None:
        with suppress(RuntimeError):  # the window went meanwhile
            self._noted.emit()

    def _follow(self) -> None:
        for entry in self._list.entries():
            if entry.phase is DownloadPhase.DONE:
                self._list.forget(entry.key)
                self._begun.pop(entry.key, None)
                if (settings := self._adopted.pop(entry.key, None)) is not None:
                    self.arrived.emit(settings)
        self.changed.emit()

    def _adopt(self, key: str, path: str) -> None:
        """Use a model that has come. In another thread: settings are read and written whole, and waited for."""
        if self._begun.get(key) == self._named():
            values: Mapping[str, str] = {"llm.api": LlmApi.OLLAMA, "llm.model": key}
            if path:
                values = {"llm.api": LlmApi.EMBEDDED, "llm.gguf": path}
            self._adopted[key] = self._source.write_all(values)

    def _named(self) -> tuple[str, ...]:
        """Return what the settings name as the model now."""
        try:
            llm = self._source.load().llm
        except AskanceError:
            llm = LlmSettings()
        return llm.api, llm.url, llm.model, llm.gguf


def smaller_than(download: ModelDownload) -> ModelTier | None:
    """Return a tier that has room where this download has none."""
    small = model_tiers()[0]
    is_smaller = small.bytes < download.free_bytes and small.bytes < download.total_bytes
    return small if is_smaller and download.key not in {small.file, small.ollama} else None


_NAME_WIDTH, _BUTTON_WIDTH = 92, 96
SIGN = 16
_SIGNS = {
    DownloadPhase.PAUSED: ("pause", "ink_2"),
    DownloadPhase.OFFLINE: ("offline", "amber"),
    DownloadPhase.BUSY: ("offline", "amber"),
    DownloadPhase.DISK_FULL: ("disk", "amber"),
    DownloadPhase.DAMAGED: ("attention", "amber"),
    DownloadPhase.FAILED: ("attention", "amber"),
}


def sign_row(look: Look, *parts: QWidget | QLayout) -> Box:
    """Return a row of a sign, a name, words that take all the room, and buttons, in line with other such rows."""
    row = row_of(look, *parts, gap=theme.SPACE_M, margins=(0, 7, 0, 8))
    row.setStretch(2, 1)
    for part in (*parts[:2], *parts[3:]):
        row.setAlignment(part, Qt.AlignmentFlag.AlignVCenter)
    if isinstance(parts[1], QWidget):
        style(parts[1], look, width=_NAME_WIDTH)
    return row


class DownloadRow(Composite):
    """One download: how it stands, how far it is, and a button for what can be done."""

    def __init__(self, look: Look, downloads: DownloadList, download: ModelDownload) -> None:
        super().__init__(look)
        self._downloads, self.download = downloads, download
        self._smaller: ModelTier | None = None
        self.sign = IconLabel(look, SIGN, "download", "accent", self)
        self.title = StyledLabel(look, TextStyle.LABEL, "", self)
        self.name = StyledLabel(look, TextStyle.BODY, "", self, wraps=False)
        self.state = StyledLabel(look, TextStyle.LEAD, "", self)
        self.line = ProgressLine(look, self)
        self.button = Button(look, parent=self, then=self._press)
        style(self.button, look, min_width=_BUTTON_WIDTH)
        self.stop = Button(look, tr("Cancel"), self, lambda: downloads.cancel(self.download))
        words = row_of(look, self.name, self.state, gap=theme.SPACE_S, wide=self.state)
        middle = column_of(look, None, words, self.line, None, gap=6)
        parts = (self.sign, self.title, middle, self.button, self.stop)
        self.setLayout(sign_row(look, *parts))

    def _restyle(self) -> None:
        # The pause sign has the ink of the look.
        self.show_download(self.download)

    def show_download(self, download: ModelDownload) -> None:
        """Show how it stands now; a change of its kind is announced."""
        before, self.download = self.download, download
        smaller = smaller_than(download) if download.phase is DownloadPhase.DISK_FULL else None
        self._smaller = smaller
        self.sign.set_icon(*_SIGNS.get(download.phase, ("download", "accent")))
        self.title.show_text(download_title(download))
        self.name.show_text(download.name)
        self.state.show_text(download_text(download, smaller))
        # What is wrong is one sentence alone.
        is_moving = download.phase not in _SIGNS or download.phase is DownloadPhase.PAUSED
        self.name.setVisible(is_moving)
        self.line.setVisible(is_moving)
        self.line.set_fraction(download.fraction)
        text = button_of(download.phase)
        if smaller is not None:
            text = tr("Choose {tier}", tier=tier_name(smaller))
        self.button.setText(text)
        is_pausing = is_moving and download.is_active
        ink = self.look.colours.ink
        self.button.setIcon(icon("pause", ink, self.look.px(14)) if is_pausing else QIcon())
        self.button.setAccessibleName(f"{download.name}: {text}")
        self.stop.setAccessibleName(f"{download.name}: {self.stop.text()}")
        if before.phase is not download.phase:
            announce(self, f"{download.name}: {self.state.text()}")

    def _press(self) -> None:
        if self._smaller is not None:
            self._downloads.choose_smaller(self.download)
        else:
            self._downloads.press(self.download)


def show_rows(
    look: Look, downloads: DownloadList, rows: dict[str, DownloadRow], column: Box
) -> None:
    """Have a column show a row for each download, by their keys, and none for those that are gone."""
    entries = downloads.entries
    for key in rows.keys() - {entry.key for entry in entries}:
        column.drop(rows.pop(key))
    for entry in entries:
        if entry.key not in rows:
            rows[entry.key] = DownloadRow(look, downloads, entry)
            column.put(rows[entry.key])
        rows[entry.key].show_download(entry)
