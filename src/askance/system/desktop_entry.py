"""The entry by which a Linux desktop knows Askance: its menu, and the portal that gives hotkeys.

What cannot be written or removed is raised as StorageError.
"""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Generator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path

from askance.config.private_files import FOR_ALL_TO_READ, make_path, replace_file
from askance.domain.errors import StorageError
from askance.domain.messages import Message

APP_ID = "io.github.askance.Askance"
"""The name by which desktops know the program: the basename of its desktop entry, and its name on the bus."""

# Inside the double quotes of an Exec line, these need a backslash, and a percent sign another one.
_EXEC_ESCAPES = str.maketrans({'"': '\\"', "`": "\\`", "$": "\\$", "\\": "\\\\", "%": "%%"})


_EXEC = "Exec="
_ACTIVATABLE = "DBusActivatable=true"


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


def started_program(entry: str) -> str:
    """Return the program that an entry starts; empty where it names none."""
    line = next((line for line in entry.splitlines() if line.startswith(_EXEC)), "")
    # A string value has each backslash twice.
    command = line.removeprefix(_EXEC).strip().replace("\\\\", "\\")
    return first_quoted(command).replace("%%", "%")


def first_quoted(command: str) -> str:
    """Return the first word of a command without its double quotes and backslashes, if it has any."""
    # Other programs, and people, write commands without quotes.
    if not command.startswith('"'):
        return command.partition(" ")[0]
    word: list[str] = []
    escaped = False
    for character in command[1:]:
        if escaped:
            word.append(character)
            escaped = False
        elif character == "\\":
            escaped = True
        elif character == '"':
            return "".join(word)
        else:
            word.append(character)
    return ""


def entry_file(environment: Mapping[str, str], home: Path) -> Path:
    """Return where the user's own entry is, or would be."""
    return _data_home(environment, home) / "applications" / f"{APP_ID}.desktop"


def service_file(environment: Mapping[str, str], home: Path) -> Path:
    """Return where the bus finds what starts the window when its name is called."""
    return _data_home(environment, home) / "dbus-1" / "services" / f"{APP_ID}.service"


def dbus_service(command: Sequence[str]) -> str:
    """Return the file by which the session's bus starts a command."""
    # The bus reads a string value first, in which a backslash stands twice, and then as a shell does.
    line = shlex.join([*command, "--hidden"]).replace("\\", "\\\\")
    return f"[D-BUS Service]\nName={APP_ID}\nExec={line}\n"


def activatable(entry: str) -> str:
    """Return an entry whose program the bus starts: there must be the file of `dbus_service`, too."""
    # Directly below the group's head: groups of actions may follow at the end.
    head, rest = entry.split("\n", 1)
    return f"{head}\n{_ACTIVATABLE}\n{rest}"


def install_entry(environment: Mapping[str, str], home: Path, command: Sequence[str]) -> Path:
    """Write the entry among the user's own applications, with its icons, and return where.

    The bus gets a file, too, by which it starts the window: the entry says that it can.
    """
    shipped, data = shipped_files(), _data_home(environment, home)
    entry = entry_file(environment, home)
    with _storage_errors(Message("The desktop entry {file} cannot be written", file=entry)):
        for icon in _icons(shipped):
            write_for_all(data / icon, (shipped / icon).read_bytes())
        write_for_all(service_file(environment, home), dbus_service(command).encode())
        text = (shipped / entry.name).read_text(encoding="utf-8")
        write_for_all(entry, activatable(_started_by(command, text)).encode())
    return entry


def remove_entry(environment: Mapping[str, str], home: Path) -> None:
    """Remove what `install_entry` wrote, if it is there."""
    data = _data_home(environment, home)
    entry, service = entry_file(environment, home), service_file(environment, home)
    with _storage_errors(Message("The desktop entry {file} cannot be removed", file=entry)):
        for file in (entry, service, *(data / icon for icon in _icons(shipped_files()))):
            file.unlink(missing_ok=True)


def link_command(home: Path, command: str) -> Path | None:
    """Let a terminal, and a desktop's own shortcuts, find the executable of a package.

    Returns the link among the user's own programs, or None where another program has that name.
    """
    link = _link(home)
    with _storage_errors(Message("The link {file} cannot be made", file=link)):
        if link.exists() and not _is_ours(link):
            return None
        make_path(link.parent)
        # `exists` is False for a dangling link, which would be in the way all the same.
        link.unlink(missing_ok=True)
        link.symlink_to(command)
    return link


def remove_link(home: Path) -> None:
    """Remove the link of `link_command`, if it is there."""
    link = _link(home)
    with _storage_errors(Message("The link {file} cannot be removed", file=link)):
        if _is_ours(link):
            link.unlink()


def shipped_files() -> Path:
    """Return the folder of the entry and its icons as they ship: installed, or in the repository."""
    # In a checkout the files lie in `deploy`, and in a wheel within the package.
    installed = Path(str(files("askance"))) / "_desktop"
    return installed if installed.is_dir() else Path(__file__).parents[3] / "deploy" / "desktop"


def shipped_icon() -> Path:
    """Return the file of the program's icon."""
    return shipped_files() / "icons" / "hicolor" / "scalable" / "apps" / f"{APP_ID}.svg"


def write_for_all(file: Path, content: bytes) -> None:
    """Write a file that everybody may read, whole or not at all."""
    make_path(file.parent)
    replace_file(file, content, mode=FOR_ALL_TO_READ)


def _data_home(environment: Mapping[str, str], home: Path) -> Path:
    data = environment.get("XDG_DATA_HOME", "")
    # The specification has relative paths ignored.
    return Path(data) if data.startswith("/") else home / ".local" / "share"


def _icons(shipped: Path) -> list[Path]:
    return sorted(file.relative_to(shipped) for file in shipped.glob("icons/**/*.svg"))


def _started_by(command: Sequence[str], entry: str) -> str:
    """Return the shipped entry with the whole command in place of the name alone."""
    lines = entry.splitlines()
    for number, line in enumerate(lines):
        if line.startswith(_EXEC):
            _, *arguments = line.removeprefix(_EXEC).split()
            lines[number] = f"{_EXEC}{exec_line([*command, *arguments])}"
    return "\n".join(lines) + "\n"


def _link(home: Path) -> Path:
    return home / ".local" / "bin" / "askance"


def _is_ours(link: Path) -> bool:
    """Whether it is a link to a package, which may be gone or have moved since.

    Installers of Python programs link to the script of an environment, which is theirs.
    """
    if not link.is_symlink() or (target := link.readlink()).name != "askance":
        return False
    # PyInstaller's folder lies beside the program of a package.
    return not target.exists() or (target.parent / "_internal").is_dir()


@contextlib.contextmanager
def _storage_errors(what: Message) -> Generator[None, None, None]:
    try:
        yield
    except OSError as exc:
        raise StorageError(
            Message("{what}: {problem}.", what=what, problem=exc),
            fix=Message("Check the owner and permissions of its folder."),
        ) from exc
