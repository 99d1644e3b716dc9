"""Search by meaning measured: what it adds to keywords, what vectors cost as they grow, and `kill -9`.

An embedding server, `--embeddings`, embeds the pool; the vectors of the larger libraries are made here:
clusters within clusters, all in one half of space, as those of embedding models lie.

    python -m bench.library_meaning FOLDER --embeddings URL [--sizes 100000,1000000] [--out FILE]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import numpy.typing as npt

from askance.adapters.embeddings.model_folders import FolderEmbedder, onnx
from askance.adapters.embeddings.servers import OllamaEmbedder
from askance.adapters.library.library_vectors import SqliteVectors
from askance.adapters.library.sqlite_library import SqliteLibrary
from askance.config.choices import EmbeddingsApi
from askance.config.settings import EmbeddingsSettings
from askance.domain.library import EVERY, LibraryHit, SearchMode
from askance.domain.ports.model import Identity
from askance.engine.library_router import (
    LEAST_SIMILARITY,
    MERGED,
    LibraryEmbedding,
    LibraryRouter,
    Semantic,
    merged,
)
from bench.library import (
    KILLS,
    MEANING,
    PAGE,
    TOP,
    all_gold,
    documents,
    fill,
    load,
    p95,
    peak_mib,
)
from bench.library_kills import Killed, kill_often

Floats = npt.NDArray[np.float32]
DIMENSION = 384
IDENTITY = Identity("made here", "", DIMENSION)
CENTRES, WITHIN = 500, 20
QUESTIONS = 400
BATCH = 4096
RRF_K = 60


@dataclass(frozen=True, slots=True)
class Size:
    """So many vectors. Times are processor time."""

    vectors: int
    keep_per_s: float
    p50_ms: float
    p95_ms: float
    recall: float
    memory_mib: float
    load_ms: float
    file_mib: float
    remove_s: float


def by_ranks(
    first: Sequence[LibraryHit], second: Sequence[LibraryHit], weight: float = 1.0
) -> list[LibraryHit]:
    """Merge two lists by reciprocal rank fusion; `weight` is what a rank in the second counts."""
    scores: dict[str, float] = {}
    by_id: dict[str, LibraryHit] = {}
    for hits, counts in ((first, 1.0), (second, weight)):
        for rank, hit in enumerate(hits, 1):
            scores[hit.passage] = scores.get(hit.passage, 0.0) + counts / (RRF_K + rank)
            by_id.setdefault(hit.passage, hit)
    return [by_id[passage] for passage in sorted(scores, key=lambda p: (-scores[p], p))]


def embedder_at(place: str) -> OllamaEmbedder | FolderEmbedder:
    """Return an embedder on an Ollama server, or that of an ONNX folder."""
    if place.startswith("http"):
        return OllamaEmbedder(EmbeddingsSettings(api=EmbeddingsApi.OLLAMA, url=place))
    return FolderEmbedder(EmbeddingsSettings(api=EmbeddingsApi.ONNX, path=place), onnx)


async def pool(folder: Path, work: Path, place: str) -> dict[str, Any]:
    """Ask every question of the pool in each way."""
    passages, questions = load(folder)
    library = SqliteLibrary(work / "pool.sqlite3", 90, _fail)
    fill(library, documents(passages, len(passages)))
    vectors = SqliteVectors(library)
    ways: dict[str, int] = {}
    async with embedder_at(place) as embedder:
        identity = await embedder.identity()
        began = time.monotonic()
        done = await LibraryEmbedding(vectors, embedder).embed()
        embed_s = time.monotonic() - began
        if done.failed or done.done != done.of:
            raise SystemExit(f"{done.failed} passages were not embedded: {done.problem}")
        for asked in questions:
            words, gold = asked["question"], asked["gold_titles"]
            first = library.search(words, MERGED)
            second = vectors.nearest(
                identity, await embedder.embed_query(words), MERGED, EVERY, words=words,
                least=LEAST_SIMILARITY,
            )  # fmt: skip
            for name, hits in (
                ("keywords", first),
                ("meaning", second),
                ("reciprocal ranks", by_ranks(first, second)),
                ("reciprocal ranks, meaning counts half", by_ranks(first, second, 0.5)),
                ("sum of scores", merged(first, second, 1.0)),
                ("sum of scores, meaning counts half", merged(first, second, 0.5)),
                ("sum of scores, meaning counts a quarter", merged(first, second, 0.25)),
            ):
                ways[name] = ways.get(name, 0) + all_gold(hits[:TOP], gold)
    library.close()
    found = {name: n / len(questions) for name, n in ways.items()}
    return {"passages": len(passages), "questions": len(questions), "model": identity.model,
            "dimension": identity.dimension, "embed_per_s": len(passages) / embed_s,
            "ways": found}  # fmt: skip


def made(count: int, seed: int) -> Iterator[Floats]:
    """Yield vectors by the batch: clusters within clusters, on one side of space."""
    chance = np.random.default_rng(seed)
    common = chance.normal(size=DIMENSION)
    centres = chance.normal(size=(CENTRES, DIMENSION))
    within = chance.normal(size=(CENTRES * WITHIN, DIMENSION))
    for start in range(0, count, BATCH):
        chosen = chance.integers(0, CENTRES * WITHIN, min(BATCH, count - start))
        noise = chance.normal(size=(len(chosen), DIMENSION))
        rows = 0.7 * common + 0.5 * centres[chosen // WITHIN] + 0.4 * within[chosen] + 0.35 * noise
        yield (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def put_passages(library: SqliteLibrary, count: int) -> None:
    """Put so many passages into the tables, a hundred to a text; words have no part in it."""

    def put(connection: Any) -> None:
        for n in range(1, count // 100 + 1):
            text = " ".join(f"p{n}x{i:02d}" for i in range(100))
            length = len(text) // 100
            connection.execute(
                "INSERT INTO content VALUES (?, ?, 'en', 0, 100, 1, ?)",
                (n, f"h{n}", zlib.compress(text.encode(), 1)),
            )
            connection.execute(
                "INSERT INTO document VALUES (?, ?, ?, 'T', 'import', 'text', '', '', '2026', ?)",
                (f"d{n}", f"u{n}", f"https://u.example/{n}", n),
            )
            connection.executemany(
                "INSERT INTO passage (content, number, start, stop, heading, syntaxes) "
                "VALUES (?, ?, ?, ?, '', '')",
                ((n, i, i * length, (i + 1) * length) for i in range(100)),
            )

    library.database.write(put)


def keep_all(vectors: SqliteVectors, count: int) -> float:
    """Give passages made vectors; return the processor's seconds."""
    busy, after = 0.0, 0
    for rows in made(count, 1):
        waiting = vectors.unembedded(IDENTITY, len(rows), after)
        after = waiting[-1].row
        given = list(zip(waiting, rows.tolist(), strict=False))
        begun = time.process_time()
        vectors.store(IDENTITY, given)
        busy += time.process_time() - begun
    return busy


