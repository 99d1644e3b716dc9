"""Markdown as it streams in: finished blocks, which never change, and the open tail.

A block is as small as can be rendered by itself: a paragraph, a heading, a table, a quotation, one
item of a list with all that hangs on it, a piece of code. Blank lines belong to the block before
them, or to the next one where there is none open. All blocks and the tail together are the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum

_CONTAINERS = r"[ \t]*+(?:>[ \t]*+|(?:[-*+]|[0-9]{1,9}[.)])[ \t]++)*+"
_FENCE = re.compile(
    rf"(?P<prefix>{_CONTAINERS})(?P<marks>`{{3,}}+(?=[^`\n]*$)|~{{3,}}+)(?P<info>.*)"
)
_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")
_RULE = re.compile(r" {0,3}(?:(?:-[ \t]*+){3,}+|(?:\*[ \t]*+){3,}+|(?:_[ \t]*+){3,}+)$")
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
# In the costliest shapes the window sets and draws 1,500 characters in 30 ms (docs/bench). Tables and
# code have little in them but words, and are not to be parted where they are of a usual size.
_LONGEST, _LONGEST_TABLE, _LONGEST_CODE = 1_500, 4_000, 12_000
_MOST_LINES_OF_CODE = 1_000
# How far back a place is looked for at which a long line may be parted.
_LOOKED_BACK = 300


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
    """A stretch of Markdown, as it was written, with the blank lines that belong to it.

    `head` stands before it where it goes on with code or a table that became too long: the line that
    opened the code, or the head of the table with the line below it.
    """

    kind: BlockKind
    text: str
    head: str = ""


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
        self._head = ""
        self._length = 0  # of the lines
        self._open_length = 0  # of what of a line is there
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
        return Block(kind, "".join(self._lines) + partial, self._head)

    def since(self, count: int) -> tuple[Block, ...]:
        """Return the finished blocks from number `count` on."""
        return tuple(self._blocks[count:])

    def add(self, piece: str) -> None:
        """Take in what was written next."""
        first, *rest = piece.split("\n")
        self._write(first)
        for following in rest:
            line = "".join(self._partial)
            self._partial, self._open_length = [], 0
            self._take(line)
            self._write(following)

    def _write(self, part: str) -> None:
        """Add to the open line; what of it is too long for a block goes into one."""
        self._partial.append(part)
        self._open_length += len(part)
        while self._open_length >= self._longest:
            line = "".join(self._partial)
            place = _place_to_part(line[: self._longest], is_code=self._fence is not None)
            self._partial = [line[place:]]
            self._open_length = len(line) - place
            self._take(line[:place], "")
            self._go_on()

    @property
    def _longest(self) -> int:
        return _LONGEST if self._fence is None else _LONGEST_CODE

    def _take(self, line: str, ending: str = "\n") -> None:
        if self._fence is not None:
            self._take_code(line, ending, self._fence)
        elif not line.strip():
            self._take_blank(line, ending)
        elif self._kind is None or self._begins_anew(line, self._kind):
            self._finish()
            self._begin(line, ending)
        else:
            self._append(line, ending)
            self._is_blank_pending = False
            if self._kind is BlockKind.PARAGRAPH:
                self._follow(line)
        if self._is_full:
            self._go_on()

    def _append(self, line: str, ending: str) -> None:
        self._lines.append(line + ending)
        self._length += len(line) + len(ending)

    @property
    def _is_full(self) -> bool:
        match self._kind:
            case BlockKind.CODE:
                is_long = self._length >= _LONGEST_CODE
                return is_long or len(self._lines) >= _MOST_LINES_OF_CODE
            case BlockKind.TABLE:
                return self._length >= _LONGEST_TABLE
            case _:
                return self._length >= _LONGEST

    def _go_on(self) -> None:
        """End the open block; code and tables go on in the next one."""
        kind, fence, head = self._kind, self._fence, self._head
        if kind is BlockKind.TABLE and not head:
            written = [line for line in self._lines if line.strip()]
            is_headed = len(written) > 1 and _DELIMITERS.match(written[1].strip(_OUTER + "\n"))
            head = "".join(written[:2]) if is_headed else ""
        elif fence is not None and not head:
            head = fence.string + "\n"
        self._finish()
        if fence is not None:
            self._kind, self._fence, self._head = kind, fence, head
        elif kind is BlockKind.TABLE and len(head) < _LONGEST:
            self._kind, self._head = kind, head

    def _take_code(self, line: str, ending: str, fence: re.Match[str]) -> None:
        if ">" in fence["prefix"] and not line.lstrip().startswith(">"):
            self._finish()
            self._take(line, ending)
            return
        self._append(line, ending)
        if _closes(line, fence):
            self._finish()

    def _take_blank(self, line: str, ending: str) -> None:
        self._append(line, ending)
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

    def _begin(self, line: str, ending: str) -> None:
        self._append(line, ending)
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
            if self._lines:
                self._blocks.append(Block(self._kind, "".join(self._lines), self._head))
            self._lines, self._length, self._head = [], 0, ""
        self._kind, self._fence, self._is_blank_pending = None, None, False


def split(text: str) -> tuple[Block, ...]:
    """Return the blocks of a finished text; together they are the text."""
    stream = BlockStream()
    stream.add(text if text.endswith("\n") or not text else text + "\n")
    tail = stream.tail
    blocks = [*stream.blocks, *([tail] if tail.text else [])]
    if blocks and not text.endswith("\n"):
        blocks[-1] = replace(blocks[-1], text=blocks[-1].text.removesuffix("\n"))
    return tuple(blocks)


def code_of(block: Block) -> Code:
    """Return what stands in a block of code, without its fences and its indentation."""
    text = block.text.removesuffix("\n") if block.head else block.text.strip("\n")
    lines = (block.head + text).split("\n")
    fence = _FENCE.fullmatch(lines[0])
    if fence is None:
        return Code("", "\n".join(line[_CODE_INDENT:] for line in lines))
    closed = len(lines) > 1 and _closes(lines[-1], fence)
    language = _LANGUAGE.match(fence["info"].strip())
    body = [_unwrapped(line, fence["prefix"]) for line in lines[1 : -1 if closed else None]]
    return Code(language.group() if language else "", "\n".join(body))


def _place_to_part(line: str, *, is_code: bool) -> int:
    """Return where a line that is too long is parted: behind a word, or before a bracket."""
    if is_code:
        return len(line)
    least = len(line) - _LOOKED_BACK
    behind_word = max(line.rfind(" ", least), line.rfind("\t", least)) + 1
    before_bracket = max(line.rfind("[", least), line.rfind("!", least))
    return behind_word or (before_bracket if before_bracket > 0 else len(line))


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
    return bool(
        _HEADING.match(line) or _RULE.match(line) or _QUOTE.match(line) or _FIRST_ITEM.match(line)
    )


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
