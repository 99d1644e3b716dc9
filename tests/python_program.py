"""An executable file with code of Python, also where the path of the interpreter has blanks in it."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

needs_ascii_path = pytest.mark.skipif(
    sys.version_info < (3, 13) and not __file__.isascii(),
    reason="a path that is not ASCII, which Python cannot import from in a locale that is not there: check out the project in another folder",
)
"""For what starts a Python of the tests in such a locale: before 3.13 it reads the path in the locale's encoding."""


def write_python_program(file: Path, code: str, *options: str) -> None:
    """Write a program that runs code with the Python of the tests.

    A first line with the interpreter would end at its first blank: the shell starts it, which takes the
    second line for a command and never reads the third.
    """
    start = " ".join(map(shlex.quote, (sys.executable, *options)))
    assert "'''" not in start
    file.write_text(f"#!/bin/sh\n'''exec' {start} \"$0\" \"$@\"\n' '''\n{code}", encoding="utf-8")
    file.chmod(0o755)
