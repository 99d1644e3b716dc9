"""Processes that use a file and wait for a word, for the tests of several at once and of those that end badly."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def child(script: str, file: Path, name: str = "") -> Iterator[subprocess.Popen[str]]:
    """A process that has imported everything and waits for a line."""
    process = subprocess.Popen(  # noqa: S603 - this very Python
        [sys.executable, "-c", script, str(file), name],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            assert line(process) == "ready\n"
            yield process
        finally:
            process.kill()


def line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline()


def go(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("go\n")
    process.stdin.flush()
