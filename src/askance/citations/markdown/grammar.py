"""The grammar of an answer's Markdown: CommonMark, tables and struck words, and the parts in which
sentences stand.

The check, the window, the terminal and the documents all read with it. Its tokens say where in the
text they stand. What a link's definition elsewhere would change is left out, because an answer is
shown while it is written: `[a]: https://…` is text. So are tags; `<br>` parts words, and of `10<sup>6</sup>` the 6 is raised.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.common.utils import isMdAsciiPunct
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Scanned
from markdown_it.token import Token
from markdown_it.utils import EnvType

from askance.citations.markdown.marker_context import formulas, marker_runs
from askance.citations.markdown.marker_forms import Span
from askance.text.caches import text_cache

# CommonMark, 2.3: U+0000 is read as U+FFFD.
AS_READ = str.maketrans({"\r": " ", "\0": "\ufffd"})
"""What is read for what is written, character by character. A carriage return ends a line for some
readers of Markdown, and would end a span of code."""
MARKER = re.compile(r"\[([0-9]{1,3})\]")
"""A marker in the one form that the check writes; whether it is one, its surroundings decide."""
CITATION = "citation"
"""The type of a marker's token. `meta["n"]` is the number of its source."""
CODE = frozenset({"fence", "code_block"})
_CELLS = frozenset({"th_open", "td_open"})
CAN_OPEN = "can_open"
"""In the `meta` of a token that is a mark of emphasis: words behind it may be set by it."""

