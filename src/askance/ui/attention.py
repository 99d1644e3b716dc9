"""What the icon in the panel says of the run: that it goes on, or that its end was not seen yet."""

from __future__ import annotations

from PySide6.QtCore import QObject

from askance.ui.model.exchange import ExchangeView, State
from askance.ui.overlay import Overlay
from askance.ui.session import Session
from askance.ui.tray import Tray, TrayState


class Attention(QObject):
    """Sets the icon. A dot stays on it until the window was looked at."""

    def __init__(self, session: Session, overlay: Overlay, tray: Tray) -> None:
        super().__init__(overlay)
        self._session, self._overlay, self._tray = session, overlay, tray
        self._is_unseen = False
        session.began.connect(self._show)
        session.changed.connect(self._note)
        session.cleared.connect(self._see)
        overlay.summoned.connect(self._see)

    def _note(self, _index: int, view: ExchangeView) -> None:
        # Whoever stopped a run knows that it has ended.
        if view.ended and view.state is not State.STOPPED and not self._overlay.isVisible():
            self._is_unseen = True
        self._show()

    def _see(self) -> None:
        self._is_unseen = False
        self._show()

    def _show(self) -> None:
        if self._session.is_running:
            self._tray.set_state(TrayState.WORKING)
        else:
            self._tray.set_state(TrayState.ATTENTION if self._is_unseen else TrayState.IDLE)