def build_vectors(work: Path, size: int) -> dict[str, Any]:
    """Make a library of so many vectors, and the questions with their exact answers."""
    library = SqliteLibrary(work / f"v{size}.sqlite3", 90, _fail)
    put_passages(library, size)
    busy = keep_all(SqliteVectors(library), size)
    library.close()
    every = np.concatenate(list(made(size, 1)))
    chance = np.random.default_rng(2)
    asked = every[chance.integers(0, size, QUESTIONS)]
    asked = asked + 0.35 * chance.normal(size=asked.shape) * np.linalg.norm(asked, axis=1)[0] / 20
    asked = (asked / np.linalg.norm(asked, axis=1, keepdims=True)).astype(np.float32)
    best = [np.argsort(-(every @ one), kind="stable")[:TOP] for one in asked]
    np.savez(work / f"v{size}.npz", asked=asked, best=np.stack(best))
    return {"keep_per_s": size / busy}


def ask_vectors(work: Path, size: int) -> dict[str, Any]:
    """Ask a library of so many vectors, and nothing else."""
    with np.load(work / f"v{size}.npz") as stored:
        asked, best = stored["asked"], stored["best"]
    library = SqliteLibrary(work / f"v{size}.sqlite3", 90, _fail)
    vectors = SqliteVectors(library)
    took, found = list[float](), 0
    for one, wanted in zip(asked, best, strict=True):
        begun = time.process_time()
        hits = vectors.nearest(
            IDENTITY, one.tolist(), TOP, EVERY, words="", passages_each=TOP, least=LEAST_SIMILARITY
        )
        took.append(1000 * (time.process_time() - begun))
        rows = {(int(hit.document[1:]) - 1) * 100 + hit.number for hit in hits}
        found += len(rows & set(wanted.tolist()))
    load_ms, took = took[0], sorted(took[1:])
    peak = peak_mib()
    (document,) = library.documents(limit=1)
    begun = time.process_time()
    library.remove([document.id])
    remove_s = time.process_time() - begun
    size_mib = library.file.stat().st_size / 1_048_576
    library.close()
    return {"p50_ms": median(took), "p95_ms": p95(took), "recall": found / len(asked) / TOP,
            "memory_mib": peak, "load_ms": load_ms, "file_mib": size_mib,
            "remove_s": remove_s}  # fmt: skip


