"""What sources disagree in, as a table below the answer: its numbers are used as those of the text are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QFont, QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QGridLayout

from askance.domain.evidence import Citation, Disagreement, Position
from askance.presentation.answers import SourceRow
from askance.presentation.i18n import day_of, tr
from askance.ui.design import theme
from askance.ui.design.composing import Composite, Styled, column_of, style
from askance.ui.design.labels import Hairline, RichLabel, line, span
from askance.ui.design.theme import Look
from askance.ui.overlay.answer.answer_view import AnswerView
from askance.ui.overlay.answer.citation_links import plain
from askance.ui.overlay.answer.markdown_blocks import MarkdownBlockKind
from askance.ui.overlay.answer.markup import MarkupParagraph, Piece, TextRun
from askance.ui.overlay.conversation.exchange import ExchangeView

_GAP, _PAD, _HEAD_PADS = 12, 6, (0, 4, 0, 5)
_DATE_WIDTH, _COUNT_WIDTH, _NARROW_COUNT = 62, 128, 76
# A longer value is broken, or one that is wider than this part of the table: who says so needs room, too.
_WIDEST_VALUE, _VALUE_SHARE, _NARROW_SHARE = 220, 0.33, 0.25
# Narrower than that the date stands under its value.
_NARROW = 512
# How cells stand in their columns; who says so fills its own.
_TOP = Qt.AlignmentFlag.AlignTop
_WHERE = (_TOP, Qt.AlignmentFlag(0), _TOP, _TOP | Qt.AlignmentFlag.AlignRight)


class DisagreementsView(Composite):
    """The tables of one answer, one for each thing that its sources disagree in."""

    def __init__(self, look: Look, connect: Callable[[AnswerView], object]) -> None:
        super().__init__(look)
        self._connect = connect
        self.tables: list[DisagreementTable] = []
        self._column = column_of(look, gap=theme.SPACE_L)
        self.setLayout(self._column)

    def show_view(self, view: ExchangeView) -> None:
        """Show what the sources of an exchange disagree in."""
        while self.tables:
            self._column.drop(self.tables.pop())
        self.tables = [DisagreementTable(self.look, each, view) for each in view.disagreements]
        self._column.put(*self.tables)
        for named in self.findChildren(AnswerView):
            self._connect(named)


class DisagreementTable(Composite):
    """What is said, who says so, of when, and by how many independent sources."""

    accessible_role = QAccessible.Role.Table

    def __init__(self, look: Look, disagreement: Disagreement, view: ExchangeView) -> None:
        super().__init__(look)
        self._grid = style(QGridLayout(), look, gap_down=0, margins=(0, 0, 0, 0))
        self._grid.setColumnStretch(1, 1)
        self.setAccessibleName(tr("Sources disagree about {what}", what=disagreement.subject))
        self._title = RichLabel()
        self._grid.addWidget(self._title, 0, 0, 1, -1)
        names = (tr("Value"), tr("Who says so"), tr("Date"), tr("Independent sources"))
        self._heads = [
            style(_Head(look, name, "ink_3"), look, margins=_HEAD_PADS) for name in names
        ]
        for column, head in enumerate(self._heads):
            self._grid.addWidget(head, 1, column, _WHERE[column] | _TOP)
        self._heads[-1].setAlignment(_WHERE[-1])
        self._values: list[_Cell] = []
        self._dates: list[tuple[_Cell, _Cell]] = []
        rows = {row.n: row for row in view.sources}
        for position in disagreement.positions:
            self._add(position, names, tuple(_runs(position, rows, view.citations)))
        self.setLayout(self._grid)
        self._restyle()

    def _add(self, position: Position, names: Sequence[str], runs: tuple[TextRun, ...]) -> None:
        row, look, day = self._grid.rowCount(), self.look, day_of(position.date)
        self._grid.addWidget(Hairline(look), row, 0, 1, -1)
        value = _Cell(look, position.value, "ink", is_strong=position.is_used)
        who, count = _NamedSources(look), _Cell(look, str(position.origins))
        who.show_pieces((Piece(MarkdownBlockKind.PARAGRAPH, (MarkupParagraph(runs),)),))
        below, date = _Cell(look, day), _Cell(look, day)
        for column, stack in enumerate(((value, below), (who,), (date,), (count,))):
            place = column_of(look, *stack, None, gap=0)
            self._grid.addLayout(place, row + 1, column, _WHERE[column])
        named = "".join(run.text for run in runs if not run.n)
        for cell, column in ((value, 0), (below, 2), (date, 2), (count, 3)):
            style(cell, look, margins=(0, 0 if cell is below else _PAD, 0, _PAD))
            # Qt gives readers no headers of cells that are not in a table of its own.
            cell.setAccessibleName(f"{names[column]}: {cell.words}")
        who.setAccessibleName(f"{names[1]}: {named}")
        self._values += (value, below)
        self._dates.append((date, below))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Let dates stand where there is room for them, and values leave room for who says so."""
        super().resizeEvent(event)
        if event.oldSize().width() != self.width():
            self._restyle()

    def _restyle(self) -> None:
        look, what, width = self.look, self.accessibleName(), self.width()
        is_narrow = width < look.px(_NARROW)
        bold = span(what, look.colours.ink, weight=QFont.Weight.DemiBold)
        self._title.set_markup(line(look, bold, theme.SMALL), what)
        _, who, dates, counts = self._heads
        who.setWordWrap(True)
        who.setMinimumWidth(1)
        who.setMaximumWidth(width)
        dates.fit(_DATE_WIDTH)
        dates.setVisible(not is_narrow)
        counts.fit(*((0, _NARROW_COUNT) if is_narrow else (_COUNT_WIDTH,)))
        share = _NARROW_SHARE if is_narrow else _VALUE_SHARE
        for value in self._values:
            value.fit(0, min(_WIDEST_VALUE, width / look.scale * share))
        for date, below in self._dates:
            date.setVisible(not is_narrow)
            below.setVisible(is_narrow and bool(below.words))
        self._grid.setHorizontalSpacing(look.px(theme.SPACE_S if is_narrow else _GAP))


