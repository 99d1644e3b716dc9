"""How the daemon comes up and ends: in the background, or where a person has started it.

What is heavy is imported here when it is needed: another process has the place already, or a package is
missing, before anything of it is.
"""
# ruff: noqa: PLC0415

from __future__ import annotations

import asyncio
import gc
import logging
import os
import signal
import sys
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from time import monotonic, sleep
from types import FrameType
from typing import TYPE_CHECKING

from askance.app.container import Container
from askance.config.diagnostics import logged
from askance.config.folders import Folders, find_folders
from askance.config.private_files import NotOurs
from askance.config.settings import Settings
from askance.config.sources import load_settings
from askance.domain.errors import AskanceError, InputError
from askance.domain.messages import Message
from askance.server.daemon_connection import (
    RETIRING,
    DaemonLock,
    acquire_lock,
    connect,
)

if TYPE_CHECKING:
    from askance.domain.ports.storage import ClientRegistry
    from askance.server.daemon import Http, ServerParts

Up = Callable[[str], None]
"""Is called with the address over HTTP, "" for none, once programs are served."""

_PACKAGES = ("mcp", "starlette", "uvicorn")
_ANSWER_S = 10.0
# One that makes room does so at once; what it still does is its own.
_SEAT_S, _AGAIN_S = 10.0, 0.02
_log = logging.getLogger(__name__)


def check_installed() -> None:
    """Look whether what serves programs is there.

    Raises:
        InputError: it is not.
    """
    # `find_spec`, since an import would take half a second.
    missing = [name for name in _PACKAGES if find_spec(name) is None]
    if missing:
        raise InputError(
            Message("What the server needs is not installed: {names}.", names=", ".join(missing)),
            fix=Message("Install it: `{command}`.", command="pip install 'askance[mcp]'"),
        )


def serve_in_background(lock: DaemonLock, environment: Mapping[str, str]) -> int:
    """Serve until nobody has been connected for long, and return the exit status.

    What keeps it from coming up goes to standard error, which is let go of once it is up.
    """
    folders = find_folders(environment)
    try:
        with logged(folders, "server"):
            check_installed()
            changes = _Changes(folders.settings_file, environment)
            serving = _serve(
                lock,
                changes.settings,
                folders,
                http=changes.settings.server.http,
                changes=changes,
                up=_up,
            )
            asyncio.run(serving)
    except AskanceError as exc:
        sys.stderr.write(f"askance: {exc}\n")
        return 1
    return 0


def serve_here(
    settings: Settings, folders: Folders, environment: Mapping[str, str], up: Up
) -> None:
    """Serve over HTTP, and at the socket, until a signal comes. A daemon in the background makes room.

    Raises:
        InputError: a package is missing, another one serves already, or the port is taken.
        SettingsError: the token cannot be read, or a part not be built.
    """
    check_installed()
    # The lock before the port: a daemon that makes room frees the port with it.
    lock = _seat_for_long(environment)
    try:
        asyncio.run(_serve(lock, settings, folders, http=True, changes=None, up=up))
    finally:
        lock.give_up()


async def _serve(
    lock: DaemonLock,
    settings: Settings,
    folders: Folders,
    *,
    http: bool,
    changes: _Changes | None,
    up: Up,
) -> None:
    """Serve: with `changes` in the background, and else until a signal comes."""
    from askance.server.daemon import Daemon, End, url_of

    # The SDK would write what all libraries log to standard error.
    logging.getLogger().addHandler(logging.NullHandler())
    async with AsyncExitStack() as stack:
        # Opened first, so that it is closed last: calls are recorded until the end.
        book = stack.enter_context(Container(settings, folders, _log_error)).clients
        parts = await stack.enter_async_context(real_parts(settings, folders, book))
        # Only now: who connects while the packages are imported would wait for a second.
        web = _open_http(settings, folders, book) if http else None
        if web is not None:
            stack.callback(web.listener.close)
        # Where HTTP is served there may be programs that would start no other one.
        daemon = Daemon(
            lock,
            parts,
            book,
            settings.server,
            stays=changes is None,
            is_outdated=changes.are_there if changes and not web else lambda: False,
        )
        _end_on_signals(lambda: daemon.end(End.STOPS))
        up(url_of(web.listener) if web is not None else "")
        await daemon.serve(web)


