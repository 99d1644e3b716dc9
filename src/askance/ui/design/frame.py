"""A window without the system's frame: rounded paper with a hairline and a shadow that takes no clicks."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from PySide6.QtCore import (
    QEvent,
    QMargins,
    QPoint,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    QTimer,
    Signal,
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
from askance.ui.design.x_watch import x_watch


class Shadow(NamedTuple):
    """How far a shadow reaches around the paper, how far it falls below it, and how dark it is in light and dark."""

    reach: int
    drop: int
    light: float
    dark: float


# Of the window that has the keyboard, and of one that has not. The first gives both their margins, so that nothing
# moves with the focus.
LIFTED, RESTING = Shadow(36, 10, 0.2, 0.5), Shadow(10, 3, 0.09, 0.27)
_SHADOW_STEPS = 48
# Where the pointer resizes a window: around the paper, inside of a plain edge, and so far along it from a corner.
GRIP = 8
_PLAIN_GRIP = 4
_CORNER_GRIP = 16


class TopLevelWindow(Styled, QWidget):
    """A top-level window. Tab goes through it in reading order."""

    _lent_keyboard = False

    def event(self, event: QEvent) -> bool:
        """Keep the typeface when the desktop changes its theme, and have the keyboard back from a dialog."""
        match event.type():
            case QEvent.Type.ThemeChange:
                apply_font(self.look)
            case QEvent.Type.WindowBlocked:
                self._lent_keyboard = self.isActiveWindow()
            case QEvent.Type.WindowUnblocked if self._lent_keyboard and is_x11():
                # Some window managers give it to none of those that are in no list of windows.
                QTimer.singleShot(0, self, self._take_keyboard)
            case _:
                pass
        return super().event(event)

    def _take_keyboard(self) -> None:
        if self.isVisible():
            bring_up(self)

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
    active_changed = Signal(bool)
    """The window has the keyboard from now on, or not any more."""
    margins_changed = Signal()
    """A compositor came or went: the paper lies elsewhere in the window."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent, self.kind | Qt.WindowType.FramelessWindowHint)
        self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
        # Whether the paper has a square edge and no shadow, and whether it looks as a window with the keyboard does.
        self.is_plain = not can_be_seen_through()
        self.is_active = True
        self.grips: EdgeGrips | None = None
        self._touched: QRect | None = None
        self._declared: QMargins | None = None
        self._pressed: QPoint | None = None
        self._paper_height: int | None = None
        self.contents = QVBoxLayout(self)
        self.contents.setSpacing(0)
        self.contents.setContentsMargins(self.shadow_margins)
        if watch := x_watch():
            watch.compositor_changed.connect(self._follow_compositor)

    @property
    def shadow_margins(self) -> QMargins:
        """The room around the paper, in logical pixels: that of the shadow, or of a plain edge."""
        if self.is_plain:
            return QMargins(1, 1, 1, 1)
        reach, drop, *_ = LIFTED
        return QMargins(reach, reach - drop, reach, reach + drop)

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
        if is_plain is not self.is_plain:
            self.is_plain = is_plain
            self._inset()
            self.update()
            self.margins_changed.emit()

    def event(self, event: QEvent) -> bool:
        """Look as a window with the keyboard does, or as one without."""
        kinds = (QEvent.Type.WindowActivate, QEvent.Type.WindowDeactivate)
        if event.type() in kinds and self.is_active is not (event.type() is kinds[0]):
            self.is_active = not self.is_active
            self.update()
            self.active_changed.emit(self.is_active)
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's interface
        """Draw the shadow, the paper and the hairline around it."""
        colours, paper, ground = self.look.colours, self.paper, self.ground
        # Elsewhere, where there is only shadow, the pointer is for the windows behind. Only where it has changed: on
        # X11 this is a request to the server, and painting comes often.
        if (touched := self._touchable if self.takes_pointer else QRect()) != self._touched:
            self._touched = touched
            take_pointer_in(self, touched)
        with QPainter(self) as painter:
            if self.is_plain:
                # Nothing sets this window apart from those behind it but its edge.
                painter.fillRect(self.rect(), QColor(colours.line_2))
                painter.fillRect(paper, QColor(ground))
                return
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            shadow = LIFTED if self.is_active else RESTING
            _draw_shadow(painter, paper, shadow, self.look.is_dark, self.devicePixelRatioF())
            box = QRectF(paper).adjusted(0.5, 0.5, -0.5, -0.5)
            draw_box(painter, box, ground, colours.line, self.radius)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the contents on the paper."""
        super().resizeEvent(event)
        self._inset()

    def showEvent(self, event: QShowEvent) -> None:
        """Say anew where it can be touched: the desktop forgets it with the window."""
        super().showEvent(event)
        self._touched = self._declared = None
        self._declare_margins()

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
        if self.grips is not None:
            self.grips.surround(self._touchable, self.paper)
        self._declare_margins()

    @property
    def _touchable(self) -> QRect:
        """Where the pointer is for this window: the paper, and the grips beside it."""
        is_wider = self.grips is not None and not self.is_plain
        around = GRIP if is_wider else 0
        return self.paper.adjusted(-around, -around, around, around)

    def _follow_compositor(self) -> None:
        self.set_plain(not can_be_seen_through())

    def _declare_margins(self) -> None:
        margins = QMargins() if self.is_plain else self.contents.contentsMargins()
        if self.isVisible() and margins != self._declared:
            self._declared = margins
            declare_margins(self, margins)


class EdgeGrips(QWidget):
    """The edges of a frame, at which the pointer resizes it. It lies above all else in the frame, and is a ring."""

    pressed = Signal()
    """A button went down on an edge: the window may change its size from now on."""

    def __init__(self, frame: Frame) -> None:
        super().__init__(frame)
        self._frame = frame
        self._edges = Qt.Edge(0)
        self._start: tuple[QPoint, QRect] | None = None
        self.setMouseTracking(True)
        frame.grips = self

    def surround(self, outer: QRect, paper: QRect) -> None:
        """Lie around the paper, as far as `outer`; inside of an edge that has nothing around it."""
        self.setGeometry(self._frame.rect())
        thin = _PLAIN_GRIP if outer == paper else 0
        inner = paper.adjusted(thin, thin, -thin, -thin)
        self.setMask(QRegion(outer).subtracted(QRegion(inner)))
        self.raise_()

    def edges_at(self, at: QPoint) -> Qt.Edge:
        """Return the edges that follow a pointer which is pressed there."""
        paper, edges = self._frame.paper, Qt.Edge(0)
        # Near a corner both of its edges are meant.
        inner = paper.adjusted(_CORNER_GRIP, _CORNER_GRIP, -_CORNER_GRIP, -_CORNER_GRIP)
        if at.x() < inner.left():
            edges |= Qt.Edge.LeftEdge
        elif at.x() > inner.right():
            edges |= Qt.Edge.RightEdge
        if at.y() < inner.top():
            edges |= Qt.Edge.TopEdge
        elif at.y() > inner.bottom():
            edges |= Qt.Edge.BottomEdge
        return edges

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Remember what is to be resized."""
        if event.button() is Qt.MouseButton.LeftButton:
            self._edges = self.edges_at(event.position().toPoint())
            self._start = (event.globalPosition().toPoint(), self._frame.geometry())
            self.pressed.emit()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Show what would be resized; resize once the pointer is plainly dragged, as the desktop does it."""
        if self._start is None or not event.buttons() & Qt.MouseButton.LeftButton:
            self.setCursor(_CURSORS.get(self.edges_at(event.position().toPoint()), _ALONG_ROW))
            return
        (start, box), at = self._start, event.globalPosition().toPoint()
        if (at - start).manhattanLength() < GRIP // 2:
            return
        if self._frame.windowHandle().startSystemResize(self._edges):
            self._start = None
            return
        # No desktop does it, as on macOS.
        way, edges = at - start, self._edges
        least, most = self._frame.minimumSize(), self._frame.maximumSize()
        size = box.size()
        size += QSize(_way(way.x(), edges, *_ACROSS), _way(way.y(), edges, *_DOWN))
        size = size.expandedTo(least).boundedTo(most)
        grown = QRect(box.topLeft(), size)
        if edges & Qt.Edge.LeftEdge:
            grown.moveRight(box.right())
        if edges & Qt.Edge.TopEdge:
            grown.moveBottom(box.bottom())
        self._frame.setGeometry(grown)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: ARG002 - Qt's interface
        """Let go of it."""
        self._start = None


_ACROSS = (Qt.Edge.LeftEdge, Qt.Edge.RightEdge)
_DOWN = (Qt.Edge.TopEdge, Qt.Edge.BottomEdge)
_ALONG_ROW = Qt.CursorShape.SizeHorCursor
_CURSORS = {
    Qt.Edge.TopEdge: Qt.CursorShape.SizeVerCursor,
    Qt.Edge.BottomEdge: Qt.CursorShape.SizeVerCursor,
    Qt.Edge.TopEdge | Qt.Edge.LeftEdge: Qt.CursorShape.SizeFDiagCursor,
    Qt.Edge.BottomEdge | Qt.Edge.RightEdge: Qt.CursorShape.SizeFDiagCursor,
    Qt.Edge.TopEdge | Qt.Edge.RightEdge: Qt.CursorShape.SizeBDiagCursor,
    Qt.Edge.BottomEdge | Qt.Edge.LeftEdge: Qt.CursorShape.SizeBDiagCursor,
}


def _way(way: int, edges: Qt.Edge, before: Qt.Edge, after: Qt.Edge) -> int:
    """Return by how much a window grows when one of two edges follows the pointer."""
    return -way if edges & before else way if edges & after else 0


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
    if not is_x11():
        return False
    from askance.system.x11 import activate  # noqa: PLC0415 - Xlib is on Linux only

    return activate(int(window.windowHandle().winId()))


def is_here(window: QWidget) -> bool:
    """Whether a window that is shown is on the desktop that the user sees: the active one, where nobody says more."""
    is_active = window.isActiveWindow()
    if is_x11():
        from askance.system.x11 import is_on_current_desktop  # noqa: PLC0415 - Xlib is on Linux only

        return is_on_current_desktop(int(window.windowHandle().winId()), otherwise=is_active)
    return is_active or can_place_windows()


def is_x11() -> bool:
    """Whether windows are on an X server, which is asked then what Qt does not ask."""
    return QGuiApplication.platformName() == "xcb"


def can_place_windows() -> bool:
    """Whether a window comes up, and is moved, where the program says: not so under Wayland."""
    return QGuiApplication.platformName() != "wayland"


def can_be_seen_through() -> bool:
    """Whether a window may have parts that show what is behind it.

    It may everywhere but on an X server that no compositor runs on.
    """
    if not is_x11():
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


def declare_margins(window: QWidget, margins: QMargins) -> None:
    """Say how much of a window, which is shown, is shadow: compositors draw none of their own around that."""
    if is_x11():
        from askance.system.x11 import declare_frame  # noqa: PLC0415 - Xlib is on X only

        around = margins * window.devicePixelRatioF()
        sides = (around.left(), around.right(), around.top(), around.bottom())
        declare_frame(int(window.windowHandle().winId()), sides)


def screen_of_pointer() -> QScreen:
    """Return the screen that holds the pointer."""
    # `screenAt` has none where screens of different heights leave a corner empty.
    return QGuiApplication.screenAt(QCursor.pos()) or QGuiApplication.primaryScreen()


def screen_of(overlay: QWidget) -> QScreen:
    """Return the screen where the overlay is, or would come up."""
    return overlay.screen() if overlay.isVisible() else screen_of_pointer()


def centre_on_screen_of(window: QWidget, overlay: QWidget) -> None:
    """Put a window that is hidden into the middle of the screen where the overlay is, or would come up."""
    if window.isVisible() or not can_place_windows():
        return
    screen = screen_of(overlay)
    window.setScreen(screen)
    # Margins of a shadow are the same on the left and on the right.
    box = QRect(QPoint(), window.size())
    box.moveCenter(screen.availableGeometry().center())
    window.move(box.topLeft())


_TOP_SHARE = 0.22


def centred_in_upper_third(size: QRect, screen: QRect) -> QPoint:
    """Return where a window of that size belongs: centred, its top a little above a quarter of the screen.

    One that is too high for that begins further up.
    """
    left = screen.left() + (screen.width() - size.width()) // 2
    lowest = screen.top() + screen.height() - size.height()
    top = min(screen.top() + int(screen.height() * _TOP_SHARE), lowest)
    return QPoint(left, max(screen.top(), top))


def _draw_shadow(
    painter: QPainter, paper: QRect, shadow: Shadow, is_dark: bool, ratio: float
) -> None:
    """Stretch the shadow's nine parts around the paper."""
    picture = _shadow(shadow, is_dark, ratio)
    corner = _corner_of(shadow)
    side = picture.width() / ratio
    # Corners are drawn as they are; only the edges and the middle are stretched.
    reach = shadow.reach
    outer = paper.adjusted(-reach, -reach, reach, reach).translated(0, shadow.drop)
    sources = [(0.0, corner), (corner, side - 2 * corner), (side - corner, corner)]
    columns = _parts(outer.left(), outer.width(), corner)
    rows = _parts(outer.top(), outer.height(), corner)
    for (top, height), (source_top, source_height) in zip(rows, sources, strict=True):
        for (left, width), (source_left, source_width) in zip(columns, sources, strict=True):
            source = QRectF(source_left, source_top, source_width, source_height)
            part = QRectF(source.topLeft() * ratio, source.size() * ratio)
            painter.drawPixmap(QRectF(left, top, width, height), picture, part)


