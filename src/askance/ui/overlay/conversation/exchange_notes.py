"""What is said below an exchange: notes on its answer, and why there is none."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QPushButton

from askance.presentation.i18n import quoted, tr
from askance.ui.design import theme
from askance.ui.design.composing import Button, Composite, row_of
from askance.ui.design.drawing import antialiased, fill
from askance.ui.design.focus import ALLOW_WORDS, native_keys
from askance.ui.design.labels import RichLabel, lines, set_tip, span
from askance.ui.design.theme import Look
from askance.ui.overlay.conversation.exchange import Failure, label_of


class NotesView(Composite):
    """Amber sentences on one panel, and a button where queries were sent without words."""

    allowed = Signal()
    """Words that were held back may be searched."""

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self._texts: tuple[str, ...] = ()
        self._words = RichLabel()
        self.button = Button(look, tr("Search with these words"), then=self.allowed)
        self.button.hide()
        pads = (theme.SPACE_M, theme.SPACE_S, theme.SPACE_M, theme.SPACE_S)
        gap, wide = theme.SPACE_M, self._words
        self.setLayout(row_of(look, self._words, self.button, gap=gap, wide=wide, margins=pads))
        self._restyle()

    def show_notes(self, texts: Sequence[str], held_back: Sequence[str] = ()) -> None:
        """Show notes, each on a line of its own; `held_back` are the words that may be searched all the same."""
        self._texts = tuple(texts)
        self._restyle()
        self.button.setVisible(bool(held_back))
        if held_back:
            words, key = quoted(held_back), native_keys(ALLOW_WORDS)
            text = tr("Asks again, with {words} ({key})", words=words, key=key)
            set_tip(self.button, text)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's interface
        """Draw the panel."""
        with antialiased(self) as painter:
            radius = self.look.px(theme.CONTROL_RADIUS)
            fill(painter, self.rect(), self.look.colours.amber_soft, radius)

    def _restyle(self) -> None:
        texts = [_coloured(text, self.look.colours.amber) for text in self._texts]
        markup = lines(self.look, texts, theme.SMALL)
        spoken = [tr("Note: {text}", text=text.replace("`", "")) for text in self._texts]
        self._words.set_markup(markup, "\n".join(spoken))


class FailureView(Composite):
    """Why there is no answer, what fixes it, and a button where a click can fix it."""

    fix_requested = Signal(str)
    """What its button promises: the value of a `FixKind`."""

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self._failure: Failure | None = None
        self._words = RichLabel()
        self.button = QPushButton()
        self.button.clicked.connect(self._fix)
        self.setLayout(row_of(look, self._words, self.button, gap=theme.SPACE_M, wide=self._words))
        self._restyle()

    def _restyle(self) -> None:
        if self._failure is not None:
            self.show_failure(self._failure)

    def show_failure(self, failure: Failure) -> None:
        """Show a failure."""
        self._failure = failure
        colours = self.look.colours
        problem = lines(self.look, [span(failure.problem, colours.red)], theme.BODY)
        fix = failure.fix.replace("`", "")
        remedy = lines(
            self.look, [_coloured(failure.fix, colours.ink_2)] if fix else [], theme.SMALL
        )
        self._words.set_markup(problem + remedy, f"{failure.problem} {fix}".strip())
        self.button.setVisible(failure.quick_fix is not None)
        if failure.quick_fix is not None:
            self.button.setText(label_of(failure.quick_fix))
            # Its label alone does not say what it starts.
            self.button.setAccessibleDescription(fix)

    def _fix(self) -> None:
        if self._failure is not None:
            self.fix_requested.emit(self._failure.quick_fix)


def _coloured(text: str, colour: str) -> str:
    """Return a sentence as markup, the commands that it names in the typeface of code."""
    parts = enumerate(text.split("`"))
    return "".join(span(part, colour, is_code=i % 2 == 1) for i, part in parts)
