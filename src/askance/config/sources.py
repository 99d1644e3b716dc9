"""Settings from their three sources: TOML file < environment `ASKANCE_SECTION__FIELD` < command line.

Of the file each line that is understood counts, whatever the others are. Also what else the environment says: an input
method, the proxy that it names, Ollama's address.
"""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

from pydantic import ValidationError

from askance.config.choices import ALL_DAYS, AskMode, LibraryLookup, Preload, proxy_address
from askance.config.folders import MOUNTED_TOKENS
from askance.config.private_files import (
    open_regular,
)
from askance.config.settings import (
    Bar,
    Note,
    Rows,
    Settings,
    field_names,
    is_secret,
    objection,
    parse_name,
    written_value,
)
from askance.domain.addresses import bare_address
from askance.domain.errors import SettingsError
from askance.domain.events import ignore
from askance.domain.messages import FixKind, Message

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
    section, field = _parse_name(name, file)
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


BESIDE_INPUT_METHOD = "Ctrl+Alt+Space"
"""The hotkey where an input method runs, which is switched on with the default one."""
OLLAMA_HOST = "OLLAMA_HOST"
"""The variable in which Ollama's own programs look for its address."""
_PORT = 11434
_PORTS = {"http": 80, "https": 443}
_LOOPBACK = {4: "127.0.0.1", 6: "::1"}
PREFIX = "ASKANCE_"
NOT_SETTINGS = frozenset({
    "ASKANCE_HOME", "ASKANCE_SEARXNG_IMAGE", "ASKANCE_PYTHON_IMAGE", "ASKANCE_SERVER_PORT",
    "ASKANCE_SERVER_HOSTS", "ASKANCE_SERVER_LLM_API", "ASKANCE_SERVER_LLM_URL",
    "ASKANCE_SERVER_LLM_MODEL", "ASKANCE_SERVER_QDRANT_URL", *MOUNTED_TOKENS,
})  # fmt: skip
"""Variables that are no settings: the home, and for the containers which images they are made of, and what
the server's is given."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """The settings in force, for each `section.field` that was set by what it was, and the lines of
    the file that are not understood."""

    settings: Settings
    origins: Mapping[str, str]
    unread: tuple[UnreadLine, ...]


def load_settings(
    file: Path | None,
    environment: Mapping[str, str],
    overrides: Mapping[str, Any] | None = None,
    note: Note = ignore,
) -> Settings:
    """Return the settings in force. `overrides` maps `section.field` to values, and wins.

    Without a file, the environment and the defaults count. Lines of the file that are not understood
    do not count, and `note` is called for each: what they may have been meant for has its strictest
    value until they are fixed.

    Raises:
        SettingsError: the file cannot be read or is no TOML; or the environment or `overrides` name
            an unknown setting, or have a value that is out of bounds. The message names the source.
    """
    return load(file, environment, overrides, note).settings


def load(
    file: Path | None,
    environment: Mapping[str, str],
    overrides: Mapping[str, Any] | None = None,
    note: Note = ignore,
) -> Loaded:
    """Return all that is known of the settings in force. See `load_settings`.

    The origin is the path of the file, the name of the environment variable, or "the command line".
    Where nothing sets `llm.url`, Ollama's own variable `OLLAMA_HOST` takes the place of its default;
    where nothing sets `window.hotkey` and an input method is asked for, its default is another one.
    """
    origins: dict[str, str] = {}
    values: Values = {}
    typed = [(TYPED, name, value) for name, value in (overrides or {}).items()]
    # The weaker source first: what is typed takes its place.
    for origin, name, value in (*_from_environment(environment), *typed):
        _put(values, origins, name, value, origin)
    unread: tuple[UnreadLine, ...] = ()
    if file is not None:
        understood, unread = take_file(str(file), rows_of_file(file), values)
        for name, value in understood.items():
            _put(values, origins, name, value, str(file))
    for line in unread:
        note(line.message)
    # Where Ollama was given another address, it need not be set here as well.
    if "llm.url" not in origins and (address := address_of_ollama(environment)):
        _put(values, origins, "llm.url", address, OLLAMA_HOST)
    # Ctrl+Space, the window's default, switches fcitx and others on.
    if "window.hotkey" not in origins and (variable := asked_input_method(environment)[0]):
        _put(values, origins, "window.hotkey", BESIDE_INPUT_METHOD, variable)
    try:
        settings = Settings.model_validate(values)
    except ValidationError as exc:
        raise explained(exc, origins) from exc
    if unread:
        barred = {bar: line.message for line in unread for bar in line.barred}
        settings = settings.guarded(barred, [name for line in unread for name in line.held])
    return Loaded(settings, origins, unread)


def strictest_settings(file: Path | None, environment: Mapping[str, str], why: Message) -> Settings:
    """Return settings for a program that goes on where they cannot be read: all that guards something
    is at its strictest, and nothing is done with them, for that reason.

    What can be read of the file and of the environment decides how the program looks.
    """
    held = {n: v for strict in STRICTEST.values() for n, v in strict.values.items()}
    found = _first_readable((file, environment), (None, environment), (file, {}), (None, {}))
    readable, variables, origins = found
    # What a variable sets was understood, and set for this start: it counts.
    strict = {n: v for n, v in held.items() if origins.get(n) not in variables}
    settings = load(readable, variables, strict).settings
    return settings.guarded(dict.fromkeys(Bar, why), held)


def _first_readable(
    *sources: tuple[Path | None, Mapping[str, str]],
) -> tuple[Path | None, Mapping[str, str], Mapping[str, str]]:
    """Return the first sources that can be read, and the origins of what they set."""
    for file, environment in sources:
        # The caller puts the pair first that keeps most of what the user has set.
        with suppress(SettingsError):
            return file, environment, load(file, environment).origins
    raise AssertionError("without any source there is nothing to misread")


def address_of_ollama(environment: Mapping[str, str]) -> str:
    """Return the address that `OLLAMA_HOST` gives, "" where it is not set or gives none.

    It is read as Ollama reads it: the scheme, the host or the port may be missing, and the port
    of an address with a scheme is that of its scheme. Where Ollama listens on every address of its
    machine, it is asked on loopback.
    """
    value = environment.get(OLLAMA_HOST, "").strip().strip("\"'")
    if not value:
        return ""
    scheme, mark, rest = value.partition("://")
    if not mark:
        scheme, rest = "http", value
    if scheme not in _PORTS:
        return ""
    # A bare IPv6 address, which Ollama takes without brackets.
    if rest.count(":") > 1 and not rest.startswith("["):
        rest = f"[{rest}]"
    try:
        parts = urlsplit(f"{scheme}://{rest}")
        port = parts.port or (_PORTS[scheme] if mark else _PORT)
    except ValueError:
        return ""
    host = _reachable(parts.hostname or "")
    return f"{scheme}://{host}:{port}{parts.path.rstrip('/')}"


def _put(values: Values, origins: dict[str, str], name: str, value: object, origin: str) -> None:
    section, field = _parse_name(name, origin)
    values.setdefault(section, {})[field] = value
    origins[name] = origin


def _parse_name(name: str, origin: str) -> tuple[str, str]:
    """Split `section.field`; the SettingsError of an unknown name says where it stands."""
    try:
        return parse_name(name)
    except SettingsError as exc:
        if origin == TYPED:
            raise
        problem = Message("{origin}: {problem}", origin=origin, problem=exc.problem)
        raise SettingsError(problem, fix=exc.fix) from exc


def _from_environment(environment: Mapping[str, str]) -> Rows:
    rows: Rows = []
    # Sorted, so that of several faults the same one is reported each time.
    for variable in sorted(environment):
        if not variable.startswith(PREFIX) or variable in NOT_SETTINGS:
            continue
        section, separator, field = variable.removeprefix(PREFIX).lower().partition("__")
        name = f"{section}.{field}" if separator else section
        text = environment[variable]
        # Bytes that are no UTF-8 arrive as lone surrogates, which nothing can write down again.
        if any("\ud800" <= character <= "\udfff" for character in text):
            raise SettingsError(Message("{variable} is not UTF-8.", variable=variable))
        rows.append((variable, name, written_value(name, text)))
    return rows


def _reachable(host: str) -> str:
    try:
        address = ip_address(host or _LOOPBACK[4])
    except ValueError:
        return host
    plain = _LOOPBACK[address.version] if address.is_unspecified else str(address)
    return f"[{plain}]" if address.version == 6 else plain


# What the environment of a program asks for beside settings: an input method, a proxy.

QT_VARIABLES = ("QT_IM_MODULES", "QT_IM_MODULE")
"""What Qt reads, the first before the second; several names stand there with semicolons between them."""
X11_VARIABLE = "XMODIFIERS"
_INPUT_VARIABLES = (*QT_VARIABLES, "GTK_IM_MODULE", X11_VARIABLE)
# Looked for within the value: XMODIFIERS is `@im=fcitx`, QT_IM_MODULES a list.
_KNOWN = ("fcitx", "ibus", "uim", "scim", "nimf", "hime", "gcin", "kime")


def asked_input_method(environment: Mapping[str, str]) -> tuple[str, str]:
    """Return the variable that names an input method, and the input method; two empty texts if none does."""
    for variable in _INPUT_VARIABLES:
        method = environment.get(variable, "").lower()
        if name := next((known for known in _KNOWN if known in method), ""):
            return variable, name
    return "", ""


# A proxy that the environment names, as companies set it: it is not used unless its user says so.

_PROXY_VARIABLES = (
    "HTTPS_PROXY",
    "https_proxy",
    "ALL_PROXY",
    "all_proxy",
    "HTTP_PROXY",
    "http_proxy",
)
SET_PROXY = FixKind.USE_PROXY.value
"""The command that takes one over; its address follows."""


def environment_proxy(environment: Mapping[str, str] | None = None) -> tuple[str, str]:
    """Return the variable that names a proxy, and its address as a setting; two empty texts if none does.

    Where nothing is given, the variables of this process count.
    """
    variables = os.environ if environment is None else environment
    for variable in _PROXY_VARIABLES:
        value = variables.get(variable, "").strip()
        if not value:
            continue
        try:
            # Many systems name a proxy without its scheme; then it is spoken to in HTTP.
            return variable, proxy_address(value if "://" in value else f"http://{value}")
        except ValueError:
            continue
    return "", ""


def unused_proxy(
    settings: Settings, environment: Mapping[str, str] | None = None
) -> tuple[str, str]:
    """Return the proxy of the environment where the settings name none, and do not say `direct`."""
    # A proxy that is set, or `direct`, is the user's decision.
    if settings.search.proxy or settings.reader.proxy:
        return "", ""
    return environment_proxy(environment)
