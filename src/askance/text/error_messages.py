"""What of a pasted error message may be searched: its class, its codes, the tool, packages, and the message's common words.

Those are in the source of the tool, and in every report about it. Paths, hosts, users, addresses, keys, and whatever else
is quoted, are of the machine that it was copied from.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from pathlib import Path

_LONGEST_TEXT, _LONGEST_TOKEN = 20_000, 120
_MOST_NAMES, _MOST_PACKAGES, _MOST_WORDS = 3, 3, 9
# Characters of common words: less is what is left of a sentence.
_SHORTEST_MESSAGE = 16
_EDGES = "\"'`,;:()[]{}<>!?.*“”‘’«»"
# Classes, and what vendors number their errors with: any other prefix may be of an invoice or a policy.
_NAMES = [
    r"[A-Z]\w{0,80}(?:Error|Exception|Warning|Fault|Failure|Interrupt|Panic)",
    r"SystemExit",
    r"(?:ORA|PLS|TNS|RMAN|SP2)-\d{4,7}",
    r"(?:DPY|DPI|SQL)-\d{4,7}",
    r"CVE-\d{4}-\d{4,7}",
    r"SQLSTATE(?:\[\w{5}\])?",
    r"0x[89cC][0-9A-Fa-f]{7}",
    r"(?:net::)?ERR_[A-Z0-9_]{3,60}",
]
# Codes of compilers and installers, where a line calls itself an error.
_SHORT = re.compile(r"(?:TS|CS|BC|CA|MSB|NU|LNK|AADSTS|PGRST|HHH|NETSDK|KB)-?\d{3,7}")
_NAME = re.compile("|".join(_NAMES))
_COMPILER = re.compile(r"(?i)\b(?:error|warning)[ \[]{1,2}([EC]\d{4})\b")
_CALLED_ERROR = re.compile(r"(?i)\b(?:error|warning|fatal)\b")
# "Code 4711" alone may open a door.
_NUMBERED = re.compile(
    r"(?i)\b(?:http|error|errno|(?:error|exit|status|return|stop|response) code)[ :]{1,2}-?\d{1,4}\b"
)
_WORD = re.compile(r"[a-z]+")
_PARTING = re.compile(r"[\[\]():=]|\.(?=\w*$)")
_PACKAGE = r"[A-Za-z][\w.-]{1,50}"
_VERSIONED = re.compile(rf"({_PACKAGE})(?:@|==)[\^~]?(\d[\w.]{{0,20}})")
_NAMED_PACKAGE = re.compile(
    r"(?:module named|(?:find|load) module|(?:from|named|the) package|crate|gem|import of|command for"
    r"|import name [\"'`]\w{1,60}[\"'`] from)[: ]{1,2}"
    rf"[\"'`‘“]({_PACKAGE})(?:[ ]v?(\d[\w.]{{0,20}}))?[\"'`’”]"
)
_REASONS = tuple(f"{each.value} {each.phrase}" for each in HTTPStatus if each.value >= 400)
# Behind these folders stand names of packages, before them a user's.
_INSTALLED = re.compile(r"(?:node_modules|site-packages|dist-packages|registry[/\\]src)[/\\]\S*")
_INSTALLED_NAME = re.compile(r"(?:node_modules|site-packages|dist-packages)[/\\](\w[\w.-]{1,60})")
_OF_MACHINE = re.compile(
    "|".join(
        [
            r"[\w.+-]{1,64}@[\w-]{1,60}\.[a-z]{2,}",
            r"(?:\d{1,3}\.){3}\d{1,3}",
            r"[A-Za-z]:[\\/]",
            r"\\\\\w",
            r"://",
            r"(?<![\w.])~?/(?!(?:etc|dev|usr|var|proc|sys|opt|boot|bin|lib|run)/)[\w.-]+/",
            r"(?<![\w-])(?:user|host|database|role|login)[ =:]{1,2}[\"'`]",
        ]
    )
)


@dataclass(frozen=True, slots=True)
class ErrorWords:
    """What of an error message is no secret: a `query`, and all of its words that may be searched."""

    query: str = ""
    public: str = ""


def error_words(text: str) -> ErrorWords:
    """Return what of an error message may be searched; nothing where a text has neither class nor code of an error."""
    text = text[:_LONGEST_TEXT]
    lines = text.splitlines()
    found = {line: names for line in lines if (names := _names(line))}
    if not found:
        return ErrorWords()
    names = [name for each in found.values() for name in each]
    firsts = [next(iter(_tokens(line)), "").lower() for line in lines]
    tools = [first for first in firsts if first in _known("tools")]
    packages = _packages(text)
    called = [line for line in lines if line in found or _CALLED_ERROR.search(line)]
    message = max((_common(line, found.get(line, ())) for line in called), key=len)[:_MOST_WORDS]
    is_message = len(" ".join(message)) >= _SHORTEST_MESSAGE
    query = [*tools[:1], *dict.fromkeys(names[:_MOST_NAMES]), *(message if is_message else [])]
    # What is common to messages of all programs is nobody's, wherever it stands.
    named = sorted({*_WORD.findall(text.lower())} & (_known("tools") | _known("words")))
    public = [*names, *packages, *_INSTALLED_NAME.findall(text), *named]
    return ErrorWords(
        " ".join(dict.fromkeys(" ".join([*query, *packages[:_MOST_PACKAGES]]).split())),
        " ".join(dict.fromkeys(public)),
    )


def names_machine(text: str) -> bool:
    """Say whether a text names a file, a host, a user or an address."""
    return _OF_MACHINE.search(text) is not None


def _tokens(line: str) -> list[str]:
    pieces = (piece.strip(_EDGES) for piece in line.split())
    return [piece for piece in pieces if piece and len(piece) <= _LONGEST_TOKEN]


def _names(line: str) -> list[str]:
    """Return the classes and the codes of errors in a line."""
    is_called = _CALLED_ERROR.search(line) is not None
    # `error[E0308]` has both in one; of a dotted name only the class is the library's for certain.
    parts = (part for token in _tokens(line) for part in (token, *_PARTING.split(token)))
    found = [
        p
        for p in parts
        if _NAME.fullmatch(p)
        or (is_called and _SHORT.fullmatch(p))
        or p in _known("codes")
        or _is_constant(p)
    ]
    found += _COMPILER.findall(line) + _NUMBERED.findall(line)
    return [*dict.fromkeys(found), *(reason for reason in _REASONS if reason in line)]


def _is_constant(token: str) -> bool:
    """Say whether a token is a constant made of the words of errors: CERTIFICATE_VERIFY_FAILED."""
    return "_" in token and token.isupper() and _known("words").issuperset(token.lower().split("_"))


def _packages(text: str) -> list[str]:
    """Return packages with their versions; what is called like a folder, a host or a user here may be their own."""
    tokens = _INSTALLED.sub(" ", text).split()
    elsewhere = " ".join(t for t in tokens if "/" in t or "\\" in t or names_machine(t)).lower()
    found = dict.fromkeys([*_NAMED_PACKAGE.findall(text), *_VERSIONED.findall(text)])
    return [f"{name} {n}".strip() for name, n in found if name.lower() not in elsewhere]


def _common(line: str, names: Collection[str]) -> list[str]:
    """Return the words of a message that messages of all programs have, but for those of its names."""
    own = " ".join(names).lower().split()
    return [t for t in _tokens(line) if t.lower() in _known("words") and t.lower() not in own]


@cache
def _known(kind: str) -> frozenset[str]:
    table = json.loads(Path(__file__).with_name("error_words.json").read_text(encoding="utf-8"))
    return frozenset(table[kind].split())
