"""Where commands are found."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping

# A program that the desktop starts does not see what a shell adds to PATH.
_MORE_PLACES = (
    ("/usr/local/bin", "/opt/homebrew/bin", "/Applications/Docker.app/Contents/Resources/bin")
    if sys.platform == "darwin"
    else ()
)


def find_executable(name: str, environment: Mapping[str, str]) -> str:
    """Return the path of a command, empty if there is none."""
    places = [environment.get("PATH", ""), *_MORE_PLACES]
    separator = ";" if sys.platform == "win32" else ":"
    return shutil.which(name, path=separator.join(filter(None, places))) or ""
