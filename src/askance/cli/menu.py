"""`askance menu`: the entry in the menu of a Linux desktop."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from askance.adapters.system.program import is_packaged, own_command
from askance.cli.endings import Exit, say
from askance.cli.shell import Shell
from askance.domain.errors import InputError


def enter(shell: Shell, platform: str = sys.platform) -> Exit:
    """Put the program into the menu, with its icons; that of a package among the commands, too.

    Raises:
        InputError: this desktop has no such entries.
        StoreUnusable: the files cannot be written.
    """
    entries = _entries(platform)
    command = own_command(shell.environment)
    entry: Path = entries.install_entry(shell.environment, _home(shell), command)
    say(shell.stderr, f"Askance is in the menu now: {entry}")
    if is_packaged():
        link: Path | None = entries.link_command(_home(shell), command[0])
        said = f"The command is {link}." if link else "Another program has the name `askance`."
        say(shell.stderr, said)
    return Exit.DONE


def leave(shell: Shell, platform: str = sys.platform) -> Exit:
    """Take the program out of the menu.

    Raises:
        InputError: this desktop has no such entries.
        StoreUnusable: the files cannot be removed.
    """
    entries = _entries(platform)
    entries.remove_entry(shell.environment, _home(shell))
    if is_packaged():
        entries.remove_link(_home(shell))
    say(shell.stderr, "Askance is not in the menu any more.")
    return Exit.DONE


def _home(shell: Shell) -> Path:
    return Path(shell.environment.get("HOME") or Path.home())


def _entries(platform: str) -> Any:
    if platform in {"win32", "darwin"}:
        raise InputError("Only desktops of Linux have such entries.")
    # By name: the command line and the window do not know each other.
    return import_module("askance.ui.shell.desktop_entry")
