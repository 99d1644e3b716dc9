"""What this machine and its user are called: words that a query must not have of itself."""

from __future__ import annotations

import getpass
import platform
import re
from contextlib import suppress
from pathlib import Path

# So many machines and users have these names, or these words in them, that they tell nobody apart:
# `Annas-MacBook-Pro.local`, `thinkpad-x1`, `DESKTOP-7A6B5C4`. In a query they are common words.
_COMMON_NAMES = """
admin administrator air apple arch archlinux book carbon chromebook computer debian desktop dev dell
fedora guest home host hp imac lan laptop latitude lenovo linux local localdomain localhost mac macbook
mini mint my notebook nuc office owner pc pi pro raspberry raspberrypi root server studio surface test
thinkpad ubuntu user users windows work workstation xps
"""
_COMMON = frozenset(_COMMON_NAMES.split())
_BETWEEN = re.compile(r"[\W_]+")
# A letter or a number alone names nobody: `x1`, `2`.
_NAMELESS = re.compile(r"\w?\d*")


def own_names() -> tuple[str, ...]:
    """Return the names of the user, the machine and the home folder, as far as they are known."""
    names = {platform.node()}
    with suppress(KeyError, OSError, RuntimeError, ImportError):  # not every user has a name
        names |= {getpass.getuser(), Path.home().name}
    return telling(*names)


def telling(*names: str) -> tuple[str, ...]:
    """Return the words of these names that tell one machine or user from others."""
    words = {word for name in names for word in _BETWEEN.split(name)}
    return tuple(
        sorted(w for w in words if not _NAMELESS.fullmatch(w) and w.lower() not in _COMMON)
    )
