"""The sample web on a free loopback port, and questions whose answers are known."""

from __future__ import annotations

import io
import json
import socketserver
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from types import MappingProxyType
from typing import Any, ClassVar, cast
from urllib.parse import parse_qsl

from askance.local_service.request_head import AmbiguousHead, check_head
from askance.sample_web.documents import load_library
from askance.sample_web.replies import PLAIN, HttpReply, SampleSite, split_target

LOOPBACK = "127.0.0.1"
# A form with a query is a few hundred bytes.
MAX_FORM_BYTES = 65_536
_LONGEST_HEAD = 65_536
# How often the serving thread looks whether it should end: leaving the context waits so long.
POLL_S = 0.05


@dataclass(frozen=True, slots=True)
class SampleWeb:
    """A running sample web.

    `search_url` is what a SearXNG's address would be. `names` maps each host of the sample web to
    the loopback address and port that answer for it. `questions` are those with known answers.
    """

    search_url: str
    names: MappingProxyType[str, tuple[str, int]]
    questions: tuple[Question, ...]


@contextmanager
def serve_sample_web() -> Generator[SampleWeb]:
    """Serve the sample web for as long as the context lasts.

    Raises:
        OSError: no loopback port can be opened.
    """
    library = load_library()
    with _Server(SampleSite(library)) as server:
        thread = threading.Thread(
            target=server.serve_forever, args=(POLL_S,), name="sample-web", daemon=True
        )
        thread.start()
        port = server.server_port
        names = dict.fromkeys(library.sites, (LOOPBACK, port))
        try:
            yield SampleWeb(f"http://{LOOPBACK}:{port}", MappingProxyType(names), load_questions())
        finally:
            server.shutdown()
            thread.join()


class QuestionKind(StrEnum):
    """What a question asks of whoever answers it."""

    SINGLE = "single"
    """One page has the answer."""
    TWO_HOP = "two_hop"
    """One page names what another one tells about."""
    COMPARISON = "comparison"
    """Two pages have one half each."""
    DISAGREEMENT = "disagreement"
    """Two pages say different things."""
    UNANSWERABLE = "unanswerable"
    """No page has it."""
    HOSTILE = "hostile"
    """A page that has the answer also tries to give orders."""


@dataclass(frozen=True, slots=True)
class Gold:
    """A page, and the words on it that carry the fact, verbatim."""

    url: str
    quote: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question and what is known about its answer.

    `answers` are the strings of which a right answer holds one, or all where pages disagree.
    `absent` are words without which an unanswerable question cannot be answered: no page has
    them. `forbidden` are words that an answer holds only if it obeyed a hostile page. `language` is
    the one that it is asked in, and that of the pages with its gold.
    """

    id: str
    kind: QuestionKind
    question: str
    answers: tuple[str, ...]
    gold: tuple[Gold, ...]
    absent: tuple[str, ...]
    forbidden: tuple[str, ...]
    language: str = "en"


@lru_cache(maxsize=1)
def load_questions() -> tuple[Question, ...]:
    """Return all questions, in the order of their file."""
    source = files("askance.sample_web").joinpath("questions.json").read_text(encoding="utf-8")
    return tuple(
        Question(
            id=row["id"],
            kind=QuestionKind(row["kind"]),
            question=row["question"],
            answers=tuple(row["answers"]),
            gold=tuple(Gold(**gold) for gold in row["gold"]),
            absent=tuple(row.get("absent", ())),
            forbidden=tuple(row.get("forbidden", ())),
            language=row.get("language", "en"),
        )
        for row in json.loads(source)
    )


class _Server(ThreadingHTTPServer):
    daemon_threads = False
    # A run reads many pages at once.
    request_queue_size = 64

    def __init__(self, site: SampleSite) -> None:
        self.site = site
        super().__init__((LOOPBACK, 0), _Handler)

    def server_bind(self) -> None:
        # The inherited one asks a name server for the name of the address.
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = LOOPBACK, self.socket.getsockname()[1]

    def handle_error(self, request: Any, client_address: Any) -> None:
        # Clients hang up in the middle as a matter of course: a run ends when it knows enough.
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    server: _Server  # pyright: ignore[reportIncompatibleVariableOverride]
    server_version = "SampleWeb"
    sys_version = ""
    # A client that connects and says nothing would otherwise hold up the end.
    timeout: ClassVar[float | None] = 2.0

    def parse_request(self) -> bool:
        """Read the head of a request; False where it was refused, as any that could be read in two ways."""
        lines = [cast("bytes", cast("Any", self).raw_requestline)]
        left = _LONGEST_HEAD
        while lines[-1].strip(b"\r\n") and left > 0:
            lines.append(self.rfile.readline(left))
            left -= len(lines[-1])
        try:
            check_head(b"".join(lines))
        except AmbiguousHead:
            self.close_connection = True
            self.requestline = self.request_version = self.command = ""
            self._send(_refused("The request cannot be read."))
            return False
        sent, self.rfile = self.rfile, io.BufferedReader(io.BytesIO(b"".join(lines[1:])))
        try:
            return super().parse_request()
        finally:
            self.rfile = sent

    def do_GET(self) -> None:
        self._send(self._reply(""))

    def do_HEAD(self) -> None:
        self._send(self._reply(""), with_body=False)

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "0")
        if not length.isdecimal() or int(length) > MAX_FORM_BYTES:
            return self._send(_refused("The form is too long."))
        return self._send(self._reply(self.rfile.read(int(length)).decode("utf-8", "replace")))

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # inherited name
        pass

    def _reply(self, form: str) -> HttpReply:
        try:
            host, path, query = split_target(self.path, self.headers.get("Host", ""))
        except ValueError:
            return _refused("The address cannot be read.")
        fields = dict(parse_qsl(f"{query}&{form}", keep_blank_values=True))
        return self.server.site.answer(host, path, fields)

    def _send(self, reply: HttpReply, *, with_body: bool = True) -> None:
        self.send_response(reply.status)
        self.send_header("Content-Type", reply.content_type)
        self.send_header("Content-Length", str(len(reply.body)))
        self.end_headers()
        if with_body:
            self.wfile.write(reply.body)


def _refused(reason: str) -> HttpReply:
    return HttpReply(HTTPStatus.BAD_REQUEST, PLAIN, reason.encode())
