"""The ask bar: where questions and commands are typed, with the switch of modes and all that belongs to typing."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum

from PySide6.QtCore import QMargins, QMimeData, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QKeyEvent, QPaintEvent, QPen
from PySide6.QtWidgets import QRadioButton, QWidget

from askance.app.commands import (
    COMMANDS,
    CommandError,
    Completion,
    Wants,
    completions,
    is_plain,
    mode_of,
    parse,
    with_one_slash,
)
from askance.config.choices import AskMode
from askance.domain.conversation import ParsedCommand, from_memory
from askance.presentation.i18n import term, tr
from askance.ui.design import theme
from askance.ui.design.composing import Composite, Styled, column_of, row_of, style
from askance.ui.design.controls import DropTarget, ProgressLine, named_places, places_of_drop
from askance.ui.design.drawing import IconLabel, antialiased, fill
from askance.ui.design.focus import read_last, wants_ring
from askance.ui.design.labels import KeyCap, set_tip
from askance.ui.design.theme import Look
from askance.ui.overlay.bar.ask_field import INSET, AskField, CompletionList
from askance.ui.overlay.bar.quotes import ChipRow, QuoteSuggestion, chips_of_drop, is_quotable
from askance.ui.overlay.bar.status import InlineMessage, MessageAction
from askance.ui.overlay.conversation.field import (
    Chip,
    Draft,
    QuestionRecall,
    are_mixed,
    chip_of_paste,
    documents_of,
    origin_of,
    quote_of,
)

_HEIGHT = 24
_PAD = 8
_RADIUS = 5
# It is hit a little above and below what is seen of it, as the key beside it is.
_AROUND = 2
_NAMES = {AskMode.WEB: term("Web"), AskMode.CHAT: term("Chat")}
_FRONT = {
    AskMode.WEB: term("Enter searches the web"),
    AskMode.CHAT: term("Enter asks the model alone"),
}
_BEHIND = {
    AskMode.WEB: term("Ctrl+Enter searches the web"),
    AskMode.CHAT: term("Ctrl+Enter asks the model alone"),
}


class Quoted(Enum):
    """What a question is answered from in the place of the web, because it was quoted."""

    TEXT = "text"
    PASSAGES = "passages"


_INSTEAD = {
    Quoted.TEXT: (term("Text"), term("Enter asks the model about the text, without a search")),
    Quoted.PASSAGES: (term("Library"), term("Enter asks about these passages of the library")),
}


class ModeSwitch(Composite):
    """What Enter asks, the web or the model alone: two radio buttons that look like one switch. Where nothing can be
    searched, or what is quoted is asked instead, it says so."""

    chosen = Signal(object)
    """The `AskMode` that the user put in front."""
    setup_requested = Signal()
    """The web was chosen, and no search is set up."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._wanted = AskMode.WEB
        self._lacks_search = ""
        self._quoted: Quoted | None = None
        self.segments = {mode: _Segment(look, self) for mode in AskMode}
        for mode, segment in self.segments.items():
            segment.clicked.connect(lambda _=False, mode=mode: self._choose(mode))
        self.setLayout(row_of(look, *self.segments.values(), gap=0))
        self._restyle()

    def _restyle(self) -> None:
        self._show()

    @property
    def mode(self) -> AskMode:
        """What is in front: the model alone where nothing can be searched."""
        return AskMode.CHAT if self._lacks_search else self._wanted

    def set_mode(self, mode: AskMode) -> None:
        """Put this in front, as soon as it can be."""
        self._wanted = mode
        self._show()

    def set_search_missing(self, why: str) -> None:
        """Say why nothing can be searched; nothing, if it can."""
        self._lacks_search = why
        self._show()

    def set_quoted(self, quoted: Quoted | None) -> None:
        """Say what the question that stands in the field is answered from in the place of the web."""
        if quoted is not self._quoted:
            self._quoted = quoted
            self._show()

    def _choose(self, mode: AskMode) -> None:
        if mode is AskMode.WEB and self._lacks_search:
            self._show()  # Qt has checked it
            self.setup_requested.emit()
            return
        self.set_mode(mode)
        self.chosen.emit(mode)

    def _show(self) -> None:
        self.setAccessibleName(tr("What Enter asks"))
        for mode, segment in self.segments.items():
            is_front = mode is self.mode
            name, description = _NAMES[mode], (_FRONT if is_front else _BEHIND)[mode]
            if is_front and self._quoted is not None:
                name, description = _INSTEAD[self._quoted]
            name, description = tr(name), tr(description)
            segment.setText(name)
            segment.setChecked(is_front)
            segment.lacks = bool(self._lacks_search) and mode is AskMode.WEB
            if segment.lacks:
                description = f"{self._lacks_search} {tr('A click sets it up.')}"
            segment.setAccessibleName(name)
            set_tip(segment, description)
            # One stop for Tab, as radio buttons have; the arrows go on from there. The field keeps
            # the focus at a click.
            policy = Qt.FocusPolicy.TabFocus if is_front else Qt.FocusPolicy.NoFocus
            segment.setFocusPolicy(policy)
            segment.updateGeometry()
            segment.update()


