"""The daemon at its socket: when it ends, how it makes room, and what nobody can do to it there."""

from __future__ import annotations

import asyncio
import json
import os
from contextlib import suppress
from pathlib import Path

import pytest

from askance.server.daemon import Presence
from askance.server.daemon_connection import RETIRING, STAYS, acquire_lock, address, connect
from server.daemons import Running, running
from waiting import PATIENCE_S, patience

SHORT_S = 1e-4


async def ended(run: Running) -> None:
    async with patience():
        await asyncio.shield(run.serving)


async def test_it_ends_when_nobody_has_been_connected_for_long(tmp_path: Path) -> None:
    async with running(tmp_path, stays=False, idle_s=SHORT_S) as run:
        await ended(run)
        seat = acquire_lock(run.environment)
        assert seat is not None
        seat.give_up()


async def test_it_does_not_end_while_a_client_is_connected(tmp_path: Path) -> None:
    # Each of the calls takes many times as long as it waits without anybody.
    async with running(tmp_path, stays=False) as run:
        run.daemon._presence.idle_s = SHORT_S
        program = await run.program()
        for number in range(20):
            assert await program.said_to("here", number) == "here"
        assert not run.serving.done()
        await program.close()


async def test_where_a_person_has_started_it_it_stays(tmp_path: Path) -> None:
    async with running(tmp_path, idle_s=SHORT_S) as run:
        for _ in range(5):
            program = await run.program()
            await program.said_to("here")
            await program.close()
        assert not run.serving.done()


async def test_nobody_is_gone_for_long_while_something_goes_on() -> None:
    looked: list[bool] = []
    often = asyncio.Event()

    def is_busy() -> bool:
        if len(looked) >= 3:
            often.set()
        looked.append(not often.is_set())
        return looked[-1]

    presence = Presence(0.001, is_busy)
    async with patience():
        await presence.all_gone()
    assert looked == [True, True, True, False]


async def test_with_other_settings_it_ends_once_nothing_goes_on(tmp_path: Path) -> None:
    looks = 0
    often = asyncio.Event()

    def is_outdated() -> bool:
        nonlocal looks
        looks += run.tools.is_busy
        if looks > 3:
            often.set()
        return run.tools.is_busy or often.is_set()

    async with running(tmp_path, stays=False, is_outdated=is_outdated) as run:
        program = await run.program()
        run.tools.is_busy = True
        async with patience():
            await often.wait()
        assert await program.said_to("still here") == "still here"
        run.tools.is_busy = False
        assert await program.at_end() == b""
        await program.close()
        await ended(run)


async def retire(run: Running) -> str:
    found = await asyncio.to_thread(connect, run.environment, retire=True, limit_s=PATIENCE_S)
    assert found is not None
    found[0].close()
    return found[1].state


async def test_it_makes_room_at_once_and_serves_those_who_are_connected_to_their_end(
    tmp_path: Path,
) -> None:
    async with running(tmp_path, stays=False) as run:
        program = await run.program()
        program.call("slow", 7)
        async with patience():
            await run.tools.slow_begun.wait()
        assert await retire(run) == RETIRING
        seat = acquire_lock(run.environment)
        assert seat is not None
        try:
            assert await program.said_to("still here", 8) == "still here"
            run.tools.go_on.set()
            assert "result" in await program.heard(7)
            assert run.tools.ended == ["done"]
            assert not run.serving.done()
            await program.close()
            await ended(run)
            # What it leaves behind is not taken away from the one that came after it.
            _, writer = await asyncio.open_unix_connection(address(run.environment))
            writer.close()
        finally:
            seat.give_up()


async def test_one_that_a_person_has_started_makes_no_room(tmp_path: Path) -> None:
    async with running(tmp_path) as run:
        assert await retire(run) == STAYS
        assert acquire_lock(run.environment) is None
        program = await run.program()
        assert await program.said_to("here") == "here"
        await program.close()


async def test_who_goes_takes_the_calls_along(tmp_path: Path) -> None:
    async with running(tmp_path) as run:
        program = await run.program()
        program.call("slow")
        async with patience():
            await run.tools.slow_begun.wait()
            await program.close()
            await run.tools.cancelled.wait()
        assert run.tools.ended == ["cancelled"]