class Prepared:
    """An embedder that has the vectors of its questions at hand."""

    host = ""

    def __init__(self, vectors: Sequence[Sequence[float]]) -> None:
        self._vectors = list(vectors)

    async def identity(self) -> Identity:
        """Say that its vectors were made here."""
        return IDENTITY

    async def embed_query(self, text: str) -> Sequence[float]:
        """Return the next vector."""
        return self._vectors[zlib.crc32(text.encode()) % len(self._vectors)]

    async def embed_passages(self, passages: Sequence[tuple[str, str]]) -> list[Sequence[float]]:
        """Return any vectors."""
        return [self._vectors[0] for _ in passages]


def build_hybrid(folder: Path, work: Path, size: int) -> dict[str, Any]:
    """Make a library of real and varied passages, with vectors that were made."""
    passages, _ = load(folder)
    library = SqliteLibrary(work / "hybrid.sqlite3", 90, _fail)
    stored, _, _ = fill(library, documents(passages, size))
    keep_all(SqliteVectors(library), stored)
    library.close()
    return {"passages": stored}


def ask_hybrid(folder: Path, work: Path) -> dict[str, Any]:
    """Ask every question of the pool, by words and by meaning."""
    with (folder / "hotpot_retrieval.jsonl").open(encoding="utf-8") as lines:
        questions = [json.loads(line)["question"] for line in lines]
    library = SqliteLibrary(work / "hybrid.sqlite3", 90, _fail)
    prepared = Prepared(next(made(QUESTIONS, 1)).tolist())
    router = LibraryRouter(library, Semantic(prepared, SqliteVectors(library), timeout_s=600))

    async def ask() -> list[float]:
        took: list[float] = []
        for question in questions:
            begun = time.process_time()
            found = await router.find(question, TOP, mode=SearchMode.HYBRID)
            took.append(1000 * (time.process_time() - begun))
            if found.notes:
                raise SystemExit("\n".join(found.notes))
        return sorted(took[1:])

    took = asyncio.run(ask())
    library.close()
    return {"hybrid_p50_ms": median(took), "hybrid_p95_ms": p95(took),
            "hybrid_mib": peak_mib()}  # fmt: skip


