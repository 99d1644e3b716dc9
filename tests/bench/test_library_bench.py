"""The measurements of the library, by words and by meaning, on a pool of three passages."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from bench.library import MEANING, Grown, ask, build, documents, load, look_after, pool, render
from bench.library_kills import Killed

from bench import library_meaning as meaning
from servers.embedding import FakeEmbedding
from servers.loopback import serve

PASSAGES = [
    {"pid": "a", "title": "Ferry", "text": "The ferry leaves Kelhaven at nine in the morning."},
    {"pid": "b", "title": "Mill", "text": "The mill burned down in the winter of 1899."},
    {"pid": "c", "title": "Sheep", "text": "Sheep graze above the village."},
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


def test_a_question_counts_if_all_its_passages_are_found(tmp_path: Path) -> None:
    found = pool(data(tmp_path), tmp_path)
    assert (found["passages"], found["questions"], found["recall"]) == (3, 2, 0.5)


def test_further_passages_are_made_of_the_words_of_the_given(tmp_path: Path) -> None:
    passages, _ = load(data(tmp_path))
    made = list(documents(passages, 7))
    assert [d.text for d in made[:3]] == [row["text"] for row in passages]
    assert len({d.url for d in made}) == 7
    known = {word for row in passages for word in f"{row['title']} {row['text']}".split()}
    assert {word for d in made for word in f"{d.title} {d.text}".split()} <= known


def test_a_size_is_measured_and_written(tmp_path: Path) -> None:
    data(tmp_path)
    reported = build(tmp_path, tmp_path, 5) | ask(tmp_path, tmp_path, 5) | look_after(tmp_path, 5)
    row = Grown(**reported)
    assert row.passages == 5
    page = render({"passages": 3, "questions": 2, "recall": 0.5, "p50_ms": 1.0, "p95_ms": 2.0},
                  [row], Killed(3, 2, 1, 1))  # fmt: skip
    assert "**0.500**" in page
    assert "\n| 5 | " in page


async def test_each_way_is_asked_every_question(tmp_path: Path) -> None:
    async with serve(FakeEmbedding()) as server:
        found = await meaning.pool(data(tmp_path), tmp_path, server.url)
    assert (found["passages"], found["questions"], found["dimension"]) == (3, 2, 72)
    assert found["ways"]["keywords"] == 0.5
    assert len(found["ways"]) == 7


def test_a_size_of_vectors_is_measured_and_written(tmp_path: Path) -> None:
    data(tmp_path)
    reported = meaning.build_vectors(tmp_path, 300) | meaning.ask_vectors(tmp_path, 300)
    row = meaning.Size(vectors=300, **reported)
    assert row.recall > 0.9
    hybrid = meaning.build_hybrid(tmp_path, tmp_path, 5) | meaning.ask_hybrid(tmp_path, tmp_path)
    assert hybrid["passages"] == 5
    way = {"model": "tiny", "dimension": 3, "questions": 2, "passages": 3, "embed_per_s": 5.0,
           "ways": {"keywords": 0.5}}  # fmt: skip
    page = meaning.render([way], [row], hybrid, Killed(3, 2, 1, 1))
    assert page.startswith(MEANING)
    assert "| keywords | 0.500 |" in page
    assert "\n| 300 | " in page
