"""`python -m askance.search_gateway`: token and port, then serving until a signal."""

from __future__ import annotations

import argparse
import logging
import socket
from collections.abc import Sequence
from pathlib import Path

from askance import __version__
from askance.adapters.network.http import service_client
from askance.domain.errors import SettingsError
from askance.local_service.credentials import Token, read_token
from askance.local_service.server import WRONG_USAGE, LocalServer, parser_of, run, say
from askance.search_gateway.app import build_app

NAME = "search gateway"
_CONNECT_S = 2.0
_log = logging.getLogger("askance.search_gateway")


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until SIGTERM or SIGINT, and return the exit code: 1 no port, 2 no token."""
    chosen = _parser().parse_args(arguments)
    try:
        token = read_token(chosen.token_file)
    except SettingsError as exc:
        say(NAME, str(exc))
        return WRONG_USAGE
    return run(NAME, chosen, _log, lambda listener: _serve(listener, token, chosen.upstream))


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
    does = "Hands searches on to SearXNG for the programs that know its token."
    parser = parser_of("askance.search_gateway", does, 25017)
    parser.add_argument("--token-file", required=True, type=Path, help="file with the token")
    parser.add_argument("--upstream", required=True, help="address of SearXNG")
    return parser
