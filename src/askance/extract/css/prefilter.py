"""Leaving out of a style sheet, before it is parsed, the rules for elements that a page lacks.

Frameworks put thousands of rules into a page that has elements for a tenth of them, and parsing
is the slow part. One pass over the text finds the innermost blocks. Where the text is in any way
odd, so that a browser might cut it otherwise, the sheet is parsed as it is.
"""

from __future__ import annotations

import re

# All that can hold a brace without meaning it, and the braces.
_PIECE = re.compile(
    r"/\*(?:[^*]|\*(?!/))*+(?:\*/)?"
    r'|"(?:[^"\\\n\r\f]|\\.)*+"?'
    r"|'(?:[^'\\\n\r\f]|\\.)*+'?"
    r"|(?<![\w\\-])url\((?![\s\"'])(?:[^)\\\"'(\s]|\\.)*+\)?"
    r"|\\."
    r"|[{};()\[\]]",
    re.DOTALL | re.IGNORECASE,
)
_COMMENT = re.compile(r"/\*(?:[^*]|\*(?!/))*+(?:\*/)?")
_NAME = re.compile(r"[.#][^\s.#:>+~,&*]++")
# What stands in parentheses and brackets may be a choice or a contrary; the names beside it are
# needed all the same. Where more than that remains, nothing can be said.
_ASIDE = re.compile(r"\([^()\[\]]*+\)|\[[^()\[\]]*+\]")
_INTRICATE = re.compile(r"[\\\"'()\[\]@%|]")
# Parts of elements, and states that a page at rest is not in.
_NEVER = re.compile(
    r"::|:(?:before|after|hover|focus|active|visited|target|first-l)", re.IGNORECASE
)
_NO_ELEMENTS = re.compile(r"\s*@(?:font-face|page|counter-style|property)\b", re.IGNORECASE)


def worth_parsing(sheet: str, names: frozenset[str], *, quirks: bool) -> str:
    """Return a sheet without the blocks whose selectors ask for classes and ids that are not there."""
    kept: list[str] = []
    # Ends of what was decided on and of the last statement, and where the last block was opened.
    done = start = before = opened = 0
    depth = brackets = 0
    is_innermost = False
    for match in _PIECE.finditer(sheet):
        piece, end = match[0], match.end()
        if len(piece) > 1:
            if _is_odd(piece):
                return sheet
        elif piece in "()[]":
            brackets += 1 if piece in "([" else -1
        elif brackets or (piece == "}" and not depth):
            return sheet
        elif piece == "{":
            before, opened, start = start, end, end
            is_innermost = True
            depth += 1
        else:
            if piece == "}":
                depth -= 1
                if is_innermost and not _may_apply(
                    sheet[before : opened - 1], names, quirks=quirks
                ):
                    kept.append(sheet[done:before])
                    done = end
                is_innermost = False
            start = end
    return sheet if brackets else "".join([*kept, sheet[done:]])


def _is_odd(piece: str) -> bool:
    """Whether a comment, a string or an address does not end as it should."""
    if piece[0] in "\"'":
        return len(piece) < 2 or piece[-1] != piece[0]
    return piece[0] in "uU" and piece[-1] != ")"


def _may_apply(prelude: str, names: frozenset[str], *, quirks: bool) -> bool:
    plain = _COMMENT.sub(" ", prelude)
    if _NO_ELEMENTS.match(plain):
        return False
    plain = _ASIDE.sub("", plain)
    if _INTRICATE.search(plain):
        return True
    if quirks:
        plain = plain.lower()
    return any(
        names.issuperset(_NAME.findall(part)) and not _NEVER.search(part)
        for part in plain.split(",")
    )
