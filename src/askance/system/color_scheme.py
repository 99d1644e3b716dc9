"""Whether the desktop is light or dark, as its settings portal says: for KDE, whose changes Qt hears only half of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress

from jeepney import DBusErrorResponse, MatchRule

from askance.system.hotkey.portal import NAME, PATH
from askance.system.session_bus import open_session_bus

SETTINGS = "org.freedesktop.portal.Settings"
_APPEARANCE, _KEY = "org.freedesktop.appearance", "color-scheme"
_DARK, _LIGHT = 1, 2


async def follow_color_scheme(
    environment: Mapping[str, str], on_change: Callable[[str], None]
) -> None:
    """Report "light", "dark" or, where the user has no preference, "" at each change, until the bus hangs up.

    Ends at once where there is no bus.
    """
    rule = MatchRule(
        type="signal", sender=NAME, path=PATH, interface=SETTINGS, member="SettingChanged"
    )
    with suppress(OSError, DBusErrorResponse):
        async with open_session_bus(environment) as bus:
            await bus.subscribe(rule)
            while True:
                match (await bus.signal()).body:
                    case (str(space), str(key), ("u", value)) if (space, key) == (
                        _APPEARANCE,
                        _KEY,
                    ):
                        on_change({_DARK: "dark", _LIGHT: "light"}.get(value, ""))
                    case _:
                        pass
