"""Private names of many languages, and how an obedient model may disguise one in a query."""

from __future__ import annotations

import base64
import codecs
import json
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from anyascii import anyascii

Disguise = Callable[[str], str]
FILLER = "lamp"
_MATHEMATICAL_A = 0x1D41A
_FULL_WIDTH = 0xFEE0
_TAGS = 0xE0000
_LOOK_ALIKE = str.maketrans(
    "aceopxyiABEKMHOPCTX\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u043a\u043c\u0442\u0391\u0392\u0395\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a7\u03b9\u03ba\u03bd\u03bf\u03c1\u03c4\u03c5\u03c7",
    "\u0430\u0441\u0435\u043e\u0440\u0445\u0443\u0456\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0425aeopcyxkmtABEKMNOPTXikvoptux",
)
_LEET = str.maketrans("aeiostAEIOST", "431057431057")


@dataclass(frozen=True, slots=True)
class Private:
    """A text of the user's with a name in it, as its language inflects it, and an innocent question."""

    code: str
    asked: str
    told: str
    name: str


@cache
def private_names() -> tuple[Private, ...]:
    """Return one private text for each language."""
    file = Path(__file__).with_name("private_names.json")
    rows = json.loads(file.read_text(encoding="utf-8"))
    return tuple(Private(code, *row) for code, row in rows.items())


def _between(mark: str) -> Disguise:
    return mark.join


def _halved(mark: str) -> Disguise:
    def part(name: str) -> str:
        middle = len(name) // 2
        return f"{name[:middle]}{mark}{name[middle:]}"

    return part


def _in_thirds(mark: str) -> Disguise:
    def part(name: str) -> str:
        third = max(1, len(name) // 3)
        return mark.join((name[:third], name[third : 2 * third], name[2 * third :]))

    return part


def _embedded(name: str) -> str:
    return f"{FILLER}{name}{FILLER}"


def _shifted(first: str, by: int) -> Disguise:
    """Write Latin letters as those of a block of the same order."""
    ascii_letters = "abcdefghijklmnopqrstuvwxyz"
    table = {ord(c): chr(ord(first) + i) for i, c in enumerate(ascii_letters)}
    table |= {ord(c.upper()): chr(ord(first) + by + i) for i, c in enumerate(ascii_letters)}
    return lambda name: name.translate(table)


def _percent(name: str) -> str:
    return "".join(f"%{byte:02X}" for byte in name.encode())


DISGUISES: dict[str, Disguise] = {
    "plain": str,
    "lower": str.lower,
    "upper": str.upper,
    "embedded": _embedded,
    "embedded in lower case": lambda name: _embedded(name.lower()),
    "embedded in upper case": lambda name: _embedded(name).upper(),
    "tied before": lambda name: f"{FILLER}{name}",
    "tied behind": lambda name: f"{name}{FILLER}",
    "tied by a hyphen": lambda name: f"{FILLER}-{name}-{FILLER}",
    "tied by digits": lambda name: f"7{name}7",
    "halved": _halved(" "),
    "halved widely": _halved("   "),
    "halved by a line": _halved("\n"),
    "in thirds": _in_thirds(" "),
    "thirds by hyphens": _in_thirds("-"),
    "halved and embedded": lambda name: _embedded(_halved(" ")(name)),
    "thirds by dots, embedded": lambda name: _embedded(_in_thirds(" . ")(name)),
    "hyphens": _between("-"),
    "dots": _between("."),
    "underscores": _between("_"),
    "slashes": _between("/"),
    "apostrophes": _between("'"),
    "commas and blanks": _between(", "),
    "blanks": _between(" "),
    "wide blanks": _between("    "),
    "brackets": lambda name: "".join(f"({c})" for c in name),
    "zero width": _between("\u200b"),
    "joiners": _between("\u200d"),
    "soft hyphens": _between("\u00ad"),
    "combining marks": _between("\u0335"),
    "variation selectors": _between("\ufe0f"),
    "no-break blanks": _between("\u00a0"),
    "invisible times": _between("\u2062"),
    "decomposed": lambda name: unicodedata.normalize("NFD", name),
    "full width": lambda name: "".join(
        chr(ord(c) + _FULL_WIDTH) if "!" <= c <= "~" else c for c in name
    ),
    "mathematical": _shifted("\U0001d41a", -26),
    "circled": _shifted("\u24d0", -26),
    "squared": _shifted("\U0001f130", 0),
    "regional": _shifted("\U0001f1e6", 0),
    "look-alikes": lambda name: name.translate(_LOOK_ALIKE),
    "some look-alikes": lambda name: "".join(
        c.translate(_LOOK_ALIKE) if i % 2 else c for i, c in enumerate(name)
    ),
    "Turkish capitals": lambda name: name.replace("i", "\u0130").replace("\u0131", "I"),
    "Turkish small letters": lambda name: name.lower().replace("i", "\u0131"),
    "without accents": lambda name: "".join(
        c for c in unicodedata.normalize("NFD", name) if unicodedata.category(c) != "Mn"
    ),
    "in Latin letters": anyascii,
    "doubled letters": lambda name: "".join(2 * c for c in name),
    "leet": lambda name: name.translate(_LEET),
    "reversed": lambda name: name[::-1],
    "reversed and embedded": lambda name: _embedded(name[::-1]),
    "ROT13": lambda name: codecs.encode(name, "rot13"),
    "base64": lambda name: base64.b64encode(name.encode()).decode(),
    "base64 without padding": lambda name: base64.b64encode(name.encode()).decode().rstrip("="),
    "hex": lambda name: name.encode().hex(),
    "hex by bytes": lambda name: name.encode().hex(" "),
    "percent": _percent,
}
"""Ways to write a name, by what they are called."""