LONGEST = 2000
"""Characters of an address, at the most."""
# A bracket is a part of it where more of an address follows: `?a[1]=b`. A marker behind it ends it.
_IN_ADDRESS = r"(?:[^\s<>\[\]\"`|\\^{}*]|(?:\[[\w.-]{0,40}\]){1,5}(?=[=&/]))"
# Atomic and not possessive: before Python 3.11.5 a repeat of a group went on behind a round that failed.
ADDRESS_REST = rf"(?>{_IN_ADDRESS}{{1,{LONGEST}}})"
BARE = re.compile(rf"https?://{ADDRESS_REST}", re.IGNORECASE)
"""An address that stands in the text as itself, with the punctuation behind it."""
_BARE_END = ".,;:!?'_~"
_SCHEME = re.compile(r"(?<!\w)(?P<scheme>https?)\Z", re.IGNORECASE)
CALL = re.compile(r"\[[\w:'\"+*-]{1,20}\]\([\w ,'\"+*-]{1,80}\)")
"""What may be the element of an array that is called. In its parentheses stands no address."""
_NAME_END = re.compile(r"[\w\]]")
_BREAK = re.compile(r"<br[ \t]*/?>", re.IGNORECASE)
# What is raised or lowered by a tag has signs of its own, which mean the same in a copy and in a terminal.
_SCRIPT = re.compile(r"<(su[bp])>([\d+\-=()in]{1,12})</\1>", re.IGNORECASE)
_RAISED = str.maketrans("0123456789+-=()in", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁱⁿ")
_LOWERED = str.maketrans("0123456789+-=()in", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ᵢₙ")
# In a formula these are what they are, and not marks of emphasis or of an escape.
_IN_FORMULAS = "\\*_~"
# Letters and signs of Chinese, Japanese and Korean, in which words have no spaces around them. U+3000 is a space.
_EAST_ASIAN = re.compile(
    "[\u1100-\u11ff\u2e80-\u2fff\u3001-\ua4cf\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\ufe30-\ufe4f"
    "\uff01-\uffee\U00020000-\U0003ffff]"
)
# All that can hide a backtick or be hidden by one: no more is needed to know what is code.
_CODE_RULES = ["text", "newline", "escape", "backticks", "autolink"]

# What stands before the words of a line and is no syntax there: the number of an item that cannot
# interrupt a paragraph, a round bullet, a task's box.
_MARK = re.compile(r"(?:(?:[-*+•]|[0-9]{1,3}[.)])\s{1,9}+)?(?:\[[ xX]\]\s{1,9}+)?")
# `**Prices**` on a line of its own is how models write a heading; with a full stop inside it is a
# sentence.
_BOLD_LINE = re.compile(r"\s{0,3}(\*\*|__)[^*_\n]{1,120}?(?<![.!?。！？])\1:?\s*")
_RULE = re.compile(r"[\s|:=_*\-]*")
# What stands below it is a list of references, whose lines state nothing.
_SOURCES_TITLE = re.compile(
    r"[\s#*_]*(?:sources?|references?|citations?|bibliography|quellen|参考文献|参考资料|出典)[\s:\uff1a*_]*",
    re.IGNORECASE,
)
_REFERENCE = re.compile(r"\W{0,8}(?:https?://|www\.)", re.IGNORECASE)
_HEADING = re.compile(r"[^#]*#{1,6}")
_ESCAPED_BORDER = re.compile(r"\\\|")
_BORDER = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True, slots=True)
class Marker:
    """A marker at `start` to `end` of a text that names source `n`."""

    start: int
    end: int
    n: int


@dataclass(frozen=True, slots=True)
class Outlines:
    """What is code in a text, in order, and which lines belong to what kind of block.

    `panels` are the blocks of code, whole lines each; `lines` are those that say something, by where they
    start: where their words begin, behind list and quote marks, and the type of the token that opens their block.
    """

    code: tuple[Span, ...]
    panels: tuple[Span, ...]
    lines: dict[int, tuple[int, str]]


class LineKind(StrEnum):
    """What a line of Markdown is to the citation check."""

    TEXT = "text"
    HEADING = "heading"
    TABLE = "table"
    REFERENCE = "reference"
    BLANK = "blank"


@dataclass(frozen=True, slots=True)
class MarkdownLine:
    """A line from `start` to `end`; its text without list and quote marks begins at `body`."""

    start: int
    body: int
    end: int
    kind: LineKind


class Places:
    """Finds where in a text the tokens stand that were read from it. They are asked for in order.

    The text itself begins at `offset`. The lines that were read may be less indented than its own.
    """

    def __init__(self, text: str, offset: int = 0) -> None:
        self.text = text
        self._lines = text.translate(AS_READ).split("\n")
        self._starts = [offset]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line) + 1)
        self._row, self._cells = -1, iter(list[Span]())

    def lines_of(self, code: Token) -> Span:
        """Return the lines that a block of code takes, up to the text's end if it is not closed."""
        first, last = code.map or (0, 1)
        last = min(last, len(self._lines))
        rest = self._lines[last:]
        # A fence that was never closed reaches to the end, with the blank lines that no token has.
        if not any(rest) and code.type == "fence" and not is_closed(code, self._lines[last - 1]):
            return self._starts[first], self._starts[-1] - 1
        return self._starts[first], self._starts[last] - 1

    def bodies(self, block: Token) -> Iterator[Span]:
        """Yield for each line of an inline token where it starts, and where its words begin."""
        first = (block.map or (0, 1))[0]
        for i, (_, at) in enumerate(self._segments(block)):
            yield self._starts[first + i], at
            if block.meta.get("cell"):
                return

    def children(self, block: Token) -> Iterator[tuple[Token, Span]]:
        """Yield what is in an inline token, each with its place in the text."""
        segments = self._segments(block)
        i = 0
        for token in block.children or ():
            start, end = token.meta["at"]
            while i + 1 < len(segments) and segments[i + 1][0] <= start:
                i += 1
            last = i
            while last + 1 < len(segments) and segments[last + 1][0] < end:
                last += 1
            yield (
                token,
                (
                    start - segments[i][0] + segments[i][1],
                    end - segments[last][0] + segments[last][1],
                ),
            )

    def _segments(self, block: Token) -> list[Span]:
        """Return the same, which is found once: the cells of a row are asked for in order."""
        if "segments" not in block.meta:
            block.meta["segments"] = self.segments(block)
        return block.meta["segments"]

    def segments(self, block: Token) -> list[Span]:
        """Return pairs of places, in an inline token and in the text, from each of which both go on.

        They are not kept in the token: the parser has other places than who reads it.
        """
        first, last = block.map or (0, 1)
        if block.meta.get("cell"):
            return self._cell(first, block.content)
        segments: list[Span] = []
        at = 0
        for i, content in enumerate(block.content.split("\n"), first):
            line = self._lines[i]
            words = content.strip()
            if last - first == 1 and not line.rstrip().endswith(words):
                heading = _HEADING.match(line)
                column = line.find(words, heading.end() if heading else 0)
            else:
                column = len(line.rstrip()) - len(words)
            blanks = len(content) - len(content.lstrip())
            segments.append((at, self._starts[i] + column - blanks))
            at += len(content) + 1
        return segments

    def _cell(self, line: int, content: str) -> list[Span]:
        if line != self._row:
            self._row, self._cells = line, iter(_cells(self._lines[line]))
        start = end = len(self._lines[line])
        for begin, stop in self._cells if content else ():
            if self._lines[line][begin:stop].replace(r"\|", "|") == content:
                start, end = begin, stop
                break
        segments = [(0, self._starts[line] + start)]
        for n, border in enumerate(_ESCAPED_BORDER.finditer(self._lines[line], start, end)):
            at = border.start() - start - n
            segments.append((at, self._starts[line] + border.end() - 1))
        return segments


