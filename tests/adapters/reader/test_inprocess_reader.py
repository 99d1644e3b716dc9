"""The reader as the engine sees it: from an address to a page, or to a reason."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from askance.adapters.reader.inprocess import InProcessReader
from askance.adapters.reader.network import MappedResolver
from askance.config.settings import ReaderSettings
from askance.domain.web_pages import PageReason, PageStatus
from fakes.outbound import ignore
from servers.loopback import Handler, Loopback, Request, Wire, serve
from servers.site import HTML, ScriptedResolver, article, forward_proxy, sentence
from waiting import patience, stretched

URL = "http://site.example"


@asynccontextmanager
async def reading(
    handler: Handler, **settings: Any
) -> AsyncIterator[tuple[InProcessReader, Loopback]]:
    async with serve(handler) as server:
        resolver = MappedResolver(
            {"site.example": ("127.0.0.1", server.port)}, ScriptedResolver({})
        )
        chosen = ReaderSettings().model_copy(update=settings)
        async with InProcessReader(chosen, workers=1, resolver=resolver) as reader:
            yield reader, server


async def pages(request: Request, wire: Wire) -> None:
    if request.path == "/article":
        await wire.send(article(), headers=HTML)
    else:
        await wire.send("Plain words.\n\nMore of them.", headers={"Content-Type": "text/plain"})


async def test_a_page_that_is_hard_to_take_apart_is_given_up_in_time():
    async def hard(request: Request, wire: Wire) -> None:
        await wire.send(b"<html><body>" + b"<p>ab <b>x</b></p>" * 100_000, headers=HTML)

    async with reading(hard, page_timeout_s=60.0) as (reader, _):
        read = await reader.read(f"{URL}/", sent=ignore)
    assert read.status is PageStatus.OK
    # How long the page takes depends on the machine, and on what else it does then: a twentieth of that is too short.
    async with reading(hard, page_timeout_s=read.elapsed_ms / 20_000) as (reader, _):
        page = await reader.read(f"{URL}/", sent=ignore)
    assert (page.status, page.reason) == (PageStatus.FAILED, PageReason.TIMED_OUT)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGSTOP: run it elsewhere")
async def test_waiting_for_a_processor_does_not_count_as_reading():
    # A stopped process is what one on a busy machine looks like: it is there, and computes nothing.
    limit_s, loop = stretched(1.0), asyncio.get_running_loop()
    async with reading(pages, page_timeout_s=limit_s) as (reader, _):
        assert (await reader.read(f"{URL}/article", sent=ignore)).status is PageStatus.OK
        (pid,) = reader.worker_pids
        os.kill(pid, signal.SIGSTOP)
        loop.call_later(limit_s + 0.1, os.kill, pid, signal.SIGCONT)
        page = await reader.read(f"{URL}/text", sent=ignore)
        assert reader.worker_pids == [pid]
    assert page.status is PageStatus.OK
    assert page.elapsed_ms > limit_s * 1000


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGSTOP: run it elsewhere")
async def test_a_page_whose_process_never_gets_a_processor_is_given_up():
    async with reading(pages, page_timeout_s=0.5) as (reader, _):
        async with patience():
            # On a busy machine the first may take too long, and then has its process replaced.
            while (await reader.read(f"{URL}/article", sent=ignore)).status is not PageStatus.OK:
                pass
        (pid,) = reader.worker_pids
        os.kill(pid, signal.SIGSTOP)
        async with patience():
            page = await reader.read(f"{URL}/text", sent=ignore)
        assert (page.status, page.reason) == (PageStatus.FAILED, PageReason.TIMED_OUT)
        assert "1.5 seconds" in page.detail


async def test_entering_and_leaving_do_not_wait_for_the_child_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    never_ready = tmp_path / "python"
    never_ready.write_text("#!/bin/sh\nexec sleep 1000\n", encoding="ascii")
    never_ready.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(never_ready))
    async with (
        patience(),
        InProcessReader(ReaderSettings(), resolver=ScriptedResolver({})) as reader,
    ):
        page = await reader.read("http://127.0.0.1/", sent=ignore)
    assert page.reason is PageReason.REFUSED_ADDRESS


async def test_through_a_proxy_names_are_the_proxys_and_the_guard_stays():
    async def far(request: Request, wire: Wire) -> None:
        if request.path == "/inside":
            await wire.send(b"", 302, {"Location": "http://127.0.0.1/private"})
        else:
            await wire.send(article(), headers=HTML)

    async with serve(far) as site, serve(forward_proxy({"far.example": site.port})) as proxy:
        resolver = ScriptedResolver({})
        settings = ReaderSettings(proxy=proxy.url)
        async with InProcessReader(settings, workers=1, resolver=resolver) as reader:
            page = await reader.read("http://far.example/", sent=ignore)
            assert page.status is PageStatus.OK
            assert sentence(0) in page.markdown
            for refused in ("http://far.example/inside", "http://127.0.0.1/", f"{proxy.url}/",
                            "http://localhost/", "http://far.example:8080/", "http://10.0.0.1/"):  # fmt: skip
                assert (
                    await reader.read(refused, sent=ignore)
                ).reason is PageReason.REFUSED_ADDRESS
            unknown = await reader.read("http://unknown.example/", sent=ignore)
            assert (unknown.reason, "502" in unknown.detail) == (PageReason.HTTP_STATUS, True)
            tunnel = await reader.read("https://far.example/", sent=ignore)
            assert tunnel.reason is PageReason.NETWORK
            assert "405" in tunnel.detail
        assert resolver.asked == []
        assert [r.target for r in proxy.requests][:2] == [
            "http://far.example/",
            "http://far.example/inside",
        ]


async def test_a_proxy_that_is_down_is_told_as_such():
    settings = ReaderSettings(proxy="http://127.0.0.1:9")
    async with InProcessReader(settings, workers=1, resolver=ScriptedResolver({})) as reader:
        page = await reader.read("http://far.example/", sent=ignore)
    assert page.reason is PageReason.NETWORK
    assert "proxy" in page.detail


async def test_nonsense_is_refused_and_never_raises():
    async with InProcessReader(
        ReaderSettings(), workers=1, resolver=ScriptedResolver({})
    ) as reader:
        for url in (
            "",
            "   ",
            "not a url",
            "http://",
            "http://exa mple.com/",
            "http://[",
            "\ud800",
        ):
            assert (await reader.read(url, sent=ignore)).reason is PageReason.REFUSED_ADDRESS


async def test_a_reader_that_is_not_eager_has_no_child_before_its_first_page():
    async with serve(pages) as server:
        names = MappedResolver({"site.example": ("127.0.0.1", server.port)}, ScriptedResolver({}))
        async with InProcessReader(
            ReaderSettings(), workers=1, resolver=names, eager=False
        ) as reader:
            assert not reader._workers._slots
            assert (await reader.read(f"{URL}/article", sent=ignore)).status is PageStatus.OK
            assert len(reader.worker_pids) == 1
            assert reader.ready
