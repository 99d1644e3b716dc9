"""The names that X11 and the portal have for keys: keysyms."""

from __future__ import annotations

from askance.domain.combination import KEYS

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
