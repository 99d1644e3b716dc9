"""Which tables of a page hold data, and which only lay it out."""

from __future__ import annotations

from askance.extract.tree import Node

# A table with one of these in a cell lays out a page, or a part of it.
_LAYOUT = ("h1", "h2", "h3", "h4", "h5", "h6", "article", "section", "main", "nav", "form", "table")
_LAYOUT_ROLES = frozenset({"presentation", "none"})
# Characters of a cell that is a text by itself.
LONG_CELL = 1200
_CELLS = frozenset({"td", "th"})


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
    most = 0
    for row in table.iter("tr"):
        cells = [cell for cell in row if cell.tag in _CELLS]
        most = max(most, len(cells))
        if any(map(_is_long, cells)):
            return False
    return most > 1


def _is_long(cell: Node) -> bool:
    length = sum(map(len, cell.itertext())) if len(cell) else len(cell.text or "")
    return length > LONG_CELL
