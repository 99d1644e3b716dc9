"""Markdown: its white space in order, and its blocks of code apart from what is between them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from askance.extract.text.characters import strip_invisible

_SPACES = re.compile(r" [^\S\n]++|[^\S\n ][^\S\n]*+")  # but for one that is one already
_LINE_EDGES = re.compile(r" ?\n ?")
_BLANK_LINES = re.compile(r"\n{3,}")
_IMAGE = re.compile(r"!\[([^\[\]\n]*)\]\([^()\n]*\)")
_FENCE = re.compile(r"([ \t>]{0,8})(`{3,}+|~{3,}+)([^`\n]*)$")
FENCES = ("```", "~~~")
"""With which a block of code begins that stands between fences."""
_TICKS = re.compile("`{3,}+")
_CODE_INDENTS = ("    ", "\t")
_ITEM = re.compile(r"[ \t>]{0,8}(?:[-+*]|\d{1,9}[.)])[ \t]")


def tidy_text(text: str) -> str:
    """Return a text with its white space in order, and without invisible characters or images."""
    if "![" in text:
        text = _IMAGE.sub(r"\1", text)
    # Most blocks of a page: there is nothing to put in order.
    if text.isascii() and text.isprintable() and "  " not in text:
        return text.strip()
    spaced = _SPACES.sub(" ", strip_invisible(text))
    if "\n" in spaced:
        spaced = _BLANK_LINES.sub("\n\n", _LINE_EDGES.sub("\n", spaced))
    return spaced.strip()


def tidy_line(text: str) -> str:
    """Return a text on one line, without invisible characters or images."""
    if "![" in text:
        text = _IMAGE.sub(r"\1", text)
    return " ".join(strip_invisible(text).split())


def picture_label(text: str) -> str:
    """Return what a picture says to those who do not see it, as a text that says what it is."""
    return f"[Picture: {line}]" if (line := " ".join(text.split())) else ""


def fenced(code: str, syntax: str = "") -> str:
    """Return code between fences that it does not hold itself, with its language if that is known."""
    longest = max((len(mark) for mark in _TICKS.findall(code)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{syntax}\n{code}\n{fence}"


def code_apart(text: str) -> Iterator[tuple[bool, str]]:
    """Yield a Markdown text in parts: blocks of code to the letter, and what is between them.

    Code stands between fences, or is indented outside of a list. What is between fences that stand further
    in, as in a list, loses as much of its indentation.
    """
    lines: list[str] = []
    fence = indent = ""
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if fence:
            # A fence is closed by one of the same sign that is at least as long (CommonMark 4.5).
            if mark and mark[2].startswith(fence) and not mark[3].strip():
                yield True, "\n".join([*lines, line.strip(" \t>")])
                lines, fence = [], ""
            else:
                lines.append(_outdented(line, indent).rstrip())
        elif mark:
            yield from _indented_apart(lines)
            lines, fence, indent = [line.strip(" \t>")], mark[2], mark[1]
        else:
            lines.append(line)
    if fence:
        yield True, "\n".join(lines).rstrip()
    else:
        yield from _indented_apart(lines)


def _outdented(line: str, indent: str) -> str:
    """Return a line of code without what stands before its fence, too, or so much of that as it has."""
    same = next(
        (i for i, (a, b) in enumerate(zip(line, indent, strict=False)) if a != b), len(indent)
    )
    return line[same:]


def _indented_apart(lines: list[str]) -> Iterator[tuple[bool, str]]:
    gathered: list[str] = []
    is_code = in_list = False
    for line in lines:
        if line.strip():
            # Indented code interrupts no paragraph, and in a list it is the item's (4.4, 5.2).
            begins = not in_list and not (gathered and gathered[-1].strip())
            now = line.startswith(_CODE_INDENTS) and (is_code or begins)
            if now is not is_code:
                yield is_code, "\n".join(gathered).rstrip()
                gathered, is_code = [], now
            in_list = bool(_ITEM.match(line)) or (in_list and line[0] in " \t")
        gathered.append(line.rstrip() if is_code else line)
    yield is_code, "\n".join(gathered).rstrip()
