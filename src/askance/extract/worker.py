"""The child process that takes pages apart: `python -m askance.extract.worker MEMORY_MIB CPU_S NICE`.

It imports the parsers once and gives up whatever they do not need, then answers one request after
another over its pipes until they close. Whatever a page does to it, the parent can end it and start
another one.
"""

from __future__ import annotations

import gc
import logging
import os
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from types import ModuleType
from typing import BinaryIO, cast

from askance.domain.messages import Message
from askance.domain.web_pages import PageReason
from askance.extract import extracted
from askance.extract.extracted import Extracted, bounded, failed
from askance.extract.sandbox import NONE, Protections
from askance.extract.sandbox import confine as cage

Extract = Callable[[bytes, str, str], Extracted]

# A message of a mailbox takes milliseconds, one of 20,000 parts a second: none may hold up all the others.
MAIL_CPU_S = 10.0
_MAIL = "message/"


def main(extract: Extract | None = None) -> None:
    """Serve requests on standard input until it closes, with `extract` in place of the parsers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides when its children end
    # Parsers log what they find of a page; the log of this program has no texts.
    logging.disable(logging.CRITICAL)
    cage.end_with_parent()
    memory = cage.limit_memory(int(sys.argv[1]))
    # trafilatura imports it for a filter by language that nobody sets, and numpy comes with it: a quarter
    # of the start and 12 MB of each process. Without it trafilatura goes on.
    sys.modules["py3langid"] = cast("ModuleType", None)
    # What is loaded stays. Looking for garbage in between takes a third of the start.
    gc.disable()
    try:
        serve(
            sys.stdin.buffer,
            cage.own_output(),
            confine=lambda: _confined(memory, nice=int(sys.argv[3])),
            page_cpu_s=float(sys.argv[2]),
            extract=extract,
        )
    except MemoryError:
        # Nothing is tidied up, which needs memory too: the parent reads the reason in the status.
        os._exit(extracted.OUT_OF_MEMORY)


def _confined(memory: str, *, nice: int) -> Protections:
    # What was loaded lives as long as the process: no later collection looks through it.
    gc.freeze()
    gc.enable()
    # Not before all is loaded: somebody may be waiting for this process to start.
    if nice and sys.platform != "win32":
        os.nice(nice)
    return cage.only_compute(memory)


def serve(
    requests: BinaryIO,
    replies: BinaryIO,
    *,
    confine: Callable[[], Protections] = lambda: NONE,
    page_cpu_s: float = 0.0,
    extract: Extract | None = None,
) -> None:
    """Answer requests until the pipe closes.

    `confine` is called once all is loaded. A page may take `page_cpu_s` seconds of processor time, 0
    for any; past them the process ends.

    Raises:
        MemoryError: a page needed more memory than the process may have.
    """
    # Imported under the memory limit, and not when a test imports this module.
    from askance.extract.page import extract_page, preload  # noqa: PLC0415

    extract = extract or extract_page
    preload()
    _send(replies, extracted.pack_ready(confine()))
    data = b""
    while (head := _read_frame(requests)) is not None:
        url, content_type, again = extracted.unpack_head(head)
        if (given := _read_frame(requests)) is None:
            return
        data = data if again else given
        cage.limit_computing(_cpu_s(content_type, page_cpu_s))
        begun_s = time.process_time()
        try:
            outcome = extract(data, url, content_type)
        except MemoryError:
            raise
        except SystemError as exc:
            # Of extensions in C: some that are refused memory report an error and do not say which.
            raise MemoryError from exc
        except Exception as exc:  # noqa: BLE001 - parsers break in ways that cannot be listed
            detail = Message("The page could not be parsed: {problem}.", problem=repr(exc))
            outcome = bounded(failed(PageReason.EXTRACTION, detail))
        outcome = replace(outcome, computed_s=time.process_time() - begun_s)
        _send(replies, extracted.pack_reply(outcome))
        cage.limit_computing(0)


def _cpu_s(content_type: str, page_cpu_s: float) -> float:
    """Return how many seconds of processor time a document may take; 0 for any."""
    # A mailbox is read message by message, each as a document of its own.
    is_mail = content_type.startswith(_MAIL)
    return min(page_cpu_s, MAIL_CPU_S) if is_mail and page_cpu_s else page_cpu_s


def _send(replies: BinaryIO, payload: bytes) -> None:
    replies.write(payload)
    replies.flush()


def _read_frame(requests: BinaryIO) -> bytes | None:
    size = requests.read(extracted.LENGTH.size)
    # The pipe is closed: between two requests, or within one where the parent was ended.
    if len(size) < extracted.LENGTH.size:
        return None
    payload = requests.read(extracted.LENGTH.unpack(size)[0])
    return payload if len(payload) == extracted.LENGTH.unpack(size)[0] else None


if __name__ == "__main__":
    main()
