"""Text in the units that Qt counts: a character beyond the first plane is two of them."""

from __future__ import annotations

import re

_BEYOND = re.compile(r"[\U00010000-\U0010ffff]")
_HALF = re.compile(r"[\ud800-\udfff]")


def units(text: str) -> int:
    """Return how many units a text has."""
    return len(text) if text.isascii() else len(text) + len(_BEYOND.findall(text))


def split(text: str) -> str:
    """Return a text in which each unit is a character of its own, so that offsets fit."""
    return _BEYOND.sub(_halves, text)


def join(text: str) -> str:
    """Return what `split` took apart as it was; half a character becomes a question mark."""
    if not _HALF.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _halves(found: re.Match[str]) -> str:
    code = ord(found.group()) - 0x10000
    return chr(0xD800 + (code >> 10)) + chr(0xDC00 + (code & 0x3FF))
