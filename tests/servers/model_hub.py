"""A hub of models on loopback, with the faults that hubs and the lines to them have."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import ssl
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from askance.domain.downloads import ModelTier
from servers.loopback import Loopback, Request, Wire, serve

REPOSITORY, FILE = "wren/Wren-1B-GGUF", "wren-1b-q4.gguf"
_LISTED = re.compile(r"/api/models/(.+)/tree/main")
_RANGE = re.compile(r"bytes=(\d+)-")


def model_bytes(size: int = 3_000_000, seed: int = 0) -> bytes:
    """Bytes that begin as a GGUF file does, and are nowhere the same."""
    block = b"".join(hashlib.sha256(f"{seed} {n}".encode()).digest() for n in range(4096))
    return (b"GGUF" + block * (size // len(block) + 1))[:size]


def tier(size: int = 3_000_000) -> ModelTier:
    return ModelTier(
        "small", "Wren 1B", REPOSITORY, FILE, "wren:1b", size, 2 * size, 1.0, "Apache 2.0"
    )


@dataclass
class Hub:
    """What the hub has, and what goes wrong: each of `faults` is for the next request of the file.

    `files` are the names of the file by the repositories that have it. `tells` is what the listing describes, if not
    the file. `cut_at` ends a reply after so many bytes, `holds_at` waits there for `go_on`.
    """

    content: bytes
    files: dict[str, str] = field(default_factory=lambda: {REPOSITORY: FILE})
    tells: bytes = b""
    ranges: bool = True
    redirects_to: str = ""
    faults: deque[tuple[int, dict[str, str]]] = field(default_factory=deque)
    cut_at: deque[int] = field(default_factory=deque[int])
    holds_at: int = 0
    held: asyncio.Event = field(default_factory=asyncio.Event)
    go_on: asyncio.Event = field(default_factory=asyncio.Event)
    server: Loopback | None = None

    @property
    def url(self) -> str:
        assert self.server is not None
        return self.server.url

    @property
    def asked(self) -> list[Request]:
        """The requests of the file itself."""
        assert self.server is not None
        return [r for r in self.server.requests if r.path.startswith(("/wren", "/cdn"))]

    async def answer(self, request: Request, wire: Wire) -> None:
        if found := _LISTED.fullmatch(request.path):
            told = self.tells or self.content
            digest = hashlib.sha256(told).hexdigest()
            other = {"type": "file", "path": "README.md", "size": 10, "oid": "0" * 40}
            lfs = {"oid": digest, "size": len(told), "pointerSize": 135}
            path = self.files.get(found[1], "another.gguf")
            row = {"type": "file", "path": path, "size": len(told), "oid": "1" * 40, "lfs": lfs}
            await wire.send_json([other, row])
        elif self.redirects_to and not request.path.startswith("/cdn"):
            await wire.send(status=302, headers={"Location": self.redirects_to})
        elif self.faults:
            status, headers = self.faults.popleft()
            await wire.send("no", status, headers)
        else:
            await self._file(request, wire)

    async def _file(self, request: Request, wire: Wire) -> None:
        found = _RANGE.fullmatch(request.headers.get("range", ""))
        begins = int(found[1]) if found and self.ranges else 0
        body, whole = self.content[begins:], len(self.content)
        headers = {"Content-Length": str(len(body))}
        if begins:
            headers["Content-Range"] = f"bytes {begins}-{whole - 1}/{whole}"
        await wire._head(206 if begins else 200, headers)
        at = self.cut_at.popleft() if self.cut_at else self.holds_at
        await wire.raw(body[: at or len(body)])
        if not at:
            return
        if self.holds_at:
            self.held.set()
            await self.go_on.wait()
            await wire.raw(body[at:])
        else:
            wire.abort()


@asynccontextmanager
async def serve_hub(
    content: bytes | None = None, *, tls: ssl.SSLContext | None = None, **options: object
) -> AsyncIterator[Hub]:
    hub = Hub(model_bytes() if content is None else content, **options)  # type: ignore[arg-type]
    async with serve(hub.answer, tls=tls) as hub.server:
        try:
            yield hub
        finally:
            hub.go_on.set()


def listing(size: object, digest: object) -> str:
    """A listing with one file, whatever is told of it."""
    return json.dumps([{"path": FILE, "size": size, "lfs": {"oid": digest}}])
