"""The measurement of search by meaning, on a few hundred vectors and a pool of two passages."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from bench.library import MEANING
from bench.library_kills import Killed
from bench.library_meaning import (
    Size,
    ask_hybrid,
    ask_vectors,
    build_hybrid,
    build_vectors,
    pool,
    render,
)

from servers.embedding import FakeEmbedding
from servers.loopback import serve

PASSAGES = [
    {"pid": "a", "title": "Ferry", "text": "The ferry leaves Kelhaven at nine in the morning."},
    {"pid": "b", "title": "Mill", "text": "The mill burned down in the winter of 1899."},
]
QUESTIONS = [
    {"question": "When does the ferry leave past the mill?", "gold_titles": ["Ferry", "Mill"]},
    {"question": "Who shears the goats?", "gold_titles": ["Goats"]},
]


def data(folder: Path) -> Path:
    with gzip.open(folder / "passages.jsonl.gz", "wt", encoding="utf-8") as lines:
        lines.writelines(json.dumps(row) + "\n" for row in PASSAGES)
    questions = "".join(json.dumps(row) + "\n" for row in QUESTIONS)
    (folder / "hotpot_retrieval.jsonl").write_text(questions, encoding="utf-8")
    return folder


async def test_each_way_is_asked_every_question(tmp_path: Path) -> None:
    async with serve(FakeEmbedding()) as server:
        found = await pool(data(tmp_path), tmp_path, server.url)
    assert (found["passages"], found["questions"], found["dimension"]) == (2, 2, 72)
    assert found["ways"]["keywords"] == 0.5
    assert len(found["ways"]) == 7


def test_a_size_is_measured_and_written(tmp_path: Path) -> None:
    data(tmp_path)
    reported = build_vectors(tmp_path, 300) | ask_vectors(tmp_path, 300)
    row = Size(vectors=300, **reported)
    assert row.recall > 0.9
    hybrid = build_hybrid(tmp_path, tmp_path, 5) | ask_hybrid(tmp_path, tmp_path)
    assert hybrid["passages"] == 5
    way = {"model": "tiny", "dimension": 3, "questions": 2, "passages": 3, "embed_per_s": 5.0,
           "ways": {"keywords": 0.5}}  # fmt: skip
    page = render([way], [row], hybrid, Killed(3, 2, 1, 1))
    assert page.startswith(MEANING)
    assert "| keywords | 0.500 |" in page
    assert "\n| 300 | " in page
