"""Models from a hub: whole or not at all, whatever hub, line and disk do; each request in the ledger."""

from __future__ import annotations

import asyncio
import hashlib
import json
import ssl
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import trustme

from askance.adapters.llm.model_hub import HubClient, PartFile, partial_models
from askance.adapters.reader.network import MappedResolver, SystemResolver
from askance.app.container import Container
from askance.app.model_downloads import ModelDownloads
from askance.config.folders import Folders
from askance.config.settings import LlmSettings, ReaderSettings, Settings
from askance.domain.downloads import DownloadPhase, ModelDownload
from askance.domain.events import LedgerEntry
from servers.faults import address_of_nobody
from servers.loopback import Request, Wire, serve
from servers.model_hub import FILE, REPOSITORY, Hub, listing, model_bytes, serve_hub, tier
from servers.socks import socks5
from servers.tunnels import connect, serve_tunnels

DONE, PAUSED, FAILED = DownloadPhase.DONE, DownloadPhase.PAUSED, DownloadPhase.FAILED


class Downloads:
    """The list, with its work in the loop of the test."""

    def __init__(self, folders: Folders, settings: Settings, group: asyncio.TaskGroup) -> None:
        self.folders, self.settings = folders, settings
        self._group = group
        self._changed = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self.seen: list[tuple[DownloadPhase, ...]] = []
        self.list = ModelDownloads(
            folders, lambda: self.settings, self._start, self._note, waits_s=(0.0,)
        )

    def _start(
        self, work: Callable[[Any], Coroutine[Any, Any, None]], _then: object
    ) -> Callable[[], object]:
        return self._group.create_task(work(None)).cancel

    def _note(self) -> None:
        self.seen.append(tuple(entry.phase for entry in self.list.entries()))
        self._loop.call_soon_threadsafe(self._changed.set)

    async def until(self, right: Callable[[tuple[ModelDownload, ...]], bool]) -> None:
        while not right(self.list.entries()):
            self._changed.clear()
            await self._changed.wait()

    async def end(self, key: str = FILE) -> ModelDownload:
        """Wait until a download neither ends nor goes on by itself; return it."""
        await self.until(lambda entries: any(e.key == key and not e.is_active for e in entries))
        return next(e for e in self.list.entries() if e.key == key)

    def files(self) -> list[str]:
        return sorted(path.name for path in self.folders.models.iterdir())

    def ledger(self) -> list[LedgerEntry]:
        with Container(self.settings, self.folders) as parts:
            return parts.ledger.entries(datetime.now(UTC) - timedelta(days=1))


def content_of(ended: ModelDownload) -> bytes:
    return Path(ended.path).read_bytes()


@asynccontextmanager
async def downloads_of(hub: Hub | str, folder: Path, **settings: Any) -> AsyncIterator[Downloads]:
    root = folder / "home"
    folders = Folders(root / "config", root / "data", root / "cache", root / "run")
    url = hub if isinstance(hub, str) else hub.url
    chosen = Settings(llm=LlmSettings(hub=url), **settings)
    async with asyncio.TaskGroup() as group:
        yield Downloads(folders, chosen, group)


async def test_a_model_comes_whole_and_every_request_is_in_the_ledger(tmp_path: Path) -> None:
    async with serve_hub() as hub, downloads_of(hub, tmp_path) as downloads:
        downloads.list.download(tier())
        ended = await downloads.end()
        assert (ended.phase, ended.done_bytes, ended.name) == (DONE, 3_000_000, "Wren 1B")
        assert content_of(ended) == hub.content
        assert downloads.files() == [FILE]
        entries = downloads.ledger()
        assert [(e.sending, e.occasion) for e in entries] == [("model file", "model download")] * 2
        assert [e.content for e in entries[::-1]] == [
            f"{hub.url}/api/models/{REPOSITORY}/tree/main",
            f"{hub.url}/{REPOSITORY}/resolve/main/{FILE}",
        ]


