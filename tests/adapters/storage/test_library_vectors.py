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
from askance.domain.library import EVERY, Document, Filters, Kind, Origin

A, B, C = "https://a.example/", "https://b.example/", "https://c.example/"
SHEEP = "Sheep graze above the village all summer."


def shelf(folder: Path):
    kept = library(folder)
    kept.add([page(A, FERRY, "Ferry", "boats"), page(B, MILL, "Mill"), page(C, SHEEP, "Sheep")])
    return kept, SqliteVectors(kept)


def vector_of(vectors: SqliteVectors, text: str) -> bytes:
    (waiting,) = [p for p in vectors.unembedded(OTHER, 100) if p.text == text]
    return as_bytes(direction(f"{waiting.title} {waiting.text}"))


def test_what_is_similar_is_found_the_most_similar_first(tmp_path: Path) -> None:
    _, vectors = shelf(tmp_path)
    assert vectors.counted(MODEL) == (0, 3)
    assert embed_all(vectors) == 3
    assert vectors.counted(MODEL) == (3, 3)
    assert found(vectors, "the ferry leaves in the morning")[0] == A
    (hit,) = vectors.nearest(MODEL, direction("sheep graze"), 1, words="sheep graze")
    assert hit.url == C
    assert 0.3 < hit.score <= 1.0
    assert [hit.snippet[a:b] for a, b in hit.marks] == ["Sheep", "graze"]
    assert vectors.check() == 0


def test_nothing_less_similar_than_asked_is_found(tmp_path: Path) -> None:
    _, vectors = shelf(tmp_path)
    embed_all(vectors)
    assert found(vectors, "sheep graze above the village all summer", least=0.7) == [C]
    assert found(vectors, "zinc prices", least=0.7) == []


def test_each_filter_holds_for_what_is_similar(tmp_path: Path) -> None:
    kept, vectors = shelf(tmp_path)
    kept.add([Document("file:///x.py", "Ferry", "def ferry(): return 'morning'", Origin.FILE,
                       Kind.CODE, "python", published="2001-02-03", language="en")])  # fmt: skip
    embed_all(vectors)
    words = "ferry morning"
    assert found(vectors, words, filters=Filters(tags=("boats",))) == [A]
    code = ["file:///x.py"]
    for filters in (
        Filters(origin="file"), Filters(kind="code"), Filters(syntax="python"), Filters(until="2001"),
    ):  # fmt: skip
        assert found(vectors, words, filters=filters) == code
    assert set(code) < set(found(vectors, words, filters=Filters(language="en")))
    assert found(vectors, words, filters=Filters(language="de")) == []


def test_a_filter_that_few_pass_finds_them_behind_all_the_candidates(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library_vectors, "CANDIDATES", 5)
    kept = library(tmp_path)
    kept.add([page(f"https://m.example/{i}", f"ferry morning {i}") for i in range(40)])
    kept.add([page(A, "sheep above the ferry", "", "rare")])
    vectors = SqliteVectors(kept)
    embed_all(vectors)
    assert A not in found(vectors, "ferry morning")
    assert found(vectors, "ferry morning", filters=Filters(tags=("rare",))) == [A]


def test_of_one_text_so_many_passages_are_found_as_asked(tmp_path: Path) -> None:
    kept = library(tmp_path)
    long = "\n\n".join(
        f"Ferry {i}. " + f"The ferry leaves pier {i} at nine. " * 60 for i in range(5)
    )
    kept.add([page(A, long, "Ferries"), page(B, MILL)])
    vectors = SqliteVectors(kept)
    embed_all(vectors)
    assert found(vectors, "the ferry leaves", passages_each=1).count(A) == 1
    assert found(vectors, "the ferry leaves", passages_each=3).count(A) == 3


def test_what_is_removed_is_not_found_and_nowhere_in_the_files(tmp_path: Path) -> None:
    kept, vectors = shelf(tmp_path)
    gone, stays = vector_of(vectors, FERRY), vector_of(vectors, SHEEP)
    embed_all(vectors)
    assert gone in bytes_of(tmp_path)
    removed = kept.remove([kept.find(A)[0].id])
    assert (removed.documents, removed.vectors) == (1, 1)
    assert gone not in bytes_of(tmp_path)
    assert stays in bytes_of(tmp_path)
    assert A not in found(vectors, "the ferry leaves in the morning")
    assert found(vectors, "sheep graze")[0] == C
    assert vectors.counted(MODEL) == (2, 2)
    assert vectors.check() == 0


def test_removing_everything_deletes_the_files_of_vectors(tmp_path: Path) -> None:
    kept, vectors = shelf(tmp_path)
    embed_all(vectors)
    stray = tmp_path / "library.vectors-0123abcd.f32"
    stray.write_bytes(b"of a library that was set aside")
    assert kept.clear().vectors == 3
    assert list(tmp_path.glob("library.vectors-*")) == []
    assert vectors.identities() == ()
    assert found(vectors, "sheep") == []


