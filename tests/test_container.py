"""Putting the parts together: which reader, which search, which files."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psutil
import pytest

from askance.adapters.reader.inprocess import InProcessReader
from askance.adapters.reader.network import SystemResolver
from askance.adapters.reader.service import ServiceReader
from askance.adapters.search.searxng import SearxngSearch
from askance.adapters.storage.ledger import SqliteLedger
from askance.adapters.storage.page_cache import CachingReader
from askance.adapters.web_choice import (
    READERS_IDLE_S,
    ContainerOnlyReader,
    FallbackReader,
    FallbackSearch,
    SampleSearch,
)
from askance.app.container import App, Container, open_app
from askance.config.choices import Consent, LlmApi
from askance.config.folders import Folders, find_folders
from askance.config.settings import Settings
from askance.domain.errors import ServiceAbsent, ServiceDown, SettingsError
from askance.domain.events import RequestSent, Sending
from askance.domain.messages import Message
from askance.domain.web_pages import PageStatus
from askance.sample_web.sample_server import serve_sample_web
from askance.system.machine import is_on_battery
from fakes.outbound import ignore
from servers.faults import address_of_nobody
from servers.loopback import Request, Wire, serve
from servers.model_script import ModelScript, plan, verdict
from servers.site import HTML, article, forward_proxy
from servers.socks import socks5
from servers.tunnels import serve_tunnels

URL = "http://far.example/page"


def settings(**sections: object) -> Settings:
    return Settings.model_validate(sections)


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    return find_folders({"ASKANCE_HOME": str(tmp_path)})


def give_token(file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("a-token", "ascii")


def things_in(folder: Path) -> list[Path]:
    return list(folder.rglob("*"))


async def readers_of(chosen: Settings, folders: Folders) -> tuple[type, InProcessReader]:
    """The kind of the reader below the cache, and the one in this program."""
    async with open_app(chosen, folders) as app:
        cached = app.reader
        assert isinstance(cached, CachingReader)
        inner = cached._inner
        here = inner._second if isinstance(inner, FallbackReader) else inner
        assert isinstance(here, InProcessReader)
        return type(inner), here


async def test_a_model_of_entailment_is_there_where_a_folder_is_set(folders: Folders) -> None:
    async with open_app(settings(), folders) as app:
        assert app.engine.entailment is None
    async with open_app(settings(answer={"entailment": "/nowhere"}), folders) as app:
        assert app.engine.entailment is not None
        # It is loaded when it is first asked, and not at the start.
        with pytest.raises(SettingsError, match="is not there"):
            await app.engine.entailment.probabilities([("A text.", "A sentence.")])


async def test_an_error_under_the_open_parts_comes_out_as_itself(folders: Folders) -> None:
    with pytest.raises(ServiceDown, match="It is gone"):
        async with open_app(Settings(), folders):
            raise ServiceDown("Reader", "http://x", "It is gone.")


async def test_an_embedded_model_without_a_file_costs_no_other_part(folders: Folders) -> None:
    async with open_app(settings(llm={"api": LlmApi.EMBEDDED}), folders) as app:
        assert app.model is not None
        with pytest.raises(SettingsError, match="names no file"):
            await app.model.info()


async def test_an_address_of_the_reader_that_is_none_is_a_matter_of_settings(
    folders: Folders,
) -> None:
    chosen = settings(reader={"mode": "container", "url": "http://a\x7fb"})
    with pytest.raises(SettingsError, match=r"reader\.url"):
        async with open_app(chosen, folders):
            pytest.fail("nothing can be opened")


@pytest.mark.parametrize(
    ("mode", "token", "kind"),
    [
        ("auto", False, InProcessReader),
        ("auto", True, FallbackReader),
        ("container", False, FallbackReader),
        ("container", True, FallbackReader),
        ("inprocess", False, InProcessReader),
        ("inprocess", True, InProcessReader),
    ],
)
async def test_the_mode_and_the_token_choose_the_reader(
    mode: str, token: bool, kind: type, folders: Folders
) -> None:
    if token:
        give_token(folders.reader_token)
    found, here = await readers_of(settings(reader={"mode": mode}), folders)
    assert found is kind
    # No child process is started before it is needed.
    assert not here._workers._eager


@pytest.mark.parametrize(("mode", "starts"), [("inprocess", True), ("container", False)])
async def test_what_only_a_search_needs_can_be_left_for_later(
    mode: str, starts: bool, folders: Folders
) -> None:
    async with open_app(settings(reader={"mode": mode}), folders) as app:
        cached = app.reader
        assert isinstance(cached, CachingReader)
        inner = cached._inner
        here = inner._second if isinstance(inner, FallbackReader) else inner
        assert isinstance(here, InProcessReader)
        assert not here._workers._slots
        app.prepare()
        # Pages that a service reads need no process here.
        assert bool(here._workers._slots) is starts
        assert here._workers._idle_s == READERS_IDLE_S


async def test_a_token_file_of_ones_own_is_looked_at(folders: Folders, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere.token"
    give_token(folders.reader_token)
    mounted = replace(folders, mounted_reader_token=elsewhere)
    assert (await readers_of(settings(), mounted))[0] is InProcessReader
    give_token(elsewhere)
    assert (await readers_of(settings(), mounted))[0] is FallbackReader


async def test_a_token_that_cannot_be_looked_at_still_means_a_service(folders: Folders) -> None:
    # Longer than a name may be.
    mounted = replace(folders, mounted_reader_token=Path(f"/{'x' * 300}"))
    assert (await readers_of(settings(), mounted))[0] is FallbackReader


async def test_without_the_page_cache_the_reader_stands_alone(folders: Folders) -> None:
    async with open_app(settings(cache={"size_mb": 0}), folders) as app:
        assert isinstance(app.reader, InProcessReader)
    assert not folders.page_cache.exists()


@pytest.mark.parametrize("said", [Consent.UNASKED, Consent.REFUSED])
async def test_without_consent_only_searxng_is_asked(said: Consent, folders: Folders) -> None:
    async with open_app(settings(search={"in_process": said}), folders) as app:
        assert isinstance(app.search, SearxngSearch)


async def test_with_consent_there_is_another_search_behind_searxng(folders: Folders) -> None:
    async with open_app(settings(search={"in_process": Consent.GIVEN}), folders) as app:
        assert isinstance(app.search, FallbackSearch)
        assert isinstance(app.search._first, SearxngSearch)


async def test_container_mode_without_a_token_reads_here_and_says_what_to_do(
    folders: Folders,
) -> None:
    async def far(request: Request, wire: Wire) -> None:
        await wire.send(article(), headers=HTML)

    async with serve(far) as site, serve(forward_proxy({"far.example": site.port})) as proxy:
        chosen = settings(reader={"mode": "container", "proxy": proxy.url})
        async with open_app(chosen, folders) as app:
            page = await app.reader.read(URL, sent=ignore)
    assert page.status is PageStatus.OK
    assert page.served_by == "this program"
    assert "no token" in page.fallback
    assert "`askance up`" in page.fallback


async def test_with_a_proxy_for_the_search_alone_pages_do_not_go_out_beside_it(
    folders: Folders, monkeypatch: pytest.MonkeyPatch
) -> None:
    def beside_the_proxy(*_: object, **__: object) -> None:
        pytest.fail("a name was looked up, or a page dialled, beside the proxy")

    monkeypatch.setattr(SystemResolver, "resolve", beside_the_proxy)

    async def far(request: Request, wire: Wire) -> None:
        await wire.send(article(), headers=HTML)

    async with serve(far) as site, serve_tunnels(socks5, site.port) as tunnels:
        chosen = settings(search={"proxy": f"socks5h://127.0.0.1:{tunnels.port}"}, reader={})
        async with open_app(chosen, folders) as app:
            page = await app.reader.read(URL, sent=ignore)
    assert page.status is PageStatus.OK
    assert tunnels.asked == ["far.example:80"]


async def test_where_no_page_may_be_read_here_there_is_nothing_that_could(folders: Folders) -> None:
    chosen = settings(reader={"mode": "container_only"}, cache={"size_mb": 0})
    async with open_app(chosen, folders) as app:
        assert isinstance(app.reader, ContainerOnlyReader)
        assert isinstance(app.reader._reader, ServiceReader)
        with pytest.raises(ServiceAbsent) as caught:
            await app.reader.read("http://203.0.114.7/", sent=ignore)
    assert "no token" in caught.value.problem
    assert caught.value.problem.endswith("; no page is read outside the container.")
    assert "`askance up`" in caught.value.fix


async def test_pages_are_kept_and_what_leaves_is_written_down(folders: Folders) -> None:
    async def far(request: Request, wire: Wire) -> None:
        await wire.send(article(), headers=HTML)

    async with serve(far) as site, serve(forward_proxy({"far.example": site.port})) as proxy:
        chosen = settings(reader={"proxy": proxy.url})
        for served_by in ("this program", "the page cache"):
            async with open_app(chosen, folders) as app:
                page = await app.reader.read(URL, sent=noted(app))
                assert page.served_by == served_by
            # Both files are closed: an open one has its log beside it.
            assert [file for file in things_in(folders.data) if file.name.endswith("-wal")] == []
            assert [file for file in things_in(folders.cache) if file.name.endswith("-wal")] == []
        assert len(proxy.requests) == 1
    entries = SqliteLedger(folders.ledger, 90, pytest.fail).entries(
        datetime(2020, 1, 1, tzinfo=UTC)
    )
    assert [(entry.to, entry.occasion) for entry in entries] == [("far.example", "a test")]


def noted(app: App) -> Callable[[Any], None]:
    ledger = app.ledger
    assert ledger is not None
    assert app.engine.ledger is ledger
    return lambda request: ledger.add(request, "a test")


async def test_a_damaged_cache_is_told_and_costs_no_page(folders: Folders) -> None:
    async def far(request: Request, wire: Wire) -> None:
        await wire.send(article(), headers=HTML)

    folders.page_cache.parent.mkdir(parents=True)
    folders.page_cache.write_bytes(b"no database" * 1000)
    reports: list[str] = []
    async with serve(far) as site, serve(forward_proxy({"far.example": site.port})) as proxy:
        chosen = settings(reader={"proxy": proxy.url})
        async with open_app(chosen, folders, on_error=reports.append) as app:
            pages = [await app.reader.read(URL, sent=ignore) for _ in range(2)]
    assert {page.status for page in pages} == {PageStatus.OK}
    assert len(reports) == 1
    assert "page cache" in reports[0]


async def test_a_cache_that_cannot_be_opened_is_told_once_and_costs_no_page(
    folders: Folders,
) -> None:
    async def far(request: Request, wire: Wire) -> None:
        await wire.send(article(), headers=HTML)

    folders.page_cache.mkdir(parents=True)  # a folder in its place
    reports: list[str] = []
    async with serve(far) as site, serve(forward_proxy({"far.example": site.port})) as proxy:
        chosen = settings(reader={"proxy": proxy.url})
        async with open_app(chosen, folders, on_error=reports.append) as app:
            pages = [await app.reader.read(URL, sent=ignore) for _ in range(3)]
    assert {page.status for page in pages} == {PageStatus.OK}
    assert len(reports) == 1


async def test_nothing_is_written_before_something_is_read_or_sent(
    folders: Folders, tmp_path: Path
) -> None:
    async with open_app(Settings(), folders):
        pass
    assert things_in(tmp_path) == []


async def test_leaving_leaves_no_task_behind(folders: Folders) -> None:
    give_token(folders.reader_token)
    before = asyncio.all_tasks()
    async with open_app(settings(reader={"url": address_of_nobody()}), folders) as app:
        await app.reader.read("http://127.0.0.1/", sent=ignore)
    assert asyncio.all_tasks() == before


async def test_the_sample_web_is_searched_and_read_under_its_own_names(
    folders: Folders, tmp_path: Path
) -> None:
    give_token(folders.reader_token)
    chosen = settings(
        search={"url": "http://127.0.0.1:1", "in_process": Consent.GIVEN},
        reader={"mode": "container"},
    )
    with serve_sample_web() as web:
        async with open_app(chosen, folders, sample_web=web) as app:
            assert isinstance(app.search, SampleSearch)
            found = await app.search.search("storm loaf", wanted=10, sent=ignore)
            page = await app.reader.read(found.results[0].url, sent=ignore)
            inward = await app.reader.read(
                f"{web.search_url}/search?q=storm&format=json", sent=ignore
            )
    assert page.status is PageStatus.OK
    assert page.words > 100
    assert (page.served_by, page.fallback) == ("this program", "")
    assert inward.reason == "refused_address"
    # None of it is kept, and nothing left this machine.
    assert [file for file in things_in(tmp_path) if file.suffix == ".sqlite3"] == []


async def test_the_sample_web_is_read_past_the_users_proxies(folders: Folders) -> None:
    async with serve(forward_proxy({})) as proxy:
        chosen = settings(search={"proxy": proxy.url}, reader={"proxy": proxy.url})
        with serve_sample_web() as web:
            async with open_app(chosen, folders, sample_web=web) as app:
                page = await app.reader.read(web.questions[0].gold[0].url, sent=ignore)
                found = await app.search.search("storm loaf", wanted=10, sent=ignore)
    assert page.status is PageStatus.OK
    assert found.results
    assert not proxy.requests


async def test_of_a_sample_web_only_what_goes_to_a_model_elsewhere_is_in_the_ledger(
    folders: Folders,
) -> None:
    with serve_sample_web() as web:
        async with open_app(Settings(), folders, sample_web=web) as app:
            assert app.ledger is not None
            for sending in Sending:
                app.ledger.add(
                    RequestSent(sending, "attic", Message("this program"), "wren"), "a question"
                )
    with closing(SqliteLedger(folders.ledger, 90, print)) as ledger:
        stored = ledger.entries(datetime(2020, 1, 1, tzinfo=UTC))
    assert [(entry.sending, entry.to) for entry in stored] == [("model", "attic")]


@pytest.mark.parametrize(
    ("preload", "keep_alive", "on_battery", "calls"),
    [
        ("plugged_in", "30m", False, 1),
        ("plugged_in", "30m", True, 0),
        ("always", "30m", True, 1),
        ("never", "30m", False, 0),
        ("always", "0", False, 0),  # it would be gone again
        ("always", "0s", False, 0),
        ("always", "0.5h", False, 1),
    ],
)
async def test_the_model_is_loaded_ahead_as_the_settings_say(
    folders: Folders,
    monkeypatch: pytest.MonkeyPatch,
    preload: str,
    keep_alive: str,
    on_battery: bool,
    calls: int,
) -> None:
    battery = None if not on_battery else SimpleNamespace(power_plugged=False)
    monkeypatch.setattr(psutil, "sensors_battery", lambda: battery)
    script = ModelScript([plan()], [verdict("sufficient")], ["Because."])
    async with serve(script) as server:
        llm = {"url": server.url, "preload": preload, "keep_alive": keep_alive}
        async with open_app(settings(llm=llm), folders) as app:
            await app.preload()
    assert (script.readied, script.calls) == (calls, [])


@pytest.mark.parametrize("plugged", [True, None])
def test_where_it_cannot_be_told_nothing_is_on_battery(
    monkeypatch: pytest.MonkeyPatch, plugged: bool | None
) -> None:
    monkeypatch.setattr(psutil, "sensors_battery", lambda: SimpleNamespace(power_plugged=plugged))
    assert not is_on_battery()

    def unreadable() -> object:
        raise OSError

    monkeypatch.setattr(psutil, "sensors_battery", unreadable)
    assert not is_on_battery()


def test_a_part_is_opened_once_and_nothing_is_before_it_is_wanted(folders: Folders) -> None:
    with Container(settings(), folders) as container:
        assert things_in(folders.data) == []
        assert container.history is container.history
        assert container.library is container.library
        assert container.ledger is container.ledger


def test_settings_are_read_only_for_a_part_that_needs_them(folders: Folders) -> None:
    def unreadable() -> Settings:
        raise SettingsError(Message("They are wrong."))

    with Container(unreadable, folders) as container:
        assert not container.history.conversations(1)
        with pytest.raises(SettingsError):
            _ = container.ledger


async def test_a_look_up_goes_through_the_library_that_the_engine_has_open(
    folders: Folders,
) -> None:
    async with open_app(settings(), folders) as app:
        assert app.engine.library is not None
        async with app.container.router() as router:
            assert router is app.engine.library.search
        assert app.container.library is app.engine.library.documents


async def test_without_an_engine_each_search_has_a_way_of_its_own(folders: Folders) -> None:
    with Container(settings(), folders) as container:
        async with container.router() as one, container.router() as other:
            assert one is not other
            assert one.library is other.library