async def test_a_model_that_is_there_already_is_not_fetched_again(tmp_path: Path) -> None:
    async with serve_hub() as hub, downloads_of(hub, tmp_path) as downloads:
        downloads.list.download(tier())
        await downloads.end()
        downloads.list.forget(FILE)
        downloads.list.download(tier())
        assert (await downloads.end()).phase is DONE
        assert len(hub.asked) == 1
        # Another version of it is: the old one stays until the new one is whole.
        hub.content = model_bytes(seed=3)
        downloads.list.forget(FILE)
        downloads.list.download(tier())
        assert content_of(await downloads.end()) == hub.content
        assert downloads.files() == [FILE]


async def test_nothing_is_asked_before_a_download_is_begun(tmp_path: Path) -> None:
    async with serve_hub() as hub, downloads_of(hub, tmp_path) as downloads:
        assert downloads.list.entries() == ()
        assert hub.server is not None
        assert hub.server.requests == []


async def test_a_cut_connection_goes_on_where_it_was_cut(tmp_path: Path) -> None:
    async with serve_hub() as hub, downloads_of(hub, tmp_path) as downloads:
        hub.cut_at.extend([1_500_000, 700_000])
        downloads.list.download(tier())
        ended = await downloads.end()
        assert ended.phase is DONE
        assert content_of(ended) == hub.content
        begun = [request.headers.get("range", "") for request in hub.asked]
        assert len(begun) == 3
        assert begun[0] == ""
        assert all(value.startswith("bytes=") for value in begun[1:])


async def test_a_connection_that_falls_silent_is_given_up_and_the_rest_fits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # lmstudio-bug-tracker#1222: timed out, resumed, and the checksum was wrong in the end.
    monkeypatch.setattr("askance.adapters.llm.model_hub.SILENCE_S", 0.3)
    async with serve_hub(holds_at=2_100_000) as hub, downloads_of(hub, tmp_path) as downloads:
        downloads.list.download(tier())
        await hub.held.wait()
        hub.holds_at = 0
        ended = await downloads.end()
        assert ended.phase is DONE
        assert content_of(ended) == hub.content
        assert hub.asked[-1].headers["range"].startswith("bytes=")


async def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    # lmstudio-bug-tracker#1910: the folder is on a disk that is not there.
    async with serve_hub() as hub, downloads_of(hub, tmp_path) as downloads:
        data = downloads.folders.data
        await asyncio.to_thread(data.mkdir, parents=True)
        await asyncio.to_thread(downloads.folders.models.write_bytes, b"")
        downloads.list.download(tier())
        ended = await downloads.end()
        assert ended.phase is FAILED
        assert f"{FILE} cannot be written" in ended.problem


async def test_a_server_without_ranges_sends_it_from_the_beginning(tmp_path: Path) -> None:
    async with serve_hub(ranges=False) as hub, downloads_of(hub, tmp_path) as downloads:
        hub.cut_at.append(2_000_000)
        downloads.list.download(tier())
        ended = await downloads.end()
        assert content_of(ended) == hub.content


async def test_what_is_not_the_described_file_is_deleted(tmp_path: Path) -> None:
    async with serve_hub() as hub, downloads_of(hub, tmp_path) as downloads:
        hub.tells = model_bytes(seed=1)
        downloads.list.download(tier())
        ended = await downloads.end()
        assert ended.phase is DownloadPhase.DAMAGED
        assert ended.problem == "What came is not this model. It was deleted."
        assert downloads.files() == []
        # "Download again" begins from nothing, and finds the right one this time.
        hub.tells = b""
        downloads.list.resume(FILE)
        assert (await downloads.end()).phase is DONE
        assert "range" not in hub.asked[-1].headers


async def test_more_than_was_described_is_not_taken(tmp_path: Path) -> None:
    async with serve_hub() as hub, downloads_of(hub, tmp_path) as downloads:
        hub.tells = hub.content[:-1000]
        downloads.list.download(tier())
        assert (await downloads.end()).phase is DownloadPhase.DAMAGED
        assert downloads.files() == []


@pytest.mark.parametrize("status", [401, 403, 404])
async def test_a_refusal_is_not_repeated(tmp_path: Path, status: int) -> None:
    async with serve_hub() as hub, downloads_of(hub, tmp_path) as downloads:
        hub.faults.append((status, {}))
        downloads.list.download(tier())
        ended = await downloads.end()
        assert (ended.phase, ended.problem) == (FAILED, f"127.0.0.1 answered {status}.")
        assert len(hub.asked) == 1
        downloads.list.resume(FILE)
        assert (await downloads.end()).phase is DONE


