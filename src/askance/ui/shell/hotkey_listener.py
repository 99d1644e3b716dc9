"""The hotkey in force, beside the window: its presses, and why there is none, come as signals.

It has a thread of its own. In the engine's, an everlasting piece of work would keep that from
taking other parts after a change of settings.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from PySide6.QtCore import QObject, Qt, Signal

from askance.domain.errors import AskanceError
from askance.domain.messages import NOTHING, Message
from askance.domain.ports.hotkey import Combination, Hotkey, parse_combination

# Giving a combination back takes milliseconds; a desktop that hangs must not hold the window up.
_END_LIMIT_S = 1.0


class HotkeyListener(QObject):
    """Listens to one combination at a time. Its methods belong to the window's thread.

    `choose` returns the hotkey of this desktop, or raises `HotkeyUnavailable`.
    """

    summoned = Signal(str)
    """The keys were pressed; with the token that lets the window come to the front, or ""."""
    ready = Signal(str, object)
    """The combination in force from now on, as written, "" for none; and what the desktop says
    of it, as a `Message`."""
    failed = Signal(object)
    """No combination is in force: the problem, and what fixes it, as a `Message`."""

    _received = Signal(int, object)

    def __init__(self, choose: Callable[[], Hotkey], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._choose = choose
        self._number = 0
        self._listener: _Listener | None = None
        self._received.connect(self._take, Qt.ConnectionType.QueuedConnection)

    def listen(self, written: str) -> None:
        """Give back the combination in force, and listen to another one, "" for none.

        Returns at once; `ready` or `failed` follows, and `failed` again where it is lost later.
        """
        self.close()
        if not written:
            self.ready.emit("", NOTHING)
            return
        try:
            combination = parse_combination(written)
            hotkey = self._choose()
        except ValueError as exc:
            problem = Message("The hotkey {problem}.", problem=exc)
            fix = Message("Choose another combination in the settings.")
            self.failed.emit(Message.joined(problem, fix))
        except AskanceError as exc:
            self.failed.emit(exc.message)
        else:
            number = self._number
            self._listener = _Listener(
                hotkey, combination, lambda event: self._received.emit(number, event)
            )

    def close(self) -> None:
        """Release the combination. No more signals follow."""
        self._number += 1
        if self._listener is not None:
            self._listener.end()
            self._listener = None

    def _take(self, number: int, event: str | _Ready | AskanceError) -> None:
        if number != self._number:
            return  # said by a listener before it was ended
        if isinstance(event, _Ready):
            self.ready.emit(str(event.combination), event.note)
        elif isinstance(event, AskanceError):
            self.failed.emit(event.message)
        else:
            self.summoned.emit(event)


@dataclass(frozen=True)
class _Ready:
    combination: Combination
    note: Message


class _Listener:
    """A thread that listens. It emits its combination once it is in force, tokens, and its failure."""

    def __init__(
        self,
        hotkey: Hotkey,
        combination: Combination,
        notify: Callable[[str | _Ready | AskanceError], None],
    ) -> None:
        self._hotkey = hotkey
        self._combination = combination
        self._notify = notify
        self._loop = asyncio.new_event_loop()
        self._task = self._loop.create_task(self._listen())
        self._thread = threading.Thread(target=self._serve, name="summons")
        self._thread.start()

    def end(self) -> None:
        """Give the combination back, and end the thread."""
        with suppress(RuntimeError):  # the loop is closed: it has ended by itself
            self._loop.call_soon_threadsafe(self._task.cancel)
        self._thread.join(_END_LIMIT_S)

    def _serve(self) -> None:
        try:
            with suppress(asyncio.CancelledError):
                self._loop.run_until_complete(self._task)
        except AskanceError as exc:
            self._notify(exc)
        finally:
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.close()

    async def _listen(self) -> None:
        async with self._hotkey.listening(self._combination, self._notify) as note:
            self._notify(_Ready(self._combination, note))
            await asyncio.Event().wait()
