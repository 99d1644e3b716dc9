"""The service as a process: how it starts, how it ends, and what is left of it then."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from time import perf_counter

import httpx
import pytest
from bench.service_process import TOKEN, GivenUp, ServiceProcess, running_service

from askance.adapters.reader.reader_protocol import ErrorReply, ReadReply
from askance.adapters.reader.workers import WORKERS
from askance.local_service.credentials import RequestProof, Token
from askance.services import reader
from sampled import sampled
from servers.hostile import hostile_site
from servers.loopback import serve
from servers.reader_service import reader_process
from waiting import PATIENCE_S, patience, stretched, until

SITE = "http://hostile.example"
# The service has two seconds; a busy machine may take some of its own.
# At an idle machine.
ENDING_S = 2.0
pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="signals and /proc: run it on Linux"
)


@asynccontextmanager
async def running(folder: Path, environment: Mapping[str, str] | None = None) -> AsyncIterator[ServiceProcess]:  # fmt: skip
    async with (
        serve(hostile_site) as site,
        running_service(
            {"hostile.example": ("127.0.0.1", site.port)},
            folder,
            environment,
        ) as service,
    ):
        yield service


def state_of(pid: int) -> str:
    """A letter for what a process does, empty if it is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return ""


async def until_state(pid: int, state: str) -> None:
    await until(lambda: state_of(pid) == state)


async def idle_children(service: ServiceProcess) -> set[int]:
    """The children, once all of them wait for a page."""
    await until(lambda: len(service.children) == WORKERS)
    children = set(service.children)
    for child in children:
        await until_state(child, "S")
    return children


async def busy_child(children: set[int]) -> int:
    """The one of the children that computes, once one does."""
    busy: list[int] = []

    def is_one_busy() -> bool:
        busy[:] = [child for child in children if state_of(child) == "R"]
        return bool(busy)

    await until(is_one_busy)
    return busy[0]


async def until_gone(pid: int) -> None:
    await until(lambda: state_of(pid) in {"", "Z"}, every_s=0.01)


async def outcome(service: ServiceProcess, path: str) -> ReadReply | ErrorReply | None:
    """What a client gets; None where the connection broke."""
    try:
        return await service.read(SITE + path)
    except GivenUp as exc:
        return ErrorReply(error=exc.problem)
    except httpx.TransportError:
        return None


@pytest.mark.parametrize("number", sampled([signal.SIGTERM, signal.SIGINT], every=2))
async def test_a_signal_ends_it_soon_with_all_its_children(tmp_path: Path, number: int):
    async with running(tmp_path) as service, asyncio.TaskGroup() as tasks:
        children = await idle_children(service)
        half = await half_a_request(service)
        under_way = [tasks.create_task(outcome(service, path)) for path in ("/stall", "/busy")]
        await busy_child(children)
        started = perf_counter()
        service.process.send_signal(number)
        assert await service.process.wait() == 0
        assert perf_counter() - started < stretched(ENDING_S)
        assert {state_of(child) for child in children} == {""}
        half.close()
    for task in under_way:
        reply = task.result()
        assert isinstance(reply, ErrorReply)
        assert reply.error.code == "stopping"
    assert "stopping 2" in service.log[-1]
    assert not any("ERROR" in line or "Traceback" in line for line in service.log)


async def half_a_request(service: ServiceProcess) -> asyncio.StreamWriter:
    """Send a request whose body does not come, and leave it open."""
    _, writer = await asyncio.open_connection("127.0.0.1", service.client.base_url.port)
    proof = RequestProof.fresh(Token(TOKEN), "POST", "/read", b"").header()
    writer.write(
        b"POST /read HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b"Authorization: %s\r\nContent-Length: 9\r\n\r\n{" % proof.encode()
    )
    await writer.drain()
    return writer


async def test_signals_at_the_very_start_end_it_as_well(tmp_path: Path):
    token = tmp_path / "token"
    token.write_text("a-token-of-the-tests-only", encoding="ascii")
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "askance.services.reader", "--port", "0"),
        env={"ASKANCE_HOME": str(tmp_path), "ASKANCE_READER_TOKEN_FILE": str(token)},
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stderr is not None
    assert b"listens on" in await process.stderr.readline()
    for _ in range(3):
        process.send_signal(signal.SIGTERM)
    assert await process.wait() == 0
    assert b"Ended." in await process.stderr.read()


