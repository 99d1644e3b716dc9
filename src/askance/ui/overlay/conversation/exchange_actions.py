"""What can be done with an exchange: a row of quiet buttons with their menus, and questions that go on from it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget
from shiboken6 import isValid

from askance.domain.conversation import searches
from askance.presentation.i18n import term, tr
from askance.ui.design import theme
from askance.ui.design.composing import (
    Button,
    Composite,
    FlowLayout,
    column_of,
    row_of,
    single_shot_timer,
    style,
)
from askance.ui.design.drawing import antialiased, write
from askance.ui.design.focus import PaintedButton, native_keys
from askance.ui.design.glyphs import ActionButton, GlyphButton, draw_glyph, fill_hover
from askance.ui.design.labels import PlainLabel, set_row_tip, set_tip
from askance.ui.design.popover import Menu
from askance.ui.design.theme import Look
from askance.ui.overlay.answer.copying import COPY_LABELS, CopyKind
from askance.ui.overlay.conversation.exchange import ExchangeAction, ExchangeView

_THANKS_MS = 1600
# Narrower than that the row has room for the first actions alone.
_NARROW = 512
REPLACE_KEYS = "Ctrl+Enter"
_NAMES = {
    ExchangeAction.RETRY: (term("Search again"), "retry"),
    ExchangeAction.OTHER_MODEL: (term("Other model"), "chip"),
    ExchangeAction.EDIT: (term("Edit question"), "edit"),
    ExchangeAction.ASK_NOW: (term("Ask instead"), "up"),
    ExchangeAction.DROP: (term("Remove"), "cross"),
}
_FOLDED = {
    ExchangeAction.WITHOUT_WEB: (term("Answer without searching"), ""),
    ExchangeAction.ADD_SOURCES: (term("Keep the sources"), "book"),
    ExchangeAction.SHOW_STEPS: (term("Show the steps"), "list"),
    ExchangeAction.PRINT: (term("Print"), "print"),
    ExchangeAction.DELETE: (term("Delete"), "trash"),
}
# Those that give way where the window is narrow.
_YIELDING = (ExchangeAction.OTHER_MODEL, ExchangeAction.EDIT)


@dataclass(slots=True)
class ExchangeServices:
    """What an exchange needs of the window. What it has nothing for is not offered."""

    models: Callable[[Callable[[Sequence[str]], None]], object] | None = None
    """Hands over the names of the models that can be asked instead, once they are known."""
    put_in_place: Callable[[str, str], object] | None = None
    """Puts in the place of what is selected in the program that the user came from, which is the first text, the
    second one."""


class ExchangeActions(Composite):
    """Copy with its menu, what asks again, and a menu of what is wanted seldom. No button ever moves."""

    chosen = Signal(object, str)
    """An `ExchangeAction`; with `OTHER_MODEL` the name of the model."""
    copy_wanted = Signal(object)
    """What is to be copied: a `CopyKind`."""
    last_copied = CopyKind.WITH_SOURCES
    """What a click on the button copies: as the last time."""

    def __init__(self, look: Look, services: ExchangeServices) -> None:
        super().__init__(look)
        self._services = services
        self._actions: tuple[ExchangeAction, ...] = ()
        self.copy = ActionButton(look, tr("Copy"), "copy", then=self._copy_as_before)
        self.kinds = ActionButton(look, "", opens_list=True, then=self._list_kinds)
        self.kinds.setAccessibleName(tr("Other ways to copy"))
        set_tip(self.kinds, tr("Other ways to copy"))
        self.buttons: dict[ExchangeAction, ActionButton] = {}
        for action, (name, glyph) in _NAMES.items():
            opens = action is ExchangeAction.OTHER_MODEL
            button = ActionButton(look, tr(name), glyph, opens_list=opens)
            button.clicked.connect(partial(self._choose, action))
            self.buttons[action] = button
        self.more = GlyphButton(look, "more", tr("More"), then=self._list_more)
        copying = row_of(look, self.copy, self.kinds, gap=0)
        row = row_of(look, gap=2)
        row.addLayout(copying)
        row.put(*self.buttons.values(), None, self.more)
        self.setLayout(row)
        self._back = single_shot_timer(self, self._rest, _THANKS_MS)

    def show_actions(self, view: ExchangeView) -> None:
        """Show what can be done with an exchange."""
        left_out = () if self._services.models else (ExchangeAction.OTHER_MODEL,)
        self._actions = tuple(action for action in view.actions if action not in left_out)
        is_searched = searches(view.asked.command) or view.is_check
        again = term("Search again") if is_searched else term("Ask again")
        self.buttons[ExchangeAction.RETRY].setText(tr(again))
        self._lay_out()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave in a narrow window what is wanted most."""
        super().resizeEvent(event)
        self._lay_out()

    def thank(self, kind: CopyKind) -> None:
        """Show for a moment that it was copied, and copy the same with the next click."""
        ExchangeActions.last_copied = kind
        self.copy.set_glyph("check", "accent")
        self._back.start()

    def _lay_out(self) -> None:
        copies = ExchangeAction.COPY in self._actions
        self.copy.setVisible(copies)
        self.kinds.setVisible(copies)
        for action, button in self.buttons.items():
            button.setVisible(action in self._actions and action not in self._hidden)
        self.more.setVisible(any(a in self._actions for a in (*_FOLDED, *self._hidden)))

    @property
    def _hidden(self) -> tuple[ExchangeAction, ...]:
        px = self.look.px
        shown = (self.buttons[action] for action in _NAMES if action in self._actions)
        parts = (self.copy, self.kinds, *shown, self.more)
        needed = sum(part.sizeHint().width() + px(2) for part in parts)
        # Between two columns there is less room than German words need in a window of 560.
        return _YIELDING if self.width() < max(px(_NARROW), needed) else ()

    def _rest(self) -> None:
        self.copy.set_glyph("copy")

    def _copy_as_before(self) -> None:
        self.copy_wanted.emit(ExchangeActions.last_copied)

    def _list_kinds(self) -> None:
        menu = Menu(self.look, self)
        menu.setToolTipsVisible(True)
        for kind, label in COPY_LABELS.items():
            glyph = "check" if kind is ExchangeActions.last_copied else ""
            keys = "Ctrl+C" if kind is CopyKind.WITH_SOURCES else ""
            row = menu.add(tr(label), partial(self.copy_wanted.emit, kind), glyph=glyph, keys=keys)
            if kind is CopyKind.WITH_SOURCES:
                set_row_tip(row, tr("Markdown, and HTML where it is taken"))
        menu.open_below(self.copy)

    def _list_more(self) -> None:
        self._menu_of((*self._hidden, *_FOLDED)).open_below(self.more, at_right=True)

    def list_all(self, place: QPoint) -> None:
        """Show all that can be done as a menu at a place of the screen."""
        self._menu_of((ExchangeAction.COPY, *_NAMES, *_FOLDED)).open_at(place)

    def _menu_of(self, actions: Iterable[ExchangeAction]) -> Menu:
        menu = Menu(self.look, self)
        for action in actions:
            if action not in self._actions:
                continue
            if action is ExchangeAction.COPY:
                menu.add(tr("Copy"), self._copy_as_before, glyph="copy")
                continue
            text, glyph = _NAMES.get(action) or _FOLDED[action]
            # The button's own words: what is asked again is not always a search.
            words = self.buttons[action].text() if action in self.buttons else tr(text)
            then = partial(self.chosen.emit, action, "")
            if action is ExchangeAction.OTHER_MODEL:
                then = partial(self._list_models, self.more)
            menu.add(words, then, glyph=glyph)
        return menu

    def _list_models(self, anchor: QWidget) -> None:
        if self._services.models is not None:
            self._services.models(partial(self._show_models, anchor))

    def _show_models(self, anchor: QWidget, names: Sequence[str]) -> None:
        # The server has taken its time: the exchange may be gone, or out of sight.
        if not isValid(self) or not anchor.isVisible() or not names:
            return
        menu = Menu(self.look, self)
        for name in names:
            menu.add(name, partial(self.chosen.emit, ExchangeAction.OTHER_MODEL, name))
        menu.open_below(anchor)

    def _choose(self, action: ExchangeAction) -> None:
        if action is ExchangeAction.OTHER_MODEL:
            self._list_models(self.buttons[action])
        else:
            self.chosen.emit(action, "")


