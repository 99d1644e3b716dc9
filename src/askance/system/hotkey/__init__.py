"""The hotkey on each kind of desktop, X11, the Wayland portal, Windows, macOS; and which of them this desktop has.

Here is what the kinds share as well: names of keys, the end that a desktop may put to a combination, and
what a user can do by hand.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager

from askance.domain.errors import InputError
from askance.domain.messages import Message, Remedy
from askance.domain.ports.hotkey import (
    KEYS,
    Combination,
    Hotkey,
    HotkeyTaken,
    HotkeyUnavailable,
    Modifier,
)
from askance.system.desktops import desktops_of

_OTHER_NAMES = {
    "Space": "space",
    "Backspace": "BackSpace",
    "PageUp": "Prior",
    "PageDown": "Next",
    "Comma": "comma",
    "Period": "period",
    "Slash": "slash",
    "Semicolon": "semicolon",
    "Quote": "apostrophe",
    "Backquote": "grave",
    "Minus": "minus",
    "Equal": "equal",
    "BracketLeft": "bracketleft",
    "BracketRight": "bracketright",
    "Backslash": "backslash",
}

# A letter's keysym is its small one: with the capital, Shift would be part of the name.
KEYSYMS = {
    key: _OTHER_NAMES.get(key, key.lower() if len(key) == 1 else key) for key in sorted(KEYS)
}
"""The keysym's name for each key."""
COMMAND = "askance toggle"


def choose_hotkey(platform: str, environment: Mapping[str, str], app_id: str) -> Hotkey:
    """Return the hotkey of the desktop that the environment describes.

    `platform` is that of `sys.platform`, `app_id` the basename of the installed desktop entry.

    Raises:
        HotkeyUnavailable: there is no desktop.
    """
    # Each kind imports a library that the others lack.
    if platform == "win32":
        from askance.system.hotkey.windows_hotkey import User32Keys, WindowsHotkey  # noqa: PLC0415

        return WindowsHotkey(User32Keys())
    if platform == "darwin":
        from askance.system.hotkey.macos import CarbonKeys, MacHotkey  # noqa: PLC0415

        return MacHotkey(CarbonKeys())
    # XWayland has a DISPLAY too, but hears keys only while one of its own windows has the focus.
    if environment.get("WAYLAND_DISPLAY") or environment.get("XDG_SESSION_TYPE") == "wayland":
        from askance.system.hotkey.portal import PortalHotkey  # noqa: PLC0415

        return PortalHotkey(environment, app_id)
    if environment.get("DISPLAY"):
        from askance.system.hotkey.x11_hotkey import X11Hotkey  # noqa: PLC0415

        return X11Hotkey(environment)
    raise HotkeyUnavailable(
        Message("There is no desktop session here for a hotkey."),
        fix=Message("`askance toggle` shows or hides the window."),
    )


def bind_by_hand(combination: Combination, environment: Mapping[str, str]) -> Remedy:
    """Return one sentence that says where to bind the command, in this desktop's own words."""
    desktops = desktops_of(environment)
    if "hyprland" in desktops:
        held = " ".join(modifier.value.upper() for modifier in combination.in_order())
        line = f"bind = {held}, {KEYSYMS[combination.key]}, exec, {COMMAND}"
        return Remedy("Add this line to hyprland.conf: {line}", line=line, command=line)
    if "sway" in desktops or "i3" in desktops:
        name = "sway" if "sway" in desktops else "i3"
        line = _sway(combination)
        return Remedy(
            "Add this line to the configuration of {name}: {line}",
            name=name,
            line=line,
            command=line,
        )
    if "gnome" in desktops or "unity" in desktops:
        return Remedy(
            "In Settings, Keyboard, Custom Shortcuts, add {keys} with the command `askance toggle`.",
            keys=combination,
            command=COMMAND,
        )
    if "kde" in desktops:
        return Remedy(
            "In System Settings, Shortcuts, add the command `askance toggle` with {keys}.",
            keys=combination,
            command=COMMAND,
        )
    return Remedy(
        "In the shortcuts of your desktop, bind {keys} to the command `askance toggle`.",
        keys=combination,
        command=COMMAND,
    )


def keys_of_desktop(keys: str, environment: Mapping[str, str]) -> Message:
    """Return which keys the desktop has given, in its own words, and where they are changed."""
    desktops = desktops_of(environment)
    if "gnome" in desktops:
        place = Message("Settings, Apps, Askance, Global Shortcuts")
    elif "kde" in desktops:
        place = Message("System Settings, Keyboard, Shortcuts")
    else:
        place = Message("the settings of your desktop")
    return Message(
        "The desktop has given Askance these keys: {keys}. They are changed there: {place}.",
        keys=keys,
        place=place,
    )


def check_registered(
    status: int, taken: int, combination: Combination, *, system: str, by_hand: Message
) -> None:
    """Raise what the status of a registration means, if anything; `taken` is another program's."""
    if status == taken:
        problem = Message("Another program has taken {keys}.", keys=combination)
        raise HotkeyTaken(problem, fix=by_hand)
    if status:
        problem = Message(
            "{name} does not allow {keys} as a hotkey (error {status}).",
            name=system,
            keys=combination,
            status=str(status),
        )
        raise HotkeyUnavailable(problem, fix=by_hand)


class Loss:
    """Ends a body when its combination is lost. It belongs to one event loop."""

    def __init__(self) -> None:
        # A limit that nothing sets but a loss: the standard library then does the cancelling,
        # and tells it from one that comes from outside.
        self._limit = asyncio.timeout(None)
        self._problem: InputError | None = None

    @asynccontextmanager
    async def ends_body(self) -> AsyncGenerator[None, None]:
        """Cancel the body once a loss is told, and raise what was told."""
        try:
            async with self._limit:
                yield
        except TimeoutError:
            if self._problem is None:
                raise
            # Chained to its own cause: the time-out is only how the body was ended.
            raise self._problem from self._problem.__cause__

    def report(self, problem: InputError) -> None:
        """Say what happened; only while the body runs. The first problem counts."""
        if self._problem is None:
            self._problem = problem
            self._limit.reschedule(asyncio.get_running_loop().time())


def _sway(combination: Combination) -> str:
    # sway and i3 name these two by the modifiers of X.
    names = {Modifier.SUPER: "Mod4", Modifier.ALT: "Mod1"}
    held = [names.get(modifier, modifier.value) for modifier in combination.in_order()]
    key = KEYSYMS[combination.key]
    return "bindsym " + "+".join((*held, key)) + f" exec {COMMAND}"
