"""An answer's Markdown as the window draws it: markers lead to sources, doubts are marked, nothing loads."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntFlag
from itertools import groupby
from urllib.parse import quote, urlsplit

from markdown_it.token import Token

from askance.citations.markdown.answer_markers import reset_markers
from askance.citations.markdown.grammar import CITATION, CODE, Marker, Places, as_linked, parse
from askance.citations.markdown.marker_forms import Span
from askance.citations.markdown.safe_markdown import is_own, own_links_only
from askance.citations.markdown.tex_spans import formula_spans, tex_of
from askance.domain.evidence import Citation
from askance.ui.overlay.answer.citation_links import BETWEEN, Doubt, assign, doubts_of
from askance.ui.overlay.answer.markdown_blocks import (
    Code,
    MarkdownBlock,
    MarkdownBlockKind,
    code_of,
    split,
)

# What RFC 3986 reserves or leaves as it is (2.2, 2.3), without brackets and parentheses, which Markdown
# reads as those of a link; and the per cent sign, so that nothing is escaped twice.
_URL_SAFE = "%/:?#@!$&*+,;=-._~'"
_BLANKS = " \t"
# Accepts `.`, `?!`, `.”` and `。」`; not the dot of `3.5` or `.net`, behind which a letter or a digit
# stands.
_STOP = re.compile(r"[。！？]++[”’」』]*+|[.!?…]++[”\"’»]*+(?![^\W_])")
# Behind these no sentence ends: one has ended already, a bracket has only begun.
_NO_WORD = tuple(".!?…。！？,;:|([{")
BULLET = "- "
"""The sign of an item that has no number."""
# A task of GitHub's Markdown: `[ ] ` or `[x] ` at the start of an item.
_TASK = re.compile(r"\[(?P<done>[ xX])\][ \t]+")
# In the costliest shapes so many characters are set and drawn in 30 ms (docs/bench).
_LONGEST = 1_500


class Style(IntFlag):
    """How words are set."""

    PLAIN = 0
    BOLD = 1
    ITALIC = 2
    STRUCK = 4
    CODE = 8
    FORMULA = 16
    """In LaTeX, with the marks around it."""


_OPENED = {"strong_open": Style.BOLD, "em_open": Style.ITALIC, "s_open": Style.STRUCK}
_CLOSED = {"strong_close": Style.BOLD, "em_close": Style.ITALIC, "s_close": Style.STRUCK}


@dataclass(frozen=True, slots=True)
class TextRun:
    """Words in one style, which stand at `start` to `end` of the answer.

    `url` is where they lead. Of a marker `n` is the source, and `citation` the index of its citation
    if one was checked. `doubt` says that no source carries the words in full.
    """

    text: str
    # Where a run stands does not count: blocks that only moved are equal, and are not set anew.
    start: int = field(compare=False)
    end: int = field(compare=False)
    style: Style = Style.PLAIN
    url: str = ""
    n: int = 0
    citation: int | None = None
    doubt: Doubt | None = None

    def part(self, start: int, end: int) -> TextRun:
        """Return the words between two places of the answer."""
        return self.with_text(self.text[start - self.start : end - self.start], start, end)

    def behind(self, characters: int) -> TextRun:
        """Return the words behind so many of its characters."""
        return self.with_text(self.text[characters:], self.start + characters, self.end)

    def with_text(self, text: str, start: int, end: int) -> TextRun:
        """Return other words in the same style."""
        return TextRun(
            text, start, end, self.style, self.url, self.n, self.citation, self.doubt
        )  # `replace` takes ten times as long


@dataclass(frozen=True, slots=True)
class MarkupParagraph:
    """Words that are set together.

    `quote` and `depth` say within how many quotations and lists they stand, `sign` how an item
    begins, `is_done` what became of a task; `cell` is the row and column in a table, `align` how
    the words stand in it.
    """

    runs: tuple[TextRun, ...]
    heading: int = 0
    quote: int = 0
    depth: int = 0
    sign: str = ""
    is_done: bool | None = None
    cell: tuple[int, int] | None = None
    align: str = ""


@dataclass(frozen=True, slots=True)
class Piece:
    """A block, ready to be drawn. `code` is what a block of code holds, for copying and colouring."""

    kind: MarkdownBlockKind
    paragraphs: tuple[MarkupParagraph, ...] = ()
    code: Code | None = None
    is_tight: bool = False

    @property
    def formulas(self) -> Iterator[str]:
        """The sources of its formulas."""
        runs = (run for paragraph in self.paragraphs for run in paragraph.runs)
        return (run.text for run in runs if run.style & Style.FORMULA)

    def renumbered(self, number: Callable[[int], int]) -> Piece:
        """Return it with other numbers at its markers."""
        if not any(run.n for paragraph in self.paragraphs for run in paragraph.runs):
            return self
        paragraphs: list[MarkupParagraph] = []
        for paragraph in self.paragraphs:
            runs = (replace(run, n=number(run.n)) if run.n else run for run in paragraph.runs)
            paragraphs.append(replace(paragraph, runs=tuple(runs)))
        return replace(self, paragraphs=tuple(paragraphs))


@dataclass(frozen=True, slots=True)
class Rendered:
    """A whole answer, ready to be drawn."""

    pieces: tuple[Piece, ...] = ()
    doubts: tuple[Doubt, ...] = ()


def render(
    text: str,
    numbers: Collection[int] = (),
    citations: Sequence[Citation] = (),
    urls: Collection[str] | None = None,
) -> Rendered:
    """Return a finished answer, ready to be drawn. `numbers` are those of its sources.

    `urls` are their addresses: nothing leads elsewhere. None where the answer stands on no sources.
    """
    # All blocks are read before citations are given to markers: which one a marker gets depends on
    # those that others have.
    read: list[tuple[MarkdownBlock, list[_Part]]] = []
    offset = 0
    for block in split(text):
        read.append((block, list(_Walk(block, offset, numbers, urls).parts())))
        offset += len(block.text)
    runs = (run for _, parts in read for part in parts for run in part.runs)
    markers = [Marker(run.start, run.end, run.n) for run in runs if run.n]
    assigned = assign(markers, citations)
    targets = {marker.start: i for marker, i in zip(markers, assigned, strict=True)}
    doubts = doubts_of(text, markers, assigned, citations)
    pieces = [piece for block, parts in read for piece in _pieces(block, parts, targets, doubts)]
    return Rendered(tuple(pieces), doubts)


def render_draft(
    block: MarkdownBlock, numbers: Collection[int] = (), urls: Collection[str] | None = None
) -> tuple[Piece, ...]:
    """Return a block of an answer that is being written, its markers in the form they will have.

    Where there are sources, what names none of them or leads elsewhere is taken out, as the check
    will do.
    """
    # In code a bracket with a number is code, for the check as well.
    if numbers and block.kind is not MarkdownBlockKind.CODE:
        text = reset_markers(own_links_only(block.text, urls or (), calls=True), frozenset(numbers))
        block = replace(block, text=text)
    parts = list(_Walk(block, 0, numbers, urls).parts())
    return tuple(_pieces(block, parts, {}, ()))


def web_address(url: str) -> str:
    """Return the address, safe to be opened and written, or nothing unless it leads to the web."""
    if not url.lower().startswith(("http://", "https://")):
        return ""
    try:
        # `urlsplit` refuses some addresses, such as `http://[::1` without its second bracket.
        host = urlsplit(url).hostname
    except ValueError:
        return ""
    return quote(url, safe=_URL_SAFE, errors="replace") if host else ""


@dataclass(slots=True)
class _Part:
    """A paragraph, a rule or a piece of code, and how it is set."""

    kind: MarkdownBlockKind
    form: MarkupParagraph = MarkupParagraph(())
    runs: list[TextRun] = field(default_factory=list[TextRun])
    code: Code | None = None


class _Walk:
    """Goes through the tokens of a block, and knows what is open around each."""

    def __init__(
        self,
        block: MarkdownBlock,
        offset: int,
        numbers: Collection[int],
        urls: Collection[str] | None,
    ) -> None:
        self._tokens = parse(block.markdown, numbers)
        self._places = Places(block.head + block.text, offset - len(block.head))
        self._reader = _RunReader(numbers, urls, offset)
        self._outer: MarkdownBlockKind | None = None
        self._form: MarkupParagraph = MarkupParagraph(())
        self._row = self._column = -1

    def parts(self) -> Iterator[_Part]:
        """Yield what the block holds, in order."""
        for token in self._tokens:
            if token.type in CODE:
                yield _Part(MarkdownBlockKind.CODE, code=code_of(token))
            elif token.type == "hr":
                yield _Part(MarkdownBlockKind.RULE)
            elif token.type == "inline":
                yield from self._paragraphs(token)
            elif token.type.startswith(("blockquote", "bullet", "ordered", "list")):
                self._enter(token)
            else:
                self._begin(token)

    def _enter(self, token: Token) -> None:
        """Take note of a quotation, a list or an item that begins or ends."""
        form, step = self._form, token.nesting
        if token.type.startswith("blockquote"):
            self._form = replace(form, quote=form.quote + step, sign="")
            # The outermost decides how a block is set: a list within a quotation is part of that.
            self._outer = self._outer or MarkdownBlockKind.QUOTE
        elif token.type.startswith("list_item"):
            sign = f"{token.info}{token.markup} " if token.info else BULLET
            self._form = replace(form, sign=sign if step > 0 else "")
        else:
            self._form = replace(form, depth=form.depth + step, sign="")
            self._outer = self._outer or MarkdownBlockKind.LIST
        if not self._form.quote and not self._form.depth:
            self._outer = None

    def _begin(self, token: Token) -> None:
        """Take note of a heading, or of a place in a table."""
        match token.type:
            case "heading_open":
                self._form = replace(self._form, heading=int(token.tag[1:]))
            case "heading_close":
                self._form = replace(self._form, heading=0)
            case "table_open":
                self._row = -1
            case "tr_open":
                self._row, self._column = self._row + 1, -1
            case "th_open" | "td_open":
                self._column += 1
                align = str(token.attrs.get("style", "")).removeprefix("text-align:")
                cell = (self._row, self._column)
                self._form = replace(self._form, cell=cell, align=align)
            case "table_close":
                self._form = replace(self._form, cell=None, align="")
            case _:
                pass

    def _paragraphs(self, token: Token) -> Iterator[_Part]:
        form = self._form
        kind = self._kind(form)
        lines = self._reader.lines_of(self._places.children(token))
        # A cell has one line.
        for line in (
            part for whole in lines for part in _with_formulas(whole, parts=not form.cell)
        ):
            if form.sign and line and (task := _TASK.match(line[0].text)):
                form = replace(form, is_done=task["done"] != " ")
                line[0] = line[0].behind(task.end())
            # Row 0 is the head: tables of GitHub's Markdown have exactly one.
            if form.cell and not form.cell[0]:
                line[:] = [replace(run, style=run.style | Style.BOLD) for run in line]
            yield _Part(kind, form, line)
            form = replace(form, sign="", is_done=None)
        self._form = replace(self._form, sign="")

    def _kind(self, form: MarkupParagraph) -> MarkdownBlockKind:
        if form.cell is not None:
            return MarkdownBlockKind.TABLE
        if self._outer is not None:
            return self._outer
        return MarkdownBlockKind.HEADING if form.heading else MarkdownBlockKind.PARAGRAPH


def _pieces(
    block: MarkdownBlock,
    parts: Sequence[_Part],
    targets: Mapping[int, int | None],
    doubts: Sequence[Doubt],
) -> Iterator[Piece]:
    # Items with no blank line between them stand closer together (CommonMark 0.31, 5.3).
    is_tight = block.text.count("\n", len(block.text.rstrip(" \t\n"))) < 2
    for kind, group in groupby(parts, key=lambda part: part.kind):
        paragraphs: list[MarkupParagraph] = []
        length = 0
        for part in group:
            if part.code is not None or kind is MarkdownBlockKind.RULE:
                yield Piece(kind, code=part.code)
                continue
            parted = [part for run in part.runs for part in _parted(run, targets, doubts)]
            runs = _joined(_stops_first([run for run in parted if run.text]))
            length += sum(len(run.text) for run in runs)
            # An item with all that hangs on it is one block, and Qt sets a block in one turn of the
            # window.
            if paragraphs and length > _LONGEST and kind is not MarkdownBlockKind.TABLE:
                yield Piece(kind, tuple(paragraphs), is_tight=True)
                paragraphs, length = [], 0
            paragraphs.append(replace(part.form, runs=runs))
        if paragraphs:
            yield Piece(kind, tuple(paragraphs), is_tight=is_tight)


class _RunReader:
    """Reads the paragraphs of a block. `begin` is where the text begins whose markers count.

    `numbers` are those of the sources, `urls` the addresses that it may lead to, all of the web if
    None. An answer without sources may come from a text that the model was given, and the words of
    a link would hide its address: then it says where it leads.
    """

    def __init__(
        self, numbers: Collection[int], urls: Collection[str] | None, begin: int = 0
    ) -> None:
        self._own = None if urls is None else {as_linked(url) for url in urls}
        self._shows_host = urls is None and not numbers
        self._begin = begin
        self._lines: list[list[TextRun]] = [[]]
        self._label: list[TextRun] = []
        self._style, self._url = Style.PLAIN, ""

    def lines_of(self, children: Iterable[tuple[Token, Span]]) -> list[list[TextRun]]:
        """Return the words of a paragraph, line by line where it was broken on purpose."""
        self._lines, self._style, self._url = [[]], Style.PLAIN, ""
        for token, span in children:
            self._take(token, span)
        return self._lines

    def _take(self, token: Token, span: Span) -> None:
        match token.type:
            case "link_open":
                self._url, self._label = self._allowed(str(token.attrs.get("href", ""))), []
            case "link_close":
                if self._url and self._shows_host:
                    self._add_host(span)
                self._url = ""
            case "hardbreak":
                self._lines.append([])
            case kind if kind in _OPENED:
                self._style |= _OPENED[kind]
            case kind if kind in _CLOSED:
                self._style &= ~_CLOSED[kind]
            case kind:
                is_marker = kind == CITATION and span[0] >= self._begin
                style = self._style | (Style.CODE if kind == "code_inline" else Style.PLAIN)
                n = token.meta["n"] if is_marker else 0
                self._add(TextRun(_words(token), *span, style, "" if n else self._url, n))

    def _add(self, run: TextRun) -> None:
        if run.text:
            self._lines[-1].append(run)
            self._label.append(run)

    def _add_host(self, span: Span) -> None:
        """Say behind a link where it leads, unless it says just that."""
        host = urlsplit(self._url).hostname
        if "".join(run.text for run in self._label).strip() not in {host, self._url, ""}:
            self._add(TextRun(f" ({host})", span[1], span[1], self._style, self._url))

    def _allowed(self, address: str) -> str:
        is_foreign = self._own is not None and not is_own(address, self._own)
        return "" if is_foreign else web_address(address)


def _with_formulas(line: list[TextRun], *, parts: bool) -> Iterator[list[TextRun]]:
    """Yield a line with each formula as one run; where it `parts`, those of a line of their own get one."""
    shown: list[TextRun] = []
    rest, at = line, 0
    for start, end in formula_spans("".join(run.text for run in line)):
        before, behind = _cut(rest, start - at)
        words, behind = _cut(behind, end - start)
        if any(run.n or run.url or run.style & Style.CODE or _is_escaped(run) for run in words):
            continue
        first, source = words[0], "".join(run.text for run in words)
        set_as = replace(first, text=source, end=words[-1].end, style=first.style | Style.FORMULA)
        shown += before
        rest, at = behind, end
        if not parts or not tex_of(source)[1]:
            shown.append(set_as)
            continue
        # What ends its sentence stays with it.
        text = "".join(run.text for run in rest)
        stop = len(text) - len(text.lstrip(".,;:!?"))
        stops, rest = _cut(rest, stop)
        rest = _cut(rest, len(text) - stop - len(text[stop:].lstrip(_BLANKS)))[1]
        at = end + len(text) - sum(len(run.text) for run in rest)
        if words := "".join(run.text for run in shown).rstrip(_BLANKS):
            yield _cut(shown, len(words))[0]
        yield [set_as, *stops]
        shown = []
    if rest or shown or not line:
        yield shown + rest


def _is_escaped(run: TextRun) -> bool:
    """Whether words are written otherwise than they are shown: `\\$` is a dollar, and no formula begins with it."""
    return len(run.text) != run.end - run.start and bool(run.text.strip())


def _cut(line: Sequence[TextRun], at: int) -> tuple[list[TextRun], list[TextRun]]:
    """Return the runs before and behind so many characters."""
    for i, run in enumerate(line):
        if at < len(run.text):
            # Of one that has escapes the whole stretch: where they stand in it is not known.
            is_plain = len(run.text) == run.end - run.start
            end, start = (run.start + at, run.start + at) if is_plain else (run.end, run.start)
            before = [run.with_text(run.text[:at], run.start, end)] if at else []
            behind = run.with_text(run.text[at:], start, run.end)
            return [*line[:i], *before], [behind, *line[i + 1 :]]
        at -= len(run.text)
    return list(line), []


def _words(token: Token) -> str:
    match token.type:
        case "softbreak":
            return " "
        case "image":
            # A picture is never loaded: what it is said to show stands for it.
            return "".join(child.content for child in token.children or ())
        case _:
            return token.content


def _parted(
    run: TextRun, targets: Mapping[int, int | None], doubts: Sequence[Doubt]
) -> Iterator[TextRun]:
    """Yield a run in parts, some of them in doubt. A marker and an escape are one thing each.

    `targets` are the citations by where their markers start; `doubts` are in order and apart from each other.
    """
    if run.n:
        run = replace(run, citation=targets.get(run.start))
    i = bisect_right(doubts, run.start, key=lambda doubt: doubt.end)
    # `&amp;` is five characters of the text and one that is shown: there is no place to part it.
    if run.n or run.style & Style.FORMULA or len(run.text) != run.end - run.start:
        is_doubted = i < len(doubts) and doubts[i].start < run.end
        yield replace(run, doubt=doubts[i]) if is_doubted else run
        return
    at = run.start
    while i < len(doubts) and doubts[i].start < run.end:
        first, last = max(doubts[i].start, at), min(doubts[i].end, run.end)
        yield run.part(at, first)
        yield replace(run.part(first, last), doubt=doubts[i])
        at, i = last, i + 1
    yield run.part(at, run.end)


def _joined(line: Iterable[TextRun]) -> tuple[TextRun, ...]:
    """Return runs of which no two that follow each other are set alike."""
    runs: list[TextRun] = []
    for (_, _, n, _), group in groupby(
        line, key=lambda run: (run.style, run.url, run.n, run.doubt)
    ):
        alike = list(group)
        # Markers that follow each other stay apart, as formulas do: each has its own ground, and is
        # pressed by itself.
        if n or alike[0].style & Style.FORMULA or len(alike) == 1:
            runs += alike
        else:
            text = "".join(run.text for run in alike)
            runs.append(alike[0].with_text(text, alike[0].start, alike[-1].end))
    return tuple(run for run in runs if run.text)


def _stops_first(line: Sequence[TextRun]) -> list[TextRun]:
    """Return the runs of a line, the end of a sentence before the markers that precede it: `before.[1]`.

    The check sets a marker into its sentence, and a model behind it. To show both alike, the pieces
    of a line change places; each keeps where it stands in the text, so that a doubt ends where it
    did.
    """
    moved: list[TextRun] = []
    i = 0
    while i < len(line):
        end = i + _run_of_markers(line, i)
        if end == i:
            moved.append(line[i])
            i += 1
            continue
        stop = _stop(line[end]) if end < len(line) and _is_behind_words(moved) else ""
        if stop:
            behind = line[end]
            cut = behind.start + len(stop)
            blank = _cut_blank_end(moved)
            moved += [replace(behind, text=stop, end=cut), *blank, *line[i:end]]
            moved.append(behind.behind(len(stop)))
            end += 1
        else:
            moved += line[i:end]
        i = end
    return moved


def _run_of_markers(line: Sequence[TextRun], start: int) -> int:
    """Return how many runs from a place on are markers and what parts them."""
    count = 0
    for i in range(start, len(line)):
        if line[i].n:
            count = i + 1 - start
        elif not count or line[i].style & Style.CODE or line[i].text.strip(BETWEEN):
            break
    return count


def _is_behind_words(before: Sequence[TextRun]) -> bool:
    text = "".join(run.text for run in before[-2:]).rstrip(_BLANKS)
    return bool(text) and not text.endswith(_NO_WORD)


def _stop(run: TextRun) -> str:
    """Return what ends a sentence at the start of a run."""
    found = None if run.style & Style.CODE else _STOP.match(run.text)
    return found.group() if found else ""


def _cut_blank_end(runs: list[TextRun]) -> list[TextRun]:
    """Take the blanks off the end, and return them as a run if there are any."""
    last = runs.pop()
    trimmed = last.text.rstrip(_BLANKS)
    at = last.start + len(trimmed)
    if trimmed:
        runs.append(replace(last, text=trimmed, end=at))
    return [last.behind(len(trimmed))] if trimmed != last.text else []
