"""The picture of how the library grows, drawn from the table that `bench.library` measured.

python -m bench.library_growth [--page FILE]
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from askance.cli.render.output import write_chart
from askance.presentation.statistics import (
    Chart,
    ChartForm,
    Panel,
    Series,
    Tick,
    highest_of,
    value_ticks,
)

PAGE = Path(__file__).parents[1] / "docs" / "bench" / "library.md"
_SEARCH = {"search p50, ms": "half of the questions", "p95, ms": "nineteen of twenty"}
_ADDED = {"added a second": "of the processor", "by the wall": "by the clock, the disk included"}
_CARE = {"check, s": "check of the whole", "delete one, s": "deletion of one document"}
_FILE = {"file, MiB": "the file, with its index"}


def measured(page: str) -> dict[str, list[float]]:
    """Return the columns of the table of growth, the first of each name; what is no number is left out.

    Raises:
        SystemExit: the page has no such table.
    """
    rows = [_cells(line) for line in page.splitlines() if line.startswith("|")]
    wanted = {"passages", *_SEARCH, *_ADDED, *_CARE, *_FILE}
    start = next((i for i, row in enumerate(rows) if wanted <= set(row)), None)
    if start is None:
        raise SystemExit("There is no table of growth on the page.")
    heading = rows[start]
    columns: dict[str, list[float]] = {name: [] for name in wanted}
    for row in rows[start + 2 :]:
        if len(row) != len(heading) or not row[0].replace(",", "").isdecimal():
            break
        for name, values in columns.items():
            values.append(float(row[heading.index(name)].replace(",", "")))
    return columns


def chart(columns: Mapping[str, Sequence[float]]) -> Chart:
    """Return the picture of a table: times, paces and sizes over the number of passages."""
    passages = columns["passages"]
    most = f"{float(f'{max(passages):.1g}'):,.0f}"
    return Chart(
        title=f"The library in one file, to {most} passages",
        subtitle="Times of one processor that had other work beside it; two slow cores. Passages: logarithmic.",
        panels=(
            _panel("Milliseconds a search", columns, _SEARCH),
            _panel("Passages added a second", columns, _ADDED),
            _panel("Seconds", columns, _CARE),
            _panel("MiB, logarithmic", columns, _FILE, is_logarithmic=True),
        ),
    )


def _panel(
    title: str,
    columns: Mapping[str, Sequence[float]],
    names: Mapping[str, str],
    *,
    is_logarithmic: bool = False,
) -> Panel:
    places = [math.log10(n) for n in columns["passages"]]
    series = tuple(
        Series(
            name=text,
            values=tuple(math.log10(n) if is_logarithmic else n for n in columns[column]),
        )
        for column, text in names.items()
    )
    highest = highest_of(series, ChartForm.LINES)
    return Panel(
        title=title,
        form=ChartForm.LINES,
        x=tuple(places),
        x_title="Passages",
        x_ticks=_powers(round(min(places)), round(max(places))),
        y_ticks=_powers(0, math.ceil(highest)) if is_logarithmic else value_ticks(highest),
        series=series,
    )


def _powers(first: int, last: int) -> tuple[Tick, ...]:
    return tuple(Tick(at=float(n), label=f"{10**n:,}") for n in range(first, last + 1))


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def draw(page: Path) -> Path:
    """Draw the picture of a page beside it, and return its file."""
    file = page.with_name(f"{page.stem}-growth.png")
    found = chart(measured(page.read_text(encoding="utf-8")))
    write_chart(found, file)
    # What the program writes is its user's alone; this is everybody's.
    file.chmod(0o644)
    return file


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw the picture."""
    parser = argparse.ArgumentParser(prog="python -m bench.library_growth", description=__doc__)
    parser.add_argument("--page", type=Path, default=PAGE)
    draw(parser.parse_args(arguments).page)
    return 0


if __name__ == "__main__":
    sys.exit(main())