class RewriteActions(Composite):
    """What can be done with a text that a command made of a selection: above all, to put it in its place."""

    replace_wanted = Signal()
    copy_wanted = Signal()
    reworded = Signal(str)
    """How the text is to be worded otherwise."""
    changes_wanted = Signal(bool)

    def __init__(self, look: Look, services: ExchangeServices, *, is_of_selection: bool) -> None:
        super().__init__(look)
        can_replace = is_of_selection and services.put_in_place is not None
        self.replace = Button(look, tr("Replace selection"), then=self.replace_wanted)
        self.replace.setProperty("primary", True)
        self.replace.setVisible(can_replace)
        keys = PlainLabel(native_keys(REPLACE_KEYS))
        self.keys = style(keys, look, font=theme.LABEL_TEXT, ink="ink_3")
        self.keys.setVisible(can_replace)
        self.copy = Button(look, tr("Copy"), then=self.copy_wanted)
        ways = (tr("Shorter"), tr("Friendlier"))
        self.ways = [Button(look, way, then=partial(self.reworded.emit, way)) for way in ways]
        self.changes = ActionButton(look, tr("Show changes"), then=self._turn)
        parts = (self.replace, self.keys, self.copy, *self.ways, self.changes)
        # In as many lines as they need: German words at large sizes of text do not fit on one.
        self.setLayout(FlowLayout(look, *parts))
        for beside in (self.keys, self.changes):
            beside.setFixedHeight(self.copy.sizeHint().height())
        self.shows_changes = False
        self._back = single_shot_timer(self, self._rest, _THANKS_MS)

    def thank(self, _kind: CopyKind) -> None:
        """Say for a moment that it was copied; the button has room for both words."""
        room = self.copy.sizeHint().width()
        self.copy.setText(tr("Copied"))
        self.copy.setFixedWidth(max(room, self.copy.sizeHint().width()))
        self._back.start()

    def _rest(self) -> None:
        self.copy.setText(tr("Copy"))

    def _turn(self) -> None:
        self.shows_changes = not self.shows_changes
        self.changes.set_on(self.shows_changes)
        self.changes_wanted.emit(self.shows_changes)


