"""Passages quoted as Markdown, where no model has written an answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate, groupby

from askance.citations.markdown.foreign_markers import round_foreign_markers
from askance.domain.evidence import Extract, ExtractKind, Source
from askance.extract.text.markdown_text import FENCES, code_apart
from askance.text.languages.recognition import language_of
from askance.text.ranking.index_terms import query_terms, terms, whole_sentences
from askance.text.ranking.scoring import Bm25f, ScoredField

QUOTED_PASSAGES = 4
QUOTED_CHARS = 420
_CODE, _TABLE = "code", "table"
_OUR_BORDER = re.compile(r"(?<= )\|(?= )")
_RULE_CELL = re.compile(r":?-{2,}:?")


def quote_passages(
    extracts: Sequence[Extract], sources: Sequence[Source], *, question: str, opening: str
) -> str:
    """Return the passages that fit the question best as Markdown, those of a page below its title.

    What a page tells in sentences is quoted, its tables stay tables; each names its number.
    """
    titles = {s.n: s.title for s in sources}
    pages: dict[int, list[str]] = {}
    for extract in _best(extracts, question):
        quoted = pages.setdefault(extract.n, [])
        quoted += (block for block in _blocks(extract, question) if block not in quoted)
    parts = [str(opening)]
    for n, blocks in pages.items():
        parts += [f"**{round_foreign_markers(titles[n])}**", *blocks]
    return "\n\n".join(parts)


def _best(extracts: Sequence[Extract], question: str) -> list[Extract]:
    """Return the passages that share most with the question, best first; of equals the first."""
    read = [e for e in extracts if e.kind is ExtractKind.PASSAGE] or list(extracts)
    code = language_of(e.text for e in read)
    texts = [{"text": terms(f"{e.heading}\n{e.text}", code)} for e in read]
    scores = Bm25f(texts, {"text": ScoredField()}).scores(query_terms(question, code))
    # `sorted` is stable, so equals stay in the order in which they entered.
    order = sorted(range(len(read)), key=lambda i: -scores[i])
    return [read[i] for i in order[:QUOTED_PASSAGES]]


def _blocks(extract: Extract, question: str) -> Iterator[str]:
    """Yield the prose, the tables and the code of a passage as blocks of Markdown, up to its length."""
    room, is_named = QUOTED_CHARS, False
    for kind, group in groupby(_lines(extract.text), key=lambda line: line[0]):
        written = [line for _, line in group]
        lines = [round_foreign_markers(line) for line in written]
        if room <= 0 or not any(line.strip() for line in lines):
            continue
        if kind == _CODE:
            block = _code(written, room)
            block += "" if is_named else f"\n\n[{extract.n}]"
        elif kind == _TABLE:
            block = _table(lines, extract.n, question, room)
        else:
            prose = " ".join(line.strip() for line in lines if line.strip())
            block = f"> {whole_sentences(prose[:room]) or prose[:room]} [{extract.n}]"
        is_named = True
        room -= len(block)
        yield block


def _lines(text: str) -> Iterator[tuple[str, str]]:
    """Yield the lines of a passage with what they are of; blocks of code are parted by their fences."""
    for is_code, part in code_apart(text):
        if is_code and part.startswith(FENCES):
            yield "", ""
            yield from ((_CODE, line) for line in part.split("\n"))
        else:
            yield from ((_TABLE if line[:1] == "|" else "", line) for line in part.splitlines())


def _code(lines: Sequence[str], room: int) -> str:
    """Return a block of code, of a long one its first lines. No number of a source is read in it."""
    head, *rest = lines
    fence = head[: len(head) - len(head.lstrip(head[0]))]
    if rest and rest[-1].startswith(fence) and not rest[-1].strip(fence[0]):
        rest.pop()
    lengths = accumulate(len(line) + 1 for line in rest)
    lines_left = [
        line for line, length in zip(rest, lengths, strict=True) if length <= room
    ] or rest[:1]
    return "\n".join([head, *lines_left, fence])


def _table(lines: Sequence[str], n: int, question: str, room: int) -> str:
    """Return a table with its head. Of one that is too long, the rows that fit the question best.

    The number stands in the row that fits best.
    """
    head, *rows = [_cells(line) for line in lines]
    # The rule below a head is written anew; one in the midst of a page's table is none of its rows.
    rows = [row for row in rows if not all(_RULE_CELL.fullmatch(cell) for cell in row)]
    if not rows:
        head, rows = [""] * len(head), [head]
    code = language_of([" ".join(lines), question])
    asked = set(terms(question, code))
    shared = [len(asked.intersection(terms(" ".join(row), code))) for row in rows]
    by_fit = sorted(range(len(rows)), key=lambda i: -shared[i])
    retained, length = set[int](), 0
    for i in by_fit:
        length += sum(map(len, rows[i]))
        if retained and length > room:
            break
        retained.add(i)
    best = rows[by_fit[0]]
    best[-1] = f"{best[-1]} [{n}]".strip()
    shown = [head, ["---"] * len(head), *(rows[i] for i in sorted(retained))]
    return "\n".join(f"| {' | '.join(_fitted(row, len(head)))} |" for row in shown)


def _cells(line: str) -> list[str]:
    """Return the cells of a row. Ours have a blank on both sides; `a || b` in a cell has none."""
    inside = line.strip().removeprefix("|").removesuffix("|")
    cells = _OUR_BORDER.split(inside)
    return [cell.strip() for cell in (cells if len(cells) > 1 else inside.split("|"))]


def _fitted(row: Sequence[str], width: int) -> list[str]:
    """Return a row as Markdown writes it. What would be beyond its table is left out by Markdown: it goes into the last cell."""
    cells = [*row[: width - 1], " | ".join(row[width - 1 :])]
    return [cell.replace("|", r"\|") for cell in cells]
