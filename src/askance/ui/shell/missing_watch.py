"""Keeps the row true that says what is missing: looks while the window is up, does what its button promises, and asks the
question that waited once the part is there."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from PySide6.QtCore import QObject
from PySide6.QtGui import QKeySequence, QShortcut

from askance.config.choices import AskMode
from askance.domain.errors import AskanceError
from askance.presentation.i18n import translated
from askance.presentation.missing_parts import (
    OUT_OF_MEMORY,
    Blocks,
    MissingPart,
    PartAction,
    first_missing,
    unreadable,
)
from askance.ui.bridge import Bridge, Job, PendingCalls
from askance.ui.design.composing import repeating_timer
from askance.ui.overlay.conversation.exchange import Failure, State
from askance.ui.overlay.conversation.session import Session
from askance.ui.overlay.overlay import Overlay

if TYPE_CHECKING:
    from askance.app.container import App
    from askance.config.settings import Settings

# Somebody who starts a server elsewhere sees that it was noticed.
_LOOKS_EVERY_MS = 3_000
_LOOK, _HELP = "missing", "help"


class PartOwner(Protocol):
    """What of the desktop is needed to look, to help, and to follow downloads."""

    bridge: Bridge
    session: Session
    overlay: Overlay
    environment: Mapping[str, str]
    windows: Any
    context: Any
    """What windows of settings work with."""
    missing_parts: Any
    allow_search: Callable[[], None]
    """Lets public engines be asked from this computer."""
    search_library: Callable[[], None]
    """Searches the library for what is asked."""
    apply: Callable[[Settings], None]


class MissingPartWatch(QObject):
    """Shows the row below the ask bar of an overlay, for as long as that lives."""

    def __init__(self, desktop: PartOwner, is_sample: Callable[[], bool]) -> None:
        super().__init__(desktop.overlay)
        self._desktop, self._is_sample = desktop, is_sample
        self._overlay, self._session = desktop.overlay, desktop.session
        self._row = desktop.overlay.missing
        self._calls = PendingCalls(desktop.bridge, self)
        self._parts: tuple[MissingPart, ...] = ()
        self.is_model_coming: Callable[[], bool] = lambda: False
        """Whether a model is downloaded: then that says all that is to be said of a missing one."""
        self._waiting: Blocks | None = None
        """What keeps the last question from being asked again."""
        self._timer = repeating_timer(self, _LOOKS_EVERY_MS, self.look)
        self._row.pressed.connect(self._help)
        self._overlay.summoned.connect(self.look)
        self._overlay.hidden.connect(self._timer.stop)
        self._overlay.ask_bar.switch.chosen.connect(self._show)
        self._session.began.connect(self._begin)
        self._session.cleared.connect(self._begin)
        self._session.changed.connect(self._end)
        self._session.files.changed.connect(self._show)
        QShortcut(QKeySequence("Alt+Return"), self._overlay, self._row.press)

    def look(self) -> None:
        """Look what a question would lack now."""

        failure = self._failure
        ran_out = failure is not None and failure.title == OUT_OF_MEMORY.title
        model = self._session.model

        async def work(app: App) -> tuple[MissingPart, ...]:
            # In the engine's thread: the window needs none of it.
            from askance.app.checks.first_steps import missing_now  # noqa: PLC0415
            from askance.app.checks.installation_check import has_network  # noqa: PLC0415
            from askance.app.model_choices import with_less_memory  # noqa: PLC0415

            online = has_network(app.settings.search)
            found = await missing_now(app, self._desktop.environment, online=online)
            if ran_out and all(part.blocks is not Blocks.MODEL for part in found):
                found = (*found, await with_less_memory(app, model))
            return found

        self._calls.ask(_LOOK, work, self._take)

    def _take(self, found: tuple[MissingPart, ...] | AskanceError) -> None:
        # Settings that are not understood are said by another line.
        self._parts = () if isinstance(found, AskanceError) or self._is_sample() else found
        blocked = {part.blocks for part in self._parts}
        is_gone = self._waiting is not None and self._waiting not in blocked
        if is_gone and not self._session.is_running and self._overlay.isVisible():
            self._waiting = None
            self._session.retry(len(self._session.views) - 1)
        self._show()

    def _show(self, _mode: object = None) -> None:
        is_web = self._overlay.ask_bar.switch.wanted is AskMode.WEB
        files = (one for one in self._session.files.attachments if one.is_failed)
        parts = (*self._parts, *(unreadable(one.name, one.problem) for one in files))
        part = first_missing(parts, is_web=is_web)
        is_elsewhere = part is not None and (self._is_shown_above(part) or self._is_coming(part))
        self._row.show_part(None if is_elsewhere else part)
        # At rest nothing is asked: only as long as somebody sees that something is missing.
        if self._overlay.isVisible() and (part is not None or self._waiting is not None):
            self._timer.start()
        else:
            self._timer.stop()

    def _is_coming(self, part: MissingPart) -> bool:
        return part.blocks is Blocks.MODEL and self.is_model_coming()

    @property
    def _failure(self) -> Failure | None:
        """Why the last question has no answer."""
        views = self._session.views
        return views[-1].failure if views else None

    def _is_shown_above(self, part: MissingPart) -> bool:
        """Whether the last answer says it already, with a button of its own."""
        failure = self._failure
        if failure is None or failure.title != part.title:
            return False
        return failure.quick_fix is not None

    def _begin(self, *_: object) -> None:
        self._waiting = None
        self._show()

    def _end(self, _index: int, view: object) -> None:
        last = self._session.views[-1]
        if view is not last or last.state is not State.FAILED or last.failure is None:
            return
        blocks = last.failure.blocks
        self._waiting = blocks if blocks in (Blocks.WEB, Blocks.MODEL) else None
        self.look()

    def _help(self, part: MissingPart) -> None:
        desktop, windows = self._desktop, self._desktop.windows
        does: dict[PartAction, Callable[[], object]] = {
            PartAction.DOWNLOAD_MODEL: lambda: desktop.context.downloads.pull(part.model),
            PartAction.CHOOSE_MODEL: partial(windows.welcome, choose=True),
            PartAction.START_OLLAMA: partial(
                self._do, lambda _parts: desktop.context.start_ollama()
            ),
            PartAction.USE_BUILT_IN: desktop.allow_search,
            PartAction.START_SERVICES: lambda: windows.show_settings("Services").start_services(),
            PartAction.ASK_LIBRARY: desktop.search_library,
            PartAction.CLEAR_PAGES: self._clear_pages,
            PartAction.SHOW_STORED: partial(windows.show_settings, "Privacy"),
            PartAction.ASK_WITHOUT: self._ask_without,
            PartAction.ASK_AGAIN: self._ask_again,
            PartAction.ANSWER_WITH: partial(self._answer_with, part.model),
        }
        action: Callable[[], object] = does.get(part.action) or windows.show_settings
        action()

    def _clear_pages(self) -> None:
        context = self._desktop.context

        def clear() -> None:
            with context.container() as parts:
                parts.page_cache.clear()

        self._do(lambda _parts: asyncio.to_thread(clear))

    def _do(self, work: Job) -> None:
        """Do what takes a moment, in which the button is grey; then look what that came to."""

        def then(result: object) -> None:
            self._row.button.setEnabled(True)
            if isinstance(result, AskanceError):
                self._overlay.complain(translated(result.problem))
            self.look()

        self._row.button.setEnabled(False)
        self._calls.ask(_HELP, work, then)

    def _ask_without(self) -> None:
        self._session.files.drop_failed()
        self._overlay.ask_bar.send_as_it_stands(self._overlay.ask_bar.switch.mode)

    def _answer_with(self, model: str) -> None:
        self._overlay.use_model(model)
        self._ask_again()

    def _ask_again(self) -> None:
        """Ask the last question once more; where none was asked yet, see whether the part is there now."""
        if self._failure is not None:
            self._session.retry(len(self._session.views) - 1)
        else:
            self.look()
