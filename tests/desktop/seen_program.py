"""The real program in a process of its own, which tells what is to be seen of it, and where.

A line at its standard input asks; a line of JSON answers. Nothing is pressed from here: that is for
the hands before the screen.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from math import inf
from typing import Any

from PySide6.QtCore import QObject, QPoint, QRect, QSocketNotifier, Qt
from PySide6.QtGui import QAccessible, QAction
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QApplication, QMenu, QWidget

from askance.adapters.llm import local_servers
from askance.engine import suggestions
from askance.ui.shell import desktop_app as app
from askance.ui.shell.desktop import Desktop
from ui.whole.person import seen_in


class Places:
    """Where widgets are during one look: sway is asked once, by a program of its own."""

    def __init__(self) -> None:
        self._tree: dict[str, Any] = {}
        # Programs are not told where their windows are.
        self._is_wayland = QApplication.platformName() == "wayland"
        if self._is_wayland and "SWAYSOCK" in os.environ:
            asked = ["swaymsg", "--type", "get_tree"]
            self._tree = json.loads(subprocess.run(asked, capture_output=True, check=True).stdout)  # noqa: S603

    def box(self, rect: QRect, inside: QWidget) -> list[int]:
        """Return where a part of a widget is on the screen; in its window, where nobody tells more."""
        at = inside.mapToGlobal(rect.topLeft())
        if self._is_wayland:
            at = inside.mapTo(inside.window(), rect.topLeft())
            if self._tree:
                at += placed_by_sway(self._tree, inside.window())
        return [at.x(), at.y(), rect.width(), rect.height()]


def placed_by_sway(tree: dict[str, Any], window: QWidget) -> QPoint:
    """Return where a window of ours is."""
    nodes = [tree]
    while nodes:
        node = nodes.pop()
        # Qt appends the program's name to other titles.
        if node.get("pid") == os.getpid() and node["name"].startswith(window.windowTitle()):
            return QPoint(
                node["rect"]["x"] + node["window_rect"]["x"],
                node["rect"]["y"] + node["window_rect"]["y"],
            )
        nodes += node["nodes"] + node["floating_nodes"]
    return QPoint()


def called(widget: QWidget) -> str:
    """Return by what name a screen reader calls a widget."""
    found = QAccessible.queryAccessibleInterface(widget)
    return found.text(QAccessible.Text.Name) if found else ""


def rows_of(window: QWidget, box: Callable[[QRect, QWidget], list[int]]) -> list[list[Any]]:
    """Return the rows of the lists and menus of a window: what each says, where it is, and whether it is
    the one that Enter presses."""
    rows: list[list[Any]] = []
    if isinstance(window, QMenu):
        for action in filter(QAction.isVisible, window.actions()):
            place = box(window.actionGeometry(action), window)
            rows.append([action.text(), place, action is window.activeAction()])
    for view in window.findChildren(QAbstractItemView):
        model, port = view.model(), view.viewport()
        if model is None or view.window() is not window or not view.isVisible():
            continue
        for number in range(model.rowCount()):
            index = model.index(number, 0)
            said = index.data(Qt.ItemDataRole.AccessibleTextRole) or index.data()
            place = view.visualRect(index) & port.rect()
            if not place.isEmpty():
                rows.append([str(said), box(place, port), index == view.currentIndex()])
    return rows


def _heard() -> Iterator[list[Any]]:
    """Yield role and name of all that a screen reader meets, in its order, and whether the keyboard can go there."""
    left = [
        QAccessible.queryAccessibleInterface(window)
        for window in QApplication.topLevelWidgets()
        if window.isVisible() and window.parentWidget() is None
    ]
    while left:
        found = left.pop(0)
        state = found.state()
        if not found.isValid() or state.invisible:
            continue
        can_focus = bool(state.focusable and not state.disabled)
        yield [found.role().name, found.text(QAccessible.Text.Name), can_focus]
        left[:0] = [child for n in range(found.childCount()) if (child := found.child(n))]


class Eyes(QObject):
    """Tells what is there when it is asked."""

    def __init__(self, desktop: Desktop) -> None:
        super().__init__(desktop)
        self._desktop = desktop
        self._notifier = QSocketNotifier(sys.stdin.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._read)

    def _read(self) -> None:
        asked = os.read(sys.stdin.fileno(), 65_536)
        self._notifier.setEnabled(bool(asked))
        for line in asked.splitlines():
            found = list(_heard()) if line == b"listen" else self._look()
            sys.stdout.write(json.dumps(found) + "\n")
            sys.stdout.flush()

    def _look(self) -> dict[str, Any]:
        box = Places().box
        windows = [w for w in QApplication.topLevelWidgets() if w.isVisible()]
        overlay = self._desktop.overlay
        views = self._desktop.session.views
        field = overlay.ask_bar.field
        record: dict[str, Any] = {
            "words": "\n".join(map(seen_in, windows)),
            "buttons": [
                [b.text() or b.accessibleName(), box(b.rect(), b)]
                for w in windows
                for b in w.findChildren(QAbstractButton)
                if b.isVisibleTo(w) and b.isEnabled()
            ],
            "rows": [row for w in windows for row in rows_of(w, box)],
            "focus": called(focus) if (focus := QApplication.focusWidget()) else "",
            "sources": [[s.name, s.state.name] for view in views[-1:] for s in view.source_line],
            "drafted": bool(views and (views[-1].draft or views[-1].answer)),
            "active": active.windowTitle() if (active := QApplication.activeWindow()) else "",
            "paper": box(overlay.paper, overlay) if overlay.isVisible() else None,
            "field": box(field.rect(), field) if overlay.isVisible() else None,
            "typed": field.toPlainText(),
            "field_focused": field.hasFocus(),
            "composed": field.textCursor().block().layout().preeditAreaText(),
            "states": [view.state.name for view in views],
            "clipboard": QApplication.clipboard().text(),
            "markers": [],
            "popup": None,
            "platform": QApplication.platformName(),
            "screen": overlay.screen().name(),
            "ratio": overlay.devicePixelRatioF(),
            "icon": overlay.windowIcon().name(),
            "dark": overlay.look.is_dark,
            "paper_colour": overlay.look.colours.paper,
            "offer": overlay.ask_bar.offer.chip.text if overlay.ask_bar.offer.chip else "",
            "chips": [chip.text for chip in overlay.ask_bar.chips.chips],
            "faces": [[chip.face.name, chip.face.fact] for chip in overlay.ask_bar.chips.buttons],
            "hotkey": " ".join(self._desktop.windows.hotkey),
            "problem": overlay.ask_bar.inline_message.sentence,
            "tray": self._desktop.tray.is_reachable,
        }
        exchanges = overlay.conversation.exchanges
        if overlay.isVisible() and exchanges:
            answer = exchanges[-1].answer
            record["markers"] = [
                box(answer.marker_rect(n), answer.viewport())
                for n in range(len(answer.answer.markers))
            ]
            if answer.popup is not None:
                record["popup"] = box(answer.popup.paper, answer.popup)
        return record


PORTS = "SEEN_PORTS"
"""The variable that says on which ports which model servers are looked for, in JSON."""


def ports_in(pairs: list[tuple[str, str]]) -> dict[int, str]:
    """Return what JSON has as texts with numbers."""
    return {int(port): name for port, name in pairs}


class SeenDesktop(Desktop):
    """A desktop that tells what is to be seen of it."""

    def __init__(self, *parts: object) -> None:
        super().__init__(*parts)  # type: ignore[arg-type]
        # A caret that blinks makes each picture another one.
        QApplication.setCursorFlashTime(0)
        Eyes(self)


if __name__ == "__main__":
    app.Desktop = SeenDesktop
    # A model of a test seems to be slow on a busy machine, or to evaluate all prompts from their beginning, and such
    # ones are asked for no suggestions.
    suggestions.SLOW_S = suggestions.MOST_FRESH_TOKENS = inf
    # Other model servers may run on this machine, on the ports that are known.
    local_servers.PORTS = json.loads(os.environ.get(PORTS, "{}"), object_pairs_hook=ports_in)
    sys.exit(app.run(dict(os.environ), hidden="--hidden" in sys.argv))
