"""Markdown as it streams in, in blocks: finished ones, which never change, and the open tail; and code of a block in colours.

A block is as small as can be read by itself: a paragraph, a heading, a table, a quotation, one item
of a list with all that hangs on it, a piece of code. The grammar that reads all answers says where
one begins; only what is open is read again. The first blank line behind a block belongs to it, all
of them to an item. All blocks and the tail together are the text.

Code has its comments, strings, numbers and keywords told by rules that most languages share. They read foreign
text in the window's own thread: each of their patterns takes linear time.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import lru_cache

from markdown_it.token import Token

from askance.citations.markdown.grammar import CODE, is_closed, line_spans, parse_blocks

# The first word of a fence's info string (CommonMark 0.31, 4.5), such as `c++`, `c#` or
# `objective-c`. What follows it, as in `py title="x"`, is no language.
_LANGUAGE = re.compile(r"[\w+#.-]{1,24}")
# The narrowest mark of an item is `- `: a line that is indented by less belongs to no item.
_ITEM_INDENT = 2
_WHATEVER = 1_000
"""More than any line is indented: then the next one says how much it is."""
# In the costliest shapes the window sets and draws 1,500 characters in 30 ms (docs/bench). Tables and
# code have little in them but words, and are not to be parted where they are of a usual size.
_LONGEST, _LONGEST_TABLE, _LONGEST_CODE = 1_500, 4_000, 12_000
# Each line of code becomes a paragraph of Qt's document, which costs something however short it is.
_MOST_LINES_OF_CODE = 1_000
# How far back a place is looked for at which a long line may be parted.
_LOOKED_BACK = 300


class MarkdownBlockKind(StrEnum):
    """What a block is."""

    PARAGRAPH = "paragraph"
    HEADING = "heading"
    LIST = "list"
    QUOTE = "quote"
    TABLE = "table"
    CODE = "code"
    RULE = "rule"


_KINDS = {
    "paragraph_open": MarkdownBlockKind.PARAGRAPH,
    "heading_open": MarkdownBlockKind.HEADING,
    # An item and not its list: a list may go on to the end of the answer, and would be read again
    # as a whole with every piece that comes.
    "list_item_open": MarkdownBlockKind.LIST,
    "blockquote_open": MarkdownBlockKind.QUOTE,
    "table_open": MarkdownBlockKind.TABLE,
    "fence": MarkdownBlockKind.CODE,
    "code_block": MarkdownBlockKind.CODE,
    "hr": MarkdownBlockKind.RULE,
}
_CONTAINERS = ("bullet_list_open", "ordered_list_open", "list_item_open", "blockquote_open")


@dataclass(frozen=True, slots=True)
class MarkdownBlock:
    """A stretch of Markdown, as it was written, with the blank lines that belong to it.

    What became too long for one block goes on in the next. `head` stands before it then: the line
    that opened the code, or the head of the table with the line below it. `indent` is how far its
    lines stand in because they hang on an item of a list that is in another block.
    """

    kind: MarkdownBlockKind
    text: str
    head: str = ""
    indent: int = 0

    @property
    def markdown(self) -> str:
        """What is to be read: its lines are those of the head and of the text, some less indented."""
        return self.head + _dedented(self.text, self.indent)[0]


@dataclass(frozen=True, slots=True)
class Code:
    """What stands in a block of code. `language` is as the writer named it, or empty."""

    language: str
    text: str


class BlockStream:
    """Splits Markdown while it arrives. What was added is read when its blocks are asked for."""

    def __init__(self) -> None:
        self._blocks: list[MarkdownBlock] = []
        self._text = ""
        self._added: list[str] = []
        self._line = 0  # characters of the open one
        self._at = 0  # where in the text the open block begins
        self._head = ""
        self._indent = 0
        # Whether anything can have ended since blocks were last taken off.
        self._is_due = False

    @property
    def count(self) -> int:
        """How many blocks are finished."""
        self._advance()
        return len(self._blocks)

    @property
    def tail(self) -> MarkdownBlock:
        """What is open: it may still grow, and may still turn out to be something else."""
        self._advance()
        tail = MarkdownBlock(
            MarkdownBlockKind.PARAGRAPH, self._text[self._at :], self._head, self._indent
        )
        units = _units(tail.markdown)
        return replace(tail, kind=units[0].kind) if units else tail

    def since(self, count: int) -> tuple[MarkdownBlock, ...]:
        """Return the finished blocks from number `count` on."""
        self._advance()
        return tuple(self._blocks[count:])

    def add(self, piece: str) -> None:
        """Take in what was written next."""
        # Only noted: tokens come in bundles, and are read once a bundle, when its view is made.
        self._added.append(piece)
        behind = piece.rfind("\n") + 1
        self._line = len(piece) - behind + (0 if behind else self._line)
        # Without a line's end no block can have ended, and only one that is too long is looked at.
        self._is_due = self._is_due or behind > 0 or self._line >= _LONGEST

    def _advance(self) -> None:
        self._text = self._text[self._at :] + "".join(self._added)
        self._at = 0
        self._added.clear()
        while self._is_due:
            # With the short bound first, for reading costs by the length. Only where that takes
            # nothing off may it be code, whose lines and blocks may be longer.
            part, is_cut = _part(self._text, self._at, _LONGEST)
            self._is_due = self._take(part, is_cut, _LONGEST)
            if not self._is_due and (is_cut or self._at + len(part) <= self._text.rfind("\n")):
                part, is_cut = _part(self._text, self._at, _LONGEST_CODE)
                self._is_due = self._take(part, is_cut, _LONGEST_CODE)

    def _take(self, text: str, is_cut: bool, longest: int) -> bool:
        """Take the finished blocks off a part of the open text, and say whether there were any.

        `is_cut` says that its last line was too long, and goes on behind it.
        """
        part = _Part(MarkdownBlock(MarkdownBlockKind.PARAGRAPH, text, self._head, self._indent))
        begin = 0
        # Where lines may be long, what follows the first block has lines that are too long for it.
        for i, unit in enumerate(part.units if longest == _LONGEST else part.units[:1]):
            end = part.end(i)
            # A line of fenced code is not parted where a line of words would be.
            if end is None and is_cut and (longest == _LONGEST_CODE or not unit.is_fenced):
                end = len(text)
            cut = part.cut(unit, begin, len(text) if end is None else end)
            if cut is None and end is None:
                break
            taken = cut or end or 0
            block = MarkdownBlock(unit.kind, text[begin:taken], self._head, self._indent)
            self._blocks.append(block)
            self._head, self._indent = "", _dedented(block.text, block.indent)[1]
            begin = taken
            if cut is not None or (is_cut and end == len(text)):
                self._go_on(unit, block)
                break
        self._at += begin
        return begin > 0

    def _go_on(self, unit: _Unit, block: MarkdownBlock) -> None:
        """Note what the next block must know of one that became too long."""
        lines = block.markdown.splitlines(keepends=True)
        if unit.fence is not None:
            self._head = block.head or (lines[0] if unit.fence.type == "fence" else "")
        elif unit.kind is MarkdownBlockKind.TABLE:
            head = block.head or "".join(lines[:2])
            # The head is drawn again with each part of its table: one as long as a block is not.
            self._head = head if len(head) < _LONGEST else ""
        elif unit.kind is MarkdownBlockKind.LIST:
            self._indent = _WHATEVER


def split(text: str) -> tuple[MarkdownBlock, ...]:
    """Return the blocks of a finished text; together they are the text."""
    stream = BlockStream()
    # A line that has not ended stays open; of a finished text the last one is as finished as the
    # others.
    stream.add(text if text.endswith("\n") or not text else text + "\n")
    tail = stream.tail
    blocks = [*stream.since(0), *([tail] if tail.text else [])]
    if blocks and not text.endswith("\n"):
        blocks[-1] = replace(blocks[-1], text=blocks[-1].text.removesuffix("\n"))
    return tuple(blocks)


def code_of(token: Token) -> Code:
    """Return what stands in a block of code, without its fences and its indentation."""
    language = _LANGUAGE.match(token.info.strip())
    return Code(language.group() if language else "", token.content.removesuffix("\n"))


@dataclass(slots=True)
class _Unit:
    """What may become a block: its first line, the line behind its last, and what begins in it."""

    kind: MarkdownBlockKind
    token: Token
    first: int
    last: int
    inner: list[Token] = field(default_factory=list[Token])

    @property
    def fence(self) -> Token | None:
        """The code of which it consists, from its first line to its last."""
        # An item that is nothing but code is parted as code is.
        for token in (self.token, *self.inner):
            if token.type in CODE:
                return token if token.map == [self.first, self.last] else None
            if token.type not in _CONTAINERS:
                return None
        return None

    @property
    def is_fenced(self) -> bool:
        """Whether its lines may be as long as those of code are."""
        return self.fence is not None and self.fence.type == "fence"


def _units(markdown: str) -> list[_Unit]:
    units: list[_Unit] = []
    for token in parse_blocks(markdown):
        # Items of a list are blocks; those of a list within an item lie deeper, and hang on theirs.
        is_outer = token.level == 0 or (token.type == "list_item_open" and token.level == 1)
        if token.map is None or token.nesting < 0:
            continue
        if is_outer and token.type in _KINDS:
            units.append(_Unit(_KINDS[token.type], token, token.map[0], token.map[1]))
        elif units and not is_outer:
            units[-1].inner.append(token)
    return units


class _Part:
    """A part of the open text, in whole lines, and what it holds."""

    def __init__(self, block: MarkdownBlock) -> None:
        self._text = block.text
        self._head = block.head.count("\n")
        self._starts = [start for start, _ in line_spans(block.text)]
        self.units = _units(block.markdown)

    def end(self, i: int) -> int | None:
        """Return where a block ends, or None if it may go on."""
        unit = self.units[i]
        stop = self._start(unit.last)
        last = self._text[self._start(unit.last - 1) : stop]
        match unit.kind:
            case MarkdownBlockKind.HEADING | MarkdownBlockKind.RULE:
                return stop
            case MarkdownBlockKind.CODE if unit.token.type == "fence" and is_closed(
                unit.token, last
            ):
                return stop
            # After a blank line an item goes on where what follows is indented, and so does
            # indented code (CommonMark 0.31, 5.2 and 4.4): only the next block tells that they have
            # ended.
            case MarkdownBlockKind.LIST | MarkdownBlockKind.CODE:
                pass
            case _ if stop < len(self._text):
                behind = self._text.find("\n", stop) + 1
                return stop if self._text[stop:behind].strip() else behind
            case _:
                pass
        return self._start(self.units[i + 1].first) if i + 1 < len(self.units) else None

    def cut(self, unit: _Unit, begin: int, end: int) -> int | None:
        """Return where a block is parted that is too long, or None if it is not."""
        is_code = unit.fence is not None
        longest = _LONGEST_TABLE if unit.kind is MarkdownBlockKind.TABLE else _LONGEST
        longest = _LONGEST_CODE if is_code else longest
        starts = self._starts
        first = bisect_right(starts, begin)
        i = bisect_left(starts, begin + longest, first)
        if is_code:
            i = min(i, first + _MOST_LINES_OF_CODE - 1)
        place = starts[i] if i < len(starts) else len(self._text)
        if place > end or (i >= len(starts) and place - begin < longest):
            return None
        # Where something in it begins, so that no paragraph of an item or a quotation is torn in
        # two.
        if unit.kind in (MarkdownBlockKind.LIST, MarkdownBlockKind.QUOTE) and not is_code:
            inner = (self._start(token.map[0]) for token in unit.inner if token.map)
            place = max((at for at in inner if begin < at < place), default=place)
        return place

    def _start(self, line: int) -> int:
        """Return where a line starts, those of the head counted."""
        i = max(line - self._head, 0)
        return self._starts[i] if i < len(self._starts) else len(self._text)


def _part(text: str, begin: int, longest: int) -> tuple[str, bool]:
    """Return whole lines of a text from a place on, as many as are read at once.

    A line that is too long is parted, and the last one then.
    """
    at = begin
    while at < begin + 2 * longest:
        end = text.find("\n", at)
        if (len(text) if end < 0 else end) - at >= longest:
            return text[begin : at + _place_to_part(text[at : at + longest], longest)], True
        if end < 0:
            break
        at = end + 1
    return text[begin:at], False


def _place_to_part(line: str, longest: int) -> int:
    """Return where a line that is too long is parted: behind a word, or before a bracket."""
    if longest == _LONGEST_CODE:
        return len(line)
    least = len(line) - _LOOKED_BACK
    behind_word = max(line.rfind(" ", least), line.rfind("\t", least)) + 1
    before_bracket = max(line.rfind("[", least), line.rfind("!", least))
    # Scripts without spaces have no end of a word. A bracket may begin a marker or a link, which is
    # nothing without its rest.
    return behind_word or (before_bracket if before_bracket > 0 else len(line))


def _dedented(text: str, indent: int) -> tuple[str, int]:
    """Return lines less indented, until one no more hangs on an item; and by how much the last."""
    if not indent:
        return text, 0
    lines: list[str] = []
    for line in text.split("\n"):
        bare = line.lstrip(" \t")
        if bare and indent:
            # A tab goes on to the next column that four divides (CommonMark 0.31, 2.2).
            width = len(line[: len(line) - len(bare)].expandtabs(4))
            if width < indent:
                indent = width if width >= _ITEM_INDENT else 0
            line = " " * (width - indent) + bare if indent else line
        lines.append(line)
    return "\n".join(lines), indent


class CodeToken(StrEnum):
    """What a stretch of code is."""

    TEXT = "text"
    COMMENT = "comment"
    STRING = "string"
    NUMBER = "number"
    KEYWORD = "keyword"


def _words(words: str) -> frozenset[str]:
    return frozenset(words.split())


# Languages whose comments begin with `#`, with `--` and with `<!--`. All others are taken for
# relatives of C.
_HASH = _words(
    """
    bash conf console docker dockerfile elixir fish ini julia make makefile nim perl
    powershell ps1 py python python3 r rb ruby sh shell toml yaml yml zsh
    """
)
_DASHES = _words("ada elm haskell hs lua sql postgresql mysql sqlite vhdl")
_MARKED_UP = _words("html svg vue xhtml xml")
_PLAIN = _words("console log output plain text txt")
_KEYWORDS = _words(
    """
    abstract and as assert async await begin bool boolean break byte case catch chan char
    class const continue crate def default defer del delete do done double elif else elsif end
    enum esac except export extends false False fi final finally float fn for foreach from fun
    func function go goto global if impl implements import in include instanceof int interface
    is lambda let local long loop match mod module mut namespace new nil None nonlocal not
    null nullptr of or override package pass private protected pub public raise readonly ref
    require return self short signed static string struct super switch template then this
    throw throws trait true True try type typedef typeof undefined union unless unsafe
    unsigned until use using val var virtual void volatile when where while with yield
    """
)
_SQL = _words(
    """
    add all alter and as asc between by case create cross delete desc distinct drop else end
    exists from full group having in index inner insert into is join key left like limit not
    null on or order outer primary references right select set table then union unique update
    values view when where with
    """
)
# Three quotation marks come before one: their first two alone are an empty string. Double ones without
# an end reach to the end of the line, three to that of the text, as they do while code streams in.
_STRINGS = (
    r'"""(?:[^"\\]|\\(?:.|\Z)|"(?!"")|)*+(?:"""|\Z)',
    r"'''(?:[^'\\]|\\(?:.|\Z)|'(?!'')|)*+(?:'''|\Z)",
    r'"(?:[^"\\\n]|\\(?:.|\Z)|)*+(?:"|$)',
    # Bounded, because these need their end: without one the search goes on behind the first mark.
    # It may not go on behind an escaped one, or each of those would be a beginning.
    r"(?<!\\)'(?:[^'\\\n]|\\.|){0,200}+'",
    r"(?<!\\)`(?:[^`\\]|\\.|){0,1000}+`",
)
# Accepts `0xFF_FF`, `1_000.5` and `2e-9`.
_NUMBER = r"\b(?:0[xX][0-9a-fA-F_]++|[0-9][0-9_]*+(?>\.[0-9]++|)(?>[eE][+-]?[0-9]++|))"
_WORD = r"[^\W\d]\w*+"
# Words in an address are none of the language. The scheme is bounded: each letter may begin one.
_ADDRESS = r"\b[A-Za-z][A-Za-z0-9+.-]{1,14}+://[^\s\"'`<>]++"


def is_plain(language: str) -> bool:
    """Return whether a name of a language says that a text is no code."""
    return language.casefold() in _PLAIN


def coloured(code: str, language: str) -> Iterator[tuple[str, CodeToken]]:
    """Yield a piece of code in stretches, in order; together they are the code."""
    name = language.casefold()
    if is_plain(name):
        yield code, CodeToken.TEXT
        return
    keywords = _SQL if name in _DASHES and "sql" in name else _KEYWORDS
    # SQL is written in capitals and in small letters.
    folds = keywords is _SQL
    done = 0
    for found in _rules(name).finditer(code):
        kind = CodeToken(found.lastgroup or CodeToken.TEXT)
        if kind is CodeToken.KEYWORD:
            word = found.group()
            if (word.casefold() if folds else word) not in keywords:
                continue
        if found.start() > done:
            yield code[done : found.start()], CodeToken.TEXT
        yield found.group(), kind
        done = found.end()
    if done < len(code):
        yield code[done:], CodeToken.TEXT


# The names come from answers, and have no end; few are in use at once.
@lru_cache(maxsize=32)
def _rules(language: str) -> re.Pattern[str]:
    # Not within a word, and not behind what makes `$#` a count, `&#` an entity and `\#` a sign.
    if language in _HASH:
        comments = r"(?<![\w$&\\])\#[^\n]*+"
    elif language in _DASHES:
        comments = r"--[^\n]*+|/\*(?:[^*]|\*(?!/)|)*+(?:\*/|\Z)"
    elif language in _MARKED_UP:
        comments = r"<!--(?:[^-]|-(?!->)|)*+(?:-->|\Z)"
    else:
        comments = r"(?<!:)//[^\n]*+|/\*(?:[^*]|\*(?!/)|)*+(?:\*/|\Z)"
    # The first that fits wins: an address before a comment, for `https://` holds what begins one,
    # and a comment before a string, for comments have apostrophes.
    return re.compile(
        f"(?P<text>{_ADDRESS})|(?P<comment>{comments})|(?P<string>{'|'.join(_STRINGS)})|(?P<number>{_NUMBER})"
        f"|(?P<keyword>{_WORD})",
        re.DOTALL | re.MULTILINE,
    )
