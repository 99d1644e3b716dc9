"""A file of a model, fetched from a hub with the protocol of the Hugging Face hub, and checked.

What comes is written to `FILE.part`; beside it `FILE.part.json` says what it is a part of, so that another
run of the program can go on with it. The hub's own description has the size and the SHA-256 of the file:
nothing else gets its final name. Every request is recorded by `sent` before it goes.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import re
import shutil
from collections.abc import AsyncGenerator, Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import asdict, dataclass, fields, replace
from errno import ENOSPC
from http import HTTPStatus
from io import FileIO
from pathlib import Path
from typing import Any, Self, TypeVar, cast
from urllib.parse import quote, urljoin, urlsplit

import httpx

from askance.adapters.llm.model_server import retry_after_s
from askance.adapters.network.guarded_http import (
    FILE_PIECE_BYTES,
    PlainTransport,
    location_of,
    page_client,
    page_tls_context,
    reason_of,
    service_pool,
    way_out,
)
from askance.adapters.network.own_services import is_this_machine
from askance.adapters.reader.network import (
    RefusedAddress,
    Resolver,
    SystemResolver,
    judge_url,
    page_transport,
)
from askance.config.private_files import make_path, open_lock, put_in_place, replace_file
from askance.domain.addresses import bare_address
from askance.domain.downloads import NoRoomLeft, WrongFile
from askance.domain.errors import (
    ServiceDown,
    ServiceProtocolError,
    ServiceRefused,
    StorageError,
)
from askance.domain.events import RequestSent, Sending
from askance.domain.messages import Message
from askance.domain.ports.model import PullStep
from askance.domain.ports.web import Sent

SILENCE_S = 30.0
"""After so long without a byte a connection is given up, and the download goes on over another one."""
SPARE_BYTES = 200_000_000
"""What stays free on the disk: on a full one the program could not keep a setting."""
_MOST_REDIRECTS = 5
_LISTING_BYTES = 4_000_000
_BLOCK_BYTES = 1 << 20
_SHA256 = re.compile(r"[0-9a-f]{64}")
_RANGE = re.compile(r"bytes (\d{1,15})-\d{1,15}/(\d{1,15}|\*)")
_TRANSIENT = frozenset({408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529})
_Result = TypeVar("_Result")
Report = Callable[[PullStep], None]


@dataclass(frozen=True, slots=True)
class WantedModel:
    """A file of a repository as its hub describes it, or a model of Ollama, which has no repository and no checksum.

    `name` is what it is called here, `done_bytes` what of it is on the disk.
    """

    file: str
    repository: str = ""
    bytes: int = 0
    sha256: str = ""
    name: str = ""
    done_bytes: int = 0


class HubClient:
    """Speaks to one hub. An async context manager that owns its connections.

    The hub itself is wherever the settings say, in a private network, too; what it redirects to is judged
    as any address of a page is. Both are reached through `proxy`, where there is one.
    """

    def __init__(
        self, hub: str, proxy: str, sent: Sent, *, resolver: Resolver | None = None
    ) -> None:
        self._hub = hub.rstrip("/")
        self._host = urlsplit(self._hub).hostname or ""
        self._sent = sent
        # A proxy elsewhere cannot reach a hub of this machine.
        self._proxy = "" if is_this_machine(self._host) else proxy
        tls, size = page_tls_context(), FILE_PIECE_BYTES
        pages = own = page_transport(resolver or SystemResolver(), tls, proxy, size)
        if not self._proxy and resolver is None:
            own = PlainTransport(service_pool(self._hub, size))
        self._own, self._pages = page_client(own), page_client(pages)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._own.aclose()
        await self._pages.aclose()

    async def describe(self, repository: str, file: str) -> WantedModel:
        """Ask for the size and the checksum of a file.

        Raises:
            ServiceError: the hub does not tell.
        """
        url = f"{self._hub}/api/models/{quote(repository)}/tree/main"
        body = bytearray()
        async with self._opened(url, {}, HTTPStatus.OK) as response:
            async for chunk in response.aiter_raw():
                body += chunk
                if len(body) > _LISTING_BYTES:
                    break
        if (found := _described(bytes(body), repository, file)) is None:
            problem = Message("{host} does not describe {file}.", host=self._host, file=file)
            raise ServiceProtocolError(self._host, self._hub, problem)
        return found

    async def fetch(self, part: PartFile, report: Report) -> None:
        """Bring what is missing of a file. A server without ranges sends it from its beginning.

        Raises:
            ServiceDown: nothing can be reached, or the connection broke: what came is kept.
            ServiceRefused: the hub does not give the file; `retry_s` is when it may.
            NoRoomLeft, StorageError: it cannot be written.
            WrongFile: it is another file.
        """
        wanted = part.wanted
        url = f"{self._hub}/{quote(wanted.repository)}/resolve/main/{quote(wanted.file)}"
        headers = {"Range": f"bytes={part.done}-"} if part.done else {}
        statuses = HTTPStatus.OK, HTTPStatus.PARTIAL_CONTENT
        async with self._opened(url, headers, *statuses) as response:
            if _begins_at(response, wanted) != part.done:
                await part.restart()
            async for block in response.aiter_raw(_BLOCK_BYTES):
                if part.done + len(block) > wanted.bytes:
                    raise WrongFile
                await part.write(block)
                report(PullStep(part.done, wanted.bytes))

    @asynccontextmanager
    async def _opened(
        self, url: str, headers: dict[str, str], *wanted: HTTPStatus
    ) -> AsyncGenerator[httpx.Response]:
        """Give the reply behind all redirects, none of its body read yet, where its status is a wanted one."""
        headers = {"Accept-Encoding": "identity", **headers}
        with self._named():
            for _ in range(_MOST_REDIRECTS + 1):
                client = self._client_for(url)
                request = client.build_request("GET", url, headers=headers, timeout=SILENCE_S)
                async with asyncio.timeout(SILENCE_S):
                    response = await client.send(request, stream=True)
                try:
                    location = location_of(response)
                    if not (300 <= response.status_code < 400 and location):
                        self._refuse(response, *wanted)
                        yield response
                        return
                finally:
                    await response.aclose()
                there = urljoin(url, location)
                if url.startswith("https://") and not there.startswith("https://"):
                    host = urlsplit(url).hostname or ""
                    problem = Message("{host} leads to a connection that is not safe.", host=host)
                    raise ServiceProtocolError(host, url, problem)
                url = there
        problem = Message("{host} leads from one address to another.", host=self._host)
        raise ServiceProtocolError(self._host, self._hub, problem)

    def _client_for(self, url: str) -> httpx.AsyncClient:
        """Return what fetches from an address, once that is judged and recorded."""
        host = urlsplit(url).hostname or ""
        is_hub = url.startswith(f"{self._hub}/")
        if not is_hub:
            try:
                judge_url(url)
            except RefusedAddress as exc:
                problem = Message("{host} cannot be reached: {problem}.", host=host, problem=exc)
                raise ServiceProtocolError(host, bare_address(url), problem) from exc
        # The links of a hub to where its files are carry a key in their query.
        way, shown = way_out(self._proxy), url.partition("?")[0]
        self._sent(RequestSent(Sending.MODEL_FILE, host, way, shown))
        return self._own if is_hub else self._pages

    def _refuse(self, response: httpx.Response, *wanted: HTTPStatus) -> None:
        """Raise the error of a status that is none of the wanted ones."""
        status = response.status_code
        if status in wanted:
            return
        host = response.url.host
        problem = Message("{host} answered {status}.", host=host, status=str(status))
        error = ServiceRefused(host, str(response.url), problem, status=status)
        if status in _TRANSIENT:
            error.retry_s = retry_after_s(response.headers.get("retry-after", ""))
        raise error

    @contextmanager
    def _named(self) -> Generator[None]:
        """Put the failures of a connection into words."""
        try:
            yield
        except (httpx.TransportError, RefusedAddress, TimeoutError, UnicodeError) as exc:
            problem = Message(
                "{host} cannot be reached: {problem}.", host=self._host, problem=reason_of(exc)
            )
            raise ServiceDown(self._host, self._hub, problem) from exc


class PartFile:
    """What has come of a file, read and written in a thread of its own. A context manager, which lets go of the file.

    What has come stays for the next time, unless it turned out to be a part of another file.
    """

    def __init__(self, folder: Path, wanted: WantedModel) -> None:
        self.wanted, self.done = wanted, 0
        self._folder = folder
        self._part, self._note = _files_of(folder, wanted)
        self._final = self._part.with_suffix("")
        self._stream: FileIO | None = None
        # One thread: what is written stays in order, and the end waits for the last block.
        self._thread = ThreadPoolExecutor(1, "download")
        self._is_closing = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._is_closing = True
        self._thread.shutdown(wait=True)
        if self._stream is not None:
            self._stream.close()
        with suppress(OSError):
            # Of an empty one the next start of the program need not speak.
            if kind is WrongFile or not self._part.stat().st_size:
                remove_partial(self._folder, self.wanted)

    async def open(self) -> Path | None:
        """Return the file if it is there already, whole; else take up what is there of this very one.

        Raises:
            NoRoomLeft: the rest has no room.
            StorageError: the folder cannot be written.
        """
        return await self._beside(self._open)

    async def write(self, block: bytes) -> None:
        """Append bytes. Raises NoRoomLeft or StorageError."""
        await self._beside(lambda: self._write(block))

    async def restart(self) -> None:
        """Begin anew with an empty file."""
        await self._beside(self._empty)

    async def finish(self) -> Path:
        """Give the whole file its name, and return it.

        Raises:
            ServiceDown: some of it is missing: the connection was cut.
            WrongFile: its checksum is not the one that the hub describes.
        """
        if self.done < self.wanted.bytes:
            raise ServiceDown(self.wanted.repository, "", Message("The connection was cut."))
        return await self._beside(self._finish)

    async def _beside(self, work: Callable[[], _Result]) -> _Result:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, work)
        except OSError as exc:
            if exc.errno == ENOSPC:
                free = shutil.disk_usage(self._folder).free
                raise NoRoomLeft(self.wanted.bytes - self.done, free) from exc
            problem = Message(
                "{file} cannot be written: {problem}.", file=self._final.name, problem=exc
            )
            raise StorageError(problem) from exc

    def _is_right(self, file: Path) -> bool:
        digest = hashlib.sha256()
        with file.open("rb") as stream:
            if os.fstat(stream.fileno()).st_size != self.wanted.bytes:
                return False
            # In pieces: whoever pauses does not wait for gigabytes.
            while not self._is_closing and (block := stream.read(_BLOCK_BYTES)):
                digest.update(block)
        return digest.hexdigest() == self.wanted.sha256

    def _open(self) -> Path | None:
        if self._final.is_file() and self._is_right(self._final):
            return self._final
        make_path(self._folder)
        known = _partial_of(self._note)
        if known is None or replace(known, done_bytes=0) != self.wanted:
            # Of another version of the file, or of nobody knows what.
            self._part.unlink(missing_ok=True)
            note_partial(self._folder, self.wanted)
        # By what opens a file for its owner alone, whether it is there or not.
        self._stream = os.fdopen(open_lock(self._part), "r+b", buffering=0)
        self.done = self._stream.seek(0, os.SEEK_END)
        if self.done > self.wanted.bytes:
            self._empty()
        self._require_room()
        return None

    def _write(self, block: bytes) -> None:
        assert self._stream is not None
        # Each time: other programs write, too.
        self._require_room()
        rest = memoryview(block)
        while rest:
            # Unbuffered: what is counted is what the file has, also where the disk fills in the middle.
            written = self._stream.write(rest)
            self.done += written
            rest = rest[written:]

    def _require_room(self) -> None:
        """Raise NoRoomLeft where the rest of the file does not fit beside what is to stay free."""
        missing, free = self.wanted.bytes - self.done, shutil.disk_usage(self._folder).free
        if missing + SPARE_BYTES > free:
            raise NoRoomLeft(missing, free)

    def _empty(self) -> None:
        assert self._stream is not None
        self._stream.seek(0)
        self._stream.truncate(0)
        self.done = 0

    def _finish(self) -> Path:
        assert self._stream is not None
        self._stream.close()
        if not self._is_right(self._part):
            raise WrongFile
        put_in_place(self._part, self._final)
        self._note.unlink(missing_ok=True)
        return self._final


def partial_models(folder: Path) -> list[WantedModel]:
    """Return the models of which a part is there, by their files' names."""
    with suppress(OSError):
        found = (_partial_of(file) for file in sorted(folder.glob("*.part.json")))
        return [partial for partial in found if partial is not None]
    return []


