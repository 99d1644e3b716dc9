"""JSON objects as models write them: in prose, in a wrapping, with comments, with other quotes, cut off.

Strict JSON comes out as a strict parser would read it. Nothing is made up: a value that is not
complete is left out with its key.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from contextlib import suppress
from typing import Any, cast

Fields = dict[str, Any]

_DEEPEST = 40
# So many braces are tried as the beginning of an object.
_MOST_STARTS = 60
_BETWEEN = re.compile(r"(?:\s+|//[^\n]*|#[^\n]*|/\*.*?\*/)*+", re.DOTALL)
_BARE_KEY = re.compile(r"[\w$-]{1,60}")
_BARE_VALUE = re.compile(r"[^,\[\]{}\n\"]{1,400}")
_NUMBER = re.compile(r"[-+]?(?:\d{1,30}(?:\.\d{0,30})?|\.\d{1,30})(?:[eE][-+]?\d{1,3})?")
_CLOSED_BY = {'"': '"', "'": "'", "`": "`", "“": "”“", "„": "“”", "‘": "’‘", "«": "»", "「": "」"}
# What stands behind a string: its quotation mark within a text stands before something else.
_BEHIND = re.compile(r"\s*+(?:[,:}\]]|//|/\*|#|\Z)")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_WORDS = {
    "true": True, "false": False, "null": None, "none": None, "undefined": None, "nil": None,
}  # fmt: skip


def find_fields(text: str, keys: Collection[str]) -> Fields:
    """Return the fields of the last object in a text that has one of these keys; empty without one.

    It may be wrapped in another object, in a list or in a string. Keys are compared without regard to
    case, and come out as they are in `keys`.
    """
    wanted = {_plain(key): key for key in keys}
    found: Fields = {}
    for value in _values(text):
        for candidate in _candidates(value):
            fields = {wanted[k]: v for key, v in candidate.items() if (k := _plain(key)) in wanted}
            found = fields or found
    return found


def _plain(key: str) -> str:
    return key.strip().lower().replace("-", "_").replace(" ", "_")


def _values(text: str, depth: int = 0) -> list[Any]:
    """Return the objects in a text, the outermost of each."""
    if depth < 2 and (inner := _encoded(text)) is not None:
        return _values(inner, depth + 1)
    values: list[Any] = []
    at = text.find("{")
    for _ in range(_MOST_STARTS):
        if at < 0:
            break
        reader = _Reader(text, at)
        fields = reader.first()
        if fields:
            values.append(fields)
        at = text.find("{", reader.at if fields else at + 1)
    return values


def _encoded(text: str) -> str | None:
    """Return what a text that is nothing but a JSON string holds."""
    if not text.strip().startswith('"'):
        return None
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, str) else None


def _candidates(value: Any, depth: int = 0) -> list[Fields]:
    """Return an object and those within it, the inner ones first: a wrapping has other keys."""
    if depth > _DEEPEST:
        return []
    if isinstance(value, dict):
        fields = cast("Fields", value)
        inner = [found for v in fields.values() for found in _candidates(v, depth + 1)]
        return [*inner, fields]
    if isinstance(value, list):
        return [f for v in cast("list[Any]", value) for f in _candidates(v, depth + 1)]
    return []


class _Reader:
    """Reads values from a place in a text on; `at` is where it has come to."""

    def __init__(self, text: str, at: int) -> None:
        self._text = text
        self.at = at

    def first(self) -> Fields:
        """Return the fields of the object that begins here, those that are complete."""
        fields: Fields = {}
        with suppress(ValueError):
            self._object(fields, 0)
        return fields

    def _object(self, fields: Fields, depth: int) -> None:
        self.at += 1
        while True:
            if self._is_next("}"):
                return
            key = self._key()
            if not self._is_next(":") and not self._is_next("="):
                raise ValueError(key)
            fields[key] = self._value(depth + 1)
            if not self._is_next(",") and self._peek() != "}":
                raise ValueError(key)

    def _key(self) -> str:
        if self._peek() in _CLOSED_BY:
            return self._string()
        if (match := _BARE_KEY.match(self._text, self.at)) is None:
            raise ValueError("no key")
        self.at = match.end()
        return match[0]

    def _value(self, depth: int) -> Any:
        if depth > _DEEPEST:
            raise ValueError("too deep")
        first = self._peek()
        if first == "{":
            fields: Fields = {}
            self._object(fields, depth)
            return fields
        if first == "[":
            return self._list(depth)
        if first in _CLOSED_BY:
            return self._string()
        return self._word()

    def _list(self, depth: int) -> list[Any]:
        self.at += 1
        values: list[Any] = []
        while not self._is_next("]"):
            values.append(self._value(depth + 1))
            if not self._is_next(",") and self._peek() != "]":
                raise ValueError("no list")
        return values

    def _string(self) -> str:
        closing = _CLOSED_BY[self._text[self.at]]
        parts: list[str] = []
        at = self.at + 1
        while at < len(self._text):
            char = self._text[at]
            if char == "\\" and at + 1 < len(self._text):
                part, at = self._escape(at)
                parts.append(part)
                continue
            if char in closing and _BEHIND.match(self._text, at + 1):
                self.at = at + 1
                return "".join(parts)
            parts.append(char)
            at += 1
        raise ValueError("an open string")

    def _escape(self, at: int) -> tuple[str, int]:
        char = self._text[at + 1]
        if char == "u":
            digits = self._text[at + 2 : at + 6]
            # Only a strict reader puts the halves of a pair together.
            pair = self._text[at : at + 12]
            for escaped in (pair, pair[:6]):
                try:
                    value: Any = json.loads(f'"{escaped}"')
                except ValueError:
                    continue
                if isinstance(value, str) and len(value) == 1 and len(digits) == 4:
                    return value, at + len(escaped)
            return "", at + 2
        return _ESCAPES.get(char, char), at + 2

    def _word(self) -> Any:
        match = _BARE_VALUE.match(self._text, self.at)
        if match is None or match.end() == len(self._text):
            raise ValueError("no value, or one that goes on")
        word = re.split(r"//|/\*|\s#", match[0])[0]
        self.at += len(word)
        word = word.strip()
        if not word:
            raise ValueError("no value")
        if word.lower() in _WORDS:
            return _WORDS[word.lower()]
        if _NUMBER.fullmatch(word):
            return float(word) if set(word) & set(".eE") else int(word)
        return word

    def _peek(self) -> str:
        match = _BETWEEN.match(self._text, self.at)
        self.at = match.end() if match else self.at
        return self._text[self.at : self.at + 1] or "\0"

    def _is_next(self, char: str) -> bool:
        if self._peek() != char:
            return False
        self.at += 1
        return True
