"""The reader's side of its closed namespace: no rules, no reader.

`gate.py start COMMAND…` becomes the command once the namespace is closed; `gate.py health PORT` is
the container's health check. Both look for the mark that `egress.py` sets: a socket that exists in
this very namespace, and only while its rules are kept.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
from typing import NoReturn

MARK = "\0askance-egress"
PATIENCE_S = 30.0
STEP_S = 0.1
ANSWER_S = 3.0


def is_closed() -> bool:
    """Tell whether somebody keeps the rules of this namespace."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(MARK)
        except OSError:
            return False
    return True


def start(command: list[str], *, patience_s: float = PATIENCE_S) -> NoReturn:
    """Wait until the namespace is closed, then become the command. Exits where it stays open."""
    # As process 1 of the container nothing ends this one by default.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    end = time.monotonic() + patience_s
    while not is_closed():
        if time.monotonic() > end:
            sys.exit("The reader's network is not closed to private addresses: it does not start.")
        time.sleep(STEP_S)
    os.execvp(command[0], command)  # noqa: S606 - the image's own command line


def health(port: int) -> None:
    """Ask the service how it is, and end it where its namespace has lost its keeper.

    The keeper takes the network with it when it ends, and comes back with a new one: only a new
    start leads there, and the restart policy sees to that.
    """
    if not is_closed():
        os.kill(1, signal.SIGTERM)
        sys.exit("The reader's network is gone: it starts anew.")
    try:
        # Bare, since an HTTP library takes longer to load than all the rest, every few seconds.
        with socket.create_connection(("127.0.0.1", port), ANSWER_S) as service:
            service.sendall(b"GET /healthz HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n")
            status = service.recv(64).split(b"\r\n")[0]
    except OSError as exc:
        sys.exit(f"The reader does not answer: {exc}.")
    if b" 200 " not in status:
        sys.exit(f"The reader is not well: {status!r}.")


if __name__ == "__main__":
    if sys.argv[1] == "start":
        start(sys.argv[2:])
    health(int(sys.argv[2]))
