"""A window without the system's frame: rounded paper with a hairline and a shadow that takes no clicks."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import (
    QAbstractAnimation,
    QEasingCurve,
    QEvent,
    QMargins,
    QObject,
    QPoint,
    QPointF,
    QRect,
    QRectF,
    Qt,
    QVariantAnimation,
)
from PySide6.QtGui import (
    QColor,
    QCursor,
    QGuiApplication,
    QHideEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPixmap,
    QRegion,
    QResizeEvent,
    QScreen,
    QShowEvent,
)
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from askance.ui.design import theme
from askance.ui.design.composing import Styled
from askance.ui.design.drawing import draw_box
from askance.ui.design.focus import move_focus
from askance.ui.design.theme import Look, apply_font

# The shadow reaches so far around the paper, and falls so far below it.
SHADOW_REACH = 36
SHADOW_DROP = 10
# It is at its darkest only well under the paper, so that no edge of it shows below.
_FADE = SHADOW_REACH + 2 * SHADOW_DROP
_CORNER = _FADE + theme.WINDOW_RADIUS
_SHADOW_STEPS = 48
_STRENGTH_LIGHT = 0.15
_STRENGTH_DARK = 0.45


class TopLevelWindow(Styled, QWidget):
    """A top-level window. Tab goes through it in reading order."""

    def event(self, event: QEvent) -> bool:
        """Keep the typeface when the desktop changes its theme."""
        if event.type() is QEvent.Type.ThemeChange:
            apply_font(self.look)
        return super().event(event)

    def focusNextPrevChild(self, next: bool) -> bool:  # noqa: A002 - Qt's interface
        """Move the focus in reading order."""
        return move_focus(self, next)


class Frame(TopLevelWindow):
    """A top-level window whose contents lie on rounded paper. Fill `contents`, a vertical layout.

    The shadow is painted from one small picture that is stretched, so that a window that grows
    costs no blur. It can be moved by its empty parts; clicks on the shadow are not for it. Where no
    window can be seen through, corners and shadow would be black: the paper is all there is.

    The paper may be lower than the window: what is below it and its shadow is transparent then.
    """

    # All of them stay on top, since the overlay does: another one would open behind it.
    kind = Qt.WindowType.Window | Qt.WindowType.WindowStaysOnTopHint
    takes_pointer = True
    radius = theme.WINDOW_RADIUS

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent, self.kind | Qt.WindowType.FramelessWindowHint)
        self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
        self._is_plain = not can_be_seen_through()
        self._touched: QRect | None = None
        self._pressed: QPoint | None = None
        self._paper_height: int | None = None
        self.contents = QVBoxLayout(self)
        self.contents.setSpacing(0)
        self.contents.setContentsMargins(self.shadow_margins)

    @property
    def shadow_margins(self) -> QMargins:
        """The room around the paper, in logical pixels: that of the shadow, or of a plain edge."""
        if self._is_plain:
            return QMargins(1, 1, 1, 1)
        reach = SHADOW_REACH
        return QMargins(reach, reach - SHADOW_DROP, reach, reach + SHADOW_DROP)

    @property
    def paper(self) -> QRect:
        """The paper, in the window's coordinates."""
        paper = self.rect().marginsRemoved(self.shadow_margins)
        if self._paper_height is not None:
            paper.setHeight(min(paper.height(), self._paper_height))
        return paper

    @property
    def ground(self) -> str:
        """The colour of the paper."""
        return self.look.colours.paper

    def set_paper_height(self, height: int | None) -> None:
        """Make the paper so high, in logical pixels, within the window; as the window is if None."""
        self._paper_height = height
        self._inset()
        self.update()

    def set_plain(self, is_plain: bool) -> None:
        """Draw the paper alone, with a square edge, or with round corners and its shadow."""
        if is_plain is not self._is_plain:
            self._is_plain = is_plain
            self._inset()
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's interface
        """Draw the shadow, the paper and the hairline around it."""
        colours, paper, ground = self.look.colours, self.paper, self.ground
        self._be_touched(paper if self.takes_pointer else QRect())
        with QPainter(self) as painter:
            if self._is_plain:
                # Nothing sets this window apart from those behind it but its edge.
                painter.fillRect(self.rect(), QColor(colours.ink_3))
                painter.fillRect(paper, QColor(ground))
                return
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            _draw_shadow(painter, paper, self.look.is_dark, self.devicePixelRatioF())
            box = QRectF(paper).adjusted(0.5, 0.5, -0.5, -0.5)
            draw_box(painter, box, ground, colours.line, self.radius)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the contents on the paper."""
        super().resizeEvent(event)
        self._inset()

    def showEvent(self, event: QShowEvent) -> None:
        """Say anew where it can be touched: the desktop forgets it with the window."""
        super().showEvent(event)
        self._touched = None

    def hideEvent(self, event: QHideEvent) -> None:
        """Close what is open above it: Qt leaves menus, tooltips and other windows of its parts."""
        super().hideEvent(event)
        for window in QApplication.topLevelWidgets():
            parent = window.parentWidget()
            if parent is not None and parent.window() is self:
                window.close()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Remember where a movement may begin: at the empty parts of the paper."""
        at = event.position().toPoint()
        is_left = event.button() is Qt.MouseButton.LeftButton
        # In the shadow nothing begins: where that takes clicks all the same, they are not meant for
        # this window.
        self._pressed = at if is_left and self.paper.contains(at) else None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Let the window be moved once the pointer is plainly dragged.

        Not before: the desktop receives it later than the end of a short click, and would let
        the window hang on the pointer.
        """
        if self._pressed is None or not event.buttons() & Qt.MouseButton.LeftButton:
            return
        way = event.position().toPoint() - self._pressed
        if way.manhattanLength() >= QApplication.startDragDistance():
            self._pressed = None
            self.windowHandle().startSystemMove()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: ARG002 - Qt's interface
        """Forget where it was pressed."""
        self._pressed = None

    def _inset(self) -> None:
        margins, paper = self.shadow_margins, self.paper
        # All that the paper leaves of the window's height lies below it.
        margins.setBottom(self.height() - paper.top() - paper.height())
        self.contents.setContentsMargins(margins)

    def _be_touched(self, part: QRect) -> None:
        """Leave the pointer to the windows behind wherever there is only shadow."""
        # Only where it has changed: on X11 this is a request to the server, and painting comes
        # often.
        if part != self._touched:
            self._touched = part
            take_pointer_in(self, part)


# A step that is smaller than this is taken at once: text that streams grows by lines.
_SMALL_STEP = 60


class FramePlacement(QObject):
    """Gives a frame its size and its place: on the screen of the pointer, and never out of it.

    While it is shown it stays where the user moved it. Where the compositor places windows, it does
    so once, by the size that they have then, and they cannot move up as they grow: there the window
    is as high as it may become from the start, and only the paper in it grows.
    """

    def __init__(self, window: Frame) -> None:
        super().__init__(window)
        self._window = window
        self._growth = QVariantAnimation(self)
        self._growth.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._growth.valueChanged.connect(self._set_paper_height)

    @property
    def is_growing(self) -> bool:
        """Whether a movement is under way."""
        return self._growth.state() is QAbstractAnimation.State.Running

    @property
    def is_on_screen(self) -> bool:
        """Whether a part of the paper, which is shown, lies on the screen with the pointer."""
        paper = self._window.paper.translated(self._window.pos())
        return not can_place_windows() or screen_of_pointer().geometry().intersects(paper)

    @property
    def most_height(self) -> int:
        """How high the paper may become, in logical pixels."""
        height = self._area.height()
        is_low = height < theme.LOW_SCREEN
        share = theme.WINDOW_SHARE_OF_LOW_SCREEN if is_low else theme.WINDOW_SHARE_OF_SCREEN
        return int(height * share)

    def place(self) -> None:
        """Put the window, which is hidden, in the upper third of the screen with the pointer."""
        # The screen first: the width follows from it.
        self._window.setScreen(self._screen)
        self._set_width()
        corner = centred_in_upper_third(QRect(0, 0, self._paper_width, 0), self._area)
        margins = self._window.shadow_margins
        self._window.move(corner.x() - margins.left(), corner.y() - margins.top())

    def grow_to(self, paper_height: int) -> None:
        """Make the paper so high, in one movement where that is a long way."""
        window = self._window
        self._set_width()
        self._growth.stop()
        # Before it grows, so that no frame of the movement reaches out of the screen.
        self._stay_inside(paper_height)
        before = window.paper.height()
        step = abs(paper_height - before)
        if not window.isVisible() or step < _SMALL_STEP or window.look.motion_ms == 0:
            self._set_paper_height(paper_height)
            return
        self._growth.setStartValue(before)
        self._growth.setEndValue(paper_height)
        self._growth.setDuration(window.look.motion_ms)
        self._growth.start(QAbstractAnimation.DeletionPolicy.KeepWhenStopped)

    @property
    def _paper_width(self) -> int:
        look = self._window.look
        room = self._area.width() - 2 * look.px(theme.SPACE_S)
        return min(look.px(theme.WINDOW_WIDTH), room)

    def _set_width(self) -> None:
        margins = self._window.shadow_margins
        width = self._paper_width + margins.left() + margins.right()
        if width != self._window.width():
            self._window.setFixedWidth(width)

    def _set_paper_height(self, paper_height: int) -> None:
        window, margins = self._window, self._window.shadow_margins
        around = margins.top() + margins.bottom()
        if can_place_windows():
            window.set_paper_height(None)
            window.setFixedHeight(paper_height + around)
        else:
            window.setFixedHeight(max(paper_height, self.most_height) + around)
            window.set_paper_height(paper_height)

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
        return self._window.screen() if self._window.isVisible() else screen_of_pointer()

    @property
    def _area(self) -> QRect:
        return self._screen.availableGeometry()


def bring_up(window: QWidget) -> None:
    """Show a window before all others, put away or on another desktop or not, and let it have the keyboard."""
    if window.isVisible() and not is_here(window):
        # One that comes up anew is put on the desktop that is shown, before all others. Wayland's compositors raise
        # one that is seen only with a token of theirs, and some not even then: sway's, for what a key of it starts,
        # is good for new windows alone.
        window.hide()
    window.setWindowState(window.windowState() & ~Qt.WindowState.WindowMinimized)
    window.show()
    window.raise_()
    if not _has_activated(window):
        window.activateWindow()
    # Not `isActiveWindow`, which is True here: it goes by the focus alone.
    is_active = QApplication.activeWindow() is window
    if not is_active and QGuiApplication.focusWindow() is window.windowHandle():
        # It was hidden and comes back before the desktop took the keyboard from it: Qt, which takes
        # a hidden window for inactive, gets no event, and would take it for inactive for ever.
        QApplication.setActiveWindow(window)


def _has_activated(window: QWidget) -> bool:
    if QGuiApplication.platformName() != "xcb":
        return False
    from askance.system.x11 import activate  # noqa: PLC0415 - Xlib is on Linux only

    return activate(int(window.windowHandle().winId()))


def is_here(window: QWidget) -> bool:
    """Whether a window that is shown is on the desktop that the user sees: the active one, where nobody says more."""
    is_active = window.isActiveWindow()
    if QGuiApplication.platformName() == "xcb":
        from askance.system.x11 import is_on_current_desktop  # noqa: PLC0415 - Xlib is on Linux only

        return is_on_current_desktop(int(window.windowHandle().winId()), otherwise=is_active)
    return is_active or can_place_windows()


def can_place_windows() -> bool:
    """Whether a window comes up, and is moved, where the program says: not so under Wayland."""
    return QGuiApplication.platformName() != "wayland"


def can_be_seen_through() -> bool:
    """Whether a window may have parts that show what is behind it.

    It may everywhere but on an X server that no compositor runs on.
    """
    if QGuiApplication.platformName() != "xcb":
        return True
    from askance.system.x11 import has_compositor  # noqa: PLC0415 - Xlib is on Linux only

    return has_compositor()


def take_pointer_in(window: QWidget, part: QRect) -> None:
    """Let a window have the pointer only in a part of it, in its coordinates; nowhere if empty.

    Call it while the window is painted: before that, the server may not know of it. Windows
    and macOS are left as they are. Qt's mask cuts off on X11 what is drawn, too, and its flag for
    windows without any input has been seen to do nothing there.
    """
    match QGuiApplication.platformName():
        case "xcb":
            from askance.system.x11 import shape_input  # noqa: PLC0415 - Xlib is on X only

            # The widget's own number may be that of a window that Qt has replaced.
            number = int(window.windowHandle().winId())
            ratio = window.devicePixelRatioF()
            corner, size = part.topLeft() * ratio, part.size() * ratio
            shape_input(number, (corner.x(), corner.y(), size.width(), size.height()))
        case "wayland" if not part.isEmpty():  # without input is what the flag says
            window.windowHandle().setMask(QRegion(part))
        case _:
            pass


def screen_of_pointer() -> QScreen:
    """Return the screen that holds the pointer."""
    # `screenAt` has none where screens of different heights leave a corner empty.
    return QGuiApplication.screenAt(QCursor.pos()) or QGuiApplication.primaryScreen()


def centred_in_upper_third(size: QRect, screen: QRect) -> QPoint:
    """Return where a window of that size belongs: centred, its top at a fifth of the screen.

    One that is too high for that begins further up.
    """
    left = screen.left() + (screen.width() - size.width()) // 2
    lowest = screen.top() + screen.height() - size.height()
    return QPoint(left, max(screen.top(), min(screen.top() + screen.height() // 5, lowest)))


def _draw_shadow(painter: QPainter, paper: QRect, is_dark: bool, ratio: float) -> None:
    """Stretch the shadow's nine parts around the paper."""
    picture = _shadow(is_dark, ratio)
    corner = _CORNER
    side = picture.width() / ratio
    # Corners are drawn as they are; only the edges and the middle are stretched.
    outer = paper.adjusted(-SHADOW_REACH, -SHADOW_REACH, SHADOW_REACH, SHADOW_REACH)
    outer.translate(0, SHADOW_DROP)
    sources = [(0.0, corner), (corner, side - 2 * corner), (side - corner, corner)]
    columns = _parts(outer.left(), outer.width(), corner)
    rows = _parts(outer.top(), outer.height(), corner)
    for (top, height), (source_top, source_height) in zip(rows, sources, strict=True):
        for (left, width), (source_left, source_width) in zip(columns, sources, strict=True):
            painter.drawPixmap(
                QRectF(left, top, width, height),
                picture,
                QRectF(
                    source_left * ratio,
                    source_top * ratio,
                    source_width * ratio,
                    source_height * ratio,
                ),
            )


