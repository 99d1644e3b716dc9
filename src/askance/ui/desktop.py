"""The windows of one running program, and what keeps them together."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from PySide6.QtCore import QObject, QPoint, QRect, Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QApplication

from askance.adapters.hotkey.choosing import choose_hotkey
from askance.adapters.program import own_command
from askance.config.folders import Folders
from askance.config.settings import Settings, Theme
from askance.domain.errors import AskanceError
from askance.telling.words import tr
from askance.ui import lights
from askance.ui.autostart import choose_autostart
from askance.ui.bridge import Bridge
from askance.ui.calls import Calls, open_chores
from askance.ui.collecting import Collecting
from askance.ui.desktop_entry import APP_ID
from askance.ui.first_run import FirstRun
from askance.ui.history_window import HistoryWindow
from askance.ui.kept import KeptConversations
from askance.ui.look.theme import Look, apply_look, system_look
from askance.ui.look.tokens import DARK, LIGHT
from askance.ui.opening import real_parts, sample_parts
from askance.ui.overlay import Overlay
from askance.ui.session import Session
from askance.ui.settings.source import SettingsSource
from askance.ui.settings.surroundings import Surroundings
from askance.ui.settings.window import SettingsWindow
from askance.ui.summons import Summons
from askance.ui.tray import Tray, TrayState
from askance.ui.widgets.frame import centred_in_upper_third

SAMPLE_QUESTION = "/search Which village is higher above the sea, Skarne or Kelhaven?"
_PAGES = {lights.MODEL: "Model", lights.SERVICES: "Services"}


class Desktop(QObject):
    """Owns the overlay, the tray, the hotkey and the windows beside them.

    `open_address` opens a page in the user's browser.
    """

    troubled = Signal(str)
    """A file of ours is out of reach: one sentence. Emitted from the engine's thread."""

    def __init__(
        self,
        application: QApplication,
        environment: Mapping[str, str],
        folders: Folders,
        *,
        open_address: Callable[[str], object] = lambda url: QDesktopServices.openUrl(QUrl(url)),
    ) -> None:
        super().__init__(application)
        self._application, self._environment, self._folders = application, environment, folders
        self._open_address = open_address
        self._source = SettingsSource(folders.settings_file, environment)
        self._settings, problem = _loaded(self._source)
        self._is_sample = False
        self._collecting = Collecting(self)
        self._look = self._chosen_look()
        apply_look(application, self._look)
        self.bridge = Bridge(real_parts(self._settings, folders, self.troubled.emit), self)
        self._chores = open_chores(self)
        self._calls = Calls(self.bridge, self)
        self._around = Surroundings(self._source, folders, self.bridge, self._chores)
        self.session = Session(self.bridge, self)
        self.overlay = Overlay(self._look, self.session)
        self._kept = KeptConversations(self.bridge, self.session, self.overlay)
        self.tray = Tray(self._look, self)
        self.summons = Summons(lambda: choose_hotkey(sys.platform, environment, APP_ID), self)
        self.settings: SettingsWindow | None = None
        self.history: HistoryWindow | None = None
        self.first_run: FirstRun | None = None
        self._connect()
        self.bridge.start()
        self.tray.show()
        self.summons.listen(self._settings.window.hotkey)
        self._light()
        if problem:
            self.overlay.complain(problem)

    @property
    def is_new(self) -> bool:
        """Whether this user has never been welcomed."""
        return not self._welcomed.exists() and not self._folders.settings_file.exists()

    def welcome(self) -> None:
        """Show the first page."""
        if self.first_run is None:
            self.first_run = page = FirstRun(self._look, self._around)
            page.sample_requested.connect(self._try_sample)
            page.dismissed.connect(self._welcomed_once)
            page.changed.connect(self._apply)
            page.hotkey_recording.connect(self._record)
        screen = QGuiApplication.primaryScreen().availableGeometry()
        self.first_run.move(
            centred_in_upper_third(QRect(QPoint(), self.first_run.sizeHint()), screen)
        )
        self.first_run.show()
        self.first_run.activateWindow()

    def obey(self, asked: str, token: str = "") -> None:
        """Do what another process asks: show the window, or toggle it."""
        self._let_come_forward(token)
        if asked == "toggle":
            self.overlay.toggle()
        else:
            self.overlay.summon()

    def _be_summoned(self, token: str) -> None:
        self.obey("toggle", token)

    def show_settings(self, page: str = "") -> None:
        """Show the settings, at a page by its English title."""
        if self.settings is None:
            self.settings = SettingsWindow(self._look, self._around)
            self.settings.changed.connect(self._apply)
            self.settings.hotkey_recording.connect(self._record)
        if page:
            self.settings.show_page(page)
        self.settings.show()
        self.settings.activateWindow()

    def show_history(self, words: str = "") -> None:
        """Show past conversations, or those that hold these words."""
        if self.history is None:
            self.history = HistoryWindow(self._look, self.bridge)
            self.history.panel.opened.connect(self._kept.open)
            self.history.panel.deleted.connect(self._kept.forget)
        self.history.summon(words)

    def quit(self) -> None:
        """Hide everything, stop everything, and end the program."""
        for window in (self.overlay, self.settings, self.history, self.first_run):
            if window is not None:
                window.hide()
        self.tray.hide()
        self.summons.close()
        self.bridge.close()
        self._chores.close()
        self._collecting.stop()
        self._application.quit()

    @property
    def _welcomed(self) -> Path:
        return self._folders.data / "welcomed"

    def _connect(self) -> None:
        overlay, tray, session = self.overlay, self.tray, self.session
        overlay.link_activated.connect(self._open_page)
        overlay.fix_requested.connect(self._mend)
        overlay.light_activated.connect(self._press_light)
        session.wanted.connect(self._do)
        session.began.connect(self._show_work)
        session.changed.connect(self._show_work)
        session.cleared.connect(self._leave_sample)
        self.troubled.connect(overlay.complain, Qt.ConnectionType.QueuedConnection)
        self.summons.summoned.connect(self._be_summoned)
        self.summons.failed.connect(self._tell_of_hotkey)
        tray.toggle_requested.connect(overlay.toggle)
        tray.show_requested.connect(overlay.summon)
        tray.new_requested.connect(session.begin_anew)
        tray.new_requested.connect(overlay.summon)
        tray.history_requested.connect(self.show_history)
        tray.settings_requested.connect(self.show_settings)
        tray.quit_requested.connect(self.quit)
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._follow_system)

    # The look and the settings

    def _chosen_look(self) -> Look:
        chosen = self._settings.window
        look = system_look(chosen.text_size, moves=chosen.motion)
        match chosen.theme:
            case Theme.LIGHT:
                return Look(LIGHT, look.scale, look.moves)
            case Theme.DARK:
                return Look(DARK, look.scale, look.moves)
            case Theme.SYSTEM:
                return look

    def _follow_system(self) -> None:
        self._set_look(self._chosen_look())

    def _set_look(self, look: Look) -> None:
        if look == self._look:
            return
        self._look = look
        apply_look(self._application, look)
        for part in (self.overlay, self.tray, self.settings, self.history, self.first_run):
            if part is not None:
                part.set_look(look)

    def _apply(self, settings: Settings) -> None:
        """Let changed settings count at once."""
        before, self._settings = self._settings, settings
        self._set_look(self._chosen_look())
        if settings.window.hotkey != before.window.hotkey:
            self.summons.listen(settings.window.hotkey)
        if settings.window.autostart != before.window.autostart:
            self._set_autostart(settings.window.autostart)
        if not self._is_sample:
            self.bridge.reopen(real_parts(settings, self._folders, self.troubled.emit))
        self._light()

    def _set_autostart(self, wanted: bool) -> None:
        command = [*own_command(self._environment), "--hidden"]
        autostart = choose_autostart(sys.platform, self._environment, Path.home(), command)
        try:
            if wanted:
                autostart.turn_on()
            else:
                autostart.turn_off()
        except AskanceError as exc:
            self.overlay.complain(str(exc))

    def _record(self, is_recording: bool) -> None:
        """Keep the hotkey in force quiet while another one is pressed for the settings."""
        self.summons.listen("" if is_recording else self._settings.window.hotkey)

    def _tell_of_hotkey(self, problem: str, fix: str) -> None:
        said = f"{problem} {fix}".strip()
        for window in (self.settings, self.first_run):
            if window is not None:
                window.say_of_hotkey(said)

    # What is asked for

    def _do(self, command: str, text: str) -> None:
        match command:
            case "settings":
                self.show_settings()
            case "model":
                self.show_settings("Model")
            case "history":
                self.show_history(text)
            case "export":
                self._kept.export()
            case "help":
                self.overlay.ask_bar.field.set_text("/", 1)
            case _:
                self.overlay.complain(tr("There is no /{name} yet.", name=command))

    def _mend(self, command: str) -> None:
        """Show where what a command of the terminal does is done in the window."""
        self.show_settings("Services" if command == "askance up" else "Model")

    def _press_light(self, light: str) -> None:
        self.show_settings(_PAGES[light])

    def _open_page(self, url: str) -> None:
        if url.startswith(("http://", "https://")):
            self._open_address(url)

    def _let_come_forward(self, token: str) -> None:
        """Hand the desktop the token with which Wayland lets a window come to the front."""
        if token:
            import os  # noqa: PLC0415 - Qt reads it from the process's environment only

            os.environ["XDG_ACTIVATION_TOKEN"] = token

    # The sample web

    def _try_sample(self) -> None:
        self._welcomed_once()
        self.session.begin_anew()
        self._is_sample = True
        self.bridge.reopen(sample_parts(self._settings, self._folders, self.troubled.emit))
        self.overlay.summon()
        self.session.submit(SAMPLE_QUESTION)

    def _leave_sample(self) -> None:
        if self._is_sample:
            self._is_sample = False
            self.bridge.reopen(real_parts(self._settings, self._folders, self.troubled.emit))
            self._light()

    def _welcomed_once(self) -> None:
        if self.first_run is not None:
            self.first_run.hide()
        with suppress(OSError):  # then it is shown once more
            self._welcomed.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._welcomed.touch()
        self.overlay.summon()

    # What is seen of it

    def _light(self) -> None:
        def lit(found: object) -> None:
            if isinstance(found, tuple):
                self.overlay.set_lights(found)  # pyright: ignore[reportUnknownArgumentType]

        self._calls.ask("lights", lights.look_at_lights, lit)

    def _show_work(self) -> None:
        working = self.session.is_running
        self.tray.set_state(TrayState.WORKING if working else TrayState.IDLE)


def _loaded(source: SettingsSource) -> tuple[Settings, str]:
    """Return the settings, or the defaults and why it is them."""
    try:
        return source.load(), ""
    except AskanceError as exc:
        return Settings(), str(exc)