def _cells(row: str) -> list[Span]:
    """Return where the words of the cells of a row stand, as GFM parts them."""
    indent = len(row) - len(row.lstrip(" \t>"))
    borders = [indent - 1, *(m.start() for m in _BORDER.finditer(row, indent)), len(row)]
    spans: list[Span] = []
    # GFM 4.10: cells are parted by strokes, escaped ones in them are text, and the first may be
    # left out.
    for before, after in pairwise(borders):
        cell = row[before + 1 : after]
        start = before + 1 + len(cell) - len(cell.lstrip())
        spans.append((start, max(start, before + 1 + len(cell.rstrip()))))
    if row.startswith("|", indent):
        del spans[0]
    return spans


def is_closed(fence: Token, last_line: str) -> bool:
    """Say whether a block of code ends with a fence; `last_line` is the last of its lines."""
    bare = last_line.strip(" \t>\r\n")
    lines = fence.map[1] - fence.map[0] if fence.map else 0
    return lines > 1 and len(bare) >= len(fence.markup) and not bare.strip(fence.markup[:1])


def parse(text: str, numbers: Collection[int] | None = None) -> list[Token]:
    """Return an answer as tokens. `numbers` are those that a marker may name, any if None."""
    return grammar().parse(
        text.translate(AS_READ), {"marked": _marked(text, numbers), "text": text}
    )


@cache
def grammar() -> MarkdownIt:
    """Return the parser that `parse` uses. Links lead wherever they say: who shows them decides."""
    parser = _Parser("commonmark", {"html": False}).enable(["table", "strikethrough"])
    # A definition may come at the end of a stream: what it would change has been shown by then.
    parser.disable("reference")
    parser.inline = PlacingInline()
    # `linkify` would take a library of its own; `_address` reads addresses in its stead.
    parser.inline.ruler.disable(["linkify", "html_inline"])
    # Before the links: a marker with parentheses behind it would be read as one.
    parser.inline.ruler.before("link", CITATION, _citation)
    parser.inline.ruler.before("link", "call", _call)
    parser.inline.ruler.before("autolink", "break", _break)
    parser.inline.ruler.before("autolink", "script", _script)
    parser.inline.ruler.before("escape", "formula", _formula)
    parser.inline.ruler.after("text", "address", _address)
    parser.inline.ruler2.before("balance_pairs", CAN_OPEN, _note_openers)
    # Joined, pieces of text would not know their places any more.
    parser.inline.ruler2.disable("fragments_join")
    parser.core.ruler.at("inline", _read_inline)
    parser.core.ruler.at("text_join", _emit_escapes_as_text)
    parser.core.ruler.disable(["linkify", "replacements", "smartquotes"])
    return parser


@lru_cache(maxsize=256)
def as_linked(url: str) -> str:
    """Return an address as a link of the grammar tells it."""
    return grammar().normalizeLink(url)


def parse_inline(text: str) -> list[tuple[Token, Span]]:
    """Return the tokens of what stands in one paragraph, heading or cell, each with its place in it.

    A mark of emphasis that could still be closed behind the text is a text token with `CAN_OPEN`.
    """
    (block,) = grammar().parseInline(text.translate(AS_READ), {})
    return [(token, token.meta["at"]) for token in block.children or ()]


