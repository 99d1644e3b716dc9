"""What is Qdrant's own of vectors: breaks in the middle, other machines, and the ledger."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from qdrant_client import QdrantClient

from adapters.storage.directions import MODEL, OTHER, direction, embed_all, found
from adapters.storage.shelf import FERRY, MILL, NOW, library, page
from askance.adapters.library.qdrant.qdrant_library import QdrantLibrary
from askance.adapters.library.qdrant.vectors import collection_of, number_of, point_numbered
from askance.adapters.storage.ledger import EACH_S, RemoteLibraryAudit, SqliteLedger
from askance.domain.errors import StorageError
from askance.domain.library import EVERY
from askance.domain.ports.model import Identity, Scheme

A, B = "https://a.example/", "https://b.example/"
LONG_AGO = datetime(1990, 1, 1, tzinfo=UTC)


@pytest.fixture
def client() -> Iterator[QdrantClient]:
    made = QdrantClient(":memory:")
    yield made
    made.close()


def of(
    client: QdrantClient, folder: Path, leaving: RemoteLibraryAudit | None = None
) -> QdrantLibrary:
    local = library(folder)
    return QdrantLibrary(
        client, "there", local, 30, is_local=True, leaving=leaving, clock=lambda: NOW
    )


def test_each_identity_has_a_collection_of_its_own() -> None:
    given = [
        MODEL, OTHER, Identity("hashed", "d1", 73), Identity("hashed", "d1", 72, Scheme.E5),
        Identity("Hashed!", "d1", 72),
    ]  # fmt: skip
    assert len({collection_of(identity) for identity in given}) == len(given)
    assert collection_of(MODEL) == collection_of(Identity("hashed", "d1", 72))


def test_a_points_number_goes_back_and_forth() -> None:
    point = "6f1a2f0e-8f43-4d0c-9e0b-3c9f6f4a7b11"
    assert point_numbered(number_of(point)) == point


def test_no_word_of_a_passage_lies_beside_its_vector(client: QdrantClient, tmp_path: Path) -> None:
    stored = of(client, tmp_path)
    stored.add([page(A, FERRY, "Kelhaven")])
    embed_all(stored.vectors)
    points, _ = client.scroll(collection_of(MODEL))
    assert len(points) == 1
    assert "Kelhaven" not in str(points[0].payload)
    assert A not in str(points[0].payload)


def test_a_change_on_another_machine_leaves_no_old_vector(
    client: QdrantClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored, other = of(client, tmp_path / "a"), of(client, tmp_path / "b")
    stored.add([page(A, FERRY), page(B, "Sheep graze.")])
    vectors = stored.vectors
    waiting = vectors.unembedded(MODEL, 9)
    really = client.upsert

    def upsert(name: str, *arguments: object, **named: object) -> object:
        # Between its look and its write, one document is changed and the other deleted.
        if name == collection_of(MODEL):
            other.add([page(A, MILL)])
            other.remove([other.find(B)[0].id])
        return really(name, *arguments, **named)  # type: ignore[arg-type]

    with monkeypatch.context() as patched:
        patched.setattr(client, "upsert", upsert)
        assert vectors.store(MODEL, [(p, direction(p.text)) for p in waiting]) == 0
    assert vectors.counted(MODEL) == (0, 1)
    assert [passage.text for passage in vectors.unembedded(MODEL, 9)] == [MILL]


def test_a_vector_that_was_left_over_is_never_found_and_goes(
    client: QdrantClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = of(client, tmp_path)
    stored.add([page(A, FERRY), page(B, "Sheep graze.")])
    vectors = stored.vectors
    embed_all(vectors)
    with monkeypatch.context() as patched:
        patched.setattr(stored.vectors, "retain_only", lambda _: None)  # as if it broke off
        stored.add([page(A, MILL)])
    assert found(vectors, FERRY, least=0.5) == []
    assert [passage.text for passage in vectors.unembedded(MODEL, 9)] == [MILL]
    (reported,) = stored.check()
    assert "1" in reported
    stored.rebuild(lambda _: None)
    assert stored.check() == ()
    assert vectors.counted(MODEL) == (1, 2)


def test_reading_all_anew_keeps_the_vectors(client: QdrantClient, tmp_path: Path) -> None:
    stored = of(client, tmp_path)
    stored.add([page(A, FERRY), page(B, MILL)])
    vectors = stored.vectors
    embed_all(vectors)
    stored.rebuild(lambda _: None)
    assert vectors.counted(MODEL) == (2, 2)
    assert vectors.unembedded(MODEL, 9) == ()


def test_another_machine_forgets_vectors_that_this_one_knows(
    client: QdrantClient, tmp_path: Path
) -> None:
    stored = of(client, tmp_path / "a")
    stored.add([page(A, FERRY)])
    vectors, others = stored.vectors, of(client, tmp_path / "b").vectors
    embed_all(vectors)
    embed_all(others, OTHER)
    assert others.forget_others(OTHER) == 1
    assert vectors.identities() == (OTHER.key,)
    assert found(vectors, "ferry") == []
    assert embed_all(vectors) == 1
    assert found(vectors, "ferry") == [A]


def test_what_goes_to_another_machine_is_entered_before_it_goes(
    client: QdrantClient, tmp_path: Path
) -> None:
    ledger = SqliteLedger(tmp_path / "ledger.sqlite3", 30, pytest.fail)
    now = [0.0]
    stored = of(
        client, tmp_path, RemoteLibraryAudit(ledger, "box.example:6333", clock=lambda: now[0])
    )
    stored.add([page(A, FERRY), page(B, MILL)])
    entered = [entry.content for entry in reversed(ledger.entries(LONG_AGO))]
    assert entered[0] == f"{A} + 1"
    assert "askance_documents: write" in entered
    assert "askance_passages: write" in entered
    vectors = stored.vectors
    embed_all(vectors)
    stored.search("ferry to hesperay", 5)
    found(vectors, "boats of the north")
    entries = ledger.entries(LONG_AGO)
    contents = [entry.content for entry in entries]
    assert {"ferry to hesperay", "boats of the north"} < set(contents)
    assert f"{collection_of(MODEL)}: write" in contents
    assert {(e.to, e.sending, e.through, e.occasion) for e in entries} == {
        ("box.example:6333", "library", "this program", "library")
    }
    assert len(contents) == len(set(contents))
    now[0] = EACH_S
    stored.documents(EVERY, 5)
    again = [entry.content for entry in ledger.entries(LONG_AGO)]
    assert again.count("askance_documents: read") == 2
    stored.close()


def test_nothing_goes_to_another_machine_that_the_ledger_cannot_take(
    client: QdrantClient, tmp_path: Path
) -> None:
    file = tmp_path / "ledger.sqlite3"
    file.mkdir()
    ledger = SqliteLedger(file, 30, lambda _: None)
    stored = of(client, tmp_path / "library", RemoteLibraryAudit(ledger, "box.example"))
    with pytest.raises(StorageError, match="ledger"):
        stored.add([page(A, FERRY)])
    # Read without a ledger: nothing has arrived.
    assert not of(client, tmp_path / "other").search("ferry", 5)
