"""Tab in reading order, whenever widgets were made, and scrolling to what has the focus.

Qt goes by the order in which widgets were made. An exchange of an old conversation is made after
the newer ones, and the sources of an answer after the bar at the foot of the window.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cmp_to_key

from PySide6.QtCore import QRect, Qt
from PySide6.QtWidgets import QScrollArea, QWidget

_LAST = "read last"
# So much is seen above and below what is scrolled to: its ring, and that there is more.
_BESIDE = 8


def move_focus(window: QWidget, forward: bool) -> bool:
    """Move the focus to what is read next in a window, from its end to its start again.

    For `focusNextPrevChild` of a window. Return False if nothing else in it takes the focus.
    """
    here = window.focusWidget() or window
    there = next(_from(here, window, forward), None) or next(_within(window, forward), None)
    if there is None or there is here:
        return False
    reason = Qt.FocusReason.TabFocusReason if forward else Qt.FocusReason.BacktabFocusReason
    there.setFocus(reason)
    show_all_of(there)
    return True


def reading_order(window: QWidget) -> list[QWidget]:
    """Return all that Tab reaches, in the order in which it does."""
    return list(_within(window, forward=True))


def read_last(widget: QWidget) -> None:
    """Let a widget be read after all that stands beside it, wherever its place is."""
    widget.setProperty(_LAST, True)


def show_all_of(widget: QWidget) -> None:
    """Scroll what scrolls around a widget until it is seen; of a large one, where its cursor is."""
    above = widget.parentWidget()
    while above is not None:
        if isinstance(above, QScrollArea) and (inside := above.widget()) is not None:
            part = widget.rect()
            if part.height() > above.viewport().height():
                part = widget.inputMethodQuery(Qt.InputMethodQuery.ImCursorRectangle)
            middle = widget.mapTo(inside, part.center())
            above.ensureVisible(middle.x(), middle.y(), 0, part.height() // 2 + _BESIDE)
        above = above.parentWidget()


def _from(here: QWidget, window: QWidget, forward: bool) -> Iterator[QWidget]:
    """Yield what takes the focus beyond a widget, the nearest first."""
    if forward:
        yield from _below(here, forward)
    while here is not window:
        parent = here.parentWidget()
        assert parent is not None  # it is in the window
        beside = _ordered(parent, forward)
        # What has just been hidden is not among them, and has its place all the same.
        at = beside.index(here) if here in beside else _place_of(here, beside, forward) - 1
        for widget in beside[at + 1 :]:
            yield from _within(widget, forward)
        here = parent
        if not forward and here is not window and _takes_focus(here):
            yield here


def _within(widget: QWidget, forward: bool) -> Iterator[QWidget]:
    """Yield what takes the focus in a widget; itself comes before what is in it."""
    takes = _takes_focus(widget)
    if takes and forward:
        yield widget
    yield from _below(widget, forward)
    if takes and not forward:
        yield widget


def _below(widget: QWidget, forward: bool) -> Iterator[QWidget]:
    for child in _ordered(widget, forward):
        yield from _within(child, forward)


def _takes_focus(widget: QWidget) -> bool:
    by_tab = widget.focusPolicy() & Qt.FocusPolicy.TabFocus
    return bool(by_tab) and widget.focusProxy() is None and widget.isEnabled()


def _ordered(parent: QWidget, forward: bool) -> list[QWidget]:
    """Return the visible children of a widget in the order in which they are read, or backwards."""
    found = [
        child
        for child in parent.children()
        if isinstance(child, QWidget) and not child.isWindow() and not child.isHidden()
    ]
    found.sort(key=cmp_to_key(_compare), reverse=not forward)
    return found


def _place_of(hidden: QWidget, others: Sequence[QWidget], forward: bool) -> int:
    """Return before which of the others a widget would stand."""
    return sum((_compare(other, hidden) < 0) is forward for other in others)


def _compare(one: QWidget, other: QWidget) -> int:
    """Return less than 0 if the first of two siblings is read before the other."""
    last = bool(one.property(_LAST)) - bool(other.property(_LAST))
    if last:
        return last
    a, b = one.geometry(), other.geometry()
    if not _stand_in_a_row(a, b):
        return a.center().y() - b.center().y()
    across = a.center().x() - b.center().x()
    right_to_left = one.layoutDirection() is Qt.LayoutDirection.RightToLeft
    return -across if right_to_left else across


def _stand_in_a_row(one: QRect, other: QRect) -> bool:
    """Return whether two parts lie side by side, over half of the lower one's height at least."""
    shared = min(one.bottom(), other.bottom()) - max(one.top(), other.top()) + 1
    apart = one.right() < other.left() or other.right() < one.left()
    return apart and 2 * shared >= min(one.height(), other.height())
