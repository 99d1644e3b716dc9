"""Vectors of passages: found by similarity, gone with their passages, never mixed, nowhere left behind."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from adapters.storage.directions import (
    DIMENSION,
    MODEL,
    OTHER,
    as_bytes,
    direction,
    embed_all,
    found,
)
from adapters.storage.shelf import FERRY, MILL, bytes_of, library, page
from askance.adapters.storage import library_vectors, vector_rows
from askance.adapters.storage.library_vectors import SqliteVectors
from askance.adapters.storage.vector_bits import nearest, signs_of
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


def test_what_is_removed_is_not_found_and_nowhere_in_the_files(tmp_path: Path) -> None:
    stored, vectors = shelf(tmp_path)
    gone, stays = vector_of(vectors, FERRY), vector_of(vectors, SHEEP)
    embed_all(vectors)
    assert gone in bytes_of(tmp_path)
    removed = stored.remove([stored.find(A)[0].id])
    assert (removed.documents, removed.vectors) == (1, 1)
    assert gone not in bytes_of(tmp_path)
    assert stays in bytes_of(tmp_path)
    assert A not in found(vectors, "the ferry leaves in the morning")
    assert found(vectors, "sheep graze")[0] == C
    assert vectors.counted(MODEL) == (2, 2)
    assert vectors.check() == 0


def test_removing_everything_deletes_the_files_of_vectors(tmp_path: Path) -> None:
    stored, vectors = shelf(tmp_path)
    embed_all(vectors)
    stray = tmp_path / "library.vectors-0123abcd.f32"
    stray.write_bytes(b"of a library that was set aside")
    assert stored.clear().vectors == 3
    assert list(tmp_path.glob("library.vectors-*")) == []
    assert vectors.identities() == ()
    assert found(vectors, "sheep") == []


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


def test_a_vector_that_is_not_the_one_of_the_tables_is_never_found(tmp_path: Path) -> None:
    _, vectors = shelf(tmp_path)
    embed_all(vectors)
    (file,) = tmp_path.glob("*.f32")
    handle = os.open(file, os.O_RDWR)
    os.pwrite(handle, as_bytes(direction("sheep graze")), 0)
    os.close(handle)
    assert found(vectors, "sheep graze") == [C, B]
    assert vectors.check() == 1


def test_files_that_are_gone_are_made_again(tmp_path: Path) -> None:
    _, vectors = shelf(tmp_path)
    embed_all(vectors)
    for file in tmp_path.glob("library.vectors-*"):
        file.unlink()
    assert found(vectors, "sheep") == []
    assert vectors.check() == 3
    (sheep,) = [p for p in vectors.unembedded(OTHER, 9) if p.text == SHEEP]
    vectors.store(MODEL, [(sheep, direction("sheep"))])
    assert vectors.counted(MODEL) == (1, 3)
    assert embed_all(vectors) == 2


@pytest.mark.parametrize("thoroughly", [False, True])
def test_a_library_of_another_day_than_its_vectors_lets_the_wrong_ones_be_made_again(
    tmp_path: Path, thoroughly: bool
) -> None:
    stored, vectors = shelf(tmp_path)
    embed_all(vectors)
    stored.close()
    backup = (tmp_path / "library.sqlite3").read_bytes()
    stored.remove([stored.find(A)[0].id])
    stored.add([page(A, f"{FERRY} In winter it does not leave at all.")])
    embed_all(vectors)
    stored.close()
    (tmp_path / "library.sqlite3").write_bytes(backup)
    assert vectors.check() > 0
    assert vectors.mend(thoroughly=thoroughly) > 0
    embed_all(vectors)
    assert vectors.check() == vectors.mend(thoroughly=True) == 0
    assert vectors.counted(MODEL) == (3, 3)
    assert found(vectors, "the ferry leaves in the morning")[0] == A
    assert found(vectors, "sheep graze")[0] == C


def test_a_library_that_came_without_its_vectors_has_them_made_again(tmp_path: Path) -> None:
    stored, vectors = shelf(tmp_path)
    embed_all(vectors)
    stored.close()
    for file in tmp_path.glob("library.vectors-*"):
        file.unlink()
    assert vectors.mend() == 3
    embed_all(vectors)
    assert found(vectors, "sheep graze")[0] == C


def test_a_file_that_is_much_too_long_is_written_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_rows, "_IDLE_ROWS", 10)
    stored = library(tmp_path)
    stored.add([page(f"https://m.example/{i}", f"ferry morning {i}") for i in range(60)])
    vectors = SqliteVectors(stored)
    embed_all(vectors)
    found(vectors, "ferry")
    stored.remove([record.id for record in stored.documents()[:55]])
    (file,) = tmp_path.glob("*.f32")
    assert file.stat().st_size == 5 * DIMENSION * 4
    assert len(found(vectors, "ferry morning")) == 5
    assert vectors.check() == 0


def test_a_library_without_vectors_is_brought_to_their_format(tmp_path: Path) -> None:
    stored = library(tmp_path)
    stored.add([page(A, FERRY)])
    stored.database.write(
        lambda c: [
            c.execute(f"DROP TABLE {name}")
            for name in ("answer", "vector", "hole", "embedding", "passing")
        ]
    )
    stored.database.write(lambda c: c.execute("ALTER TABLE passage DROP COLUMN syntaxes"))
    stored.database.write(lambda c: c.execute("PRAGMA user_version = 1"))
    stored.close()
    again = library(tmp_path)
    vectors = SqliteVectors(again)
    assert embed_all(vectors) == 1
    assert found(vectors, FERRY) == [A]


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
    assert before not in b"".join(f.read_bytes() for f in tmp_path.glob("*.f32"))
    assert vectors.check() == 0
    embed_all(vectors, OTHER)
    vectors.forget_others(OTHER)
    assert len(list(tmp_path.glob("*.f32"))) == 1


def test_looking_for_vectors_makes_no_file(tmp_path: Path) -> None:
    vectors = SqliteVectors(library(tmp_path))
    assert vectors.counted(MODEL) == (0, 0)
    assert found(vectors, "ferry") == []
    assert not list(tmp_path.iterdir())
