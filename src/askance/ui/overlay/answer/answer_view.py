"""An answer that a person reads: its links and numbers by pointer and key, and the pop-up with what a source says."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice
from operator import itemgetter

from PySide6.QtCore import QEvent, QMimeData, QPoint, QRect, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QContextMenuEvent,
    QCursor,
    QFocusEvent,
    QFont,
    QGuiApplication,
    QHelpEvent,
    QHideEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QResizeEvent,
    QShowEvent,
    QTextCursor,
    QWheelEvent,
)
from PySide6.QtWidgets import QMenu, QToolTip, QWidget

from askance.domain.evidence import Support
from askance.presentation.i18n import tr
from askance.ui.design import theme
from askance.ui.design.composing import column_of, single_shot_timer, style
from askance.ui.design.focus import announce, show_all_of, wants_ring
from askance.ui.design.frame import Frame, can_be_seen_through
from askance.ui.design.labels import MarkupLabel, TypeSize, line, show_tip, span
from askance.ui.design.theme import Look, Palette
from askance.ui.overlay.answer.answer_document import plain_text
from askance.ui.overlay.answer.answer_page import AnswerPage
from askance.ui.overlay.answer.citation_links import QuoteSegment, QuoteView

WIDTH = 420
_MARGIN = 12
_GAP = 8
_QUOTE = (14, 22)
_LABEL = (theme.LABEL_TEXT, 16)
_INKS = {Support.WEAK: "amber", Support.UNSUPPORTED: "red"}


def quote_markup(quote: Sequence[QuoteSegment], colours: Palette) -> str:
    """Return markup of a quote, lit where it carries the sentence."""
    markup = ""
    for part in quote:
        ink, ground = (colours.ink, colours.accent_soft) if part.is_lit else (colours.ink_2, "")
        markup += span(part.text, ink, ground=ground)
    return markup


class QuotePopup(Frame):
    """The card of a number, which never takes the focus and lets the pointer through.

    Pinned, it stays while the pointer and the focus are elsewhere.
    """

    # Input goes through all of it: shadow that covers its own marker would end its welcome. A desktop's own
    # shadow would follow the transparent edge.
    kind = (
        Qt.WindowType.ToolTip
        | Qt.WindowType.WindowTransparentForInput
        | Qt.WindowType.NoDropShadowWindowHint
    )
    takes_pointer = False
    radius = theme.PANEL_RADIUS

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(look, parent)
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        self.is_pinned = False
        self._view = parent
        self._quote, self._title, self._about = MarkupLabel(), MarkupLabel(), MarkupLabel()
        labels = (self._quote, self._title, self._about)
        style(self._quote, look, margins=(0, 0, 0, 4))
        self.contents.addLayout(column_of(look, *labels, gap=4, margins=(14, 12, 14, 11)))

    @property
    def ground(self) -> str:
        """The colour of a raised panel."""
        return self.look.colours.raised

    def open_at(self, quote: QuoteView, marker: QRect) -> None:
        """Show a quote below a marker, given on the screen, or above it where there is no room."""
        self.set_plain(not can_be_seen_through())
        self.is_pinned = False
        colours = self.look.colours
        quoted = quote_markup(quote.quote, colours)
        self._show_markup(self._quote, quoted, _QUOTE, "rtl" if quote.is_right_to_left else "")
        bold = QFont.Weight.DemiBold
        ground = colours.accent_soft
        number = span(f"\u00a0{quote.n}\u00a0", colours.accent, weight=bold, ground=ground)
        title = span(f"\u00a0 {quote.title}", colours.ink_2)
        self._show_markup(self._title, number + title, _LABEL)
        about = [span(quote.about, colours.ink_3)] if quote.about else []
        if ink := _INKS.get(quote.grade):
            about.append(span(quote.support, getattr(colours, ink)))
        if quote.origins:
            about.append(span(quote.origins, colours.ink_3))
        self._show_markup(self._about, span(" · ", colours.ink_3).join(about), _LABEL)
        self.setAccessibleName(quote.spoken)
        around = self.shadow_margins
        width = self.look.px(WIDTH) + around.left() + around.right()
        # The width first: how many lines the texts take depends on it.
        self.setFixedWidth(width)
        self.contents.setContentsMargins(around)
        self.setFixedHeight(self.contents.totalHeightForWidth(width))
        self.move(self._place(marker))
        self.show()

    def _show_markup(
        self, label: MarkupLabel, markup: str, size: TypeSize, side: str = "ltr"
    ) -> None:
        label.setText(line(self.look, markup, size, side=side))
        label.setVisible(bool(markup))

    def _place(self, marker: QRect) -> QPoint:
        """Return where it belongs: on the paper below it and not at its edge, if that is so wide."""
        plate, gap = self.paper, self.look.px(_GAP)
        window, screen = self._view.window(), self.screen().availableGeometry()
        paper = window.paper if isinstance(window, Frame) else window.rect()
        margin = self.look.px(_MARGIN)
        bounds = QRect(window.mapToGlobal(paper.topLeft()), paper.size()) & screen
        bounds.adjust(margin, 0, -margin, 0)
        # In a narrow window the card may reach over its edge, but never over that of the screen.
        if bounds.width() < plate.width():
            bounds = screen
        left = marker.center().x() - plate.width() // 2
        left = max(bounds.left(), min(left, bounds.right() + 1 - plate.width()))
        # Below, so that the sentence before the number stays readable.
        top = marker.bottom() + 1 + gap
        if top + plate.height() > screen.bottom():
            top = marker.top() - gap - plate.height()
        return QPoint(left, top) - plate.topLeft()


# A pointer that crosses a number opens nothing, and one that leaves it for a moment closes nothing.
_HOVER_MS = 90
_LEAVE_MS = 160
_HIT_MARGIN = 3
# Accepts a number of the answer as it is set, ` 12 ` between blanks that do not break, and what stands for a formula.
_NUMBER = re.compile("\u00a0[0-9]{1,3}\u00a0|\ufffc")
_COPY_KEYS = (QKeySequence.StandardKey.Copy, QKeySequence.StandardKey.SelectAll)

_MOST_LINKS = 60

Quotes = Callable[[str], QuoteView | None]


class SpokenPart(QWidget):
    """A number or a formula of an answer as a screen reader lists it: a link or an equation, and nothing to the eye,
    the pointer or the keys.
    """

    def __init__(self, view: AnswerView, index: int, role: QAccessible.Role) -> None:
        super().__init__(view)
        self.accessible_role = role
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        if role is QAccessible.Role.Link:
            self.click = partial(view.activate, index)


class AnswerView(AnswerPage):
    """An answer whose links open, whose numbers show their quotes, and whose words can be copied."""

    search_wanted = Signal(str)
    """Words of the answer that are to be searched for."""
    link_activated = Signal(str)
    """A web address that is to be opened: a link of the answer, or the source behind a number."""
    pointed = Signal(str)
    """The link of the number that is under the pointer, or has the focus; empty for none."""
    shows_cards = True
    """Whether quotes are shown over their numbers: not where they stand beside the answer."""

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self._quotes: Quotes = lambda _: None
        self._focused: int | None = None
        self._hovered: int | None = None
        self._popup: QuotePopup | None = None
        # Links are followed here: Qt would also select the words of one that is clicked.
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setMouseTracking(True)
        self.settled.connect(self._forget_lost_focus)
        self._links: list[SpokenPart] = []
        self._formulas: list[SpokenPart] = []
        self.settled.connect(self._place_links)
        self._hover = single_shot_timer(self, self._open_hovered, _HOVER_MS)
        self._leave = single_shot_timer(self, self._close_left, _LEAVE_MS)
        self._quote_timer = single_shot_timer(self, self._emit_quote)

    def _restyle(self) -> None:
        super()._restyle()
        self._close_popup()

    def set_quotes(self, quotes: Quotes) -> None:
        """Say what stands behind a marker's link, for the pop-up and for what is opened."""
        self._quotes = quotes

    @property
    def focused_link(self) -> str:
        """What the number leads to that has the focus; empty if none has it."""
        return self.answer.markers[self._focused][1].link if self._focused is not None else ""

    @property
    def popup(self) -> QuotePopup | None:
        """The pop-up, if it is open."""
        return self._popup if self._popup is not None and self._popup.isVisible() else None

    @property
    def _is_pinned(self) -> bool:
        return self.popup is not None and self.popup.is_pinned

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave the wheel to the conversation."""
        event.ignore()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Follow the pointer over the numbers."""
        super().mouseMoveEvent(event)
        at = event.position().toPoint()
        marker = self._marker_under(at)
        self._point_at(marker)
        if marker is not None or self._web_link_under(at):
            self.viewport().setCursor(Qt.CursorShape.PointingHandCursor)
        else:
            self.viewport().setCursor(Qt.CursorShape.IBeamCursor)

    def leaveEvent(self, event: QEvent) -> None:
        """Close the pop-up once the pointer is gone, which is more than that another window has it."""
        super().leaveEvent(event)
        if not self._is_pointed_at(self._hovered):
            self._point_at(None)
        else:
            self._leave.start()

    def showEvent(self, event: QShowEvent) -> None:
        """Forget where the pointer was before: it may be over the same number, which is news."""
        super().showEvent(event)
        self._hovered = None

    def hideEvent(self, event: QHideEvent) -> None:
        """Close the pop-up, which is a window of its own."""
        super().hideEvent(event)
        self._close_popup()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Follow the link under the pointer, unless words were selected."""
        super().mouseReleaseEvent(event)
        # A press that selected words ends on a link now and then; it was not meant for that.
        if event.button() is not Qt.MouseButton.LeftButton or self.textCursor().hasSelection():
            return
        at = event.position().toPoint()
        marker = self._marker_under(at)
        if marker is not None:
            self.activate(marker)
        elif url := self._web_link_under(at):
            self.link_activated.emit(url)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer to copy and to search for words that are selected; without any the exchange has its own menu."""
        if not self.textCursor().hasSelection():
            event.ignore()
            return
        menu = QMenu(self)
        copy = menu.addAction(tr("Copy"), self.copy)
        words = " ".join(_NUMBER.sub(" ", self.textCursor().selectedText()).split())
        search = menu.addAction(tr("Search for it"), lambda: self.search_wanted.emit(words))
        for action in (copy, search):
            action.setEnabled(bool(words))
        menu.addAction(tr("Select all"), self.selectAll)
        # It is made at each click, and would stay with the answer until that goes.
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        # Not `exec`, whose own event loop could outlive the answer.
        menu.popup(event.globalPos())

    def event(self, event: QEvent) -> bool:
        """Say over doubtful words why they are marked; show no quote above another window."""
        if event.type() is QEvent.Type.WindowDeactivate and not self._is_pinned:
            self._close_popup()
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            position = self.cursorForPosition(event.pos()).position()
            found = self.answer.doubt_at(position)
            hovers = self._marker_under(event.pos()) is not None
            if found is not None and not hovers and self.isVisible():
                show_tip(event.globalPos(), found.doubt.word, self)
            else:
                QToolTip.hideText()
            return True
        return super().event(event)

    def viewportEvent(self, event: QEvent) -> bool:
        """Let tooltips through to `event`."""
        if event.type() is QEvent.Type.ToolTip:
            return self.event(event)
        return super().viewportEvent(event)

    def _is_pointed_at(self, marker: int | None) -> bool:
        """Return whether the pointer is where a marker is, whatever window it is over."""
        # Wayland tells where it is only while it is over a window of ours.
        if marker is None or QGuiApplication.platformName() == "wayland":
            return False
        return self._marker_under(self.viewport().mapFromGlobal(QCursor.pos())) == marker

    def _marker_under(self, at: QPoint) -> int | None:
        position = self.cursorForPosition(at).position()
        # Qt gives the place between two characters that is nearest: over the right half of the last
        # one it lies behind that.
        for candidate in (position, position - 1):
            index = self.answer.marker_at(candidate)
            if index is None:
                continue
            margin = _HIT_MARGIN
            if self.marker_rect(index).adjusted(-margin, -margin, margin, margin).contains(at):
                return index
        return None

    def _web_link_under(self, at: QPoint) -> str:
        url = self.anchorAt(at)
        return url if url.startswith(("http://", "https://")) else ""

    def _point_at(self, marker: int | None) -> None:
        if marker == self._hovered:
            return
        self._hovered = marker
        self._emit_pointed()
        if marker is not None:
            self._leave.stop()
            self._hover.start()
        else:
            self._hover.stop()
            self._leave.start()

    def _emit_pointed(self) -> None:
        at = self._focused if self._hovered is None else self._hovered
        # An answer that is written anew may have fewer numbers.
        found = self.answer.markers[at : at + 1] if at is not None else ()
        self.pointed.emit(found[0][1].link if found else "")

    def _open_hovered(self) -> None:
        if self._hovered is not None and self._hovered < len(self.answer.markers):
            self._open_popup(self._hovered)

    def _close_left(self) -> None:
        """Close the pop-up, unless the pointer is still there and only the window below it changed."""
        if self._is_pointed_at(self._hovered):
            self._leave.start()
        else:
            self._hovered = None
            self._emit_pointed()
            if not self._is_pinned:
                self._close_popup()

    def _open_popup(self, index: int) -> None:
        quote = self._quotes(self.answer.markers[index][1].link)
        if quote is None or not self.isVisible():
            self._close_popup()
            return
        if not self.shows_cards:
            if self._focused == index:
                self._quote_timer.start()
            return
        if self._popup is None:
            self._popup = QuotePopup(self.look, self)
        rect = self.marker_rect(index)
        on_screen = QRect(self.viewport().mapToGlobal(rect.topLeft()), rect.size())
        self._popup.open_at(quote, on_screen)
        if self._focused == index:
            # After Qt has signalled that the answer has the focus now, which would be in the way.
            self._quote_timer.start()

    def _emit_quote(self) -> None:
        quote = self._quotes(self.focused_link)
        if quote is not None:
            announce(self, tr("Source {n}: {about}", n=quote.n, about=quote.spoken))

    def _close_popup(self) -> None:
        """Close the pop-up, and do not open the one that the pointer waits for."""
        # Also where it is not open yet: a click within the delay opens the page and hides the
        # window, and the pop-up would come up alone above the browser.
        self._hover.stop()
        if self._popup is not None:
            self._popup.hide()

    def activate(self, index: int) -> None:
        """Open the source of a number."""
        quote = self._quotes(self.answer.markers[index][1].link)
        if quote is not None and quote.url:
            self._close_popup()
            self.link_activated.emit(quote.url)

    def focusNextPrevChild(self, next: bool) -> bool:  # noqa: A002 - Qt's interface
        """Move through the numbers and the buttons that copy before the focus goes on."""
        stops = self._stops()
        focused = self._focused if self.hasFocus() else self.focusWidget()
        if focused in stops:
            after = stops.index(focused) + (1 if next else -1)
        else:
            after = 0 if next else -1
        if 0 <= after < len(stops):
            self._go_to(stops[after])
            return True
        self._focus(None)
        self.setFocus(Qt.FocusReason.OtherFocusReason)  # a button may have had it
        return super().focusNextPrevChild(next)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Begin at the first stop, or at the last one when coming from behind."""
        super().focusInEvent(event)
        stops = self._stops()
        if stops and event.reason() is Qt.FocusReason.TabFocusReason:
            self._go_to(stops[0])
        elif stops and event.reason() is Qt.FocusReason.BacktabFocusReason:
            self._go_to(stops[-1])

    def _stops(self) -> list[int | QWidget]:
        """Return where Tab stops, as it is read: the numbers, by their index, and the buttons."""
        # By position in the text, where numbers and code stand in the order of reading.
        at = [(position, i) for i, (position, _) in enumerate(self.answer.markers)]
        blocks = map(self.answer.start_of, self.copied_blocks)
        both: list[tuple[int, int | QWidget]] = [*at, *zip(blocks, self._buttons, strict=False)]
        return [stop for _, stop in sorted(both, key=itemgetter(0))]

    def _go_to(self, stop: int | QWidget) -> None:
        if isinstance(stop, QWidget):
            stop.setFocus(Qt.FocusReason.OtherFocusReason)
            show_all_of(stop)
        else:
            self.setFocus(Qt.FocusReason.OtherFocusReason)
            self._focus(stop)

    def go_to_number(self, by: int) -> bool:
        """Go to the next number, or the one before; False where there is none further."""
        count = len(self.answer.markers)
        first = 0 if by > 0 else count - 1
        number = first if self._focused is None else self._focused + by
        if not self.isVisible() or not 0 <= number < count:
            return False
        self._go_to(number)
        return True

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Close the pop-up."""
        super().focusOutEvent(event)
        self._focus(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open the number that has the focus; close its pop-up; leave scrolling to others."""
        key = event.key()
        if self._focused is not None and key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.activate(self._focused)
        elif self.popup is not None and key == Qt.Key.Key_Escape:
            self._close_popup()
        elif self.popup is not None and key == Qt.Key.Key_Space:
            self.popup.is_pinned = not self.popup.is_pinned
        elif self._copies_nothing(event):
            event.ignore()
        elif any(event.matches(key) for key in _COPY_KEYS):
            super().keyPressEvent(event)
        else:
            event.ignore()

    def inputMethodQuery(self, query: Qt.InputMethodQuery, *argument: object) -> object:
        """Say where the number is that has the focus: what scrolls or magnifies goes there."""
        if query == Qt.InputMethodQuery.ImCursorRectangle and self._focused is not None:
            return self.marker_rect(self._focused)
        return super().inputMethodQuery(query, *argument)

    def _copies_nothing(self, event: QKeyEvent) -> bool:
        """Return whether a copy is asked for where no words are selected: of the whole answer."""
        is_copy = event.matches(QKeySequence.StandardKey.Copy)
        return is_copy and not self.textCursor().hasSelection()

    def _place_links(self) -> None:
        """Give a screen reader a link for each number, and each formula, where they stand."""
        # Nobody else has a use for them, and an answer may have hundreds of numbers.
        most = _MOST_LINKS if QAccessible.isActive() else 0
        formulas = list(islice(self.answer.formulas, most))
        self._make(self._links, QAccessible.Role.Link, len(self.answer.markers[:most]))
        self._make(self._formulas, QAccessible.Role.Equation, len(formulas))
        for part, (position, source) in zip(self._formulas, formulas, strict=True):
            cursor = QTextCursor(self.document())
            cursor.setPosition(position)
            begin = self.cursorRect(cursor)
            cursor.setPosition(position + 1)
            part.setAccessibleName(source)
            part.setGeometry(begin | self.cursorRect(cursor))
            part.show()
        for i, link in enumerate(self._links):
            marker = self.answer.markers[i][1]
            quote = self._quotes(marker.link)
            about = quote.spoken if quote is not None else ""
            link.setAccessibleName(tr("Source {n}: {about}", n=marker.n, about=about))
            link.setGeometry(self.marker_rect(i))
            link.show()

    def _make(self, parts: list[SpokenPart], role: QAccessible.Role, wanted: int) -> None:
        while len(parts) > wanted:
            parts.pop().deleteLater()
        while len(parts) < wanted:
            parts.append(SpokenPart(self, len(parts), role))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Let the links stand where the numbers do."""
        super().resizeEvent(event)
        self._place_links()

    def _forget_lost_focus(self) -> None:
        wants_ring(self, not (self.answer.markers or self._buttons))
        if self._focused is not None and self._focused >= len(self.answer.markers):
            self._focus(None)

    def _focus(self, index: int | None) -> None:
        self._focused = self.lit_marker = index
        self._emit_pointed()
        self.viewport().update()
        if index is None:
            if not self._is_pinned:
                self._close_popup()
        else:
            show_all_of(self)
            self._open_popup(index)

    def createMimeDataFromSelection(self) -> QMimeData:
        """Return the selected words as plain text, the numbers as `[1]`."""
        data = QMimeData()
        data.setText(plain_text(self.answer, self.textCursor()))
        return data