@cache
def viewer() -> MarkdownIt:
    """Return a parser that finds all that any viewer of Markdown might load, run or lead to."""
    parser = _Parser("commonmark").enable(["strikethrough", "table"])
    parser.inline = PlacingInline()
    parser.inline.ruler.disable("linkify")
    parser.inline.ruler.before("escape", "formula", _formula)
    return parser


def parse_blocks(text: str) -> list[Token]:
    """Return an answer as tokens, of which only what is code has been read in its paragraphs."""
    return _code_grammar().parse(text.translate(AS_READ))


def markers(text: str, numbers: Collection[int] | None = None) -> list[Marker]:
    """Return the markers of an answer in order; `numbers` are those that they may name."""
    if not MARKER.search(text):
        return []
    places = Places(text)
    return [
        Marker(*span, token.meta["n"])
        for block in parse(text, numbers)
        if block.type == "inline"
        for token, span in places.children(block)
        if token.type == CITATION
    ]


# Check, markers and sanitiser ask for the same few texts in turn.
@text_cache(4)
def outlines(text: str) -> Outlines:
    """Return what is code in a text, and its lines."""
    places = Places(text)
    code: list[Span] = []
    panels: list[Span] = []
    lines: dict[int, tuple[int, str]] = {}
    tokens = parse_blocks(text)
    for before, token in zip([None, *tokens], tokens, strict=False):
        if token.type in CODE:
            panels.append(places.lines_of(token))
        elif token.type == "inline" and before is not None:
            for start, body in places.bodies(token):
                lines.setdefault(start, (body, before.type))
            code += [span for t, span in places.children(token) if t.type == "code_inline"]
    return Outlines(tuple(sorted([*code, *panels])), tuple(panels), lines)


def trimmed(url: str) -> str:
    """Return an address without the punctuation of the sentence around it."""
    # A parenthesis at the end stays where the address opened one, as in encyclopedias.
    # GFM 6.9: only those beyond the pairs are the sentence's, as in
    # (https://en.wikipedia.org/wiki/Go_(game)).
    spare = url.count(")") - url.count("(")
    end = len(url)
    while end and (url[end - 1] in _BARE_END or (url[end - 1] == ")" and spare > 0)):
        end -= 1
        spare -= url[end] == ")"
    return url[:end]


def code_spans(text: str) -> Sequence[Span]:
    """Return `(start, end)` of blocks of code, open ones included, and of inline code, in order."""
    return outlines(text).code


def lines_of(text: str) -> list[MarkdownLine]:
    """Return the lines of a text that lie outside of blocks of code."""
    read = outlines(text)
    lines: list[MarkdownLine] = []
    panels = iter(read.panels)
    panel = next(panels, None)
    among_references = False
    for start, end in line_spans(text):
        while panel is not None and panel[1] < start:
            panel = next(panels, None)
        if panel is not None and panel[0] <= start:
            continue
        body, opening = read.lines.get(start, (start, ""))
        mark = _MARK.match(text, body, end)
        body = mark.end() if mark else start
        kind = _kind(text, start, body, end, opening, is_first=not lines)
        if _SOURCES_TITLE.fullmatch(text, body, end) and end > body:
            kind, among_references = LineKind.HEADING, True
        elif kind is LineKind.HEADING:
            among_references = False
        elif among_references and kind is LineKind.TEXT:
            kind = LineKind.REFERENCE
        lines.append(MarkdownLine(start, body, end, kind))
    return lines


def line_spans(text: str) -> Iterator[Span]:
    """Yield `(start, end)` of each line, without its line break."""
    start = 0
    for line in text.split("\n"):
        yield start, start + len(line)
        start += len(line) + 1


class PlacedState(StateInline):
    """Knows where the text begins that is not a token yet: behind the last token."""

    placed = 0
    formulas: list[Span] | None = None

    def pushPending(self) -> Token:  # noqa: N802 - the parser's interface
        """Make a token of the text that is not one yet."""
        token = super().pushPending()
        token.meta["at"] = (self.placed, self.placed + len(token.content))
        return token

    def scanDelims(self, start: int, canSplitWord: bool) -> Scanned:  # noqa: N802, N803 - the parser's interface
        """Say whether a run of marks opens or closes emphasis; beside East Asian text it need not stand at a word's edge."""
        found = super().scanDelims(start, canSplitWord)
        behind = start + found.length
        before = self.src[start - 1 : start] or " "
        after = self.src[behind : min(behind + 1, self.posMax)] or " "
        # CommonMark goes by the spaces at a word's edge, and has `**「重点」**内容` for no emphasis (commonmark-spec#650).
        if canSplitWord and _EAST_ASIAN.search(before + after):
            return Scanned(not after.isspace(), not before.isspace(), found.length)
        return found


