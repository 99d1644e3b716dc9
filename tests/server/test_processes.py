"""Bridges and daemons as processes: which daemon a program gets, and what becomes of it when that ends."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from askance.adapters.llm.model_queue import FileQueue, queue_name
from askance.config.folders import find_folders
from askance.config.sources import load_settings
from askance.server.daemon_connection import SERVING, address, answer, connect
from server.around import ASKANCE, Around, daemons_of, has_ended, held_pages, over_http
from server.daemons import META, Program, seat_in
from server.served import ERAS, Era
from servers.world import QUESTION, knowing_model
from waiting import PATIENCE_S, patience, until_stored

posix_only = pytest.mark.skipif(
    sys.platform == "win32", reason="sockets in the file system: run it on Linux or macOS"
)
pytestmark = posix_only

OWN_DAEMON = """
import sys, askance
from askance.server.__main__ import main
{changed}
sys.exit(main())
"""
OLD = 'askance.__version__ = "0.0.1"'
QUICK = "from askance.server.daemon import Daemon; Daemon.__init__.__kwdefaults__['look_s'] = 0.01"
ENDED = "askance: The server ended. The next call starts it again.\n"


class Bridge:
    """A program and its bridge: messages a line each."""

    def __init__(self, process: asyncio.subprocess.Process, era: Era) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.process = process
        self.era = era
        self._stdin, self._stdout = process.stdin, process.stdout
        self._number = 0

    async def say(self, method: str, **params: Any) -> int:
        """Write a request, and return its number."""
        if self.era == "auto":
            params["_meta"] = META
        self._number += 1
        message = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        await self.write(message)
        return self._number

    async def write(self, message: object) -> None:
        self._stdin.write(json.dumps(message).encode() + b"\n")
        await self._stdin.drain()

    async def heard(self, number: int) -> dict[str, Any]:
        """Return what answers a request; what comes before is no answer to another one."""
        async with patience():
            while line := await self._stdout.readline():
                message: dict[str, Any] = json.loads(line)
                if "method" not in message:
                    assert message["id"] == number, message
                    return message
        raise EOFError

    async def initialize(self) -> None:
        """Begin as clients of the older revisions do."""
        info = {"name": "legacy", "version": "1"}
        number = await self.say(
            "initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=info
        )
        await self.heard(number)
        await self.write({"jsonrpc": "2.0", "method": "notifications/initialized"})

    async def tools(self) -> set[str]:
        """Ask for the tools, and return their names."""
        answer = await self.heard(await self.say("tools/list"))
        return {tool["name"] for tool in answer["result"]["tools"]}

    async def told(self) -> str:
        """Return the next line that a person is told."""
        assert self.process.stderr is not None
        async with patience():
            return (await self.process.stderr.readline()).decode()

    async def end(self) -> int:
        """End as a program does, and return the status."""
        self._stdin.close()
        async with patience():
            return await self.process.wait()


@asynccontextmanager
async def bridge(around: Around, *command: str, era: Era = "auto") -> AsyncIterator[Bridge]:
    process = await asyncio.create_subprocess_exec(
        *(command or (*ASKANCE, "mcp", "--client", "tester")),
        env=around.environment,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        limit=2**24,
    )
    try:
        program = Bridge(process, era)
        if era == "legacy":
            await program.initialize()
        yield program
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


@asynccontextmanager
async def bridges(around: Around, *command: str) -> AsyncIterator[list[Bridge]]:
    """A program of each era, at one daemon."""
    async with AsyncExitStack() as stack:
        # The first has its answer before the other one comes, so that only one starts a daemon.
        yield [await stack.enter_async_context(bridge(around, *command, era=era)) for era in ERAS]


async def gone(process: psutil.Process) -> None:
    await until_stored(lambda: has_ended(process))


async def test_a_program_is_known_by_the_name_it_gives_itself(around: Around) -> None:
    async with bridges(around, *ASKANCE, "mcp") as programs:
        for program, name in zip(programs, ("legacy", "itself"), strict=True):
            assert "add_to_library" not in await program.tools()
            around.allow(name)
            assert "add_to_library" in await program.tools()


@asynccontextmanager
async def own_daemon(around: Around, changed: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """A daemon in the background, in which something is changed."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", OWN_DAEMON.format(changed=changed)), env=around.environment
    )
    try:
        await until_stored(lambda: listens(around))
        yield process
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


