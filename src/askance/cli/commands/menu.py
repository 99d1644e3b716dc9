"""`askance menu`: the entry in the menu of a Linux desktop."""

from __future__ import annotations

import sys
from pathlib import Path

from askance.adapters.desktop.desktop_entry import (
    install_entry,
    link_command,
    remove_entry,
    remove_link,
)
from askance.adapters.system.program import is_packaged, own_command
from askance.cli.endings import Exit
from askance.cli.render.output import say
from askance.cli.shell import Shell
from askance.domain.errors import InputError


def enter(shell: Shell, platform: str = sys.platform) -> Exit:
    """Put the program into the menu, with its icons; that of a package among the commands, too.

    Raises:
        InputError: this desktop has no such entries.
        StoreUnusable: the files cannot be written.
    """
    _check(platform)
    command = own_command(shell.environment)
    entry = install_entry(shell.environment, _home(shell), command)
    say(shell.stderr, f"Askance is in the menu now: {entry}")
    if is_packaged():
        link = link_command(_home(shell), command[0])
        said = f"The command is {link}." if link else "Another program has the name `askance`."
        say(shell.stderr, said)
    return Exit.DONE


def leave(shell: Shell, platform: str = sys.platform) -> Exit:
    """Take the program out of the menu.

    Raises:
        InputError: this desktop has no such entries.
        StoreUnusable: the files cannot be removed.
    """
    _check(platform)
    remove_entry(shell.environment, _home(shell))
    if is_packaged():
        remove_link(_home(shell))
    say(shell.stderr, "Askance is not in the menu any more.")
    return Exit.DONE


def _home(shell: Shell) -> Path:
    return Path(shell.environment.get("HOME") or Path.home())


def _check(platform: str) -> None:
    if platform in {"win32", "darwin"}:
        raise InputError("Only desktops of Linux have such entries.")
