"""A reader service that dies, is started again, or is given up: what is asked of it, and what is told."""

from __future__ import annotations

import asyncio
import math
import os
import time
from pathlib import Path

import pytest

from askance.adapters.reader.service import LastSeen
from askance.domain.errors import ServiceAbsent, ServiceDown, ServiceError
from askance.domain.events import RequestSent
from askance.domain.web_pages import PageStatus
from servers.faults import address_of_nobody, breaks_off, hangs_up
from servers.loopback import Handler, Request, Wire
from servers.reader_client import LINES, URL, answers, asked_line, client_of, reply_of
from waiting import patience, skip_waits


async def dies_over_it(request: Request, wire: Wire) -> None:
    """The service has taken the page on, and is gone."""
    await wire.start(200, LINES)
    await wire.chunk(asked_line(URL))
    wire.abort()


@pytest.mark.parametrize("handler", [breaks_off, dies_over_it])
async def test_a_service_that_dies_over_a_page_is_down_and_not_absent(
    handler: Handler, tmp_path: Path
):
    async with client_of(handler, tmp_path) as client:
        error = await client.error()
        assert type(error) is ServiceDown
        assert len(client.sent) == 1
        # A page that it has begun with is not put to it twice.
        assert len(client.server.requests) == 1


async def ssh(request: Request, wire: Wire) -> None:
    await wire.raw(b"SSH-2.0-OpenSSH_9.9\r\n\r\n")


@pytest.mark.parametrize("handler", [hangs_up, ssh])
async def test_a_connection_that_ends_without_an_answer_is_no_absence(
    handler: Handler, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """The port of a container takes connections while the service in it is started again."""
    async with client_of(handler, tmp_path) as client:
        skip_waits(asyncio.get_running_loop(), monkeypatch)
        error = await client.error()
        assert type(error) is ServiceDown
        assert "broke off" in error.problem
        assert len(client.server.requests) > 1
        assert len(client.sent) == 1


async def test_a_service_that_is_started_again_meanwhile_gets_the_page(tmp_path: Path):
    async def starting(request: Request, wire: Wire) -> None:
        if len(client.server.requests) < 3:
            wire.abort()
        else:
            await wire.send(reply_of())

    async with client_of(starting, tmp_path) as client:
        assert (await client.read()).status is PageStatus.OK
        assert len(client.sent) == 1


async def test_a_service_that_was_heard_a_moment_ago_is_waited_for_and_not_absent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    loop = asyncio.get_running_loop()
    async with client_of(answers(), tmp_path, page_timeout_s=5) as client:
        assert (await client.read()).status is PageStatus.OK
        await client.stop()
        skip_waits(loop, monkeypatch)
        started = loop.time()
        assert type(await client.error()) is ServiceDown
        assert 2.5 <= loop.time() - started < 5
        async with client.start_again():
            assert (await client.read()).status is PageStatus.OK


@pytest.mark.parametrize(("seconds", "kind"), [(80, ServiceDown), (100, ServiceAbsent)])
async def test_a_service_that_another_program_has_heard_is_being_started_again_for_a_while(
    seconds: float, kind: type[ServiceError], tmp_path: Path
):
    received = tmp_path / "reader.heard"
    received.touch()
    then = time.time() - seconds
    os.utime(received, (then, then))
    async with client_of(
        answers(), tmp_path, page_timeout_s=0.4, url=address_of_nobody(), received=received
    ) as client:
        with pytest.raises(ServiceDown) as caught:
            await client.read()
    assert type(caught.value) is kind


async def test_what_is_heard_is_kept_for_other_programs(tmp_path: Path):
    received = tmp_path / "run" / "reader.heard"
    async with client_of(answers(), tmp_path, received=received) as client:
        assert not received.exists()
        await client.read()
    assert 0 <= time.time() - received.stat().st_mtime < 30
    assert LastSeen(received).seconds_ago() < 30
    assert LastSeen(tmp_path / "none").seconds_ago() == math.inf
    ahead = time.time() + 1000
    os.utime(received, (ahead, ahead))
    assert LastSeen(received).seconds_ago() == math.inf


async def test_where_nothing_can_be_kept_the_memory_has_to_do(tmp_path: Path):
    (tmp_path / "file").touch()
    received = LastSeen(tmp_path / "file" / "reader.heard")
    received.note()
    assert 0 <= received.seconds_ago() < 30


async def test_the_hosts_are_told_as_they_are_asked_and_stay_told_whatever_comes(tmp_path: Path):
    hops = (URL, "http://site.example/moved", "http://b.example/")

    async def hops_and_dies(request: Request, wire: Wire) -> None:
        await wire.start(200, LINES)
        for hop in hops:
            await wire.chunk(asked_line(hop))
            await reported.wait()
            reported.clear()
        wire.abort()

    def note(request: RequestSent) -> None:
        client.sent.append(request)
        reported.set()

    reported = asyncio.Event()
    async with client_of(hops_and_dies, tmp_path) as client, patience():
        # Each is told while the service waits, and before it dies.
        reported.set()
        with pytest.raises(ServiceDown):
            await client.reader.read(URL, sent=note)
    assert [sent.content for sent in client.sent] == list(hops)


@pytest.mark.parametrize("ending", ["cancelled", "timed out"])
async def test_what_was_asked_in_the_moment_of_giving_up_is_told(
    ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """The service learns that the page is given up only after it has asked one more host."""
    reached = asyncio.Event()

    async def hops_once_more(request: Request, wire: Wire) -> None:
        await wire.start(200, LINES)
        await wire.chunk(asked_line(URL))
        reached.set()
        await wire.client_gone()
        await wire.chunk(asked_line("http://b.example/"))

    async with client_of(hops_once_more, tmp_path) as client, patience():
        async with asyncio.TaskGroup() as group:
            reading = group.create_task(client.read())
            await reached.wait()
            if ending == "cancelled":
                reading.cancel()
            else:
                skip_waits(asyncio.get_running_loop(), monkeypatch)
        assert reading.cancelled() is (ending == "cancelled")
        await client.server.until_idle()
    assert [sent.content for sent in client.sent] == [URL, "http://b.example/"]


async def test_a_service_that_hangs_is_not_waited_for_when_the_page_is_given_up(tmp_path: Path):
    over = asyncio.Event()

    async def hangs(request: Request, wire: Wire) -> None:
        await wire.start(200, LINES)
        await over.wait()

    async with client_of(hangs, tmp_path) as client, patience():
        async with asyncio.TaskGroup() as group:
            reading = group.create_task(client.read())
            await client.server.until_requests(1)
            reading.cancel()
        assert reading.cancelled()
        over.set()