MOST_NEXT = 2


class NextQuestions(Composite):
    """At most two questions that go on from an answer, as quiet lines that ask when they are pressed."""

    asked = Signal(str)

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.questions: tuple[str, ...] = ()
        self.lines: list[NextLine] = []
        self._layout = column_of(look, gap=0)
        self.setLayout(self._layout)
        self.setAccessibleName(tr("Next questions"))

    def show_questions(self, questions: Sequence[str]) -> None:
        """Show these, or nothing."""
        self.questions = tuple(questions[:MOST_NEXT])
        while self.lines:
            self._layout.drop(self.lines.pop())
        for i, question in enumerate(self.questions):
            line = NextLine(self.look, question, f"Alt+{i + 2}")
            line.clicked.connect(partial(self.asked.emit, question))
            self._layout.addWidget(line)
            self.lines.append(line)

    def ask(self, index: int) -> bool:
        """Ask one of them, if it is there."""
        if index < len(self.questions):
            self.asked.emit(self.questions[index])
            return True
        return False


class NextLine(PaintedButton):
    """A question with the keys that ask it at its end."""

    def __init__(self, look: Look, question: str, keys: str) -> None:
        super().__init__(look, theme.SMALL_TEXT)
        self.setText(question)
        self._keys = native_keys(keys)
        self.setAccessibleDescription(self._keys)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        """Return a row."""
        return QSize(self.look.px(240), self.look.px(theme.GLYPH_TARGET))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's interface
        """Draw the arrow, the question and the keys."""
        c, px = self.look.colours, self.look.px
        with antialiased(self) as painter:
            lit = self.underMouse() or self.hasFocus()
            if self.underMouse():
                fill_hover(painter, self.rect(), self.look)
            room = self.rect().adjusted(px(theme.SPACE_S), 0, -px(theme.SPACE_S), 0)
            glyph = QRect(room.left(), 0, px(theme.GLYPH), self.height())
            draw_glyph(painter, self, self.look, "follow", c.ink_3, glyph)
            font = self.look.font(theme.LABEL_TEXT)
            right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            write(painter, self._keys, room, font, c.ink_3, where=right)
            taken = QFontMetrics(font).horizontalAdvance(self._keys) + px(theme.SPACE_M)
            room.adjust(px(theme.GLYPH + theme.SPACE_S), 0, -taken, 0)
            write(painter, self.text(), room, self.font(), c.ink if lit else c.ink_2)
