"""The shell of this process: its own streams, its environment, the real parts."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import io
import os
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractContextManager, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from askance.cli.render.output import Output, say
from askance.cli.shell import App, Shell
from askance.config.folders import Folders
from askance.config.settings import Settings
from askance.domain.errors import InputError

if TYPE_CHECKING:
    from askance.sample_web.server import SampleWeb

# The real parts are imported when they are opened: httpx and trafilatura cost a second together,
# which commands that open nothing must not pay.
# ruff: noqa: PLC0415


def process_shell() -> Shell:
    """Return the surroundings of this process."""
    # A terminal that lacks a sign gets a question mark, rather than an error in mid-answer.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    return Shell(
        environment=dict(os.environ),
        stdin=sys.stdin,
        stdout=Output(sys.stdout),
        stderr=sys.stderr,
        read_line=_editing_reader() if sys.stdin.isatty() and sys.stdout.isatty() else _piped,
        open_app=_open_app,
        serve_sample_web=_serve_sample_web,
        find_package=find_package,
    )


def find_package(name: str) -> Path | None:
    """Return the folder of an installed package, without importing it."""
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        return None
    return Path(spec.origin).parent


@asynccontextmanager
async def _open_app(
    settings: Settings,
    folders: Folders,
    *,
    sample_web: Any | None = None,
    upkeep: bool = False,
) -> AsyncGenerator[App]:
    from askance.wiring import open_app

    troubles: dict[str, None] = {}
    try:
        async with open_app(
            settings,
            folders,
            sample_web=sample_web,
            trouble=lambda said: troubles.update({said: None}),
            upkeep=upkeep,
        ) as app:
            yield app
    finally:
        # Told behind the work, when nothing is drawn over any more.
        for trouble in troubles:
            say(sys.stderr, f"askance: {trouble}")


def _serve_sample_web() -> AbstractContextManager[SampleWeb]:
    from askance.sample_web import serve_sample_web

    return serve_sample_web()


def _editing_reader() -> Callable[[str], str]:
    # Its presence alone gives `input` line editing and recall; Windows has both without it.
    with contextlib.suppress(ImportError):
        importlib.import_module("readline")
    return input


def _piped(_prompt: str) -> str:
    return read_piped_line(sys.stdin)


def read_piped_line(stdin: TextIO) -> str:
    """Return the next line of a pipe.

    Raises:
        EOFError: there is none.
        InputError: it is not text.
    """
    try:
        line = stdin.readline()
    except UnicodeDecodeError as exc:
        raise InputError("The line on standard input is not UTF-8 text.") from exc
    if not line:
        raise EOFError
    return line.rstrip("\n")
