"""The first thing that the packaged program runs, before PyInstaller's own preparations."""

import os
import sys

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

if sys.argv[1:2] == ["toggle"]:
    # Bound to a key: the preparations take longer than the whole command may.
    from askance.cli.commands import toggle

    sys.exit(toggle.main(sys.argv[2:]))
