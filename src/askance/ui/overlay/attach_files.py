"""Files on their way to a question: chosen, dropped, pasted, typed as a path, or drawn on the screen; and what their chips do."""

from __future__ import annotations

import asyncio
import os
import sys
from functools import partial
from pathlib import Path
from typing import Any, cast

from PySide6.QtCore import QEvent, QMimeData, QObject, QRect, Qt, QUrl, Signal, SignalInstance
from PySide6.QtGui import (
    QAction,
    QColor,
    QGuiApplication,
    QImage,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from askance.config.choices import AskMode
from askance.domain.attached_files import Attachment, AttachmentState
from askance.domain.conversation import ParsedCommand, QuoteOrigin, asks_files, searches
from askance.domain.errors import AskanceError
from askance.presentation.i18n import plural, tr, translated
from askance.system import screenshot
from askance.ui.design import theme
from askance.ui.design.composing import Styled
from askance.ui.design.controls import (
    DropTarget,
    choose_places,
    may_be_dropped,
    named_places,
    places_of_drop,
    urls_of,
)
from askance.ui.design.drawing import antialiased, faint, write
from askance.ui.design.frame import bring_up
from askance.ui.design.glyphs import draw_glyph
from askance.ui.design.keys import bind_keys
from askance.ui.design.popover import Menu
from askance.ui.design.theme import Look
from askance.ui.overlay.bar.ask_bar import AskBar
from askance.ui.overlay.bar.chips import ChipAct, ChipButton
from askance.ui.overlay.bar.status import MessageAction
from askance.ui.overlay.bar.tool_row import ATTACH, LIBRARY
from askance.ui.overlay.conversation.field import PATH, chip_from_elsewhere
from askance.ui.overlay.conversation.session import Session

SCREENSHOT = "Ctrl+Shift+S"
MOST_CHIPS = 20
_INSET, _RADIUS, _DASHES, _GLYPH, _LINE = 8, 10, 2, 22, 24


class FileAttacher(QObject):
    """Attaches files to the conversation that is shown, and does what is wanted of their chips."""

    link_activated = Signal(str)
    """An address that the desktop is to open."""

    def __init__(
        self, window: QWidget, bar: AskBar, session: Session, model_chosen: SignalInstance
    ) -> None:
        super().__init__(window)
        self._model_chosen = model_chosen
        self._window, self._bar, self._session = window, bar, session
        self._files = session.files
        self._panel = DropPanel(bar.look, window)
        self._can_take_screenshot = False
        self._mode_before = AskMode.WEB
        self._files.changed.connect(self._show)
        session.cleared.connect(self._show)
        self._files.failed.connect(self._complain)
        self._is_shifted = False
        for target in (bar, window):
            DropTarget(target, may_be_dropped, self._drop, self._note_held)
        bar.field.files_pasted.connect(self.take)
        bar.long_text_given.connect(self._files.add_text)
        bar.path_suspected.connect(self._look_for_path)
        bar.field.textChanged.connect(self._files.forget_removed)
        for watched in (bar.field, window):
            watched.installEventFilter(self)
        # Before the question is asked: the model that it is asked of may change with it.
        bar.submitted.connect(self._prepare)
        bar.chips.attachment_wanted.connect(self._act)
        bar.tools.attach_requested.connect(self.open_menu)
        paste = bar.field.paste_as_text
        keys = ((ATTACH, self.choose), (SCREENSHOT, self.take_screenshot), ("Ctrl+Shift+V", paste))
        bind_keys(window, keys)

    def _complain(self, error: AskanceError) -> None:
        self._bar.show_message(translated(error))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: ARG002 - Qt's interface
        """Bring back what was taken out last, where nothing was typed since."""
        return (
            isinstance(event, QKeyEvent)
            and event.type() is QEvent.Type.KeyPress
            and event.matches(QKeySequence.StandardKey.Undo)
            and self._files.bring_back()
        )

    def choose(self, folder: bool = False) -> None:
        """Let the user choose files, or a folder."""
        title = tr("Attach a folder") if folder else tr("Attach files")
        choose_places(self._window, folder, self._take_paths, title)

    def open_menu(self) -> None:
        """Show from where something can be attached."""
        menu, tools = Menu(self._bar.look, self._window), self._bar.tools
        tools.attach_button.set_on(True)
        menu.aboutToHide.connect(self._light_button)
        menu.add(tr("Files…"), self.choose, glyph="file", keys=ATTACH)
        menu.add(tr("Folder…"), partial(self.choose, True), glyph="folder")
        shot = menu.add(
            tr("Screenshot of an area"), self.take_screenshot, glyph="shot", keys=SCREENSHOT
        )
        shot.setVisible(self._can_take_screenshot)
        menu.add(tr("From the clipboard"), self._paste, glyph="image", keys="Ctrl+V")
        library = tools.library_requested.emit
        menu.add(tr("From the library…"), library, glyph="book", keys=LIBRARY)
        # Known with the next menu, and mostly while this one is open.
        self._files.call(_can_take_screenshot, partial(self._note_screenshots, shot))
        menu.open_below(tools.attach_button)

    def take_screenshot(self) -> None:
        """Let the user draw an area of the screen, without this window on it."""
        # First: a window that goes and comes back with nothing looks broken.
        self._files.call(_can_take_screenshot, self._hide_and_take)

    def _hide_and_take(self, can: object) -> None:
        if can is not True:
            self._bar.show_message(tr("This desktop takes no picture of an area."))
            return
        self._window.hide()
        self._files.call(_take_screenshot, self._take_picture)

    def _take_picture(self, found: Path | OSError | None) -> None:
        # Of the picture that Windows takes nobody says when it is in the clipboard: it is pasted from there.
        if sys.platform != "win32":
            bring_up(self._window)
        if isinstance(found, Path):
            self._files.add_paths((found,))
        elif found is not None:
            self._bar.show_message(tr("This desktop took no picture of an area."))

    def _note_screenshots(self, row: QAction, can: object) -> None:
        self._can_take_screenshot = can is True
        if isValid(row):
            row.setVisible(self._can_take_screenshot)

    def _paste(self) -> None:
        self.take(QGuiApplication.clipboard().mimeData())

    def take(self, data: QMimeData) -> None:
        """Take what was dropped or pasted: files and folders, else a text, else a picture. Pages of the web may be added
        to the library.
        """
        bar, urls = self._bar, urls_of(data)
        if paths := tuple(Path(url.toLocalFile()) for url in urls if url.isLocalFile()):
            self._add(paths)
        elif places := places_of_drop(data):
            # Nothing is added by a slip of the hand.
            question = tr("Add {what} to the library?", what=named_places(places))
            self._offer_library(question, tr("Add"), places)
        # Cells of a table come as a text and a picture of it: they are a text.
        elif not urls and (chip := chip_from_elsewhere(data.text(), QuoteOrigin.PASTED)):
            bar.take(chip)
        elif not urls and isinstance(image := data.imageData(), QImage) and not image.isNull():
            self._files.add_picture(image, tr("Pasted picture"))
        else:
            bar.show_message(
                tr(
                    "Only texts, files, folders, pictures and web pages can be taken, and none is in it."
                )
            )
        bar.setFocus()

    def _drop(self, data: QMimeData) -> None:
        if self._is_shifted and (places := places_of_drop(data)):
            self._bar.add_requested.emit(places)
        else:
            self.take(data)

    def _note_held(self, data: QMimeData | None, is_shifted: bool) -> None:
        # Said last before the drop, which has no keys of its own.
        if data is not None:
            self._is_shifted = is_shifted
        self._panel.show_held(data, is_shifted)

    def _offer_library(self, sentence: str, label: str, places: tuple[str, ...]) -> None:
        def add() -> None:
            self._bar.inline_message.hide()
            self._bar.add_requested.emit(places)

        self._bar.show_message(sentence, MessageAction(label, add))

    def _take_paths(self, paths: tuple[str, ...]) -> None:
        self._add(tuple(map(Path, paths)))
        self._bar.setFocus()

    def _add(self, paths: tuple[Path, ...]) -> None:
        known = {one.path for one in self._files.attachments}
        if len(known.union(paths)) <= MOST_CHIPS:
            self._files.add_paths(paths)
            return
        # Each is a chip, and more would leave no room for the answer.
        problem = tr(
            "More than {n} files: attach their folder, or keep them in the library.", n=MOST_CHIPS
        )
        self._offer_library(problem, tr("Keep in the library"), tuple(map(str, paths)))

    # What is attached is shown, and asked.

    def _show(self) -> None:
        attachments, bar = self._files.attachments, self._bar
        pictures = [one for one in attachments if one.picture and not one.documents]
        problem, ways = self._sight(pictures)
        bar.chips.show_attachments(attachments, self._files.thumbnails, problem)
        bar.chips.show_ways(*ways)
        usable = [one for one in attachments if not one.is_failed]
        if bool(usable) is not bar.switch.has_files:
            # Files are what is asked as soon as there are some; the web can be put in front again.
            before = self._mode_before
            self._mode_before = bar.switch.mode
            bar.switch.set_mode(AskMode.CHAT if usable else before)
        none_is_read = bool(attachments) and not usable
        is_settled = self._files.is_settled
        bar.set_attached(bool(usable), is_settled=is_settled, none_is_read=none_is_read)
        self._light_button()

    def _light_button(self) -> None:
        """Show the paper clip as pressed in while something is attached."""
        self._bar.tools.attach_button.set_on(bool(self._files.attachments))

    def _sight(self, pictures: list[Attachment]) -> tuple[str, list[tuple[str, Any]]]:
        """Return why pictures cannot be shown to the model, and what can be done about it."""
        if pictures:
            self._files.look(self._session.model)
        sight = self._files.sight if pictures else None
        if sight is None or sight.sees is not False:
            self._bar.set_does("")
            return "", []
        ways: list[tuple[str, Any]] = []
        if sight.other:
            self._bar.set_does(tr("Enter uses {model}", model=sight.other))
            use = partial(self._model_chosen.emit, sight.other)
            ways.append((tr("Use {model}", model=sight.other), use))
        if sight.can_recognise:
            ways.append((tr("Read only its text"), partial(self._recognise, pictures)))
        return tr("{model} cannot see pictures.", model=sight.model), ways

    def _recognise(self, pictures: list[Attachment]) -> None:
        for one in pictures:
            self._files.recognise(one.number)

    def _prepare(self, asked: ParsedCommand) -> None:
        if not (asks_files(asked.command) or searches(asked.command)):
            return
        sight = self._files.sight
        if sight is not None and sight.sees is False and sight.other:
            self._model_chosen.emit(sight.other)
        self._files.drop_failed()

    def _act(self, number: int, act: ChipAct, button: ChipButton) -> None:
        one = next((a for a in self._files.attachments if a.number == number), None)
        if one is None:
            return
        match act:
            case ChipAct.REMOVE:
                self._files.remove(number)
            case ChipAct.ANSWER if one.state is AttachmentState.TOO_MANY:
                self._add_to_library(one)
                self._files.remove(number)
            case ChipAct.ANSWER:
                self._files.recognise(number)
            case ChipAct.OPEN:
                self._open(one)
            case ChipAct.LIST:
                self._list(one, button)
            case ChipAct.MENU:
                self._open_chip_menu(one, button)

    def _open(self, one: Attachment) -> None:
        if one.path is not None:
            self.link_activated.emit(one.path.absolute().as_uri())

    def _add_to_library(self, one: Attachment) -> None:
        self._bar.add_requested.emit((str(one.path),))

    def _list(self, one: Attachment, button: ChipButton) -> None:
        menu = Menu(self._bar.look, self._window)
        for file in one.files:
            words = " · ".join(filter(None, (file.name, translated(file.problem))))
            row = menu.add(words.replace("&", "&&"), partial(self._open, one), glyph="file")
            row.setEnabled(not file.problem)
        menu.open_below(button)

    def _open_chip_menu(self, one: Attachment, button: ChipButton) -> None:
        menu = Menu(self._bar.look, self._window)
        if one.path is not None:
            menu.add(tr("Open"), partial(self._open, one), glyph="open")
            menu.add(tr("Keep in the library"), partial(self._add_to_library, one), glyph="book")
            paste = partial(self._bar.field.insertPlainText, str(one.path))
            menu.add(tr("Paste its path as text"), paste, glyph="text")
        menu.add(tr("Remove"), partial(self._files.remove, one.number), glyph="cross")
        menu.open_at(button.menu_at)

    # A path that was typed.

    def _look_for_path(self, text: str, mode: AskMode) -> None:
        """Ask what a text means that may hold a path of this computer; else it is asked as it stands."""
        found = PATH.findall(text)
        # What ends a sentence may end a name, too, and mostly does not.
        candidates = [text, *found, *(path.rstrip(".,;:!?)]") for path in found)]

        async def look(_parts: object) -> tuple[str, Path] | None:
            return await asyncio.to_thread(_first_there, candidates)

        def answer(found: Any) -> None:
            if isinstance(found, tuple):
                words, path = cast("tuple[str, Path]", found)
                self._ask_what_is_meant(words, path, mode)
            else:
                self._bar.send_as_it_stands(mode)

        self._files.call(look, answer)

    def _ask_what_is_meant(self, words: str, path: Path, mode: AskMode) -> None:
        bar = self._bar

        def attach() -> None:
            bar.inline_message.hide()
            bar.field.set_text(bar.field.text.replace(words, "").strip())
            self._take_paths((str(path),))

        bar.inline_message.ask(
            tr("This is a file on this computer."),
            MessageAction(tr("Attach it"), attach),
            MessageAction(tr("Search for the words"), partial(bar.send_as_it_stands, mode)),
        )


def _first_there(candidates: list[str]) -> tuple[str, Path] | None:
    for words in candidates:
        name = QUrl(words).toLocalFile() if words[:7].casefold() == "file://" else words
        try:
            path = Path(name).expanduser()
            if path.is_absolute() and path.exists():
                return words, path
        except (OSError, ValueError, RuntimeError):  # it is longer than a path may be, say
            continue
    return None


async def _can_take_screenshot(_parts: object) -> bool:
    return await screenshot.can_take(os.environ)


async def _take_screenshot(_parts: object) -> Path | OSError | None:
    try:
        return await screenshot.take(os.environ)
    except OSError as exc:
        return exc


class DropPanel(Styled, QWidget):
    """Covers the window while files are held over it, and says what a drop does."""

    def __init__(self, look: Look, window: QWidget) -> None:
        super().__init__(look, window)
        self._files = 0
        self._is_shifted = False
        # What lies below takes the drop.
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    @property
    def words(self) -> str:
        """What a drop does now."""
        if self._is_shifted:
            return tr("Keep in the library")
        return plural("Drop to ask about {n} file", "Drop to ask about {n} files", self._files)

    def show_held(self, data: QMimeData | None, is_shifted: bool) -> None:
        """Show what a drop of these files does; nothing for anything else."""
        self._files = sum(url.isLocalFile() for url in urls_of(data)) if data is not None else 0
        self._is_shifted = is_shifted
        window = self.window()
        self.setGeometry(getattr(window, "paper", window.rect()))
        self.setAccessibleName(self.words)
        self.setVisible(bool(self._files))
        self.raise_()
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's interface
        """Draw the ground, the dashes around it, the glyph and the words."""
        c, px = self.look.colours, self.look.px
        with antialiased(self) as painter:
            painter.setPen(QPen(QColor(c.accent), px(_DASHES), Qt.PenStyle.DashLine))
            painter.setBrush(faint(c.accent_soft, 0.97))
            inset = px(_INSET)
            painter.drawRoundedRect(
                self.rect().adjusted(inset, inset, -inset, -inset), px(_RADIUS), px(_RADIUS)
            )
            self._write(painter)

    def _write(self, painter: QPainter) -> None:
        c, px = self.look.colours, self.look.px
        line = px(_LINE)
        top = (self.height() - px(_GLYPH) - 2 * line) // 2
        place = QRect(0, top, self.width(), px(_GLYPH))
        draw_glyph(painter, self, self.look, "attach", c.accent, place, _GLYPH)
        middle = Qt.AlignmentFlag.AlignCenter
        room = QRect(0, place.bottom() + 1, self.width(), line)
        write(painter, self.words, room, self.look.font(theme.BODY_TEXT), c.accent, where=middle)
        if not self._is_shifted:
            below, small = room.translated(0, line), self.look.font(theme.SMALL_TEXT)
            hint = tr("Hold Shift to keep them in the library instead")
            write(painter, hint, below, small, c.ink_2, where=middle)
