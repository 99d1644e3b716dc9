"""The icon in the panel: what Askance is doing, and a menu to reach it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from enum import Enum

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QMenu, QSystemTrayIcon

from askance.presentation.words import tr
from askance.ui.design.theme import Look
from askance.ui.shell.tray_icons import WORKING, Picture, tray_icon

FRAME_MS = 160
# Some desktops take what a notification says for markup, others show an escape as it stands.
_PLAIN = str.maketrans({"<": "\u2039", ">": "\u203a", "&": "\uff06"})

# macOS opens the menu at a click, and colours the icon itself.
_ON_MAC = sys.platform == "darwin"


def plain(text: str) -> str:
    """Return a text that looks the same to desktops that read markup and to those that do not."""
    return text.translate(_PLAIN)


class TrayState(Enum):
    """What the icon says."""

    IDLE = "idle"
    WORKING = "working"
    ATTENTION = "attention"


class Tray(QObject):
    """The icon and its menu. It decides nothing; its signals say what was chosen."""

    toggle_requested = Signal()
    """A click on the icon."""
    show_requested = Signal()
    new_requested = Signal()
    history_requested = Signal()
    settings_requested = Signal()
    quit_requested = Signal()

    def __init__(
        self,
        look: Look,
        parent: QObject | None = None,
        *,
        is_available: Callable[[], bool] = QSystemTrayIcon.isSystemTrayAvailable,
    ) -> None:
        super().__init__(parent)
        self._look = look
        self._is_available = is_available
        self.state, self._said = TrayState.IDLE, ""
        self._frame = 0
        self._menu = QMenu()
        self._menu.setAccessibleName("Askance")
        self._icon = QSystemTrayIcon(self)
        self._icon.setContextMenu(self._menu)
        self._icon.activated.connect(self._activate)
        self._icon.messageClicked.connect(self.show_requested)
        self._frames = QTimer(self)
        self._frames.setInterval(FRAME_MS)
        self._frames.timeout.connect(self._next_frame)
        self._fill_menu()
        self._draw()

    def show(self) -> None:
        """Put the icon into the panel, where there is one."""
        self._icon.show()

    def hide(self) -> None:
        """Take the icon away, as when the program ends."""
        self._frames.stop()
        self._icon.hide()

    @property
    def is_reachable(self) -> bool:
        """Whether the user can see the icon. Where not, a normal window must stay reachable."""
        return self._icon.isVisible() and self._is_available()

    def set_state(self, state: TrayState, said: str = "") -> None:
        """Let the icon say something else. `said` is what needs attention, in words."""
        if (state, said) == (self.state, self._said):
            return
        self.state, self._said = state, said
        self._frame = 0
        self._run_frames()
        self._draw()

    def notify(self, title: str, text: str) -> bool:
        """Let the desktop tell something; a click on it shows the window.

        Returns False where it cannot: without an icon that the user can see, nothing is told.
        """
        if not (self.is_reachable and self._icon.supportsMessages()):
            return False
        self._icon.showMessage(title, plain(text), self._icon.icon())
        return True

    def set_look(self, look: Look) -> None:
        """Follow another look: whether the pupil may move."""
        self._look = look
        self._frame = 0
        self._run_frames()
        self._draw()

    def _run_frames(self) -> None:
        if self.state is TrayState.WORKING and self._look.moves:
            self._frames.start()
        else:
            self._frames.stop()

    def _next_frame(self) -> None:
        self._frame = (self._frame + 1) % len(WORKING)
        self._draw()

    def _draw(self) -> None:
        self._icon.setIcon(tray_icon(self._picture(), as_mask=_ON_MAC))
        self._icon.setToolTip(self._words())

    def _picture(self) -> Picture:
        match self.state:
            case TrayState.IDLE:
                return Picture()
            case TrayState.ATTENTION:
                return Picture(dot=True)
            case TrayState.WORKING if self._look.moves:
                return Picture(pupil=WORKING[self._frame])
            case TrayState.WORKING:
                # Nothing may move: the pupil rests at the other side.
                return Picture(pupil=min(WORKING))

    def _words(self) -> str:
        match self.state:
            case TrayState.IDLE:
                return "Askance"
            case TrayState.WORKING:
                return tr("Askance is searching")
            case TrayState.ATTENTION:
                return self._said or tr("Askance needs your attention")

    def _fill_menu(self) -> None:
        for text, requested in (
            (tr("Show Askance"), self.show_requested),
            (tr("New conversation"), self.new_requested),
            (tr("History"), self.history_requested),
            (tr("Settings"), self.settings_requested),
        ):
            self._menu.addAction(text).triggered.connect(requested)
        self._menu.addSeparator()
        self._menu.addAction(tr("Quit")).triggered.connect(self.quit_requested)

    def _activate(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        clicks = (
            QSystemTrayIcon.ActivationReason.Trigger,
            QSystemTrayIcon.ActivationReason.MiddleClick,
        )
        if reason in clicks and not _ON_MAC:
            self.toggle_requested.emit()
