"""`askance menu`, `autostart`, `update` and `uninstall`: what the system has of this installation."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

from askance import __version__
from askance.app.checks.installation_check import OpenUpdates, open_updates
from askance.cli.exits import Exit, run_async, write_line
from askance.cli.shell import Shell
from askance.config.editing import set_value
from askance.domain.characters import clean
from askance.domain.errors import AskanceError, InputError
from askance.system.installation import InstallKind, find_installation
from askance.system.integration import (
    AUTOSTART,
    SERVER,
    ServerUnit,
    SystemEntry,
    menu_entry,
    set_autostart,
    system_entries,
)
from askance.system.program import own_command

AUTOSTART_SETTING = "window.autostart"
_WINDOW = "window"


def set_menu(shell: Shell, *, wanted: bool, platform: str = sys.platform) -> Exit:
    """Put the program into the menu, that of a package among the commands, too; or take it out.

    Raises:
        InputError: this desktop has no such entries.
        StorageError: the files cannot be changed.
    """
    if platform in {"win32", "darwin"}:
        raise InputError("Only desktops of Linux have such entries.")
    installation = find_installation(shell.environment)
    # These packages bring an entry of their own: a second one would show the program twice.
    if wanted and installation.kind in {InstallKind.FLATPAK, InstallKind.DEB}:
        write_line(shell.stderr, f"{installation.name} has put it into the menu.")
        return Exit.DONE
    entry = menu_entry(shell.environment, _home(shell))
    if wanted:
        entry.write()
    else:
        entry.remove()
    _reload_bus(shell)
    where = f"in the menu now: {entry.place}" if wanted else "not in the menu any more."
    write_line(shell.stderr, f"Askance is {where}")
    return Exit.DONE


def set_start(shell: Shell, what: str, *, wanted: bool) -> Exit:
    """Have the window, or the server, started at login, or no longer.

    Raises:
        InputError: the system does not offer that, or does not allow it.
        StorageError: its entry cannot be changed.
    """
    if what != _WINDOW:
        unit = _server_unit(shell)
        if wanted:
            unit.turn_on()
            write_line(shell.stderr, f"The server runs, and starts at login: {unit.place}")
            write_line(
                shell.stderr,
                "It ends when you log out; `loginctl enable-linger` lets it run without a login.",
            )
        else:
            unit.turn_off()
            write_line(shell.stderr, "The server does not start at login.")
        return Exit.DONE
    # The entry before the setting: where the system refuses it, the setting must stay off.
    set_autostart(wanted, shell.environment)
    set_value(AUTOSTART_SETTING, str(wanted).lower(), shell.folders.settings_file)
    write_line(shell.stderr, f"The window {'starts' if wanted else 'does not start'} at login.")
    return Exit.DONE


def show_start(shell: Shell) -> Exit:
    """Say what starts at login, and what of it leads nowhere."""
    entries = {entry.name: entry for entry in system_entries(shell.environment)}
    if AUTOSTART in entries:
        shell.stdout.line(_start_line("window", entries[AUTOSTART], "askance autostart on"))
    else:
        wanted = shell.settings().window.autostart
        shell.stdout.line(
            f"window: {'on' if wanted else 'off'} (the desktop's portal has the entry)"
        )
    if SERVER in entries:
        shell.stdout.line(_start_line("server", entries[SERVER], "askance autostart on server"))
    return Exit.DONE


def look_for_updates(shell: Shell, *, opener: OpenUpdates = open_updates) -> Exit:
    """Ask once which versions there are, and say how this installation gets the newest.

    Raises:
        ServiceError: no list came.
    """
    settings = shell.settings()
    newer = run_async(opener(settings, shell.folders).now()).newer(__version__)
    if newer:
        shell.stdout.line(f"Askance {newer[0].version} is available; this is {__version__}.")
        for release in newer:
            shell.stdout.line()
            shell.stdout.line(release.version)
            for line in release.changes.splitlines():
                shell.stdout.line(clean(f"  {line}".rstrip()))
        shell.stdout.line()
        shell.stdout.line(clean(find_installation(shell.environment).update_to(newer[0].version)))
    else:
        shell.stdout.line(f"This is the newest version, {__version__}.")
    if not settings.updates.weekly:
        write_line(shell.stderr, "`askance config set updates.weekly true` asks once a week.")
    return Exit.DONE


def uninstall(shell: Shell) -> Exit:
    """Remove what the program has put into the system, and say what stays."""
    failures = 0
    for entry in system_entries(shell.environment):
        # A broken entry counts as not there, but its file must be removed, too.
        there = entry.is_there or Path(entry.place).exists()
        try:
            entry.remove()
        except AskanceError as exc:
            # Go on with the others; the exit code says that something was left.
            failures += 1
            write_line(shell.stderr, str(exc))
        else:
            if there:
                shell.stdout.line(clean(f"Removed: {entry.name} ({entry.place})"))
    _reload_bus(shell)
    # A settings file that is not understood stays as it is.
    with suppress(AskanceError):
        if shell.settings().window.autostart:
            set_value(AUTOSTART_SETTING, "false", shell.folders.settings_file)
    folders = shell.folders
    if any(folders.services.glob("*")):
        shell.stdout.line("The containers stay: `askance down --volumes` removes them.")
    stays = [str(f) for f in (folders.config, folders.data, folders.cache) if f.is_dir()]
    if stays:
        shell.stdout.line(clean(f"Your data stays; delete it yourself: {', '.join(stays)}"))
    name = find_installation(shell.environment).name
    shell.stdout.line(f"What has installed the program removes it: {name}.")
    return Exit.SERVICE_FAILED if failures else Exit.DONE


def _start_line(name: str, entry: SystemEntry, command: str) -> str:
    if not entry.is_there:
        return f"{name}: off"
    if entry.is_broken:
        return clean(f"{name}: on, but {entry.program} is gone; `{command}` writes the entry again")
    return clean(f"{name}: on ({entry.place})")


def _server_unit(shell: Shell, platform: str = sys.platform) -> ServerUnit:
    if platform != "linux" or find_installation(shell.environment).kind is InstallKind.FLATPAK:
        raise InputError(
            "Only systemd starts the server at login, and not that of a Flatpak.",
            fix="`askance serve` runs it.",
        )
    return ServerUnit(shell.environment, _home(shell), own_command(shell.environment))


def _reload_bus(shell: Shell) -> None:
    """Have the bus look for its services again: it may not watch a folder that is new."""
    if sys.platform != "linux":
        return
    from askance.system.session_bus import reload_services  # noqa: PLC0415 - only Linux has a bus

    run_async(reload_services(shell.environment))


def _home(shell: Shell) -> Path:
    return Path(shell.environment.get("HOME") or Path.home())
