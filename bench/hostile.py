"""What pages of two megabytes cost in the shapes that a reader bears worst.

    python -m bench.hostile [--out docs/bench/hostile-shapes.md]

Each page goes the way of a page that was fetched: through a child process that takes it apart, and
through the selection of passages in a thread, while a loop notes the longest callback. Loop and
thread are measured in processor time.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from askance.adapters.reader.workers import WorkerPool
from askance.domain.web_pages import Page, PageStatus
from askance.text.ranking.scoring import Budget, FoundPage, PassageSelector
from bench.hostile_shapes import SHAPES, shape
from bench.loop_probe import keeping

QUESTION = "Where was the engineer who built the Lindmouth lighthouse born?"
CHILD_S = 20.0
TOKENS = 3_000
HEAD = """# Pages in hostile shapes

`python -m bench.hostile`: pages of two megabytes, through a child process and the selection of passages.
Most of the time is the child's; one that takes longer than 10 s is ended, and
the page is given up. The thread's and the loop's times are processor time. The loop may be kept 100 ms.

| shape | child, s | characters handed on | selection, thread ms | loop, longest ms |
|---|---:|---:|---:|---:|
"""


@dataclass(frozen=True, slots=True)
class Row:
    """One shape. `child_s` is None where the child was ended."""

    name: str
    child_s: float | None
    characters: int
    selecting_ms: float
    loop_ms: float

    @property
    def line(self) -> str:
        """The row as Markdown."""
        child = f"over {CHILD_S:.0f}" if self.child_s is None else f"{self.child_s:.1f}"
        return (
            f"| {self.name} | {child} | {self.characters:,} | {self.selecting_ms:.0f}"
            f" | {self.loop_ms:.0f} |"
        )


async def measure(name: str, pool: WorkerPool) -> Row:
    """Send a page of a shape through."""
    content_type, text = shape(name)
    data = text.encode("utf-8", "replace")
    with keeping() as stored:
        started = time.perf_counter()
        try:
            async with asyncio.timeout(CHILD_S):
                extracted = await pool.extract(data, "http://hostile.example/", content_type)
        except TimeoutError:
            return Row(name, None, 0, 0.0, stored.longest_ms)
        child_s = time.perf_counter() - started
        page = Page(
            "http://hostile.example/",
            PageStatus.OK,
            title=extracted.title,
            markdown=extracted.markdown,
        )
        selecting_ms = await asyncio.to_thread(_select, page)
    return Row(name, child_s, len(extracted.markdown), selecting_ms, stored.longest_ms)


def _select(page: Page) -> float:
    selector = PassageSelector(QUESTION)
    started = time.thread_time()
    selector.select(
        [FoundPage(page, ("lighthouse engineer",))], Budget(TOKENS), lambda t: len(t) // 4
    )
    return 1000 * (time.thread_time() - started)


async def run() -> list[Row]:
    """Measure all shapes, one after the other."""
    async with WorkerPool(1, 1024) as pool:
        await pool.extract(b"A first page.", "http://first.example/", "text/plain")
        return [await measure(name, pool) for name in SHAPES]


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table, or write it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, help="file to write to")
    chosen = parser.parse_args(arguments)
    text = HEAD + "\n".join(row.line for row in asyncio.run(run())) + "\n"
    if chosen.out:
        chosen.out.write_text(text, encoding="utf-8")
    sys.stdout.write(text)


if __name__ == "__main__":
    main()
