"""Vectors of passages: found by similarity, gone with their passages, never mixed, nowhere left behind."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from adapters.storage.shelf import (
    DIMENSION,
    FERRY,
    MILL,
    MODEL,
    OTHER,
    as_bytes,
    bytes_of,
    direction,
    embed_all,
    found,
    library,
    page,
)
from askance.adapters.library import library_vectors
from askance.adapters.library.library_vectors import SqliteVectors, nearest, signs_of
from askance.domain.library import Filters

A, B, C = "https://a.example/", "https://b.example/", "https://c.example/"
SHEEP = "Sheep graze above the village all summer."


def shelf(folder: Path):
    stored = library(folder)
    stored.add([page(A, FERRY, "Ferry", "boats"), page(B, MILL, "Mill"), page(C, SHEEP, "Sheep")])
    return stored, SqliteVectors(stored)


def vector_of(vectors: SqliteVectors, text: str) -> bytes:
    (waiting,) = [p for p in vectors.unembedded(OTHER, 100) if p.text == text]
    return as_bytes(direction(f"{waiting.title} {waiting.text}"))


def test_a_filter_that_few_pass_finds_them_behind_all_the_candidates(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library_vectors, "CANDIDATES", 5)
    stored = library(tmp_path)
    stored.add([page(f"https://m.example/{i}", f"ferry morning {i}") for i in range(40)])
    stored.add([page(A, "sheep above the ferry", "", "rare")])
    vectors = SqliteVectors(stored)
    embed_all(vectors)
    assert A not in found(vectors, "ferry morning")
    assert found(vectors, "ferry morning", filters=Filters(tags=("rare",))) == [A]


def test_what_is_removed_is_nowhere_in_the_files(tmp_path: Path) -> None:
    stored, vectors = shelf(tmp_path)
    gone, other = vector_of(vectors, FERRY), vector_of(vectors, SHEEP)
    embed_all(vectors)
    assert gone in bytes_of(tmp_path)
    stored.remove([stored.find(A)[0].id])
    assert gone not in bytes_of(tmp_path)
    assert other in bytes_of(tmp_path)
    stored.clear()
    assert other not in bytes_of(tmp_path)


def test_another_process_finds_what_came_and_not_what_went(tmp_path: Path) -> None:
    stored, vectors = shelf(tmp_path)
    other = SqliteVectors(library(tmp_path))
    embed_all(vectors)
    assert found(other, "ferry morning")[0] == A
    stored.add([page("https://d.example/", "A second ferry leaves in the morning too.")])
    embed_all(vectors)
    assert "https://d.example/" in found(other, "ferry morning")
    stored.remove([stored.find(A)[0].id])
    assert A not in found(other, "ferry morning")
    assert len(found(other, "ferry morning sheep mill")) == 3


@pytest.mark.parametrize(
    "data", [b"", bytes(DIMENSION * 4 - 1), np.full(DIMENSION, np.nan, np.float32).tobytes()]
)
def test_a_vector_that_is_none_is_never_found(tmp_path: Path, data: bytes) -> None:
    stored, vectors = shelf(tmp_path)
    embed_all(vectors)
    stored.database.write(
        lambda c: c.execute("UPDATE vector_data SET data = ? WHERE vector = 1", (data,))
    )
    assert A not in found(vectors, "ferry morning")
    assert found(vectors, "sheep graze") == [C, B]


@pytest.mark.parametrize(
    "delete", ["DELETE FROM vector_data WHERE vector = 1", "DELETE FROM vector WHERE id = 1"]
)
def test_what_was_deleted_elsewhere_takes_no_place_among_the_candidates(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, delete: str
) -> None:
    monkeypatch.setattr(library_vectors, "CANDIDATES", 2)
    stored, vectors = shelf(tmp_path)
    embed_all(vectors)
    near = found(vectors, "the ferry leaves in the morning")
    assert A in near
    stored.database.write(lambda c: c.execute(delete))
    assert A not in found(vectors, "the ferry leaves in the morning")
    assert C in found(vectors, "sheep graze")


def test_a_library_of_an_earlier_day_has_the_vectors_of_that_day(tmp_path: Path) -> None:
    stored, vectors = shelf(tmp_path)
    embed_all(vectors)
    stored.close()
    backup = (tmp_path / "library.sqlite3").read_bytes()
    stored.remove([stored.find(A)[0].id])
    stored.add([page(A, f"{FERRY} In winter it does not leave at all.")])
    embed_all(vectors)
    assert found(vectors, "sheep graze")[0] == C
    stored.close()
    (tmp_path / "library.sqlite3").write_bytes(backup)
    assert vectors.counted(MODEL) == (3, 3)
    (hit,) = vectors.nearest(MODEL, direction(FERRY), 1, words="")
    assert (hit.url, hit.text) == (A, FERRY)
    assert found(vectors, "sheep graze")[0] == C


@pytest.mark.parametrize("dimension", [64, 100, 384])
def test_signs_come_near_to_what_is_near(dimension: int) -> None:
    drawn = np.random.default_rng(dimension)
    centres = drawn.normal(size=(20, dimension)) + 2.0  # all in one half of space
    given = centres[drawn.integers(0, 20, 4000)] + drawn.normal(size=(4000, dimension)) * 0.4
    given = (given / np.linalg.norm(given, axis=1, keepdims=True)).astype(np.float32)
    columns = np.ascontiguousarray(signs_of(given).T)
    exact = np.argsort(-(given @ given[7]))[:10]
    near = nearest(columns, signs_of(given[7:8])[0], 1000)
    assert len(near) == 1000
    assert len(set(near.tolist()) & set(exact.tolist())) >= 9


def test_an_earlier_text_and_another_model_leave_nothing_in_the_files(tmp_path: Path) -> None:
    stored, vectors = shelf(tmp_path)
    embed_all(vectors)
    before = vector_of(vectors, FERRY)
    stored.add([page(A, "Buses replace boats this winter.", "Ferry")])
    embed_all(vectors)
    stored.prune()
    assert before not in (tmp_path / "library.sqlite3").read_bytes()
    of_this_model = vector_of(vectors, SHEEP)
    embed_all(vectors, OTHER)
    assert vectors.forget_others(OTHER) == 3
    assert bytes_of(tmp_path).count(of_this_model) == 1
