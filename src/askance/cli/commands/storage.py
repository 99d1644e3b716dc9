"""`askance cache`, `ledger`, `logs app` and `config`: what is stored of the program itself."""

from __future__ import annotations

import dataclasses
import json
import shutil
import textwrap
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, cast

from askance.cli.exits import Exit
from askance.cli.shell import Shell
from askance.config.choices import ALL_DAYS
from askance.config.diagnostics import LogEntry, last_entries
from askance.config.editing import DEFAULT, Setting, describe, set_value
from askance.config.settings import CacheSettings, field_names
from askance.domain.addresses import bare_address
from askance.domain.characters import clean, one_line
from askance.domain.events import LedgerEntry, Sending
from askance.presentation.i18n import counted, moment_row
from askance.system.integration import set_autostart

OWN_LOG = "app"
"""What it is called beside the containers' names."""
# SearXNG tells whom it asked only afterwards: until then its engines have no names.
UNNAMED = "its engines"
_INDENT = " " * 12
_NARROWEST = 30
_MIB = 1_048_576


def show_cache(shell: Shell) -> Exit:
    """Show how many pages are kept, where, and for how long they are taken as they are."""
    in_force = shell.settings()
    settings = in_force.cache
    with shell.container() as parts:
        contents = parts.page_cache.contents()
    room = f"{contents.bytes / _MIB:.1f} of {settings.size_mb:,} MiB"
    shell.stdout.line(f"{counted(contents.pages, 'page')} kept, {room}.")
    shell.stdout.line(clean(f"File: {shell.folders.page_cache}"))
    shell.stdout.line(_use(settings))
    return Exit.DONE


def clear_cache(shell: Shell) -> Exit:
    """Forget all pages."""
    with shell.container() as parts:
        pages = parts.page_cache.clear()
    shell.stdout.line(f"{counted(pages, 'page')} forgotten.")
    return Exit.DONE


def show_ledger(shell: Shell, days: int, *, as_json: bool = False) -> Exit:
    """Show the entries of the last days, newest first; as JSON each entry as it was written."""
    with shell.container() as parts:
        # Bounded: Python has no dates before the year 1.
        since = datetime.now(UTC) - timedelta(days=min(days, ALL_DAYS))
        entries = parts.ledger.entries(since)
    if as_json:
        for entry in entries:
            shell.stdout.line(as_line(entry))
        return Exit.DONE
    span = "day" if days == 1 else f"{days:,} days"
    if not entries:
        shell.stdout.line(f"Nothing has left this machine in the last {span}, says the ledger.")
        return Exit.DONE
    shell.stdout.line(f"Everything that Askance sent out of this machine in the last {span}.")
    shell.stdout.line(clean(f"Kept for you alone in {shell.folders.ledger}."))
    width = _width(shell)
    # Reversed: the ledger has the newest first, and `folded` needs the order of sending.
    for (day, occasion), sendings in grouped(folded(entries[::-1])).items():
        shell.stdout.line()
        _paragraph(shell, f"{day}  {one_line(occasion)}", width)
        for sending in sendings:
            _paragraph(shell, ledger_as_text(sending), width)
    return Exit.DONE


def clear_ledger(shell: Shell) -> Exit:
    """Forget all entries."""
    with shell.container() as parts:
        entries = parts.ledger.clear()
    shell.stdout.line(f"{counted(entries, 'request')} forgotten.")
    return Exit.DONE


def as_line(entry: LedgerEntry) -> str:
    """Return an entry as one line of JSON."""
    return json.dumps(dataclasses.asdict(entry) | {"at": entry.at.isoformat()})


def ledger_as_text(entry: LedgerEntry) -> str:
    """Return an entry for people: local time, what, to whom, through what, and its content."""
    head = f"  {entry.at.astimezone():%H:%M:%S}  {clean(entry.sending):<5}  "
    return head + one_line(f"to {entry.to} through {entry.through}: {entry.content}")


def folded(entries: Sequence[LedgerEntry]) -> list[LedgerEntry]:
    """Return entries, the oldest first like these, with one for each query.

    A query is written down before it is sent, and again with the names of the engines that were
    asked: the names go into the earlier entry, and the later one is left out.
    """
    retained: list[LedgerEntry] = []
    unnamed: dict[tuple[str, str, str], list[int]] = {}
    for entry in entries:
        key = (entry.occasion, entry.through, entry.content)
        if entry.sending == Sending.QUERY and entry.to == UNNAMED:
            unnamed.setdefault(key, []).append(len(retained))
        elif entry.sending == Sending.QUERY and unnamed.get(key):
            place = unnamed[key].pop()
            retained[place] = dataclasses.replace(retained[place], to=entry.to)
            continue
        retained.append(entry)
    return retained


def grouped(entries: Sequence[LedgerEntry]) -> dict[tuple[str, str], list[LedgerEntry]]:
    """Return entries, the oldest first like these, by local day and occasion; the newest group first."""
    groups: dict[tuple[str, str], list[LedgerEntry]] = {}
    for entry in reversed(entries):
        key = (f"{entry.at.astimezone():%Y-%m-%d}", entry.occasion)
        groups.setdefault(key, []).append(entry)
    return {key: group[::-1] for key, group in groups.items()}


def show_log(shell: Shell, lines: int) -> Exit:
    """Show the last lines, the newest last."""
    entries = last_entries(shell.folders.log, lines)
    for entry in entries:
        shell.stdout.line(log_as_text(entry))
    if not entries:
        shell.stdout.line(clean(f"Nothing is logged yet. It would stand in {shell.folders.log}."))
    return Exit.DONE


def log_as_text(entry: LogEntry) -> str:
    """Return an entry for people: local time, level, where, what, and its details."""
    return f"{moment_row(entry.time, seconds=True)}  {one_line(entry.full_text)}"


def _use(settings: CacheSettings) -> str:
    if not settings.size_mb:
        return "It is switched off (cache.size_mb): no page is taken from it, none is added."
    return "A page is taken as it is for an hour; after that its server is asked for changes."


def _paragraph(shell: Shell, text: str, width: int) -> None:
    """Write a text on one line, or on a terminal on as many as it takes, the further ones indented."""
    if not width:
        shell.stdout.line(text)
        return
    wrapper = textwrap.TextWrapper(
        width, subsequent_indent=_INDENT, drop_whitespace=True, break_on_hyphens=False
    )
    for line in wrapper.wrap(text):
        shell.stdout.line(line)


def _width(shell: Shell) -> int:
    """The columns of the terminal, or 0 where lines are not broken."""
    columns = shutil.get_terminal_size((0, 0)).columns if shell.stdout.isatty() else 0
    return max(columns, _NARROWEST) if columns else 0


# `askance config`: the settings, shown and changed.

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