def note_partial(folder: Path, wanted: WantedModel) -> None:
    """Note what a part is of, or how much of a model Ollama has."""
    make_path(folder)
    replace_file(_files_of(folder, wanted)[1], json.dumps(asdict(wanted)).encode())


def remove_partial(folder: Path, wanted: WantedModel) -> None:
    """Delete what has come of a model, and the note of it."""
    for path in _files_of(folder, wanted):
        with suppress(OSError):
            path.unlink(missing_ok=True)


def _partial_of(note: Path) -> WantedModel | None:
    """Return what a note says; None where it is damaged."""
    try:
        rows: dict[str, Any] = json.loads(note.read_bytes())
        # A later version may have noted more; its part is no worse for that.
        known = [field.name for field in fields(WantedModel) if field.name in rows]
        found = WantedModel(**{name: rows[name] for name in known})
        part, own = _files_of(note.parent, found)
        if found.repository:
            found = replace(found, done_bytes=part.stat().st_size if part.exists() else 0)
    except (OSError, ValueError, TypeError):
        return None
    return found if own == note else None


def _files_of(folder: Path, wanted: WantedModel) -> tuple[Path, Path]:
    """Return where a part lies, and the note of it. Ollama keeps its parts itself."""
    name = Path(wanted.file).name if wanted.repository else quote(wanted.file, safe="")
    return folder / f"{name}.part", folder / f"{name}.part.json"


def _described(body: bytes, repository: str, file: str) -> WantedModel | None:
    """Return what a listing says of a file; None where it does not name size and checksum."""
    try:
        rows: Any = json.loads(body)
    except (ValueError, RecursionError):
        return None
    for row in cast("list[Any]", rows) if isinstance(rows, list) else ():
        match row:
            case {"path": str(path), "size": int(size), "lfs": {"oid": str(oid)}} if path == file:
                digest = oid.removeprefix("sha256:").lower()
                if size > 0 and _SHA256.fullmatch(digest):
                    return WantedModel(file, repository, size, digest)
            case _:
                pass
    return None


def _begins_at(response: httpx.Response, wanted: WantedModel) -> int:
    """Return at which byte of the file a reply begins. Raises WrongFile: it is of a file of another size."""
    if response.status_code == HTTPStatus.OK:
        return 0
    found = _RANGE.fullmatch(response.headers.get("content-range", ""))
    if found is None or found[2] not in {"*", str(wanted.bytes)}:
        raise WrongFile
    return int(found[1])
