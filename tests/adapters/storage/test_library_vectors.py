"""Vectors of passages: found by similarity, gone with their passages, never mixed, nowhere left behind."""

from __future__ import annotations

import sqlite3
import zlib
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
from adapters.storage.shelf import FERRY, MILL, bytes_of, library, page, put_vectors_in_files
from askance.adapters.storage import library_vectors
from askance.adapters.storage.library_vectors import SqliteVectors, nearest, signs_of
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


def test_removing_everything_leaves_no_vector(tmp_path: Path) -> None:
    stored, vectors = shelf(tmp_path)
    gone = vector_of(vectors, FERRY)
    embed_all(vectors)
    assert stored.clear().vectors == 3
    assert gone not in bytes_of(tmp_path)
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


def in_former_format(folder: Path, rows: list[tuple[int, bytes, bytes]]) -> None:
    """Bring a library into the format before vectors stood in its tables; `rows` are passages with the
    vectors and signs that stand in the files beside it."""
    stored = library(folder)

    def change(connection: sqlite3.Connection) -> None:
        put_vectors_in_files(connection)
        connection.execute(
            "INSERT INTO embedding (identity, dimension, file, rows) VALUES (?, ?, ?, ?)",
            (MODEL.key, DIMENSION, "library.vectors-0123abcd", len(rows)),
        )
        for slot, (passage, data, _) in enumerate(rows):
            connection.execute(
                "INSERT INTO vector (embedding, slot, passage, checksum) VALUES (1, ?, ?, ?)",
                (slot, passage, zlib.crc32(data)),
            )
        connection.execute("PRAGMA user_version = 6")

    stored.database.write(change)
    stored.close()
    beside = folder / "library.vectors-0123abcd.f32"
    beside.write_bytes(b"".join(data for _, data, _ in rows))
    beside.with_suffix(".bits").write_bytes(b"".join(signs for *_, signs in rows))


def former(folder: Path) -> list[tuple[int, bytes, bytes]]:
    """Fill a library, and return its passages with their vectors and signs."""
    _, vectors = shelf(folder)
    waiting = vectors.unembedded(MODEL, 9)
    given = [np.asarray([direction(f"{p.title} {p.text}")], dtype=np.float32) for p in waiting]
    return [
        (passage.row, data.tobytes(), signs_of(data).tobytes())
        for passage, data in zip(waiting, given, strict=True)
    ]


def test_vectors_in_files_beside_the_library_are_taken_in(tmp_path: Path) -> None:
    in_former_format(tmp_path, former(tmp_path))
    (tmp_path / "library.vectors-76543210.bits.part").write_bytes(b"of a killed process")
    vectors = SqliteVectors(library(tmp_path))
    assert vectors.counted(MODEL) == (3, 3)
    assert found(vectors, "the ferry leaves in the morning")[0] == A
    assert found(vectors, "sheep graze")[0] == C
    assert list(tmp_path.glob("*.vectors-*")) == []


def test_former_vectors_that_are_not_whole_are_made_again(tmp_path: Path) -> None:
    rows = former(tmp_path)
    in_former_format(tmp_path, rows)
    file = tmp_path / "library.vectors-0123abcd.f32"
    file.write_bytes(rows[0][1] + rows[0][1] + rows[2][1][:-1])
    vectors = SqliteVectors(library(tmp_path))
    assert vectors.counted(MODEL) == (1, 3)
    assert embed_all(vectors) == 2


@pytest.mark.parametrize("suffix", ["f32", "bits", "*"])
def test_former_vectors_whose_files_are_gone_are_made_again(tmp_path: Path, suffix: str) -> None:
    in_former_format(tmp_path, former(tmp_path))
    for file in tmp_path.glob(f"library.vectors-*.{suffix}"):
        file.unlink()
    vectors = SqliteVectors(library(tmp_path))
    assert vectors.counted(MODEL) == (0, 3)
    assert embed_all(vectors) == 3
    assert list(tmp_path.glob("*.vectors-*")) == []


def test_a_library_without_vectors_is_brought_to_their_format(tmp_path: Path) -> None:
    stored = library(tmp_path)
    stored.add([page(A, FERRY)])
    stored.database.write(
        lambda c: [
            c.execute(f"DROP TABLE {name}")
            for name in ("answer", "vector_data", "vector", "embedding", "passing")
        ]
    )
    stored.database.write(lambda c: c.execute("ALTER TABLE passage DROP COLUMN syntaxes"))
    stored.database.write(lambda c: c.execute("ALTER TABLE file DROP COLUMN reading"))
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
    stored.prune()
    assert before not in (tmp_path / "library.sqlite3").read_bytes()
    of_this_model = vector_of(vectors, SHEEP)
    embed_all(vectors, OTHER)
    assert vectors.forget_others(OTHER) == 3
    assert bytes_of(tmp_path).count(of_this_model) == 1


def test_looking_for_vectors_makes_no_file(tmp_path: Path) -> None:
    vectors = SqliteVectors(library(tmp_path))
    assert vectors.counted(MODEL) == (0, 0)
    assert found(vectors, "ferry") == []
    assert not list(tmp_path.iterdir())
