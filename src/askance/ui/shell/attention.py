"""What the icon in the panel says of the run: that it goes on, or that its end was not seen yet."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from askance.presentation.cells import shortened
from askance.presentation.words import term, tr
from askance.ui.model.exchange import ExchangeView, State
from askance.ui.overlay.overlay import Overlay
from askance.ui.shell.tray import Tray, TrayState
from askance.ui.talk.session import Session

_LONGEST = 120
_ENDS = {
    State.ANSWERED: term("Answer ready"),
    State.CLARIFYING: term("One question first"),
    State.FAILED: term("A question could not be answered"),
}


class Attention(QObject):
    """Sets the icon. A dot stays on it until the window was looked at."""

    unseen = Signal(str, str)
    """A run has ended behind a hidden window: a title, and its question."""

    seen = Signal()
    """The window was looked at, or has nothing any more to look at."""

    def __init__(self, session: Session, overlay: Overlay, tray: Tray) -> None:
        super().__init__(overlay)
        self._session, self._overlay, self.tray = session, overlay, tray
        self._unseen = ""
        session.began.connect(self._show)
        session.changed.connect(self._note)
        session.cleared.connect(self._see)
        overlay.summoned.connect(self._see)

    def _note(self, _index: int, view: ExchangeView) -> None:
        # Whoever stopped a run knows that it has ended.
        if view.state in _ENDS and not self._overlay.isVisible():
            self._unseen = tr(_ENDS[view.state])
            self.unseen.emit(self._unseen, shortened(view.question, _LONGEST))
        self._show()

    def _see(self) -> None:
        self._unseen = ""
        self.seen.emit()
        self._show()

    def _show(self) -> None:
        if self._session.is_running:
            self.tray.set_state(TrayState.WORKING)
        else:
            state = TrayState.ATTENTION if self._unseen else TrayState.IDLE
            self.tray.set_state(state, self._unseen)
