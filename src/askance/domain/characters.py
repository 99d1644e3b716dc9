"""What comes from pages and models, made harmless for a terminal and for plain text.

A page's title or a model's answer may hold escape sequences that move the cursor, rename the window or hide text.
They lose the characters that a terminal obeys, or that hide or reorder what is shown; what is rendered as
Markdown goes through `citations.markdown.safe_markdown` instead.

The characters are taken out one by one; so an escape sequence loses its first character and shows itself as
plain letters. Taking out single characters keeps the prefix of a cleaned text the cleaned prefix of
the text, by which the places of citations are moved along.
"""

from __future__ import annotations

import dataclasses
from enum import Enum
from typing import Any, TypeVar, cast

from askance.domain.events import Answered, CitationsChecked, RunEvent
from askance.domain.evidence import Citation
from askance.domain.messages import Message
from askance.domain.patterns import lazy_re

_Value = TypeVar("_Value")

_RANGES = (
    (0x00, 0x08),  # C0: ESC, BEL, CR and the others, but for tabs and breaks
    (0x0B, 0x1F),
    (0x7F, 0x9F),  # DEL and C1: the eight-bit CSI and OSC
    (0xAD, 0xAD),  # soft hyphen
    (0x061C, 0x061C),  # Arabic letter mark
    (0x180E, 0x180E),  # Mongolian vowel separator
    (0x200B, 0x200B),  # zero-width space; ZWNJ and ZWJ stay, some scripts need them
    (0x200E, 0x200F),  # left-to-right and right-to-left marks
    (0x2028, 0x202E),  # line and paragraph separators, bidirectional overrides
    (0x2060, 0x206F),  # word joiner, invisible operators, isolates
    (0xD800, 0xF8FF),  # lone surrogates, which no encoding takes, and private use
    (0xFEFF, 0xFEFF),  # byte order mark
    (0xFFF9, 0xFFFB),  # interlinear annotation
    (0xE0000, 0xE0FFF),  # tags: letters that nobody sees
    (0xF0000, 0x10FFFF),  # private use
)
_HIDDEN = f"[{''.join(f'{chr(first)}-{chr(last)}' for first, last in _RANGES)}]"
_REMOVED = lazy_re(_HIDDEN)
# Direction marks and isolates stay in what is typed: they order what is written from right to left. What
# overrides the direction of letters is none of them.
_REMOVED_FROM_TYPED = lazy_re(f"(?![\u061c\u200e\u200f\u2066-\u2069]){_HIDDEN}")


def clean(text: str) -> str:
    """Return the text without characters that a terminal obeys or that hide; breaks and tabs stay."""
    return _REMOVED.sub("", text)


def clean_typed(text: str) -> str:
    """Return a text that the user typed or pasted without such characters; its direction marks stay."""
    return _REMOVED_FROM_TYPED.sub("", text)


def storable(text: str) -> str:
    """Return a text that UTF-8 can hold: half of a surrogate pair becomes a question mark."""
    return text.encode("utf-8", "replace").decode()


def one_line(text: str) -> str:
    """Return the cleaned text on one line, white space folded."""
    return " ".join(clean(text).split())


def clean_event(event: RunEvent) -> RunEvent:
    """Return the event with every text in it cleaned, and the places of its citations moved along."""
    match event:
        case (
            Answered(answer=text, citations=citations)
            | CitationsChecked(text=text, citations=citations)
        ):
            return _cleaned(dataclasses.replace(event, citations=_moved(citations, text)))
        case _:
            return _cleaned(event)


def _moved(citations: tuple[Citation, ...], text: str) -> tuple[Citation, ...]:
    # Nearly always: only where a character goes have places to be counted anew.
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
        # Before text and data: members of a StrEnum are texts too, and would come out as plain
        # ones.
        case Enum():
            return value
        # Before text as well: cleaned as one, a message would lose its template and its values.
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
