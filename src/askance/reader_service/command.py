"""`python -m askance.reader_service`: settings, token and port, then serving until a signal."""

from __future__ import annotations

import argparse
import logging
import os
import socket
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from askance import __version__
from askance.adapters.reader.inprocess import InProcessReader
from askance.adapters.reader.network import Resolver, SystemResolver
from askance.config.folders import find_folders
from askance.config.settings import ReaderSettings
from askance.config.sources import load_settings
from askance.domain.errors import SettingsError
from askance.domain.web import bare_proxy
from askance.local_service.credentials import Token, read_token
from askance.local_service.server import WRONG_USAGE, LocalServer, parser_of, run, say
from askance.reader_service.admission import Desk
from askance.reader_service.app import build_app

NAME = "reader"
AT_ONCE = 20
_log = logging.getLogger("askance.reader_service")


def main(
    arguments: Sequence[str] | None = None,
    environment: Mapping[str, str] = os.environ,
    *,
    resolver: Resolver | None = None,
) -> int:
    """Serve until SIGTERM or SIGINT, and return the exit code: 1 no port, 2 wrong settings."""
    chosen = _parser().parse_args(arguments)
    try:
        settings, token = _configured(environment)
    except SettingsError as exc:
        say(NAME, str(exc))
        return WRONG_USAGE
    where = resolver or SystemResolver()
    return run(NAME, chosen, _log, lambda port: _serve(port, settings, token, chosen, where))


async def _serve(
    listener: socket.socket,
    settings: ReaderSettings,
    token: Token,
    chosen: argparse.Namespace,
    resolver: Resolver,
) -> None:
    reader = InProcessReader(settings, resolver=resolver)
    desk = Desk(reader, proxy=settings.proxy, at_once=chosen.at_once)
    host, port = listener.getsockname()[:2]
    app = build_app(desk, token=token, ready=lambda: reader.ready, hosts=[host, *chosen.name])
    server = LocalServer(app, ending=desk.close)
    server.end_on_signals()
    async with reader:
        _log.info("Reader %s listens on %s, port %s; pages are fetched %s, %s at once.",
                  __version__, host, port, _way(settings.proxy), chosen.at_once)  # fmt: skip
        await server.serve([listener])
    told = ", ".join(f"{name} {count}" for name, count in sorted(desk.outcomes.items()))
    _log.info("Ended. Replies: %s.", told or "none")


def _configured(environment: Mapping[str, str]) -> tuple[ReaderSettings, Token]:
    """Raises SettingsError: a setting is wrong, or there is no token."""
    folders = find_folders(environment)
    settings = load_settings(
        folders.settings_file, environment, note=partial(say, NAME)
    ).page_reader
    file = settings.token_file
    return settings, read_token(Path(file).expanduser() if file else folders.reader_token)


def _parser() -> argparse.ArgumentParser:
    does = "Reads web pages for the programs of this machine that know its token."
    parser = parser_of("askance.reader_service", does, 25018)
    parser.add_argument("--at-once", default=AT_ONCE, type=_count, help="pages read at one time")
    return parser


def _count(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return value


def _way(proxy: str) -> str:
    return f"through {bare_proxy(proxy)}" if proxy else "directly"
