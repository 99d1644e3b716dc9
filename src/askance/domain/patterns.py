"""Regular expressions that are compiled at their first use.

Compiling those of a module at its import took a fifth of a start; a question uses few of them before its first search.
"""

from __future__ import annotations

import re
from typing import Any, cast


class LazyPattern:
    """Stands for a `re.Pattern` until one of its methods is asked for, and then hands on what that one has."""

    def __init__(self, pattern: str, flags: int) -> None:
        # Other patterns are written with it, without compiling it.
        self.pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(self.pattern, self._flags), name)
        # From now on it is found without coming here.
        setattr(self, name, found)
        return found


def lazy_re(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return what is used as `re.compile(pattern, flags)` is. An error in it shows at its first use."""
    return cast("re.Pattern[str]", LazyPattern(pattern, flags))
