"""Whether the time of a refusal tells how much of a token was right.

Wrong tokens that share no, half and all but one of their leading characters with the right one are shown in turn,
to the comparison itself and to a daemon over HTTP. Printed are the medians and the spread of each: what sets
them apart must be less than what sets two samples of one kind apart.

    python -m bench.token_timing
"""

from __future__ import annotations

import asyncio
import gc
import os
import random
import socket
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from askance.adapters.storage.clients import SqliteClientBook
from askance.config.folders import find_folders
from askance.server.clients import Tokens, own_token

ALONE, OVER_HTTP = 20_000, 3_000
PORT = 25_917
KINDS = ("none", "none again", "half", "all but one")


def _wrong(right: str, shared: int) -> str:
    """Return a token of the same length that differs from its `shared`-th character on."""
    rest = ("b" if sign == "a" else "a" for sign in right[shared:])
    return right[:shared] + "".join(rest)


def _tokens(right: str) -> dict[str, str]:
    shared = (0, 0, len(right) // 2, len(right) - 1)
    return {kind: _wrong(right, count) for kind, count in zip(KINDS, shared, strict=True)}


def _rows(where: str, times: dict[str, list[float]]) -> list[str]:
    rows: list[str] = []
    for kind, taken in times.items():
        quarters = statistics.quantiles(taken, n=4)
        # Of the median, from a hundred draws of the sample.
        draws = [statistics.median(random.choices(taken, k=len(taken))) for _ in range(100)]  # noqa: S311
        spread = statistics.stdev(draws)
        rows.append(
            f"| {where} | {kind} | {1e6 * quarters[1]:.2f} | {1e6 * (quarters[2] - quarters[0]):.2f} "
            f"| {1e6 * spread:.3f} |"
        )
    return rows


def _measured(show: Callable[[str], None], right: str, rounds: int) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {kind: [] for kind in KINDS}
    shown = list(_tokens(right).items())
    gc.disable()
    for _ in range(rounds):
        # In another order each time: what comes after what must not count.
        random.shuffle(shown)
        for kind, token in shown:
            began = time.perf_counter()
            show(token)
            times[kind].append(time.perf_counter() - began)
    gc.enable()
    return times


def _alone(home: Path) -> list[str]:
    with closing(SqliteClientBook(home / "clients.sqlite3", lambda _: None)) as book:
        tokens = Tokens(home / "server.token", book)
        for number in range(3):
            book.make_token(f"program {number}")
        right = own_token(home / "server.token")

        def show(token: str) -> None:
            assert tokens.client_of(f"Bearer {token}") is None

        return _rows("the comparison", _measured(show, right, ALONE))


async def _over_http(home: Path) -> list[str]:
    environment = {**os.environ, "ASKANCE_HOME": str(home), "ASKANCE_SERVER__PORT": str(PORT)}
    serving = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "askance", "serve"), env=environment, stderr=asyncio.subprocess.PIPE
    )
    assert serving.stderr is not None
    try:
        await serving.stderr.readline()
        await serving.stderr.readline()
        right = find_folders(environment).server_token.read_text("utf-8").strip()
        return await asyncio.to_thread(_asked, right)
    finally:
        serving.terminate()
        await serving.wait()


def _asked(right: str) -> list[str]:

    def show(token: str) -> None:
        head = f"GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n\r\n"
        with socket.create_connection(("127.0.0.1", PORT)) as web:
            web.sendall(head.encode())
            assert web.recv(12) == b"HTTP/1.1 401"

    return _rows("over HTTP", _measured(show, right, OVER_HTTP))


def measure() -> str:
    """Return the table."""
    head = [
        "| where | leading characters shared | median, us | half of all within, us | error of the median, us |",
        "|---|---|---:|---:|---:|",
    ]
    with tempfile.TemporaryDirectory() as home:
        alone = _alone(Path(home))
    with tempfile.TemporaryDirectory() as home:
        return "\n".join([*head, *alone, *asyncio.run(_over_http(Path(home)))])


if __name__ == "__main__":
    sys.stdout.write(measure() + "\n")
