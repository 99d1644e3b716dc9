"""The library measured: what its keyword search finds, and what that and adding cost as it grows.

The data folder holds `passages.jsonl.gz` (`pid`, `title`, `text`) and `hotpot_retrieval.jsonl`
(`question`, `gold_titles`). Times are the processor's, not the wall's: other programs run, too.

    python -m bench.library FOLDER [--sizes 1000,10000,100000,1000000] [--out FILE]
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any

from askance.adapters.library.sqlite_library import SqliteLibrary
from askance.domain.library import Document, LibraryHit, Origin
from bench.library_kills import Killed, kill_often

PAGE = Path(__file__).parents[1] / "docs" / "bench" / "library.md"
SIZES = (1_000, 10_000, 100_000, 1_000_000)
TOP = 10
FILES, MEANING = "## Files from a folder\n", "## By meaning\n"
KILLS = 100
# So many documents in one transaction, as where a folder is read.
BATCH = 64
# Of each further copy of a passage so many words are others, drawn as often as they are used.
VARIED_SHARE = 0.35
_KIB = 1024
_MIB = 1_048_576


@dataclass(frozen=True, slots=True)
class Grown:
    """A library of some size. Times are processor time, but for `add_wall_per_s`."""

    passages: int
    add_per_s: float
    add_wall_per_s: float
    p50_ms: float
    p95_ms: float
    search_mib: float
    add_mib: float
    file_mib: float
    check_s: float
    remove_s: float
    rebuild_per_s: float


def load(folder: Path) -> tuple[list[dict[str, str]], list[dict[str, Any]]]:
    """Return the passages and the questions."""
    with gzip.open(folder / "passages.jsonl.gz", "rt", encoding="utf-8") as lines:
        passages = [json.loads(line) for line in lines]
    with (folder / "hotpot_retrieval.jsonl").open(encoding="utf-8") as lines:
        return passages, [json.loads(line) for line in lines]


def documents(passages: Sequence[dict[str, str]], size: int) -> Iterator[Document]:
    """Yield so many documents of a passage each: the given ones, then others made from their words."""
    every = [word for row in passages for word in row["text"].split()]
    chance = random.Random(1)  # noqa: S311 - no secret

    def varied(text: str) -> str:
        return " ".join(
            chance.choice(every) if chance.random() < VARIED_SHARE else word
            for word in text.split()
        )

    for i in range(size):
        row, copy = passages[i % len(passages)], i // len(passages)
        title, text = row["title"], row["text"]
        if copy:
            title, text = varied(title), varied(text)
        yield Document(f"https://p.example/{copy}/{row['pid']}", title, text, Origin.IMPORT)


def fill(library: SqliteLibrary, given: Iterator[Document]) -> tuple[int, float, float]:
    """Add documents; return how many passages they are, and the processor's and the wall's seconds."""
    passages, busy, wall = 0, 0.0, 0.0
    while batch := list(islice(given, BATCH)):
        begun, began = time.process_time(), time.monotonic()
        passages += sum(added.passages for added in library.add(batch))
        busy += time.process_time() - begun
        wall += time.monotonic() - began
    return passages, busy, wall


def all_gold(hits: Sequence[LibraryHit], gold: Sequence[str]) -> bool:
    """Whether the passages of all titles are among the hits."""
    return set(gold) <= {hit.title for hit in hits}


def searched(
    library: SqliteLibrary, questions: Sequence[dict[str, Any]]
) -> tuple[float, list[float]]:
    """Return the share of questions with all gold in the top ten, and the milliseconds of each search."""
    found, took = 0, list[float]()
    for asked in questions:
        begun = time.process_time()
        hits = library.search(asked["question"], TOP)
        took.append(1000 * (time.process_time() - begun))
        found += all_gold(hits, asked["gold_titles"])
    return found / len(questions), sorted(took)


def pool(folder: Path, work: Path) -> dict[str, Any]:
    """Ask every question of the pool as it is given."""
    passages, questions = load(folder)
    library = SqliteLibrary(work / "pool.sqlite3", 90, _fail)
    fill(library, documents(passages, len(passages)))
    recall, took = searched(library, questions)
    library.close()
    return {"passages": len(passages), "questions": len(questions), "recall": recall,
            "p50_ms": median(took), "p95_ms": p95(took)}  # fmt: skip


def build(folder: Path, work: Path, size: int) -> dict[str, Any]:
    """Make a library of some size."""
    passages, _ = load(folder)
    library = SqliteLibrary(work / f"{size}.sqlite3", 90, _fail)
    stored, busy, wall = fill(library, documents(passages, size))
    library.close()
    return {"passages": stored, "add_per_s": stored / busy, "add_wall_per_s": stored / wall,
            "add_mib": peak_mib()}  # fmt: skip


def ask(folder: Path, work: Path, size: int) -> dict[str, Any]:
    """Ask a library of some size, and nothing else."""
    with (folder / "hotpot_retrieval.jsonl").open(encoding="utf-8") as lines:
        questions = [json.loads(line) for line in lines]
    library = SqliteLibrary(work / f"{size}.sqlite3", 90, _fail)
    _, took = searched(library, questions)
    peak = peak_mib()
    library.close()
    return {"p50_ms": median(took), "p95_ms": p95(took), "search_mib": peak}


def look_after(work: Path, size: int) -> dict[str, Any]:
    """Check a library of some size, delete a document, and build the index anew."""
    file = work / f"{size}.sqlite3"
    library = SqliteLibrary(file, 90, _fail)
    begun = time.process_time()
    differences = library.check()
    check_s = time.process_time() - begun
    if differences:
        raise SystemExit("\n".join(differences))
    (record,) = library.documents(limit=1)
    begun = time.process_time()
    library.remove([record.id])
    remove_s = time.process_time() - begun
    begun = time.process_time()
    passages = library.rebuild(lambda _: None)
    rebuild_s = time.process_time() - begun
    library.close()
    return {"check_s": check_s, "remove_s": remove_s, "rebuild_per_s": passages / rebuild_s,
            "file_mib": file.stat().st_size / _MIB}  # fmt: skip


def render(found: dict[str, Any], rows: Sequence[Grown], killed: Killed) -> str:
    """Return the page."""
    table = "\n".join(
        f"| {row.passages:,} | {row.p50_ms:.1f} | {row.p95_ms:.1f} | {row.search_mib:.0f} "
        f"| {row.add_per_s:,.0f} | {row.add_wall_per_s:,.0f} | {row.add_mib:.0f} "
        f"| {row.file_mib:,.0f} | {row.check_s:.1f} | {row.remove_s:.1f} "
        f"| {row.rebuild_per_s:,.0f} |"
        for row in rows
    )
    return f"""# The library, measured

