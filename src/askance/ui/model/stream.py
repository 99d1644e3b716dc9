"""Markdown as it streams in: finished blocks, which never change, and the open tail.

A block is as small as can be rendered by itself: a paragraph, a heading, a table, a quotation, one
item of a list with all that hangs on it, a piece of code. Blank lines belong to the block before
them, or to the next one where there is none open. All blocks and the tail together are the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

_CONTAINERS = r"[ \t]*(?:>[ \t]*|(?:[-*+]|[0-9]{1,9}[.)])[ \t]+)*"
_FENCE = re.compile(rf"(?P<prefix>{_CONTAINERS})(?P<marks>`{{3,}}(?=[^`\n]*$)|~{{3,}})(?P<info>.*)")
_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")
_RULE = re.compile(r" {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$")
_UNDERLINE = re.compile(r" {0,3}(?:-+|=+)[ \t]*$")
_ITEM = re.compile(r"[ \t]*(?:[-*+]|[0-9]{1,9}[.)])(?:[ \t]|$)")
_FIRST_ITEM = re.compile(r" {0,3}(?:[-*+]|1[.)])[ \t]+\S")
_QUOTE = re.compile(r" {0,3}>")
_ROW = re.compile(r" {0,3}\|")
_DELIMITERS = re.compile(r"\|?(?:[ \t]*:?-+:?[ \t]*\|)+(?:[ \t]*:?-+:?[ \t]*)?$")
_OUTER = " \t>"
_LANGUAGE = re.compile(r"[\w+#.-]{1,24}")
_ITEM_INDENT = 2
_CODE_INDENT = 4


class BlockKind(StrEnum):
    """What a block is."""

    PARAGRAPH = "paragraph"
    HEADING = "heading"
    LIST = "list"
    QUOTE = "quote"
    TABLE = "table"
    CODE = "code"
    RULE = "rule"


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of Markdown, as it was written, with the blank lines that belong to it."""

    kind: BlockKind
    text: str


@dataclass(frozen=True, slots=True)
class Code:
    """What stands in a block of code. `language` is as the writer named it, or empty."""

    language: str
    text: str


