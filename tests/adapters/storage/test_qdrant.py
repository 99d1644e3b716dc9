"""What is Qdrant's own: vectors of meaning, breaks in the middle, and a server that fails."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from qdrant_client import QdrantClient

from adapters.storage.shelf import FERRY, MILL, NOW, library, page
from askance.adapters.library.qdrant.points import day_number, passage_point, stems_of
from askance.adapters.library.qdrant.qdrant_library import DOCUMENTS, PASSAGES, QdrantLibrary
from askance.adapters.library.qdrant.qdrant_server import connect, every, same
from askance.adapters.library.qdrant.qdrant_writing import BEGUN, Writer
from askance.domain.errors import StorageError
from sampled import sampled
from servers.qdrant import KEY, Life, serve_qdrant


@pytest.fixture
def client() -> Iterator[QdrantClient]:
    made = QdrantClient(":memory:")
    yield made
    made.close()


def of(client: QdrantClient, folder: Path) -> QdrantLibrary:
    return QdrantLibrary(client, "here", library(folder), 30, is_local=True, clock=lambda: NOW)


def test_points_have_the_same_numbers_from_every_machine(
    client: QdrantClient, tmp_path: Path
) -> None:
    (added,) = of(client, tmp_path).add([page("https://a.example/", FERRY)])
    (point,) = client.retrieve(PASSAGES, [passage_point(added.id, 0)])
    assert point.payload is not None
    assert point.payload["document"] == added.id
    assert passage_point("a", 0) == passage_point("a", 0) != passage_point("a", 1)


class Killed(Exception):
    pass


@pytest.mark.parametrize("calls", sampled(range(8), every=4))
def test_a_change_that_breaks_off_is_whole_or_not_there(
    client: QdrantClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, calls: int
) -> None:
    stored = of(client, tmp_path)
    stored.add([page("https://a.example/", FERRY, "Old")])
    left = [calls]

    def breaking(really: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object, **named: object) -> object:
            if not left[0]:
                raise Killed
            left[0] -= 1
            return really(*arguments, **named)

        return call

    with monkeypatch.context() as patched:
        for name in ("upsert", "delete", "set_payload", "update_vectors"):
            patched.setattr(client, name, breaking(getattr(client, name)))
        given = [
            page("https://a.example/", MILL, "New"),
            page("https://b.example/", "Sheep graze."),
        ]
        try:
            stored.add(given)
        except Killed:
            assert calls < 7
    for words in ("ferry", "mill", "sheep"):
        for hit in stored.search(words, 10):
            assert stored.text(hit.document) == hit.text
    stored.rebuild(lambda _: None)
    assert stored.check() == ()
    stored.add(given)
    assert [hit.title for hit in stored.search("mill", 10)] == ["New"]
    assert stored.search("ferry", 10) == ()
    assert stored.check() == ()


@pytest.mark.parametrize(
    ("change", "does_last"),
    sampled(
        [("add", False), ("add", True), ("remove", True), ("tag", False)], every=2, are_tuples=True
    ),
)
def test_what_a_killed_server_left_half_done_is_finished_by_the_next_change(
    tmp_path: Path, change: str, does_last: bool
) -> None:
    writes, is_whole = 0, False
    while not is_whole:
        life = Life()
        with serve_qdrant(life) as url:
            stored = QdrantLibrary(connect(url, KEY), url, library(tmp_path), 30, clock=lambda: NOW)
            (old,) = stored.add([page("https://a.example/", FERRY, "Old")])
            life.writes, life.does_last = writes, does_last
            writes += 1
            is_whole = has_changed(stored, change, old.id)
            life.writes = None
            stored.add([page("https://c.example/", "A boat leaves at ten.", "Next")])
            assert stored.check() == ()
            titles = {hit.title for hit in stored.search("ferry mill boat", 10)}
            assert "Next" in titles
            # What was there is found as it was or as it became, unless it was deleted.
            assert change == "remove" or titles & {"Old", "New"}
            assert not (is_whole and change == "remove" and titles & {"Old"})
            assert not (is_whole and change == "add" and "New" not in titles)
            stored.close()
    assert writes > 3


def has_changed(stored: QdrantLibrary, change: str, document: str) -> bool:
    """Change a document, and return whether the server has lived to its end."""
    given = [page("https://a.example/", f"{MILL} " * 60, "New"), page("https://d.example/", MILL)]
    try:
        match change:
            case "add":
                stored.add(given)
            case "remove":
                stored.remove_from_server([document])
            case _:
                stored.tag(document, ["seen"], [])
    except StorageError:
        return False
    return True


def test_what_another_process_is_changing_is_left_alone(tmp_path: Path) -> None:
    with serve_qdrant() as url:
        one, other = (
            QdrantLibrary(connect(url, KEY), url, library(tmp_path / name), 30, clock=lambda: NOW)
            for name in ("one", "other")
        )
        one.add([page("https://a.example/", FERRY)])
        writing = Writer(one.server, one.vectors)
        with writing.begun(["half"]):
            one.server.set_fields(PASSAGES, {"hash": "half"}, every())
            # The number of this process stands for one that lives: it is not its own.
            other_process = {"process": os.getppid()}
            one.server.set_fields(DOCUMENTS, other_process, every(same("state", BEGUN)))
            other.add([page("https://b.example/", MILL)])
            assert one.server.count(DOCUMENTS, every(same("state", BEGUN))) == 1
            one.server.set_fields(DOCUMENTS, {"begun_at": 0.0}, every(same("state", BEGUN)))
            other.add([page("https://c.example/", MILL)])
            assert one.server.count(DOCUMENTS, every(same("state", BEGUN))) == 0
        one.close()
        other.close()


def test_an_unwanted_word_in_the_best_passages_hides_no_other(
    client: QdrantClient, tmp_path: Path
) -> None:
    stored = of(client, tmp_path)
    stored.add([page(f"https://a.example/{i}", f"Ferry ferry ferry rye {i}.") for i in range(150)])
    stored.add(
        [page("https://b.example/", "Of the many boats of that coast one was once a ferry.")]
    )
    assert [hit.url for hit in stored.search("ferry -rye", 5)] == ["https://b.example/"]


def test_what_is_deleted_is_deleted_in_the_file_that_it_was_moved_from(
    client: QdrantClient, tmp_path: Path
) -> None:
    file = library(tmp_path)
    file.add([page("https://a.example/", FERRY), page("https://b.example/", MILL)])
    stored = of(client, tmp_path)
    (added,) = stored.add([page("https://a.example/", FERRY)])
    assert stored.remove([added.id]).documents == 1
    assert [record.url for record in file.documents()] == ["https://b.example/"]
    stored.clear()
    assert file.documents() == ()


def test_a_server_that_is_not_there_is_told(tmp_path: Path) -> None:
    url = "http://127.0.0.1:1"
    stored = QdrantLibrary(connect(url, ""), url, library(tmp_path), 30)
    for do in (
        lambda: stored.search("ferry", 5),
        lambda: stored.add([page("https://a.example/", FERRY)]),
        stored.stats,
    ):
        with pytest.raises(StorageError) as caught:
            do()
        assert url in str(caught.value)
        assert "library.qdrant_url" in caught.value.fix
    stored.close()


def test_a_key_that_is_refused_is_told_and_not_shown(tmp_path: Path) -> None:
    with serve_qdrant() as url:
        stored = QdrantLibrary(connect(url, "secretive"), url, library(tmp_path), 30)
        with pytest.raises(StorageError) as caught:
            stored.add([page("https://a.example/", FERRY)])
        stored.close()
    assert "library.qdrant_key" in caught.value.fix
    assert "secretive" not in f"{caught.value} {caught.value.__cause__}"


@pytest.mark.exhaustive
def test_long_texts_go_in_requests_of_their_own(
    client: QdrantClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored, really, sent = of(client, tmp_path), client.upsert, list[int]()

    def upsert(name: str, points: Sequence[object], **named: object) -> object:
        if name == DOCUMENTS:
            sent.append(len(points))
        return really(name, points, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(client, "upsert", upsert)
    long = "The ferry leaves. " * 70_000
    texts = ["A boat.", long, f"{long} Now."]
    stored.add([page(f"https://a.example/{n}", text) for n, text in enumerate(texts)])
    assert sent == [1, 2, 1]  # the first says what is begun
    assert [text for _, text in stored.every()] == texts


def test_a_common_word_repeated_saturates() -> None:
    once = stems_of({"title": [], "content": ["ferri"], "tags": []})
    often = stems_of({"title": [], "content": ["ferri"] * 50, "tags": []})
    assert next(iter(once.values())) < next(iter(often.values())) < 1
    titled = stems_of({"title": ["ferri"], "content": [], "tags": []})
    assert titled.keys() == once.keys()


@pytest.mark.parametrize(
    ("stamp", "fill", "number"),
    [("2024-05-14", "0", 20240514), ("2024", "0", 20240000), ("2024-05", "9", 20240599),
     ("2026-01-02T10:00:00+00:00", "0", 20260102), ("", "0", 0), ("soon", "0", 0)],
)  # fmt: skip
def test_days_are_numbers_in_their_order(stamp: str, fill: str, number: int) -> None:
    assert day_number(stamp, fill) == number
