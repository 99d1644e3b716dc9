"""The settings file, line by line: what is understood counts, and what is not is named and guarded."""

from __future__ import annotations

import difflib
import operator
import tomllib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel, ValidationError

from askance.config.choices import ALL_DAYS, AskMode, Consent, LibraryLookup, Preload, ReaderMode
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


# What counts for a setting that the file sets in a way that is not understood: the strictest value.
#
# Strict is what lets less leave this machine, keeps less on it, and opens less to others. A setting
# whose default is its strictest value needs no row here. Where no value is strict, as of a proxy,
# what it guards is barred altogether. Nothing that was stored is deleted for a line that is not
# understood: where a limit of days or of number is unclear, nothing new is stored, and all that is
# there stays.

# How alike two names must be for one to be a slip of the other, from 0 to 1.
_ALIKE = 0.7
# Fields that a section of a newer version may well have, too, and mean something else by it.
_COMMON = frozenset({"llm.url", "search.url", "reader.url", "ledger.keep_days"})


@dataclass(frozen=True, slots=True)
class Strict:
    """What counts instead: `values` by the names of settings, and what is barred.

    `is_stricter` tells whether a value is stricter than the default.
    """

    values: Mapping[str, Any]
    is_stricter: Callable[[Any, Any], bool] = operator.ne
    bars: Bar | None = None
    is_free_text: bool = False
    """Any text or address is a value of it: a line of another name is not taken for one of it."""


_NO_WEB = Strict({"search.enabled": False}, bars=Bar.WEB, is_free_text=True)


STRICTEST: Mapping[str, Strict] = {
    "ask.mode": Strict({"ask.mode": AskMode.CHAT.value}),
    # Not what `OLLAMA_HOST` says, which may be another machine.
    "llm.url": Strict({"llm.url": Settings().llm.url}),
    "llm.preload": Strict(
        {"llm.preload": Preload.NEVER.value}, lambda value, _: value is Preload.NEVER
    ),
    "search.enabled": Strict({"search.enabled": False}),
    "search.url": _NO_WEB,
    "search.engines": _NO_WEB,
    "search.safesearch": Strict({"search.safesearch": 2}, operator.gt),
    "search.proxy": _NO_WEB,
    "search.in_process": Strict(
        {"search.in_process": Consent.REFUSED.value}, lambda value, _: value is Consent.REFUSED
    ),
    "reader.mode": Strict(
        {"reader.mode": ReaderMode.CONTAINER_ONLY.value},
        lambda value, _: value in {ReaderMode.CONTAINER, ReaderMode.CONTAINER_ONLY},
    ),
    "reader.url": _NO_WEB,
    "reader.proxy": _NO_WEB,
    "limits.rounds": Strict({"limits.rounds": 1}, operator.lt),
    "trace.keep": Strict({"trace.keep": 0}, operator.lt),
    "cache.size_mb": Strict({"cache.size_mb": 0}, operator.lt),
    # What leaves is recorded: so nothing does.
    "ledger.keep_days": Strict(
        {"ledger.keep_days": ALL_DAYS, "search.enabled": False}, operator.lt, Bar.WEB
    ),
    "history.days": Strict({"history.days": 0}, operator.lt),
    "library.exclude": Strict({"library.watch": False}, bars=Bar.FILES, is_free_text=True),
    "library.recall": Strict(
        {"library.recall": LibraryLookup.ONLY.value}, lambda value, _: value is LibraryLookup.ONLY
    ),
    "library.keep_pages": Strict({"library.keep_pages": False}),
    "library.pages_days": Strict(
        {"library.keep_pages": False, "library.pages_days": 0}, operator.lt
    ),
    "window.hotkey": Strict({"window.hotkey": ""}, is_free_text=True),
    "window.offer_quotes": Strict({"window.offer_quotes": False}),
    "window.notify": Strict({"window.notify": False}),
}


def accepted(name: str, value: Any) -> tuple[bool, Any]:
    """Return whether a setting may be this, and the value as it is in force then."""
    section, _, field_name = name.partition(".")
    try:
        # Validated by itself: other lines of the file may be wrong as well.
        made = Settings.model_validate({section: {field_name: value}})
    except ValidationError:
        return False, None
    return True, getattr(getattr(made, section), field_name)


def meant(name: str, value: Any, given: Iterable[str]) -> list[str]:
    """Return which settings of this table a name that nobody knows may stand for.

    Not those that are `given` elsewhere. A name that is like another may be a slip of it: then it
    stands for that whatever its value is, unless that is as loose as the default. Under another
    heading, or in another line of its section, a value must be a stricter one of the setting. So it is
    for a line of a known name with a value that it may not have: its heading may be lost.
    """
    return [
        known
        for known, strict in STRICTEST.items()
        if known not in given and _may_stand_for(name, value, known, strict)
    ]


def _may_stand_for(name: str, value: Any, known: str, strict: Strict) -> bool:
    is_value, read = accepted(known, value)
    is_stricter = is_value and strict.is_stricter(read, _default(known))
    is_known = name in field_names()
    # All names here are in lower case: a heading in capitals is a slip like any other.
    name = name.casefold()
    section, dot, field_name = name.rpartition(".")
    section = section if dot else name
    of_section, _, of_field = known.partition(".")
    if is_known:
        return is_stricter and field_name == of_field and known not in _COMMON
    # A name of one part or of three has no section that could be compared by itself.
    is_slip = _is_like(name, known) if name.count(".") != 1 else _is_slip(name, known)
    if is_slip:
        return is_stricter or not is_value
    if field_name == of_field:
        return is_stricter and known not in _COMMON
    return is_stricter and section == of_section and not strict.is_free_text


def _is_slip(name: str, known: str) -> bool:
    section, _, field_name = name.partition(".")
    of_section, _, of_field = known.partition(".")
    return _is_like(section, of_section) and _is_like(field_name, of_field)


def _is_like(name: str, known: str) -> bool:
    return difflib.SequenceMatcher(None, name, known).ratio() >= _ALIKE


def _default(name: str) -> Any:
    section, _, field_name = name.partition(".")
    of_section = cast("type[BaseModel]", Settings.model_fields[section].annotation)
    return of_section.model_fields[field_name].default


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
        # What the command line or the environment sets was understood, and counts as it is.
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
                # So written that it is no setting's name: tables in a list set nothing.
                yield from _leaves(f"[[{name}]]", table)
        # A section's heading with nothing below it sets nothing, and is no mistake.
        elif not (isinstance(value, dict) and name in Settings.model_fields):
            yield name, value


def _is_tables(value: Any) -> bool:
    several = cast("list[object]", value) if isinstance(value, list) else []
    return bool(several) and all(isinstance(each, dict) for each in several)
