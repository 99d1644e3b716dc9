"""The icon in the panel: what Askance is doing, a menu to reach it, and notifications."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from enum import Enum
from functools import lru_cache
from typing import Any

from PySide6.QtCore import QElapsedTimer, QObject, QPointF, Qt, Signal
from PySide6.QtGui import QColor, QIcon, QPainter, QPainterPath, QPen, QPixmap
from PySide6.QtWidgets import QApplication, QMenu, QSystemTrayIcon

from askance.domain.errors import AskanceError
from askance.presentation.i18n import term, tr
from askance.presentation.steps import shortened
from askance.system.desktop_entry import APP_ID
from askance.ui.bridge import Bridge, PendingCalls
from askance.ui.design.composing import repeating_timer
from askance.ui.design.theme import Look
from askance.ui.overlay.conversation.exchange import ExchangeView, State
from askance.ui.overlay.conversation.session import Session
from askance.ui.overlay.overlay import Overlay

# A panel is light or dark whatever the scheme of the windows is, and few desktops tell which. So the
# colours lie between: at least 3:1 on white, on black and on the usual panels (WCAG 2.2, 1.4.11).

INK = "#449684"
AMBER = "#C07C1E"

# Drawn on a grid of 16: the pixels of a panel that is not scaled.
_GRID = 16
_SIZES = (16, 22, 24, 32, 44, 48, 64)
_STROKE = 1.5
_PUPIL = 2.1
_DOT = 2.6
_GAP = 1.1
_DOT_AT = QPointF(13.2, 2.8)

RIGHT = 10.2
"""Where the pupil looks aside, as in the mark."""
WORKING = (RIGHT, 9.0, 7.0, 5.8, 7.0, 9.0)
"""Where the pupil is in each frame while Askance works; from the last one it goes to the first."""


# While a search runs the frames come round every second: each is drawn once.
@lru_cache(maxsize=32)
def tray_icon(pupil: float = RIGHT, *, dot: bool = False, as_mask: bool) -> QIcon:
    """Return the icon at all sizes of panels. As a mask, the panel itself chooses the colour."""
    icon = QIcon()
    for size in _SIZES:
        icon.addPixmap(draw(size, pupil, dot=dot, as_mask=as_mask))
    icon.setIsMask(as_mask)
    return icon


def draw(size: int, pupil: float = RIGHT, *, dot: bool = False, as_mask: bool = False) -> QPixmap:
    """Return the picture, `size` pixels wide and high: where the pupil is, and whether there is a dot."""
    pixmap = QPixmap(size, size)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.scale(size / _GRID, size / _GRID)
    ink = QColor("#000000" if as_mask else INK)
    line, cap, join = Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin
    painter.setPen(QPen(ink, _STROKE, line, cap, join))
    painter.drawPath(_lens())
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink)
    painter.drawEllipse(QPointF(pupil, 8), _PUPIL, _PUPIL)
    if dot:
        # A gap around the dot, so that it is seen where colours are not.
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Clear)
        painter.drawEllipse(_DOT_AT, _DOT + _GAP, _DOT + _GAP)
        # Back, or the dot itself would be a hole.
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceOver)
        painter.setBrush(QColor("#000000" if as_mask else AMBER))
        painter.drawEllipse(_DOT_AT, _DOT, _DOT)
    painter.end()
    return pixmap


def _lens() -> QPainterPath:
    path = QPainterPath(QPointF(1, 8))
    path.cubicTo(QPointF(3, 4.7), QPointF(5.4, 3), QPointF(8, 3))
    path.cubicTo(QPointF(10.6, 3), QPointF(13, 4.7), QPointF(15, 8))
    path.cubicTo(QPointF(13, 11.3), QPointF(10.6, 13), QPointF(8, 13))
    path.cubicTo(QPointF(5.4, 13), QPointF(3, 11.3), QPointF(1, 8))
    path.closeSubpath()
    return path


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
        self.state, self._reason = TrayState.IDLE, ""
        self._frame = 0
        # Held here: a tray icon does not own the menu that it is given.
        self._menu = QMenu()
        self._menu.setAccessibleName("Askance")
        self._clicked = QElapsedTimer()
        self._icon = QSystemTrayIcon(self)
        self._icon.setContextMenu(self._menu)
        self._icon.activated.connect(self._activate)
        self._icon.messageClicked.connect(self.show_requested)
        self._frames = repeating_timer(self, FRAME_MS, self._next_frame)
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

    def set_state(self, state: TrayState, reason: str = "") -> None:
        """Let the icon say something else. `reason` is what needs attention, in words."""
        # A run changes many times a second; setting an icon goes over the bus to the panel.
        if (state, reason) == (self.state, self._reason):
            return
        self.state, self._reason = state, reason
        self._begin()

    def notify(self, title: str, text: str) -> bool:
        """Let the desktop tell something; a click on it shows the window.

        Returns False where it cannot: without an icon that the user can see, nothing is shown.
        """
        if not (self.is_reachable and self._icon.supportsMessages()):
            return False
        self._icon.showMessage(title, plain(text), self._icon.icon())
        return True

    def set_look(self, look: Look) -> None:
        """Follow another look: whether the pupil may move."""
        self._look = look
        self._begin()

    def _begin(self) -> None:
        self._frame = 0
        self._draw()
        if self.state is TrayState.WORKING and self._look.moves:
            self._frames.start()
        else:
            self._frames.stop()

    def _next_frame(self) -> None:
        self._frame = (self._frame + 1) % len(WORKING)
        self._draw()

    def _draw(self) -> None:
        pupil, words = RIGHT, "Askance"
        if self.state is TrayState.WORKING:
            # Where nothing may move the pupil rests at the other side.
            pupil = WORKING[self._frame] if self._look.moves else min(WORKING)
            words = tr("Askance is searching")
        elif self.state is TrayState.ATTENTION:
            words = self._reason or tr("Askance needs your attention")
        has_dot = self.state is TrayState.ATTENTION
        self._icon.setIcon(tray_icon(pupil, dot=has_dot, as_mask=_ON_MAC))
        # Some panels take what looks like markup for it.
        self._icon.setToolTip(plain(words))

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
        kinds = QSystemTrayIcon.ActivationReason
        if reason not in {kinds.Trigger, kinds.MiddleClick} or _ON_MAC:
            return
        before, self._clicked = self._clicked, QElapsedTimer()
        self._clicked.start()
        # The second press of a double click would take back what the first one has done.
        if not before.isValid() or before.hasExpired(QApplication.doubleClickInterval()):
            self.toggle_requested.emit()


_LONGEST = 120
_ENDS = {
    State.ANSWERED: term("Answer ready"),
    State.CLARIFYING: term("One question first"),
    State.FAILED: term("A question could not be answered"),
}


class UnreadAnswers(QObject):
    """Sets the icon. A dot stays on it until the window was looked at.

    `left` is the conversation in which the last run has ended that nobody saw; 0 is the one in the window.
    """

    unseen = Signal(str, str)
    """A run has ended behind a hidden window: a title, and its question."""

    seen = Signal()
    """The window was looked at, or has nothing any more to look at."""

    def __init__(self, session: Session, overlay: Overlay, tray: Tray) -> None:
        super().__init__(overlay)
        self._session, self._overlay, self.tray = session, overlay, tray
        self._unseen, self.left = "", 0
        session.began.connect(self._show)
        session.changed.connect(self._note)
        session.cleared.connect(self._see)
        session.ended_unseen.connect(self._note_left)
        session.left_changed.connect(self._show)
        overlay.summoned.connect(self._see)

    def _note(self, _index: int, view: ExchangeView) -> None:
        # Whoever stopped a run knows that it has ended.
        if view.state in _ENDS and not self._overlay.isVisible():
            self._unseen = tr(_ENDS[view.state])
            self.left = 0
            self.unseen.emit(self._unseen, shortened(view.asked.text, _LONGEST))
        self._show()

    def _note_left(self, number: int, view: ExchangeView) -> None:
        self._note(0, view)
        if not self._overlay.isVisible():
            self.left = number

    def _see(self) -> None:
        self._unseen, self.left = "", 0
        self.seen.emit()
        self._show()

    def _show(self) -> None:
        at_rest = TrayState.ATTENTION if self._unseen else TrayState.IDLE
        self.tray.set_state(
            TrayState.WORKING if self._session.is_running else at_rest, self._unseen
        )


_SHOWN = "shown"


class Notifications(QObject):
    """Tells the desktop something. The next notice takes the place of the last."""

    pressed = Signal(str)
    """The notification was clicked; with the token for coming to the front, or none."""

    def __init__(self, environment: Mapping[str, str], tray: Tray, chores: Bridge) -> None:
        super().__init__(tray)
        self._environment, self._tray = environment, tray
        self._calls = PendingCalls(chores, self)

    def show(self, title: str, text: str) -> None:
        """Show a notification."""
        # Without an icon that is seen, as under plain GNOME, the notification service is asked itself.
        if self._tray.notify(title, text):
            return

        async def show(_: Any) -> str | None:
            if sys.platform != "linux":
                return None
            from askance.system.session_bus import notify  # noqa: PLC0415 - only Linux has a bus

            return await notify(self._environment, APP_ID, title, plain(text), tr("Show"))

        # Under one name: a new notification takes the place of the last, whose press counts no
        # more.
        self._calls.ask(_SHOWN, show, self._press)

    def withdraw(self) -> None:
        """Take the notification back: its news is seen."""
        self._calls.give_up(_SHOWN)

    def _press(self, token: str | AskanceError | None) -> None:
        if isinstance(token, str):
            self.pressed.emit(token)
