"""A process of its own with an answer in the overlay, above a plain window of another kind.

Tells what happens to it, a JSON object a line, and answers what it is asked on its standard input.
"""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from PySide6.QtCore import QEvent, QObject, QRect, QSocketNotifier, QTimer
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication, QWidget

from askance.domain.history import ConversationRecord, ConversationSummary, Exchange, TimedEvent
from askance.ui.bridge import Bridge
from askance.ui.design.theme import LIGHT, Look, apply_look, load_fonts
from askance.ui.overlay.answer.answer_view import AnswerView, QuotePopup
from askance.ui.overlay.conversation.session import Session
from askance.ui.overlay.overlay import Overlay
from ui.widgets.lighthouse import QUESTION, WHOLE

# What a window manager does late has happened by then, and a pop-up that goes by itself is gone.
_SETTLED_MS = 700
_AGAIN_MS = 30
AT = "2026-03-02T10:00:00+00:00"


def tell(**text: Any) -> None:
    """Write a line."""
    sys.stdout.write(f"{json.dumps(text)}\n")
    sys.stdout.flush()


def box(widget: QWidget, rect: QRect) -> list[int]:
    """A rectangle of a widget on the screen."""
    corner = widget.mapToGlobal(rect.topLeft())
    return [corner.x(), corner.y(), rect.width(), rect.height()]


class Behind(QWidget):
    """A window of somebody else."""

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        at = event.globalPosition().toPoint()
        tell(behind=[at.x(), at.y()])


class Watcher(QObject):
    """Tells when quotes come and go."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        if isinstance(watched, QuotePopup) and event.type() in (QEvent.Type.Show, QEvent.Type.Hide):
            tell(quote=watched.isVisible())
        return False


@asynccontextmanager
async def nothing() -> AsyncIterator[None]:
    yield None


def main() -> None:
    """Show both windows until the standard input ends."""
    application = QApplication([])
    load_fonts()
    look = Look(LIGHT, moves=False)
    apply_look(application, look)
    watcher = Watcher()
    application.installEventFilter(watcher)
    behind = Behind()
    behind.setGeometry(application.primaryScreen().geometry())
    behind.show()
    bridge = Bridge(nothing)
    bridge.start()
    session = Session(bridge, bridge)
    overlay = Overlay(look, session)
    overlay.link_activated.connect(lambda url: tell(opened=url))
    overlay.summon()
    events = tuple(TimedEvent(at_s, event) for at_s, event in WHOLE)
    asked_once = (Exchange(1, "search", QUESTION, "", AT, events),)
    session.resume(ConversationRecord(ConversationSummary(1, QUESTION, AT, AT, 1), asked_once))

    def place() -> list[int]:
        return box(overlay, overlay.paper)

    def marker() -> list[int]:
        view = overlay.findChild(AnswerView)
        assert isinstance(view, AnswerView)
        return box(view.viewport(), view.marker_rect(2))

    def quote() -> bool:
        return any(w.isVisible() for w in overlay.findChildren(QuotePopup))

    def is_settled() -> bool:
        written = overlay.conversation.exchanges
        grown = all(
            e.answer.is_settled and e.height() == e.heightForWidth(e.width()) for e in written
        )
        return grown and overlay.isVisible() and not overlay._fitting.isActive()

    def answer(asked: str) -> None:
        """Answer once nothing grows any more, and some time after that."""
        if is_settled():
            QTimer.singleShot(_SETTLED_MS, lambda: tell(**{asked: questions[asked]()}))
        else:
            QTimer.singleShot(_AGAIN_MS, lambda: answer(asked))

    questions = {"place": place, "marker": marker, "quoted": quote}

    def receive() -> None:
        asked = sys.stdin.readline().strip()
        if not asked:
            hearing.setEnabled(False)
            overlay.hide()
            bridge.close()
            application.quit()
            return
        answer(asked)

    hearing = QSocketNotifier(sys.stdin.fileno(), QSocketNotifier.Type.Read)
    hearing.activated.connect(receive)
    application.exec()


if __name__ == "__main__":
    main()