async def test_a_busy_hub_is_asked_again_when_it_wants_to_be(tmp_path: Path) -> None:
    async with serve_hub() as hub, downloads_of(hub, tmp_path) as downloads:
        hub.faults.append((429, {"Retry-After": "299"}))
        downloads.list.download(tier())
        await downloads.until(lambda entries: entries[0].phase is DownloadPhase.BUSY)
        assert len(hub.asked) == 1
        # "Try now" waits no longer.
        downloads.list.resume(FILE)
        assert (await downloads.end()).phase is DONE


async def test_a_server_that_fails_again_and_again_is_given_up(tmp_path: Path) -> None:
    async with serve_hub() as hub, downloads_of(hub, tmp_path) as downloads:
        hub.faults.extend([(503, {})] * 20)
        downloads.list.download(tier())
        assert (await downloads.end()).phase is FAILED
        assert 3 <= len(hub.asked) <= 8
        hub.faults.clear()
        downloads.list.resume(FILE)
        assert (await downloads.end()).phase is DONE


async def test_without_a_connection_it_waits_and_goes_on_by_itself(tmp_path: Path) -> None:
    async with downloads_of(address_of_nobody(), tmp_path) as downloads:
        downloads.list.download(tier())
        await downloads.until(lambda entries: entries[0].phase is DownloadPhase.OFFLINE)
        downloads.list.pause(FILE)
        async with serve_hub() as hub:
            downloads.settings = Settings(llm=LlmSettings(hub=hub.url))
            downloads.list.resume(FILE)
            assert (await downloads.end()).phase is DONE


async def test_paused_and_resumed_after_a_restart_only_the_rest_is_asked_for(
    tmp_path: Path,
) -> None:
    async with serve_hub(holds_at=2_100_000) as hub:
        async with downloads_of(hub, tmp_path) as downloads:
            downloads.list.download(tier())
            await hub.held.wait()
            await downloads.until(lambda entries: entries[0].done_bytes > 0)
            downloads.list.pause(FILE)
            assert (await downloads.end()).phase is PAUSED
        hub.holds_at = 0
        hub.go_on.set()
        # Another run of the program.
        async with downloads_of(hub, tmp_path) as later:
            (found,) = later.list.entries()
            assert (found.phase, found.name, found.total_bytes) == (PAUSED, "Wren 1B", 3_000_000)
            assert 1_000_000 <= found.done_bytes <= 2_100_000
            later.list.resume(FILE)
            ended = await later.end()
            assert content_of(ended) == hub.content
            assert hub.asked[-1].headers["range"] == f"bytes={found.done_bytes}-"


async def test_a_file_that_changed_meanwhile_is_fetched_anew(tmp_path: Path) -> None:
    async with serve_hub() as hub:
        hub.holds_at = 2_100_000
        async with downloads_of(hub, tmp_path) as downloads:
            downloads.list.download(tier())
            await hub.held.wait()
            await downloads.until(lambda entries: entries[0].done_bytes > 0)
            downloads.list.pause(FILE)
        hub.holds_at, hub.content = 0, model_bytes(2_500_000, seed=7)
        hub.go_on.set()
        async with downloads_of(hub, tmp_path) as later:
            later.list.resume(FILE)
            ended = await later.end()
            assert content_of(ended) == hub.content
            assert "range" not in hub.asked[-1].headers


async def test_a_part_that_was_damaged_on_the_disk_is_noticed(tmp_path: Path) -> None:
    async with serve_hub(holds_at=2_100_000) as hub:
        async with downloads_of(hub, tmp_path) as downloads:
            downloads.list.download(tier())
            await hub.held.wait()
            await downloads.until(lambda entries: entries[0].done_bytes > 0)
            downloads.list.pause(FILE)
        hub.holds_at = 0
        hub.go_on.set()
        part = downloads.folders.models / f"{FILE}.part"
        part.write_bytes(b"x" * part.stat().st_size)
        async with downloads_of(hub, tmp_path) as later:
            later.list.resume(FILE)
            assert (await later.end()).phase is DownloadPhase.DAMAGED
            assert later.files() == []


