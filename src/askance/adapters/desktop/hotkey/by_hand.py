"""What the user can do where no program may take a combination: bind `askance toggle` by hand."""

from __future__ import annotations

from collections.abc import Mapping

from askance.adapters.desktop.hotkey.keysyms import KEYSYMS
from askance.domain.combination import Combination, Modifier
from askance.domain.messages import Message
from askance.ports.hotkey import HotkeyTaken, HotkeyUnavailable

COMMAND = "askance toggle"


def bind_by_hand(combination: Combination, environment: Mapping[str, str]) -> Message:
    """Return one sentence that says where to bind the command, in this desktop's own words."""
    desktops = environment.get("XDG_CURRENT_DESKTOP", "").lower().split(":")
    if "hyprland" in desktops:
        return Message("Add this line to hyprland.conf: {line}", line=_hyprland(combination))
    if "sway" in desktops or "i3" in desktops:
        name = "sway" if "sway" in desktops else "i3"
        return Message(
            "Add this line to the configuration of {name}: {line}",
            name=name,
            line=_sway(combination),
        )
    if "gnome" in desktops or "unity" in desktops:
        return Message(
            "In Settings, Keyboard, Custom Shortcuts, add {keys} with the command `askance toggle`.",
            keys=combination,
        )
    if "kde" in desktops:
        return Message(
            "In System Settings, Shortcuts, add the command `askance toggle` with {keys}.",
            keys=combination,
        )
    return Message(
        "In the shortcuts of your desktop, bind {keys} to the command `askance toggle`.",
        keys=combination,
    )


def check_registered(
    status: int, taken: int, combination: Combination, *, system: str, by_hand: Message
) -> None:
    """Raise what the status of a registration means, if anything; `taken` is another program's."""
    if status == taken:
        raise HotkeyTaken(
            Message("Another program has taken {keys}.", keys=combination), fix=by_hand
        )
    if status:
        raise HotkeyUnavailable(
            Message(
                "{name} does not allow {keys} as a hotkey (error {status}).",
                name=system,
                keys=combination,
                status=str(status),
            ),
            fix=by_hand,
        )


def _sway(combination: Combination) -> str:
    names = {Modifier.SUPER: "Mod4", Modifier.ALT: "Mod1"}
    held = [names.get(modifier, modifier.value) for modifier in combination.in_order()]
    key = KEYSYMS[combination.key]
    return "bindsym " + "+".join((*held, key)) + f" exec {COMMAND}"


def _hyprland(combination: Combination) -> str:
    held = " ".join(modifier.value.upper() for modifier in combination.in_order())
    return f"bind = {held}, {KEYSYMS[combination.key]}, exec, {COMMAND}"
