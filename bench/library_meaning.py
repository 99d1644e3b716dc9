"""Search by meaning measured: what it adds to keywords, what vectors cost as they grow, and `kill -9`.

An embedding server, `--embeddings`, embeds the pool; the vectors of the larger libraries are made here:
clusters within clusters, all in one half of space, as those of embedding models lie.

    python -m bench.library_meaning FOLDER --embeddings URL [--sizes 100000,1000000] [--out FILE]
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from askance.adapters.embeddings.folders import FolderEmbedder, onnx_embedder
from askance.adapters.embeddings.servers import OllamaEmbedder
from askance.adapters.storage.library import SqliteLibrary
from askance.adapters.storage.library_vectors import SqliteVectors
from askance.config.choices import EmbeddingsApi
from askance.config.embeddings_settings import EmbeddingsSettings
from askance.domain.library import EVERY, LibraryHit
from askance.engine.library_embedding import LibraryEmbedding
from askance.engine.library_search import LEAST_SIMILARITY, MERGED, merged
from bench.library import TOP, all_gold, documents, fill, load


@dataclass(frozen=True, slots=True)
class Way:
    """One way to search the pool: the share of questions with all gold in the top ten."""

    name: str
    recall: float


def by_sum(first: Sequence[LibraryHit], second: Sequence[LibraryHit]) -> list[LibraryHit]:
    """Merge two lists by their scores, each stretched to reach from 0 to 1."""
    scores: dict[str, float] = {}
    by_id: dict[str, LibraryHit] = {}
    for hits in (first, second):
        low = min((hit.score for hit in hits), default=0.0)
        width = max((hit.score for hit in hits), default=1.0) - low or 1.0
        for hit in hits:
            scores[hit.passage] = scores.get(hit.passage, 0.0) + (hit.score - low) / width
            by_id.setdefault(hit.passage, hit)
    return [by_id[passage] for passage in sorted(scores, key=lambda p: (-scores[p], p))]


def embedder_at(place: str) -> OllamaEmbedder | FolderEmbedder:
    """Return an embedder on an Ollama server, or that of an ONNX folder."""
    if place.startswith("http"):
        return OllamaEmbedder(EmbeddingsSettings(api=EmbeddingsApi.OLLAMA, url=place))
    return onnx_embedder(EmbeddingsSettings(api=EmbeddingsApi.ONNX, folder=place))


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
                ("reciprocal ranks", merged(first, second)),
                ("reciprocal ranks, meaning counts half", merged(first, second, 0.5)),
                ("reciprocal ranks, meaning counts double", merged(first, second, 2.0)),
                ("sum of scores", by_sum(first, second)),
            ):
                ways[name] = ways.get(name, 0) + all_gold(hits[:TOP], gold)
    library.close()
    found = {name: n / len(questions) for name, n in ways.items()}
    return {"passages": len(passages), "questions": len(questions), "model": identity.model,
            "dimension": identity.dimension, "embed_per_s": len(passages) / embed_s,
            "ways": found}  # fmt: skip


def _fail(said: str) -> None:
    raise SystemExit(said)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as work:
        sys.stdout.write(
            json.dumps(asyncio.run(pool(Path(sys.argv[1]), Path(work), sys.argv[2])), indent=1)
        )
