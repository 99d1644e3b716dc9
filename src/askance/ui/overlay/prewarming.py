"""What is done before a question is asked: widgets are made and drawn, the model is loaded when the window comes up,
child processes start with the first letter."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from askance.ui.bridge import Bridge
from askance.ui.design.composing import single_shot_timer
from askance.ui.overlay.conversation.session import Session
from askance.ui.overlay.overlay import Overlay

if TYPE_CHECKING:
    from askance.app.container import App

# A word to the engine's thread for each letter would be too many.
_AGAIN_S = 10.0
# The window paints first, and one that is put away at once asks for nothing.
_STAYS_MS = 500
# Behind all that the start has left to do.
_STARTED_MS = 2_000


class Prewarmer(QObject):
    """Lets the engine load the model when the window comes up, start its child processes with the first letter of a
    question, and free what a conversation took that was left.

    The processes end again when no page comes; who goes on typing after that starts them once more.
    """

    def __init__(self, bridge: Bridge, session: Session, overlay: Overlay) -> None:
        super().__init__(overlay)
        self._bridge, self._overlay = bridge, overlay
        # As if that were long ago: the first letter starts them.
        self._prepared_s = -_AGAIN_S
        self._shown = single_shot_timer(self, self._preload, _STAYS_MS)
        overlay.summoned.connect(self._shown.start)
        self._steps = overlay.conversation.draw_specimen()
        self._drawing = single_shot_timer(self, self._draw)
        self._started = single_shot_timer(self, self._draw_hidden, _STARTED_MS)
        self._started.start()
        overlay.ask_bar.text_edited.connect(self._prepare)
        # Its prompts and evidence would stay in memory until the next question.
        session.cleared.connect(lambda: bridge.call(_forget_conversation, lambda _: None))

    def _draw_hidden(self) -> None:
        """Draw all of it once where nobody sees it: with the first paint Qt loads fonts, and glyphs are read."""
        if not self._overlay.isVisible():
            self._overlay.grab()
            self._draw()

    def _draw(self) -> None:
        """Do one step: what is pressed meanwhile has its turn between two."""
        if next(self._steps, self) is self:
            self._overlay.conversation.prepare()
        else:
            self._drawing.start()

    def _preload(self) -> None:
        # Somebody who only glanced at the window has no need of a model.
        if self._overlay.isVisible():
            self._drawing.start()
            self._bridge.call(lambda app: app.preload(), lambda _: None)

    def _prepare(self) -> None:
        now = monotonic()
        if now - self._prepared_s < _AGAIN_S or not self._overlay.ask_bar.field.text.strip():
            return
        self._prepared_s = now
        self._overlay.conversation.prepare()
        self._bridge.call(_prepare, lambda _: None)


async def _prepare(app: App) -> None:
    app.prepare()


async def _forget_conversation(app: App) -> None:
    app.engine.forget_conversation()
