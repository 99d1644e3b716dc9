"""The ask bar: where questions and commands are typed, the button that sends and stops, and the row of tools."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QEvent, QMetaMethod, QObject, Signal, SignalInstance
from PySide6.QtWidgets import QWidget

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
from askance.domain.conversation import CHECK, ParsedCommand, asks_files, from_memory, searches
from askance.presentation.i18n import term, tr
from askance.ui.design import theme
from askance.ui.design.composing import Composite, column_of, row_of, single_shot_timer
from askance.ui.design.controls import ProgressLine
from askance.ui.design.theme import Look
from askance.ui.overlay.bar.ask_field import INSET, AskField
from askance.ui.overlay.bar.chips import ChipRow
from askance.ui.overlay.bar.completion_list import CompletionList
from askance.ui.overlay.bar.mode_switch import Quoted
from askance.ui.overlay.bar.quotes import QuoteSuggestion, copied_text
from askance.ui.overlay.bar.status import InlineMessage, MessageAction
from askance.ui.overlay.bar.tool_row import Hint, SendButton, SendState, ToolRow
from askance.ui.overlay.conversation.field import (
    MOST_CHARACTERS,
    PATH,
    Chip,
    Draft,
    QuestionRecall,
    about_files,
    are_mixed,
    chip_of_paste,
    documents_of,
    origin_of,
    quote_of,
)

GRACE_MS = 600
"""For so long after a run the first Escape does nothing: it was meant to stop that."""
_MIXED = term("Ask about passages of the library or about another text, not about both at once.")
_ROW_HEIGHT, _SEND_TOP, _SIDE = 54, 10, 24


class AskBar(Composite):
    """Chips, then the field with the button that sends, then the row of tools; below them the line, a message and the
    completion.

    What is submitted was understood: it names a command of the table or none, and has the text
    that the command wants. The field is empty then, and the recall knows the text.
    """

    submitted = Signal(object)
    """What is asked: a `ParsedCommand` with its quote."""
    stop_requested = Signal()
    """Escape, or a click, while a run is on."""
    dismissed = Signal()
    """Escape with nothing left to close or stop."""
    text_edited = Signal()
    """The draft is another now: its text or its chips."""
    add_requested = Signal(object)
    """What was dropped is to be added to the library: its paths and addresses."""
    left_below = Signal()
    """An arrow down, with nothing newer to recall."""
    edit_last_requested = Signal()
    """An arrow up in the empty field. While nothing is connected, it recalls what was typed before."""
    long_text_given = Signal(str)
    """A text that was pasted, and is longer than a quote."""
    path_suspected = Signal(str, object)
    """A question that may hold a path of this computer, and its `AskMode`; `send_as_it_stands` asks it."""

    def __init__(self, look: Look, *, recall: QuestionRecall | None = None) -> None:
        super().__init__(look)
        self.recall = recall or QuestionRecall()
        self._is_running = self._is_follow_up = self._is_ruled = False
        self._is_active = True
        self._are_files_read, self._lacks_files = True, False
        # What waits until all files are read, and the text that may be a path and is meant as words.
        self._pending: AskMode | None = None
        self._words = ""
        self._file_hint = ""
        self._has_shown_undo = self._shows_undo = False
        self._summons, self._suggestion = "", ""
        self._hints: tuple[Hint, ...] = ()
        self._known: str = ""
        # The text for which no completion is wanted: it was recalled, or the list was closed on it.
        self._settled: str | None = None
        self.field = AskField(
            look,
            is_command=self._is_command,
            takes_paste=lambda text: chip_of_paste(text) is None,
            parent=self,
        )
        self.chips = ChipRow(look, self)
        self.offer = QuoteSuggestion(look, self.field, self)
        self.inline_message = InlineMessage(look, self)
        self.send_button = SendButton(look, self)
        self.tools = ToolRow(look, self)
        self.switch = self.tools.switch
        self.line = ProgressLine(look, self)
        self.completion = CompletionList(look, self)
        self._grace = single_shot_timer(self, self._show_send, GRACE_MS)
        self.setFocusProxy(self.field)
        # What is dropped comes to the whole window: the field alone would take text, and not files or folders.
        self.field.setAcceptDrops(False)
        self._lay_out()
        self._connect()
        self._restyle()

    def _restyle(self) -> None:
        px = self.look.px
        # The field's own inset is room for its caret: its text begins at the edge of all other text.
        side = px(_SIDE)
        above = (px(_ROW_HEIGHT) - self.field.line_height) // 2
        below = px(_ROW_HEIGHT) - self.field.line_height - above
        self._typing.setContentsMargins(side - INSET, 0, side, 0)
        self._typing.setSpacing(px(theme.SPACE_M) - INSET)
        self._field_column.setContentsMargins(0, above, 0, below)
        self._send_column.setContentsMargins(0, px(_SEND_TOP), 0, 0)
        self.chips_place.setContentsMargins(side - INSET, 0, side, 0)
        self._below.setContentsMargins(side - INSET, 0, side, 0)
        self._speak()

    @property
    def draft(self) -> Draft:
        """What stands there and was not sent."""
        return Draft(self.field.text, self.field.cursor_at, self.chips.chips)

    def set_draft(self, draft: Draft) -> None:
        """Put a draft in the place of what stands there. What is said below stays."""
        is_complaining = self.inline_message.isVisibleTo(self)
        is_gone = bool(self.field.text.strip()) and not draft.text
        self.chips.clear()
        for chip in draft.quotes:
            self.chips.add(chip)
        self._settled = draft.text
        self.field.set_text(draft.text, draft.cursor)
        self.inline_message.setVisible(is_complaining)
        if is_gone and not self._has_shown_undo:
            # Once: who knows it needs no hint.
            self._has_shown_undo = self._shows_undo = True
            self._show_hints()

    def offer_quote(self, chip: Chip) -> None:
        """Offer a text of another program as a quote, until it is taken or something is sent."""
        if chip.text not in {shown.text for shown in self.chips.chips}:
            self.offer.show_chip(chip)

    def ask_about(self, chip: Chip) -> None:
        """Quote a text, and ask what stands in the field; where nothing does, that is still to come."""
        self.take(chip)
        if self.field.text.strip():
            self._send()

    def take(self, chip: Chip) -> None:
        """Quote a text, and let what is asked about it be typed."""
        self.chips.add(chip)
        self.field.setFocus()

    def complain(self, problem: CommandError) -> None:
        """Say under the field why something was not done; the next key takes it away."""
        self.inline_message.show_problem(problem)

    def show_message(self, sentence: str, step: MessageAction | None = None) -> None:
        """Say something there beside what is said already; once it can be read, a key takes all of it away."""
        self.inline_message.add_problem(sentence, step)

    def set_running(self, is_running: bool) -> None:
        """Say whether a run is on, which Escape then stops."""
        if is_running:
            self._grace.stop()
            self.set_suggestion("")
        self._is_running = is_running
        self._speak()

    def finish_run(self) -> None:
        """Say that a run has ended by itself: for a moment a key or a click that was meant to stop it does nothing else."""
        self._grace.start()
        self.set_running(False)

    def set_active(self, is_active: bool) -> None:
        """Show whether the window has the keyboard."""
        if is_active is self._is_active:
            return
        self._is_active = is_active
        self.tools.set_active(is_active)
        self.send_button.set_active(is_active)
        self._show_hints()

    def set_summons(self, key: str) -> None:
        """Name the key that brings the keyboard here; empty where none does."""
        self._summons = key
        self._show_hints()

    def show_hints(self, texts: Sequence[str]) -> None:
        """Show these hints, each beginning with its key, in the place of the bar's own; without any, those."""
        self._hints = tuple(map(Hint.of, texts))
        self._show_hints()

    def set_attached(
        self, has_files: bool, *, is_settled: bool, none_is_read: bool = False
    ) -> None:
        """Say whether files are attached, and whether all are read: a question that waited for that is asked then.

        Where `none_is_read`, what is asked would go elsewhere, without the files that it may be about.
        """
        self._are_files_read, self._lacks_files = is_settled, none_is_read
        self.switch.set_has_files(has_files)
        if (pending := self._pending) is not None and is_settled:
            self._pending = None
            self._send_with(pending)
        self._show_send()
        self._show_hints()

    def set_does(self, text: str) -> None:
        """Say what Enter does with the files, where that is something else than usual; nothing for an empty one."""
        self._file_hint = text
        self._show_hints()

    def send_as_it_stands(self, mode: AskMode) -> None:
        """Ask what is typed, which looks like a path and is meant as words."""
        self.inline_message.hide()
        self._words = self.field.text
        self._send_with(mode)

    def set_suggestion(self, question: str) -> None:
        """Offer a question, in grey, in the field while that is empty; Tab takes it, and whatever else is done removes it."""
        self._suggestion = "" if self.field.text or self._is_running else question
        self._speak()

    def set_follow_up(self, is_follow_up: bool) -> None:
        """Say whether there is a conversation that the next question follows up."""
        self._is_follow_up = is_follow_up
        self._speak()

    def put_below(self, widget: QWidget, changed: SignalInstance) -> None:
        """Let something stand below the rows, such as questions that wait; `changed` says that it came or went."""
        self._foot.put(widget)
        for then in (self._rule, self.text_edited):
            changed.connect(then)

    def set_ruled(self, is_ruled: bool) -> None:
        """Say whether something stands below that a hairline parts from the field."""
        self._is_ruled = is_ruled
        self._rule()

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing that would be sent."""
        return not (self.field.text.strip() or self.chips.chips)

    def set_at_foot(self, is_at_foot: bool) -> None:
        """Let what opens stand above the field, as at the foot of a window, and leave the line to that."""
        column, parts = self._column, (self._below, self._foot)
        column.removeWidget(self.completion)
        for part in parts:
            column.removeItem(part)
        if not is_at_foot:
            column.insertWidget(column.indexOf(self.tools) + 1, self.line)
        at = 0 if is_at_foot else column.indexOf(self.line) + 1
        for i, part in enumerate(parts):
            column.insertLayout(at + i, part)
        column.insertWidget(0 if is_at_foot else at + len(parts), self.completion)

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
        elif self._suggestion:
            self.set_suggestion("")
        elif self._pending is not None:
            self._wait_for_files(None)
        elif self._is_running:
            self.stop_requested.emit()
        elif self._grace.isActive():
            # The next one is meant.
            self._grace.stop()
            self._show_send()
        else:
            self.dismissed.emit()

    def _lay_out(self) -> None:
        look = self.look
        self.chips_place = column_of(look, self.chips, gap=0)
        """What is asked about stands here, above the field: a row brings its own distances."""
        self._field_column = column_of(look, self.field, None, gap=0)
        self._send_column = column_of(look, self.send_button, None, gap=0)
        self._typing = row_of(look, self._field_column, self._send_column)
        self._typing.setStretch(0, 1)
        self._below = column_of(look, self.offer, self.inline_message, gap=0)
        self._foot = column_of(look, gap=0)
        parts = (self.chips_place, self._typing, self.tools, self.line, self._below, self._foot)
        # Room that is to spare is left at the foot: the rows stay where they are.
        self._column = column_of(look, *parts, self.completion, None, gap=0)
        self.setLayout(self._column)

    def _connect(self) -> None:
        field = self.field
        field.textChanged.connect(self._edited)
        field.sent.connect(self._send)
        field.sent_other.connect(lambda: self._send_with(self.switch.mode.other))
        field.escaped.connect(self.escape)
        field.completed.connect(self._complete_current)
        field.stepped.connect(self._step)
        field.backed.connect(self.chips.remove_last)
        field.pasted.connect(self._quote)
        follows = (self.inline_message.hide_read, self._show_quoted, self._show_send)
        for follow in (*follows, self.text_edited):
            self.chips.changed.connect(follow)
        self.chips.left.connect(field.setFocus)
        self.completion.chosen.connect(self._choose)
        self.offer.accepted.connect(self.take)
        self.inline_message.accepted.connect(self._correct)
        self.inline_message.insisted.connect(self._send_text)
        self.send_button.clicked.connect(self._press_send)
        self.switch.chosen.connect(self._show_hints)
        for part in (self.offer, self.inline_message):
            part.installEventFilter(self)
        field.attach_wanted.connect(self.tools.attach_requested)
        field.took_suggestion.connect(self._take_suggestion)

    def _speak(self) -> None:
        field = self.field
        if self._is_running:
            prompt = tr("Ask a follow-up: it waits its turn")
        elif self._is_follow_up:
            prompt = tr("Ask a follow-up")
        else:
            prompt = tr("Ask, or type / for commands")
        field.setPlaceholderText(self._suggestion or prompt)
        field.is_suggesting = bool(self._suggestion)
        field.setAccessibleName(tr("Question"))
        suggested = tr("Suggested: {question}, Tab takes it", question=self._suggestion)
        field.setAccessibleDescription(suggested if self._suggestion else prompt)
        self._show_send()
        self._show_hints()

    def _show_send(self) -> None:
        if self._is_running:
            state = SendState.STOP
        elif self._grace.isActive():
            state = SendState.DONE
        elif self._pending is not None:
            state = SendState.WAIT
        else:
            state = SendState.OFF if self.is_empty else SendState.ON
        if state is not self.send_button.state:
            self.send_button.show_state(state)

    def _show_hints(self) -> None:
        """Say what the keys do, while there is something that they can do."""
        if not self._is_active:
            text = tr("{key} to type here", key=self._summons)
            hints = (Hint.of(text, self._summons),) if self._summons else ()
        elif self._pending is not None:
            hints = (Hint("", tr("asked when ready")), Hint.of(tr("Esc takes it back")))
        elif self._hints:
            hints = self._hints
        elif self._shows_undo:
            hints = (Hint.of(tr("Ctrl+Z brings it back")),)
        elif self.field.text.strip() and is_plain(self.field.text):
            hints = (Hint.of(self._does), Hint.of(tr("Shift+Enter new line")))
        else:
            hints = ()
        self.tools.show_hints(hints)

    @property
    def _does(self) -> str:
        """What Enter does with what is typed."""
        if self._file_hint:
            return self._file_hint
        if self.switch.has_files:
            if self.switch.mode is AskMode.WEB:
                return tr("Enter asks these files and the web")
            return tr("Enter asks these files")
        if self.switch.mode is AskMode.CHAT:
            return tr("Enter asks the model alone")
        is_missing = self.tools.model_button.is_missing
        return tr("Enter shows passages") if is_missing else tr("Enter searches")

    def _press_send(self) -> None:
        # In any other state it rests.
        if self.send_button.state is SendState.STOP:
            self.stop_requested.emit()
        elif self.send_button.state is SendState.ON:
            self._send()
        self.field.setFocus()

    def _take_suggestion(self) -> None:
        question, self._suggestion = self._suggestion, ""
        self._put(question)
        self._speak()

    def _edited(self) -> None:
        text = self.field.text
        # The highlighter, too, changes the document.
        if text == self._known:
            return
        self._known, self._shows_undo, self._pending = text, False, None
        self.inline_message.hide_read()
        self._offer()
        self._show_quoted()
        if self._suggestion:
            self.set_suggestion("")
        self._show_send()
        self._show_hints()
        self.text_edited.emit()

    def _offer(self) -> None:
        text = self.field.text
        # Whoever has chosen or recalled a text wants no list over it; one more letter brings it back.
        if text == self._settled:
            self.completion.offer(())
        else:
            self._settled = None
            self.completion.offer(completions(text))
        self.field.is_completing = self.completion.is_open
        self._rule()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: ARG002 - Qt's interface
        """Part the field from what comes below it, until that goes."""
        if event.type() in (QEvent.Type.ShowToParent, QEvent.Type.HideToParent):
            self._rule()
        return False

    def _rule(self) -> None:
        has_notice = self.inline_message.isVisibleTo(self) or self.offer.isVisibleTo(self)
        has_notice = has_notice or not self._foot.isEmpty()
        self.line.set_ruled(self._is_ruled or self.completion.is_open or has_notice)

    def _is_command(self, begun: str) -> bool:
        """Return whether a word with the character behind it is a command, or may become one."""
        # With a blank behind it a word is finished, and must be a command as it stands; without,
        # one may begin so.
        word = begun.rstrip()
        if word == begun:
            return bool(completions(word))
        name = with_one_slash(word)[1:].casefold()
        return any(found.command.name == name for found in completions(word))

    def _send(self) -> None:
        self._send_with(self.switch.mode)

    def _send_with(self, mode: AskMode) -> None:
        parsed = self._parsed(mode)
        picked = self.completion.current
        # Enter takes the command that is picked in the list, and sends it only with all that it wants.
        if picked is not None and not self._stands(picked, parsed):
            self._put(picked.text)
            # The text that it works on may be quoted, or offered.
            has_text = picked.command.on_selection and (self.chips.chips or self.offer.chip)
            if picked.command.wants is not Wants.NOTHING and not has_text:
                return
            parsed = self._parsed(mode)
        # What was typed cannot be sent without the text that is offered: Enter accepts that too.
        if isinstance(parsed, CommandError) and self._lacks_offer():
            self.offer.accept()
            if not self.field.text.strip():
                return  # a text without a command or a question: that is still to come
            parsed = self._parsed(mode)
        if isinstance(parsed, ParsedCommand):
            self._send_or_wait(parsed, mode)
        elif self.field.text.strip() or self.chips.chips:
            self.complain(parsed)

    def _send_or_wait(self, asked: ParsedCommand, mode: AskMode) -> None:
        """Send what was understood, unless its files are still being read, or it may hold a path."""
        text, is_question = self.field.text, mode_of(asked.command) is not None
        if self._lacks_files and text != self._words and is_question:
            step = MessageAction(tr("Ask without it"), partial(self.send_as_it_stands, mode))
            self.show_message(tr("What is attached cannot be read."), step)
        elif searches(asked.command) and text != self._words and PATH.search(text):
            self.path_suspected.emit(text, mode)
        elif not self._are_files_read and (
            asks_files(asked.command) or searches(asked.command) or asked.command == CHECK
        ):
            self._wait_for_files(mode)
        else:
            self._submit(asked)

    def _wait_for_files(self, mode: AskMode | None) -> None:
        self._pending = mode
        self._show_send()
        self._show_hints()

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
            clipboard=copied_text() if asked.own and asked.own.uses("clipboard") else "",
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
        # Files are a text that can be checked, too.
        if self.switch.has_files and self.field.text.strip().casefold() == f"/{CHECK}":
            asked = ParsedCommand(CHECK)
        if isinstance(asked, ParsedCommand) and mode_of(asked.command) and are_mixed(chips):
            return CommandError(tr(_MIXED))
        if isinstance(asked, ParsedCommand) and self.switch.has_files and not documents:
            return about_files(asked, self.field.text)
        return asked

    def _show_quoted(self) -> None:
        """Say before Enter that what is quoted is asked, where that is so."""
        chips = self.chips.chips
        quoted = None
        # As Enter would parse it, so that the switch never promises anything else.
        asked = self._parsed() if chips and is_plain(self.field.text) else None
        if isinstance(asked, ParsedCommand) and from_memory(asked.command):
            quoted = Quoted.TEXT
        elif isinstance(asked, ParsedCommand) and asked.documents:
            quoted = Quoted.PASSAGES
        self.switch.set_quoted(quoted)

    def _lacks_offer(self) -> bool:
        """Return whether what stands there could be sent with what is offered, and not without."""
        chip = self.offer.chip
        return chip is not None and isinstance(
            parse(self.field.text, quote=chip.text), ParsedCommand
        )

    def _stands(self, picked: Completion, parsed: ParsedCommand | CommandError) -> bool:
        """Return whether a completion stands there already, and can be sent as it is."""
        typed = with_one_slash(self.field.text.strip()).casefold()
        return typed == picked.text.strip() and isinstance(parsed, ParsedCommand)

    def _complete_current(self) -> None:
        if picked := self.completion.current:
            self._put(picked.text)

    def _put(self, text: str) -> None:
        """Let a text stand in the field for which no completion is wanted."""
        self._settled = text
        self.field.set_text(text)

    def _choose(self, picked: Completion) -> None:
        self.field.setFocus()
        self._put(picked.text)
        if picked.command.wants is Wants.NOTHING:
            self._send()

    def _correct(self, text: str) -> None:
        self._put(text)
        self.field.setFocus()

    def _send_text(self, text: str) -> None:
        self._correct(text)
        self._send()

    def _step(self, direction: int) -> None:
        if self.completion.is_open:
            self.completion.step(direction)
            return
        shown = self.field.text
        edits = QMetaMethod.fromSignal(self.edit_last_requested)
        if direction < 0 and not shown and self.isSignalConnected(edits):
            self.edit_last_requested.emit()
            return
        text = self.recall.up(shown) if direction < 0 else self.recall.down(shown)
        if text is not None:
            self._settled = text
            self.field.recall(text)
        # Below the newest there is nothing to recall: the arrow goes on to what the library has found.
        elif direction > 0:
            self.left_below.emit()

    def _quote(self, text: str) -> None:
        if len(text) > MOST_CHARACTERS:
            # More than a prompt has room for: it is asked by passage, as a file is.
            self.long_text_given.emit(text)
        elif chip := chip_of_paste(text):
            self.chips.add(chip)
