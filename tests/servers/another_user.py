"""Another user of this machine: listens on a Unix socket, or calls one."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

needs_two_users = pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() != 0,
    reason="only root can be two users: run the tests as root",
)
NOBODY = 65534
# Listens in the name of another user, and writes down what it hears.
LISTEN = """
import os, socket, sys
os.setgid({nobody}); os.setuid({nobody})
bell = socket.socket(socket.AF_UNIX)
bell.bind(sys.argv[1]); bell.listen()
print("listening", flush=True)
caller, _ = bell.accept()
caller.settimeout(10)
print("heard", caller.recv(4096), flush=True)
"""
# Asks the window for something in the name of another user.
ASK = """
import os, socket, sys
os.setgid({nobody}); os.setuid({nobody})
caller = socket.socket(socket.AF_UNIX)
caller.settimeout(10)
caller.connect(sys.argv[1])
try:
    caller.sendall(b'{{"ask": "toggle"}}\\n')
    print("told", caller.recv(4096), flush=True)
except ConnectionError:
    print("told", b"", flush=True)
"""
# Calls in the name of another user.
CALL = """
import os, socket, sys
os.setgid({nobody}); os.setuid({nobody})
caller = socket.socket(socket.AF_UNIX)
caller.connect(sys.argv[1])
print("called", flush=True)
sys.stdin.read()
"""


@contextmanager
def stranger(code: str, where: Path | str) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(  # noqa: S603 - the developer's own Python
        [sys.executable, "-c", code.format(nobody=NOBODY), str(where)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def line_of(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()
