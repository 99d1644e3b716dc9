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
from askance.app.own_files import use_own_files
from askance.config.choices import AskMode, Consent
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
from askance.ui.bridge import (
    COMPARISON,
    Bridge,
    Opener,
    PendingCalls,
    open_chores,
    real_parts,
    sample_parts,
    sample_question,
)
from askance.ui.design.drawing import program_icon
from askance.ui.design.focus import native_keys
from askance.ui.design.frame import bring_up, centred_in_upper_third, screen_of
from askance.ui.design.theme import Look, apply_look, chosen_look
from askance.ui.overlay.bar import status
from askance.ui.overlay.bar.status import MessageAction, StatusIndicator
from askance.ui.overlay.conversation.exchange import ExchangeView
from askance.ui.overlay.conversation.session import Session
from askance.ui.overlay.header import ConversationHeader
from askance.ui.overlay.overlay import Overlay
from askance.ui.overlay.prewarming import Prewarmer
from askance.ui.overlay.stored import (
    DraftFile,
    LibraryController,
    StoredConversations,
    StoredDrafts,
)
from askance.ui.settings.source import SettingsSource, SettingsWatcher
from askance.ui.shell.activation import BusActivation, HotkeyListener
from askance.ui.shell.catalogues import use_language
from askance.ui.shell.missing_watch import MissingPartWatch
from askance.ui.shell.replacing import SelectionReplacer
from askance.ui.shell.scheme_watch import follow_color_scheme
from askance.ui.shell.tray import Notifications, Tray, UnreadAnswers
from askance.ui.shell.upkeep import GarbageCollector, Notices, Upkeep, offer_report

if TYPE_CHECKING:
    from askance.app.checks.installation_check import OpenUpdates, UpdateChecker
    from askance.ui.settings.first_run import FirstRun
    from askance.ui.settings.settings_jobs import SettingsContext
    from askance.ui.settings.window import SettingsWindow

# Once the window is gone that was closed.
_QUEUED = Qt.ConnectionType.QueuedConnection
_TEXT_STEP = 0.1


