"""The child process that asks search engines: `python -m askance.adapters.search.metasearch_worker`.

It reads one JSON line with the query, asks all engines at once, writes one JSON line for each as it
comes, and ends. It ends at once when its standard input closes: then its parent is gone.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from dataclasses import dataclass
from threading import Lock, Thread
from typing import Any, cast
from urllib.parse import urlsplit

from askance.domain.messages import Message
from askance.extract.sandbox import confine

# Of address space the libraries and their threads take 170 MiB; a page of results is a few hundred
# KiB, and its tree ten times that.
MEMORY_MIB = 1024
MAX_PAGE_BYTES = 5_000_000
# What is cut here is cut again, and cleaned, by the parent: this only keeps the lines short.
_LONGEST_TEXT = 4_000
_MOST_HOPS = 3
_OK = 200


class NoReply(Exception):
    """An engine gave no results. `failure` is one of timeout, unreachable, refused and broken."""

    def __init__(self, failure: str, reason: str) -> None:
        super().__init__(reason)
        self.failure = failure


@dataclass(frozen=True, slots=True)
class EngineReply:
    """What an engine answered, in the shape in which ddgs takes it. `text` is empty unless 200."""

    status_code: int
    text: str
    location: str


class SameSite:
    """Stands in for ddgs' HTTP client: it reports what ddgs keeps silent about, and has bounds.

    ddgs takes a refusal for no results, and follows redirects wherever they lead.
    """

    def __init__(self, client: Any) -> None:
        self.client = client

    def request(self, method: str, url: str, **more: Any) -> EngineReply:
        """Send one request, and follow redirects within its own site.

        Raises:
            NoReply: no answer came, or another one than 200.
        """
        for _ in range(_MOST_HOPS):
            answer = self._send(method, url, more)
            if answer.status_code == _OK:
                return answer
            target = answer.location
            if not 300 <= answer.status_code < 400 or not target.startswith("https://"):
                raise NoReply("refused", f"HTTP {answer.status_code}")
            if _site(target) != _site(url):
                raise NoReply("refused", f"it redirects to {urlsplit(target).hostname}")
            method, url, more = "GET", target, {}
        raise NoReply("refused", Message("it redirects too often"))

    def _send(self, method: str, url: str, more: dict[str, Any]) -> EngineReply:
        import primp  # noqa: PLC0415 - under the memory limit

        try:
            raw = self.client.request(method, url, follow_redirects=False, stream=True, **more)
            text = _text_of(raw) if raw.status_code == _OK else ""
            return EngineReply(raw.status_code, text, str(raw.headers.get("location", "")))
        except primp.TimeoutError as exc:
            raise NoReply("timeout", "timeout") from exc
        except primp.RequestError as exc:
            raise NoReply("unreachable", cause_of(exc)) from exc
        except primp.PrimpError as exc:
            raise NoReply("broken", cause_of(exc)) from exc


def _text_of(raw: Any) -> str:
    body = bytearray()
    for part in raw.iter_bytes():
        body += part
        if len(body) > MAX_PAGE_BYTES:
            raise NoReply("broken", f"it sent more than {MAX_PAGE_BYTES // 1_000_000} MB")
    try:
        return body.decode(raw.encoding, "replace")
    except LookupError:  # a character set of its own invention
        return body.decode("utf-8", "replace")


def main() -> None:
    """Serve the one request on standard input."""
    logging.disable(logging.CRITICAL)
    # Before the libraries are imported, so that it holds for them, too.
    confine.limit_memory(MEMORY_MIB)
    confine.only_converse()
    replies = confine.own_output()
    request = json.loads(sys.stdin.buffer.readline())
    Thread(target=_end_with_parent, daemon=True).start()
    lock = Lock()

    def settle(name: str) -> None:
        line = json.dumps({"engine": name, **_reply_of(name, request)}).encode() + b"\n"
        with lock:
            replies.write(line)
            replies.flush()

    asking = [Thread(target=settle, args=(name,), daemon=True) for name in request["engines"]]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join()
    # A regular exit would wait for the lock of stdin, which a thread is still reading.
    os._exit(0)


def _reply_of(name: str, request: dict[str, Any]) -> dict[str, Any]:
    try:
        return {"results": ask_engine(name, request)}
    except NoReply as exc:
        return {"failure": exc.failure, "reason": str(exc)}
    except Exception as exc:  # noqa: BLE001 - parsers of foreign pages break in ways without end
        return {"failure": "broken", "reason": f"its answer was not understood ({exc!r:.200})"}


def ask_engine(name: str, request: dict[str, Any]) -> list[list[str]]:
    """Ask one engine, and return address, title and snippet of each result.

    Raises:
        NoReply: it did not answer, or refused.
    """
    from ddgs import results  # noqa: PLC0415 - under the memory limit
    from ddgs.engines import ENGINES  # noqa: PLC0415

    # ddgs decodes percent signs in addresses: `C%23` would become `C#`, another page.
    results.BaseResult._normalizers = {}  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
    engine = cast("Any", ENGINES["text"][name])(
        proxy=request["proxy"] or None, timeout=request["timeout_s"]
    )
    engine.http_client = SameSite(engine.http_client.client)
    found = engine.search(
        request["query"],
        region=request["region"],
        safesearch=request["safesearch"],
        timelimit=request["timelimit"],
    )
    return [
        [str(text)[:_LONGEST_TEXT] for text in (one.href, one.title, one.body)]
        for one in found or ()
    ][: request["wanted"]]


def _site(url: str) -> str:
    # The last two labels are enough: no engine is under a suffix such as `co.uk`.
    return ".".join((urlsplit(url).hostname or "").split(".")[-2:])


def cause_of(exc: Exception) -> str:
    """Return the innermost cause in few words; the outer ones repeat the address, and the query."""
    # primp writes the whole chain: `error sending request … > dns error: …`.
    text = str(exc).rpartition(" > ")[2]
    if text.casefold().startswith("dns error"):
        return "names cannot be looked up"
    return text.partition(" (os error ")[0]


def _end_with_parent() -> None:
    sys.stdin.buffer.read()
    os._exit(0)


if __name__ == "__main__":
    main()
