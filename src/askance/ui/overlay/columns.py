"""The columns of the window, by its width: one with the field on top, and from `WIDE` on the field at the foot, sources
beside the text, and then questions and history, too.

Widgets are moved and not made anew: a button of the tools is the same in a row of a wide window.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEasingCurve, QPoint, QPropertyAnimation, Qt, Signal
from PySide6.QtGui import QColor, QPaintEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QHBoxLayout, QSizePolicy, QSpacerItem, QWidget

from askance.presentation.i18n import tr
from askance.ui.design import theme
from askance.ui.design.composing import Composite, column_of, row_of, single_shot_timer, style
from askance.ui.design.drawing import antialiased
from askance.ui.design.focus import reading_order
from askance.ui.design.glyphs import GlyphButton
from askance.ui.design.labels import Hairline
from askance.ui.design.placement import WIDE
from askance.ui.design.theme import Look
from askance.ui.overlay.bar.ask_bar import AskBar
from askance.ui.overlay.bar.tool_row import ToolRow
from askance.ui.overlay.conversation.conversation_view import TEXT_WIDTH, ConversationView
from askance.ui.overlay.library_view import LibraryView
from askance.ui.overlay.questions_column import QuestionsColumn
from askance.ui.overlay.sources_panel import ROW_HEIGHT, SourcesPanel

WITH_QUESTIONS = 1000
"""From this width on there is room for the questions and the history, in pixels of the tokens as `WIDE` is."""
SIDE_KEYS = "Ctrl+B"
_SOURCES, _QUESTIONS = "sources", "questions"


class HeadRow(Composite):
    """The row over the conversation in a wide window: its title, and what belongs to the window."""

    def __init__(self, look: Look, tools: ToolRow, parent: QWidget) -> None:
        super().__init__(look, parent)
        self._tools = tools
        self.side_button = GlyphButton(look, "side", parent=self)
        self.side_button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        # So that the words of the title, and not their ground, begin in line with the text.
        self._row = row_of(look, gap=4, margins=(17, 0, 18, 0))
        self.setLayout(self._row)
        style(self, look, height=ROW_HEIGHT)
        self._restyle()

    def _restyle(self) -> None:
        self.side_button.rename(tr("Sources beside the text"), SIDE_KEYS)

    def take_buttons(self, *, are_all: bool) -> None:
        """Take the title and the buttons out of the tools; `are_all`: those that the first column has else, too."""
        tools = self._tools
        before = (tools.menu_button,) if are_all else ()
        more = (tools.new_button, tools.history_button) if are_all else ()
        parts = (*before, tools.title_button, *more, tools.pin_button, self.side_button)
        for part in (*parts, tools.settings_button):
            self._row.addWidget(part, 1 if part is tools.title_button else 0)
            part.raise_()  # screen readers go by this order
            part.setVisible(part is not tools.title_button or bool(tools.title_button.title))


class WindowColumns(Composite):
    """Arranges the parts of the window, and what only a wide one has."""

    form_changed = Signal()
    """It is wide from now on, or not any more, or another column is shown."""
    folded = Signal(list)
    """The user has folded a column, or unfolded it: the names of those that are folded, as `fold` takes them."""

    def __init__(
        self,
        look: Look,
        bar: AskBar,
        missing: QWidget,
        conversation: ConversationView,
        library: LibraryView,
    ) -> None:
        super().__init__(look)
        self.bar, self.conversation, self.library = bar, conversation, library
        # What says why nothing can be asked stands beside the field, wherever that is.
        self._missing = missing
        self._folded, self.is_at_foot = set[str](), False
        self._form = (False, False, False)
        self.questions = QuestionsColumn(look, self)
        self.head = HeadRow(look, bar.tools, self)
        self.head_line = Hairline(look, self)
        self.sources = SourcesPanel(look, self)
        self._foot = row_of(look, gap=0)
        # Where there is neither a conversation nor a list, the room between them and the foot.
        policy = QSizePolicy.Policy
        self._spare = QSpacerItem(0, 0, policy.Minimum, policy.Expanding)
        parts = (self.head, self.head_line, bar, missing, library, conversation)
        self._middle = column_of(look, *parts, gap=0)
        for part in (library, conversation):
            self._middle.setStretchFactor(part, 1)
        self._middle.addItem(self._spare)
        self._middle.addLayout(self._foot)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self.questions)
        row.addLayout(self._middle, 1)
        row.addWidget(self.sources)
        self._motion = QPropertyAnimation(bar, b"pos", self)
        self._motion.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._motion.finished.connect(lambda: bar.setAutoFillBackground(False))
        self._moving = single_shot_timer(self, self._move_bar)
        bar.text_edited.connect(self._moving.start)
        self.head.side_button.clicked.connect(self.toggle_sources)
        self.sources.pointed.connect(conversation.light_source)
        conversation.pointed.connect(self.sources.light)
        conversation.read_changed.connect(self.follow)
        for part in (self.questions, self.head, self.head_line, self.sources):
            part.hide()

    def _restyle(self) -> None:
        self._arrange()

    @property
    def is_wide(self) -> bool:
        """Whether there is more than one column, or room for more."""
        return self.width() >= self.look.px(WIDE)

    @property
    def has_room_for_questions(self) -> bool:
        """Whether the column of questions and history has room, folded or not."""
        return self.width() >= self.look.px(WITH_QUESTIONS)

    def toggle_sources(self) -> None:
        """Show the sources beside the text, or no more."""
        if self.is_wide or _SOURCES in self._folded:
            self._turn(_SOURCES)

    def fold_questions(self) -> bool:
        """Fold or unfold the column of questions and history; False where it has no room."""
        if self.has_room_for_questions:
            self._turn(_QUESTIONS)
        return self.has_room_for_questions

    def fold(self, names: Sequence[str]) -> None:
        """Fold the columns of these names, and no others."""
        self._folded = set(names)
        self._arrange()

    def _turn(self, name: str) -> None:
        self.fold(tuple(self._folded ^ {name}))
        self.folded.emit(sorted(self._folded))

    def follow(self) -> None:
        """Show what belongs to the exchange that is read, as it stands now."""
        read = self.conversation.read_exchange
        if not self.sources.isHidden():
            self.sources.show_view(read.view if read is not None else None)
        self.questions.mark(read.view if read is not None else None)

    def is_handle(self, at: QPoint) -> bool:
        """Whether the window is moved and widened by what is there: the empty parts of its rows."""
        tools, title = self.bar.tools, self.bar.tools.title_button
        for row in (self.head, tools):
            inside = row.mapFrom(self, at)
            if row.isVisible() and row.rect().contains(inside):
                part = row.childAt(inside)
                # The title is something to press where its words are alone.
                is_words = part is title and title.hitButton(title.mapFrom(row, inside))
                is_middle = part is None or part in (title, tools.middle, *tools.fillers)
                return is_middle and not is_words
        return False

    def go_to_next_column(self) -> None:
        """Move the focus to the next column that has something for it; the field stands for its own."""
        places = [p for p in (self.questions, self.bar, self.sources) if p.isVisible()]
        focused = QApplication.focusWidget()
        at = next((i for i, p in enumerate(places) if focused and p.isAncestorOf(focused)), None)
        # From the conversation one goes on to its sources.
        at = places.index(self.bar) if at is None else at
        for place in (*places[at + 1 :], *places[: at + 1]):
            stops = [self.bar.field] if place is self.bar else reading_order(place)
            if stops:
                stops[0].setFocus(Qt.FocusReason.TabFocusReason)
                return

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Arrange what has room now."""
        super().resizeEvent(event)
        self._arrange()

    def showEvent(self, event: QShowEvent) -> None:
        """Put the field where it belongs: nobody sees it move."""
        super().showEvent(event)
        self._move_bar()

    def _arrange(self) -> None:
        is_wide = self.is_wide
        has_room = is_wide and self.has_room_for_questions
        has_questions = has_room and _QUESTIONS not in self._folded
        has_sources = is_wide and _SOURCES not in self._folded
        form = (is_wide, has_questions, has_sources)
        if form != self._form:
            self._form = form
            self._show_form(*form)
        middle = self.width()
        for beside in (self.questions, self.sources):
            middle -= 0 if beside.isHidden() else beside.width()
        # Text is as wide in the field as above it.
        most = self.look.px(TEXT_WIDTH + 2 * theme.SPACE_XL)
        side = max(0, (middle - most) // 2)
        self._foot.setContentsMargins(side, 0, side, 0)

    def _show_form(self, is_wide: bool, has_questions: bool, has_sources: bool) -> None:
        focused, layout = QApplication.focusWidget(), self.layout()
        assert layout is not None
        # Each part that comes or goes would lay out the conversation at a width of its own.
        layout.setEnabled(False)
        self.bar.tools.set_parted(is_wide)
        if is_wide:
            self.head.take_buttons(are_all=not has_questions)
        if has_questions:
            self.questions.take_buttons(self.bar.tools)
        self.bar.tools.show_search(has_questions)
        for part in (self.head, self.head_line):
            part.setVisible(is_wide)
        self.questions.setVisible(has_questions)
        self.sources.setVisible(has_sources)
        self.head.side_button.set_on(has_sources)
        shown = (self.library, self.conversation)
        field = (self._missing, self.bar) if is_wide else (self.bar, self._missing)
        before, behind = (shown, field) if is_wide else (field, shown)
        for part in (self.questions, self.head, *before, *behind, self.sources):
            part.raise_()  # screen readers go by this order
        # A part that is moved loses the focus.
        if focused is not None and self.isAncestorOf(focused):
            focused.setFocus(Qt.FocusReason.OtherFocusReason)
        layout.setEnabled(True)
        self._move_bar()
        self.conversation.set_form(is_wide=is_wide, are_sources_beside=has_sources)
        self.follow()
        self.form_changed.emit()

    def _move_bar(self) -> None:
        """Move the field to the foot or to the top; never while something stands in it that is being typed."""
        is_wide, bar = self.is_wide, self.bar
        if is_wide is self.is_at_foot or (self.isVisible() and not bar.is_empty):
            return
        before, self.is_at_foot = bar.pos(), is_wide
        bar.set_at_foot(is_wide)
        # At the foot it is as high as its rows: what is to spare is above it.
        vertical = QSizePolicy.Policy.Maximum if is_wide else QSizePolicy.Policy.Preferred
        bar.setSizePolicy(QSizePolicy.Policy.Preferred, vertical)
        self._middle.removeWidget(self._missing)
        if is_wide:
            self._middle.removeWidget(bar)
            for part in (self._missing, bar.line):
                self._middle.insertWidget(self._middle.indexOf(self._foot), part)
            self._foot.addWidget(bar, 1)
        else:
            self._foot.removeWidget(bar)
            for part in (bar, self._missing):
                self._middle.insertWidget(self._middle.indexOf(self.library), part)
        self._activate()
        duration = self.look.motion_ms
        if duration and self.isVisible():
            # Above what it passes over.
            bar.setAutoFillBackground(True)
            bar.raise_()
            self._motion.stop()
            self._motion.setStartValue(before)
            self._motion.setEndValue(bar.pos())
            self._motion.setDuration(duration)
            self._motion.start()
        self.form_changed.emit()

    def _activate(self) -> None:
        for layout in (self.bar.layout(), self.layout()):
            if layout is not None:
                layout.activate()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's interface
        """Draw the lines between columns."""
        with antialiased(self) as painter:
            ink = QColor(self.look.colours.line)
            if not self.questions.isHidden():
                painter.fillRect(self.questions.width() - 1, 0, 1, self.height(), ink)
            if not self.sources.isHidden():
                painter.fillRect(self.width() - self.sources.width(), 0, 1, self.height(), ink)
