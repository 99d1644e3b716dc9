"""Where an X server gives a window the pointer: what is outside belongs to the window behind it."""

from __future__ import annotations

from Xlib import error
from Xlib.display import Display
from Xlib.ext import shape

from askance.adapters.desktop.x_connection import shared

_UNSORTED = 0
Box = tuple[int, int, int, int]


def shape_input(window: int, box: Box) -> None:
    """Let a window, by its number, have the pointer only in a box of it: x, y, width and height.

    An empty box is nowhere. All are in the server's pixels. A server without the extension for it leaves all as it is.
    """
    shared.ask(lambda display: _shape(display, window, box), otherwise=None)


def _shape(display: Display, window: int, box: Box) -> None:
    if not display.has_extension(shape.extname):
        return
    x, y, width, height = box
    shape.Rectangles(
        display=display.display,
        opcode=display.display.get_extension_major(shape.extname),
        # The window may be gone by now.
        onerror=error.CatchError(error.BadWindow),
        operation=shape.SO.Set,
        destination_kind=shape.SK.Input,
        ordering=_UNSORTED,
        destination_window=window,
        x_offset=0,
        y_offset=0,
        rectangles=[{"x": x, "y": y, "width": width, "height": height}],
    )
    display.flush()
