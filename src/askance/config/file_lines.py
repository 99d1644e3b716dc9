"""The settings file, line by line: what is understood counts, and what is not is named and guarded."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from pydantic import ValidationError

from askance.config.choices import ALL_DAYS, AskMode, LibraryLookup, Preload
from askance.config.private_files import open_regular
from askance.config.schema import Rows, field_names, is_secret, objection, parse_name
from askance.config.settings import Bar, Settings
from askance.domain.addresses import bare_address
from askance.domain.errors import SettingsError
from askance.domain.messages import Message

TYPED = "the command line"
"""The origin of what was typed just now: an error need not say where that stands."""


def explained(exc: ValidationError, origins: Mapping[str, str]) -> SettingsError:
    """Return an error that names each refused value, and by `origins` where it stands."""
    values: dict[str, Any] = {}
    reasons: dict[str, Message] = {}
    for error in exc.errors(include_url=False):
        # A fault inside a list has its index as a third part; the setting is refused as a whole.
        section, field = map(str, error["loc"][:2])
        name = f"{section}.{field}"
        # One sentence for each setting, however many of its parts are at fault.
        values.setdefault(name, _shown(section, field, error["input"]))
        reasons.setdefault(name, objection(error, section, field))
    return SettingsError(
        Message.joined(
            *(
                _refusal(origins[name], name, repr(values[name]), reason)
                for name, reason in reasons.items()
            )
        ),
        fix=Message("`askance config show {name}` tells what it is for.", name=next(iter(reasons))),
    )


def _shown(section: str, field: str, value: Any) -> Any:
    """Return a value as it may be shown."""
    if is_secret(section, field):
        return "***"
    return bare_address(value) if isinstance(value, str) and "@" in value else value


def _refusal(origin: str, name: str, value: str, reason: Message) -> Message:
    if origin == TYPED:
        return Message(
            "{name} = {said} is not allowed: it {reason}.", name=name, said=value, reason=reason
        )
    return Message(
        "{file}: {name} = {said} is not allowed: it {reason}.",
        file=origin,
        name=name,
        said=value,
        reason=reason,
    )


@dataclass(frozen=True, slots=True)
class Strict:
    """What counts while a line of a section is not understood: `values` by the names of settings, and
    what is barred.

    Strict is what lets less leave this machine, stores less on it, and opens less to others. Where no
    value is strict, as of a proxy, what the section guards is barred altogether. Nothing that is stored
    is deleted meanwhile: where a limit of days is unclear, nothing new is stored, and all that is there
    stays.
    """

    values: Mapping[str, Any]
    bars: Bar | None = None


_NO_WEB = Strict({"search.enabled": False}, Bar.WEB)
# A section that is missing here has nothing that is stricter than its defaults.
STRICTEST: Mapping[str, Strict] = {
    "ask": Strict({"ask.mode": AskMode.CHAT.value}),
    # Not what `OLLAMA_HOST` says, which may be another machine.
    "llm": Strict({"llm.url": Settings().llm.url, "llm.preload": Preload.NEVER.value}),
    "search": _NO_WEB,
    "reader": _NO_WEB,
    # What leaves is recorded: so nothing does.
    "ledger": Strict({"ledger.keep_days": ALL_DAYS, "search.enabled": False}, Bar.WEB),
    "limits": Strict({"limits.rounds": 1}),
    "history": Strict({"history.days": 0}),
    "trace": Strict({"trace.keep": 0}),
    "cache": Strict({"cache.size_mb": 0}),
    "library": Strict(
        {
            "library.recall": LibraryLookup.ONLY.value,
            "library.watch": False,
            "library.keep_pages": False,
            "library.pages_days": 0,
        },
        Bar.FILES,
    ),
    "window": Strict({"window.offer_quotes": False, "window.notify": False}),
}
# How alike a heading must be to that of a section to be a slip of it, from 0 to 1.
_ALIKE = 0.6


def _guarded(name: str) -> set[str]:
    """Return the sections that a line which is not understood may have been meant for.

    It is the one that its heading is alike, and those that have its name: its own heading may be lost.
    A section of a newer version is alike none.
    """
    section, _, field = name.casefold().partition(".")
    # `hist.ory` is a slip, too.
    headings = (section, name.casefold().replace(".", ""))
    near = {n for h in headings for n in difflib.get_close_matches(h, STRICTEST, 1, _ALIKE)}
    # Outside any section a name has no heading.
    if not near and field:
        return set()
    return near | {n.partition(".")[0] for n in field_names() if n.endswith(f".{field or section}")}


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
        if self.held:
            names = ", ".join(self.held)
            consequences.append(
                Message("Until it is fixed, the strictest counts: {names}.", names=names)
            )
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
            # Some editors put a byte order mark in front, which `tomllib` refuses.
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
    refused: list[tuple[str, SettingsError]] = []
    understood: dict[str, Any] = {}
    for _, name, value in rows:
        try:
            _check(file, name, value)
        except SettingsError as exc:
            refused.append((name, exc))
        else:
            understood[name] = value
    # What is understood counts as it is, wherever it stands.
    given = already | set(understood)
    unread: list[UnreadLine] = []
    for name, exc in refused:
        strict = [STRICTEST[each] for each in sorted(_guarded(name)) if each in STRICTEST]
        held = {n: v for each in strict for n, v in each.values.items() if n not in given}
        understood |= held
        bars = tuple(dict.fromkeys(each.bars for each in strict if each.bars))
        unread.append(UnreadLine(name, exc.problem, exc.fix, tuple(held), bars))
    return {n: v for n, v in understood.items() if n not in already}, tuple(unread)


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
    rows: Rows = []
    for section, fields in tree.items():
        is_section = isinstance(fields, dict)
        below = cast("dict[str, Any]", fields) if is_section else {"": fields}
        rows += [
            (str(file), f"{section}.{n}" if is_section else section, v) for n, v in below.items()
        ]
    return rows
