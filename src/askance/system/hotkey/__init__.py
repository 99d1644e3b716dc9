"""The hotkey on each kind of desktop: X11, the Wayland portal, Windows, macOS."""
