"""A style sheet cut into its rules, and whether a rule for some screens counts on this one.

The parser makes an object of each character's worth of a sheet, and is the slow part of reading a page. A sheet
is cut here at its braces and semicolons instead, and the parser is given the few rules that may apply.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from askance.extract.html.css.values import FONT_PX, SCREEN_HEIGHT, SCREEN_WIDTH

# All that can hold a brace without meaning it, and the braces: the next one, behind all else.
_URL = r"(?<![\w\\-])[uU][rR][lL]\((?![\s\"'])"
_PIECE = re.compile(
    rf"(?:[^/\"'uU\\{{}};()\[\]]++|/(?!\*)|(?!{_URL})[uU]|)*+"
    r"(/\*(?:[^*]++|\*(?!/)|)*+(?:\*/)?"
    r'|"(?:[^"\\\n\r\f]++|\\.|)*+"?'
    r"|'(?:[^'\\\n\r\f]++|\\.|)*+'?"
    rf"|{_URL}(?:[^)\\]++|\\.|)*+\)?"
    r"|\\(?:.|\Z)"
    r"|[{};()\[\]]|\Z)",
    re.DOTALL,
)
_AROUND = re.compile(r"(?:[ \t\n\r\f]|/\*(?:[^*]|\*(?!/)|)*+\*/|<!--|-->|)*+")
_KEYWORD = re.compile(r"@(-?[A-Za-z_][A-Za-z0-9_-]*+)")
# What has rules in its block, as a sheet.
LISTS = frozenset({"supports", "container", "layer", "media"})


class StyleStatement(NamedTuple):
    """A rule with a block: `name` is that of an at-rule, empty for others."""

    name: str
    prelude: str
    content: str


def statements_of(sheet: str) -> Iterator[StyleStatement]:
    """Yield the rules with blocks of a sheet, or of the block of an at-rule, cut where the standard cuts them."""
    start = _begin(sheet, 0)
    depth = brackets = opened = 0
    for match in _PIECE.finditer(sheet):
        piece = match[1]
        if piece and piece in "([":
            brackets += 1
        elif piece and piece in ")]":
            brackets = max(0, brackets - 1)
        # A brace within parentheses is part of a value.
        elif brackets or piece not in {"{", "}", ";"}:
            continue
        elif piece == "{":
            opened = opened if depth else match.end()
            depth += 1
        elif depth:
            depth -= piece == "}"
            if not depth:
                yield _statement(sheet[start : opened - 1], sheet[opened : match.start(1)])
                start = _begin(sheet, match.end())
        elif piece == ";" and sheet.startswith("@", start):
            start = _begin(sheet, match.end())
    # The end of a sheet closes all blocks that are open, as in CSS Syntax 3.
    if depth:
        yield _statement(sheet[start : opened - 1], sheet[opened:])


def _begin(sheet: str, place: int) -> int:
    around = _AROUND.match(sheet, place)
    return around.end() if around else place


def _statement(prelude: str, content: str) -> StyleStatement:
    keyword = _KEYWORD.match(prelude)
    if keyword is None:
        return StyleStatement("@" if prelude.startswith("@") else "", prelude, content)
    return StyleStatement(keyword[1].lower(), prelude[keyword.end() :], content)


# Whether a media query holds on the screen of a person who reads: a laptop, a mouse, a light theme.
_FEATURE = re.compile(r"\(([^()]{0,100}+)\)")
_SIZE = re.compile(
    r"(?:(min|max)-)?(?:device-)?(width|height)(?::|([<>])=?)(\d{1,6}(?:\.\d{1,6})?)(px|r?em|)"
)
_RANGE = re.compile(r"([^<>=]{1,40})([<>]=?)(width|height)(.*)")
_HOLDING = frozenset({
    "orientation:landscape", "hover:hover", "pointer:fine", "any-hover:hover", "any-pointer:fine", "scripting:enabled",
    "prefers-color-scheme:light", "prefers-reduced-motion:no-preference", "color", "min-resolution:1dppx",
})  # fmt: skip


_FLIPPED = str.maketrans("<>", "><")


@lru_cache(maxsize=5000)
def holds_on_screen(query: str) -> bool:
    """Whether one of a list of media queries holds. What is unknown does not, as in a browser."""
    plain = _FEATURE.sub(lambda found: f" {_holds(found[1])} ", query.lower())
    return not query.strip() or any(map(_part_holds, re.split(r",|\bor\b", plain)))


def _part_holds(part: str) -> bool:
    words = [word for word in part.split() if word not in {"and", "only"}]
    is_negated = words[:1] == ["not"]
    return bool(words) and is_negated is not all(
        word in {"all", "screen", "true"} for word in words[is_negated:]
    )


def _holds(feature: str) -> str:
    text = "".join(feature.split())
    # As in `400px <= width < 900px`.
    if found := _RANGE.fullmatch(text):
        sides = (f"{found[3]}{found[2].translate(_FLIPPED)}{found[1]}", f"{found[3]}{found[4]}")
        return str(all(_holds(side) == "true" for side in sides if side != found[3])).lower()
    size = _SIZE.fullmatch(text)
    if size is None or not (size[1] or size[3]):
        return str(text in _HOLDING).lower()
    screen = SCREEN_WIDTH if size[2] == "width" else SCREEN_HEIGHT
    wanted = float(size[4]) * (FONT_PX if size[5].endswith("em") else 1)
    is_least = size[1] == "min" or size[3] == ">"
    return str(screen >= wanted if is_least else screen <= wanted).lower()
