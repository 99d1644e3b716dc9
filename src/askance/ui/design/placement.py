"""Where a frame stands and how large it is: stored for each screen, through hiding and restarts, and never out of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

from PySide6.QtCore import (
    QAbstractAnimation,
    QEasingCurve,
    QElapsedTimer,
    QEvent,
    QObject,
    QPoint,
    QRect,
    QSize,
    QVariantAnimation,
    Signal,
)
from PySide6.QtGui import QGuiApplication, QMoveEvent, QScreen

from askance.config.private_files import make_folder, replace_file
from askance.ui.design import theme
from askance.ui.design.composing import single_shot_timer
from askance.ui.design.frame import (
    EdgeGrips,
    Frame,
    can_place_windows,
    centred_in_upper_third,
    is_x11,
    screen_of_pointer,
)

# A step that is smaller than this is taken at once: text that streams grows by lines.
_SMALL_STEP = 60
_LEAST = QSize(480, 92)
WIDE = 760
"""From this width of its paper on, in pixels of the tokens, a window is an ordinary one, with others beside it."""
# Wide at first, in pixels of the tokens as `WIDE` is: with all columns, and lines that are not too short.
_FIRST_WIDE = 1180
_SNAP = 12
# What the desktop itself does with a window that has just come up is no wish of the user.
_ARRIVAL_MS = 300
# Moved and resized no more; where nobody tells whether the button is still held, that takes longer.
_SETTLED_MS, _SURELY_SETTLED_MS = 300, 1000
_SIDES = frozenset({"left", "right", "top", "bottom"})
_NAMES = _SIDES | {"width", "height", "wide"}


class StoredPlaces:
    """Distances to the nearest two edges and sizes by the names of screens, whether the window is pinned, and which of its
    columns are folded.

    Not worth a word of complaint: a file that cannot be read holds none, and one that cannot be written is left.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        data: Any = None
        # `json` goes as deep as the brackets in the file do.
        with suppress(OSError, ValueError, RecursionError):
            data = json.loads(path.read_bytes()) if path else None
        stored = _fields(data)
        self.is_pinned = stored.get("pinned") is True
        folded = stored.get("folded")
        names = cast("list[object]", folded) if isinstance(folded, list) else []
        self.folded = [str(name) for name in names]
        self.screens = {
            name: {
                side: number
                for side, number in _fields(distances).items()
                if side in _NAMES and type(number) is int
            }
            for name, distances in _fields(stored.get("screens")).items()
        }

    def write(self) -> None:
        """Store them."""
        if self._path is None:
            return
        screens = {name: stored for name, stored in self.screens.items() if stored}
        data = {"pinned": self.is_pinned, "folded": self.folded, "screens": screens}
        with suppress(OSError):
            make_folder(self._path.parent)
            replace_file(self._path, json.dumps(data).encode())


def _fields(data: object) -> dict[str, Any]:
    return cast("dict[str, Any]", data) if isinstance(data, dict) else {}


