"""The settings file, line by line: what is understood counts, and what is not is named and guarded."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from pydantic import ValidationError

from askance.config.refusals import explained
from askance.config.regular_files import open_regular
from askance.config.renamed import Rows
from askance.config.schema import field_names, parse_name
from askance.config.settings import Bar, Settings
from askance.config.strictest import STRICTEST, meant
from askance.domain.errors import SettingsError
from askance.domain.messages import Message

Values = dict[str, dict[str, Any]]
"""Values by section and field."""


@dataclass(frozen=True, slots=True)
class UnreadLine:
    """A line of the settings file that is not understood. It stays there, and does not count.

    `held` are the settings that it may have been meant for: their strictest value is in force.
    """

    name: str
    problem: Message
    fix: str
    held: tuple[str, ...]
    barred: tuple[Bar, ...]

    @property
    def message(self) -> Message:
        """What is not understood, what to do about it, and what counts until then."""
        return Message.joined(self.problem, self.fix, self.meanwhile)

    @property
    def meanwhile(self) -> str:
        """What counts until the line is fixed; nothing where that changes nothing."""
        consequences = [_MEANWHILE[bar] for bar in self.barred]
        if self.held and not consequences:
            names = ", ".join(self.held)
            consequences = [
                Message("Until it is fixed, the strictest counts: {names}.", names=names)
            ]
        return Message.joined(*consequences) if consequences else ""


_MEANWHILE = {
    Bar.WEB: Message("Nothing goes to the web until it is fixed."),
    Bar.FILES: Message("No folder is read until it is fixed."),
}


def read_text(file: Path) -> str:
    """Return the text of the settings file with its own line ends; "" where there is none.

    Raises:
        SettingsError: it cannot be read, or is not UTF-8.
    """
    try:
        with open_regular(file) as opened:
            return opened.read().decode("utf-8-sig")
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError as exc:
        raise SettingsError(
            Message(
                "The settings file {file} is not UTF-8: {problem} at byte {n}.",
                file=file,
                problem=exc.reason,
                n=exc.start,
            ),
            fix=Message("Save it as UTF-8 in your editor."),
        ) from exc
    except OSError as exc:
        raise SettingsError(
            Message("The settings file {file} cannot be read: {problem}.", file=file, problem=exc)
        ) from exc


def take_file(
    file: str, rows: Rows, stronger: Values
) -> tuple[dict[str, Any], tuple[UnreadLine, ...]]:
    """Return what the file sets that `stronger` sources do not, and what is not understood of it."""
    already = {f"{section}.{field}" for section, fields in stronger.items() for field in fields}
    refused: list[tuple[str, Any, SettingsError]] = []
    understood: dict[str, Any] = {}
    for _, name, value in rows:
        try:
            _check(file, name, value)
        except SettingsError as exc:
            refused.append((name, value, exc))
        else:
            understood[name] = value
    given = already | set(understood)
    unread: list[UnreadLine] = []
    for name, value, exc in refused:
        strict = [STRICTEST[each] for each in _guarded(name, value, given)]
        held = {n: v for each in strict for n, v in each.values.items() if n not in already}
        understood |= held
        bars = tuple(dict.fromkeys(each.bars for each in strict if each.bars))
        unread.append(UnreadLine(name, exc.problem, exc.fix, tuple(held), bars))
    return {n: v for n, v in understood.items() if n not in already}, tuple(unread)


def _guarded(name: str, value: Any, given: Collection[str]) -> list[str]:
    """Return the settings whose strictest value is to count for a line that is not understood."""
    itself = [name] if name in STRICTEST and name not in given else []
    return itself + meant(name, value, {*given, *itself})


def _check(file: str, name: str, value: Any) -> None:
    if "." not in name:
        raise SettingsError(
            Message("{file}: {name} stands outside any section.", file=file, name=repr(name)),
            fix=Message("Put it under its section's heading, such as [llm]."),
        )
    try:
        section, field = parse_name(name)
    except SettingsError as exc:
        problem = Message("{origin}: {problem}", origin=file, problem=exc.problem)
        raise SettingsError(problem, fix=exc.fix) from exc
    try:
        Settings.model_validate({section: {field: value}})
    except ValidationError as exc:
        raise explained(exc, {name: file}) from exc


def rows_of_file(file: Path) -> Rows:
    """Return what the settings file sets, whether that is understood or not.

    Raises:
        SettingsError: it cannot be read, or is no TOML.
    """
    try:
        tree = tomllib.loads(read_text(file))
    except tomllib.TOMLDecodeError as exc:
        raise SettingsError(
            Message(
                "The settings file {file} is not valid TOML: {problem}.", file=file, problem=exc
            ),
            fix=Message("Fix that line, or move the file away to start with the defaults."),
        ) from exc
    return [(str(file), name, value) for name, value in _leaves("", tree)]


def _leaves(above: str, tree: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield what a tree sets, under dotted names; a name that is a setting's is not looked into."""
    for key, value in tree.items():
        name = f"{above}.{key}" if above else key
        if name in field_names():
            yield name, value
        elif isinstance(value, dict) and value:
            yield from _leaves(name, cast("dict[str, Any]", value))
        elif _is_tables(value):
            for table in cast("list[dict[str, Any]]", value):
                yield from _leaves(f"[[{name}]]", table)
        elif not (isinstance(value, dict) and name in Settings.model_fields):
            yield name, value


def _is_tables(value: Any) -> bool:
    several = cast("list[object]", value) if isinstance(value, list) else []
    return bool(several) and all(isinstance(each, dict) for each in several)
