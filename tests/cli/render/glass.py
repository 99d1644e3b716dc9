"""A terminal of the simplest kind: it obeys what rich sends, and tells what a person would see."""

from __future__ import annotations

import re

_TOKEN = re.compile(
    r"\x1b\]8;[^;]*;(?P<link>[^\x1b]*)\x1b\\"
    r"|\x1b\[(?P<mode>\?25[lh])"
    r"|\x1b\[(?P<number>[\d;]*)(?P<order>[A-Za-z])"
    r"|(?P<plain>[^\x1b]|\x1b)"
)


class Glass:
    """Feed it what was written; `rows` is what stands there, `links` the targets met on the way."""

    def __init__(self, written: str) -> None:
        self.rows: list[str] = [""]
        self.links: list[str] = []
        self.cursor_hidden = False
        self._row = self._column = 0
        for match in _TOKEN.finditer(written):
            self._obey(match)

    @property
    def text(self) -> str:
        return "\n".join(row.rstrip() for row in self.rows).strip("\n")

    def _obey(self, match: re.Match[str]) -> None:
        if match["link"]:
            self.links.append(match["link"])
        elif match["mode"]:
            self.cursor_hidden = match["mode"].endswith("l")
        elif match["order"]:
            self._order(match["order"], match["number"])
        elif match["plain"] == "\n":
            self._row, self._column = self._row + 1, 0
            if self._row == len(self.rows):
                self.rows.append("")
        elif match["plain"] == "\r":
            self._column = 0
        elif match["plain"]:
            assert match["plain"] >= " ", f"a control character came through: {match['plain']!r}"
            row = self.rows[self._row].ljust(self._column)
            self.rows[self._row] = row[: self._column] + match["plain"] + row[self._column + 1 :]
            self._column += 1

    def _order(self, order: str, number: str) -> None:
        match order:
            case "A":
                self._row = max(self._row - int(number or 1), 0)
            case "K":
                self.rows[self._row] = ""
            case "m":
                pass
            case _:
                raise AssertionError(f"an order nobody gave: {number}{order}")