async def test_killing_it_leaves_no_child_not_even_a_busy_one(tmp_path: Path):
    async with running(tmp_path) as service, asyncio.TaskGroup() as tasks:
        children = await idle_children(service)
        under_way = tasks.create_task(outcome(service, "/busy"))
        await busy_child(children)
        service.process.kill()
        async with patience():
            for child in children:
                await until_gone(child)
    assert under_way.result() is None


async def test_whatever_ends_a_child_costs_its_page_only(tmp_path: Path):
    async with running(tmp_path) as service:
        children = await idle_children(service)
        async with asyncio.TaskGroup() as tasks:
            under_way = tasks.create_task(service.read(f"{SITE}/busy"))
            child = await busy_child(children)
            os.kill(child, signal.SIGKILL)
        lost = under_way.result()
        assert (lost.status, lost.reason) == ("failed", "extraction")
        assert (await service.read(f"{SITE}/article")).status == "ok"

        others = await idle_children(service)
        assert child not in others
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.3):
                await service.read(f"{SITE}/attributes")
        await until(lambda: set(service.children) != others, every_s=0.01)
        assert (await service.read(f"{SITE}/article")).status == "ok"


def failing(arguments: list[str], **environment: str) -> tuple[int, str]:
    """Run the service where it cannot start."""
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-m", "askance.services.reader", *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    return done.returncode, done.stderr


def refused(
    capsys: pytest.CaptureFixture[str], arguments: list[str], **environment: str
) -> tuple[int, str]:
    """Start the service in this process, where it gets no further than what it is given."""
    try:
        code = reader.main(arguments, environment)
    except SystemExit as exc:
        code = int(exc.code or 0)
    return code, capsys.readouterr().err


@pytest.mark.exhaustive
def test_what_keeps_it_from_starting_is_one_sentence_and_an_exit_code(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    token, home = tmp_path / "token", {"ASKANCE_HOME": str(tmp_path)}
    with socket.create_server(("127.0.0.1", 0)) as taken:
        token.write_text("a-token-of-the-tests-only\n", encoding="ascii")
        port = ["--port", str(taken.getsockname()[1])]
        ends = [
            failing(port, **home, ASKANCE_READER_TOKEN_FILE=str(token)),
            refused(capsys, port, **home),
            refused(capsys, port, **home, ASKANCE_READER__MODE="999"),
            failing(["--port", "99999"], **home, ASKANCE_READER_TOKEN_FILE=str(token)),
            refused(capsys, ["--port", "x"], **home),
        ]
    for (code, reported), (wanted, words) in zip(
        ends,
        [
            (1, "Address already in use"),
            (2, "reader.token cannot be read: No such file"),
            (2, "reader.mode = '999' is not allowed"),
            (1, "port must be 0-65535"),
            (2, "invalid int value"),
        ],
        strict=True,
    ):
        assert code == wanted
        assert words in reported
        assert "Traceback" not in reported
    assert all(given.count("\n") == 1 for _, given in ends[:4])


async def test_it_answers_to_a_name_that_it_was_given_and_to_no_other(tmp_path: Path):
    with reader_process(tmp_path, options=("--name", "Reader-Net")) as service:
        async with httpx.AsyncClient(
            base_url=service.url, trust_env=False, timeout=PATIENCE_S
        ) as client:
            for host, status in (
                ("reader-net:25018", 200), ("127.0.0.1", 200), ("reader-net.evil.example", 421),
                ("searxng:25018", 421),
            ):  # fmt: skip
                reply = await client.get("/version", headers={"Host": host})
                assert (host, reply.status_code) == (host, status)
            # A name is no proof.
            asked = await client.post(
                "/read", json={"url": SITE}, headers={"Host": "reader-net:25018"}
            )
            assert asked.status_code == 401
