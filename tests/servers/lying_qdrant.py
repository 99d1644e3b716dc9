"""A Qdrant server that lies: about what it has, in every way that JSON and HTTP allow."""

from __future__ import annotations

import asyncio
import gzip
import json
import zlib
from collections.abc import Callable
from functools import cache
from typing import Any

from askance.adapters.library.library_tables import content_hash
from askance.adapters.library.qdrant_vectors import point_of
from servers.loopback import Handler, Request, Wire, endless

MIB = 1024 * 1024
_TEXT = "The ferry to Hesperay leaves Kelhaven at nine in the morning."
_DRIP_S = 0.02
_JSON = {"Content-Type": "application/json"}
_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
Change = Callable[[Any], Any]


@cache
def _points() -> str:
    made = [point_of(content_hash(_TEXT), n) for n in range(3)]
    return json.dumps([{"id": p, "version": 1, "score": 0.9 - n / 10} for n, p in enumerate(made)])


def honest(request: Request) -> Any:
    """Return the result of a server that holds the vectors of three passages."""
    match request.path.rpartition("/")[2]:
        case "exists":
            return {"exists": True}
        case "query":
            return {"points": json.loads(_points())}
        case _:
            return {"operation_id": 0, "status": "completed"}


def _whole(result: Any) -> str:
    return json.dumps({"result": result, "status": "ok", "time": 0.0})


def _of_points(change: Callable[[list[Any]], Any]) -> Change:
    """Change the points of a result that has some."""

    def changed(result: Any) -> Any:
        if isinstance(result, dict) and result.get("points"):
            return {**result, "points": change(result["points"])}
        return change(result) if isinstance(result, list) and result else result

    return changed


def _says(change: Change) -> Handler:
    async def report(request: Request, wire: Wire) -> None:
        await wire.send(_whole(change(honest(request))), headers=_JSON)

    return report


def _sends(body: bytes | str | Callable[[], bytes], status: int = 200, **headers: str) -> Handler:
    async def send(_: Request, wire: Wire) -> None:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        await wire.send(body() if callable(body) else body, status, {**_JSON, **named})

    return send


async def _plain_gigabyte(_: Request, wire: Wire) -> None:
    await wire.raw(_HEAD + b"Content-Length: 1073741824\r\n\r\n")
    await wire.raw(b'{"result": "')
    for _n in range(1024):
        await wire.raw(b"a" * MIB)


async def _many_values(_: Request, wire: Wire) -> None:
    await wire.raw(_HEAD + b"\r\n" + b'{"result": [')
    while True:
        await wire.raw(b"[],{}," * 1000)


async def _endless_chunk(_: Request, wire: Wire) -> None:
    await wire.raw(_HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
    while True:
        await wire.raw(b"0" * 65_536)


async def _drip(request: Request, wire: Wire) -> None:
    await wire.start(headers=_JSON)
    for sign in _whole(honest(request)) + " " * 10_000:
        await wire.chunk(sign)
        await asyncio.sleep(_DRIP_S)


async def _drip_head(_: Request, wire: Wire) -> None:
    await wire.raw(_HEAD + b"X-Drops: ")
    while True:
        await wire.raw(b"x")
        await asyncio.sleep(_DRIP_S)


async def _silent(_: Request, wire: Wire) -> None:
    await wire.client_gone()


async def _hangs_up(_: Request, wire: Wire) -> None:
    wire.abort()


async def _truncated(request: Request, wire: Wire) -> None:
    text = _whole(honest(request))
    await wire.send(text[: len(text) // 2], headers=_JSON)


async def _cut_off(request: Request, wire: Wire) -> None:
    await wire.send(_whole(honest(request))[:20], headers={**_JSON, "Content-Length": "5000"})
    wire.abort()


@cache
def _bomb() -> bytes:
    """64 MiB of nothing in 64 KiB, made piece by piece: who measures memory would see it."""
    packing = zlib.compressobj(9, zlib.DEFLATED, 31)
    pieces = [packing.compress(b'{"result": "')]
    pieces += [packing.compress(bytes(MIB)) for _ in range(64)]
    return b"".join([*pieces, packing.flush()])


truthful = _says(lambda result: result)

LIES: dict[str, Handler] = {
    "gzip": _sends(_bomb, Content_Encoding="gzip"),
    "gzip twice": _sends(lambda: gzip.compress(_bomb()), Content_Encoding="gzip, gzip"),
    "gzip that is none": _sends("{}", Content_Encoding="gzip"),
    "gzip untold": _sends(_bomb),
    "a gigabyte": _plain_gigabyte,
    "many values": _many_values,
    "endless chunks": endless,
    "an endless chunk": _endless_chunk,
    "a drip": _drip,
    "a dripping head": _drip_head,
    "silence": _silent,
    "a cut": _hangs_up,
    "truncated JSON": _truncated,
    "a cut reply": _cut_off,
    "HTML": _sends("<html><body>Welcome</body></html>", Content_Type="text/html"),
    "no text": _sends(b"\xff\xfe\x00"),
    "nothing": _sends(b""),
    "a redirect": _sends(b"", 302, Location="http://127.0.0.1:1/"),
    "a redirect to itself": _sends(b"", 307, Location="/collections"),
    "too many requests": _sends('{"status": null}', 429, Retry_After="soon"),
    "too many requests, and a long wait": _sends("{}", 429, Retry_After="9" * 30),
    "an error with a long text": _sends(lambda: b"x" * MIB, 500),
    "deep nesting": _sends('{"result": ' + "[" * 100_000),
    "deep objects": _sends('{"result": ' + '{"a":' * 100_000),
    "no result": _says(lambda _: None),
    "a text for a result": _says(lambda _: "all well"),
    "a number for a result": _says(lambda _: -1),
    "a list for a result": _says(lambda _: []),
    "an empty result": _says(lambda _: {}),
    "points that are none": _says(_of_points(lambda _: [1, None, "a"])),
    "scores without a number": _says(
        _of_points(lambda points: [{**p, "score": float("nan")} for p in points])
    ),
    "endless scores": _says(
        _of_points(lambda points: [{**p, "score": float("inf")} for p in points])
    ),
    "texts for scores": _says(_of_points(lambda points: [{**p, "score": "high"} for p in points])),
    "negative numbers of points": _says(
        _of_points(lambda points: [{**p, "id": -n} for n, p in enumerate(points)])
    ),
    "numbers of another kind": _says(
        _of_points(lambda points: [{**p, "id": f"point {n}"} for n, p in enumerate(points)])
    ),
    "points twice": _says(_of_points(lambda points: [*points, *points])),
    "points backwards": _says(_of_points(lambda points: points[::-1])),
    "more points than asked for": _says(_of_points(lambda points: points * 400)),
}
"""What a server does with each request, by name."""

FLOODS = (
    "gzip",
    "gzip twice",
    "gzip untold",
    "a gigabyte",
    "many values",
    "endless chunks",
    "an endless chunk",
)
"""Those that hold more than there is memory for."""
HARMLESS = frozenset({"points backwards", "points twice"})
"""Those that some operations need not notice."""


def lying(lie: str, *, about_all: bool) -> Handler:
    """Return a server that tells one lie: in everything, or once a collection is there and may be written."""

    async def answer(request: Request, wire: Wire) -> None:
        is_plain = request.path.endswith("/exists") or request.method == "PUT"
        if is_plain and not about_all:
            await wire.send(_whole(honest(request)), headers=_JSON)
        else:
            await LIES[lie](request, wire)

    return answer
