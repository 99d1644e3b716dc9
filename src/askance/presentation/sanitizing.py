"""What comes from pages and models, made harmless for a terminal and for plain text.

A page's title or a model's answer may hold escape sequences that move the cursor, rename the window
or hide text. They lose the characters that a terminal obeys or that hide something
(`domain.characters`). What is rendered as Markdown goes through `citations.safe_markdown` instead.
"""

from __future__ import annotations

import dataclasses
from enum import Enum
from typing import Any, TypeVar, cast

from askance.domain.characters import clean
from askance.domain.events import Answered, CitationsChecked, RunEvent
from askance.domain.evidence import Citation
from askance.domain.messages import Message

_Value = TypeVar("_Value")


def one_line(text: str) -> str:
    """Return the cleaned text on one line, white space folded."""
    return " ".join(clean(text).split())


def clean_event(event: RunEvent) -> RunEvent:
    """Return the event with every text in it cleaned, and the places of its citations moved along."""
    match event:
        case Answered(answer=text, citations=citations):
            moved = _moved(citations, text)
            return _cleaned(dataclasses.replace(event, citations=moved))
        case CitationsChecked(text=text, citations=citations):
            return _cleaned(dataclasses.replace(event, citations=_moved(citations, text)))
        case _:
            return _cleaned(event)


def _moved(citations: tuple[Citation, ...], text: str) -> tuple[Citation, ...]:
    if clean(text) == text:
        return citations
    return tuple(
        dataclasses.replace(c, start=len(clean(text[: c.start])), end=len(clean(text[: c.end])))
        for c in citations
    )


def _cleaned(value: _Value) -> _Value:
    return cast("_Value", _walk(value))


def _walk(value: Any) -> Any:
    match value:
        case Enum():
            return value
        case Message():
            return value.mapped(clean)
        case str():
            return clean(value)
        case tuple():
            return tuple(_walk(item) for item in cast("tuple[Any, ...]", value))
        case _ if dataclasses.is_dataclass(value) and not isinstance(value, type):
            fields = {f.name: _walk(getattr(value, f.name)) for f in dataclasses.fields(value)}
            return type(value)(**fields)
        case _:
            return value
