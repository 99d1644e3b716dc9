"""The pool of child processes: replies, losses, cancellation, and nothing left behind."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest

from askance.adapters.reader.workers import WorkerPool
from askance.domain.errors import ServiceDown
from askance.domain.web_pages import PageReason, PageStatus
from leftovers import begun_and_cancelled, cancelled_over_and_over, is_there, nothing_left_behind
from remedies import remedy_of
from sampled import sampled
from servers.site import article, sentence
from waiting import until

URL = "http://a.example/"
# So many small tags that the extractor is busy for seconds.
BUSY = b"<html><body>" + b"<p>ab c <b>x</b> <i>y</i></p>" * 60_000
pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="signals and /proc: run it on Linux"
)


async def read(pool: WorkerPool, data: bytes, kind: str = "text/html"):
    return await pool.extract(data, URL, kind)


def maps_of(pid: int) -> str:
    """Return what files a process has in its memory."""
    return Path(f"/proc/{pid}/maps").read_text("utf-8")


async def until_busy(pid: int) -> None:
    """Wait until a process runs."""
    state = Path(f"/proc/{pid}/stat")
    await until(lambda: " R " in state.read_text("ascii"))


async def test_pages_go_in_and_their_own_text_comes_out():
    async with WorkerPool(2, 768) as pool, asyncio.TaskGroup() as tasks:
        pages = [article(f"<p>Berth number {n} was the last to be built.</p>") for n in range(6)]
        read_tasks = [tasks.create_task(read(pool, text.encode())) for text in pages]
    for n, task in enumerate(read_tasks):
        assert f"Berth number {n} " in task.result().markdown
        assert sentence(1) in task.result().markdown


async def test_closing_leaves_no_process_behind():
    async with WorkerPool(2, 768) as pool:
        await read(pool, b"words", "text/plain")
        pids = pool.pids
        assert pids
    assert not any(is_there(pid) for pid in pids)
    assert pool.pids == []


async def test_a_process_killed_in_the_middle_costs_its_page_and_is_replaced():
    async with WorkerPool(1, 768) as pool:
        await read(pool, b"words", "text/plain")
        (pid,) = pool.pids
        async with asyncio.TaskGroup() as tasks:
            page = tasks.create_task(read(pool, BUSY))
            await until_busy(pid)
            os.kill(pid, signal.SIGKILL)
        assert (page.result().status, page.result().reason) == (
            PageStatus.FAILED,
            PageReason.EXTRACTION,
        )
        assert "ended" in page.result().detail
        assert (await read(pool, b"next words", "text/plain")).markdown == "next words"
        assert pool.pids != [pid]


async def test_a_process_that_died_idle_costs_no_page():
    async with WorkerPool(1, 768) as pool:
        await read(pool, b"words", "text/plain")
        (pid,) = pool.pids
        os.kill(pid, signal.SIGKILL)
        await until(lambda: all(w.lost for w in pool._workers))
        assert (await read(pool, b"next words", "text/plain")).markdown == "next words"


async def test_a_page_that_needs_too_much_memory_costs_only_itself():
    async with WorkerPool(1, 256) as pool:
        page = await read(pool, b"words and " * 6_000_000, "text/plain")
        assert (page.status, page.reason) == (PageStatus.FAILED, PageReason.EXTRACTION)
        assert "256 MiB" in page.detail
        assert (await read(pool, b"next words", "text/plain")).markdown == "next words"


async def test_cancelling_a_page_ends_its_process_and_no_stale_reply_is_read():
    async with WorkerPool(1, 768) as pool:
        await read(pool, b"words", "text/plain")
        (pid,) = pool.pids
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await read(pool, BUSY)
        assert (await read(pool, b"next words", "text/plain")).markdown == "next words"
        assert not is_there(pid)


async def test_a_page_cancelled_while_it_waits_costs_no_process():
    async with WorkerPool(1, 768) as pool:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0):
                await read(pool, BUSY)
        assert (await read(pool, b"next words", "text/plain")).markdown == "next words"


async def test_cancelling_the_owner_in_the_middle_leaves_nothing_behind():
    working: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    async def own() -> None:
        async with WorkerPool(1, 768) as pool:
            await read(pool, b"words", "text/plain")
            working.set_result(pool.pids[0])
            await read(pool, BUSY)

    async with asyncio.TaskGroup() as tasks:
        owner = tasks.create_task(own())
        pid = await working
        await until_busy(pid)
        owner.cancel()
    assert owner.cancelled()
    assert not is_there(pid)


async def test_cancelling_over_and_over_while_processes_start_leaves_nothing_behind():
    async def own() -> None:
        async with WorkerPool(2, 768) as pool:
            await read(pool, b"words", "text/plain")

    with nothing_left_behind():
        for turns in range(10):
            await begun_and_cancelled(own(), turns=turns)


@pytest.mark.parametrize("turns", sampled([0, 1, 3], every=3))
@pytest.mark.parametrize("when", ["busy", "closing", "lost"])
async def test_cancelling_over_and_over_leaves_nothing_behind(when: str, turns: int):
    reached: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    async def own() -> None:
        async with WorkerPool(1, 768) as pool:
            await read(pool, b"words", "text/plain")
            (pid,) = pool.pids
            reached.set_result(pid)
            if when != "closing":
                await read(pool, BUSY)

    with nothing_left_behind():
        async with asyncio.TaskGroup() as tasks:
            owner = tasks.create_task(own())
            pid = await reached
            if when != "closing":
                await until_busy(pid)
            if when == "lost":
                os.kill(pid, signal.SIGKILL)
            for _ in range(turns):
                await asyncio.sleep(0)
            await cancelled_over_and_over(owner)


@pytest.mark.exhaustive
async def test_a_pool_that_is_not_eager_starts_a_process_for_each_page_that_waits():
    async with WorkerPool(2, 768, eager=False) as pool:
        assert not pool._slots
        for _ in range(2):
            assert (await read(pool, b"words", "text/plain")).markdown == "words"
        assert pool.ready
        assert len(pool._slots) == 1
        async with asyncio.TaskGroup() as tasks:
            pages = [tasks.create_task(read(pool, b"words", "text/plain")) for _ in range(3)]
        assert [page.result().markdown for page in pages] == ["words"] * 3
        assert len(pool._slots) == 2
    assert pool.pids == []


async def test_a_process_loads_no_numpy():
    """It takes a quarter of the start, and is for a filter by language that nobody sets."""
    async with WorkerPool(1, 768) as pool:
        await read(pool, b"words", "text/plain")
        (pid,) = pool.pids
        assert "numpy" not in maps_of(pid)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no niceness: run it elsewhere")
@pytest.mark.parametrize(
    ("background", "added"), sampled([(False, 0), (True, 5)], every=2, are_tuples=True)
)
async def test_only_processes_that_nobody_waits_for_let_the_others_go_first(
    background: bool, added: int
):
    async with WorkerPool(1, 768, background=background) as pool:
        await read(pool, b"words", "text/plain")
        (pid,) = pool.pids
        own = os.getpriority(os.PRIO_PROCESS, 0)
        assert os.getpriority(os.PRIO_PROCESS, pid) == min(own + added, 19)


async def test_processes_without_a_page_for_a_while_are_let_go_until_the_next():
    async with WorkerPool(2, 768, idle_s=0.05) as pool:
        for text in (b"words", b"more words"):
            assert (await read(pool, text, "text/plain")).markdown == text.decode()
            pids = pool.pids
            assert pids
            await until(lambda: not pool.pids, every_s=0.01)
            assert not any(is_there(pid) for pid in pids)
        pool.start()
        assert len(pool._slots) == 2
    assert pool.pids == []


async def test_a_page_that_comes_while_the_processes_are_let_go_is_read():
    async with WorkerPool(1, 768, idle_s=0.02) as pool:
        for n in range(6):
            text = f"words {n}"
            assert (await read(pool, text.encode(), "text/plain")).markdown == text
            # Into the moment of letting go, a little earlier or later each time.
            await asyncio.sleep(0.018 + 0.001 * n)


async def test_processes_that_cannot_start_are_tried_again_after_a_while(
    monkeypatch: pytest.MonkeyPatch,
):
    with monkeypatch.context() as broken:
        broken.setattr(sys, "executable", "/nonexistent/python")
        async with WorkerPool(1, 768, idle_s=0.01) as pool:
            await until(lambda: not pool._slots, every_s=0.01)
            broken.undo()
            assert (await read(pool, b"words", "text/plain")).markdown == "words"


async def test_a_pool_that_was_never_used_leaves_as_it_came():
    async with WorkerPool(2, 768, eager=False) as pool:
        assert not pool.ready
    assert pool.pids == []


async def test_leaving_at_once_is_quick_and_clean():
    async with WorkerPool(2, 768) as pool:
        pass
    assert pool.pids == []


@pytest.mark.parametrize(
    ("python", "cause"), [("/nonexistent/python", FileNotFoundError), ("/bin/false", type(None))]
)
async def test_a_reader_whose_processes_do_not_come_up_is_down(
    python: str, cause: type, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(sys, "executable", python)
    async with WorkerPool(1, 768) as pool:
        for _ in range(2):
            with pytest.raises(ServiceDown) as caught:
                await read(pool, b"words", "text/plain")
            assert remedy_of(caught.value).command == "askance doctor"
            assert isinstance(caught.value.__cause__, cause)
        assert not pool.ready
