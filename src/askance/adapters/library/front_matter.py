"""What a note says of itself: at its head, between lines of dashes, and by tags in its text."""

from __future__ import annotations

import re
from dataclasses import dataclass

from askance.extract.markdown import code_apart

# A head is a few lines; a text that begins with a rule is none.
_LONGEST_HEAD_CHARACTERS = 4_000
_HEAD = re.compile(r"---\n(.*?)\n(?:---|\.\.\.)(?:\n|\Z)", re.DOTALL)
_FIELD = re.compile(r"([A-Za-z_-]{1,40}):[ \t]*(.*)")
_ITEM = re.compile(r"[ \t]*-[ \t](.*)")
_TAGS = frozenset({"tags", "tag", "keywords"})
_ALIASES = frozenset({"aliases", "alias"})
# As Obsidian knows them: behind white space, and not a number alone.
_INLINE_TAG = re.compile(r"(?<![^\s(])#([\w/-]{1,100})(?![\w/#-])")
_COLOUR = re.compile(r"(?=[a-f]*\d)(?:[\da-f]{3}|[\da-f]{6}|[\da-f]{8})", re.IGNORECASE)
_CODE_SPAN = re.compile(r"`[^`\n]*`")
_MOST_INLINE_TAGS = 50


@dataclass(frozen=True, slots=True)
class Note:
    """A note without its head; `aliases` are other names that it has."""

    text: str
    title: str = ""
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()


def read_note(text: str) -> Note:
    """Return a text without the head that it may have, and what that and the tags in it say."""
    head = _HEAD.match(text, 0, _LONGEST_HEAD_CHARACTERS)
    said = _fields(head[1]) if head else None
    if head is None or said is None:
        return Note(text, tags=_inline_tags(text))
    body = text[head.end() :].lstrip("\n")
    tags = [tag.removeprefix("#") for name in _TAGS for tag in said.get(name, ())]
    aliases = [alias for name in _ALIASES for alias in said.get(name, ())]
    title = ", ".join(said.get("title", ()))
    tags += _inline_tags(body)
    return Note(body, title, tuple(dict.fromkeys(tags)), tuple(dict.fromkeys(aliases)))


def _fields(head: str) -> dict[str, list[str]] | None:
    """Return the fields of a head with their values; None if a line of it says nothing of the kind."""
    fields: dict[str, list[str]] = {}
    field = ""
    for line in head.split("\n"):
        if item := _ITEM.fullmatch(line):
            fields.setdefault(field, []).extend(_values(item[1]))
        elif found := _FIELD.fullmatch(line):
            field = found[1].lower()
            given = [_bare(found[2])] if field == "title" else _values(found[2])
            fields.setdefault(field, []).extend(given)
        elif line.strip():
            return None
    return fields


def _inline_tags(text: str) -> tuple[str, ...]:
    """Return the tags that stand in a text, outside of its code."""
    found: dict[str, None] = {}
    for is_code, part in code_apart(text):
        for tag in _INLINE_TAG.findall("" if is_code else _CODE_SPAN.sub("", part)):
            name = tag.strip("/-")
            if name and not name.isdigit() and not _COLOUR.fullmatch(name):
                found[name] = None
    return tuple(found)[:_MOST_INLINE_TAGS]


def _values(said: str) -> list[str]:
    listed = said.strip().removeprefix("[").removesuffix("]")
    return [tag for part in listed.split(",") if (tag := _bare(part))]


def _bare(said: str) -> str:
    return said.strip().strip("'\"").strip()
