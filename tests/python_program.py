"""An executable file with code of Python, also where the path of the interpreter has blanks in it."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path


def write_python_program(file: Path, code: str, *options: str) -> None:
    """Write a program that runs code with the Python of the tests.

    A first line with the interpreter would end at its first blank: the shell starts it, which takes the
    second line for a command and never reads the third.
    """
    start = " ".join(map(shlex.quote, (sys.executable, *options)))
    assert "'''" not in start
    file.write_text(f"#!/bin/sh\n'''exec' {start} \"$0\" \"$@\"\n' '''\n{code}", encoding="utf-8")
    file.chmod(0o755)
