"""What of a pasted error message may be searched: its class, its codes, the tool, packages, and the message's common words.

Those are in the source of the tool, and in every report about it. Paths, hosts, users, addresses, keys, and whatever else
is quoted, are of the machine that it was copied from.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from pathlib import Path

_LONGEST_TEXT, _LONGEST_TOKEN = 20_000, 120
_MOST_NAMES, _MOST_PACKAGES, _MOST_WORDS = 3, 3, 9
_MOST_PUBLIC = 60
# Characters: less is what is left of a sentence.
_SHORTEST_MESSAGE = 12
_TOKEN = re.compile(r"\S+")
_EDGES = "\"'`,;:()[]{}<>!?.*“”‘’«»"
_CLASS = re.compile(
    r"[A-Z]\w{0,80}(?:Error|Exception|Warning|Fault|Failure|Interrupt|Panic)|KeyboardInterrupt|SystemExit"
)
# Prefixes that vendors number their errors with: any other may be of an invoice or a policy.
_CODE = re.compile(
    r"(?:ORA|PLS|TNS|RMAN|SP2|DPY|DPI|SQL|CVE-\d{4})-\d{4,7}|SQLSTATE(?:\[\w{5}\])?|0x[89cC][0-9A-Fa-f]{7}"
    r"|(?:net::)?ERR_[A-Z0-9_]{3,60}"
)
# Of a compiler or an installer, where a line calls itself an error.
_SHORT_CODE = re.compile(
    r"E\d{4}|C[1-9]\d{3}|(?:TS|CS|BC|CA|MSB|NU|LNK|AADSTS|PGRST|HHH|IDE|NETSDK|KB)-?\d{3,7}"
)
_CALLED_ERROR = re.compile(r"\b(?:error|warning|fatal)\b", re.IGNORECASE)
_NUMBER = re.compile(r"-?\d{1,4}")
# "Code 4711" alone may open a door.
_NUMBERED = frozenset({"http", "error", "errno"})
_CODED = frozenset({"error", "exit", "status", "return", "stop", "response"})
_PARTING = re.compile(r"[\[\]():=]")
_CONSTANT = re.compile(r"[A-Z][A-Z0-9]{1,20}(?:_[A-Z0-9]{1,20}){1,8}")
_NAME = r"[A-Za-z][\w.-]{1,50}"
_VERSIONED = re.compile(rf"({_NAME})(?:@|==)[\^~]?(\d[\w.]{{0,20}})")
_NAMED_PACKAGE = re.compile(
    rf"(?:module named|(?:find|load) module|(?:from|named|the) package|crate|gem|import of|command for)[: ]{{1,2}}"
    rf"[\"'`‘“]({_NAME})(?:[ ]v?(\d[\w.]{{0,20}}))?[\"'`’”]"
)
_REASONS = tuple(f"{each.value} {each.phrase}" for each in HTTPStatus if each.value >= 400)
# Behind these folders stand names of packages, before them a user's.
_INSTALLED = re.compile(r"(?:node_modules|site-packages|dist-packages|registry[/\\]src)[/\\]\S*")
_OF_MACHINE = re.compile(
    r"[\w.+-]{1,64}@[\w-]{1,60}\.[a-z]{2,}|(?:\d{1,3}\.){3}\d{1,3}|[A-Za-z]:[\\/]|(?<![\w.])~?/(?!(?:etc|dev|usr|var|proc|sys|opt|boot|bin|lib|run)/)[\w.-]+/|\\\\\w|://"
    r"|(?<![\w-])(?:user|host|database|role|login)[ =:]{1,2}[\"'`]"
)


@dataclass(frozen=True, slots=True)
class ErrorWords:
    """What of an error message is no secret: a `query`, and all of its words that may be searched."""

    query: str = ""
    public: str = ""


def error_words(text: str) -> ErrorWords:
    """Return what of an error message may be searched; nothing where a text has neither class nor code of an error."""
    lines = text[:_LONGEST_TEXT].splitlines()
    found = {line: names for line in lines if (names := _names(line))}
    if not found:
        return ErrorWords()
    names = list(dict.fromkeys(name for each in found.values() for name in each))
    tools = list(dict.fromkeys(tool for line in lines if (tool := _tool(line))))
    packages = _packages(text[:_LONGEST_TEXT])
    message = max((_common(line, found[line]) for line in found), key=len)[:_MOST_WORDS]
    if len(" ".join(message)) < _SHORTEST_MESSAGE:
        message = []
    query = [*tools[:1], *names[:_MOST_NAMES], *message, *packages[:_MOST_PACKAGES]]
    public = [*names, *tools, *packages, *(word for line in found for word in _common(line, ()))]
    return ErrorWords(
        " ".join(dict.fromkeys(query)), " ".join([*dict.fromkeys(public)][:_MOST_PUBLIC])
    )


def names_machine(text: str) -> bool:
    """Say whether a text names a file, a host, a user or an address."""
    return _OF_MACHINE.search(text) is not None


def _tokens(line: str) -> list[str]:
    pieces = (match.group().strip(_EDGES) for match in _TOKEN.finditer(line))
    return [piece for piece in pieces if piece and len(piece) <= _LONGEST_TOKEN]


def _names(line: str) -> list[str]:
    """Return the classes and the codes of errors in a line."""
    tokens = _tokens(line)
    codes = [_CODE, _CLASS, *([_SHORT_CODE] if _CALLED_ERROR.search(line) else [])]
    # `error[E0308]` has both in one; of a dotted name only the class is the library's for certain.
    parts = (part for t in tokens for part in (t.rpartition(".")[2], *_PARTING.split(t)))
    found = [
        part
        for part in parts
        if any(code.fullmatch(part) for code in codes)
        or part in _known("codes")
        or _is_constant(part)
    ]
    for two, before, number in zip(["", "", *tokens], ["", *tokens], tokens, strict=False):
        if not _NUMBER.fullmatch(number):
            continue
        if before.lower() in _NUMBERED:
            found.append(f"{before} {number}")
        elif before.lower() == "code" and two.lower() in _CODED:
            found.append(f"{two} {before} {number}")
    found += [reason for reason in _REASONS if reason.lower() in line.lower()]
    return list(dict.fromkeys(found))


def _is_constant(token: str) -> bool:
    """Say whether a token is a constant made of the words of errors: CERTIFICATE_VERIFY_FAILED."""
    parts = token.lower().split("_")
    return _CONSTANT.fullmatch(token) is not None and _known("words").issuperset(parts)


def _tool(line: str) -> str:
    first = next(iter(_tokens(line)), "").lower()
    return first if first in _known("tools") else ""


def _packages(text: str) -> list[str]:
    elsewhere = " ".join(
        token
        for token in _INSTALLED.sub(" ", text).split()
        if "/" in token or "\\" in token or _OF_MACHINE.search(token)
    ).lower()
    found = [*_NAMED_PACKAGE.findall(text), *_VERSIONED.findall(text)]
    # A package that is called like a folder, a host or a user here may be their own.
    return [
        f"{name} {version}".strip()
        for name, version in dict.fromkeys(found)
        if name.lower() not in elsewhere
    ]


def _common(line: str, names: list[str] | tuple[str, ...]) -> list[str]:
    """Return the words of a message that messages of all programs have, but for those of its names."""
    own = {word for name in names for word in name.lower().split()}
    return [t for t in _tokens(line) if t.lower() in _known("words") and t.lower() not in own]


@cache
def _known(kind: str) -> frozenset[str]:
    table = json.loads(Path(__file__).with_name("error_words.json").read_text(encoding="utf-8"))
    return frozenset(table[kind].split())
