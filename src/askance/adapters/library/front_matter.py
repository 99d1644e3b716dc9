"""What a note says of itself: at its head, as YAML between lines of dashes or as TOML between plus signs, and by tags
in its text."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import cast

from askance.extract.markdown import code_apart

LONGEST_HEAD_CHARACTERS = 16_000
"""A head is a few lines; a text that begins with a rule is none."""
HEAD = re.compile(
    r"(?:---[ \t]*\n(?P<yaml>.*?)\n(?:---|\.\.\.)|\+\+\+[ \t]*\n(?P<toml>.*?)\n\+\+\+)[ \t]*(?:\n|\Z)",
    re.DOTALL,
)
_FIELD = re.compile(r"([^\s\-#:][^:\n]{0,60}):(?:[ \t](.*)|\Z)")
_ITEM = re.compile(r"[ \t]*-(?:[ \t](.*)|\Z)")
_SCALAR = re.compile(r"[|>][+-]?\d?[+-]?\s*(?:#.*)?")
_COMMENT = re.compile(r"[ \t]#.*")
_QUOTED = re.compile(r"(?P<quote>['\"])(?P<said>.*)(?P=quote)[ \t]*(?:#.*)?")
_TAGS = frozenset({"tags", "tag", "keywords"})
_ALIASES = frozenset({"aliases", "alias"})
_READ = _TAGS | _ALIASES | {"title"}
# As Obsidian knows them: behind white space, and not a number alone.
_INLINE_TAG = re.compile(r"(?<![^\s(])#([\w/-]{1,100})(?![\w/#-])")
_COLOUR = re.compile(r"(?=[a-f]*\d)(?:[\da-f]{3}|[\da-f]{6}|[\da-f]{8})", re.IGNORECASE)
_CODE_SPAN = re.compile(r"`[^`\n]*`")
_MOST_INLINE_TAGS = 50

_Fields = dict[str, list[str]]


@dataclass(frozen=True, slots=True)
class Note:
    """A note without its head; `aliases` are other names that it has, `properties` what else the head says, in lines."""

    text: str
    title: str = ""
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    properties: tuple[str, ...] = ()


def read_note(text: str) -> Note:
    """Return a text without the head that it may have, and what that and the tags in it say."""
    head = HEAD.match(text, 0, LONGEST_HEAD_CHARACTERS)
    value = None
    if head is not None:
        value = _toml_fields(head["toml"]) if head["yaml"] is None else _yaml_fields(head["yaml"])
    if head is None or value is None:
        return Note(text, tags=_inline_tags(text))
    body = text[head.end() :].lstrip("\n")
    fields = {name.casefold(): values for name, values in value.items()}
    tags = [tag.removeprefix("#") for name in _TAGS for tag in fields.get(name, ())]
    aliases = [alias for name in _ALIASES for alias in fields.get(name, ())]
    title = ", ".join(fields.get("title", ()))
    properties = tuple(
        f"{name}: {', '.join(values)}"
        for name, values in value.items()
        if values and name.casefold() not in _READ
    )
    tags += _inline_tags(body)
    return Note(body, title, tuple(dict.fromkeys(tags)), tuple(dict.fromkeys(aliases)), properties)


def _yaml_fields(head: str) -> _Fields | None:
    """Return the fields of a head with their values; None if a line of it says nothing of the kind.

    It is read by lines: what is further in, or an item of a list, belongs to the field above.
    """
    fields: _Fields = {}
    field = ""
    is_text = False  # lines that are one value
    for line in head.split("\n"):
        is_inner = line[:1] in {" ", "\t"}
        if not line.strip() or (line.lstrip().startswith("#") and not is_text):
            continue
        if item := _ITEM.fullmatch(line) if not is_text or not is_inner else None:
            fields.setdefault(field, []).extend(_values(item[1] or "", field))
            is_text = False
        elif is_inner and field:
            _go_on(fields[field], line.strip(), is_text=is_text)
        elif found := _FIELD.fullmatch(line):
            field, given = found[1].strip().strip("'\""), (found[2] or "").strip()
            is_text = bool(_SCALAR.fullmatch(given))
            fields.setdefault(field, []).extend([] if is_text else _values(given, field))
        elif is_text and field:  # of which some programs leave no sign that it is further in
            _go_on(fields[field], line.strip(), is_text=True)
        else:
            return None
    return fields


def _go_on(values: list[str], line: str, *, is_text: bool) -> None:
    if is_text and values:
        values[-1] = f"{values[-1]} {line}"
    else:
        values.append(line if is_text else _bare(line))


def _toml_fields(head: str) -> _Fields | None:
    try:
        read = tomllib.loads(head)
    except (tomllib.TOMLDecodeError, RecursionError):
        return None
    fields: _Fields = {}
    for name, value in _leaves(read):
        fields.setdefault(name, []).append(value)
    return fields


def _leaves(table: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Yield the values of a table, those of its lists and of tables in it each by itself."""
    pile: list[tuple[str, object]] = list(table.items())[::-1]
    while pile:
        name, value = pile.pop()
        if isinstance(value, dict):
            pile += list(cast("dict[str, object]", value).items())[::-1]
        elif isinstance(value, list):
            pile += [(name, item) for item in cast("list[object]", value)[::-1]]
        else:
            yield name, str(value)


def _inline_tags(text: str) -> tuple[str, ...]:
    """Return the tags that stand in a text, outside of its code."""
    found: dict[str, None] = {}
    for is_code, part in code_apart(text):
        for tag in _INLINE_TAG.findall("" if is_code else _CODE_SPAN.sub("", part)):
            name = tag.strip("/-")
            if name and not name.isdigit() and not _COLOUR.fullmatch(name):
                found[name] = None
    return tuple(found)[:_MOST_INLINE_TAGS]


def _values(text: str, field: str) -> list[str]:
    """Return the values of a field: of a list each, of any other field one."""
    text = text.strip()
    if not text.startswith("[") and field.casefold() not in _TAGS | _ALIASES:
        return [bare] if (bare := _bare(text)) else []
    if not _QUOTED.fullmatch(text):
        text = _COMMENT.sub("", f" {text}").strip()
    listed = text.removeprefix("[").removesuffix("]")
    return [tag for part in listed.split(",") if (tag := _bare(part))]


def _bare(text: str) -> str:
    text = text.strip()
    quoted = _QUOTED.fullmatch(text)
    return quoted["said"].strip() if quoted else _COMMENT.sub("", text).strip().strip("'\"").strip()