class PlacingInline(ParserInline):
    """Reads what is in a paragraph, and notes in `meta["at"]` of each token where it stands."""

    def tokenize(self, state: StateInline) -> None:
        """Generate the tokens of a stretch, as the parser does."""
        assert isinstance(state, PlacedState)
        # As `ParserInline.tokenize` of markdown-it-py does it, with places: to be compared when
        # that is updated.
        rules = self.ruler.getRules("")
        end = state.posMax
        deepest = state.md.options["maxNesting"]
        state.placed = state.pos
        while state.pos < end:
            pos, count = state.pos, len(state.tokens)
            # Deeper than `maxNesting` all is text: the parser calls itself for what stands in
            # brackets.
            for rule in rules if state.level < deepest else ():
                if rule(state, False):
                    if len(state.tokens) > count:
                        _place(state.tokens[count:], pos, state.pos)
                        state.placed = state.pos
                    break
            else:
                state.append_pending(state.src[pos])
                state.pos += 1
        if state.pending:
            state.pushPending()
            state.placed = state.pos

    def parse(self, src: str, md: MarkdownIt, env: EnvType, tokens: list[Token]) -> list[Token]:
        """Read what is in a paragraph into `tokens`."""
        state = PlacedState(src, md, env, tokens)
        self.tokenize(state)
        for rule in self.ruler2.getRules(""):
            rule(state)
        return state.tokens


def _place(tokens: Sequence[Token], start: int, end: int) -> None:
    """Note the places of what a rule made of the characters from `start` to `end`."""
    made = [token for token in tokens if "at" not in token.meta]
    if any(token.type != "text" for token in made):
        for token in made:
            token.meta["at"] = (start, end)
        return
    for token in made:  # a run of asterisks: each may open or close something of its own
        token.meta["at"] = (start, start + len(token.content))
        start += len(token.content)


class _Parser(MarkdownIt):
    """Takes a link for one wherever it leads."""

    def validateLink(self, url: str) -> bool:  # noqa: ARG002, N802 - as the library has it
        """Return that it is a link."""
        return True


@cache
def _code_grammar() -> MarkdownIt:
    """Return the same grammar as far as it takes to know what is code."""
    parser = MarkdownIt("commonmark", {"html": False}).enable("table").disable("reference")
    parser.inline = PlacingInline()
    parser.inline.ruler.enableOnly(_CODE_RULES)
    parser.inline.ruler2.enableOnly([])
    return parser


def _marked(text: str, numbers: Collection[int] | None) -> frozenset[int]:
    """Return where markers begin that stand in a text in the one form that the check writes."""
    if not MARKER.search(text) or (numbers is not None and not numbers):
        return frozenset()
    return frozenset(
        form.start
        for run in marker_runs(text, numbers, code_spans(text))
        for form in run.forms
        if (found := MARKER.fullmatch(text, form.start, form.end))
        and (numbers is None or int(found[1]) in numbers)
    )


def _read_inline(state: StateCore) -> None:
    """Read what is in paragraphs, as the parser does, where markers are known by their places."""
    marked = state.env.get("marked")
    places = Places(state.env["text"]) if marked else None
    before = ""
    for token in state.tokens:
        if token.type == "inline":
            if before in _CELLS:
                token.meta["cell"] = True
            if places is not None:
                state.env["segments"] = places.segments(token)
            token.children = []
            state.md.inline.parse(token.content, state.md, state.env, token.children)
        before = token.type


def _citation(state: StateInline, silent: bool) -> bool:
    """Read a marker; what is one is known from what stands around it in the text."""
    segments: list[Span] = state.env.get("segments") or []
    found = MARKER.match(state.src, state.pos, state.posMax) if segments else None
    if found is None:
        return False
    at, place = segments[bisect_right(segments, (state.pos, sys.maxsize)) - 1]
    # What is a marker was decided on the whole text; a rule sees one paragraph, without its place.
    if state.pos - at + place not in state.env["marked"]:
        return False
    if not silent:
        token = state.push(CITATION, "", 0)
        token.content = found.group()
        token.meta["n"] = int(found[1])
    state.pos = found.end()
    return True


