"""The child process that takes pages apart: `python -m askance.extract.worker MEMORY_MIB`.

It imports the parsers once, then answers one request after another over its pipes until they
close. Whatever a page does to it, the parent can end it and start another one.
"""

from __future__ import annotations

import ctypes
import logging
import os
import signal
import sys
from typing import BinaryIO

from askance.domain.web import PageReason
from askance.extract import wire
from askance.extract.extracted import failed

MIB = 1024 * 1024
# Pages take all the processors there are; the window in which the answer streams goes first.
_STEPS_BACK = 5
# From <linux/prctl.h>.
_PR_SET_PDEATHSIG = 1
# Runs through both extractors, so that their word lists are loaded before the first page comes.
_WARM_UP = b"<html><body><p>A page that is read before any other page comes.</p></body></html>"


def main() -> None:
    """Serve requests on standard input until it closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides when its children end
    logging.disable(logging.CRITICAL)
    end_with_parent()
    limit_memory(int(sys.argv[1]) * MIB)
    step_back()
    try:
        serve(sys.stdin.buffer, _own_output())
    except MemoryError:
        os._exit(wire.OUT_OF_MEMORY)


def step_back() -> None:
    """Let the other programs of this machine go first, where the platform can."""
    if sys.platform != "win32":
        os.nice(_STEPS_BACK)


def limit_memory(size: int) -> None:
    """Bound the address space, in bytes, where the platform can."""
    if sys.platform == "win32":
        return
    import resource  # noqa: PLC0415 - there is none on Windows

    resource.setrlimit(resource.RLIMIT_AS, (size, size))


def end_with_parent() -> None:
    """Have the system end this process with its parent, where it can (Linux).

    A worker that is idle ends when its pipe closes; one that is busy with a page would not see it.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def serve(requests: BinaryIO, replies: BinaryIO) -> None:
    """Answer requests until the pipe closes.

    Raises:
        MemoryError: a page needed more memory than the process may have.
    """
    # Imported under the memory limit, and not when a test imports this module.
    from askance.extract.page import extract_page  # noqa: PLC0415

    extract_page(_WARM_UP, "http://warm.example/", "text/html")
    _send(replies, wire.READY)
    while (head := _read_frame(requests)) is not None:
        data = _read_frame(requests)
        if data is None:
            return
        url, content_type = wire.unpack_head(head)
        try:
            outcome = extract_page(data, url, content_type)
        except MemoryError:
            raise
        except Exception as exc:  # noqa: BLE001 - parsers break in ways that cannot be listed
            outcome = failed(PageReason.EXTRACTION, f"The page could not be taken apart: {exc!r}.")
        _send(replies, wire.pack_reply(outcome))


def _send(replies: BinaryIO, payload: bytes) -> None:
    replies.write(payload)
    replies.flush()


def _read_frame(requests: BinaryIO) -> bytes | None:
    size = requests.read(wire.LENGTH.size)
    if len(size) < wire.LENGTH.size:
        return None
    payload = requests.read(wire.LENGTH.unpack(size)[0])
    return payload if len(payload) == wire.LENGTH.unpack(size)[0] else None


def _own_output() -> BinaryIO:
    """Return the pipe to the parent, and let whatever a library prints go to standard error."""
    pipe = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return pipe


if __name__ == "__main__":
    main()