async def test_cancelling_deletes_the_part(tmp_path: Path) -> None:
    async with serve_hub(holds_at=1_500_000) as hub, downloads_of(hub, tmp_path) as downloads:
        downloads.list.download(tier())
        await hub.held.wait()
        await downloads.until(lambda entries: entries[0].done_bytes > 0)
        downloads.list.cancel(FILE)
        assert downloads.list.entries() == ()
        hub.go_on.set()
    assert downloads.files() == []


async def test_of_two_the_second_waits_for_the_first(tmp_path: Path) -> None:
    async with serve_hub(holds_at=1_500_000) as hub, downloads_of(hub, tmp_path) as downloads:
        downloads.list.download(tier())
        await hub.held.wait()
        await downloads.until(lambda entries: entries[0].done_bytes > 0)
        downloads.list.pull("wren:4b", "Wren 4B")
        phases = [entry.phase for entry in downloads.list.entries()]
        assert phases == [DownloadPhase.RUNNING, DownloadPhase.QUEUED]
        # The same again is the same download.
        downloads.list.download(tier())
        assert len(downloads.list.entries()) == 2
        downloads.list.cancel("wren:4b")
        hub.go_on.set()
        assert (await downloads.end()).phase is DONE


async def test_a_pull_of_ollama_stands_in_the_same_list(tmp_path: Path) -> None:
    async def ollama(request: Request, wire: Wire) -> None:
        await wire.start()
        for done in (0, 500, 1000):
            await wire.chunk(
                b'{"status":"pulling","digest":"sha256:a","total":1000,"completed":%d}\n' % done
            )
        await wire.chunk(b'{"status":"success"}\n')

    async with serve(ollama) as server, downloads_of(server.url, tmp_path) as downloads:
        downloads.settings = Settings(llm=LlmSettings(url=server.url))
        downloads.list.pull("wren:4b", "Wren 4B", 1000)
        ended = await downloads.end("wren:4b")
        assert (ended.phase, ended.name, ended.done_bytes) == (DONE, "Wren 4B", 1000)
        assert ended.path == ""


async def test_a_pull_that_was_paused_is_listed_again_after_a_restart(tmp_path: Path) -> None:
    holds = asyncio.Event()

    async def ollama(request: Request, wire: Wire) -> None:
        await wire.start()
        await wire.chunk(b'{"status":"pulling","digest":"sha256:a","total":1000,"completed":500}\n')
        await holds.wait()
        await wire.chunk(b'{"status":"success"}\n')

    async with serve(ollama) as server:
        settings = Settings(llm=LlmSettings(url=server.url))
        name = "hf.co/wren/Wren-GGUF:Q4_K_M"
        async with downloads_of(server.url, tmp_path) as downloads:
            downloads.settings = settings
            downloads.list.pull(name, "Wren 4B", 1000)
            await downloads.until(lambda entries: entries[0].done_bytes > 0)
            downloads.list.pause(name)
        async with downloads_of(server.url, tmp_path) as later:
            later.settings = settings
            (found,) = later.list.entries()
            assert (found.phase, found.name, found.fraction) == (PAUSED, "Wren 4B", 0.5)
            holds.set()
            later.list.resume(name)
            assert (await later.end(name)).phase is DONE
            assert later.files() == []
            later.list.forget(name)
            # What was not begun, or is not wanted any more, is not listed.
            later.list.pull(name)
            later.list.cancel(name)
        assert later.files() == []


async def test_too_little_room_is_said_before_anything_is_fetched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serve_hub() as hub, downloads_of(hub, tmp_path) as downloads:
        monkeypatch.setattr("askance.adapters.llm.model_hub.SPARE_BYTES", 1 << 60)
        downloads.list.download(tier())
        ended = await downloads.end()
        assert ended.phase is DownloadPhase.DISK_FULL
        assert ended.free_bytes > 0
        assert ended.total_bytes == 3_000_000
        assert hub.asked == []
        monkeypatch.undo()
        downloads.list.resume(FILE)
        assert (await downloads.end()).phase is DONE