class Windows:
    """Owns the settings and the first page; None until they are wanted.

    Each is built when it is first shown, and hidden after that.
    """

    def __init__(self, desktop: Desktop) -> None:
        self._desktop = desktop
        self.settings: SettingsWindow | None = None
        self.first_run: FirstRun | None = None
        self.hotkey = ("", "")
        """Why no hotkey is heard, and what the desktop says of the one that is."""

    def __iter__(self) -> Iterator[SettingsWindow | FirstRun]:
        """Yield those that were built."""
        yield from filter(None, (self.settings, self.first_run))

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
        if not self.settings.isVisible():
            self.settings.stand_before(desktop.overlay)
        # Only now, so that it comes up with that page.
        bring_up(self.settings)
        desktop.make_way()
        return self.settings

    def welcome(self, *, choose: bool = False) -> FirstRun:
        """Show the first page; `choose` shows on it which models there are, also where one is there already."""
        desktop = self._desktop
        if self.first_run is None:
            from askance.ui.settings.first_run import FirstRun  # noqa: PLC0415

            page = FirstRun(desktop.look, desktop.context, desktop.open_in_browser)
            page.show_waiting(desktop.arrivals.questions)
            self.first_run = page
            page.sample_requested.connect(desktop.try_sample)
            page.dismissed.connect(desktop.welcomed_once)
            page.changed.connect(desktop.apply)
            page.hotkey_recording.connect(desktop.record)
            page.services_wanted.connect(lambda: self.show_settings("Services").start_services())
        screen = screen_of(desktop.overlay).availableGeometry()
        height = self.first_run.sizeHint().height()
        margins = self.first_run.shadow_margins
        paper = QRect(0, 0, self.first_run.width(), height).marginsRemoved(margins)
        self.first_run.move(centred_in_upper_third(paper, screen) - paper.topLeft())
        bring_up(self.first_run)
        desktop.make_way()
        self.first_run.show_hotkey(*self.hotkey)
        if choose:
            self.first_run.choose_model()
        return self.first_run

    def show_hotkey(self, problem: str = "", note: str = "") -> None:
        """Say what became of the hotkey where one can be chosen, now and when it is shown first: why it
        is not heard, or what the desktop says of it."""
        self.hotkey = (problem, note)
        for window in self:
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
        self._application, self.environment, self._folders = application, environment, folders
        self._open_address = open_address or partial(_open_address, environment)
        self._open_updates = open_updates or _open_updates
        self._source = SettingsSource(folders.settings_file, environment)
        self._settings, self._wrong = self._source.load_what_is_right()
        use_language(application, self._settings.window.language)
        use_own_files(folders.config)
        self._is_sample = self._is_quitting = False
        self.is_unasked = False
        """Whether it was started without a window, and nobody has asked for that yet: the bus starts it so."""
        # The overlay made way for a window of ours, and comes back when that is closed.
        self._has_made_way = False
        self._collecting = GarbageCollector(self)
        self._watcher = SettingsWatcher(folders.settings_file, self)
        self._watcher.changed.connect(self._follow_file)
        self.look = chosen_look(self._settings.window)
        apply_look(application, self.look)
        application.setWindowIcon(program_icon())
        self.bridge = Bridge(self._parts(), self)
        self._chores = open_chores(self)
        self._calls = PendingCalls(self.bridge, self)
        self.session = Session(self.bridge, self)
        self.overlay = Overlay(self.look, self.session)
        self.overlay.store_places_in(folders.places)
        self.conversations = StoredConversations(self.bridge, self.session, self.overlay)
        self._finding = LibraryController(self.bridge, self.overlay, self._open_address)
        self.tray = Tray(self.look, self)
        self._unread = UnreadAnswers(self.session, self.overlay, self.tray)
        self._notifications = Notifications(environment, self.tray, self._chores)
        self._activation = BusActivation(environment, self._chores, self)
        parts = (environment, folders, lambda: self._settings, self._chores, self)
        self._upkeep = Upkeep(*parts, self._open_updates)
        Prewarmer(self.bridge, self.session, self.overlay)
        self._replacing = SelectionReplacer(environment, self.overlay, self._chores, self)
        self.drafts = StoredDrafts(DraftFile(folders.drafts), self.session, self.overlay)
        self.header = ConversationHeader(
            self.bridge, self.session, self.overlay, self.conversations, self.drafts
        )
        self.hotkey_listener = HotkeyListener(
            lambda: choose_hotkey(sys.platform, environment, APP_ID), self._chores, self
        )
        self.windows = Windows(self)
        copy = QGuiApplication.clipboard().setText
        self._notices = Notices(folders.data / "notices", self.overlay, copy)
        self.missing_parts = MissingPartWatch(self, lambda: self._is_sample)
        self._connect()
        self._take_care()
        # Before the engine: what that imports takes turns with this thread from then on.
        self.tray.show()
        self.bridge.start()
        self.drafts.read()
        self.hotkey_listener.listen(self._settings.window.hotkey)
        self._activation.listen()
        follow_color_scheme(environment, PendingCalls(self._chores, self))
        self._upkeep.repair()
        self._upkeep.look_for_updates()
        self._light()
        self._report_file()
        if any(folders.models.glob("*.part.json")):
            _ = self.context  # which shows the download that an earlier run has left
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
        for part in (self.overlay, *self.windows, self.tray):
            part.hide()
        self.close()
        # Last, for then Python may collect in any thread again, and there is no other.
        self._collecting.stop()
        self._application.quit()

    def close(self) -> None:
        """Store the drafts, give the hotkey back and stop all threads; touches no window."""
        self.drafts.close()
        self.header.deletions.commit()
        self.bridge.close()
        self._chores.close()

    @cached_property
    def context(self) -> SettingsContext:
        """What windows of settings work with; it is made for the first of them."""
        from askance.ui.settings.settings_jobs import SettingsContext  # noqa: PLC0415
        from askance.ui.shell.model_arrivals import ModelArrivals  # noqa: PLC0415

        parts = (self._source, self._folders, self.bridge, self._chores)
        context = SettingsContext(*parts, open_updates=self._open_updates)
        self.arrivals = ModelArrivals(self, context.downloads)
        return context

    @property
    def _welcomed(self) -> Path:
        return self._folders.data / "welcomed"

    def _connect(self) -> None:
        overlay, tray, session = self.overlay, self.tray, self.session
        windows = self.windows
        overlay.link_activated.connect(self._open_page)
        overlay.fix_requested.connect(self._apply_fix)
        tools = overlay.ask_bar.tools
        tools.network_requested.connect(partial(windows.show_settings, "Privacy"))
        tools.text_size_requested.connect(self._change_text_size)
        tools.quit_requested.connect(self.quit)
        overlay.mode_chosen.connect(self._remember_mode)
        overlay.models.download_wanted.connect(partial(windows.welcome, choose=True))
        overlay.models.evaluation_wanted.connect(self._evaluate)
        overlay.model_chosen.connect(self._remember_model)
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
        self._notifications.pressed.connect(self._show_ended)
        session.began.connect(self._replacing.look)
        session.changed.connect(self._look_again)
        session.cleared.connect(self._leave_sample)
        # Queued: it comes from the engine's thread.
        self.troubled.connect(overlay.complain, Qt.ConnectionType.QueuedConnection)
        self.hotkey_listener.summoned.connect(partial(self.obey, "toggle"))
        self.hotkey_listener.failed.connect(self._report_hotkey)
        self.hotkey_listener.ready.connect(self._show_hotkey)
        tray.toggle_requested.connect(overlay.toggle_from_panel)
        tray.show_requested.connect(overlay.summon)
        tray.new_requested.connect(session.begin_anew)
        tray.new_requested.connect(overlay.summon)
        tray.history_requested.connect(self.header.show_history)
        tray.settings_requested.connect(windows.show_settings)
        tray.quit_requested.connect(self.quit)
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._follow_look)
        self._application.applicationStateChanged.connect(self._offer_rule)

    def _follow_look(self) -> None:
        """Draw as the settings, and the system where they follow it, say now."""
        self._set_look(chosen_look(self._settings.window))

    def _set_look(self, look: Look) -> None:
        if look == self.look:
            return
        self.look = look
        apply_look(self._application, look)
        for part in (self.overlay, self.tray, *self.windows):
            part.set_look(look)

    def apply(self, settings: Settings) -> None:
        """Let changed settings count at once."""
        # First, since parts that are told of the change below ask for the settings again.
        before, self._settings = self._settings, settings
        self._follow_look()
        if settings.window.hotkey != before.window.hotkey:
            self.hotkey_listener.listen(settings.window.hotkey)
        if settings.window.autostart != before.window.autostart:
            self._upkeep.set_autostart(wanted=settings.window.autostart)
        if settings.updates.weekly and not before.updates.weekly:
            self._upkeep.look_for_updates()
        self._take_care()
        if _for_the_parts(settings) != _for_the_parts(before):
            self.bridge.reopen(self._parts())
        self._light()

    def _parts(self) -> Opener:
        """Return what opens the parts of the program, or those over the sample web."""
        opened = sample_parts if self._is_sample else real_parts
        return partial(opened, self._settings, self._folders, self.troubled.emit)

    def _follow_file(self) -> None:
        """Let count, and show, what somebody else has written into the settings file."""
        if self._is_quitting or not isValid(self.overlay):  # the application outlives it
            return
        self._read_again()
        self._refresh_settings()

    def _refresh_settings(self) -> None:
        """Let a page that is open show what was changed elsewhere."""
        if self.windows.settings is not None:
            self.windows.settings.refresh()

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
        self.overlay.leaving.is_wanted = self._settings.window.hide_on_blur
        self.overlay.set_mode(self._settings.ask.mode)
        is_sure = not self._settings.is_held("history.days")
        self.drafts.set_stored(self._settings.history.days > 0, is_sure=is_sure)

    def _notify_end(self, title: str, question: str) -> None:
        if self._settings.window.notify:
            self._notifications.show(title, question)

    def _show_ended(self, token: str) -> None:
        """Show what a notification was about, which may have ended in a conversation that was left."""
        left = self._unread.left
        self.obey("show", token)
        self.session.return_to(left)

    def _remember_mode(self, mode: AskMode) -> None:
        """Let the next conversation, and the next start, begin with what was put in front."""
        # Not applied: nothing but the switch follows it, and that shows it already.
        self._write("ask.mode", mode, applies=False)

    def _write(self, name: str, text: str, *, applies: bool = True, complains: bool = True) -> bool:
        """Write a setting, let it count unless something else does that, and return whether it could be written."""
        try:
            settings = self._source.write(name, text)
        except SettingsError as exc:
            if complains:
                self.overlay.complain(exc.message)
            return False
        if applies:
            self.apply(settings)
        else:
            self._settings = settings
        self._refresh_settings()
        return True

    def _evaluate(self, model: str) -> None:
        """Find out what a model is good for."""
        _ = self.context  # with which the arrivals are made
        self.arrivals.evaluate(model)

    def _remember_model(self, name: str) -> None:
        """Let every conversation be answered by a model."""
        self._write("llm.model", name)

    def _change_text_size(self, step: int) -> None:
        """Make all text a step larger or smaller; 0 makes it as delivered."""
        size = 1.0 if not step else round(self._settings.window.text_size + step * _TEXT_STEP, 2)
        # Beyond the smallest or the largest one nothing happens.
        if self._write("window.text_size", str(size), complains=False):
            self.header.toast.show_text(tr("Text {n} %", n=round(100 * size)))

    def _note_autostart(self, is_on: bool) -> None:
        """Take over what the desktop's own settings, or an installer, have made of autostart."""
        self._write("window.autostart", str(is_on).lower(), applies=False, complains=False)

    def _show_update(self, version: str) -> None:
        step = MessageAction(tr("What has changed"), lambda: self.windows.show_settings("About"))
        self.overlay.complain(tr("Askance {version} is available.", version=version), step)

    def record(self, is_recording: bool) -> None:
        """Keep the hotkey in force quiet while another one is pressed for the settings."""
        self.hotkey_listener.listen("" if is_recording else self._settings.window.hotkey)

    def _report_hotkey(self, problem: Message) -> None:
        self.overlay.ask_bar.set_summons("")
        self.windows.show_hotkey(problem=translated(problem))
        # In those windows it stands beside the field for the hotkey.
        if not any(window.isVisible() for window in self.windows):
            self._notices.add(problem)

    def _show_hotkey(self, written: str, note: Message) -> None:
        self.overlay.ask_bar.set_summons(native_keys(written))
        self.windows.show_hotkey(note=translated(note))

    def _offer_rule(self, state: Qt.ApplicationState) -> None:
        """Say how the window stays above others, once another one may lie above it."""
        if not isValid(self.overlay):  # the application outlives it
            return
        is_left = state is Qt.ApplicationState.ApplicationInactive and self.overlay.isVisible()
        # Said when it first matters, and only where the desktop has rules for windows.
        if is_left and (rule := window_rule(self.environment, APP_ID)):
            self._notices.add(rule)

    def _do(self, command: WindowCommand, text: str) -> None:
        match command:
            case WindowCommand.SETTINGS:
                self.windows.show_settings()
            case WindowCommand.MODEL:
                self.windows.show_settings("Model")
            case WindowCommand.HISTORY:
                self.header.show_history(text)
            case WindowCommand.EXPORT:
                self.conversations.export()
            case WindowCommand.LIBRARY if text:
                self._finding.search(text)
            case WindowCommand.LIBRARY:
                self.windows.show_settings("Library")
            case WindowCommand.HELP:
                self.header.show_keys()

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

    def allow_search(self) -> None:
        """Let public engines be asked from this computer, as the row says that asks for it."""
        self._write("search.in_process", Consent.GIVEN)

    def search_library(self) -> None:
        """Search the library for what is typed, or for the last question; without any, show what it holds."""
        views = self.session.views
        words = self.overlay.ask_bar.field.text or (views[-1].asked.text if views else "")
        self._do(WindowCommand.LIBRARY, words)

    def _use_proxy(self) -> None:
        """Take over the proxy that the environment names, and show where that is set."""
        _, address = environment_proxy(self.environment)
        if self._write("search.proxy", address):
            self.windows.show_settings().reveal("search.proxy")

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
        self.bridge.reopen(self._parts())
        self.overlay.summon()
        self._calls.ask("sample", sample_question, self._ask_sample)

    def _ask_sample(self, question: str | AskanceError) -> None:
        if self._is_sample:  # else it was left meanwhile
            self.session.submit(COMPARISON if isinstance(question, AskanceError) else question)

    def _leave_sample(self) -> None:
        if self._is_sample:
            self._is_sample = False
            self.bridge.reopen(self._parts())
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


def _open_address(environment: Mapping[str, str], url: str) -> bool:
    """Open a page or a file. Where there is no browser for a page, Qt would say that it did."""
    if url.startswith(("http://", "https://")) and not has_browser(environment):
        return False
    return QDesktopServices.openUrl(QUrl(url))


def _for_the_parts(settings: Settings) -> tuple[dict[str, Any], frozenset[Bar]]:
    """What is set of what the parts know of, and what is barred. A default that is set wins over what was measured."""
    return settings.model_dump(
        exclude_unset=True, exclude={"window", "ask", "updates"}
    ), settings.bars
