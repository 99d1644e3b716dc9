"""What a note says of itself at its head, between lines of dashes: its title and its tags."""

from __future__ import annotations

import re
from dataclasses import dataclass

# A head is a few lines; a text that begins with a rule is none.
_LONGEST_HEAD_CHARACTERS = 4_000
_HEAD = re.compile(r"---\n(.*?)\n(?:---|\.\.\.)(?:\n|\Z)", re.DOTALL)
_FIELD = re.compile(r"([A-Za-z_-]{1,40}):[ \t]*(.*)")
_ITEM = re.compile(r"[ \t]*-[ \t](.*)")
_TAGS = frozenset({"tags", "tag", "keywords"})


@dataclass(frozen=True, slots=True)
class Note:
    """A note without its head."""

    text: str
    title: str = ""
    tags: tuple[str, ...] = ()


def read_note(text: str) -> Note:
    """Return a text without the head that it may have, and what that says."""
    head = _HEAD.match(text, 0, _LONGEST_HEAD_CHARACTERS)
    if head is None:
        return Note(text)
    title, tags, field = "", list[str](), ""
    for line in head[1].split("\n"):
        if item := _ITEM.fullmatch(line):
            tags += _values(item[1]) if field in _TAGS else []
        elif found := _FIELD.fullmatch(line):
            field = found[1].lower()
            title = _bare(found[2]) if field == "title" else title
            tags += _values(found[2]) if field in _TAGS else []
        elif line.strip():
            return Note(text)  # it is no head: a line of it says nothing of the kind
    return Note(text[head.end() :].lstrip("\n"), title, tuple(dict.fromkeys(tags)))


def _values(said: str) -> list[str]:
    listed = said.strip().removeprefix("[").removesuffix("]")
    return [tag for part in listed.split(",") if (tag := _bare(part).removeprefix("#"))]


def _bare(said: str) -> str:
    return said.strip().strip("'\"").strip()
