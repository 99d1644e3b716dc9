"""The sample web on a free loopback port: its search engine, its pages over HTTP, and questions whose answers are known."""

from __future__ import annotations

import io
import json
import socketserver
import sys
import threading
import zlib
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from string import Template
from types import MappingProxyType
from typing import Any, ClassVar, cast
from urllib.parse import parse_qsl, unquote, urlsplit

from askance.local_service.request_head import AmbiguousHead, check_head
from askance.sample_web.sample_pages import (
    FileFormat,
    Question,
    SamplePage,
    SampleSites,
    load_library,
    load_questions,
    render_html,
)
from askance.text.languages.language import ENGLISH
from askance.text.languages.recognition import recognise
from askance.text.languages.sentences import sentences
from askance.text.ranking.index_terms import terms
from askance.text.ranking.scoring import Bm25f, ScoredField

# The search engine of the sample web: BM25F, snippets, and replies in SearXNG's JSON.

FIELDS = {"title": ScoredField(2.0), "text": ScoredField(1.0), "site": ScoredField(0.5)}
PAGE_SIZE = 10
ENGINES = ("curlew", "tern", "whimbrel")
SILENCES = ("timeout", "too many requests", "access denied")
# One query in four finds an engine silent, so that a front end has something to show.
SILENT_ONE_IN = 4
# Positions after which one engine fewer knows the page.
AGREEMENT = 3
MIN_CHARS = 150
MAX_CHARS = 250
MARK = "…"


@dataclass(frozen=True, slots=True)
class Hit:
    """A page that a query found. `position` counts from 1 over all result pages."""

    document: SamplePage
    position: int
    snippet: str


class SearchIndex:
    """Finds documents by plain words. The same query always gives the same hits.

    All words are compared in the language of the query: names have one stem then, whoever writes them.
    """

    def __init__(self, library: SampleSites) -> None:
        self._documents = list(library.documents.values())
        self._sites = [library.sites[d.host].name for d in self._documents]
        self._rankings = {ENGLISH: self._indexed(ENGLISH)}

    def search(self, query: str, *, first: int, count: int) -> list[Hit]:
        """Return up to `count` hits from position `first` on, best first; equals by URL."""
        # The language of a query may be unknown, as of a single name.
        code = recognise(query) or ENGLISH
        if code not in self._rankings:
            self._rankings[code] = self._indexed(code)
        ranking, wanted = self._rankings[code], terms(query, code)
        scores = zip(ranking.scores(wanted), self._documents, strict=True)
        found = sorted(((s, d) for s, d in scores if s > 0), key=lambda row: (-row[0], row[1].url))
        return [
            Hit(d, position, best_snippet(d.text, wanted, ranking.idf, code))
            for position, (_, d) in enumerate(found[first - 1 : first - 1 + count], start=first)
        ]

    def _indexed(self, code: str) -> Bm25f:
        fields = [
            {"title": terms(d.title, code), "text": terms(d.text, code), "site": terms(site, code)}
            for d, site in zip(self._documents, self._sites, strict=True)
        ]
        return Bm25f(fields, FIELDS)


def search_reply(index: SearchIndex, query: str, *, page: int) -> dict[str, Any]:
    """Return the JSON for one result page of a query. `page` counts from 1."""
    silent = _silent(query)
    asked = [name for name in ENGINES if name not in dict(silent)]
    hits = index.search(query, first=1 + (page - 1) * PAGE_SIZE, count=PAGE_SIZE)
    return {
        "query": query,
        "results": [_result(hit, asked) for hit in hits],
        "answers": [],
        "corrections": [],
        "infoboxes": [],
        "suggestions": [],
        "unresponsive_engines": silent,
    }


def configuration() -> dict[str, Any]:
    """Return what `/config` tells about the service."""
    engines = [{"name": name, "categories": ["general"], "enabled": True} for name in ENGINES]
    return {
        "instance_name": "The sample web",
        "categories": ["general"],
        "default_locale": "en",
        "engines": engines,
        "safe_search": 0,
    }


def best_snippet(
    text: str, query: Iterable[str], weight: Callable[[str], float], code: str = ENGLISH
) -> str:
    """Return the window of a text that holds most of the query's terms of a language by weight.

    Of equal ones it is the first, moved on as far as nothing is lost, so that what follows the
    hit is seen rather than what goes before. It begins with a sentence where it can, is `MIN_CHARS`
    to `MAX_CHARS` characters long, and shorter only where the text is. A mark stands where it was
    cut.
    """
    wanted = set(query)
    line, starts = _joined(text)
    # A page without a sentence has an empty snippet.
    windows = [_window(line, start) for start in starts] or [""]
    weights = [sum(map(weight, sorted(wanted.intersection(terms(w, code))))) for w in windows]
    best = chosen = weights.index(max(weights))
    while (
        weights[best] > 0
        and chosen + 1 < len(starts)
        and starts[chosen + 1] < starts[best] + MAX_CHARS
        and weights[chosen + 1] == weights[best]
    ):
        chosen += 1
    return windows[chosen]


