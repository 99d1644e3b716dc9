"""The hotkey on each kind of desktop, X11, the Wayland portal, Windows, macOS; and which of them this desktop has."""
# ruff: noqa: PLC0415 - each kind imports a library that the others lack

from __future__ import annotations

from collections.abc import Mapping

from askance.domain.messages import Message
from askance.domain.ports.hotkey import Hotkey, HotkeyUnavailable


def choose_hotkey(platform: str, environment: Mapping[str, str], app_id: str) -> Hotkey:
    """Return the hotkey of the desktop that the environment describes.

    `platform` is that of `sys.platform`, `app_id` the basename of the installed desktop entry.

    Raises:
        HotkeyUnavailable: there is no desktop.
    """
    if platform == "win32":
        from askance.system.hotkey.windows_hotkey import User32Keys, WindowsHotkey

        return WindowsHotkey(User32Keys())
    if platform == "darwin":
        from askance.system.hotkey.macos import CarbonKeys, MacHotkey

        return MacHotkey(CarbonKeys())
    # XWayland has a DISPLAY too, but hears keys only while one of its own windows has the focus.
    if environment.get("WAYLAND_DISPLAY") or environment.get("XDG_SESSION_TYPE") == "wayland":
        from askance.system.hotkey.portal import PortalHotkey

        return PortalHotkey(environment, app_id)
    if environment.get("DISPLAY"):
        from askance.system.hotkey.x11_hotkey import X11Hotkey

        return X11Hotkey(environment)
    raise HotkeyUnavailable(
        Message("There is no desktop session here for a hotkey."),
        fix=Message("`askance toggle` shows or hides the window."),
    )
