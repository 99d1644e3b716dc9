"""What the overlay does with what is stored: it shows a conversation again and writes it into a file, brings back what was
typed and not sent, searches the library and opens what was found.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from PySide6.QtCore import QObject, Qt, QUrl, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QWidget

from askance.app.commands import asked_in
from askance.config.private_files import make_folder, replace_file
from askance.domain.addresses import path_of
from askance.domain.characters import one_line
from askance.domain.conversation import QuoteOrigin
from askance.domain.errors import AskanceError, InputError
from askance.domain.events import ignore
from askance.domain.history import ConversationRecord, TranscriptFormat
from askance.domain.library import DocumentKind, LibraryHit
from askance.domain.messages import Message
from askance.domain.ports.storage import History
from askance.presentation.answers import is_local_file, name_of, page_at
from askance.presentation.i18n import plural, tr, translated
from askance.ui.bridge import Bridge, PendingCalls
from askance.ui.design.composing import single_shot_timer
from askance.ui.design.labels import TextStyle
from askance.ui.overlay.answer.printing import print_page
from askance.ui.overlay.conversation.exchange import ExchangeView, fold
from askance.ui.overlay.conversation.field import Chip, Draft, Drafts
from askance.ui.overlay.conversation.session import Session
from askance.ui.overlay.library_view import Excerpt, excerpt
from askance.ui.overlay.overlay import Overlay

if TYPE_CHECKING:
    from askance.app.container import App
    from askance.app.library import LookUp


DraftsByConversation = Mapping[int | None, Draft]

# A draft is worth little: one with texts beyond that is stored without them.
_MOST_QUOTED = 200_000


class DraftFile:
    """Reads and writes drafts: at the start, and when the window is hidden.

    A draft is not worth a word of complaint: a file that cannot be read holds none, and one that
    cannot be written is left as it is.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._is_there = False

    def read(self) -> dict[int | None, Draft]:
        """Return what is stored, the draft that was changed last at the end."""
        try:
            data = json.loads(self._path.read_bytes())
        # `json` goes as deep as the brackets in the file do.
        except (OSError, ValueError, RecursionError):
            return {}
        self._is_there = True
        return _drafts(data)

    def write(self, drafts: DraftsByConversation) -> bool:
        """Store these drafts and no others; without any there is no file.

        False, and nothing is written, where the file was taken away meanwhile: whoever forgets all
        conversations forgets their drafts too.
        """
        if self._is_there and not self._path.exists():
            self._is_there = False
            return False
        if not drafts:
            self.delete()
            return True
        with suppress(OSError):
            make_folder(self._path.parent)
            replace_file(self._path, _written(drafts))
            self._is_there = True
        return True

    def delete(self) -> None:
        """Take the file away."""
        with suppress(OSError):
            self._path.unlink(missing_ok=True)
        self._is_there = False


class StoredDrafts(QObject):
    """Notes every change of the field, and writes the drafts when the window is hidden."""

    def __init__(self, file: DraftFile, session: Session, overlay: Overlay) -> None:
        super().__init__(overlay)
        self._file, self._session, self._bar = file, session, overlay.ask_bar
        self._drafts = Drafts()
        self._is_stored = self._is_shown = True
        self._is_changed = False
        self._conversation = session.conversation
        overlay.ask_bar.text_edited.connect(self._note)
        overlay.hidden.connect(self._write)
        session.changed.connect(self._follow)
        session.cleared.connect(self._leave)
        session.resumed.connect(self._come_to)

    def read(self) -> None:
        """Bring back what was stored."""
        if self._is_shown:
            self._drafts = Drafts(self._file.read())
            self._come_to()

    @property
    def conversations(self) -> Collection[int | None]:
        """The conversations that have a draft."""
        return self._drafts.keys()

    def set_stored(self, is_stored: bool, *, is_sure: bool = True) -> None:
        """Store drafts in the file or, from now on, only for as long as the program runs.

        Unless it `is_sure` that they are not to be stored, those that are there stay, and are shown.
        """
        self._is_stored = is_stored
        # A line of the settings that is not understood must destroy nothing.
        self._is_shown = is_stored or not is_sure
        if not self._is_shown:
            self._file.delete()

    def forget(self, conversation: int) -> None:
        """Forget the draft of a conversation that was deleted; 0 stands for all of them."""
        if conversation:
            self._drafts.store(conversation, Draft())
        else:
            self._drafts = Drafts()
        self._is_changed = True
        self._write()

    def close(self) -> None:
        """Write what was not written yet; for the end of the program."""
        self._draft_unasked()
        self._write()

    def _note(self) -> None:
        # Under the number that was known when the text came there: while the window goes to another conversation,
        # parts of the bar change before the draft of that one stands in it.
        self._drafts.store(self._conversation, self._bar.draft)
        self._is_changed = True

    def _follow(self) -> None:
        """Set the number that the conversation got when it was first stored."""
        if self._conversation is None and (number := self._session.conversation) is not None:
            self._drafts.move(None, number)
            self._conversation = number

    def _leave(self) -> None:
        """Go to the conversation that has not begun. A draft without a conversation goes along."""
        if self._conversation is not None:
            self._come_to()

    def _draft_unasked(self) -> None:
        """Make what waits to be asked the drafts of its conversations, where these have none."""
        for conversation, text in self._session.unasked.items():
            if self._drafts.of(conversation) == Draft():
                self._drafts.store(conversation, Draft(text, len(text)))
                self._is_changed = True

    def _come_to(self) -> None:
        """Show the draft of the conversation that is there now."""
        self._conversation = self._session.conversation
        self._bar.set_draft(self._drafts.of(self._conversation))

    def _write(self) -> None:
        if self._is_stored and self._is_changed:
            self._is_changed = False
            # The file was taken away meanwhile, with all conversations: in the settings or a terminal.
            if not self._file.write(self._drafts):
                self._drafts = Drafts()