def _parts(start: int, length: int, corner: int) -> list[tuple[int, int]]:
    return [
        (start, corner),
        (start + corner, max(0, length - 2 * corner)),
        (start + length - corner, corner),
    ]


def _corner_of(shadow: Shadow) -> int:
    """Return the side of a corner: the fade as far in as it can be seen under the paper's lower edge, and the curve."""
    return shadow.reach + 2 * shadow.drop + theme.WINDOW_RADIUS


# Two shadows in two schemes on the few pixel ratios of the screens there are.
@lru_cache(maxsize=16)
def _shadow(shadow: Shadow, is_dark: bool, ratio: float) -> QPixmap:
    """Paint the shadow of a small paper once: rounded steps that fade like a blur does."""
    side = 2 * _corner_of(shadow) + 2
    picture = QPixmap(round(side * ratio), round(side * ratio))
    picture.fill(Qt.GlobalColor.transparent)
    picture.setDevicePixelRatio(ratio)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    strength = shadow.dark if is_dark else shadow.light
    fade = shadow.reach + 2 * shadow.drop
    opacity = 0.0
    for step in range(_SHADOW_STEPS):
        inset = fade * (step + 1) / _SHADOW_STEPS
        # A blur reaches as far in as out, and has half of its strength at the edge.
        share = inset / (2 * shadow.reach)
        # Smoothstep (3s² - 2s³): no edge is seen where the fade begins and where it ends.
        wanted = strength * share * share * (3 - 2 * share)
        # Each step is laid over those before it: what it adds is the difference to the wanted sum.
        added = (wanted - opacity) / (1 - opacity)
        opacity = wanted
        painter.setBrush(QColor.fromRgbF(0, 0, 0, added))
        radius = theme.WINDOW_RADIUS + max(0.0, shadow.reach - inset)
        painter.drawRoundedRect(
            QRectF(QPointF(inset, inset), QPointF(side - inset, side - inset)), radius, radius
        )
    painter.end()
    return picture