def _result(hit: Hit, asked: list[str]) -> dict[str, Any]:
    document = hit.document
    found_by = _finders(hit, asked)
    positions = [hit.position] * len(found_by)
    return {
        "url": document.url,
        "title": document.title,
        "content": hit.snippet,
        "engine": found_by[0],
        "engines": found_by,
        "positions": positions,
        # SearXNG's own sum: the reciprocal positions, times the number of engines that agree.
        "score": len(positions) * sum(1 / p for p in positions),
        "category": "general",
        "template": "default.html",
        "parsed_url": [*urlsplit(document.url)[:2], document.path, "", "", ""],
        "publishedDate": f"{document.date}T00:00:00" if document.date else None,
        "thumbnail": "",
        "img_src": "",
        "priority": "",
    }


def _finders(hit: Hit, asked: list[str]) -> list[str]:
    # Engines agree on the best hits and go their own ways below, so that the scores fall.
    count = max(1, len(asked) - (hit.position - 1) // AGREEMENT)
    turn = _checksum(hit.document.url) % len(asked)
    return sorted((asked[turn:] + asked[:turn])[:count])


def _silent(query: str) -> list[list[str]]:
    seed = _checksum(query)
    if seed % SILENT_ONE_IN:
        return []
    chosen = seed // SILENT_ONE_IN
    return [[ENGINES[chosen % len(ENGINES)], SILENCES[chosen // len(ENGINES) % len(SILENCES)]]]


def _checksum(text: str) -> int:
    # Not `hash`, which gives every process other numbers.
    return zlib.crc32(text.encode("utf-8", "replace"))


def _joined(text: str) -> tuple[str, list[int]]:
    parts: list[str] = []
    starts: list[int] = []
    length = 0
    for sentence in sentences(text):
        starts.append(length)
        parts.append(sentence)
        length += len(sentence) + 1
    return " ".join(parts), starts


def _window(line: str, start: int) -> str:
    if len(line) - start < MIN_CHARS and start > 0:
        return MARK + _tail(line, MAX_CHARS - len(MARK))
    window = line[start : start + MAX_CHARS]
    if start + MAX_CHARS >= len(line):
        return window
    # Scripts without spaces are cut where the room ends.
    space = window.rfind(" ", MIN_CHARS, MAX_CHARS - len(MARK))
    return window[: space if space > 0 else MAX_CHARS - len(MARK)] + MARK


def _tail(line: str, room: int) -> str:
    tail = line[-room:]
    space = tail.find(" ", 0, room - MIN_CHARS)
    return tail[space + 1 :] if len(line) > room and space >= 0 else tail


HTML = "text/html; charset=utf-8"
PLAIN = "text/plain; charset=utf-8"
JSON = "application/json"
SERVICE_HOSTS = frozenset({"127.0.0.1", "localhost"})
LINKS = 6
TEASERS = 5


@dataclass(frozen=True, slots=True)
class HttpReply:
    """A whole HTTP reply."""

    status: HTTPStatus
    content_type: str
    body: bytes


class SampleSite:
    """Answers for all hosts of the library, and for the search service. Pure: no socket here."""

    def __init__(self, library: SampleSites) -> None:
        self._library = library
        self._index = SearchIndex(library)

    def answer(self, host: str, path: str, query: Mapping[str, str]) -> HttpReply:
        """Return the reply for a host name without its port, a path, and the query's parameters.

        421 for a host that is not served here, 404 for a path that the host does not have.
        """
        if host in SERVICE_HOSTS:
            return self._service(path, query)
        if host in self._library.sites:
            return self._page(host, path)
        return _text(HTTPStatus.MISDIRECTED_REQUEST, "This host is not served here.")

    def _service(self, path: str, query: Mapping[str, str]) -> HttpReply:
        match path:
            case "/search":
                return self._search(query)
            case "/config":
                return _json(configuration())
            case "/healthz":
                return _text(HTTPStatus.OK, "OK")
            case _:
                return _text(HTTPStatus.NOT_FOUND, "There is nothing here.")

    def _search(self, query: Mapping[str, str]) -> HttpReply:
        # SearXNG answers 403 where JSON is switched off, which is its default.
        if query.get("format") != "json":
            return _text(HTTPStatus.FORBIDDEN, "Only format=json is served here.")
        words = query.get("q", "")
        if not words:
            return _text(HTTPStatus.BAD_REQUEST, "No query.")
        page = query.get("pageno", "1")
        if not page.isdecimal() or int(page) < 1:
            return _text(HTTPStatus.BAD_REQUEST, "pageno must be a number from 1 on.")
        return _json(search_reply(self._index, words, page=int(page)))

    def _page(self, host: str, path: str) -> HttpReply:
        url = f"http://{host}{unquote(path).rstrip('/') or '/'}"
        document = self._library.documents.get(url)
        if document is None or document.missing:
            return _html(HTTPStatus.NOT_FOUND, "<h1>Not found</h1><p>This page has moved on.</p>")
        if document.form is FileFormat.TEXT:
            return _text(HTTPStatus.OK, document.body)
        if document.form is FileFormat.HTML:
            return _html(HTTPStatus.OK, document.body)
        return _html(HTTPStatus.OK, dress(document, self._library))


def split_target(target: str, host_header: str) -> tuple[str, str, str]:
    """Return host without port, path, and query string of a request.

    A proxy's request carries the host in its target; that one wins.

    Raises:
        ValueError: the target or the host cannot be read.
    """
    parts = urlsplit(target)
    # RFC 9112, section 3.2.2: an absolute target goes before the header `Host`.
    named = parts.hostname or urlsplit(f"//{host_header}").hostname or ""
    return named, parts.path or "/", parts.query


def dress(document: SamplePage, library: SampleSites) -> str:
    """Return a Markdown document as a whole HTML page of its host."""
    site = library.sites[document.host]
    own = library.of_host(document.host)
    return _shell(site.shell).substitute(
        language=document.language,
        title=escape(document.title),
        site=escape(site.name),
        motto=escape(site.motto),
        date=document.date,
        url=escape(document.url),
        home=escape(own[0].url),
        links=" ".join(map(_link, own[:LINKS])),
        teasers="".join(f"<li>{_link(d)}</li>" for d in _teasers(document, library)),
        content=render_html(document.body),
    )


def _html(status: HTTPStatus, body: str) -> HttpReply:
    return HttpReply(status, HTML, body.encode())


def _text(status: HTTPStatus, body: str) -> HttpReply:
    return HttpReply(status, PLAIN, body.encode())


def _json(value: dict[str, Any]) -> HttpReply:
    return HttpReply(HTTPStatus.OK, JSON, json.dumps(value, ensure_ascii=False).encode())


def _link(document: SamplePage) -> str:
    return f'<a href="{escape(document.url)}">{escape(document.title)}</a>'


def _teasers(document: SamplePage, library: SampleSites) -> list[SamplePage]:
    # By checksum: they look random, and are the same every time.
    elsewhere = [d for d in library.documents.values() if d.host != document.host and not d.missing]
    elsewhere.sort(key=lambda d: _checksum(f"{document.url} {d.url}"))
    return elsewhere[:TEASERS]


@lru_cache(maxsize=8)
def _shell(name: str) -> Template:
    folder = files("askance.sample_web").joinpath("shells")
    return Template(folder.joinpath(f"{name}.html").read_text(encoding="utf-8"))


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
        # In a thread, so that it serves callers with an event loop and callers without one.
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


class _Server(ThreadingHTTPServer):
    # Leaving the context waits for their replies: none of them outlives a test.
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
            # The standard library's parser accepts heads that other parsers read differently.
            check_head(b"".join(lines))
        except AmbiguousHead:
            # Nobody knows where the next request would begin.
            self.close_connection = True
            self.requestline = self.request_version = self.command = ""
            self._send(_text(HTTPStatus.BAD_REQUEST, "The request cannot be read."))
            return False
        # The parser reads the head that was taken from the stream; the body is still in the stream.
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
            return self._send(_text(HTTPStatus.BAD_REQUEST, "The form is too long."))
        return self._send(self._reply(self.rfile.read(int(length)).decode("utf-8", "replace")))

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # inherited name
        pass

    def _reply(self, form: str) -> HttpReply:
        try:
            host, path, query = split_target(self.path, self.headers.get("Host", ""))
        except ValueError:
            return _text(HTTPStatus.BAD_REQUEST, "The address cannot be read.")
        fields = dict(parse_qsl(f"{query}&{form}", keep_blank_values=True))
        return self.server.site.answer(host, path, fields)

    def _send(self, reply: HttpReply, *, with_body: bool = True) -> None:
        self.send_response(reply.status)
        self.send_header("Content-Type", reply.content_type)
        self.send_header("Content-Length", str(len(reply.body)))
        self.end_headers()
        if with_body:
            self.wfile.write(reply.body)