async def test_a_disk_that_fills_meanwhile_keeps_what_came(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serve_hub() as hub, downloads_of(hub, tmp_path) as downloads:
        rooms = iter([False, True, False])

        def require_room(part: Any, whole: int) -> None:
            if next(rooms):
                raise OSError(28, "No space left on device")

        def write(part: Any, block: bytes) -> None:
            require_room(part, 0)
            real(part, block)

        real = PartFile._write
        monkeypatch.setattr(PartFile, "_write", write)
        downloads.list.download(tier())
        ended = await downloads.end()
        assert ended.phase is DownloadPhase.DISK_FULL
        assert ended.done_bytes > 0
        # lmstudio-bug-tracker#1299: after a restart the list was empty, and nobody knew what to delete.
        (left,) = partial_models(downloads.folders.models)
        assert left.done_bytes == ended.done_bytes
        monkeypatch.undo()
        downloads.list.resume(FILE)
        ended = await downloads.end()
        assert content_of(ended) == hub.content


async def test_a_redirect_to_another_host_is_followed_and_recorded_without_its_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serve_hub() as hub, downloads_of("http://hub.test", tmp_path) as downloads:
        hub.redirects_to = "http://cdn.test/cdn/blob?X-Key=secret"
        assert hub.server is not None
        place = ("127.0.0.1", hub.server.port)
        names = MappedResolver({"hub.test": place, "cdn.test": place}, SystemResolver())
        monkeypatch.setattr(
            "askance.app.model_downloads.HubClient", lambda *of: HubClient(*of, resolver=names)
        )
        downloads.list.download(tier())
        ended = await downloads.end()
        assert content_of(ended) == hub.content
        assert [entry.to for entry in downloads.ledger()] == ["cdn.test", "hub.test", "hub.test"]
        assert all("secret" not in entry.content for entry in downloads.ledger())


@pytest.mark.parametrize("kind", ["socks5", "http", "connect"])
async def test_a_download_goes_through_the_proxy_of_the_pages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    # An HTTP proxy opens a tunnel for what is under TLS; else it is asked for the address itself.
    tls, scheme, port = None, "http", 80
    if kind == "connect":
        authority, scheme, port = trustme.CA(), "https", 443
        authority.cert_pem.write_to_path(str(tmp_path / "authority.pem"))
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "authority.pem"))
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        authority.issue_cert("hub.test", "cdn.test").configure_cert(tls)
    url = f"{scheme}://hub.test"
    async with serve_hub(tls=tls) as hub, downloads_of(url, tmp_path) as downloads:
        hub.redirects_to = f"{scheme}://cdn.test/cdn/blob?X-Key=secret"
        assert hub.server is not None
        greet = socks5 if kind == "socks5" else connect
        async with serve_tunnels(greet, hub.server.port) as tunnels:
            at = hub.server.port if kind == "http" else tunnels.port
            proxy = f"{'socks5h' if kind == 'socks5' else 'http'}://127.0.0.1:{at}"
            downloads.settings = downloads.settings.model_copy(
                update={"reader": ReaderSettings(proxy=proxy)}
            )
            downloads.list.download(tier())
            assert content_of(await downloads.end()) == hub.content
            asked = {f"{host}.test:{port}" for host in ("hub", "cdn")}
            assert set(tunnels.asked) == (set() if kind == "http" else asked)
            assert all(r.target.startswith("http:") is (kind == "http") for r in hub.asked)
        entries = downloads.ledger()
        assert {entry.to for entry in entries} == {"hub.test", "cdn.test"}
        assert all("secret" not in entry.content for entry in entries)
        assert all(proxy in entry.through for entry in entries)


async def test_a_hub_cannot_lead_into_this_machine(tmp_path: Path) -> None:
    async with serve_hub() as hub, downloads_of(hub, tmp_path) as downloads:
        hub.redirects_to = "http://127.0.0.1/cdn/blob"
        downloads.list.download(tier())
        ended = await downloads.end()
        assert ended.phase is FAILED
        assert "127.0.0.1 cannot be reached" in ended.problem
        assert downloads.files() == []


