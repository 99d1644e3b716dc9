"""The windows of one running program, the overlay and those beside it, and what keeps them together."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QRect, Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QApplication
from shiboken6 import isValid

from askance.app.commands import WindowCommand
from askance.config.choices import AskMode
from askance.config.folders import Folders
from askance.config.private_files import create_file, make_folder
from askance.config.settings import Bar, Settings
from askance.config.sources import environment_proxy
from askance.domain.conversation import SEARCH, ParsedCommand
from askance.domain.errors import AskanceError, SettingsError
from askance.domain.messages import FixKind, Message
from askance.presentation.answers import is_local_file
from askance.presentation.i18n import tr, translated
from askance.system.desktop_entry import APP_ID
from askance.system.desktops import has_browser, window_rule
from askance.system.hotkey import choose_hotkey
from askance.system.qt_environment import misses_changes
from askance.ui.bridge import (
    COMPARISON,
    Bridge,
    OnProgress,
    PendingCalls,
    open_chores,
    real_parts,
    sample_parts,
    sample_question,
)
from askance.ui.design.drawing import program_icon
from askance.ui.design.frame import bring_up, centred_in_upper_third
from askance.ui.design.theme import Look, apply_look, chosen_look
from askance.ui.overlay.bar import status
from askance.ui.overlay.bar.status import MessageAction, StatusIndicator
from askance.ui.overlay.conversation.exchange import ExchangeView
from askance.ui.overlay.conversation.session import Session
from askance.ui.overlay.overlay import Overlay, Prewarmer
from askance.ui.overlay.stored import (
    DraftFile,
    LibraryController,
    StoredConversations,
    StoredDrafts,
)
from askance.ui.settings.source import SettingsSource
from askance.ui.shell.activation import BusActivation, HotkeyListener
from askance.ui.shell.catalogues import use_language
from askance.ui.shell.tray import Notifications, Tray, UnreadAnswers
from askance.ui.shell.upkeep import GarbageCollector, Notices, Upkeep, offer_report

if TYPE_CHECKING:
    from askance.app.checks.installation_check import OpenUpdates, UpdateChecker
    from askance.ui.history_window import HistoryWindow
    from askance.ui.settings.first_run import FirstRun
    from askance.ui.settings.settings_jobs import SettingsContext
    from askance.ui.settings.window import SettingsWindow

# Once the window is gone that was closed.
_QUEUED = Qt.ConnectionType.QueuedConnection
_SCHEMES = {"light": Qt.ColorScheme.Light, "dark": Qt.ColorScheme.Dark}


class Windows:
    """Owns the settings, the history and the first page; None until they are wanted.

    Each is built when it is first shown, and hidden after that.
    """

    def __init__(self, desktop: Desktop) -> None:
        self._desktop = desktop
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
        for window in self:
            window.set_look(look)

    def hide(self) -> None:
        """Hide all of them."""
        for window in self:
            window.hide()

    def show_settings(self, page: str = "") -> SettingsWindow:
        """Show the settings, at a page by its English title."""
        desktop = self._desktop
        if self.settings is None:
            from askance.ui.settings.window import SettingsWindow  # noqa: PLC0415

            self.settings = SettingsWindow(desktop.look, desktop.context)
            self.settings.changed.connect(desktop.apply)
            self.settings.file_requested.connect(desktop.open_settings_file)
            self.settings.hotkey_recording.connect(desktop.record)
            self.settings.closed.connect(desktop.come_back, _QUEUED)
            self.settings.show_hotkey(*self.hotkey)
        if page:
            self.settings.show_page(page)
        # Only now, so that it comes up with that page.
        bring_up(self.settings)
        desktop.make_way()
        return self.settings

    def show_history(self, words: str = "") -> HistoryWindow:
        """Show past conversations, or those that hold these words."""
        desktop = self._desktop
        if self.history is None:
            from askance.ui.history_window import HistoryWindow  # noqa: PLC0415

            self.history = HistoryWindow(desktop.look, desktop.bridge)
            self.history.panel.opened.connect(desktop.conversations.open)
            self.history.panel.deleted.connect(desktop.conversations.forget)
            self.history.panel.deleted.connect(desktop.drafts.forget)
            self.history.panel.dismissed.connect(desktop.come_back, _QUEUED)
        self.history.summon(words)
        desktop.make_way()
        return self.history

    def welcome(self) -> FirstRun:
        """Show the first page."""
        desktop = self._desktop
        if self.first_run is None:
            from askance.ui.settings.first_run import FirstRun  # noqa: PLC0415

            page = FirstRun(desktop.look, desktop.context, desktop.open_in_browser)
            self.first_run = page
            page.sample_requested.connect(desktop.try_sample)
            page.dismissed.connect(desktop.welcomed_once)
            page.changed.connect(desktop.apply)
            page.hotkey_recording.connect(desktop.record)
        screen = QGuiApplication.primaryScreen().availableGeometry()
        height = self.first_run.sizeHint().height()
        margins = self.first_run.shadow_margins
        paper = QRect(0, 0, self.first_run.width(), height).marginsRemoved(margins)
        self.first_run.move(centred_in_upper_third(paper, screen) - paper.topLeft())
        bring_up(self.first_run)
        desktop.make_way()
        self.first_run.show_hotkey(*self.hotkey)
        return self.first_run

    def show_hotkey(self, problem: str = "", note: str = "") -> None:
        """Say what became of the hotkey where one can be chosen, now and when it is shown first: why it
        is not heard, or what the desktop says of it."""
        self.hotkey = (problem, note)
        for window in (self.settings, self.first_run):
            if window is not None:
                window.show_hotkey(problem, note)


class Desktop(QObject):
    """Owns the overlay, the tray, the hotkey and the windows beside them.

    `open_address` opens a page or a file in the user's program for it, and returns whether it could.
    `open_updates` returns what asks for new versions; without it that is the project's own list.
    """

    troubled = Signal(object)
    """A file of ours is out of reach: one sentence. Emitted from the engine's thread."""

    def __init__(
        self,
        application: QApplication,
        environment: Mapping[str, str],
        folders: Folders,
        *,
        open_address: Callable[[str], bool] | None = None,
        open_updates: OpenUpdates | None = None,
    ) -> None:
        super().__init__(application)
        self._application, self._environment, self._folders = application, environment, folders
        self._open_address = open_address or partial(_open_address, environment)
        self._open_updates = open_updates or _open_updates
        self._source = SettingsSource(folders.settings_file, environment)
        self._settings, self._wrong = self._source.load_what_is_right()
        use_language(application, self._settings.window.language)
        self._is_sample = self._is_quitting = False
        self.is_unasked = False
        """Whether it was started without a window, and nobody has asked for that yet: the bus starts it so."""
        # The overlay made way for a window of ours, and comes back when that is closed.
        self._has_made_way = False
        self._collecting = GarbageCollector(self)
        self.look = chosen_look(self._settings.window)
        apply_look(application, self.look)
        application.setWindowIcon(program_icon())
        self.bridge = Bridge(real_parts(self._settings, folders, self.troubled.emit), self)
        self._chores = open_chores(self)
        self._calls = PendingCalls(self.bridge, self)
        self.session = Session(self.bridge, self)
        self.overlay = Overlay(self.look, self.session)
        self.conversations = StoredConversations(self.bridge, self.session, self.overlay)
        self._finding = LibraryController(self.bridge, self.overlay, self._open_address)
        self.tray = Tray(self.look, self)
        self._unread = UnreadAnswers(self.session, self.overlay, self.tray)
        self._notifications = Notifications(environment, self.tray, self._chores)
        self._activation = BusActivation(environment, self._chores, self)
        self._upkeep = Upkeep(
            environment,
            folders,
            lambda: self._settings,
            self._chores,
            self,
            self._open_updates,
        )
        Prewarmer(self.bridge, self.session, self.overlay)
        self.drafts = StoredDrafts(DraftFile(folders.drafts), self.session, self.overlay)
        self.hotkey_listener = HotkeyListener(
            lambda: choose_hotkey(sys.platform, environment, APP_ID), self._chores, self
        )
        self.windows = Windows(self)
        self._notices = Notices(
            folders.data / "notices", self.overlay, QGuiApplication.clipboard().setText
        )
        self._connect()
        self._take_care()
        # Before the engine: what that imports takes turns with this thread from then on.
        self.tray.show()
        self.bridge.start()
        self.drafts.read()
        self.hotkey_listener.listen(self._settings.window.hotkey)
        self._activation.listen()
        _follow_color_scheme(environment, PendingCalls(self._chores, self))
        self._upkeep.repair()
        self._upkeep.look_for_updates()
        self._light()
        self._report_file()
        offer_report(self.overlay, folders, self._open_address)

    @property
    def is_new(self) -> bool:
        """Whether this user has never been welcomed."""
        return not self._welcomed.exists() and not self._folders.settings_file.exists()

    def obey(self, asked: str, token: str = "") -> None:
        """Do what another process asks: show the window, or toggle it."""
        self.is_unasked = False
        self._let_come_forward(token)
        # Somebody may have edited the file meanwhile, and now looks whether it counts.
        if self._wrong:
            self._read_again()
        if asked == "toggle":
            self.overlay.toggle()
        else:
            self.overlay.summon()

    def activate(self, action: str, token: str = "") -> None:
        """Do what the desktop asks over the bus; whoever is new is welcomed."""
        if self.is_unasked and not self.is_new:
            # Where there is no tray it is up already, and must not go at once.
            self.obey("show", token)
        elif action == "toggle" or not self.is_new:
            self.obey(action or "show", token)
        else:
            self._let_come_forward(token)
            self.windows.welcome()

    def quit(self) -> None:
        """Hide everything, stop everything, and end the program. The second time does nothing."""
        if self._is_quitting:
            return
        # Windows that hide would bring the overlay back (`come_back`).
        self._is_quitting = True
        self.overlay.hide()
        self.windows.hide()
        self.tray.hide()
        self.close()
        # Last, for then Python may collect in any thread again, and there is no other.
        self._collecting.stop()
        self._application.quit()

    def close(self) -> None:
        """Store the drafts, give the hotkey back and stop all threads; touches no window."""
        self.drafts.close()
        self.bridge.close()
        self._chores.close()

    @cached_property
    def context(self) -> SettingsContext:
        """What windows of settings work with; it is made for the first of them."""
        from askance.ui.settings.settings_jobs import SettingsContext  # noqa: PLC0415

        parts = (self._source, self._folders, self.bridge, self._chores)
        return SettingsContext(*parts, open_updates=self._open_updates)

    @property
    def _welcomed(self) -> Path:
        return self._folders.data / "welcomed"

    def _connect(self) -> None:
        overlay, tray, session = self.overlay, self.tray, self.session
        windows = self.windows
        overlay.link_activated.connect(self._open_page)
        overlay.fix_requested.connect(self._apply_fix)
        overlay.bottom_bar.activated.connect(self.windows.show_settings)
        overlay.mode_chosen.connect(self._remember_mode)
        overlay.summoned.connect(self._light)
        overlay.summoned.connect(self._put_first_page_away)
        overlay.summoned.connect(self._upkeep.look_for_updates)
        self._activation.asked.connect(self.activate)
        self._upkeep.autostart_changed.connect(self._note_autostart)
        self._upkeep.failed.connect(overlay.complain)
        self._upkeep.update_found.connect(self._show_update)
        overlay.ask_bar.add_requested.connect(self._add_to_library)
        self._finding.page_wanted.connect(self._open_page)
        self._finding.filling_wanted.connect(partial(windows.show_settings, "Library"))
        self._finding.search_wanted.connect(self._search_web)
        session.wanted.connect(self._do)
        self._unread.unseen.connect(self._notify_end)
        self._unread.seen.connect(self._notifications.withdraw)
        self._notifications.pressed.connect(partial(self.obey, "show"))
        session.changed.connect(self._look_again)
        session.cleared.connect(self._leave_sample)
        # Queued: it comes from the engine's thread.
        self.troubled.connect(overlay.complain, Qt.ConnectionType.QueuedConnection)
        self.hotkey_listener.summoned.connect(partial(self.obey, "toggle"))
        self.hotkey_listener.failed.connect(self._report_hotkey)
        self.hotkey_listener.ready.connect(self._show_hotkey)
        tray.toggle_requested.connect(overlay.toggle)
        tray.show_requested.connect(overlay.summon)
        tray.new_requested.connect(session.begin_anew)
        tray.new_requested.connect(overlay.summon)
        tray.history_requested.connect(windows.show_history)
        tray.settings_requested.connect(windows.show_settings)
        tray.quit_requested.connect(self.quit)
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._follow_system)
        self._application.applicationStateChanged.connect(self._offer_rule)

    def _follow_system(self) -> None:
        self._set_look(chosen_look(self._settings.window))

    def _set_look(self, look: Look) -> None:
        if look == self.look:
            return
        self.look = look
        apply_look(self._application, look)
        for part in (self.overlay, self.tray, self.windows):
            part.set_look(look)

    def apply(self, settings: Settings) -> None:
        """Let changed settings count at once."""
        # First, since parts that are told of the change below ask for the settings again.
        before, self._settings = self._settings, settings
        self._set_look(chosen_look(self._settings.window))
        if settings.window.hotkey != before.window.hotkey:
            self.hotkey_listener.listen(settings.window.hotkey)
        if settings.window.autostart != before.window.autostart:
            self._upkeep.set_autostart(wanted=settings.window.autostart)
        if settings.updates.weekly and not before.updates.weekly:
            self._upkeep.look_for_updates()
        self._take_care()
        if _for_the_parts(settings) != _for_the_parts(before):
            opened = sample_parts if self._is_sample else real_parts
            self.bridge.reopen(opened(settings, self._folders, self.troubled.emit))
        self._light()

    def _read_again(self) -> None:
        """Look whether the settings that were not understood were fixed meanwhile."""
        settings, wrong = self._source.load_what_is_right()
        is_new = wrong != self._wrong
        if is_new:
            self.overlay.take_back(self._wrong)
        self._wrong = wrong
        if settings != self._settings:
            self.apply(settings)
        if is_new:
            self._report_file()

    def _report_file(self) -> None:
        if self._wrong:
            step = MessageAction(tr("Show settings"), self.windows.show_settings)
            self.overlay.complain(self._wrong, step)

    def open_settings_file(self) -> None:
        """Open the settings file in the user's editor, or say where it is."""
        file = self._source.file
        if not self._open_address(QUrl.fromLocalFile(str(file)).toString()):
            self.overlay.complain(tr("The file is {path}.", path=str(file)))

    def _take_care(self) -> None:
        """Read and store only what the settings allow."""
        self.overlay.offering.is_wanted = self._settings.window.offer_quotes
        self.overlay.set_mode(self._settings.ask.mode)
        settings = self._settings
        is_sure = not settings.is_held("history.days")
        self.drafts.set_stored(settings.history.days > 0, is_sure=is_sure)

    def _notify_end(self, title: str, question: str) -> None:
        if self._settings.window.notify:
            self._notifications.show(title, question)

    def _remember_mode(self, mode: AskMode) -> None:
        """Let the next conversation, and the next start, begin with what was put in front."""
        try:
            # Not applied: nothing but the switch follows it, and that shows it already.
            self._settings = self._source.write("ask.mode", mode)
        except SettingsError as exc:
            self.overlay.complain(exc.message)
            return
        # A page that is open would go on showing the old value.
        if self.windows.settings is not None:
            self.windows.settings.refresh()

    def _note_autostart(self, is_on: bool) -> None:
        """Take over what the desktop's own settings, or an installer, have made of autostart."""
        with suppress(SettingsError):
            self._settings = self._source.write("window.autostart", str(is_on).lower())
        if self.windows.settings is not None:
            self.windows.settings.refresh()

    def _show_update(self, version: str) -> None:
        step = MessageAction(tr("What has changed"), lambda: self.windows.show_settings("About"))
        self.overlay.complain(tr("Askance {version} is available.", version=version), step)

    def record(self, is_recording: bool) -> None:
        """Keep the hotkey in force quiet while another one is pressed for the settings."""
        self.hotkey_listener.listen("" if is_recording else self._settings.window.hotkey)

    def _report_hotkey(self, problem: Message) -> None:
        text = translated(problem)
        self.windows.show_hotkey(problem=text)
        # In those windows it stands beside the field for the hotkey.
        if not any(window.isVisible() for window in self.windows):
            self._notices.add(problem)

    def _show_hotkey(self, _written: str, note: Message) -> None:
        self.windows.show_hotkey(note=translated(note))

    def _offer_rule(self, state: Qt.ApplicationState) -> None:
        """Say how the window stays above others, once another one may lie above it."""
        if not isValid(self.overlay):  # the application outlives it
            return
        is_left = state is Qt.ApplicationState.ApplicationInactive and self.overlay.isVisible()
        # Said when it first matters, and only where the desktop has rules for windows.
        if is_left and (rule := window_rule(self._environment, APP_ID)):
            self._notices.add(rule)

    def _do(self, command: WindowCommand, text: str) -> None:
        match command:
            case WindowCommand.SETTINGS:
                self.windows.show_settings()
            case WindowCommand.MODEL:
                self.windows.show_settings("Model")
            case WindowCommand.HISTORY:
                self.windows.show_history(text)
            case WindowCommand.EXPORT:
                self.conversations.export()
            case WindowCommand.LIBRARY if text:
                self._finding.search(text)
            case WindowCommand.LIBRARY:
                self.windows.show_settings("Library")
            case WindowCommand.HELP:
                self.overlay.ask_bar.field.set_text("/", 1)

    def _search_web(self, words: str) -> None:
        self.session.take(ParsedCommand(SEARCH, words))

    def _add_to_library(self, places: tuple[str, ...]) -> None:
        """Add what was dropped, where it can be watched and cancelled."""
        self.windows.show_settings("Library").add_to_library(places)

    def _apply_fix(self, fix: str) -> None:
        """Do what a click on the button of a failure promises, where it can be watched."""
        match FixKind(fix):
            case FixKind.START_SERVICES:
                self.windows.show_settings("Services").start_services()
            case FixKind.DOWNLOAD_MODEL:
                self.windows.show_settings("Model")
            case FixKind.ALLOW_SEARCH:
                self.windows.show_settings("Search")
            case FixKind.SET_UP_SEARCH | FixKind.DIAGNOSE:
                self.windows.welcome()
            case FixKind.USE_PROXY:
                self._use_proxy()
            case _:
                raise ValueError(fix)

    def _use_proxy(self) -> None:
        """Take over the proxy that the environment names, and show where that is set."""
        _, address = environment_proxy(self._environment)
        try:
            self.apply(self._source.write("search.proxy", address))
        except SettingsError as exc:
            self.overlay.complain(exc.message)
            return
        self.windows.show_settings("Privacy").refresh()

    def _open_page(self, url: str) -> None:
        """Open a page, and step back: it is to be seen, and the overlay would lie above it."""
        if is_local_file(url):
            self._finding.open_file(url)
            return
        if not url.startswith(("http://", "https://")):
            return
        if problem := self.open_in_browser(url):
            self.overlay.complain(problem)
        else:
            self.overlay.hide()

    def open_in_browser(self, url: str) -> str:
        """Open a web page, or else copy its address and return what is to be said of that."""
        if self._open_address(url):
            return ""
        QGuiApplication.clipboard().setText(url)
        return tr("No browser was found. The address was copied.")

    # Which window lies above which: where the desktop has no place above all others, or has given
    # it to the overlay, another window of ours would come up behind it.

    def make_way(self) -> None:
        """Hide the overlay, for a window of ours has come up."""
        if self.overlay.isVisible():
            self._has_made_way = True
            self.overlay.hide()

    def come_back(self) -> None:
        """Show the overlay again once the last window is closed that it made way for."""
        # The windows may be gone by the time that this queued call comes.
        if self._is_quitting or not self._has_made_way:
            return
        if not any(window.isVisible() for window in self.windows):
            self.overlay.summon()

    def _put_first_page_away(self) -> None:
        self._has_made_way = False
        if self.windows.first_run is not None:
            self.windows.first_run.hide()

    def _let_come_forward(self, token: str) -> None:
        """Hand the desktop the token with which Wayland lets a window come to the front."""
        # The socket takes any text, and no variable holds a NUL.
        if token and token.isprintable():
            # Qt's plugin for Wayland takes it from there when it activates a window; there is no
            # call for it.
            os.environ["XDG_ACTIVATION_TOKEN"] = token

    def try_sample(self) -> None:
        """Leave the first page, and ask something of the sample web."""
        self.welcomed_once()
        self.session.begin_anew()
        # Only now: leaving a conversation also leaves the sample web.
        self._is_sample = True
        self.bridge.reopen(sample_parts(self._settings, self._folders, self.troubled.emit))
        self.overlay.summon()
        self._calls.ask("sample", sample_question, self._ask_sample)

    def _ask_sample(self, question: str | AskanceError) -> None:
        if self._is_sample:  # else it was left meanwhile
            self.session.submit(COMPARISON if isinstance(question, AskanceError) else question)

    def _leave_sample(self) -> None:
        if self._is_sample:
            self._is_sample = False
            self.bridge.reopen(real_parts(self._settings, self._folders, self.troubled.emit))
            self._light()

    def welcomed_once(self) -> None:
        """Note that the first page was seen, and show the overlay."""
        with suppress(OSError):  # then it is shown once more
            make_folder(self._welcomed.parent)
            os.close(create_file(self._welcomed))
        self.overlay.summon()

    def _light(self) -> None:
        def lit(found: tuple[StatusIndicator, ...] | AskanceError) -> None:
            if isinstance(found, AskanceError):
                return
            shown = status.on_sample(found) if self._is_sample else found
            self.overlay.set_lights(shown)
            self.overlay.ask_bar.switch.set_search_missing(status.why_no_search(shown))

        self._calls.ask("lights", status.look_at_lights, lit)

    def _look_again(self, _index: int, view: ExchangeView) -> None:
        """Whoever has just used the services knows whether they are gone, or back."""
        if view.ended:
            self._light()