def listens(around: Around) -> bool:
    found = connect(around.environment, limit_s=PATIENCE_S)
    if found is not None:
        found[0].close()
    return found is not None


async def program_at(around: Around) -> Program:
    program = Program(*await asyncio.open_unix_connection(address(around.environment)))
    program.write(b'{"askance": "0.0.1", "client": "old"}\n')
    async with patience():
        await program.reader.readline()
    return program


@pytest.mark.exhaustive
async def test_a_daemon_of_another_version_makes_room_and_ends_with_its_last_run(
    around: Around,
) -> None:
    async with held_pages(around) as held, own_daemon(around, OLD) as daemon:
        old = await program_at(around)
        old.call("search_web", question=QUESTION)
        await held.wait()
        async with bridge(around) as new:
            assert "search_web" in await new.tools()
            [newer] = daemons_of(around.home)
            assert newer.pid != daemon.pid
            # The older one goes on with what it was asked, to the end.
            assert daemon.returncode is None
            held.go_on.set()
            assert "result" in await old.heard()
        await old.close()
        async with patience():
            assert await daemon.wait() == 0


@pytest.mark.exhaustive
async def test_serving_for_long_takes_the_place_and_the_port_of_one_in_the_background(
    around: Around,
) -> None:
    around.environment["ASKANCE_SERVER__HTTP"] = "true"
    async with held_pages(around) as held, bridge(around) as program:
        call = await program.say("tools/call", name="search_web", arguments={"question": QUESTION})
        await held.wait()
        async with over_http(around) as (url, _), httpx.AsyncClient(trust_env=False) as web:
            assert (await web.get(f"{url}/health")).status_code == 200
            held.go_on.set()
            assert "result" in await program.heard(call)


async def test_where_the_daemon_is_killed_its_calls_fail_and_the_next_one_starts_another(
    around: Around,
) -> None:
    async with held_pages(around) as held, bridges(around) as programs:
        calls: list[int] = []
        for program in programs:
            asked = {"question": QUESTION}
            calls.append(await program.say("tools/call", name="search_web", arguments=asked))
            # What was written after the call is answered: the call has come in.
            await program.tools()
        await held.wait()
        [daemon] = daemons_of(around.home)
        daemon.kill()
        for program, call in zip(programs, calls, strict=True):
            error = (await program.heard(call))["error"]
            assert "ended before it answered" in error["message"]
        for program in programs:
            assert "search_web" in await program.tools()
        [another] = daemons_of(around.home)
        assert another.pid != daemon.pid
        for program in programs:
            assert await program.end() == 0


async def test_a_daemon_that_is_killed_between_two_calls_is_not_noticed(around: Around) -> None:
    texts = [around.home / era for era in ERAS]
    async with AsyncExitStack() as stack:
        clients = [
            await stack.enter_async_context(
                around.over_stdio(era, "tester", stack.enter_context(text.open("w")))
            )
            for era, text in zip(ERAS, texts, strict=True)
        ]
        for number in (1, 2):
            for client in clients:
                listed = await client.list_tools(cache_mode="bypass")
                assert {tool.name for tool in listed.tools} >= {"search_web"}
            [daemon] = daemons_of(around.home)
            daemon.kill()
            said = [number * ENDED] * len(texts)
            await until_stored(lambda said=said: [text.read_text() for text in texts] == said)


