"""The windows beside the overlay: each is built when it is first shown, and hidden after that. And what the overlay says
once: that the program crashed, and what a desktop cannot do.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QRect, QUrl, Signal
from PySide6.QtGui import QGuiApplication

from askance.config.diagnostics import mark_reported, new_reports
from askance.config.folders import Folders
from askance.config.private_files import make_folder, replace_file
from askance.domain.messages import Message, Remedy
from askance.presentation.i18n import tr
from askance.ui.bridge import Bridge
from askance.ui.design.frame import bring_up, centred_in_upper_third
from askance.ui.design.theme import Look
from askance.ui.overlay.bar.status import MessageAction
from askance.ui.overlay.overlay import Overlay

if TYPE_CHECKING:
    from askance.ui.history_window import HistoryWindow
    from askance.ui.settings.first_run import FirstRun
    from askance.ui.settings.settings_jobs import SettingsContext
    from askance.ui.settings.window import SettingsWindow


def offer_report(overlay: Overlay, folders: Folders, open_address: Callable[[str], bool]) -> None:
    """Offer to show the newest report that was not shown yet, if there is one.

    `open_address` opens it where text files are read, and returns whether it could; where it could
    not, its path is said.
    """
    found = new_reports(folders)
    if not found:
        return
    # First: a report that cannot be shown must not be offered at every start.
    mark_reported(folders, found)
    newest = found[-1]

    def show() -> None:
        if not open_address(QUrl.fromLocalFile(str(newest)).toString()):
            overlay.complain(tr("The report is {path}.", path=str(newest)))

    text = tr("Askance crashed. A report was saved on this computer; nothing was sent.")
    overlay.complain(text, MessageAction(tr("Show report"), show))


class Windows(QObject):
    """Owns the settings, the history and the first page; None until they are wanted.

    `context` is called when the first window needs them. `open_page` opens a web page in the
    browser, and returns why it could not, empty if it could.
    """

    changed = Signal(object)
    """The `Settings` in force after a change."""
    file_requested = Signal()
    """The settings file is to be opened in the user's editor."""
    hotkey_recording = Signal(bool)
    """Whether a combination is being pressed somewhere."""
    sample_requested = Signal()
    """Askance is to be tried on the sample web."""
    dismissed = Signal()
    """The first page was put off."""
    opened = Signal(int)
    """A conversation of the history is to be shown: its number."""
    deleted = Signal(int)
    """A conversation of the history is gone: its number, 0 for all of them."""

    shown = Signal()
    """One of them has come up: a window that lies above all others is to make way."""
    closed = Signal()
    """The user has closed the settings or the history: they go back to where they were."""

    def __init__(
        self,
        look: Look,
        bridge: Bridge,
        context: Callable[[], SettingsContext],
        open_page: Callable[[str], str],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._look, self._bridge, self._context = look, bridge, context
        self._open_page = open_page
        self.settings: SettingsWindow | None = None
        self.history: HistoryWindow | None = None
        self.first_run: FirstRun | None = None
        self.hotkey = ("", "")
        """Why no hotkey is heard, and what the desktop says of the one that is."""

    def __iter__(self) -> Iterator[SettingsWindow | HistoryWindow | FirstRun]:
        """Yield those that were built."""
        yield from filter(None, (self.settings, self.history, self.first_run))

    def set_look(self, look: Look) -> None:
        """Draw with another look from now on."""
        self._look = look
        for window in self:
            window.set_look(look)

    def hide(self) -> None:
        """Hide all of them."""
        for window in self:
            window.hide()

    def show_settings(self, page: str = "") -> SettingsWindow:
        """Show the settings, at a page by its English title."""
        if self.settings is None:
            from askance.ui.settings.window import SettingsWindow  # noqa: PLC0415

            self.settings = SettingsWindow(self._look, self._context())
            self.settings.changed.connect(self.changed)
            self.settings.file_requested.connect(self.file_requested)
            self.settings.hotkey_recording.connect(self.hotkey_recording)
            self.settings.closed.connect(self.closed)
            self.settings.show_hotkey(*self.hotkey)
        if page:
            self.settings.show_page(page)
        # Only now, so that it comes up with that page.
        bring_up(self.settings)
        self.shown.emit()
        return self.settings

    def show_history(self, words: str = "") -> None:
        """Show past conversations, or those that hold these words."""
        if self.history is None:
            from askance.ui.history_window import HistoryWindow  # noqa: PLC0415

            self.history = HistoryWindow(self._look, self._bridge)
            self.history.panel.opened.connect(self.opened)
            self.history.panel.deleted.connect(self.deleted)
            self.history.panel.dismissed.connect(self.closed)
        self.history.summon(words)
        self.shown.emit()

    def welcome(self) -> None:
        """Show the first page."""
        if self.first_run is None:
            from askance.ui.settings.first_run import FirstRun  # noqa: PLC0415

            self.first_run = page = FirstRun(self._look, self._context(), self._open_page)
            page.sample_requested.connect(self.sample_requested)
            page.dismissed.connect(self.dismissed)
            page.changed.connect(self.changed)
            page.hotkey_recording.connect(self.hotkey_recording)
        screen = QGuiApplication.primaryScreen().availableGeometry()
        height = self.first_run.sizeHint().height()
        margins = self.first_run.shadow_margins
        paper = QRect(0, 0, self.first_run.width(), height).marginsRemoved(margins)
        self.first_run.move(centred_in_upper_third(paper, screen) - paper.topLeft())
        bring_up(self.first_run)
        self.shown.emit()
        self.first_run.show_hotkey(*self.hotkey)

    def show_hotkey(self, problem: str = "", note: str = "") -> None:
        """Say what became of the hotkey where one can be chosen, now and when it is shown first: why it
        is not heard, or what the desktop says of it."""
        self.hotkey = (problem, note)
        for window in (self.settings, self.first_run):
            if window is not None:
                window.show_hotkey(problem, note)


class Notices(QObject):
    """Says each notice once, whichever start it is, one at each summons; `file` holds those that were said, a line each.

    `copy` takes what is to be copied: the command or the lines of a remedy.
    """

    def __init__(self, file: Path, overlay: Overlay, copy: Callable[[str], object]) -> None:
        super().__init__(overlay)
        self._file, self._overlay, self._copy = file, overlay, copy
        self._waiting = deque[Message]()
        overlay.summoned.connect(self._show_next)

    def add(self, notice: Message) -> None:
        """Say it now if the window is seen, else once it is; nothing if it was said before."""
        if notice in self._waiting or _line(notice) in self._shown_before():
            return
        self._waiting.append(notice)
        # Not beside something else that is said: two at once are not read.
        if self._overlay.isVisible() and not self._overlay.ask_bar.inline_message.sentence:
            self._show_next()

    def _show_next(self) -> None:
        if not self._waiting:
            return
        notice = self._waiting.popleft()
        step = None
        if isinstance(notice, Remedy) and notice.command:
            step = MessageAction(tr("Copy"), lambda text=notice.command: self._copy(text))
        self._overlay.complain(notice, step)
        with suppress(OSError):  # then it is said once more
            make_folder(self._file.parent)
            lines = [*self._shown_before(), _line(notice)]
            replace_file(self._file, "".join(f"{line}\n" for line in lines).encode())

    def _shown_before(self) -> list[str]:
        try:
            return self._file.read_text("utf-8").splitlines()
        # No file, or one that is no UTF-8: then a notice is said once more.
        except (OSError, ValueError):
            return []


def _line(notice: Message) -> str:
    """Return a notice as it is kept: in English, on one line."""
    # In English whatever the language is: another one must not bring all of them back.
    return " ".join(notice.split())
