"""`askance config`: the settings, shown and changed."""

from __future__ import annotations

from typing import Any, cast

from askance.cli.exits import Exit
from askance.cli.shell import Shell
from askance.config.settings import field_names
from askance.config.sources import DEFAULT, Setting, describe, set_value
from askance.domain.addresses import bare_address
from askance.domain.characters import clean
from askance.system.integration import set_autostart

# Setting it also writes or removes the desktop's entry for the start at login.
_AUTOSTART = "window.autostart"


def show_settings(shell: Shell, name: str | None) -> Exit:
    """Show one setting with all that is known of it; those of a section, or all, a line each."""
    file = shell.folders.settings_file
    # The name of a section, such as `search`, stands for all of its settings.
    section = [known for known in field_names() if known.partition(".")[0] == name]
    if name and not section:
        described = describe(name, file, shell.environment, shell.note)
        shell.stdout.line(clean(in_full(described)))
        return Exit.DONE
    for known in section or field_names():
        setting = describe(known, file, shell.environment, shell.note)
        origin = "" if setting.origin == DEFAULT else f"  ({setting.origin})"
        shell.stdout.line(clean(f"{setting.name} = {written(setting.value)}{origin}"))
    return Exit.DONE


def settings_path(shell: Shell) -> Exit:
    """Show where the settings file is, or would be."""
    shell.stdout.line(str(shell.folders.settings_file))
    return Exit.DONE


def change_setting(shell: Shell, name: str, text: str) -> Exit:
    """Write one setting into the file. An environment variable that hides it is named."""
    file = shell.folders.settings_file
    value = set_value(name, text, file)
    if name == _AUTOSTART:
        set_autostart(value is True, shell.environment)
    shell.stdout.line(clean(f"{name} = {written(value)}"))
    setting = describe(name, file, shell.environment, shell.note)
    if setting.origin not in (str(file), DEFAULT):
        shell.stdout.line(f"{setting.origin} is set, and wins over the file.")
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
        # TOML writes booleans in lower case, and `str` would give True.
        case bool():
            return str(value).lower()
        # What stands before the sign may be a password, which is never shown.
        case str() if "@" in value and "://" in value:
            return bare_address(value)
        case tuple():
            return ",".join(map(str, cast("tuple[object, ...]", value))) or '""'
        case _:
            return str(value) or '""'