`python -m bench.library FOLDER` writes this page. Times are processor time, with other programs beside it;
two slow cores. [Decision 30](../decisions/0030-library.md) says why it is built so.

## What keywords find

HotpotQA, {found["questions"]} questions that need two passages each, in a pool of {found["passages"]:,} passages
of four collections: all gold passages are in the top ten for **{found["recall"]:.3f}** of the questions.
A search takes {found["p50_ms"]:.1f} ms (p95 {found["p95_ms"]:.1f} ms), snippets and marks included.

## As it grows

The given passages, then others made of them with {VARIED_SHARE:.0%} of their words drawn anew, each a
document of its own, in transactions of {BATCH}. Every question of the pool is asked once.

| passages | search p50, ms | p95, ms | memory, MiB | added a second | by the wall | memory, MiB | file, MiB | check, s | delete one, s | indexed anew a second |
|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|
{table}

- "Added" is cut, its language recognised, stemmed, stored and indexed; the text is there already.
- The memory of a search is the peak of a process that has loaded the program and asked all questions; that of adding
  holds the given passages, too.
- Deleting rewrites the index, so that no word of what is deleted stays in the file.

## Killed

{killed.kills} times `kill -9` at random moments of adding, changing and deleting, on one library:
{killed.added:,} documents were acknowledged, {killed.deleted:,} deleted. Lost, come back, or index and
tables at odds: {len(killed.problems)}.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, each size in processes of its own, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m bench.library", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--out", type=Path, default=PAGE)
    parser.add_argument("--part", default="", help=argparse.SUPPRESS)
    parser.add_argument("--work", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.part:
        part, _, size = options.part.partition(":")
        sys.stdout.write(json.dumps(_part(part, int(size or 0), options.folder, options.work)))
        return 0
    with tempfile.TemporaryDirectory() as work:
        found = _apart("pool", options.folder, Path(work))
        rows: list[Grown] = []
        for size in map(int, options.sizes.split(",")):
            record: dict[str, Any] = {}
            for part in ("build", "ask", "look"):
                record |= _apart(f"{part}:{size}", options.folder, Path(work))
            rows.append(Grown(**record))
            sys.stdout.write(f"{json.dumps(asdict(rows[-1]))}\n")
            (Path(work) / f"{size}.sqlite3").unlink()
        (Path(work) / "kills").mkdir()
        killed = kill_often(Path(work) / "kills", KILLS)
    before = options.out.read_text(encoding="utf-8") if options.out.exists() else ""
    kept = next((before[before.index(part) :] for part in (FILES, MEANING) if part in before), "")
    page = render(found, rows, killed) + (f"\n{kept}" if kept else "")
    options.out.write_text(page, encoding="utf-8")
    sys.stdout.write(f"{json.dumps(found)}\n{killed.kills} kills, {killed.problems}\n")
    return 1 if killed.problems else 0


def _part(part: str, size: int, folder: Path, work: Path) -> dict[str, Any]:
    match part:
        case "pool":
            return pool(folder, work)
        case "build":
            return build(folder, work, size)
        case "ask":
            return ask(folder, work, size)
        case _:
            return look_after(work, size)


def _apart(part: str, folder: Path, work: Path) -> dict[str, Any]:
    command = [
        sys.executable,
        "-m",
        "bench.library",
        str(folder),
        "--part",
        part,
        "--work",
        str(work),
    ]
    done = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603 - this very Python
    return json.loads(done.stdout)


def peak_mib() -> float:
    """Return the most memory that this process had, in MiB."""
    import resource  # noqa: PLC0415 - Windows has none

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _KIB


def p95(ordered: Sequence[float]) -> float:
    """Return what one in twenty exceeds."""
    return ordered[int(0.95 * (len(ordered) - 1))]


def _fail(text: str) -> None:
    raise SystemExit(text)


if __name__ == "__main__":
    sys.exit(main())
