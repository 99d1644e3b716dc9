"""Who asks: the client of a call, the tokens that programs show over HTTP, and looking both up beside the event loop."""

from __future__ import annotations

import asyncio
import hmac
import os
import secrets
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from pathlib import Path
from typing import TypeVar

from askance.config.private_files import create_file, make_folder
from askance.domain.errors import InputError, SettingsError
from askance.domain.messages import Message
from askance.domain.ports.storage import Client, ClientRegistry, cleaned_name
from askance.local_service.credentials import SHORTEST, digest_of

DEFAULT = "default"
"""The client to whom the token in the file belongs."""
UNNAMED = "unnamed"
"""Who does not say what it is called."""
CURRENT: ContextVar[Client] = ContextVar("askance_client")
"""The client that the present call comes from, in all that serves it: every transport sets it for each
message that comes in. What it may do is that of the moment in which the message came."""

_TOKEN_BYTES = 32
_LONGEST = 1000
_LOOKUPS_AT_ONCE = 2
_T = TypeVar("_T")


def current_client() -> Client:
    """Return the client that the present call comes from.

    Raises:
        LookupError: nobody has said; a call that comes in has always one.
    """
    return CURRENT.get()


def named(wanted_name: str) -> str:
    """Return a program's own word for itself as the name of a client."""
    return cleaned_name(wanted_name) or UNNAMED


class Tokens:
    """Tells clients by the tokens that they show: that of the file, and those in the book.

    Raises:
        SettingsError: the file with the token cannot be read or made, or holds none.
    """

    def __init__(self, file: Path, book: ClientRegistry) -> None:
        self._digest = digest_of(own_token(file))
        self._book = book

    def client_of(self, header: str) -> Client | None:
        """Return the client whose token a header `Authorization` shows, None where it shows none.

        All tokens are compared, each in constant time, whatever the header is. Raises StorageError.
        """
        scheme, _, token = header.partition(" ")
        # RFC 9110, section 11.1: the scheme is case-insensitive.
        token = token.strip() if scheme.lower() == "bearer" and len(header) <= _LONGEST else ""
        # Looked up in any case, so that the time of a reply tells nothing about the first token
        # (measured in docs/bench/agents.md).
        found = self._book.by_token(token)
        if hmac.compare_digest(self._digest, digest_of(token)):
            return self._book.known(DEFAULT)
        return found


class ClientLookup:
    """Looks clients up for the event loop, which never waits for their file.

    It has threads of its own: neither other blocking work nor what cannot be written holds a lookup up. Nothing is
    cached, so what a user allows or revokes counts from the next message on.
    """

    def __init__(self, book: ClientRegistry) -> None:
        self._book = book
        self._reading = ThreadPoolExecutor(_LOOKUPS_AT_ONCE, thread_name_prefix="client-lookup")
        # Newcomers are written down one after the other: others do not wait behind them.
        self._writing = ThreadPoolExecutor(1, thread_name_prefix="client-entry")

    async def known(self, name: str) -> Client:
        """Return the client of a name; a new one is taken note of. Raises StorageError."""
        # Nearly every message comes from a known client, for which nothing is written.
        found = await self._in(self._reading, lambda: self._book.look_up(name))
        return found or await self._in(self._writing, lambda: self._book.known(name))

    async def by_header(self, tokens: Tokens, header: str) -> Client | None:
        """Return the client whose token a header `Authorization` shows, None where it shows none. Raises StorageError."""
        return await self._in(self._reading, lambda: tokens.client_of(header))

    def close(self) -> None:
        """Look nobody up any more."""
        # Not waited for: a locked file would delay the end of the daemon.
        self._reading.shutdown(wait=False, cancel_futures=True)
        self._writing.shutdown(wait=False, cancel_futures=True)

    async def _in(self, threads: ThreadPoolExecutor, work: Callable[[], _T]) -> _T:
        return await asyncio.get_running_loop().run_in_executor(threads, work)


def own_token(file: Path) -> str:
    """Return the token in the file; it is made once.

    Raises:
        SettingsError: it cannot be read or made, or is too short to withstand guessing.
    """
    try:
        token = _read(file) or _made(file)
    except (OSError, UnicodeDecodeError) as exc:
        reason = getattr(exc, "strerror", None) or exc
        raise SettingsError(
            Message("The token file {file} cannot be used: {problem}.", file=file, problem=reason),
            fix=Message("Check its owner and permissions."),
        ) from exc
    if len(token) < SHORTEST or not token.isascii() or not token.isprintable() or " " in token:
        raise SettingsError(
            Message(
                "The token file {file} holds no token of at least {n} signs.", file=file, n=SHORTEST
            ),
            fix=Message("Delete it; the next start makes a new one."),
        )
    return token


def checked_name(wanted_name: str) -> str:
    """Return the name of a client that a person has typed.

    Raises:
        InputError: nothing of it can be shown, or it is too long.
    """
    name = cleaned_name(wanted_name)
    # Characters that cleaning removes would be invisible in the list, and could not be typed again.
    if not name or name != " ".join(wanted_name.split()):
        raise InputError(Message("{name} cannot be a program's name.", name=repr(wanted_name)))
    return name


def _read(file: Path) -> str:
    try:
        return file.read_text("utf-8").strip()
    except FileNotFoundError:
        return ""


def _made(file: Path) -> str:
    """Make the file; what another process has made meanwhile counts."""
    make_folder(file.parent)
    token = secrets.token_urlsafe(_TOKEN_BYTES)
    try:
        handle = create_file(file)
    # Another process made it in between: both must use the same token.
    except FileExistsError:
        return _read(file)
    with os.fdopen(handle, "wb") as stream:
        stream.write(f"{token}\n".encode())
    return token
