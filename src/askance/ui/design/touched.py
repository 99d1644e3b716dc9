"""Where a window takes the pointer: what is outside belongs to the window behind it.

Qt has a mask, which cuts off on X11 what is drawn, too, and a flag for windows without any input,
which has been seen to do nothing there.
"""

from __future__ import annotations

from PySide6.QtCore import QRect
from PySide6.QtGui import QGuiApplication, QRegion
from PySide6.QtWidgets import QWidget


def take_pointer_in(window: QWidget, part: QRect) -> None:
    """Let a window have the pointer only in a part of it, in its coordinates; nowhere if empty.

    Call it while the window is painted: before that, the server may not have heard of it. Windows
    and macOS are left as they are.
    """
    match QGuiApplication.platformName():
        case "xcb":
            from askance.adapters.desktop.input_shape import shape_input  # noqa: PLC0415 - Xlib is on X only

            # The widget's own number may be that of a window that Qt has replaced.
            number = int(window.windowHandle().winId())
            ratio = window.devicePixelRatioF()
            corner, size = part.topLeft() * ratio, part.size() * ratio
            shape_input(number, (corner.x(), corner.y(), size.width(), size.height()))
        case "wayland" if not part.isEmpty():  # without input is what the flag says
            window.windowHandle().setMask(QRegion(part))
        case _:
            pass
