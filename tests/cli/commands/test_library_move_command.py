"""`askance library move` between the file and a server's client that keeps all in this process."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from qdrant_client import QdrantClient

from adapters.storage.shelf import FERRY, MILL, page
from askance.adapters.qdrant import library as qdrant
from askance.app.container import Container
from cli.desk import Desk, Paper, run

URL = "http://127.0.0.1:6333"


@pytest.fixture
def server(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Iterator[QdrantClient]:
    """The settings name a server, which is a client in memory that survives being closed."""
    client = QdrantClient(":memory:")
    asked: list[tuple[str, str]] = []

    class Local(qdrant.QdrantLibrary):
        def __init__(self, *arguments: Any, **named: Any) -> None:
            super().__init__(*arguments, **named, is_local=True)

        def close(self) -> None:
            self.book  # noqa: B018 - the file stays open for whoever opened it

    def connect(url: str, key: str) -> QdrantClient:
        asked.append((url, key))
        return client

    monkeypatch.setattr(qdrant, "connect", connect)
    monkeypatch.setattr(qdrant, "QdrantLibrary", Local)
    desk.environment["ASKANCE_LIBRARY__QDRANT_URL"] = URL
    desk.environment["ASKANCE_LIBRARY__QDRANT_KEY"] = "hush"
    yield client
    assert set(asked) <= {(URL, "hush")}
    client.close()


def move(desk: Desk, *arguments: str, code: int = 0) -> dict[str, Any]:
    desk.out = Paper()
    assert run(desk, "library", "move", "--json", *arguments) == code, desk.told
    return json.loads(desk.printed)


def fill(desk: Desk) -> None:
    with closing(Container(desk.shell.settings(), desk.shell.folders).library_file) as file:
        file.add([page("https://a.example/", FERRY), page("https://b.example/", MILL)])


@pytest.mark.usefixtures("server")
def test_documents_are_moved_and_the_old_ones_stay_until_they_are_to_go(desk: Desk) -> None:
    fill(desk)
    reported = move(desk, "--to", "qdrant")
    assert (reported["documents"], reported["there"], reported["verified"]) == (2, 0, 2)
    assert (reported["old_kept"], reported["deleted"], reported["wrong"]) == (True, None, [])
    desk.out = Paper()
    assert run(desk, "library", "search", "ferry", "--json") == 0
    assert json.loads(desk.printed)["url"] == "https://a.example/"
    # What was deleted on the server does not come back with a second call.
    with closing(Container(desk.shell.settings(), desk.shell.folders).library) as stored:
        stored.remove([record.id for record in stored.find("https://b.example/")])
    reported = move(desk, "--to", "qdrant", "--delete-old")
    assert (reported["deleted"], reported["old_kept"]) == (1, False)
    desk.out = Paper()
    assert run(desk, "library", "list", "--json") == 0
    assert len(desk.printed.splitlines()) == 1


def test_old_ones_are_not_deleted_where_the_server_has_lost_one(
    desk: Desk, server: QdrantClient
) -> None:
    fill(desk)
    move(desk, "--to", "qdrant")
    for collection in server.get_collections().collections:
        server.delete_collection(collection.name)
    reported = move(desk, "--to", "qdrant", "--delete-old", code=1)
    assert (reported["verified"], reported["deleted"], reported["old_kept"]) == (0, None, True)
    assert len(reported["wrong"]) == 2


@pytest.mark.usefixtures("server")
def test_they_are_moved_back(desk: Desk) -> None:
    fill(desk)
    move(desk, "--to", "qdrant", "--delete-old")
    assert run(desk, "library", "move", "--to", "sqlite", "--delete-old") == 0
    with closing(Container(desk.shell.settings(), desk.shell.folders).library) as stored:
        assert stored.stats().documents == 0
    assert "library.qdrant_url" in desk.printed
    with closing(Container(desk.shell.settings(), desk.shell.folders).library_file) as file:
        assert {record.url for record in file.documents()} == {
            "https://a.example/",
            "https://b.example/",
        }


@pytest.mark.usefixtures("server")
def test_people_are_told_in_words(desk: Desk) -> None:
    fill(desk)
    assert run(desk, "library", "move", "--to", "qdrant") == 0
    first, second = desk.printed.splitlines()
    assert first.startswith("2 documents moved, 0 there before; 2 of 2 verified")
    assert str(desk.shell.folders.library) in second
    desk.out = Paper()
    assert run(desk, "library", "stats") == 0
    assert desk.printed.splitlines()[-1].endswith(URL)


def test_without_a_server_or_a_place_nothing_is_moved(desk: Desk) -> None:
    assert run(desk, "library", "move", "--to", "qdrant") == 2
    assert "library.qdrant_url" in desk.told
    assert run(desk, "library", "move", "--to", "paper") == 2


def test_a_key_is_never_shown(desk: Desk) -> None:
    assert run(desk, "config", "set", "library.qdrant_key", "hush") == 0
    assert "hush" in desk.shell.folders.settings_file.read_text(encoding="utf-8")
    assert desk.shell.settings().library.qdrant_key.get_secret_value() == "hush"
    assert run(desk, "config", "show") == 0
    assert run(desk, "config", "show", "library.qdrant_key") == 0
    assert "library.qdrant_key" in desk.printed
    assert "hush" not in desk.printed + desk.told


@pytest.mark.parametrize("url", ["127.0.0.1:6333", "ftp://a.example", "http://"])
def test_an_address_of_a_server_is_looked_at(desk: Desk, url: str) -> None:
    assert run(desk, "config", "set", "library.qdrant_url", url) == 2


def test_without_the_package_it_is_told_how_to_get_it(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "askance.adapters.qdrant.library", None)
    desk.environment["ASKANCE_LIBRARY__QDRANT_URL"] = URL
    for command in (("move", "--to", "qdrant"), ("stats",)):
        desk.err = Paper()
        assert run(desk, "library", *command) == 2
        assert "askance[qdrant]" in desk.told
