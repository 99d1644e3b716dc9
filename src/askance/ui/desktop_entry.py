"""The entry by which a Linux desktop knows Askance: its menu, and the portal that gives hotkeys."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from askance.domain.errors import StoreUnusable

APP_ID = "io.github.askance.Askance"
"""The name by which desktops know the program: the basename of its desktop entry."""

# Inside the double quotes of an Exec line, these need a backslash, and a percent sign another one.
_EXEC_ESCAPES = str.maketrans({'"': '\\"', "`": "\\`", "$": "\\$", "\\": "\\\\", "%": "%%"})


def desktop_entry(command: Sequence[str], more: Sequence[str] = ()) -> str:
    """Return the text of an entry that starts a command."""
    lines = (
        "[Desktop Entry]",
        "Type=Application",
        "Name=Askance",
        "Comment=Ask, and check the answer",
        f"Exec={exec_line(command)}",
        f"Icon={APP_ID}",
        "Terminal=false",
        *more,
    )
    return "\n".join(lines) + "\n"


def exec_line(command: Sequence[str]) -> str:
    """Return a command as the Desktop Entry specification has it in an Exec line.

    The quoting of the line stands inside a string value, where a backslash is written twice.
    """
    return " ".join(
        '"' + part.translate(_EXEC_ESCAPES).replace("\\", "\\\\") + '"' for part in command
    )


def is_installed(environment: Mapping[str, str], home: Path) -> bool:
    """Whether the desktop finds an entry of Askance among its applications."""
    folders = environment.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share"
    roots = (_data_home(environment, home), *map(Path, filter(None, folders.split(":"))))
    return any((root / "applications" / f"{APP_ID}.desktop").is_file() for root in roots)


def install_entry(environment: Mapping[str, str], home: Path, command: Sequence[str]) -> Path:
    """Write the entry among the user's own applications, and return where.

    Raises:
        StoreUnusable: it cannot be written.
    """
    file = _data_home(environment, home) / "applications" / f"{APP_ID}.desktop"
    more = ("Categories=Utility;", "StartupNotify=true", f"StartupWMClass={APP_ID}")
    try:
        replace_file(file, desktop_entry(command, more).encode())
    except OSError as exc:
        raise StoreUnusable(
            f"The desktop entry {file} cannot be written: {exc.strerror or exc}.",
            fix="Look at the owner and permissions of its folder.",
        ) from exc
    return file


def replace_file(file: Path, content: bytes) -> None:
    """Write a file that everybody may read, whole or not at all.

    Raises:
        OSError: it cannot be written; nothing was changed.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
    fresh = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
        fresh.chmod(0o644)
        fresh.replace(file)
    except OSError:
        with contextlib.suppress(OSError):
            fresh.unlink()
        raise


def _data_home(environment: Mapping[str, str], home: Path) -> Path:
    data = environment.get("XDG_DATA_HOME", "")
    # The specification has relative paths ignored.
    return Path(data) if data.startswith("/") else home / ".local" / "share"