class BlockStream:
    """Splits Markdown while it arrives, in time linear in what is added."""

    def __init__(self) -> None:
        self._blocks: list[Block] = []
        self._lines: list[str] = []
        self._partial: list[str] = []
        self._kind: BlockKind | None = None
        self._fence: re.Match[str] | None = None
        self._is_blank_pending = False
        self._is_in_list = False

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The finished blocks."""
        return tuple(self._blocks)

    @property
    def count(self) -> int:
        """How many blocks are finished."""
        return len(self._blocks)

    @property
    def tail(self) -> Block:
        """What is open: it may still grow, and may still turn out to be something else."""
        partial = "".join(self._partial)
        kind = self._kind or (_kind(partial) if partial else BlockKind.PARAGRAPH)
        return Block(kind, "".join(self._lines) + partial)

    def since(self, count: int) -> tuple[Block, ...]:
        """Return the finished blocks from number `count` on."""
        return tuple(self._blocks[count:])

    def add(self, piece: str) -> None:
        """Take in what was written next."""
        first, *rest = piece.split("\n")
        self._partial.append(first)
        for following in rest:
            line = "".join(self._partial)
            self._partial = [following]
            self._take(line)

    def _take(self, line: str) -> None:
        if self._fence is not None:
            self._take_code(line, self._fence)
        elif not line.strip():
            self._take_blank(line)
        elif self._kind is None or self._begins_anew(line, self._kind):
            self._finish()
            self._begin(line)
        else:
            self._lines.append(line + "\n")
            self._is_blank_pending = False
            if self._kind is BlockKind.PARAGRAPH:
                self._follow(line)

    def _take_code(self, line: str, fence: re.Match[str]) -> None:
        if ">" in fence["prefix"] and not line.lstrip().startswith(">"):
            self._finish()
            self._take(line)
            return
        self._lines.append(line + "\n")
        if _closes(line, fence):
            self._finish()

    def _take_blank(self, line: str) -> None:
        self._lines.append(line + "\n")
        if self._kind in (BlockKind.LIST, BlockKind.CODE):
            self._is_blank_pending = True
        elif self._kind is not None:
            self._finish()

    def _begins_anew(self, line: str, kind: BlockKind) -> bool:
        if _FENCE.fullmatch(line):
            return True
        indent = _indent(line)
        match kind:
            case BlockKind.LIST:
                if _ITEM.match(line) and indent < _ITEM_INDENT:
                    return True
                return indent < _ITEM_INDENT and (self._is_blank_pending or _stands_alone(line))
            case BlockKind.CODE:
                return indent < _CODE_INDENT
            case BlockKind.TABLE:
                return "|" not in line
            case BlockKind.QUOTE:
                return not _QUOTE.match(line) and _stands_alone(line)
            case _:
                if _UNDERLINE.match(line):
                    return False
                goes_on = self._is_in_list and indent < _ITEM_INDENT and _ITEM.match(line)
                return bool(goes_on or _ROW.match(line)) or _stands_alone(line)

    def _begin(self, line: str) -> None:
        self._lines.append(line + "\n")
        self._fence = _FENCE.fullmatch(line)
        if self._fence is not None:
            self._kind = BlockKind.CODE
            return
        indent = _indent(line)
        self._kind = _kind(line)
        if self._kind is BlockKind.LIST:
            self._is_in_list = True
        elif indent < _ITEM_INDENT:
            self._is_in_list = False
        if indent >= _CODE_INDENT and not self._is_in_list:
            self._kind = BlockKind.CODE
        if self._kind in (BlockKind.HEADING, BlockKind.RULE):
            self._finish()

    def _follow(self, line: str) -> None:
        """See what the second line of a paragraph makes of the first."""
        if _UNDERLINE.match(line):
            self._kind = BlockKind.HEADING
            self._finish()
        elif _DELIMITERS.match(line.strip(_OUTER)):
            written = [text for text in self._lines if text.strip()]
            if len(written) == 2 and "|" in written[0]:
                self._kind = BlockKind.TABLE

    def _finish(self) -> None:
        if self._kind is not None:
            self._blocks.append(Block(self._kind, "".join(self._lines)))
            self._lines = []
        self._kind, self._fence, self._is_blank_pending = None, None, False


def split(text: str) -> tuple[Block, ...]:
    """Return the blocks of a finished text; together they are the text."""
    stream = BlockStream()
    stream.add(text if text.endswith("\n") or not text else text + "\n")
    tail = stream.tail
    blocks = [*stream.blocks, *([tail] if tail.text else [])]
    if blocks and not text.endswith("\n"):
        blocks[-1] = Block(blocks[-1].kind, blocks[-1].text.removesuffix("\n"))
    return tuple(blocks)


def code_of(block: Block) -> Code:
    """Return what stands in a block of code, without its fences and its indentation."""
    lines = block.text.strip("\n").split("\n")
    fence = _FENCE.fullmatch(lines[0])
    if fence is None:
        return Code("", "\n".join(line[_CODE_INDENT:] for line in lines))
    closed = len(lines) > 1 and _closes(lines[-1], fence)
    language = _LANGUAGE.match(fence["info"].strip())
    body = [_unwrapped(line, fence["prefix"]) for line in lines[1 : -1 if closed else None]]
    return Code(language.group() if language else "", "\n".join(body))


def _kind(line: str) -> BlockKind:
    if _FENCE.fullmatch(line):
        return BlockKind.CODE
    if _HEADING.match(line):
        return BlockKind.HEADING
    if _RULE.match(line):
        return BlockKind.RULE
    if _QUOTE.match(line):
        return BlockKind.QUOTE
    if _ITEM.match(line):
        return BlockKind.LIST
    return BlockKind.TABLE if _ROW.match(line) else BlockKind.PARAGRAPH


def _stands_alone(line: str) -> bool:
    """Whether a line begins a block of its own even without a blank line before it."""
    return any(p.match(line) for p in (_HEADING, _RULE, _QUOTE, _FIRST_ITEM))


def _indent(line: str) -> int:
    expanded = line.expandtabs(4)
    return len(expanded) - len(expanded.lstrip(" "))


def _closes(line: str, fence: re.Match[str]) -> bool:
    bare = line.replace(">", "").strip() if ">" in fence["prefix"] else line.strip()
    marks = fence["marks"]
    return bare.startswith(marks) and not bare.strip(marks[0])


def _unwrapped(line: str, prefix: str) -> str:
    """Return a line of code without the quote marks and the indentation of its fence."""
    for _ in range(prefix.count(">")):
        line = re.sub(r"^[ \t]*> ?", "", line)
    _, quote, inner = prefix.rpartition(">")
    width = len(inner) - len(quote)
    return re.sub(rf"^[ \t]{{0,{max(width, 0)}}}", "", line)
