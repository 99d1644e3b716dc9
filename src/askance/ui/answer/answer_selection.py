"""What a copy of selected words is: plain text, as it would have been typed."""

from __future__ import annotations

from PySide6.QtGui import QTextCursor

from askance.ui.answer.answer_document import AnswerDocument
from askance.ui.answer.answer_formats import TIGHT_GAP
from askance.ui.answer.answer_piece import NBSP, Paragraph
from askance.ui.design import utf16

_TYPED = str.maketrans({"\N{LINE SEPARATOR}": "\n", NBSP: " "})


def plain_text(answer: AnswerDocument, selection: QTextCursor) -> str:
    """Return the selected words: numbers as `[1]`, items with what stands before them.

    Blocks stand a line apart, the cells of a table a tab.
    """
    start, end = selection.selectionStart(), selection.selectionEnd()
    told = ""
    at = 0
    for shown in answer.shown:
        pairs = zip(shown.starts, shown.set.paragraphs, strict=True)
        for i, (offset, paragraph) in enumerate(pairs):
            first = at + offset
            if first > end or first + paragraph.length < start:
                continue
            if told:
                is_apart = i == 0 and shown.gap > TIGHT_GAP
                told += _parted(paragraph, is_apart=is_apart)
            if first >= start:
                told += paragraph.sign
            told += _words(paragraph, max(start - first, 0), end - first)
        at += shown.length + 1
    return told.translate(_TYPED).strip("\n")


def _parted(paragraph: Paragraph, *, is_apart: bool) -> str:
    if paragraph.cell is not None and paragraph.cell[1] > 0:
        return "\t"
    return "\n\n" if is_apart else "\n"


def _words(paragraph: Paragraph, start: int, end: int) -> str:
    """Return a part of a paragraph, its numbers in brackets."""
    text = utf16.split("".join(words for words, _ in paragraph.runs))
    parts: list[str] = []
    done = start
    for marker in paragraph.markers:
        if marker.start + marker.length <= start or marker.start >= end:
            continue
        # The gap before a number belongs to it.
        parts += [text[done : max(marker.start, done)].removesuffix(NBSP), f"[{marker.n}]"]
        done = marker.start + marker.length
    parts.append(text[done:end])
    return utf16.join("".join(parts))
