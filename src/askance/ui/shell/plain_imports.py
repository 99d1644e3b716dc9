"""Python's own import again. Import this before everything else of the window.

For a feature that is not used here, PySide puts itself in its place and reads the source of every
module that comes after it, in search of its own name: a tenth of a second until the icon is there,
and 20 MB that `linecache` keeps for good.
"""

from __future__ import annotations

import builtins

import PySide6.QtCore  # noqa: F401  # pyright: ignore[reportUnusedImport] - this is what does it

_KEPT = "__orig_import__"

if hasattr(builtins, _KEPT):
    builtins.__import__ = getattr(builtins, _KEPT)
