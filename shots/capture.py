"""From windows to pictures."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QDeadlineTimer, QEventLoop, QRectF, Qt, QTimer
from PySide6.QtGui import QImage, QPainter, QPainterPath, QPixmap
from PySide6.QtWidgets import QWidget

from askance.ui.design import theme
from askance.ui.design.frame import Frame
from askance.ui.design.theme import Look

_PATIENCE_MS = 240_000
_LOOK_MS = 15
# What moves only by a timer of its own may stand for a moment.
_STILL_LOOKS = 3


def wait(until: Callable[[], object]) -> None:
    """Let the program go on until something is so.

    Raises:
        TimeoutError: it is not so within four minutes, which is for a busy machine.
    """
    patience = QDeadlineTimer(_PATIENCE_MS)
    loop, look = QEventLoop(), QTimer()
    look.timeout.connect(loop.quit)
    look.start(_LOOK_MS)
    loop.exec()
    while not until():
        if patience.hasExpired():
            raise TimeoutError("The scene was not there within four minutes.")
        loop.exec()


def still(take: Callable[[], QImage]) -> QImage:
    """Return a picture once nothing in it changes any more.

    Raises:
        TimeoutError: it goes on changing for four minutes.
    """
    pictures = [take()]

    def stands() -> bool:
        pictures.append(take())
        return pictures[-1] == pictures[-2]

    for _ in range(_STILL_LOOKS):
        wait(stands)
    return pictures[-1]


def picture_of(window: QWidget, above: QWidget | None = None) -> QImage:
    """Return what a window of ours looks like, with the pop-up that lies above it, as far as that reaches."""
    if above is None:
        return window.grab().toImage()
    frames = [part.frameGeometry() for part in (window, above)]
    whole = frames[0].united(frames[1])
    ratio = window.devicePixelRatioF()
    picture = QPixmap(whole.size() * ratio)
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    for part, frame in zip((window, above), frames, strict=True):
        painter.drawPixmap(frame.topLeft() - whole.topLeft(), part.grab())
    painter.end()
    return picture.toImage()


def carded(window: QWidget, look: Look) -> QImage:
    """Return a window that has the system's frame as a card like the others.

    Every system draws its frame in another way, and none is drawn without a screen.
    """
    card = Frame(look)
    paper = window.size()
    margins = card.shadow_margins
    card.resize(paper.grownBy(margins))
    picture = card.grab()
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    place = QRectF(card.paper).adjusted(1, 1, -1, -1)
    round_ = QPainterPath()
    radius = theme.WINDOW_RADIUS - 1
    round_.addRoundedRect(place, radius, radius)
    painter.setClipPath(round_)
    painter.drawPixmap(card.paper.topLeft(), window.grab())
    painter.end()
    card.deleteLater()
    return picture.toImage()
