"""Reading the fields of a model's JSON by their type: models put null, lists and objects where a text belongs."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from enum import StrEnum
from typing import Any, TypeVar, cast

Choice = TypeVar("Choice", bound=StrEnum)

# What stands for "nothing" in a field that must hold a text. Python's, JSON's and other languages'
# words for it come from models that were trained on programs and forms.
_NOTHING = frozenset(
    (
        "none", "null", "nil", "undefined", "nan", "n/a", "n.a", "na", "not applicable",
        "not available", "empty", "empty string", "void", "<none>", "<null>", "string", "...",
    )
)  # fmt: skip
# What a model writes in place of a clarifying question, in the languages that it is asked in.
_NO_QUESTION = frozenset(
    (
        "no", "nope", "nothing", "none needed", "none required", "not needed", "not required",
        "not necessary", "no question", "no questions", "no clarification", "unnecessary", "false",
        "keine", "keiner", "keines", "nein", "nichts", "nicht nötig", "nicht erforderlich", "entfällt",
        "aucune", "aucun", "rien", "non", "ninguna", "ninguno", "nada", "nenhuma", "nenhum",
        "nessuna", "nessuno", "geen", "ingen", "inget", "brak", "žádná", "нет", "无", "無", "没有",
        "不需要", "なし", "不要", "없음", "해당 없음",
    )
)  # fmt: skip
_NO_QUESTION_NEEDED = re.compile(
    r"no (?:further |additional |more )?(?:clarif\w+|clarifying questions?|questions?)"
    r"(?: (?:is|are|was|were))?(?: (?:needed|required|necessary))?"
)
_EDGES = " \t\r\n\"'`“”‘’„.,;:!?-–—_*()[]{}。、"
# Under these names the text stands in an object, the likeliest first.
_TEXT_KEYS = ("query", "text", "question", "q", "search_query", "optimized_query", "value",
              "content", "string", "search")  # fmt: skip
_DEEPEST = 4
_LONGEST_SPELLED = 1_000


def texts_in(value: Any) -> tuple[str, ...]:
    """Return the texts in a field: its own, those of a list, the one that an object plainly holds.

    Null, numbers, truth values and objects without such a text hold none, nor does a word that stands
    for nothing ("None", "N/A").
    """
    return tuple(text for text in _texts(value, 0) if not is_nothing(text))


def text_in(value: Any) -> str:
    """Return the first text in a field, see `texts_in`; empty if there is none."""
    return next(iter(texts_in(value)), "")


def question_in(value: Any) -> str:
    """Return the clarifying question in a field; empty where it only says that there is none."""
    text = text_in(value)
    question = _bare(text)
    is_none = question in _NO_QUESTION or _NO_QUESTION_NEEDED.fullmatch(question)
    return "" if is_none else text


def is_nothing(text: str) -> bool:
    """Say whether a text has no letter and no digit, or is only a word for nothing."""
    return not any(c.isalnum() for c in text) or _bare(text) in _NOTHING


def choice_in(value: Any, kind: type[Choice], otherwise: Choice | None = None) -> Choice:
    """Return the member that a field names, in letters of either case.

    Raises:
        ValueError: it names none, and there is nothing to take `otherwise`.
    """
    word = value.strip(_EDGES).lower() if isinstance(value, str) else ""
    if otherwise is not None and word not in set(kind):
        return otherwise
    return kind(word)


def _texts(value: Any, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        spelled = _spelled_out(value.strip())
        if spelled is not None:
            yield from _texts(spelled, depth + 1)
        elif value.strip():
            yield value.strip()
    elif depth < _DEEPEST:
        for item in _held_in(value):
            yield from _texts(item, depth + 1)


def _held_in(value: Any) -> list[Any]:
    """Return the items of a list, and of an object what stands for its text."""
    if isinstance(value, list):
        return cast("list[Any]", value)
    if not isinstance(value, dict):
        return []
    fields = cast("dict[str, Any]", value)
    named = [fields[key] for key in _TEXT_KEYS if fields.get(key)]
    # An object with one field alone, whatever it is called, has that one as its text.
    return named[:1] or (list(fields.values()) if len(fields) == 1 else [])


def _spelled_out(text: str) -> Any:
    """Return the list or object that a text is the JSON or Python of; None if it is neither."""
    if not (text[:1] in "[{" and text[-1:] in "]}" and len(text) <= _LONGEST_SPELLED):
        return None
    for read in (json.loads, ast.literal_eval):
        try:
            value = read(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            continue
        return cast("Any", value) if isinstance(value, list | dict) else None
    return None


def _bare(text: str) -> str:
    return " ".join(text.split()).strip(_EDGES).lower()
