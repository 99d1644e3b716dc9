"""The sources of the answer that is read, beside it: those that it cites with their quotes, then what was read besides;
in their place the text of one of them, as it was read.

A number of the answer and its source light each other, whichever of the two is pointed at.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QRect, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QColor,
    QEnterEvent,
    QFocusEvent,
    QFont,
    QKeyEvent,
    QMouseEvent,
    QPaintEvent,
)
from PySide6.QtWidgets import QApplication, QFrame, QScrollArea, QSizePolicy, QWidget

from askance.domain.web_pages import is_web_address
from askance.presentation.answers import FoundRow, is_local_file
from askance.presentation.i18n import tr
from askance.presentation.source_line import LineSource, SourceState, cited_first
from askance.text.finding import places_of
from askance.ui.design import theme
from askance.ui.design.composing import (
    Composite,
    Styled,
    column_of,
    row_of,
    single_shot_timer,
    style,
)
from askance.ui.design.drawing import antialiased, draw_hairline
from askance.ui.design.focus import LinkButton, reading_order, show_all_of, wants_ring
from askance.ui.design.labels import Hairline, PlainLabel, RichLabel, line, set_tip, span
from askance.ui.design.theme import Look
from askance.ui.overlay.answer.answer_view import quote_markup
from askance.ui.overlay.answer.citation_links import (
    QuoteLanguage,
    QuoteView,
    link_to,
    quote_of,
    target_of,
)
from askance.ui.overlay.conversation.exchange import ExchangeView
from askance.ui.overlay.conversation.sources_strip import TILE, draw_tile
from askance.ui.overlay.library_view import Excerpt, ReadingPane

WIDTH = 316
ROW_HEIGHT = 46
"""How high the rows at the top of all columns are."""
_TITLE, _QUOTE, _ABOUT = (13, 19), (13, 19), (12, 16)
_PADS = (theme.SPACE_XL + TILE + theme.SPACE_S, 12, 18, 12)
_LIT = 2
# So much of a page is shown before and behind what is cited.
_MOST_AROUND = 40_000
_FIRST_WORDS = (8, 4, 2)


class SourceEntry(Styled, QWidget):
    """One source: its tile and title, where it is and of when, and the words of it that are cited."""

    accessible_role = QAccessible.Role.ListItem
    link_activated = Signal(str)
    read_requested = Signal(object, str)
    """The text of the page is to be read here: a `LineSource`, and the words that are cited."""
    pointed = Signal(int)
    """The number of the source, once the pointer or the focus is on it; 0 once it is not any more."""

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self._source: LineSource | None = None
        self._quote: QuoteView | None = None
        self.is_lit = False
        self._title, self._about, self._words = RichLabel(), RichLabel(), RichLabel()
        self.open_button = style(LinkButton(), look, font=theme.LABEL_TEXT)
        self.open_button.setProperty("link", True)
        self.open_button.clicked.connect(self.click)
        self.read_button = style(LinkButton(), look, font=theme.LABEL_TEXT)
        self.read_button.clicked.connect(self._request_reading)
        for button in (self.open_button, self.read_button):
            button.installEventFilter(self)
        parts = (self._title, self._about, self._words)
        for part in (self._title, self._about):
            # A press on them is one on the row. The words can be selected.
            part.setTextInteractionFlags(Qt.TextInteractionFlag.NoTextInteraction)
            part.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        style(self._words, look, margins=(0, 6, 0, 0))
        foot = row_of(look, self.open_button, self.read_button, None)
        self.setLayout(column_of(look, *parts, foot, gap=1, margins=_PADS))
        wants_ring(self)

    def _restyle(self) -> None:
        self._show()

    @property
    def number(self) -> int:
        """The number of the source; 0 for one that is not cited."""
        return self._source.n if self._source is not None else 0

    @property
    def words(self) -> str:
        """The quote that is shown; empty if there is none."""
        return "".join(part.text for part in self._quote.quote) if self._quote else ""

    def show_source(self, source: LineSource, quote: QuoteView | None) -> None:
        """Show a source, and what the answer has from it."""
        if (source, quote) != (self._source, self._quote):
            self._source, self._quote = source, quote
            self._show()

    def set_lit(self, is_lit: bool) -> None:
        """Show that its number is pointed at."""
        self.is_lit = is_lit
        self.update()

    def click(self) -> None:
        """Open the page, at the sentence if there is one."""
        if opens := self._opens:
            self.link_activated.emit(opens)

    def _request_reading(self) -> None:
        self.read_requested.emit(self._source, self.words)

    @property
    def _opens(self) -> str:
        if self._quote is not None and self._quote.url:
            return self._quote.url
        return self._source.opens if self._source is not None else ""

    def _show(self) -> None:
        source, quote, c = self._source, self._quote, self.look.colours
        if source is None:
            return
        ink = c.ink if source.n else c.ink_2
        self._show_line(self._title, source.title or source.name, ink, _TITLE)
        row = source.row
        date, badge, origins = (row.date, row.badge, row.origins) if row else ("", "", "")
        # Of a result whose page was not read, its own text is a source.
        use = "" if source.n else badge or tr("read, not cited")
        about = (source.name if source.title else "", date, use, origins)
        if quote is not None:
            about = (quote.about, quote.origins)
        self._show_line(self._about, " · ".join(filter(None, about)), c.ink_3, _ABOUT)
        markup = quote_markup(quote.quote, c) if quote is not None else ""
        side = "rtl" if quote is not None and quote.is_right_to_left else ""
        self._words.set_markup(line(self.look, markup, _QUOTE, side=side), self.words)
        self._words.setVisible(bool(markup))
        opens = self._opens
        if is_local_file(opens):
            text = tr("Open file")
        else:
            text = tr("Open at this sentence") if markup else tr("Open page")
        self.open_button.setText(text)
        self.open_button.setVisible(bool(source.n and opens))
        self.read_button.setText(tr("Read here"))
        # Of files the library has the text, and of pages what they were when they were read.
        self.read_button.setVisible(bool(source.n and markup and is_web_address(source.address)))
        # One that is not cited is opened by a press on it, which is all that it is for.
        is_pressed = bool(opens and not source.n)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus if is_pressed else Qt.FocusPolicy.NoFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor if opens else Qt.CursorShape.ArrowCursor)
        self.setAccessibleName(source.spoken)
        set_tip(self, opens.partition("#")[0])
        self.setAccessibleDescription(self.words)
        self.update()

    def _show_line(self, label: RichLabel, text: str, ink: str, size: tuple[float, float]) -> None:
        label.set_markup(line(self.look, span(text, ink), size), text)
        label.setVisible(bool(text))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open it with Enter or Space."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.click()
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take the press, which would move the window."""
        event.setAccepted(bool(self._opens))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Open it."""
        is_here = self.rect().contains(event.position().toPoint())
        if event.button() is Qt.MouseButton.LeftButton and is_here:
            self.click()

    def enterEvent(self, event: QEnterEvent) -> None:
        """Light its numbers."""
        super().enterEvent(event)
        self.pointed.emit(self.number)

    def leaveEvent(self, event: QEvent) -> None:
        """Light them no more."""
        super().leaveEvent(event)
        self.pointed.emit(0)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: ARG002 - Qt's interface
        """Light its numbers while its button has the focus, which is seen then."""
        if event.type() is QEvent.Type.FocusIn and isinstance(event, QFocusEvent):
            self.pointed.emit(self.number)
            show_all_of(self)
        elif event.type() is QEvent.Type.FocusOut:
            self.pointed.emit(0)
        return False

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's interface
        """Draw the tile, the hairline below, and the line that says that its number is pointed at."""
        if self._source is None:
            return
        px, c = self.look.px, self.look.colours
        with antialiased(self) as painter:
            side = px(TILE)
            tile = QRect(px(theme.SPACE_XL), self._title.y() + px(1), side, side)
            draw_tile(painter, self._source, tile, self.look)
            if self.is_lit:
                painter.fillRect(QRect(0, 0, px(_LIT), self.height()), QColor(c.accent))
            draw_hairline(painter, c.line, self.width(), self.height() - 1)


class _Entries(Styled, QWidget):
    accessible_role = QAccessible.Role.List


class SourcesPanel(Composite):
    """The sources of one exchange. It scrolls by itself."""

    link_activated = Signal(str)
    read_requested = Signal(object, str)
    """The text of a source is to be read here: a `LineSource`, and the words that are cited. See `show_page`."""
    pointed = Signal(int)
    """The number of the source that is pointed at here; 0 for none."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(look, parent)
        self._view: ExchangeView | None = None
        self._link = ""
        self.entries: list[SourceEntry] = []
        # To find what carries a quote and to lay it out takes some milliseconds: one in each turn of the event loop.
        self._filling = single_shot_timer(self, lambda: self._show(more=1))
        self.title = style(
            PlainLabel(), look, font=theme.LABEL_TEXT, weight=QFont.Weight.DemiBold, ink="ink_3"
        )
        self.counts = style(PlainLabel(), look, font=theme.LABEL_TEXT, ink="ink_3")
        head = row_of(look, self.title, None, self.counts, margins=(theme.SPACE_XL, 0, 18, 0))
        top = QWidget(self)
        top.setLayout(head)
        style(top, look, height=ROW_HEIGHT)
        self._list = _Entries(look)
        self._column = column_of(look, None, gap=0)
        self._list.setLayout(self._column)
        self.scrolled = QScrollArea(self)
        self.scrolled.setFrameShape(QFrame.Shape.NoFrame)
        self.scrolled.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.scrolled.setWidgetResizable(True)
        self.scrolled.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.scrolled.setWidget(self._list)
        column = column_of(look, top, Hairline(look, self), gap=0)
        self.reading = ReadingPane(look, self)
        self.reading.back.clicked.connect(self.close_page)
        margins = (theme.SPACE_XL, theme.SPACE_M, 18, theme.SPACE_M)
        inside = column_of(look, self.reading, gap=0, margins=margins)
        for part in (self.scrolled, self.reading):
            part.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
        column.addWidget(self.scrolled, 1)
        column.addLayout(inside)
        self.setLayout(column)
        self._restyle()

    def _restyle(self) -> None:
        self.setFixedWidth(self.look.px(WIDTH))
        self._list.setAccessibleName(tr("Sources of this answer"))
        self._show()

    def show_view(self, view: ExchangeView | None) -> None:
        """Show the sources of an exchange; none without one."""
        old, self._view = self._view, view
        if old is None or view is None or old.asked is not view.asked:
            self.close_page()
        if old is None or view is None or _shown_of(old) != _shown_of(view):
            self._show()

    def show_page(self, source: LineSource, text: str, words: str) -> None:
        """Show the text of a source, scrolled to its cited words, in the place of the list."""
        start, end = passage_in(text, words)
        first = max(0, start - _MOST_AROUND)
        shown = Excerpt(text[first : end + _MOST_AROUND], start - first, end - first)
        date = source.row.date if source.row is not None else ""
        row = FoundRow(source.title or source.name, source.name, date, (), "", ())
        self.reading.show_text(row, shown, "")
        self._show_reading(True)
        self.reading.text.setFocus(Qt.FocusReason.OtherFocusReason)

    def close_page(self) -> None:
        """Show the list again."""
        if not self.reading.isHidden():
            had_focus = self.reading.isAncestorOf(QApplication.focusWidget() or self)
            self._show_reading(False)
            if had_focus and (stops := reading_order(self.scrolled)):
                stops[0].setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_reading(self, is_reading: bool) -> None:
        self.scrolled.setVisible(not is_reading)
        self.reading.setVisible(is_reading)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Leave a page with Escape, and the window only then."""
        if event.key() == Qt.Key.Key_Escape and not self.reading.isHidden():
            self.close_page()
        else:
            super().keyPressEvent(event)

    def light(self, link: str) -> None:
        """Light the source of a number, and show what is cited there; none for an empty link."""
        self._link = link
        self._show()
        for entry in self.entries:
            if entry.is_lit:
                show_all_of(entry)

    def _show(self, more: int = 0) -> None:
        """Show what is known now, and `more` entries than there are; those that are missing follow."""
        view = self._view
        read = [s for s in view.source_line if s.state is SourceState.READ] if view else []
        sources = cited_first(read)
        cited = sum(1 for source in sources if source.n)
        pages = sum(1 for source in sources if source.row is None or not source.row.badge)
        counts = tr("{k} read, {n} cited", k=pages, n=cited) if sources else ""
        self.counts.setText(counts)
        self.title.setText(tr("Sources of this answer") if view is not None else "")
        self._have(min(len(sources), len(self.entries) + more))
        if len(self.entries) < len(sources):
            self._filling.start(0)
        target = target_of(self._link)
        for entry, source in zip(self.entries, sources, strict=False):
            is_lit = target is not None and source.n == target.n > 0
            quote = self._quote_of(view, source, self._link if is_lit else "") if view else None
            entry.show_source(source, quote)
            entry.set_lit(is_lit)

    def _have(self, count: int) -> None:
        while len(self.entries) > count:
            self._column.drop(self.entries.pop())
        while len(self.entries) < count:
            entry = SourceEntry(self.look)
            entry.link_activated.connect(self.link_activated)
            entry.read_requested.connect(self.read_requested)
            entry.pointed.connect(self.pointed)
            self._column.insertWidget(len(self.entries), entry)
            self.entries.append(entry)

    @staticmethod
    def _quote_of(view: ExchangeView, source: LineSource, link: str) -> QuoteView | None:
        """Return what is cited at a number, else what is cited first of the source."""
        if not source.n:
            return None
        first = next((i for i, c in enumerate(view.citations) if c.n == source.n and c.quote), None)
        # Languages are recognised beside the window; until they are, words are compared without.
        known: Sequence[QuoteLanguage] = view.quote_languages
        languages = known or [QuoteLanguage("")] * len(view.citations)
        quotes = (
            quote_of(shown, view.known_sources, view.citations, languages)
            for shown in (link, link_to(source.n, first))
            if shown
        )
        return next((q for q in quotes if q is not None and q.quote), None)


def passage_in(text: str, words: str) -> tuple[int, int]:
    """Return where cited words stand in a page as it was read; where they begin, if its markup parts them."""
    # Between its quotation marks a quote may leave something out.
    parts = max(words.strip("“”").split("…"), key=len).split()
    for count in (len(parts), *_FIRST_WORDS):
        if places := places_of(text, " ".join(parts[:count])):
            return places[0]
    return 0, 0


def _shown_of(view: ExchangeView) -> tuple[object, ...]:
    return view.source_line, view.citations, view.quote_languages
