"""`python -m askance.search_gateway`: token and port, then serving until a signal."""

from __future__ import annotations

import argparse
import asyncio
import logging
import socket
import sys
from collections.abc import Sequence
from pathlib import Path

from askance import __version__
from askance.adapters.network.http import service_client
from askance.domain.errors import SettingsError
from askance.local_service.credentials import Token, read_token
from askance.local_service.server import LocalServer, listen
from askance.search_gateway.app import build_app

DONE, FAILED, WRONG_USAGE = 0, 1, 2
_CONNECT_S = 2.0
_log = logging.getLogger("askance.search_gateway")


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until SIGTERM or SIGINT, and return the exit code: 1 no port, 2 no token."""
    chosen = _parser().parse_args(arguments)
    try:
        token = read_token(chosen.token_file)
    except SettingsError as exc:
        return _fail(str(exc), WRONG_USAGE)
    try:
        listener = listen(chosen.host, chosen.port)
    except (OSError, OverflowError) as exc:
        reason = getattr(exc, "strerror", None) or exc
        return _fail(f"{chosen.host}:{chosen.port} cannot be listened on: {reason}.", FAILED)
    logging.basicConfig(
        stream=sys.stderr, level=logging.WARNING, format="%(asctime)s %(levelname)s %(message)s"
    )
    _log.setLevel(logging.INFO)
    with listener:
        asyncio.run(_serve(listener, token, chosen.upstream))
    return DONE


async def _serve(listener: socket.socket, token: Token, upstream: str) -> None:
    host, port = listener.getsockname()[:2]
    async with service_client(upstream, connect_timeout_s=_CONNECT_S) as client:
        server = LocalServer(build_app(client, token=token, hosts=[host]), ending=_nothing)
        server.end_on_signals()
        _log.info("Gateway %s listens on %s, port %s.", __version__, host, port)
        await server.serve([listener])
    _log.info("Ended.")


def _nothing() -> None:
    """Nothing is given up when the end begins: replies that are under way have a second."""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m askance.search_gateway",
        description="Hands searches on to SearXNG for the programs that know its token.",
    )
    parser.add_argument("--token-file", required=True, type=Path, help="file with the token")
    parser.add_argument("--upstream", required=True, help="address of SearXNG")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
    parser.add_argument("--port", default=25017, type=int, help="port to listen on")
    return parser


def _fail(sentence: str, code: int) -> int:
    sys.stderr.write(f"askance search gateway: {sentence}\n")
    return code