@pytest.mark.parametrize(
    "body",
    ["", "<html>", "[]", "{}", listing(0, "a" * 64), listing(5, "short"), listing("5", "a" * 64)],
)
async def test_a_listing_that_describes_nothing_is_said(tmp_path: Path, body: str) -> None:
    async def answer(_request: Request, wire: Wire) -> None:
        await wire.send(body)

    async with serve(answer) as server, downloads_of(server.url, tmp_path) as downloads:
        downloads.list.download(tier())
        ended = await downloads.end()
        assert (ended.phase, ended.problem) == (FAILED, f"127.0.0.1 does not describe {FILE}.")


async def test_a_damaged_note_of_a_part_is_passed_over(tmp_path: Path) -> None:
    for text in ("", "{}", "[]", '{"name": 1}', "\xff"):
        (tmp_path / "x.gguf.part.json").write_text(text, encoding="utf-8")
        assert partial_models(tmp_path) == []


async def test_the_parts_of_another_version_of_the_program_are_listed(tmp_path: Path) -> None:
    # lmstudio-bug-tracker#1696: after an update the parts were there, and the downloads were gone.
    rows = {
        "name": "Wren 1B",
        "repository": REPOSITORY,
        "file": FILE,
        "bytes": 9,
        "sha256": "a" * 64,
    }
    for more in ({}, {"mirror": "elsewhere"}):
        (tmp_path / f"{FILE}.part.json").write_text(json.dumps(rows | more), encoding="utf-8")
        (tmp_path / f"{FILE}.part").write_bytes(b"GGUF")
        (found,) = partial_models(tmp_path)
        assert (found.name, found.done_bytes, found.bytes) == ("Wren 1B", 4, 9)


async def test_one_that_was_cancelled_can_be_begun_again_at_once(tmp_path: Path) -> None:
    # EpicenterHQ/epicenter#1997: the second one wrote over the part that the first one still held.
    async with serve_hub(holds_at=2_100_000) as hub, downloads_of(hub, tmp_path) as downloads:
        downloads.list.download(tier())
        await hub.held.wait()
        await downloads.until(lambda entries: entries[0].done_bytes > 0)
        hub.holds_at = 0
        downloads.list.cancel(FILE)
        downloads.list.download(tier())
        hub.go_on.set()
        assert content_of(await downloads.end()) == hub.content
        assert downloads.files() == [FILE]


async def test_one_that_has_not_begun_to_come_can_be_cancelled(tmp_path: Path) -> None:
    # janhq/jan#2568: stuck at 0 % for good.
    async def answer(_request: Request, wire: Wire) -> None:
        await wire.client_gone()

    async with serve(answer) as server, downloads_of(server.url, tmp_path) as downloads:
        downloads.list.download(tier())
        await downloads.until(lambda entries: entries[0].phase is DownloadPhase.CONNECTING)
        downloads.list.cancel(FILE)
        assert downloads.list.entries() == ()


async def test_a_pull_whose_server_goes_away_has_failed_and_can_be_tried_again(
    tmp_path: Path,
) -> None:
    # open-webui/open-webui#458: the download was stuck, and no other one could be begun.
    cuts = [True, False]

    async def ollama(request: Request, wire: Wire) -> None:
        await wire.start()
        await wire.chunk(b'{"status":"pulling","digest":"sha256:a","total":1000,"completed":500}\n')
        if cuts.pop(0):
            wire.abort()
        else:
            await wire.chunk(b'{"status":"success"}\n')

    async with serve(ollama) as server, downloads_of(server.url, tmp_path) as downloads:
        downloads.settings = Settings(llm=LlmSettings(url=server.url))
        downloads.list.pull("wren:4b")
        ended = await downloads.end("wren:4b")
        assert (ended.phase, ended.done_bytes) == (FAILED, 500)
        assert ended.problem
        downloads.list.resume("wren:4b")
        assert (await downloads.end("wren:4b")).phase is DONE


async def test_a_client_checks_what_it_brings() -> None:
    async with serve_hub() as hub, HubClient(hub.url, "", lambda _sent: None) as client:
        described = await client.describe(REPOSITORY, FILE)
        assert described.sha256 == hashlib.sha256(hub.content).hexdigest()