class _NamedSources(AnswerView):
    """Names of sources and their numbers."""

    accessible_role = QAccessible.Role.Cell

    type_size, pad = theme.SMALL, _PAD

    def heightForWidth(self, width: int) -> int:
        """Return how high the words are at a width; they stay broken for the width that they have."""
        height = super().heightForWidth(width)
        # A grid asks for heights at widths that it does not give.
        super().heightForWidth(self.width())
        return height


class _Cell(Styled, RichLabel):
    """Words on one line, which is broken where they are wider than `fit` says."""

    accessible_role = QAccessible.Role.Cell
    type_size = theme.SMALL

    def __init__(
        self, look: Look, text: str, ink: str = "ink_2", *, is_strong: bool = False
    ) -> None:
        super().__init__(look)
        self.words, self._ink = text, ink
        self._weight = QFont.Weight.DemiBold if is_strong else QFont.Weight.Normal
        self.fit()

    def fit(self, least: float = 0, most: float = _WIDEST_VALUE) -> None:
        """Be so wide at the least and at the most, in pixels of the tokens."""
        self._widths = least, most
        self._restyle()

    def _restyle(self) -> None:
        look, name = self.look, self.accessibleName() or self.words
        markup = span(self.words, getattr(look.colours, self._ink), weight=self._weight)
        self.set_markup(line(look, markup, self.type_size), name)
        metrics = QFontMetrics(look.font(self.type_size[0], self._weight))
        width = metrics.horizontalAdvance(self.words) + 1
        least, most = map(look.px, self._widths)
        self.setWordWrap(width > most)
        self.setFixedWidth(max(least, min(width, most)))


class _Head(_Cell):
    accessible_role = QAccessible.Role.ColumnHeader
    type_size = (theme.LABEL_TEXT, 16)


def _runs(
    position: Position, sources: Mapping[int, SourceRow], citations: Sequence[Citation]
) -> Iterator[TextRun]:
    """Yield who says so: the names, each once, then the numbers."""
    known = [n for n in position.sources if n in sources]
    yield TextRun(", ".join(dict.fromkeys(sources[n].place for n in known)), 0, 0)
    value = plain(position.value).casefold()
    # The quote of another value would say nothing of this one.
    place = {c.n: i for i, c in enumerate(citations) if value in plain(c.quote).casefold()}
    for n in known:
        yield TextRun(str(n), 0, 0, n=n, citation=place.get(n))
    if position.is_used:
        yield TextRun(f" ·\u00a0{tr('used')}", 0, 0)