def _open_updates(settings: Settings, folders: Folders) -> UpdateChecker:
    from askance.app.checks.installation_check import open_updates  # noqa: PLC0415 - once it is needed

    return open_updates(settings, folders)


def _follow_color_scheme(environment: Mapping[str, str], calls: PendingCalls) -> None:
    """Follow the settings portal on the desktops whose changes Qt does not find out itself."""
    if sys.platform != "linux" or not misses_changes(environment):
        return

    async def follow(_parts: object, on_change: OnProgress) -> None:
        from askance.system.session_bus import follow_color_scheme  # noqa: PLC0415 - Linux only

        await follow_color_scheme(environment, on_change)

    calls.follow("color scheme", follow, _set_color_scheme, lambda _end: None)


def _set_color_scheme(name: str) -> None:
    hints = QGuiApplication.styleHints()
    if name in _SCHEMES:
        hints.setColorScheme(_SCHEMES[name])
    else:
        hints.unsetColorScheme()


def _open_address(environment: Mapping[str, str], url: str) -> bool:
    """Open a page or a file. Where there is no browser for a page, Qt would say that it did."""
    if url.startswith(("http://", "https://")) and not has_browser(environment):
        return False
    return QDesktopServices.openUrl(QUrl(url))


def _for_the_parts(settings: Settings) -> tuple[dict[str, Any], frozenset[Bar]]:
    """What is set of what the parts know of, and what is barred. A default that is set counts: it
    wins over what was measured."""
    return settings.model_dump(
        exclude_unset=True, exclude={"window", "ask", "updates"}
    ), settings.bars
