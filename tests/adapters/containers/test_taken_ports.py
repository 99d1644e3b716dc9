"""The program behind a port is named, as far as the system tells of it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from askance.system.machine import program_on


@pytest.fixture
def port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening.getsockname()[1]


def refuse(kind: str) -> None:
    raise psutil.AccessDenied


def test_who_listens_is_named_and_who_only_calls_is_not(port: int) -> None:
    own = psutil.Process().name()
    with socket.create_connection(("127.0.0.1", port)) as calling:
        assert program_on(port) == f"{own} (process {os.getpid()})"
        assert program_on(calling.getsockname()[1]) == ""


def test_another_program_of_this_user_is_found() -> None:
    serve = (
        "import socket, sys; s = socket.create_server(('::1', 0), family=socket.AF_INET6);"
        "print(s.getsockname()[1], flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(  # noqa: S603 - a child of our own
        [sys.executable, "-c", serve], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        port = int(child.stdout.readline())
        assert program_on(port).endswith(f" (process {child.pid})")
        child.stdin.close()
    assert program_on(port) == ""


def test_a_system_that_tells_all_to_administrators_alone_tells_of_our_own_programs(
    port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(psutil, "net_connections", refuse)
    assert f"(process {os.getpid()})" in program_on(port)


@pytest.mark.skipif(sys.platform != "linux", reason="it is told in /proc: run it on Linux")
def test_a_system_that_tells_nothing_is_no_error(
    port: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(psutil, "PROCFS_PATH", str(tmp_path))
    assert program_on(port) == ""