def test_an_earlier_text_is_not_found_and_the_new_one_waits(tmp_path: Path) -> None:
    kept, vectors = shelf(tmp_path)
    embed_all(vectors)
    before = vector_of(vectors, FERRY)
    kept.add([page(A, "Buses replace boats this winter.", "Ferry")])
    assert A not in found(vectors, FERRY)
    assert [p.text for p in vectors.unembedded(MODEL, 9)] == ["Buses replace boats this winter."]
    assert embed_all(vectors) == 1
    assert found(vectors, "buses this winter")[0] == A
    assert before not in b"".join(f.read_bytes() for f in tmp_path.glob("*.f32"))


def test_a_new_title_is_embedded_anew_and_a_new_tag_is_not(tmp_path: Path) -> None:
    kept, vectors = shelf(tmp_path)
    embed_all(vectors)
    kept.tag(kept.find(A)[0].id, ["summer"], [])
    assert vectors.unembedded(MODEL, 9) == ()
    kept.add([page(A, FERRY, "Timetable of boats")])
    assert [p.title for p in vectors.unembedded(MODEL, 9)] == ["Timetable of boats"]


def test_vectors_of_two_models_are_never_mixed(tmp_path: Path) -> None:
    kept, vectors = shelf(tmp_path)
    embed_all(vectors)
    assert found(vectors, "sheep", OTHER) == []
    assert vectors.counted(OTHER) == (0, 3)
    (sheep,) = [p for p in vectors.unembedded(OTHER, 9) if p.text == SHEEP]
    vectors.keep(OTHER, [(sheep, direction("sheep"))])
    assert found(vectors, "sheep", OTHER) == [C]
    assert len(vectors.identities()) == 2
    assert vectors.forget_others(OTHER) == 3
    assert vectors.identities() == (OTHER.key,)
    assert len(list(tmp_path.glob("*.f32"))) == 1
    assert kept.check() == ()


def test_a_passage_that_went_meanwhile_gets_no_vector(tmp_path: Path) -> None:
    kept, vectors = shelf(tmp_path)
    waiting = vectors.unembedded(MODEL, 9)
    kept.remove([kept.find(C)[0].id])
    kept.add([page("https://d.example/", "Another text takes the number of the old one.")])
    assert vectors.keep(MODEL, [(p, direction(p.text)) for p in waiting]) == 2
    assert vectors.keep(MODEL, [(p, direction(p.text)) for p in waiting]) == 0
    assert vectors.counted(MODEL) == (2, 3)


def test_another_process_finds_what_came_and_not_what_went(tmp_path: Path) -> None:
    kept, vectors = shelf(tmp_path)
    other = SqliteVectors(library(tmp_path))
    embed_all(vectors)
    assert found(other, "ferry morning")[0] == A
    kept.add([page("https://d.example/", "A second ferry leaves in the morning too.")])
    embed_all(vectors)
    assert "https://d.example/" in found(other, "ferry morning")
    kept.remove([kept.find(A)[0].id])
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
    vectors.keep(MODEL, [(sheep, direction("sheep"))])
    assert vectors.counted(MODEL) == (1, 3)
    assert embed_all(vectors) == 2


def test_a_file_that_is_much_too_long_is_written_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_rows, "_IDLE_ROWS", 10)
    kept = library(tmp_path)
    kept.add([page(f"https://m.example/{i}", f"ferry morning {i}") for i in range(60)])
    vectors = SqliteVectors(kept)
    embed_all(vectors)
    found(vectors, "ferry")
    kept.remove([record.id for record in kept.documents()[:55]])
    (file,) = tmp_path.glob("*.f32")
    assert file.stat().st_size == 5 * DIMENSION * 4
    assert len(found(vectors, "ferry morning")) == 5
    assert vectors.check() == 0


def test_a_library_without_vectors_is_brought_to_their_format(tmp_path: Path) -> None:
    kept = library(tmp_path)
    kept.add([page(A, FERRY)])
    kept.database.write(
        lambda c: [
            c.execute(f"DROP TABLE {name}") for name in ("answer", "vector", "hole", "embedding")
        ]
    )
    kept.database.write(lambda c: c.execute("PRAGMA user_version = 1"))
    kept.close()
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


def test_a_library_that_is_not_there_has_no_vectors(tmp_path: Path) -> None:
    vectors = SqliteVectors(library(tmp_path))
    assert vectors.counted(MODEL) == (0, 0)
    assert found(vectors, "ferry", filters=EVERY) == []
    assert vectors.unembedded(MODEL, 9) == vectors.identities() == ()
    assert not list(tmp_path.iterdir())
