"""What the window draws, written as Markdown: `[[1]]` is a marker of source 1, `<words>` are doubted."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from askance.ui.overlay.answer.markdown_blocks import MarkdownBlockKind
from askance.ui.overlay.answer.markup import MarkupParagraph, Piece, Style, TextRun

_MARKS = {Style.BOLD: "**", Style.ITALIC: "*", Style.STRUCK: "~~", Style.CODE: "`"}


def drawn(pieces: Sequence[Piece]) -> str:
    """Return pieces as one text; items of a tight list stand below each other."""
    text = ""
    for before, piece in zip((None, *pieces), pieces, strict=False):
        if before is not None:
            both = before.kind is piece.kind is MarkdownBlockKind.LIST
            text += "\n" if both and before.is_tight else "\n\n"
        text += _piece(piece)
    return text


def words(runs: Sequence[TextRun]) -> str:
    """Return the runs of a paragraph."""
    message = ""
    for doubt, group in groupby(runs, key=lambda run: run.doubt):
        inside, behind = list(group), list[TextRun]()
        while doubt and inside and (inside[-1].n or not inside[-1].text.strip()):
            behind.insert(0, inside.pop())  # the window draws no line below them
        text = "".join(map(_run, inside))
        blank = text[len(text.rstrip()) :]
        message += f"<{text.strip()}>{blank}" if doubt else text
        message += "".join(map(_run, behind))
    return message


def _piece(piece: Piece) -> str:
    if piece.code is not None:
        return f"```{piece.code.language}\n{piece.code.text}\n```"
    if piece.kind is MarkdownBlockKind.RULE:
        return "***"
    if piece.kind is MarkdownBlockKind.TABLE:
        rows = groupby(piece.paragraphs, key=lambda p: (p.cell or (0, 0))[0])
        return "\n".join("| " + " | ".join(words(p.runs) for p in row) + " |" for _, row in rows)
    return "\n".join(map(_paragraph, piece.paragraphs))


def _paragraph(paragraph: MarkupParagraph) -> str:
    task = "" if paragraph.is_done is None else "[x] " if paragraph.is_done else "[ ] "
    item = f"{'  ' * (paragraph.depth - 1)}{paragraph.sign}" if paragraph.depth else ""
    heading = "#" * paragraph.heading + " " if paragraph.heading else ""
    return f"{'> ' * paragraph.quote}{item}{task}{heading}{words(paragraph.runs)}"


def _run(run: TextRun) -> str:
    if run.n:
        return f"[[{run.n}]]" if run.citation is None else f"[[{run.n}/{run.citation}]]"
    text = run.text
    for style, mark in _MARKS.items():
        if run.style & style:
            text = f"{mark}{text}{mark}"
    return f"[{text}]({run.url})" if run.url else text