NESTED = b"[" * 100_000
GARBAGE = {
    "chance": os.urandom(100_000).replace(b"\n", b"") + b"\n",
    "no protocol": b'{"hello": "world"}\n',
    "no object": b'"text"\nnull\n17\ntrue\n',
    "another version": b'{"jsonrpc": "1.0", "method": "tools/list", "id": 1}\n',
    "a batch": b'[{"jsonrpc":"2.0","id":1,"method":"tools/list"},{"jsonrpc":"2.0","id":2,"method":"ping"}]\n',
    "brackets": NESTED + b"\n",
    "nested parameters": b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"a":'
    + NESTED
    + b"]" * 100_000
    + b"}}\n",
    "an endless number": b'{"jsonrpc":"2.0","method":"ping","id":' + b"9" * 100_000 + b"}\n",
    "a half surrogate": b'{"jsonrpc":"2.0","id":1,"method":"\\ud800"}\n',
    "an answer to nothing": b'{"jsonrpc":"2.0","id":99,"result":{}}\n',
    "an error of nothing": b'{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"m"}}\n',
    "empty lines": b"\n" * 10_000,
    "an id of null": b'{"jsonrpc":"2.0","id":null,"method":"tools/list"}\n',
    "a tool that is none": b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":["echo"]}}\n',
    "a line that is too long": b'{"x": "' + b"x" * 10_000_000 + b'"}\n',
}


@pytest.mark.parametrize("garbage", GARBAGE.values(), ids=GARBAGE.keys())
async def test_garbage_between_messages_harms_nobody(tmp_path: Path, garbage: bytes) -> None:
    async with running(tmp_path) as run:
        other, program = await run.program("other"), await run.program()
        assert await program.said_to("before", 5) == "before"
        program.write(garbage)
        assert await other.said_to("meanwhile") == "meanwhile"
        assert await program.said_to("after", 6) == "after"
        assert run.tools.begun == ["tester", "other", "tester"]
        await program.close()
        await other.close()


@pytest.mark.parametrize("garbage", GARBAGE.values(), ids=GARBAGE.keys())
async def test_garbage_in_the_place_of_the_first_line_ends_that_connection_alone(
    tmp_path: Path, garbage: bytes
) -> None:
    async with running(tmp_path) as run:
        other = await run.program("other")
        reader, writer = await asyncio.open_unix_connection(address(run.environment))
        writer.write(garbage)
        async with patience():
            with suppress(ConnectionResetError):
                assert await reader.read() == b""
        assert await other.said_to("meanwhile") == "meanwhile"
        writer.close()
        await other.close()


FIRST_LINES = [
    {"askance": 1, "client": "x"},
    {"askance": "x", "client": None},
    {"askance": "x"},
    {"client": "x"},
    [],
]


@pytest.mark.parametrize("first", FIRST_LINES)
async def test_a_first_line_of_another_shape_ends_the_connection(
    tmp_path: Path, first: object
) -> None:
    async with running(tmp_path) as run:
        reader, writer = await asyncio.open_unix_connection(address(run.environment))
        writer.write(json.dumps(first).encode() + b"\n")
        async with patience():
            assert await reader.read() == b""
        writer.close()


async def test_half_a_line_and_then_silence_holds_up_nobody(tmp_path: Path) -> None:
    async with running(tmp_path) as run:
        half = await run.program("half")
        half.write(b'{"jsonrpc": "2.0", "id": 1, "meth')
        other = await run.program("other")
        assert await other.said_to("meanwhile") == "meanwhile"
        await half.close()
        await other.close()
        assert run.tools.begun == ["other"]


async def test_a_hundred_connections_that_say_nothing_keep_nobody_out(tmp_path: Path) -> None:
    async with running(tmp_path) as run:
        silent = [await asyncio.open_unix_connection(address(run.environment)) for _ in range(100)]
        program = await run.program()
        assert await program.said_to("through") == "through"
        for _, writer in silent:
            writer.close()
        await program.close()


async def test_a_client_without_a_name_is_served_under_the_one_it_gives_itself(
    tmp_path: Path,
) -> None:
    async with running(tmp_path) as run:
        program = await run.program("")
        assert await program.said_to("x") == "x"
        assert run.tools.begun == ["itself"]
        await program.close()


@pytest.mark.parametrize("name", ["\x1b[31m", "x" * 3000, "a\u202eb", "\x00"])
async def test_an_odd_name_is_cleaned(tmp_path: Path, name: str) -> None:
    async with running(tmp_path) as run:
        program = await run.program(name)
        assert await program.said_to("x") == "x"
        [begun] = run.tools.begun
        assert begun.isprintable()
        assert 0 < len(begun) <= 60
        await program.close()
