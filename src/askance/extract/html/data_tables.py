"""Which tables of a page hold data, and which only lay it out; and the rows of those that hold some."""

from __future__ import annotations

import re

from askance.extract.html.tree import Node

# A table with one of these in a cell lays out a page, or a part of it.
_LAYOUT = ("h1", "h2", "h3", "h4", "h5", "h6", "article", "section", "main", "nav", "form", "table")
_LAYOUT_ROLES = frozenset({"presentation", "none"})
_CELLS = frozenset({"td", "th"})
# A cell that spans rows is repeated in each of them up to this length; of a longer one the place is left empty.
_LONGEST_LABEL = 80
# A page may say that each of its cells spans all rows.
_MOST_COLUMNS = 60
_MOST_REPEATED = 5_000
_SPAN = re.compile(r"\s*\+?[0-9]{1,5}")


def data_tables(tree: Node) -> set[Node]:
    """Return the tables whose rows are read as rows. None of them stands in another table."""
    tables = list(tree.iter("table"))
    around = tables_around(tables)
    return {table for table in tables if table not in around and _is_data(table)}


def tables_around(tables: list[Node]) -> set[Node]:
    """Return all elements that tables stand in."""
    around: set[Node] = set()
    for table in tables:
        outer = table.getparent()
        while outer is not None and outer not in around:
            around.add(outer)
            outer = outer.getparent()
    return around


def _is_data(table: Node) -> bool:
    if table.get("role", "").strip().lower() in _LAYOUT_ROLES:
        return False
    if any(element is not table for element in table.iter(*_LAYOUT)):
        return False
    return any(sum(cell.tag in _CELLS for cell in row) > 1 for row in table.iter("tr"))


class TableRows:
    """Writes the rows of one table after another, each on a line, with each cell below the head of its column."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._cells: list[str] = []
        self._has_text = False  # of its own
        self._covered = 0  # columns behind the last cell that it covers, too
        # By column: in how many rows a cell of an earlier row still stands, from this one and from the next one on.
        self._from_here: dict[int, tuple[int, str]] = {}
        self._from_next: dict[int, tuple[int, str]] = {}
        self._repeated = 0

    def add(self, text: str, cell: Node | None = None) -> None:
        """Add what stands in a cell of the row, or beside its cells."""
        self._cells += [""] * self._covered
        self._repeat()
        columns, rows = (
            (_span(cell, "colspan"), _span(cell, "rowspan")) if cell is not None else (1, 1)
        )
        self._covered = min(columns, _MOST_COLUMNS) - 1
        column = len(self._cells)
        if rows > 1 and column + columns <= _MOST_COLUMNS:
            label = text if len(text) <= _LONGEST_LABEL else ""
            self._from_next[column] = rows - 1, label
            self._from_next |= {column + i: (rows - 1, "") for i in range(1, columns)}
        self._cells.append(text)
        self._has_text = self._has_text or bool(text)

    def end_row(self) -> None:
        """End a row; it is one if any cell of its own has text."""
        if self._from_here:
            self._cells += [""] * self._covered
            self._repeat()
            self._from_next |= {
                column: (rows - 1, text)
                for column, (rows, text) in self._from_here.items()
                if rows > 1
            }
        if self._has_text:
            self._lines.append(f"| {' | '.join(self._cells)} |")
        self._from_here, self._from_next = self._from_next, {}
        self._cells.clear()
        self._covered, self._has_text = 0, False

    def end_group(self) -> None:
        """End a head, a body or a foot, which no cell reaches beyond."""
        self._from_here.clear()

    def take(self) -> str:
        """Return the rows since the last time."""
        text = "\n".join(self._lines)
        self._lines.clear()
        self._from_here.clear()
        return text

    def _repeat(self) -> None:
        while (above := self._from_here.pop(len(self._cells), None)) is not None:
            rows, text = above
            self._repeated += 1
            # A table of cells that all span everything would fill the memory with their repeats.
            if self._repeated > _MOST_REPEATED:
                self._from_here.clear()
                return
            if rows > 1:
                self._from_next[len(self._cells)] = rows - 1, text
            self._cells.append(text)


def _span(cell: Node, name: str) -> int:
    value = cell.get(name)
    found = _SPAN.match(value) if value else None
    # In HTML `rowspan="0"` means all rows of the group; here it is one.
    return max(int(found[0]), 1) if found else 1
