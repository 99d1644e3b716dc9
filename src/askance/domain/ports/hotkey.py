"""A combination of keys that works in whatever program has the focus."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from askance.domain.errors import InputError
from askance.domain.key_combination import Combination
from askance.domain.messages import Message

Pressed = Callable[[str], None]
"""Called in the event loop at each press, once however long the keys are held.

It gets the token with which the desktop lets the window come to the front (Wayland), or "".
"""


class HotkeyTaken(InputError):
    """Another program has the combination already."""


class HotkeyUnavailable(InputError):
    """This desktop gives no combination to Askance, or has taken it back."""


class Hotkey(Protocol):
    """The part of a desktop that passes keys on to programs that have not the focus."""

    def listening(
        self, combination: Combination, pressed: Pressed
    ) -> AbstractAsyncContextManager[Message]:
        """Listen while the context is open; entering it may wait for the user's consent.

        Where the desktop chooses the keys, it gives which ones those are and where they are changed;
        else an empty message.

        Where the desktop takes the combination back later, the body is cancelled and leaving the
        context says why.

        Raises:
            HotkeyTaken: another program has it.
            HotkeyUnavailable: the desktop lacks it, refuses it, or took it back.
        """
        ...
