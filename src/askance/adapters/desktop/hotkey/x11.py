"""The hotkey under X11: a key that is grabbed on the root window."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, suppress

from Xlib import error
from Xlib.display import Display

from askance.adapters.desktop.hotkey.by_hand import bind_by_hand
from askance.adapters.desktop.hotkey.loss import Loss
from askance.adapters.desktop.hotkey.x11_grab import Grab
from askance.domain.combination import Combination
from askance.domain.errors import InputError
from askance.domain.messages import Message
from askance.ports.hotkey import HotkeyUnavailable, Pressed

_GONE = (error.ConnectionClosedError, OSError)


class X11Hotkey:
    """Grabs a combination on the display that the environment names."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment

    @asynccontextmanager
    async def listening(self, combination: Combination, pressed: Pressed) -> AsyncGenerator[None]:
        """Listen; see `Hotkey.listening`."""
        by_hand = bind_by_hand(combination, self._environment)
        display = self._open(by_hand)
        try:
            grab = Grab(display, combination, pressed, by_hand)
            try:
                grab.take()
                number = display.fileno()
            except _GONE as exc:
                raise _gone(exc, by_hand) from exc
            loss = Loss()
            loop = asyncio.get_running_loop()

            def hear() -> None:
                try:
                    grab.hear()
                except _GONE as exc:
                    loop.remove_reader(number)
                    loss.tell(_gone(exc, by_hand))
                except InputError as exc:
                    loss.tell(exc)

            async with loss.ends_body():
                loop.add_reader(number, hear)
                try:
                    hear()  # what came with the replies so far makes the socket ready no more
                    yield
                finally:
                    loop.remove_reader(number)
        finally:
            with suppress(*_GONE):
                display.close()

    def _open(self, by_hand: str) -> Display:
        # Not in a thread: the handshake with a server on this machine takes two milliseconds, and
        # where that server hangs, the whole desktop does.
        try:
            return Display(self._environment.get("DISPLAY", ""))
        except (error.DisplayError, error.XauthError, *_GONE) as exc:
            raise HotkeyUnavailable(Message("The X display does not answer."), fix=by_hand) from exc


def _gone(cause: BaseException, by_hand: str) -> HotkeyUnavailable:
    problem = HotkeyUnavailable(
        Message("The connection to the X display is lost, and the hotkey with it."), fix=by_hand
    )
    problem.__cause__ = cause
    return problem
