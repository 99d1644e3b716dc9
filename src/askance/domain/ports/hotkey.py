"""A combination of keys that works in whatever program has the focus: how it is written, and who watches for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from enum import StrEnum
from string import ascii_uppercase, digits
from typing import Protocol

from askance.domain.errors import InputError
from askance.domain.messages import Message


class Modifier(StrEnum):
    """A key that is held while another is pressed. Listed in the order in which they are written."""

    CTRL = "Ctrl"
    ALT = "Alt"
    SHIFT = "Shift"
    SUPER = "Super"
    """The Windows key, Command on a Mac."""


# As many as Windows has key codes for: VK_F1 to VK_F24.
FUNCTION_KEYS = tuple(f"F{number}" for number in range(1, 25))
NAMED_KEYS = (
    "Space",
    "Tab",
    "Return",
    "Backspace",
    "Insert",
    "Delete",
    "Home",
    "End",
    "PageUp",
    "PageDown",
    "Left",
    "Up",
    "Right",
    "Down",
    "Pause",
    "Print",
)
SIGN_KEYS = (
    "Comma",
    "Period",
    "Slash",
    "Semicolon",
    "Quote",
    "Backquote",
    "Minus",
    "Equal",
    "BracketLeft",
    "BracketRight",
    "Backslash",
)
KEYS = frozenset((*ascii_uppercase, *digits, *FUNCTION_KEYS, *NAMED_KEYS, *SIGN_KEYS))

# No written combination of four modifiers and a key is longer.
LONGEST = 64

_MODIFIER_NAMES = {
    "ctrl": Modifier.CTRL,
    "control": Modifier.CTRL,
    "alt": Modifier.ALT,
    "option": Modifier.ALT,
    "shift": Modifier.SHIFT,
    "super": Modifier.SUPER,
    "meta": Modifier.SUPER,
    "win": Modifier.SUPER,
    "cmd": Modifier.SUPER,
    "command": Modifier.SUPER,
}
_KEY_NAMES = {key.lower(): key for key in KEYS} | {
    "enter": "Return",
    "del": "Delete",
    "ins": "Insert",
    "pgup": "PageUp",
    "pgdown": "PageDown",
    ",": "Comma",
    ".": "Period",
    "/": "Slash",
    ";": "Semicolon",
    "'": "Quote",
    "`": "Backquote",
    "-": "Minus",
    "=": "Equal",
    "[": "BracketLeft",
    "]": "BracketRight",
    "\\": "Backslash",
}


@dataclass(frozen=True, slots=True)
class Combination:
    """Modifiers and one key of `KEYS`. `str()` writes it so that `parse_combination` reads it.

    Raises:
        ValueError: there is no such key, or the combination would take an ordinary key away from
            all other programs.
    """

    modifiers: frozenset[Modifier]
    key: str

    def __post_init__(self) -> None:
        if self.key not in KEYS:
            raise ValueError(Message("there is no key named {name}", name=self.key))
        # Shift and a letter is a capital: taken for a hotkey, no other program would get it any
        # more.
        if self.key not in FUNCTION_KEYS and not self.modifiers - {Modifier.SHIFT}:
            raise ValueError(Message("needs Ctrl, Alt or Super, or one of the keys F1 to F24"))

    def __str__(self) -> str:
        """Return it as it is written in the settings."""
        return "+".join((*self.in_order(), self.key))

    def in_order(self) -> tuple[Modifier, ...]:
        """Return the modifiers in the order in which they are written."""
        return tuple(modifier for modifier in Modifier if modifier in self.modifiers)


def parse_combination(text: str) -> Combination:
    """Read a combination; case, order and common other names of keys do not matter.

    Raises:
        ValueError: it is none, said in words for the user.
    """
    if len(text) > LONGEST:
        raise ValueError(Message("is too long for a combination of keys"))
    # A plus always parts: `Ctrl++` has no key at its end, and is refused below.
    *held, last = (part.strip().lower() for part in text.split("+"))
    if not last:
        raise ValueError(Message("must end with a key, such as Ctrl+Space"))
    return Combination(frozenset(_modifiers(held)), _key(last))


def _modifiers(names: Iterable[str]) -> Iterable[Modifier]:
    for name in names:
        if name not in _MODIFIER_NAMES:
            raise ValueError(
                Message(
                    "must begin with Ctrl, Alt, Shift or Super, not {name}",
                    name=name or Message("nothing"),
                )
            )
        yield _MODIFIER_NAMES[name]


def _key(name: str) -> str:
    if name in _MODIFIER_NAMES:
        raise ValueError(Message("must end with a key that is no modifier, such as Ctrl+Space"))
    if name not in _KEY_NAMES:
        raise ValueError(Message("names no key that can be used: {name}", name=name))
    return _KEY_NAMES[name]


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
