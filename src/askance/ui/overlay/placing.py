"""Where the overlay stands, and how it grows: on the screen of the pointer, and never out of it."""

from __future__ import annotations

from PySide6.QtCore import QAbstractAnimation, QEasingCurve, QObject, QRect, QVariantAnimation
from PySide6.QtGui import QCursor, QGuiApplication, QScreen

from askance.ui.design import tokens
from askance.ui.design.frame import Frame, centred_in_upper_third

# A step that is smaller than this is taken at once: text that streams grows by lines.
_SMALL_STEP = 60


class Placing(QObject):
    """Gives a frame its size and its place. While it is shown it stays where the user moved it."""

    def __init__(self, window: Frame) -> None:
        super().__init__(window)
        self._window = window
        self._growth = QVariantAnimation(self)
        self._growth.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._growth.valueChanged.connect(window.setFixedHeight)

    @property
    def is_growing(self) -> bool:
        """Whether a movement is under way."""
        return self._growth.state() is QAbstractAnimation.State.Running

    @property
    def most_height(self) -> int:
        """How high the paper may become, in logical pixels."""
        return int(self._area.height() * tokens.WINDOW_SHARE_OF_SCREEN)

    def place(self) -> None:
        """Put the window, which is hidden, in the upper third of the screen with the pointer."""
        self._window.setScreen(self._screen)
        self._set_width()
        corner = centred_in_upper_third(QRect(0, 0, self._paper_width, 0), self._area)
        margins = self._window.shadow_margins
        self._window.move(corner.x() - margins.left(), corner.y() - margins.top())

    def grow_to(self, paper_height: int) -> None:
        """Make the paper so high, in one movement where that is a long way."""
        window, margins = self._window, self._window.shadow_margins
        height = paper_height + margins.top() + margins.bottom()
        self._set_width()
        self._growth.stop()
        self._stay_inside(paper_height)
        step = abs(height - window.height())
        if not window.isVisible() or step < _SMALL_STEP or window.look.motion_ms == 0:
            window.setFixedHeight(height)
            return
        self._growth.setStartValue(window.height())
        self._growth.setEndValue(height)
        self._growth.setDuration(window.look.motion_ms)
        self._growth.start(QAbstractAnimation.DeletionPolicy.KeepWhenStopped)

    @property
    def _paper_width(self) -> int:
        look = self._window.look
        room = self._area.width() - 2 * look.px(tokens.SPACE_S)
        return min(look.px(tokens.WINDOW_WIDTH), room)

    def _set_width(self) -> None:
        margins = self._window.shadow_margins
        width = self._paper_width + margins.left() + margins.right()
        if width != self._window.width():
            self._window.setFixedWidth(width)

    def _stay_inside(self, paper_height: int) -> None:
        """Move up a window that would grow out of its screen, as one does that was moved down."""
        window, area = self._window, self._area
        margin = window.shadow_margins.top()
        top = window.y() + margin
        over = top + paper_height - (area.top() + area.height())
        if window.isVisible() and over > 0:
            window.move(window.x(), max(area.top(), top - over) - margin)

    @property
    def _screen(self) -> QScreen:
        """The screen of the window; while it is hidden, the one on which it would come up."""
        if self._window.isVisible():
            return self._window.screen()
        return QGuiApplication.screenAt(QCursor.pos()) or QGuiApplication.primaryScreen()

    @property
    def _area(self) -> QRect:
        return self._screen.availableGeometry()
