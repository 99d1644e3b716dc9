"""What goes on beside a session: it is told of once, ends nothing, and ends with the session."""

from __future__ import annotations

import asyncio
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from adapters.storage.shelf import FERRY, page
from askance.app.container import Container, Stay, following, open_app, run_in_background
from askance.config.folders import Folders, find_folders
from askance.config.settings import Settings
from askance.domain.errors import ServiceDown, StorageError
from askance.domain.events import once
from askance.domain.library import EVERY, Folder
from askance.domain.messages import Message
from servers.embedding import FakeEmbedding, refuses
from servers.faults import address_of_nobody
from servers.loopback import Request, Wire, serve
from waiting import patience


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    return find_folders({"ASKANCE_HOME": str(tmp_path / "home")})


def settings(url: str = "", **library: Any) -> Settings:
    embeddings = {"api": "ollama", "url": url} if url else {}
    llm = {"url": address_of_nobody()}
    return Settings.model_validate({"embeddings": embeddings, "library": library, "llm": llm})


def fill(folders: Folders, n: int = 3) -> None:
    with closing(Container(Settings(), folders).library) as library:
        library.add([page(f"https://n.example/{i}", f"{FERRY} Number {i}.") for i in range(n)])


class Recorded:
    """Troubles as they come, and what waits for one."""

    def __init__(self) -> None:
        self.all: list[str] = []
        self.came = asyncio.Event()

    def __call__(self, text: str) -> None:
        self.all.append(str(text))
        self.came.set()


def test_a_trouble_that_comes_again_is_told_once() -> None:
    reports: list[str] = []
    report = once(reports.append)
    for text in ("It is down.", "It is down.", "It is full.", "It is down."):
        report(text)
    assert reports == ["It is down.", "It is full."]


@pytest.mark.parametrize(
    ("error", "problem"),
    [(StorageError(Message("It is gone.")), "It is gone."), (KeyError("x"), "Askance failed: ")],
)
async def test_what_fails_beside_a_session_is_told_and_ends_nothing(
    error: Exception, problem: str
) -> None:
    reported = Recorded()

    async def work() -> None:
        raise error

    async with patience(), run_in_background(work, reported):
        await reported.came.wait()
    assert len(reported.all) == 1
    assert reported.all[0].startswith(problem)


async def test_what_goes_on_beside_a_session_ends_with_it_even_by_an_error() -> None:
    begun, ended = asyncio.Event(), list[bool]()

    async def work() -> None:
        try:
            begun.set()
            await asyncio.Event().wait()
        finally:
            ended.append(True)

    async def session() -> None:
        async with patience(), run_in_background(work, pytest.fail):
            await begun.wait()
            raise ServiceDown("S", "http://s", "It is gone.")

    with pytest.raises(ServiceDown, match="It is gone"):
        await session()
    assert ended == [True]


class Counting(FakeEmbedding):
    """Tells of each text that it was given."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = asyncio.Event()

    async def embed(self, request: Request, wire: Wire) -> None:
        await super().embed(request, wire)
        if any("ferry" in text or "Later" in text for text in request.json()["input"]):
            self.asked.set()


async def test_what_the_library_holds_is_embedded_while_a_session_lasts(folders: Folders) -> None:
    fill(folders)
    fake = Counting()
    async with patience(), serve(fake) as server:
        async with open_app(
            settings(server.url), folders, on_error=pytest.fail, stay=Stay.CHAT
        ) as app:
            await fake.asked.wait()
            fake.asked.clear()
            with closing(Container(Settings(), folders).library) as library:
                await asyncio.to_thread(library.add, [page("https://n.example/9", "Later.")])
            app.noticed()
            await fake.asked.wait()
        given = [text for texts in fake.given for text in texts]
    assert sum("Number" in text for text in given) == 3
    assert sum("Later" in text for text in given) == 1


async def test_a_single_question_embeds_nothing(folders: Folders) -> None:
    fill(folders)
    fake = Counting()
    async with serve(fake) as server, open_app(settings(server.url), folders) as app:
        assert app.engine.library is not None
        app.noticed()
    assert fake.given == []


async def test_a_server_that_refuses_is_told_of_and_the_session_goes_on(folders: Folders) -> None:
    fill(folders)
    fake, reported = FakeEmbedding(on_embed=refuses), Recorded()
    async with (
        patience(),
        serve(fake) as server,
        open_app(settings(server.url), folders, on_error=reported, stay=Stay.CHAT) as app,
    ):
        await reported.came.wait()
        app.noticed()
    assert len(reported.all) == 1
    assert "unexpectedly stopped" in reported.all[0]


async def test_a_session_that_ends_waits_for_no_model(folders: Folders) -> None:
    fill(folders)
    asked = asyncio.Event()

    async def stalls(_: Request, wire: Wire) -> None:
        asked.set()
        await wire.client_gone()

    async with (
        patience(),
        serve(FakeEmbedding(on_embed=stalls)) as server,
        open_app(settings(server.url), folders, on_error=pytest.fail, stay=Stay.CHAT),
    ):
        await asked.wait()
    assert not [t for t in asyncio.all_tasks() if t is not asyncio.current_task()]


async def test_folders_are_followed_where_the_settings_say_so(
    folders: Folders, tmp_path: Path
) -> None:
    (notes := tmp_path / "notes").mkdir()
    with closing(Container(Settings(), folders).library) as library:
        library.book.store_folder(Folder(str(notes)))
        noticed = asyncio.Event()
        followed = Container(settings(), folders)
        async with patience(), following(followed.folder_watch, noticed.set, pytest.fail):
            (notes / "ferry.txt").write_text(FERRY, "utf-8")
            await noticed.wait()
            found = await asyncio.to_thread(library.search, "ferry", 5, EVERY)
        assert [Path(hit.url).name for hit in found] == ["ferry.txt"]
    assert not [t for t in threading.enumerate() if "watch" in t.name]


async def test_folders_are_not_followed_otherwise(folders: Folders) -> None:
    opened = open_app(settings(), folders, on_error=pytest.fail, stay=Stay.WINDOW)
    async with opened:
        assert len(asyncio.all_tasks()) == 1


async def test_a_library_that_cannot_be_read_is_told_of_by_those_who_follow(
    folders: Folders,
) -> None:
    folders.library.mkdir(parents=True)
    reported = Recorded()
    chosen = settings(watch=True)
    async with patience(), open_app(chosen, folders, on_error=reported, stay=Stay.WINDOW):
        await reported.came.wait()
    assert str(folders.library) in reported.all[0]