def _parts(start: int, length: int, corner: int) -> list[tuple[int, int]]:
    return [
        (start, corner),
        (start + corner, max(0, length - 2 * corner)),
        (start + length - corner, corner),
    ]


# Two schemes on the few pixel ratios of the screens there are.
@lru_cache(maxsize=8)
def _shadow(is_dark: bool, ratio: float) -> QPixmap:
    """Paint the shadow of a small paper once: rounded steps that fade like a blur does."""
    side = 2 * _CORNER + 2
    picture = QPixmap(round(side * ratio), round(side * ratio))
    picture.fill(Qt.GlobalColor.transparent)
    picture.setDevicePixelRatio(ratio)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    strength = _STRENGTH_DARK if is_dark else _STRENGTH_LIGHT
    opacity = 0.0
    for step in range(_SHADOW_STEPS):
        # Each step is laid over those before it: what it adds is the difference to the wanted sum.
        share = (step + 1) / _SHADOW_STEPS
        # Smoothstep (3s² - 2s³): no edge is seen where the fade begins and where it ends.
        wanted = strength * share * share * (3 - 2 * share)
        added = (wanted - opacity) / (1 - opacity)
        opacity = wanted
        inset = _FADE * share
        painter.setBrush(QColor.fromRgbF(0, 0, 0, added))
        radius = theme.WINDOW_RADIUS + max(0.0, SHADOW_REACH - inset)
        painter.drawRoundedRect(
            QRectF(QPointF(inset, inset), QPointF(side - inset, side - inset)), radius, radius
        )
    painter.end()
    return picture