class _Segment(Styled, QRadioButton):
    """One word. What lacks something has a ring before it, as the lights at the foot have."""

    def __init__(self, look: Look, parent: ModeSwitch) -> None:
        super().__init__(look, parent)
        self._switch = parent
        self.lacks = False
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        wants_ring(self)
        style(self, look, font=theme.LABEL_TEXT, weight=QFont.Weight.Medium, height=_HEIGHT)

    def sizeHint(self) -> QSize:
        words = self.fontMetrics().horizontalAdvance(self.text())
        ring = self._ring_room if self.lacks else 0
        return QSize(words + ring + 2 * self.look.px(_PAD), self.look.px(_HEIGHT))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    # All of the segment is hit: a radio button of Qt's would take clicks on its circle and words
    # alone.
    def hitButton(self, at: object) -> bool:  # noqa: ARG002 - Qt's interface
        return True

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let the arrows, Space and Enter choose the other one, and the focus go with it."""
        keys = Qt.Key
        if event.key() in (
            *(keys.Key_Left, keys.Key_Right, keys.Key_Up, keys.Key_Down),
            *(keys.Key_Space, keys.Key_Return, keys.Key_Enter),
        ):
            other = self._switch.segments[self._switch.mode.other]
            other.click()
            self._switch.segments[self._switch.mode].setFocus(Qt.FocusReason.TabFocusReason)
        else:
            event.ignore()  # what is typed stands in the field

    @property
    def _ring_room(self) -> int:
        return self.look.px(7 + 5)

    def paintEvent(self, event: object) -> None:
        """Draw the word; behind the one in front the soft accent."""
        assert isinstance(event, QPaintEvent)
        look, colours = self.look, self.look.colours
        with antialiased(self) as painter:
            if self.isChecked():
                around = look.px(_AROUND)
                ground = self.rect().adjusted(0, around, 0, -around)
                fill(painter, ground, colours.accent_soft, look.px(_RADIUS))
            room = self.rect().adjusted(look.px(_PAD), 0, -look.px(_PAD), 0)
            if self.lacks:
                width = 1.6 * look.scale
                dot = look.px(7)
                ring = QRectF(room.left(), (self.height() - dot) / 2, dot, dot)
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.setPen(QPen(QColor(colours.amber), width))
                painter.drawEllipse(ring.adjusted(width / 2, width / 2, -width / 2, -width / 2))
                room.adjust(self._ring_room, 0, 0, 0)
            lit = self.underMouse()
            ink = colours.accent if self.isChecked() else colours.ink if lit else colours.ink_3
            painter.setPen(QColor(ink))
            painter.setFont(self.font())
            painter.drawText(room, Qt.AlignmentFlag.AlignCenter, self.text())


_MARK = 24
_KEY_HEIGHT = 24


class AskBar(Composite):
    """The mark, the field with its chips, the key cap; below them the line and the completion.

    What is submitted was understood: it names a command of the table or none, and has the text
    that the command wants. The field is empty then, and the recall knows the text.
    """

    submitted = Signal(object)
    """What is asked: a `ParsedCommand` with its quote."""
    stop_requested = Signal()
    """Escape while a run is on."""
    dismissed = Signal()
    """Escape with nothing left to close or stop."""
    text_edited = Signal()
    """The draft is another now: its text or its chips."""
    add_requested = Signal(object)
    """What was dropped is to be added to the library: its paths and addresses."""
    left_below = Signal()
    """An arrow down, with nothing newer to recall."""

    def __init__(self, look: Look, *, recall: QuestionRecall | None = None) -> None:
        super().__init__(look)
        self.recall = recall or QuestionRecall()
        self._is_running = False
        self._is_follow_up = False
        self._is_ruled = False
        self._known = ""
        # The text for which no completion is wanted: it was recalled, or the list was closed on it.
        self._settled: str | None = None
        self._mark = IconLabel(look, _MARK, "mark", "accent", self)
        self.field = AskField(
            look,
            is_command=self._is_command,
            takes_paste=lambda text: chip_of_paste(text) is None,
            parent=self,
        )
        self.chips = ChipRow(look, self)
        self.offer = QuoteSuggestion(look, self.field, self)
        self.inline_message = InlineMessage(look, self)
        self.switch = ModeSwitch(look, self)
        self.key_cap = style(KeyCap(look, self), look, height=_KEY_HEIGHT)
        for part in (self.switch, self.key_cap):
            read_last(part)
        self.line = ProgressLine(look, self)
        self.completion = CompletionList(look, self)
        self.setFocusProxy(self.field)
        # What is dropped comes to the whole bar, wherever in it.
        self.field.setAcceptDrops(False)
        # The field alone would take text, and not files or folders.
        self.take_drops_on(self)
        self._lay_out()
        self._connect()
        self._restyle()

    def _restyle(self) -> None:
        px = self.look.px
        self._row.setSpacing(px(theme.SPACE_M) - INSET)
        whole = px(theme.FIELD_HEIGHT)
        # Each column begins as far down as it takes to stand in the middle of one line: mark and
        # keys stay there while the field grows below them.
        for column, height in (
            (self._left, px(_MARK)),
            (self._middle, self.field.line_height),
            (self._right, px(_KEY_HEIGHT)),
        ):
            above = max(0, whole - height) // 2
            below = max(0, whole - height - above) if column is self._middle else 0
            column.setContentsMargins(QMargins(0, above, 0, below))
        self._speak()

    @property
    def draft(self) -> Draft:
        """What stands there and was not sent."""
        return Draft(self.field.text, self.field.cursor_at, self.chips.chips)

    def set_draft(self, draft: Draft) -> None:
        """Put a draft in the place of what stands there. What is said below stays."""
        is_complaining = self.inline_message.isVisibleTo(self)
        self.chips.clear()
        for chip in draft.quotes:
            self.chips.add(chip)
        self._settled = draft.text
        self.field.set_text(draft.text, draft.cursor)
        self.inline_message.setVisible(is_complaining)

    def offer_quote(self, chip: Chip) -> None:
        """Offer a text of another program as a quote, until it is taken or something is sent."""
        if chip.text not in {shown.text for shown in self.chips.chips}:
            self.offer.show_chip(chip)

    def ask_about(self, chip: Chip) -> None:
        """Quote a text, and ask what stands in the field; where nothing does, that is still to come."""
        self._take(chip)
        if self.field.text.strip():
            self._send()

    def take_drops_on(self, widget: QWidget) -> None:
        """Let what is dropped on a widget come here."""
        DropTarget(widget, _is_of_use, self._drop)

    def complain(self, problem: CommandError) -> None:
        """Say under the field why something was not done; the next key takes it away."""
        self.inline_message.show_problem(problem)

    def show_message(self, sentence: str, step: MessageAction | None = None) -> None:
        """Say something there beside what is said already; once it can be read, a key takes all of it away."""
        self.inline_message.add_problem(sentence, step)

    def set_running(self, is_running: bool) -> None:
        """Say whether a run is on, which Escape then stops."""
        self._is_running = is_running
        self._speak()

    def set_follow_up(self, is_follow_up: bool) -> None:
        """Say whether there is a conversation that the next question follows up."""
        self._is_follow_up = is_follow_up
        self._speak()

    def set_ruled(self, is_ruled: bool) -> None:
        """Say whether something stands below that a hairline parts from the field."""
        self._is_ruled = is_ruled
        self._rule()

    def set_most_height(self, height: int) -> None:
        """Let the completion take what this leaves, in logical pixels, and scroll beyond that."""
        rest = self.sizeHint().height()
        if self.completion.is_open:
            rest -= self.completion.height()
        self.completion.set_room(height - rest)

    def escape(self) -> None:
        """Do what Escape does now: close the completion, or stop the run, or dismiss the window.

        A slash that only opened the completion goes with it.
        """
        if self.completion.is_open:
            self._settled = self.field.text
            self._offer()
            # U+FF0F is the full-width slash, which Chinese and Japanese input methods write.
            if not self._settled.strip("/\uff0f \n"):
                self.field.set_text("")
        elif self._is_running:
            self.stop_requested.emit()
        else:
            self.dismissed.emit()

    def _lay_out(self) -> None:
        look, typed = self.look, (self.chips, self.field, self.offer, self.inline_message)
        self._left = column_of(look, self._mark, None, gap=0)
        self._middle = column_of(look, *typed, None, gap=0)
        self._right = column_of(look, row_of(look, self.switch, self.key_cap), None, gap=0)
        margins = (theme.SPACE_L, 0, theme.SPACE_L, 0)
        self._row = row_of(look, self._left, self._middle, self._right, margins=margins)
        self._row.setStretch(1, 1)
        self.setLayout(column_of(look, self._row, self.line, self.completion, gap=0))

    def _connect(self) -> None:
        field = self.field
        field.textChanged.connect(self._edited)
        field.sent.connect(self._send)
        field.sent_other.connect(self._send_other)
        field.escaped.connect(self.escape)
        field.completed.connect(self._complete_current)
        field.stepped.connect(self._step)
        field.backed.connect(self.chips.remove_last)
        field.pasted.connect(self._quote)
        field.files_pasted.connect(self._drop)
        self.chips.changed.connect(self.inline_message.hide_read)
        self.chips.changed.connect(self._show_quoted)
        self.chips.changed.connect(self.text_edited)
        self.chips.left.connect(field.setFocus)
        self.completion.chosen.connect(self._choose)
        self.offer.accepted.connect(self._take)
        self.inline_message.accepted.connect(self._correct)
        self.inline_message.insisted.connect(self._send_text)
        self.key_cap.clicked.connect(self.escape)

    def _speak(self) -> None:
        if self._is_follow_up or self._is_running:
            self.field.setPlaceholderText(tr("Ask a follow-up"))
        else:
            self.field.setPlaceholderText(tr("Ask, or type / for commands"))
        self.field.setAccessibleName(tr("Question"))
        self.field.setAccessibleDescription(self.field.placeholderText())
        if self._is_running:
            self.key_cap.set_key(tr("Esc stops"), tr("Stop"))
        else:
            self.key_cap.set_key(tr("Esc"), tr("Close"))

    def _edited(self) -> None:
        text = self.field.text
        # The highlighter, too, changes the document.
        if text == self._known:
            return
        self._known = text
        self.inline_message.hide_read()
        self._offer()
        self._show_quoted()
        self.text_edited.emit()

    def _offer(self) -> None:
        text = self.field.text
        # Whoever has chosen or recalled a text wants no list over it; one more letter brings it
        # back.
        if text == self._settled:
            self.completion.offer(())
        else:
            self._settled = None
            self.completion.offer(completions(text))
        self.field.is_completing = self.completion.is_open
        self._rule()

    def _rule(self) -> None:
        self.line.set_ruled(self._is_ruled or self.completion.is_open)

    def _is_command(self, begun: str) -> bool:
        """Return whether a word with the character behind it is a command, or may become one."""
        # With a blank behind it a word is finished, and must be a command as it stands; without,
        # one may begin so.
        word = begun.rstrip()
        if word == begun:
            return bool(completions(word))
        return with_one_slash(word)[1:].casefold() in {command.name for command in COMMANDS}

    def _send(self) -> None:
        self._send_with(self.switch.mode)

    def _send_other(self) -> None:
        """Ask with the mode that is not in front, this once."""
        self._send_with(self.switch.mode.other)

    def _send_with(self, mode: AskMode) -> None:
        parsed = self._parsed(mode)
        picked = self.completion.current
        # Enter takes the command that is picked in the list, and sends it only where it has all
        # that it wants.
        if picked is not None and not self._stands(picked, parsed):
            self._complete(picked)
            if picked.command.wants is not Wants.NOTHING and not self._has_its_text(picked):
                return
            parsed = self._parsed(mode)
        # What was typed cannot be sent without the text that is offered: Enter accepts that too.
        if isinstance(parsed, CommandError) and self._lacks_offer():
            self.offer.accept()
            if not self.field.text.strip():
                return  # a text without a command or a question: that is still to come
            parsed = self._parsed(mode)
        if isinstance(parsed, ParsedCommand):
            self._submit(parsed)
        elif self.field.text.strip() or self.chips.chips:
            self.complain(parsed)

    def _has_its_text(self, picked: Completion) -> bool:
        """Return whether the text that a completed command works on is quoted or offered."""
        return picked.command.on_selection and bool(self.chips.chips or self.offer.chip)

    def _submit(self, asked: ParsedCommand) -> None:
        text = self.field.text.strip()
        alone = any(c.name == asked.command and c.wants is Wants.NOTHING for c in COMMANDS)
        # A chip waits for the question that is about it.
        chips = () if alone else self.chips.chips
        asked = replace(
            asked,
            quote=quote_of(chips),
            origin=origin_of(chips),
            pasted=self.field.pasted_stretches,
        )
        self.recall.add(text)
        self.offer.withdraw()
        # Before it is told of: who gets it may put something else there, as `/help` does with a slash.
        self.field.set_text("")
        if not alone:
            self.chips.clear()
        self.submitted.emit(asked)

    def _parsed(self, mode: AskMode = AskMode.WEB) -> ParsedCommand | CommandError:
        chips = self.chips.chips
        quote, documents = quote_of(chips), documents_of(chips)
        asked = parse(self.field.text, quote=quote, mode=mode, documents=documents)
        if isinstance(asked, ParsedCommand) and mode_of(asked.command) and are_mixed(chips):
            return CommandError(
                tr(
                    "Ask about passages of the library or about another text, not about both at once."
                )
            )
        return asked

    def _show_quoted(self) -> None:
        """Say before Enter that what is quoted is asked, where that is so."""
        chips = self.chips.chips
        quoted = None
        if chips and is_plain(self.field.text):
            # As Enter would parse it, so that the switch never promises anything else.
            match self._parsed():
                case ParsedCommand(command=name) if from_memory(name):
                    quoted = Quoted.TEXT
                case ParsedCommand(documents=documents) if documents:
                    quoted = Quoted.PASSAGES
                case _:
                    pass
        self.switch.set_quoted(quoted)

    def _lacks_offer(self) -> bool:
        """Return whether what stands there could be sent with what is offered, and not without."""
        chip = self.offer.chip
        if chip is None:
            return False
        return isinstance(parse(self.field.text, quote=chip.text), ParsedCommand)

    def _stands(self, picked: Completion, parsed: ParsedCommand | CommandError) -> bool:
        """Return whether a completion stands there already, and can be sent as it is."""
        typed = with_one_slash(self.field.text.strip()).casefold()
        return typed == picked.text.strip() and isinstance(parsed, ParsedCommand)

    def _complete_current(self) -> None:
        if picked := self.completion.current:
            self._complete(picked)

    def _complete(self, picked: Completion) -> None:
        self._settled = picked.text
        self.field.set_text(picked.text)

    def _choose(self, picked: Completion) -> None:
        self.field.setFocus()
        self._complete(picked)
        if picked.command.wants is Wants.NOTHING:
            self._send()

    def _correct(self, text: str) -> None:
        self._settled = text
        self.field.set_text(text)
        self.field.setFocus()

    def _send_text(self, text: str) -> None:
        self._correct(text)
        self._send()

    def _step(self, direction: int) -> None:
        if self.completion.is_open:
            self.completion.step(direction)
            return
        shown = self.field.text
        text = self.recall.up(shown) if direction < 0 else self.recall.down(shown)
        if text is not None:
            self._settled = text
            self.field.recall(text)
        # Below the newest there is nothing to recall: the arrow goes on to what was found in the
        # library.
        elif direction > 0:
            self.left_below.emit()

    def _take(self, chip: Chip) -> None:
        self.chips.add(chip)
        self.field.setFocus()

    def _drop(self, data: QMimeData) -> None:
        """Quote a text, or the text of a file. Files, folders and pages may be added to the library."""
        # A text file is both: it is quoted, and may be added all the same.
        chips, places = chips_of_drop(data), places_of_drop(data)
        for chip in chips:
            self._take(chip)
        if places:
            self._offer_to_add(places)
        elif not chips:
            self.show_message(
                tr("Only texts, documents, folders and web pages can be taken, and none is in it.")
            )

    def _offer_to_add(self, places: tuple[str, ...]) -> None:
        """Ask whether what was dropped is to be added to the library: nothing is added by a slip of the hand."""

        def add() -> None:
            self.inline_message.hide()
            self.add_requested.emit(places)

        what = named_places(places)
        self.show_message(
            tr("Add {what} to the library?", what=what), MessageAction(tr("Add"), add)
        )

    def _quote(self, text: str) -> None:
        if chip := chip_of_paste(text):
            self.chips.add(chip)


def _is_of_use(data: QMimeData) -> bool:
    return is_quotable(data) or bool(places_of_drop(data))