def _written(drafts: DraftsByConversation) -> bytes:
    rows = [
        {
            "conversation": conversation,
            "text": draft.text,
            "cursor": draft.cursor,
            "quotes": [_quote(chip) for chip in draft.quotes] if _is_light(draft) else [],
        }
        for conversation, draft in drafts.items()
    ]
    # A lone surrogate can be typed, and is no UTF-8.
    return json.dumps({"drafts": rows}).encode("ascii")


def _is_light(draft: Draft) -> bool:
    return sum(len(chip.text) for chip in draft.quotes) <= _MOST_QUOTED


def _quote(chip: Chip) -> dict[str, Any]:
    record = {"text": chip.text, "origin": chip.origin, "cut": chip.is_cut, "name": chip.name}
    return record | {"documents": list(chip.documents)} if chip.documents else record


def _chip(fields: Any) -> Chip | None:
    match fields:
        case {"text": str(text), "origin": str(origin), "cut": bool(is_cut), "name": str(name)}:
            known = origin if origin in set(QuoteOrigin) else QuoteOrigin.QUOTED
            documents = cast("dict[str, Any]", fields).get("documents")
            listed = cast("list[Any]", documents) if isinstance(documents, list) else []
            return Chip(QuoteOrigin(known), text, is_cut, name, tuple(map(str, listed)))
        case _:
            return None


def _drafts(fields: Any) -> dict[int | None, Draft]:
    rows: Any = cast("dict[str, Any]", fields).get("drafts") if isinstance(fields, dict) else None
    if not isinstance(rows, list):
        return {}
    # A file of another version, or one that was edited: rows that are not understood are left out.
    found = [_draft(row) for row in cast("list[Any]", rows)]
    return dict(row for row in found if row is not None)


def _draft(row: Any) -> tuple[int | None, Draft] | None:
    match row:
        case {
            "conversation": int() | None as conversation,
            "text": str(text),
            "cursor": int(cursor),
            "quotes": [*quotes],
        }:
            chips = [_chip(quote) for quote in quotes]
            known = tuple(chip for chip in chips if chip is not None)
            # Without one of its quoted texts a draft would ask something else.
            return (conversation, Draft(text, cursor, known)) if len(known) == len(chips) else None
        case _:
            return None


