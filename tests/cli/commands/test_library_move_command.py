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
from askance.adapters.library.qdrant import qdrant_library as qdrant
from askance.app.container import Container
from cli.fake_shell import FakeShell, FakeStream, run

URL = "http://127.0.0.1:6333"


@pytest.fixture
def server(fake_shell: FakeShell, monkeypatch: pytest.MonkeyPatch) -> Iterator[QdrantClient]:
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
    fake_shell.environment["ASKANCE_LIBRARY__QDRANT_URL"] = URL
    fake_shell.environment["ASKANCE_LIBRARY__QDRANT_KEY"] = "hush"
    yield client
    assert set(asked) <= {(URL, "hush")}
    client.close()


def move(fake_shell: FakeShell, *arguments: str, code: int = 0) -> dict[str, Any]:
    fake_shell.out = FakeStream()
    assert run(fake_shell, "library", "move", "--json", *arguments) == code, fake_shell.errors
    return json.loads(fake_shell.printed)


def fill(fake_shell: FakeShell) -> None:
    with closing(
        Container(fake_shell.shell.settings(), fake_shell.shell.folders).library_file
    ) as file:
        file.add([page("https://a.example/", FERRY), page("https://b.example/", MILL)])


@pytest.mark.usefixtures("server")
def test_documents_are_moved_and_the_old_ones_stay_until_they_are_to_go(
    fake_shell: FakeShell,
) -> None:
    fill(fake_shell)
    reported = move(fake_shell, "--to", "qdrant")
    assert (reported["documents"], reported["there"], reported["verified"]) == (2, 0, 2)
    assert (reported["old_kept"], reported["deleted"], reported["wrong"]) == (True, None, [])
    fake_shell.out = FakeStream()
    assert run(fake_shell, "library", "search", "ferry", "--json") == 0
    assert json.loads(fake_shell.printed)["url"] == "https://a.example/"
    # What was deleted on the server does not come back with a second call.
    with closing(
        Container(fake_shell.shell.settings(), fake_shell.shell.folders).library
    ) as stored:
        stored.remove([record.id for record in stored.find("https://b.example/")])
    reported = move(fake_shell, "--to", "qdrant", "--delete-old")
    assert (reported["deleted"], reported["old_kept"]) == (1, False)
    fake_shell.out = FakeStream()
    assert run(fake_shell, "library", "list", "--json") == 0
    assert len(fake_shell.printed.splitlines()) == 1


def test_old_ones_are_not_deleted_where_the_server_has_lost_one(
    fake_shell: FakeShell, server: QdrantClient
) -> None:
    fill(fake_shell)
    move(fake_shell, "--to", "qdrant")
    for collection in server.get_collections().collections:
        server.delete_collection(collection.name)
    reported = move(fake_shell, "--to", "qdrant", "--delete-old", code=1)
    assert (reported["verified"], reported["deleted"], reported["old_kept"]) == (0, None, True)
    assert len(reported["wrong"]) == 2


@pytest.mark.usefixtures("server")
def test_they_are_moved_back(fake_shell: FakeShell) -> None:
    fill(fake_shell)
    move(fake_shell, "--to", "qdrant", "--delete-old")
    assert run(fake_shell, "library", "move", "--to", "sqlite", "--delete-old") == 0
    with closing(
        Container(fake_shell.shell.settings(), fake_shell.shell.folders).library
    ) as stored:
        assert stored.stats().documents == 0
    assert "library.qdrant_url" in fake_shell.printed
    with closing(
        Container(fake_shell.shell.settings(), fake_shell.shell.folders).library_file
    ) as file:
        assert {record.url for record in file.documents()} == {
            "https://a.example/",
            "https://b.example/",
        }


@pytest.mark.usefixtures("server")
def test_people_are_told_in_words(fake_shell: FakeShell) -> None:
    fill(fake_shell)
    assert run(fake_shell, "library", "move", "--to", "qdrant") == 0
    first, second = fake_shell.printed.splitlines()
    assert first.startswith("2 documents moved, 0 there before; 2 of 2 verified")
    assert str(fake_shell.shell.folders.library) in second
    fake_shell.out = FakeStream()
    assert run(fake_shell, "library", "stats") == 0
    assert fake_shell.printed.splitlines()[-1].endswith(URL)


def test_without_a_server_or_a_place_nothing_is_moved(fake_shell: FakeShell) -> None:
    assert run(fake_shell, "library", "move", "--to", "qdrant") == 2
    assert "library.qdrant_url" in fake_shell.errors
    assert run(fake_shell, "library", "move", "--to", "paper") == 2


def test_a_key_is_never_shown(fake_shell: FakeShell) -> None:
    assert run(fake_shell, "config", "set", "library.qdrant_key", "hush") == 0
    assert "hush" in fake_shell.shell.folders.settings_file.read_text(encoding="utf-8")
    assert fake_shell.shell.settings().library.qdrant_key.get_secret_value() == "hush"
    assert run(fake_shell, "config", "show") == 0
    assert run(fake_shell, "config", "show", "library.qdrant_key") == 0
    assert "library.qdrant_key" in fake_shell.printed
    assert "hush" not in fake_shell.printed + fake_shell.errors


@pytest.mark.parametrize("url", ["127.0.0.1:6333", "ftp://a.example", "http://"])
def test_an_address_of_a_server_is_looked_at(fake_shell: FakeShell, url: str) -> None:
    assert run(fake_shell, "config", "set", "library.qdrant_url", url) == 2


def test_without_the_package_it_is_told_how_to_get_it(
    fake_shell: FakeShell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "askance.adapters.library.qdrant.qdrant_library", None)
    fake_shell.environment["ASKANCE_LIBRARY__QDRANT_URL"] = URL
    for command in (("move", "--to", "qdrant"), ("stats",)):
        fake_shell.err = FakeStream()
        assert run(fake_shell, "library", *command) == 2
        assert "askance[qdrant]" in fake_shell.errors
