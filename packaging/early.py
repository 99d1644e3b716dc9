"""The first thing that the packaged program runs, before PyInstaller's own preparations."""

import os
import sys

import pyimod01_archive  # pyright: ignore[reportMissingImports] - PyInstaller's loader

# The loader has read its path by now. Ollama, docker and the browser must not find the libraries
# of this folder there: they are started with the user's own.
for _name in ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "LIBPATH"):
    _original = os.environ.pop(f"{_name}_ORIG", None)
    if _original is not None:
        os.environ[_name] = _original
    elif os.environ.get(_name) == getattr(sys, "_MEIPASS", None):
        del os.environ[_name]

# A process that is started from here is none of the loader's own, which would skip its preparations.
for _name in [name for name in os.environ if name.startswith("_PYI_")]:
    del os.environ[_name]

# Of the AppImage's runtime: zsh takes the first for the name of whatever it starts.
if sys.executable.startswith(f"{os.environ.get('APPDIR') or os.devnull}/"):
    os.environ.pop("ARGV0", None)
    os.environ.pop("OWD", None)

# Elsewhere no image is mounted, and an open file could not be replaced.
if sys.platform == "linux":

    class _Executable:
        """The file that holds the modules, as the loader reads it: opened once, and without a buffer.

        The loader opens it anew for each of 600 modules, and Python's buffer is as large as a block of the file system:
        in an AppImage that is 64 KiB for a module of 5, and each call asks the process that has mounted it.
        """

        _file = -1

        def __init__(self, name: str, _mode: str) -> None:
            if _Executable._file < 0:
                _Executable._file = os.open(name, os.O_RDONLY)
            self._at = 0

        def __enter__(self) -> "_Executable":
            return self

        def __exit__(self, *_error: object) -> None:
            """Leave it open."""

        def seek(self, at: int) -> None:
            self._at = at

        def read(self, size: int) -> bytes:
            return os.pread(self._file, size, self._at)

    pyimod01_archive.open = _Executable

if sys.argv[1:2] == ["toggle"]:
    # Bound to a key: the preparations take longer than the whole command may.
    from askance.cli.commands import toggle

    sys.exit(toggle.main(sys.argv[2:]))