class StoredConversations(QObject):
    """What the overlay does with conversations of the history."""

    saved = Signal(str)
    """A conversation was written into this file."""
    copied = Signal()

    def __init__(self, bridge: Bridge, session: Session, overlay: Overlay) -> None:
        super().__init__(overlay)
        self._session, self._overlay = session, overlay
        self._calls = PendingCalls(bridge, self)

    def open(self, number: int, exchange: int = 0) -> None:
        """Go on with a conversation; it looks as it did, or goes on still.

        `exchange` is the one that is read first, by its number in the history; 0 is the last one.
        """
        if number == self._session.conversation or self._session.return_to(number):
            self._come_to(exchange)
            return
        then = partial(self._resume, exchange)
        self._work("open", number, _read, then, self._overlay.summon)

    def _resume(
        self, exchange: int, found: tuple[ConversationRecord, Sequence[ExchangeView]]
    ) -> None:
        self._session.resume(*found)
        self._come_to(exchange)

    def _come_to(self, exchange: int) -> None:
        self._overlay.summon()
        if (index := self._session.index_of(exchange)) is not None:
            self._overlay.conversation.go_to_index(index)

    def export(self, number: int | None = None, title: str = "") -> None:
        """Ask where a conversation is to be stored as a file, and write it; that in the window if none is named."""
        number = number or self._session.conversation
        if number is None:
            self._overlay.complain(tr("There is nothing to export yet."))
            return
        # Imported late, as what blocks is.
        from askance.app.past_conversations import file_name

        def write(path: str) -> None:
            self._work("export", number, partial(_write, Path(path)), self.saved.emit)

        choose_file(self._overlay, file_name(title or self._session.title), write)

    def copy(self, number: int | None = None) -> None:
        """Put a whole conversation on the clipboard, as Markdown; that in the window if none is named."""
        number = number or self._session.conversation
        if number is not None:
            read = partial(_transcript, form=TranscriptFormat.MD)
            self._work("copy", number, read, self._put_on_clipboard)

    def print(self) -> None:
        """Print the conversation in the window."""
        if (number := self._session.conversation) is not None:
            read = partial(_transcript, form=TranscriptFormat.HTML)
            self._work("print", number, read, lambda page: print_page(page, self._overlay))

    def rename(self, number: int, title: str) -> None:
        """Give a conversation another title; a blank one makes it that of its first question again."""
        if number:
            self._session.retitle(number, title)
            self._work(
                "rename", number, lambda history, n: history.rename(n, title), lambda _: None
            )

    def _put_on_clipboard(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self.copied.emit()

    def _work(
        self,
        name: str,
        number: int,
        do: Callable[[History, int], Any],
        then: Callable[[Any], None],
        or_else: Callable[[], object] = ignore,
    ) -> None:
        """Do something with a stored conversation; where it cannot be done, complain, and do something else."""

        async def work(app: App) -> Any:
            if app.history is not None:
                # It blocks, and the engine's loop serves others.
                return await asyncio.to_thread(do, app.history, number)
            raise _gone()

        def done(result: Any) -> None:
            if isinstance(result, AskanceError):
                self._overlay.complain(translated(result))
                or_else()
            else:
                then(result)

        self._calls.ask(name, work, done)


def choose_file(parent: QWidget, suggested: str, then: Callable[[str], None]) -> None:
    """Let a person say where a file is to be; `then` gets its path."""
    dialog = QFileDialog(parent, tr("Export"), suggested)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.fileSelected.connect(then)
    # Not `exec`, whose own event loop would keep the program from ending.
    dialog.open()


def _transcript(history: History, number: int, form: TranscriptFormat) -> str:
    from askance.app.past_conversations import transcript

    return transcript(history, number, form)


def _write(file: Path, history: History, number: int) -> str:
    """Write a conversation into a file, and return where that is. Blocks."""
    from askance.app.past_conversations import export

    export(history, number, file)
    return str(file)


def _read(history: History, number: int) -> tuple[ConversationRecord, Sequence[ExchangeView]]:
    """Return a conversation, and its exchanges folded: of many that takes longer than a frame."""
    if (record := history.conversation(number)) is None:
        raise _gone()
    return record, fold(record, asked_in)


def _gone() -> InputError:
    return InputError(Message("This conversation is not there any more."))


_SLOW_MS = 250

# What blocks is imported where it is done: storage costs more than the window's first picture.
# ruff: noqa: PLC0415


class LibraryController(QObject):
    """Does what the `LibraryView` of an overlay is asked for, in the library that `bridge` has open.

    `open_address` opens a page or a file in the program of the desktop that does so.
    """

    page_wanted = Signal(str)
    """The address of a page that is to be opened in the browser."""
    filling_wanted = Signal()
    """The library is empty, and is to be filled."""
    search_wanted = Signal(str)
    """These words are to be searched on the web."""

    def __init__(
        self, bridge: Bridge, overlay: Overlay, open_address: Callable[[str], bool]
    ) -> None:
        super().__init__(overlay)
        self._overlay = overlay
        self._open_address = open_address
        self._calls = PendingCalls(bridge, self)
        self._view = overlay.library
        self._words = ""
        # What comes at once needs no word before it.
        self._slow = single_shot_timer(self, self._show_searching, _SLOW_MS)
        self._then: Callable[[], None] = self.filling_wanted.emit
        self._view.opened.connect(self._open)
        self._view.read_wanted.connect(self._read)
        self._view.asked.connect(self._ask_about)
        self._view.empty.pressed.connect(lambda: self._then())  # noqa: PLW0108 - it changes

    def search(self, words: str) -> None:
        """Show what the library holds on some words."""
        self._words = words
        self._slow.start()

        async def work(app: App) -> LookUp:
            from askance.app.library import look_up

            return await look_up(app.container, words)

        self._calls.ask("search", work, self._show)

    def open_file(self, url: str) -> None:
        """Open a file of the library; any other address opens nothing.

        What a program is made of is shown in its folder: some desktops would run it.
        """

        name = name_of(url)

        async def work(app: App) -> Path | str:
            from askance.app.library import indexed_file

            # The address stands in an answer, and a model may have made it up: only files of the
            # library are opened.
            record = await asyncio.to_thread(indexed_file, app.container.library, url)
            if record is None:
                return tr("{file} is not in the library.", file=name)
            # In a thread, for a folder on the network may take its time.
            if not await asyncio.to_thread((path := Path(path_of(url))).is_file):
                return tr("{file} is not there any more.", file=name)
            return path.parent if record.kind is DocumentKind.CODE else path

        def then(found: Path | str | AskanceError) -> None:
            if isinstance(found, Path):
                self._hand_over(QUrl.fromLocalFile(str(found)).toString(), name)
            else:
                self._overlay.complain(translated(found))

        self._calls.ask("open", work, then)

    def _hand_over(self, address: str, name: str) -> None:
        # Behind the overlay, which stays on top, the other program could not be seen.
        if self._open_address(address):
            self._overlay.hide()
        else:
            self._overlay.complain(tr("No program opened {file}.", file=name))

    def _show_searching(self) -> None:
        self._view.show_message(tr("Searching the library"), TextStyle.HELP)
        self._overlay.show_library()

    def _show(self, looked: LookUp | AskanceError) -> None:
        # Or "Searching" would take the place of what was found.
        self._slow.stop()
        words = one_line(self._words)
        if isinstance(looked, AskanceError):
            self._view.show_message(translated(looked), TextStyle.PROBLEM)
        elif looked.is_empty:
            self._then = self.filling_wanted.emit
            about = tr(
                "Files and saved pages that you keep here can be searched and cited like the web."
            )
            texts = (tr("Your library is empty"), about, tr("Add a folder"))
            self._view.show_empty("book", *texts, tr("or drop files with Shift"))
        elif not looked.found.hits:
            self._then = lambda: self.search_wanted.emit(self._words)
            nothing = tr("Nothing in your library matches “{words}”", words=words)
            notes = " ".join(map(translated, looked.found.notes))
            if (n := looked.files) > (k := looked.searchable):
                files = plural(
                    "{k} of {n} file is searchable.", "{k} of {n} files are searchable.", n, k=k
                )
                notes = f"{files} {notes}".strip()
            texts = (nothing, notes, tr("Search the web instead"))
            self._view.show_empty("search", *texts, tr("or add more to the library"))
        else:
            self._view.show_found(words, looked.found)
        self._overlay.show_library()

    def _open(self, hit: LibraryHit) -> None:
        if address := page_at(hit):
            self.page_wanted.emit(address)
        elif is_local_file(hit.url):
            self.open_file(hit.url)

    def _read(self, hit: LibraryHit) -> None:
        async def work(app: App) -> Excerpt | None:
            text = await asyncio.to_thread(app.container.library.text, hit.document)
            return None if text is None else excerpt(text, hit)

        def then(text: Excerpt | AskanceError | None) -> None:
            if isinstance(text, Excerpt):
                self._view.show_text(hit, text)
            else:
                gone = tr("This document is not in the library any more.")
                self._overlay.complain(translated(text) if text is not None else gone)

        self._calls.ask("read", work, then)

    def _ask_about(self, hits: tuple[LibraryHit, ...]) -> None:
        from askance.app.library import about_text

        name = plural("{n} passage of the library", "{n} passages of the library", len(hits))
        documents = tuple(dict.fromkeys(hit.document for hit in hits))
        chip = Chip(QuoteOrigin.LIBRARY, about_text(hits), name=name, documents=documents)
        self._overlay.ask_bar.ask_about(chip)