def render(
    pools: Sequence[dict[str, Any]], sizes: Sequence[Size], hybrid: dict[str, Any], killed: Killed
) -> str:
    """Return the part of the page."""
    heads = " | ".join(f"{found['model']}, {found['dimension']}" for found in pools)
    ways = "\n".join(
        f"| {name} | {' | '.join(format(found['ways'][name], '.3f') for found in pools)} |"
        for name in pools[0]["ways"]
    ) if pools else ""  # fmt: skip
    table = "\n".join(
        f"| {row.vectors:,} | {row.p50_ms:.1f} | {row.p95_ms:.1f} | {row.recall:.3f} "
        f"| {row.memory_mib:.0f} | {row.load_ms:.0f} | {row.keep_per_s:,.0f} | {row.file_mib:,.0f} "
        f"| {row.remove_s:.2f} |"
        for row in sizes
    )
    asked = pools[0] if pools else {"questions": 0, "passages": 0}
    return f"""## By meaning

`python -m bench.library_meaning FOLDER` writes this part. [Decision 31](../decisions/0031-embeddings.md) says why.
All gold in the top ten, {asked["questions"]} questions, {asked["passages"]:,} passages, each list {MERGED} long; models by
name and dimension:

| way | {heads} |
|---|{"---:|" * len(pools)}
{ways}

Vectors of {DIMENSION} numbers that were made: {CENTRES * WITHIN:,} clusters in {CENTRES}, on one side of space.
Recall is that of the ten nearest against an exact search.

| vectors | search p50, ms | p95, ms | recall | memory, MiB | first search, ms | stored a second | file, MiB | delete one document, s |
|---:|---:|---:|---:|---:|---:|---:|---:|---:|
{table}

The memory is the peak of a process that has asked {QUESTIONS} questions: the signs are 48 bytes a vector and read at the first
search, the rest of the program some 50 MiB. The file is that of the whole library.

Words and meaning together, {hybrid["passages"]:,} passages, without embedding the question: {hybrid["hybrid_p50_ms"]:.1f} ms
(p95 {hybrid["hybrid_p95_ms"]:.1f} ms), {hybrid["hybrid_mib"]:.0f} MiB.

{killed.kills} times `kill -9` at random moments of adding, changing, embedding and deleting: {killed.added:,} documents and
{killed.embedded:,} vectors were acknowledged, {killed.deleted:,} documents deleted. Lost, come back, found by the vector
of another text, or left in a file: {len(killed.problems)}.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, each size in processes of its own, and write the part of the page."""
    parser = argparse.ArgumentParser(prog="python -m bench.library_meaning", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--embeddings", action="append", default=[], metavar="URL|FOLDER")
    parser.add_argument("--pool", action="append", default=[], type=Path, help="measured before")
    parser.add_argument("--sizes", default="100000,1000000")
    parser.add_argument("--hybrid", type=int, default=100_000)
    parser.add_argument("--kills", type=int, default=KILLS)
    parser.add_argument("--out", type=Path, default=PAGE)
    parser.add_argument("--part", default="", help=argparse.SUPPRESS)
    parser.add_argument("--work", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.part:
        sys.stdout.write(json.dumps(_part(options.part, options.folder, options.work)))
        return 0
    pools = [json.loads(file.read_text(encoding="utf-8")) for file in options.pool]
    with tempfile.TemporaryDirectory() as made_here:
        work = Path(made_here)
        pools += [_apart(f"pool:{place}", options.folder, work) for place in options.embeddings]
        sizes: list[Size] = []
        for size in map(int, options.sizes.split(",")):
            record = {"vectors": size, **_apart(f"build:{size}", options.folder, work)}
            sizes.append(Size(**record, **_apart(f"ask:{size}", options.folder, work)))
            sys.stdout.write(f"{sizes[-1]}\n")
        hybrid = _apart(f"build_hybrid:{options.hybrid}", options.folder, work)
        hybrid |= _apart("ask_hybrid", options.folder, work)
        (work / "kills").mkdir()
        killed = kill_often(work / "kills", options.kills)
    page = options.out.read_text(encoding="utf-8").partition(MEANING)[0]
    options.out.write_text(page + render(pools, sizes, hybrid, killed), encoding="utf-8")
    sys.stdout.write(f"{hybrid}\n{killed}\n")
    return 1 if killed.problems else 0


def _part(part: str, folder: Path, work: Path) -> dict[str, Any]:
    name, _, value = part.partition(":")
    match name:
        case "pool":
            return asyncio.run(pool(folder, work, value))
        case "build":
            return build_vectors(work, int(value))
        case "ask":
            return ask_vectors(work, int(value))
        case "build_hybrid":
            return build_hybrid(folder, work, int(value))
        case _:
            return ask_hybrid(folder, work)


def _apart(part: str, folder: Path, work: Path) -> dict[str, Any]:
    command = [sys.executable, "-m", "bench.library_meaning", str(folder), "--part", part]
    done = subprocess.run(  # noqa: S603 - this very Python
        [*command, "--work", str(work)], check=True, capture_output=True, text=True
    )
    return json.loads(done.stdout)


def _fail(text: str) -> None:
    raise SystemExit(text)


if __name__ == "__main__":
    sys.exit(main())
