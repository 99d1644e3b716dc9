"""XML of feeds and books, which is often not well-formed: it is read as the programs that people read them with do."""

from __future__ import annotations

import re
from html import escape
from html.entities import html5
from typing import Any, cast

from lxml import etree  # pyright: ignore[reportMissingTypeStubs, reportAttributeAccessIssue, reportUnknownVariableType]

_etree = cast("Any", etree)
# The declaration of an encoding would be believed, although the text is UTF-8 from here on; entities that a document
# type defines would be files and addresses of the writer's choice, or entities within entities.
_HEAD = re.compile(r"\A\s*+<\?xml[^>]*+>|<!DOCTYPE[^\[<>]*+(?:\[[^\]]*+\]\s*+|)>", re.IGNORECASE)
_NAMED = re.compile(r"&([A-Za-z][A-Za-z0-9]{1,30};)")
# What is no markup although it begins like it: an ampersand of a name, a sign of comparison.
_STRAY = re.compile(
    r"&(?!(?:amp|lt|gt|quot|apos|#[0-9]+|#x[0-9a-fA-F]+);)"
    r"|<(?![!?]|/?[A-Za-z_][\w:.-]*+(?:\s[^<>]*+)?/?>)"
)
_HEAD_CHARACTERS = 20_000
_CONTROLS = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")


def parse_loosely(text: str) -> Any:
    """Return the root of a document, None for what is no XML; without comments, and without entities of its own."""
    parser = _etree.XMLParser(
        recover=True, resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True
    )
    head, body = text[:_HEAD_CHARACTERS], text[_HEAD_CHARACTERS:]
    text = _mended(_HEAD.sub("", head) + body).lstrip()
    return _etree.fromstring(_CONTROLS.sub("", text).encode(), parser) if text else None


def _mended(text: str) -> str:
    """Return a text in which signs that should have been written as entities are: the parser would leave them out."""
    parts: list[str] = []
    for at, part in enumerate(text.split("<![CDATA[")):
        section, end, rest = part.partition("]]>") if at else ("", "", part)
        if at:
            parts += ["<![CDATA[", section, end]
        rest = _NAMED.sub(_letter, rest)
        parts.append(_STRAY.sub(lambda match: escape(match[0]), rest))
    return "".join(parts)


def _letter(name: re.Match[str]) -> str:
    """Return the letter that HTML calls so, or the name as a text."""
    return escape(html5.get(name[1], name[0]), quote=False)
