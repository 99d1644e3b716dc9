"""`askance config` and `askance menu`: how the program is set up."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, cast

from askance.cli.exits import Exit
from askance.cli.render.output import write_line
from askance.cli.shell import Shell
from askance.config.editing import DEFAULT, Setting, describe, set_value
from askance.config.renamed import RENAMED, current_name, renaming
from askance.config.schema import field_names
from askance.domain.addresses import bare_address
from askance.domain.errors import InputError
from askance.presentation.sanitizing import clean
from askance.system.desktop_entry import (
    install_entry,
    link_command,
    remove_entry,
    remove_link,
)
from askance.system.program import is_packaged, own_command


def show(shell: Shell, name: str | None) -> Exit:
    """Show one setting with all that is known of it; those of a section, or all, a line each."""
    file = shell.folders.settings_file
    section = [known for known in field_names() if known.partition(".")[0] == name]
    if name and not section:
        _note_renaming(shell, name)
        described = describe(name, file, shell.environment, shell.note)
        shell.stdout.line(clean(in_full(described)))
        return Exit.DONE
    for known in section or field_names():
        setting = describe(known, file, shell.environment, shell.note)
        origin = "" if setting.origin == DEFAULT else f"  ({setting.origin})"
        shell.stdout.line(clean(f"{setting.name} = {written(setting.value)}{origin}"))
    return Exit.DONE


def path(shell: Shell) -> Exit:
    """Show where the settings file is, or would be."""
    shell.stdout.line(str(shell.folders.settings_file))
    return Exit.DONE


def change(shell: Shell, name: str, text: str) -> Exit:
    """Write one setting into the file. An environment variable that hides it is named."""
    file = shell.folders.settings_file
    value = set_value(name, text, file)
    _note_renaming(shell, name)
    name = current_name(name)
    shell.stdout.line(clean(f"{name} = {written(value)}"))
    setting = describe(name, file, shell.environment, shell.note)
    if setting.origin not in (str(file), DEFAULT):
        shell.stdout.line(f"{setting.origin} is set, and wins over the file.")
    return Exit.DONE


def enter_menu(shell: Shell, platform: str = sys.platform) -> Exit:
    """Put the program into the menu, with its icons; that of a package among the commands, too.

    Raises:
        InputError: this desktop has no such entries.
        StorageError: the files cannot be written.
    """
    _check(platform)
    command = own_command(shell.environment)
    entry = install_entry(shell.environment, _home(shell), command)
    write_line(shell.stderr, f"Askance is in the menu now: {entry}")
    if is_packaged():
        link = link_command(_home(shell), command[0])
        note = f"The command is {link}." if link else "Another program has the name `askance`."
        write_line(shell.stderr, note)
    return Exit.DONE


def leave_menu(shell: Shell, platform: str = sys.platform) -> Exit:
    """Take the program out of the menu.

    Raises:
        InputError: this desktop has no such entries.
        StorageError: the files cannot be removed.
    """
    _check(platform)
    remove_entry(shell.environment, _home(shell))
    if is_packaged():
        remove_link(_home(shell))
    write_line(shell.stderr, "Askance is not in the menu any more.")
    return Exit.DONE


def in_full(setting: Setting) -> str:
    """Return a setting with its default, its bounds, its help and where its value comes from."""
    return "\n".join(
        [
            f"{setting.name} = {written(setting.value)}",
            f"  {setting.help}",
            f"  Allowed: {setting.allowed}. Default: {written(setting.default)}.",
            f"  From: {setting.origin}.",
        ]
    )


def written(value: Any) -> str:
    """Return a value as `config set` takes it; nothing shows as a pair of quotes."""
    match value:
        case bool():
            return str(value).lower()
        case str() if "@" in value and "://" in value:
            return bare_address(value)
        case tuple():
            return ",".join(map(str, cast("tuple[object, ...]", value))) or '""'
        case _:
            return str(value) or '""'


def _note_renaming(shell: Shell, name: str) -> None:
    if name in RENAMED:
        shell.note(renaming(name))


def _home(shell: Shell) -> Path:
    return Path(shell.environment.get("HOME") or Path.home())


def _check(platform: str) -> None:
    if platform in {"win32", "darwin"}:
        raise InputError("Only desktops of Linux have such entries.")
