"""The desktop program around its windows: one process, a tray icon, a hotkey.

Python's own `import` comes back here, before any module of the window is read. For a feature that is
not used here, PySide puts itself in its place and reads the source of every module that comes after
it, in search of its own name: a tenth of a second until the icon is there, and 20 MB that `linecache`
keeps for good.
"""

import builtins

import PySide6.QtCore  # noqa: F401  # pyright: ignore[reportUnusedImport] - this is what does it

_ORIGINAL_IMPORT = "__orig_import__"

if hasattr(builtins, _ORIGINAL_IMPORT):
    builtins.__import__ = getattr(builtins, _ORIGINAL_IMPORT)