class FramePlacement(QObject):
    """Gives a frame its size and its place: on the screen of the pointer, where the user has put it there.

    While it is shown it stays where the user moved it, and the edge that is nearer to the screen's stays as it grows.
    Where the compositor places windows, it does so once, by the size that they have then, and they cannot move up as
    they grow: there the window is as high as it may become from the start, and only the paper in it grows.

    An ordinary window, pinned or wide, has the size that the user or the desktop gives it.
    """

    resized = Signal()
    """The user has resized the window, or it has come to another screen: what it shows is to be fitted anew."""
    kind_changed = Signal()
    """The window is an ordinary one from now on, or not any more."""

    def __init__(self, window: Frame) -> None:
        super().__init__(window)
        self._window = window
        self._stored = StoredPlaces()
        # A window as all others: pinned or wide.
        self.is_ordinary: bool = False
        # While the user resizes it, and once the desktop has given an ordinary window a size, as tiling ones do.
        self._is_resizing = self.is_given = self._is_moved = False
        # That of the visitor, as high as it may become under Wayland: sway gives it back to one that was pinned.
        self._visitor_size, self._is_given_back = QSize(), False
        self._asked_size, self._asked_place = QSize(), QPoint()
        self._margins = window.shadow_margins
        self._shown = QElapsedTimer()
        self._arriving = single_shot_timer(self, self._arrive, _ARRIVAL_MS // 2)
        self._settling = single_shot_timer(self, self._settle)
        self.growth = QVariantAnimation(self)
        self.growth.setEasingCurve(QEasingCurve.Type.OutCubic)
        self.growth.valueChanged.connect(self._set_paper_height)
        self._grips = EdgeGrips(window)
        self._grips.pressed.connect(self._begin_resizing)
        self._coming_back = single_shot_timer(self, self._come_back)
        window.margins_changed.connect(self._hold_paper)
        window.installEventFilter(self)
        application = QGuiApplication.instance()
        assert isinstance(application, QGuiApplication)
        application.screenRemoved.connect(self._come_back_soon)
        application.screenAdded.connect(self._watch)
        for screen in application.screens():
            self._watch(screen)

    def store_in(self, path: Path) -> None:
        """Keep places in this file, and take those that are in it."""
        self._stored = StoredPlaces(path)
        self._decide_kind()

    @property
    def is_on_screen(self) -> bool:
        """Whether a part of the paper, which is shown, lies on the screen with the pointer."""
        return not can_place_windows() or screen_of_pointer().geometry().intersects(self._paper)

    @property
    def most_height(self) -> int:
        """How high the paper may become, in logical pixels: as the user has made it, else its share of the screen."""
        height = self._area.height()
        if stored := self._here.get("height"):
            return min(max(stored, _LEAST.height()), height)
        share = theme.WINDOW_SHARE_OF_LOW_SCREEN if self._is_low else theme.WINDOW_SHARE_OF_SCREEN
        return int(height * share)

    @property
    def is_pinned(self) -> bool:
        """Whether the user has pinned it."""
        return self._stored.is_pinned

    def set_pinned(self, pinned: bool) -> None:
        """Pin it, or let it be a visitor again."""
        self._stored.is_pinned = pinned
        self._stored.write()
        self._decide_kind()
        self.resized.emit()

    @property
    def folded(self) -> Sequence[str]:
        """The names of the columns that the user has folded."""
        return self._stored.folded

    def set_folded(self, names: Sequence[str]) -> None:
        """Keep which columns are folded."""
        self._stored.folded = list(names)
        self._stored.write()

    def toggle_wide(self) -> None:
        """Make it as wide as it was last, at first so wide that all its columns are there; or as narrow as at first."""
        here = self._stored.screens.setdefault(self._window.screen().name(), {})
        if self._is_wide:
            here["wide"] = here.pop("width", _FIRST_WIDE)
        else:
            px = self._window.look.px
            here["width"] = max(here.get("wide", px(_FIRST_WIDE)), px(WIDE))
        self._stored.write()
        self.is_given = False
        self._decide_kind()
        self._move_to_place()
        self.resized.emit()

    def place(self) -> None:
        """Put the window, which is hidden, where it was left on the screen with the pointer, else in its first place."""
        # The screen first: the width follows from it.
        self._window.setScreen(screen_of_pointer())
        self.is_given = self._is_given_back = False
        self._decide_kind()
        self._move_to_place()

    def grow_to(self, paper_height: int) -> None:
        """Make the paper so high, in one movement where that is a long way."""
        window = self._window
        if self._is_resizing or self.is_given:
            return
        if self.is_ordinary and "height" in self._here:
            paper_height = self.most_height
        self.growth.stop()
        # Before it grows, so that no frame of the movement reaches out of the screen.
        self._stay_inside(paper_height)
        before = window.paper.height()
        step = abs(paper_height - before)
        # One that grows upwards would be moved and resized at each step, which no desktop shows as one.
        is_still = window.look.motion_ms == 0 or self._bottom is not None
        if not window.isVisible() or step < _SMALL_STEP or is_still:
            self._set_paper_height(paper_height)
            return
        self.growth.setStartValue(before)
        self.growth.setEndValue(paper_height)
        self.growth.setDuration(window.look.motion_ms)
        self.growth.start(QAbstractAnimation.DeletionPolicy.KeepWhenStopped)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: ARG002 - Qt's interface
        """Notice where the user moves the window, and what size it gets."""
        match event.type():
            case QEvent.Type.Show:
                self._shown.restart()
                self._arriving.start()
            case QEvent.Type.Hide:
                self._arriving.stop()
                if self._settling.isActive():
                    self._settling.stop()
                    self._settle()
            case QEvent.Type.Move if isinstance(event, QMoveEvent):
                if self._is_at_rest and event.pos() != self._asked_place:
                    self._is_moved = True
                    self._settle_soon()
            case QEvent.Type.Resize if self._window.size() != self._asked_size:
                if self._is_resizing:
                    self._settle_soon()
                elif self.is_ordinary and self._window.isVisible():
                    self._is_given_back = self._window.size() == self._visitor_size
                    self.is_given = not self._is_given_back
                    if self.is_given:
                        self._window.set_paper_height(None)
                    else:
                        self.resized.emit()
            case _:
                pass
        return False

    @property
    def _is_at_rest(self) -> bool:
        """Whether what moves the window now is the user."""
        is_given = self.is_given or not self._window.isVisible()
        return not is_given and self._shown.hasExpired(_ARRIVAL_MS)

    def _arrive(self) -> None:
        """Go where the window was to come up, if it did not: i3 adds a title bar, which it does not show, each time."""
        if can_place_windows() and not self.is_ordinary:
            self._window.move(self._asked_place)

    def _begin_resizing(self) -> None:
        self.growth.stop()
        self._is_resizing, self.is_given = True, False
        self._apply_size(self._window.size())
        self._settle_soon()

    def _settle_soon(self) -> None:
        is_unsure = self._is_resizing and not is_x11()
        self._settling.start(_SURELY_SETTLED_MS if is_unsure else _SETTLED_MS)

    def _settle(self) -> None:
        """Keep where the user has put the window, and how large it is now."""
        if self._window.isVisible() and _is_button_down():
            self._settling.start(_SETTLED_MS)
            return
        here = self._stored.screens.setdefault(self._window.screen().name(), {})
        if self._is_resizing:
            self._store_size(here)
        if can_place_windows() and (self._is_moved or self._is_resizing):
            self._store_place(here)
        self._is_moved = self._is_resizing = False
        self._stored.write()
        self._decide_kind()
        self.resized.emit()

    def _store_size(self, here: dict[str, int]) -> None:
        size = self._window.size().shrunkBy(self._window.shadow_margins)
        if abs(size.width() - theme.WINDOW_WIDTH) > _SNAP:
            here["width"] = size.width()
        else:
            here.pop("width", None)
        if self._window.height() != self._asked_size.height():
            here["height"] = size.height()

    def _store_place(self, here: dict[str, int]) -> None:
        paper, area = self._paper, self._area
        before = {side for side in _SIDES if here.pop(side, None) is not None}
        if (paper.topLeft() - self._first_place).manhattanLength() <= _SNAP:
            self._move(self._first_place)
            return
        # What was left half out of the screen comes up again at its edge.
        left, top = max(0, paper.left() - area.left()), max(0, paper.top() - area.top())
        right, bottom = max(0, area.right() - paper.right()), max(0, area.bottom() - paper.bottom())
        is_right, is_low = right < left, bottom < top
        if self._is_resizing:
            # As high as what it shows it is smaller again in a moment: the edges that stay are those that stayed.
            is_right, is_low = "right" in before, "bottom" in before
        here |= {"right": right} if is_right else {"left": left}
        here |= {"bottom": bottom} if is_low else {"top": top}

    def _decide_kind(self) -> None:
        is_ordinary = self.is_pinned or self._is_wide
        if is_ordinary is not self.is_ordinary:
            self.is_ordinary, self.is_given, self._is_given_back = is_ordinary, False, False
            self._visitor_size = self._window.size()
            self.kind_changed.emit()

    def _move_to_place(self) -> None:
        """Put the paper where it belongs on its screen, as high as it is now."""
        around = self._window.shadow_margins
        width = self._paper_width + around.left() + around.right()
        self._apply_size(QSize(width, self._window.height()))
        here, area, place = self._here, self._area, self._first_place
        paper = QRect(place, self._window.paper.size())
        if "left" in here:
            paper.moveLeft(area.left() + here["left"])
        elif "right" in here:
            paper.moveRight(area.right() - here["right"])
        if "top" in here:
            paper.moveTop(area.top() + here["top"])
        elif "bottom" in here:
            paper.moveBottom(area.bottom() - here["bottom"])
        paper.moveRight(min(paper.right(), area.right()))
        paper.moveBottom(min(paper.bottom(), area.bottom()))
        self._move(QPoint(max(paper.left(), area.left()), max(paper.top(), area.top())))

    @property
    def _first_place(self) -> QPoint:
        area = self._area
        size = QRect(0, 0, self._paper_width, 0)
        # On a low screen so much higher that it never has to move up as it grows.
        if self._is_low:
            size.setHeight(int(area.height() * theme.WINDOW_SHARE_OF_LOW_SCREEN))
        return centred_in_upper_third(size, area)

    @property
    def _paper_width(self) -> int:
        room = self._area.width() - 2 * theme.SPACE_S
        return min(max(self._here.get("width", theme.WINDOW_WIDTH), _LEAST.width()), room)

    @property
    def _is_low(self) -> bool:
        """Whether the screen is low for text of this size."""
        return self._area.height() < self._window.look.px(theme.LOW_SCREEN)

    @property
    def _is_wide(self) -> bool:
        return self._paper_width >= self._window.look.px(WIDE)

    def _set_paper_height(self, paper_height: int) -> None:
        window = self._window
        is_whole = can_place_windows() or (self.is_ordinary and not self._is_given_back)
        height = paper_height if is_whole else max(paper_height, self.most_height)
        bottom = self._bottom
        self._apply_size(QSize(self._paper_width, height).grownBy(window.shadow_margins))
        window.set_paper_height(None if is_whole else paper_height)
        if not window.isVisible():
            self._move_to_place()
        elif bottom is not None and can_place_windows():
            top = max(self._area.top(), bottom + 1 - paper_height)
            self._move(QPoint(self._paper.left(), top))

    def _apply_size(self, size: QSize) -> None:
        """Give the window a size: a fixed one, unless it is one that the user or the desktop resizes."""
        window, margins = self._window, self._window.shadow_margins
        if self.is_ordinary or self._is_resizing:
            least = _LEAST.boundedTo(self._area.size())
            window.setMinimumSize(least.grownBy(margins))
            window.setMaximumSize(self._area.size().grownBy(margins))
            self._asked_size = size
            window.resize(size)
        elif size != window.size() or window.minimumSize() != window.maximumSize():
            self._asked_size = size
            window.setFixedSize(size)

    def _move(self, corner: QPoint) -> None:
        margins = self._window.shadow_margins
        self._asked_place = corner - QPoint(margins.left(), margins.top())
        self._window.move(self._asked_place)

    @property
    def _bottom(self) -> int | None:
        """Where the lower edge of the paper stays, if it is the nearer one."""
        stored = self._here.get("bottom")
        return None if stored is None else self._area.bottom() - stored

    def _stay_inside(self, paper_height: int) -> None:
        """Move up a window that would grow out of its screen, as one does that was moved down."""
        paper, area = self._paper, self._area
        over = paper.top() + paper_height - (area.top() + area.height())
        if self._window.isVisible() and over > 0 and can_place_windows():
            self._move(QPoint(paper.left(), max(area.top(), paper.top() - over)))

    def _hold_paper(self) -> None:
        """Leave the paper where it is when the room around it changes."""
        before, self._margins = self._margins, self._window.shadow_margins
        if self._window.isVisible() and can_place_windows() and not self.is_given:
            corner = self._window.pos() + QPoint(before.left(), before.top())
            self._move(corner)
        self.resized.emit()

    def _watch(self, screen: QScreen) -> None:
        screen.availableGeometryChanged.connect(self._come_back_soon)

    def _come_back_soon(self) -> None:
        # Several signals come for one change, and the desktop moves windows meanwhile.
        self._coming_back.start(0)

    def _come_back(self) -> None:
        """Move to where the window belongs on the screens that are there now."""
        # One that the desktop has given its size stays, unless that was on a screen which is gone.
        is_inside = self._area.contains(self._paper)
        if not self._window.isVisible() or (self.is_given and is_inside):
            return
        self._settling.stop()
        self._is_moved = self._is_resizing = self.is_given = False
        self._decide_kind()
        if can_place_windows():
            self._move_to_place()
            # The desktop moves it, too, and later: that is no wish of the user either.
            self._shown.restart()
            self._arriving.start()
        self.resized.emit()

    @property
    def _paper(self) -> QRect:
        """The paper on the screen."""
        return self._window.paper.translated(self._window.pos())

    @property
    def _here(self) -> dict[str, int]:
        """What is stored for the screen of the window."""
        return self._stored.screens.get(self._window.screen().name(), {})

    @property
    def _area(self) -> QRect:
        return self._window.screen().availableGeometry()


def _is_button_down() -> bool:
    if not is_x11():
        return False
    from askance.system.x11 import is_button_down  # noqa: PLC0415 - Xlib is on X only

    return is_button_down()