def _address(state: StateInline, silent: bool) -> bool:
    """Read an address that stands in the text as itself, once its colon is reached."""
    found = _SCHEME.search(state.src, max(0, state.pos - 6), state.pos)
    # Inside of a link no address is another one (CommonMark, 6.3).
    if silent or found is None or state.linkLevel or not state.src.startswith("://", state.pos):
        return False
    start = found.start("scheme")
    written = BARE.match(state.src, start, state.posMax)
    address = trimmed(written.group()) if written else ""
    if not state.pending.endswith(found["scheme"]) or start + len(address) <= state.pos + 3:
        return False
    # The scheme was read as text before its colon was reached: it is taken back.
    state.pending = state.pending[: start - state.pos]
    opening = state.push("link_open", "a", 1)
    opening.markup = "autolink"
    opening.attrs = {"href": state.md.normalizeLink(address)}
    words = state.push("text", "", 0)
    words.content = address
    for token in (opening, words, state.push("link_close", "a", -1)):
        token.meta["at"] = (start, start + len(address))
    state.pos = start + len(address)
    return True


def _formula(state: StateInline, silent: bool) -> bool:
    """Read a character of a formula as text. Brackets that are escaped stay so for links around them."""
    assert isinstance(state, PlacedState)
    char, behind = state.src[state.pos], state.src[state.pos + 1 : min(state.pos + 2, state.posMax)]
    if char not in _IN_FORMULAS:
        return False
    if state.formulas is None:
        state.formulas = formulas(state.src, is_sure=True)
    i = bisect_right(state.formulas, (state.pos, sys.maxsize)) - 1
    if i < 0 or state.pos >= state.formulas[i][1]:
        return False
    read = char + behind if char == "\\" and isMdAsciiPunct(ord(behind or " ")) else char
    if not silent:
        state.pending += read
    state.pos += len(read)
    return True


def _call(state: StateInline, silent: bool) -> bool:
    """Read the call of an element of an array as text: `handlers[0](event)` is no link."""
    if not is_call(state.src, state.pos):
        return False
    if not silent:
        state.pending += "["
    state.pos += 1
    return True


def is_call(text: str, at: int) -> bool:
    """Say whether a bracket is that of an element which is called, and no link's: it has no address."""
    return CALL.match(text, at) is not None and bool(_NAME_END.match(text[at - 1 : at]))


def _break(state: StateInline, silent: bool) -> bool:
    found = _BREAK.match(state.src, state.pos, state.posMax)
    if found is None:
        return False
    if not silent:
        state.push("softbreak", "br", 0)
    state.pos = found.end()
    return True


def _script(state: StateInline, silent: bool) -> bool:
    found = _SCRIPT.match(state.src, state.pos, state.posMax)
    if found is None:
        return False
    if not silent:
        is_raised = found[1].lower() == "sup"
        state.push("text_special", "", 0).content = found[2].translate(
            _RAISED if is_raised else _LOWERED
        )
    state.pos = found.end()
    return True


def _note_openers(state: StateInline) -> None:
    for delimiter in state.delimiters:
        if delimiter.open:
            state.tokens[delimiter.token].meta[CAN_OPEN] = True


def _emit_escapes_as_text(state: StateCore) -> None:
    for block in state.tokens:
        for token in block.children or ():
            if token.type == "text_special":
                token.type = "text"


def _kind(text: str, start: int, body: int, end: int, opening: str, *, is_first: bool) -> LineKind:
    if not opening or _RULE.fullmatch(text, start, end):
        return LineKind.BLANK
    if opening == "heading_open":
        return LineKind.HEADING
    if not is_first and _BOLD_LINE.fullmatch(text, start, end):
        return LineKind.HEADING
    # Rows whose table has no head are no table to a reader; their cells are no sentences either.
    if opening in _CELLS or text.count("|", body, end) > 1:
        return LineKind.TABLE
    return LineKind.REFERENCE if _REFERENCE.match(text, body, end) else LineKind.TEXT
