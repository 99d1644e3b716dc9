"""A process of its own with the overlay in it, for screens and servers that the tests have not.

Reads a JSON object from its standard input, and writes one: where the paper is, in which screen,
and what is seen just outside and just inside of its corner.
"""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from PySide6.QtCore import QPoint, QRect, QTimer
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QApplication

from askance.ui.bridge import Bridge
from askance.ui.design.theme import LIGHT, Look, apply_look, load_fonts
from askance.ui.overlay.conversation.session import Session
from askance.ui.overlay.overlay import Overlay

_SETTLED_MS = 100


@asynccontextmanager
async def nothing() -> AsyncIterator[None]:
    yield None


def box(rect: QRect) -> list[int]:
    return [rect.x(), rect.y(), rect.width(), rect.height()]


def main() -> None:
    wanted: dict[str, Any] = json.load(sys.stdin)
    application = QApplication([])
    load_fonts()
    look = Look(LIGHT, wanted.get("scale", 1.0), moves=False)
    apply_look(application, look)
    bridge = Bridge(nothing)
    bridge.start()
    overlay = Overlay(look, Session(bridge, bridge))
    if pointer := wanted.get("pointer"):
        QCursor.setPos(*pointer)
    overlay.summon()
    overlay.ask_bar.field.set_text(wanted.get("text", ""))

    def report() -> None:
        paper = overlay.paper.translated(overlay.pos())
        seen = overlay.screen().grabWindow(0).toImage()
        record = {
            "place": box(paper),
            "window": box(overlay.frameGeometry()),
            "screen": overlay.screen().name(),
            "area": box(overlay.screen().availableGeometry()),
            "rows": overlay.ask_bar.completion.height(),
        }
        if not seen.isNull():
            corner = paper.topLeft()
            for name, at in (
                ("edge", QPoint(-1, 0)),
                ("corner", QPoint()),
                ("inside", QPoint(9, 9)),
            ):
                record[name] = seen.pixelColor(corner + at).name().upper()
        json.dump(record, sys.stdout)
        bridge.close()
        application.quit()

    QTimer.singleShot(_SETTLED_MS, report)
    application.exec()


if __name__ == "__main__":
    main()
