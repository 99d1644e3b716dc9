"""The hotkey under X11: a key that is grabbed on the root window, whatever lock keys are on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, suppress
from itertools import chain

from Xlib import XK, X, error
from Xlib.display import Display
from Xlib.protocol import event, rq

from askance.domain.errors import InputError
from askance.domain.messages import NOTHING, Message
from askance.domain.ports.hotkey import (
    Combination,
    HotkeyTaken,
    HotkeyUnavailable,
    Modifier,
    Pressed,
)
from askance.system.hotkey import KEYSYMS, Loss, bind_by_hand

# The keys that tell which of the eight modifier bits stands for what, and the usual bit.
_HELD_BY = {
    Modifier.ALT: (("Alt_L", "Alt_R"), X.Mod1Mask),
    Modifier.SUPER: (("Super_L", "Super_R"), X.Mod4Mask),
}
_FIXED = {Modifier.CTRL: X.ControlMask, Modifier.SHIFT: X.ShiftMask}
_GONE = (error.ConnectionClosedError, OSError)


class X11Hotkey:
    """Grabs a combination on the display that the environment names."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment

    @asynccontextmanager
    async def listening(
        self, combination: Combination, pressed: Pressed
    ) -> AsyncGenerator[Message]:
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

            def listen() -> None:
                try:
                    grab.read_events()
                except _GONE as exc:
                    loop.remove_reader(number)
                    loss.report(_gone(exc, by_hand))
                except InputError as exc:
                    loss.report(exc)

            async with loss.ends_body():
                loop.add_reader(number, listen)
                try:
                    listen()  # what came with the replies so far makes the socket ready no more
                    yield NOTHING
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


class Grab:
    """Takes the combination, hears its presses, and follows changes of the keyboard.

    All methods but the first raise `ConnectionClosedError` where the server is gone.
    """

    def __init__(
        self, display: Display, combination: Combination, pressed: Pressed, by_hand: str
    ) -> None:
        self._display = display
        self._root = display.screen().root
        self._combination = combination
        self._pressed = pressed
        self._by_hand = by_hand
        self._taken: tuple[int, tuple[int, ...]] | None = None
        self._repeats = Repeats()
        # Its own handler writes to the terminal; what matters is asked for with each request.
        display.set_error_handler(_overlook)

    def take(self) -> None:
        """Grab the combination; afterwards, take it anew for a changed keyboard.

        Raises:
            HotkeyTaken: another program has it.
            HotkeyUnavailable: the keyboard has no such key.
        """
        keycode = self._display.keysym_to_keycode(
            XK.string_to_keysym(KEYSYMS[self._combination.key])
        )
        wanted = keycode, self._variants()
        # The server reports a changed keyboard, too, when another one of the same layout is used. A press that came
        # between freeing the keys and grabbing them again would be lost.
        if wanted == self._taken:
            return
        self._free()
        if not keycode:
            raise HotkeyUnavailable(
                Message("This keyboard has no key {name}.", name=self._combination.key),
                fix=Message("Choose another combination in the settings."),
            )
        self._taken = wanted
        refused = error.CatchError(error.BadAccess)
        for mask in self._taken[1]:
            # Asynchronous: a synchronous grab would hold the keyboard up until we let it go on.
            self._root.grab_key(
                keycode, mask, False, X.GrabModeAsync, X.GrabModeAsync, onerror=refused
            )
        # X sends errors when it gets to a request: only now it is known whether all were granted.
        self._display.sync()
        if refused.get_error() is not None:
            # Some of the grabs may have been granted: with them the key would work under some lock
            # states only.
            self._free()
            raise HotkeyTaken(
                Message("Another program has taken {keys}.", keys=self._combination),
                fix=Message.joined(
                    Message("Choose another combination in the settings."), self._by_hand
                ),
            )

    def read_events(self) -> None:
        """Deal with all that the server has said, without waiting for more.

        Raises:
            HotkeyTaken, HotkeyUnavailable: the keyboard has changed, and `take` failed after it.
        """
        while self._display.pending_events():
            changed = False
            while self._display.pending_events():
                changed |= self._read_event(self._display.next_event())
            if changed:
                self.take()

    def _read_event(self, x_event: rq.Event) -> bool:
        """Deal with one event; return whether the keyboard has changed."""
        if isinstance(x_event, event.MappingNotify):
            self._display.refresh_keyboard_mapping(x_event)
            return x_event.request != X.MappingPointer
        if isinstance(x_event, event.KeyRelease):
            self._repeats.released(x_event.time)
        elif isinstance(x_event, event.KeyPress) and self._repeats.is_new(x_event.time):
            self._pressed("")
        return False

    def _free(self) -> None:
        if self._taken is not None:
            keycode, masks = self._taken
            self._taken = None
            for mask in masks:
                self._root.ungrab_key(keycode, mask)

    def _variants(self) -> tuple[int, ...]:
        """Return the modifiers as a mask, with each state of Caps Lock and Num Lock."""
        bits = self._modifier_bits()
        mask = 0
        for modifier in self._combination.modifiers:
            if modifier in _FIXED:
                mask |= _FIXED[modifier]
            else:
                names, usual = _HELD_BY[modifier]
                mask |= next((bits[name] for name in names if name in bits), usual)
        locks = (0, X.LockMask)
        numbers = (0, bits.get("Num_Lock", 0))
        return tuple(dict.fromkeys(mask | lock | number for lock in locks for number in numbers))

    def _modifier_bits(self) -> dict[str, int]:
        """Return the bit that each of the modifier keys sets on this keyboard."""
        wanted = {
            XK.string_to_keysym(name): name
            for name in chain(("Num_Lock",), *(names for names, _ in _HELD_BY.values()))
        }
        bits: dict[str, int] = {}
        for index, keycodes in enumerate(self._display.get_modifier_mapping()):
            for keycode in filter(None, keycodes):
                if name := wanted.get(self._display.keycode_to_keysym(keycode, 0)):
                    bits[name] = 1 << index
        return bits


class Repeats:
    """Tells a press from the repetitions of a held key: those follow a release at the same time."""

    def __init__(self) -> None:
        self._released_ms = -1

    def released(self, time_ms: int) -> None:
        """Take note of a release, by the server's clock."""
        self._released_ms = time_ms

    def is_new(self, time_ms: int) -> bool:
        """Whether a press at that time is one of the user's."""
        return time_ms != self._released_ms


def _overlook(_problem: error.XError, _request: rq.Request | None) -> None:
    """Say nothing."""


def _gone(cause: BaseException, by_hand: str) -> HotkeyUnavailable:
    problem = HotkeyUnavailable(
        Message("The connection to the X display is lost, and the hotkey with it."), fix=by_hand
    )
    problem.__cause__ = cause
    return problem
