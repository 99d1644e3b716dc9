"""Searching the library from the overlay, and opening what was found."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QUrl, Signal

from askance.domain.addresses import path_of
from askance.domain.errors import AskanceError
from askance.domain.library import DocumentKind, LibraryHit
from askance.presentation.i18n import plural, tr, translated
from askance.presentation.library import is_local_file, name_of, page_at
from askance.presentation.sanitizing import one_line
from askance.ui.design.composing import single_shot_timer
from askance.ui.design.labels import TextStyle
from askance.ui.engine.bridge import Bridge, PendingCalls
from askance.ui.model.field import Chip, QuoteOrigin
from askance.ui.model.library import Excerpt, excerpt
from askance.ui.overlay.overlay import Overlay

if TYPE_CHECKING:
    from askance.app.container import App
    from askance.app.library.search import LookUp

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
        self,
        bridge: Bridge,
        overlay: Overlay,
        open_address: Callable[[str], bool],
    ) -> None:
        super().__init__(overlay)
        self._overlay = overlay
        self._open_address = open_address
        self._calls = PendingCalls(bridge, self)
        self._view = overlay.library
        self._words = ""
        # What comes at once needs no word before it.
        self._slow = single_shot_timer(self, _SLOW_MS)
        self._slow.timeout.connect(self._show_searching)
        self._then: Callable[[], None] = self.filling_wanted.emit
        self._view.opened.connect(self._open)
        self._view.read_wanted.connect(self._read)
        self._view.asked.connect(self._ask_about)
        self._view.step_wanted.connect(self._take_step)

    def _take_step(self) -> None:
        self._then()

    def search(self, words: str) -> None:
        """Show what the library holds on some words."""
        self._words = words
        self._slow.start()

        async def work(app: App) -> LookUp:
            from askance.app.library.search import look_up

            return await look_up(app.container, words)

        self._calls.ask("search", work, self._show)

    def open_file(self, url: str) -> None:
        """Open a file of the library; any other address opens nothing.

        What a program is made of is shown in its folder: some desktops would run it.
        """

        name = name_of(url)

        async def work(app: App) -> Path | str:
            from askance.app.library.search import indexed_file

            record = await asyncio.to_thread(indexed_file, app.container.library, url)
            if record is None:
                return tr("{file} is not in the library.", file=name)
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
        if self._open_address(address):
            self._overlay.hide()
        else:
            self._overlay.complain(tr("No program opened {file}.", file=name))

    def _show_searching(self) -> None:
        self._view.show_message(tr("Searching the library"), TextStyle.HELP)
        self._overlay.show_library()

    def _show(self, looked: LookUp | AskanceError) -> None:
        self._slow.stop()
        words = one_line(self._words)
        if isinstance(looked, AskanceError):
            self._view.show_message(translated(looked), TextStyle.PROBLEM)
        elif looked.is_empty:
            self._then = self.filling_wanted.emit
            empty = tr("The library is empty. Add a folder, a file or a page to search it.")
            self._view.show_message(empty, step=tr("Add…"))
        elif not looked.found.hits:
            self._then = lambda: self.search_wanted.emit(self._words)
            nothing = tr("The library holds nothing on “{words}”.", words=words)
            notes = map(translated, looked.found.notes)
            self._view.show_message(" ".join((nothing, *notes)), step=tr("Search the web for it"))
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
        from askance.app.library.search import about_text

        name = plural("{n} passage of the library", "{n} passages of the library", len(hits))
        documents = tuple(dict.fromkeys(hit.document for hit in hits))
        chip = Chip(QuoteOrigin.LIBRARY, about_text(hits), name=name, documents=documents)
        self._overlay.ask_bar.ask_about(chip)