class _Changes:
    """The settings, and whether there are others by now. Those that cannot be read are none.

    Raises:
        SettingsError: they cannot be read at first.
    """

    def __init__(self, file: Path, environment: Mapping[str, str]) -> None:
        self._file, self._environment = file, environment
        self._seen = self._mark()
        self.settings = load_settings(file, environment)
        self._are_there = False

    def are_there(self) -> bool:
        """Whether other settings are in force; they are read only where the file is another one."""
        if (mark := self._mark()) != self._seen:
            self._seen = mark
            with suppress(AskanceError):
                self._are_there = load_settings(self._file, self._environment) != self.settings
        return self._are_there

    def _mark(self) -> tuple[int, int, int] | None:
        try:
            found = self._file.stat()
        except OSError:
            return None
        # With the inode: some editors put a new file in the place of the old one.
        return found.st_mtime_ns, found.st_size, found.st_ino


def _open_http(settings: Settings, folders: Folders, book: ClientRegistry) -> Http:
    """Listen. Whoever asks has a token, whatever the address is."""
    from askance.local_service.service_process import listen
    from askance.server.clients import Tokens
    from askance.server.daemon import Http

    tokens = Tokens(folders.server_token, book)
    host, port = settings.server.host, settings.server.port
    try:
        return Http(listen(host, port), tokens)
    except OSError as exc:
        reason = exc.strerror or exc
        raise InputError(
            Message(
                "The server cannot listen on {address}: {problem}.",
                address=f"{host}:{port}",
                problem=reason,
            ),
            fix=Message("Set server.port to one that is free, or end the program that has it."),
        ) from exc


@asynccontextmanager
async def real_parts(
    settings: Settings, folders: Folders, book: ClientRegistry
) -> AsyncGenerator[ServerParts]:
    """Open the parts, once for all programs, and give what they are served with.

    Raises:
        SettingsError: a part cannot be built from these settings.
    """
    from askance.app.client_service import ClientService
    from askance.app.container import Stay, open_app
    from askance.server.clients import current_client
    from askance.server.daemon import ServerParts
    from askance.server.openai_api import openai_routes
    from askance.server.tools import build_mcp

    async with (
        # A person's questions go first (decision 20).
        open_app(settings, folders, stay=Stay.SERVER) as app,
        ClientService(app, book) as service,
    ):
        mcp = build_mcp(service, book, current_client)
        routes = openai_routes(service, lambda _request: current_client())
        yield ServerParts(mcp, routes, service.runs.connection, lambda: service.is_busy)


def _seat_for_long(environment: Mapping[str, str]) -> DaemonLock:
    """Take the place of the daemon; one in the background makes room for it."""
    try:
        deadline = monotonic() + _SEAT_S
        while (lock := acquire_lock(environment)) is None:
            if found := connect(environment, retire=True, limit_s=_ANSWER_S):
                connection, reply = found
                connection.close()
                if reply.state != RETIRING:
                    raise InputError(
                        Message(
                            "Askance serves already: {address}, process {process}.",
                            address=reply.url,
                            process=str(reply.process),
                        ),
                        fix=Message("End that one first."),
                    )
            if monotonic() > deadline:
                raise InputError(
                    Message("Another process serves already."), fix=Message("End that one first.")
                )
            sleep(_AGAIN_S)
    except NotOurs as exc:
        raise InputError(
            Message("The server cannot listen for programs: {problem}.", problem=exc),
            fix=Message("Set ASKANCE_HOME or XDG_RUNTIME_DIR to a folder of your own."),
        ) from exc
    except OSError as exc:
        raise InputError(
            Message(
                "The server cannot listen for programs: {problem}.", problem=exc.strerror or exc
            )
        ) from exc
    return lock


def _end_on_signals(end: Callable[[], None]) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        try:
            loop.add_signal_handler(number, end)
        # asyncio has no such handlers under Windows.
        except NotImplementedError:

            def ends(_number: int, _frame: FrameType | None) -> None:
                loop.call_soon_threadsafe(end)

            signal.signal(number, ends)


def _up(_url: str) -> None:
    """Collect garbage from now on, and let go of standard error, which leads to the bridge that has started this.

    While it comes up the daemon collects none (`server.__main__`). What was imported by now stays, and is never
    looked at again; what calls leave behind in cycles must go.
    """
    gc.collect()
    gc.freeze()
    gc.enable()
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 2)
    os.close(nothing)


def _log_error(trouble: str) -> None:
    """Log only the message's length: its text may name private paths."""
    _log.warning("A file of ours was begun anew.", extra={"length": len(trouble)})
