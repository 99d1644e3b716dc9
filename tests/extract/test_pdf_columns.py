"""Columns of a PDF page whose lines are drawn across: running text is parted, rows of a table stay rows."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from askance.extract.page import extract_page
from servers.pdf_files import Page, pdf_file

LEFT = (
    "The left column tells",
    "of the northern voyage",
    "to the far islands and",
    "of the ice they met.",
)
RIGHT = (
    "Right side speaks of it",
    "and the market where so",
    "much fish is sold early",
    "in the dark mornings.",
)
THIRD = (
    "A third one has words",
    "about boats that went",
    "down in storms of the",
    "last hard winter.",
)
WORDS = (("apple", "apfel"), ("pear", "birne"), ("plum", "pflaume"), ("cherry", "kirsche"))
PHRASES = (
    ("good morning to you", "guten Morgen zusammen"), ("where is it", "wo ist es"),
    ("how much does that cost", "was kostet das alles"), ("thank you", "danke sehr dafür"),
)  # fmt: skip
STEPS = (
    ("open the door", "the handle is on the left side of it"), ("close it", "with the small key"),
    ("go away", "and do not come back here soon"), ("stay", "if you must"),
)  # fmt: skip


def text_of(*columns: Sequence[str], apart: float = 180, before: str = "") -> str:
    """The text of a page on which the lines of columns are drawn row by row."""
    rows = max(map(len, columns))
    program = f"1 0 0 1 60 730 Tm ({before}) Tj " if before else ""
    for row in range(rows):
        for n, column in enumerate(columns):
            if row < len(column):
                program += f"1 0 0 1 {60 + apart * n} {700 - 14 * row} Tm ({column[row]}) Tj "
    data = pdf_file(Page(f"BT /F 12 Tf {program}ET"))
    return " ".join(extract_page(data, "", "application/pdf").markdown.split())


@pytest.mark.parametrize(
    "columns", [(LEFT, RIGHT), (LEFT, RIGHT, THIRD), (LEFT[:3], RIGHT), (RIGHT, LEFT[:3])]
)
def test_columns_of_running_text_are_read_one_after_the_other(
    columns: tuple[Sequence[str], ...],
) -> None:
    one_by_one = " ".join(" ".join(column) for column in columns)
    assert text_of(*columns) == one_by_one
    assert text_of(*columns, before="A headline") == f"A headline {one_by_one}"


def test_paragraphs_of_a_column_stay_in_it() -> None:
    left, right = (
        (*LEFT, "", "It was cold on board", "and nobody had slept", "for days."),
        (*RIGHT, *THIRD),
    )
    assert text_of(left, right) == f"{' '.join(left)} {' '.join(right)}".replace("  ", " ")


@pytest.mark.parametrize(
    "rows", [WORDS, PHRASES, STEPS, tuple(zip(LEFT, ("1", "2", "3", "4"), strict=True))]
)
def test_rows_of_a_table_stay_rows(rows: tuple[tuple[str, str], ...]) -> None:
    assert text_of(*zip(*rows, strict=True)) == " ".join(map(" ".join, rows))


def test_two_rows_are_too_few() -> None:
    assert text_of(LEFT[:2], RIGHT[:2]) == f"{LEFT[0]} {RIGHT[0]} {LEFT[1]} {RIGHT[1]}"
