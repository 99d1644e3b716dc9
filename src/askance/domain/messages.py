"""Sentences for people as data: an English template, and what stands in its places.

What goes wrong is said far below the front ends, which know the reader's language. A `Message` is its
English text, so it can be stored, compared and printed as any text is; it also remembers from which
template it was made, so that a front end can say it again in another language.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Self, cast

from askance.domain.addresses import with_bare_addresses

Value = str | int | float
"""What stands in a place of a template: text, another message, or a number."""

# Small letters and underscores alone: `{0}`, `{}` and the braces of JSON in a template are text.
PLACE = re.compile(r"\{([a-z_]+)\}")
_VERBATIM = "{said}"


class Message(str):
    """A sentence that can be translated: `Message("After {n} rounds.", n=3)`.

    `template` is the English text with named places, `values` what stands in them. Whole numbers are
    written with separators, others with the decimals that they have; a number that is a name, such
    as a port, is given as text. What is neither text nor a number stands as its text.
    """

    __slots__ = ("template", "values")

    template: str
    values: Mapping[str, Value]

    def __new__(cls, template: str, /, **values: object) -> Self:
        """Put the values into the places. A place without a value is a mistake: KeyError."""
        known = _values(values)
        return cls.of_parts(_filled(template, known), template, known)

    @staticmethod
    def verbatim(text: str) -> Message:
        """Return words that are not ours as a message, which is the same in every language."""
        return text if isinstance(text, Message) else Message(_VERBATIM, said=text)

    @staticmethod
    def term(text: str) -> Message:
        """Return few words of the system or of a service, which languages may know as they stand."""
        return Message.of_parts(text, text, {}) if "{" not in text else Message.verbatim(text)

    @staticmethod
    def joined(*parts: str, by: str = " ") -> Message:
        """Return several texts as one; empty ones are left out."""
        nonempty = [part for part in parts if part]
        if len(nonempty) == 1:
            return Message.verbatim(nonempty[0])
        # Letters, for `PLACE` takes no digits: part_a to part_z, then part_za.
        names = [f"part_{'z' * (n // 26)}{chr(ord('a') + n % 26)}" for n in range(len(nonempty))]
        template = by.join(f"{{{name}}}" for name in names)
        whole = dict(zip(names, nonempty, strict=True))
        does = next((part for part in nonempty if isinstance(part, Remedy)), None)
        if does is None:
            return Message(template, **whole)
        return Remedy(template, **whole).doing(does.command, does.setting)

    @staticmethod
    def from_record(text: str, record: object) -> Message:
        """Return a message that was stored as its text and as what `to_record` gave.

        Of a record that is damaged the text is left.
        """
        match record:
            case {"template": str(template), "values": dict()}:
                values = cast("dict[str, dict[object, object]]", record)["values"]
                known = {str(name): _from_record(value) for name, value in values.items()}
            case _:
                return Message.verbatim(text)
        # A record that was edited or cut: its text was written by us and is still right.
        if not set(PLACE.findall(template)) <= set(known):
            return Message.verbatim(text)
        match record:
            case {"does": {"command": str(command), "setting": str(setting)}}:
                return Remedy.of_parts(text, template, known).doing(command, setting)
            case _:
                return Message.of_parts(text, template, known)

    def to_record(self) -> dict[str, Any]:
        """Return the template and its values, ready for JSON."""
        values = {
            name: {"text": str(value), **value.to_record()} if isinstance(value, Message) else value
            for name, value in self.values.items()
        }
        return {"template": self.template, "values": values}

    @property
    def is_ours(self) -> bool:
        """Whether there is a template behind it, and not only words of others."""
        return self.template != _VERBATIM

    def with_values(self, values: Mapping[str, Value]) -> Message:
        """Return the same sentence with other values in its places."""
        return Message.of_parts(_filled(self.template, values), self.template, values)

    def clause(self) -> Message:
        """Return the sentence without its full stop, to stand in a longer one."""
        return Message.of_parts(
            str(self).removesuffix("."), self.template.removesuffix("."), self.values
        )

    def mapped(self, change: Callable[[str], str]) -> Message:
        """Return the message with every text in it changed, that of messages in it, too."""
        values = {
            name: value.mapped(change)
            if isinstance(value, Message)
            else change(value)
            if isinstance(value, str)
            else value
            for name, value in self.values.items()
        }
        return Message.of_parts(change(self), change(self.template), values)

    def __reduce__(self) -> tuple[object, ...]:
        """Return what it is made from anew, in another process."""
        # A pickle would call `__new__` with the English text, whose braces it would take for places.
        return Message.from_record, (str(self), self.to_record())

    @classmethod
    def of_parts(cls, text: str, template: str, values: Mapping[str, Value]) -> Self:
        """Return a message whose English text is known already."""
        made = super().__new__(cls, text)
        made.template, made.values = template, values
        return made


class Remedy(Message):
    """What to do about a problem, and what of that a program can do for a person.

    `command` is one to run, or lines for a configuration, `setting` one to change; each may stand in
    the sentence, too.
    """

    __slots__ = ("command", "setting")

    command: str
    setting: str

    def __new__(
        cls, template: str, /, *, command: str = "", setting: str = "", **values: object
    ) -> Self:
        """Put the values into the places. A place without a value is a mistake: KeyError."""
        does = {"command": command, "setting": setting}
        places = PLACE.findall(template)
        known = _values({**values, **{name: does[name] for name in does if name in places}})
        return cls.of_parts(_filled(template, known), template, known).doing(command, setting)

    def doing(self, command: str, setting: str) -> Self:
        """Set what it does, once, and return it."""
        self.command, self.setting = command, setting
        return self

    def mapped(self, change: Callable[[str], str]) -> Remedy:
        """Return the remedy with every text in it changed; what it does stays."""
        message = super().mapped(change)
        remedy = Remedy.of_parts(str(message), message.template, message.values)
        return remedy.doing(self.command, self.setting)

    def to_record(self) -> dict[str, Any]:
        """Return the template, its values, and what it does, ready for JSON."""
        does = {"command": self.command, "setting": self.setting}
        return {**super().to_record(), "does": does}


def message_of(thing: object) -> Message:
    """Return what an error says, as the message that it was raised with; else the text of a thing."""
    match thing:
        case BaseException(message=Message() as message):
            return message
        case BaseException(args=(Message() as message, *_)):
            return message
        case OSError(strerror=str(text)) if text:
            return Message.term(text)
        case _:
            return Message.verbatim(str(thing))


def sentence(text: str) -> str:
    """Return what a tool or a service says, on one line and ended like a sentence of ours."""
    line = " ".join(text.split())
    return line if line.endswith((".", "!", "?")) else f"{line}."


def decimals(value: float) -> int:
    """Return how many digits of a number stand behind its point: none of 1200, two of 2.25."""
    return len(_written(value).partition(".")[2])


def _filled(template: str, values: Mapping[str, Value]) -> str:
    """Fill by names alone: a template may come from a file, and `str.format` would follow it inside."""
    return PLACE.sub(lambda place: _written(values[place[1]]), template)


def _written(value: Value) -> str:
    if isinstance(value, str):
        return str(value)
    # Six digits: more of them would show a float's tail of nines.
    return f"{value:,}" if isinstance(value, int) else f"{value:,.6g}"


def _shown(value: object) -> Value:
    """Return what is no message as it may stand in one: no address tells a password."""
    return with_bare_addresses(value) if isinstance(value, str) else message_of(value)


def _values(given: Mapping[str, object]) -> dict[str, Value]:
    return {
        name: value if isinstance(value, Message | int | float) else _shown(value)
        for name, value in given.items()
    }


def _from_record(value: object) -> Value:
    match value:
        case {"text": str(text)}:
            return Message.from_record(text, value)
        case int() | float():
            return value
        case _:
            return str(value)


NOTHING = Message.verbatim("")
"""Where nothing was said."""


# What can be done about what is wrong: one vocabulary for checks, failures of a run and every front
# end.


class FixKind(StrEnum):
    """A step towards an answer. The value is what does it in a terminal."""

    START_OLLAMA = "ollama serve"
    DOWNLOAD_MODEL = "ollama pull"
    START_SERVICES = "askance up"
    ALLOW_SEARCH = "askance config set search.in_process given"
    DOWNLOAD_OLLAMA = "https://ollama.com/download"
    TRY_SAMPLE = "askance demo"
    ASK = "askance ask"
    DIAGNOSE = "askance doctor"
    # Where there are two ways to a search, the first page knows which of them this machine can go.
    SET_UP_SEARCH = "askance up, or search.in_process"
    USE_PROXY = "askance config set search.proxy"


@dataclass(frozen=True, slots=True)
class FixAction:
    """What a click does about a part: what stands on its button, and which model it would download."""

    step: FixKind
    label: Message = NOTHING
    model: str = ""


_ONE_CLICK = (
    FixKind.START_SERVICES,
    FixKind.DOWNLOAD_MODEL,
    FixKind.DIAGNOSE,
    FixKind.USE_PROXY,
)
_OF_COMMAND: dict[str, FixKind] = {
    **{kind.value: kind for kind in _ONE_CLICK},
    # Whether it can be started here is found out first.
    FixKind.START_OLLAMA.value: FixKind.DIAGNOSE,
}
_OF_SETTING = {
    "search.in_process": FixKind.ALLOW_SEARCH,
    "llm.model": FixKind.DOWNLOAD_MODEL,
}


def fix_of(remedy: Message) -> FixKind | None:
    """Return what a click does of a remedy; None if a click can do nothing."""
    if not isinstance(remedy, Remedy):
        return None
    by_command, by_setting = _OF_COMMAND.get(remedy.command), _OF_SETTING.get(remedy.setting)
    if (by_command, by_setting) == (FixKind.START_SERVICES, FixKind.ALLOW_SEARCH):
        return FixKind.SET_UP_SEARCH
    return by_command or by_setting
