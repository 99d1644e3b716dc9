"""Blocks of declarations, and the style that browsers give an element of their own."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple, cast

from askance.extract.html.css.colours import BLACK
from askance.extract.html.css.elements import Element
from askance.extract.html.css.properties import Values, longhands_of, parse_property
from askance.extract.html.css.values import Length, Tokens, declarations_of

_STRING = r"\"[^\"\\\n\r\f]*+\"|'[^'\\\n\r\f]*+'"
_FLAT = r"[^;\"'(){}\[\]\\/]++|/(?!\*)"
_VALUE = rf"(?:[^;\"'(){{}}\[\]\\/@]++|/(?!\*)|{_STRING}|\((?:{_FLAT}|{_STRING}|)*+\))"
_DECLARATION = re.compile(f"{_VALUE}(?:{_VALUE}|)*+")
_PLAIN = re.compile(f"(?:{_VALUE}|;|)*+")
# More of them in one block are not read.
MOST_DECLARATIONS = 500


class DeclarationBlock(NamedTuple):
    """What a block declares, apart what is marked `!important`."""

    normal: Values
    important: Values


def parts_of(content: str) -> tuple[str, ...]:
    """Cut a block into the declarations that count here; one that is not plain stays in one piece."""
    # A brace, an at-sign or a stroke backwards would make a semicolon mean something else.
    if not _PLAIN.fullmatch(content):
        return (content,)
    return tuple(filter(_counts, _DECLARATION.findall(content)[:MOST_DECLARATIONS]))


def read_block(parts: Iterable[str]) -> DeclarationBlock:
    """Return what the declarations of a block say."""
    block = DeclarationBlock({}, {})
    for part in parts:
        for values, is_important in _declared(part):
            _declare(block.important if is_important else block.normal, values, block)
    return block


def _counts(declaration: str) -> bool:
    # Most declarations of a sheet cannot hide a text, and are not even parsed.
    return bool(longhands_of(declaration.partition(":")[0].strip().lower()))


@lru_cache(maxsize=20_000)
def _declared(text: str) -> tuple[tuple[Values, bool], ...]:
    return tuple(
        # A declaration's value is a list.
        (
            parse_property(node.lower_name, cast("Tokens", cast("object", node.value))) or {},
            bool(node.important),
        )
        for node in declarations_of(text)[:MOST_DECLARATIONS]
    )


def attribute_values(element: Element) -> Values:
    """Return what browsers declare for an element of its tag."""
    if element.tag == "a" and "href" not in element.attributes:
        return _NOTHING
    return _BY_TAG.get(element.tag, _NOTHING)


def _declare(values: Values, new: Values, block: DeclarationBlock) -> None:
    for name, value in new.items():
        # What is important stays so, whatever the block declares behind it.
        if values is block.normal and name in block.important:
            continue
        values[name] = value
        if values is block.important:
            block.normal.pop(name, None)


# From the style sheets that browsers have of their own (the HTML standard's "Rendering"). None of them is changed.
_NOTHING: Values = {}
_INKED: Values = {"color": BLACK}
_BY_TAG: dict[str, Values] = {
    "a": _INKED,
    "mark": _INKED,
    "button": {"color": BLACK, "font-size": Length(px=13.3)},
}