@pytest.mark.exhaustive
async def test_a_daemon_that_cannot_come_up_again_is_an_error_of_each_call(around: Around) -> None:
    settings = find_folders(around.environment).settings_file
    async with bridge(around) as program:
        await program.tools()
        [daemon] = daemons_of(around.home)
        write(settings, "[server\nhttp = true\n")
        daemon.kill()
        assert await program.told() == ENDED
        for _ in range(2):
            error = (await program.heard(await program.say("tools/list")))["error"]
            assert "settings.toml" in error["message"], error
        write(settings, "")
        assert "search_web" in await program.tools()
        assert await program.end() == 0


async def test_other_settings_are_in_force_for_the_next_call(around: Around) -> None:
    settings = find_folders(around.environment).settings_file
    async with own_daemon(around, QUICK) as daemon, bridges(around) as programs:
        for program in programs:
            await program.tools()
            # What cannot be read, or is the same, is no reason to end.
            write(settings, "[server]\nhttp = 'none'\n")
            write(settings, "# nothing\n")
            assert "search_web" in await program.tools()
        write(settings, "[server]\nhosts = ['a.example']\n")
        async with patience():
            assert await daemon.wait() == 0
        for program in programs:
            assert await program.told() == ENDED
            assert "search_web" in await program.tools()
        [_] = daemons_of(around.home)


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")


async def test_a_daemon_that_ends_in_the_middle_of_a_line_says_no_half_of_it(
    tmp_path: Path,
) -> None:
    """A daemon of the test's own: it says the beginning of an answer, and goes."""
    environment, seat = seat_in(tmp_path)
    began = asyncio.Event()

    async def half(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        writer.write(answer(SERVING, ""))
        await reader.readline()
        listening.close()
        seat.give_up()
        writer.write(b'{"jsonrpc": "2.0", "id": 1, "resu')
        await writer.drain()
        writer.close()
        began.set()

    async with await asyncio.start_unix_server(half, sock=seat.listener) as listening:
        around = Around(tmp_path, {**os.environ, **environment}, {}, knowing_model())
        async with bridge(around) as program:
            error = (await program.heard(await program.say("tools/list")))["error"]
            assert began.is_set()
            assert error["code"] == -32000
            assert "search_web" in await program.tools()
            [daemon] = daemons_of(tmp_path)
            assert await program.end() == 0
        daemon.terminate()
        await gone(daemon)


async def test_lines_of_any_length_take_no_more_memory_than_one(around: Around) -> None:
    async with bridge(around) as program:
        await program.tools()
        [daemon] = daemons_of(around.home)
        before = daemon.memory_info().rss
        programs = [await program_at(around) for _ in range(5)]
        for one in programs:
            for _ in range(20):
                one.write(b"x" * 1_000_000)
                await one.writer.drain()
        for one in programs:
            # The rest of the line, and a message after it.
            one.write(b"\n")
            one.say("tools/list")
            assert "result" in await one.heard()
        assert daemon.memory_info().rss - before < 20 * 1_048_576
        for one in programs:
            await one.close()


async def test_a_question_at_the_window_goes_before_what_programs_wait_for(around: Around) -> None:
    settings = load_settings(None, around.environment).llm
    folder = find_folders(around.environment).model_queue(queue_name(settings))
    held, waits, had = FileQueue(folder), asyncio.Event(), asyncio.Event()

    async def window() -> None:
        async with held.turn(lambda _ahead: waits.set()):
            # The question of the program was there first, and waits.
            assert await asyncio.to_thread(waiting_in, folder) == 1
            had.set()

    async with bridge(around) as program, asyncio.TaskGroup() as group:
        async with held.turn(lambda ahead: pytest.fail(f"waits for {ahead}")):
            call = await program.say(
                "tools/call", name="search_web", arguments={"question": QUESTION}
            )
            await until_stored(lambda: waiting_in(folder) == 1)
            group.create_task(window())
            async with patience():
                await waits.wait()
        async with patience():
            await had.wait()
        assert not (await program.heard(call))["result"].get("isError")


def waiting_in(folder: Path) -> int:
    """How many in a queue give way to others."""
    return len(list(folder.glob("*.later")))
