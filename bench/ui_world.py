"""What the window talks to while it is measured: a model that writes at a pace, a search,
pages, and a hub of models.

All of it is scripted and answers on one loopback port. Its pages are the articles of the extraction
benchmark where they are at hand, and those of the sample web where not.
"""

from __future__ import annotations

import hashlib
import json
import random
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from time import monotonic, sleep
from typing import Any
from urllib.parse import parse_qs, urlsplit

from askance.app.model_tiers import model_tiers
from askance.sample_web.sample_pages import load_library
from bench.extraction import FOLDER, load_articles

MODEL = "scripted:latest"
REPORT = "report.pdf"
"""The name of a file that is asked about: that is answered without rounds."""
TOKENS_A_SECOND = 200
TOKEN_CHARACTERS = 4
CONTEXT_TOKENS = 131_072
_HITS = 20
_ROUNDS = 2
_LARGEST_PAGE = 400_000
_BLOCK = random.Random(1).randbytes(1_000_000)  # noqa: S311 - no secret
# Names, of which no page speaks: a rewording of the question would not be searched.
_GAP = {"sufficiency": "partial", "gap_queries": ["Marguerite Oakes", "Port Ellerby"]}
_ENOUGH = {"sufficiency": "sufficient", "gap_queries": []}
_GIVEN_UP = "I could not find the answer in the sources."
_PLAN = {
    "action": "proceed",
    "history_sufficiency": "insufficient",
    "optimized_query": "what they say of it",
    "clarifying_question": "",
}


@dataclass(frozen=True, slots=True)
class Site:
    """A page of a host of its own."""

    host: str
    html: bytes
    text: str

    @property
    def url(self) -> str:
        """Its address, which only the window under measurement can reach."""
        return f"http://{self.host}/"


@dataclass(frozen=True, slots=True)
class World:
    """The running servers. `are_articles` says whether the pages are those of the benchmark.

    `served` has the hosts whose pages were asked for, `found` the moments at which searches were answered.
    """

    url: str
    port: int
    sites: tuple[Site, ...]
    are_articles: bool
    served: list[str]
    found: list[float]


def answer_text(characters: int, sites: Sequence[Site], sources: int) -> str:
    """Return Markdown of that length: sentences of the pages with markers, lists, code, tables.

    Nothing is said twice: an answer that repeats itself is cut off.
    """
    texts = {s.strip() for site in sites for s in site.text.split(". ") if 40 < len(s) < 240}
    sentences = sorted(texts)
    chosen = random.Random(characters)  # noqa: S311 - no secret
    chosen.shuffle(sentences)
    parts: list[str] = []
    length = 0
    while length < characters:
        n = len(parts)
        reports = [f"{sentences.pop()} [{chosen.randint(1, sources)}]." for _ in range(3)]
        match n % 9:
            case 3:
                part = "".join(f"- {sentence}\n" for sentence in reports) + "\n"
            case 5:
                part = f"## Part {n}\n\n"
            case 6:
                lines = (f"moved_{n + k} = step({n * k}, 'metre')  # slowly\n" for k in range(12))
                part = "```python\n" + "".join(lines) + "```\n\n"
            case 8 if n % 2:
                rows = (f"| {1900 + n + k} | {n * k} |\n" for k in range(8))
                part = "| year | metres |\n|---|---|\n" + "".join(rows) + "\n"
            case _:
                part = f"**{reports[0]}** {reports[1]} {reports[2]}\n\n"
        parts.append(part)
        length += len(part)
    return "".join(parts)[:characters]


@contextmanager
def serve_world(answer: int, *, hurry: float = 1.0, model_mb: int = 1) -> Generator[World]:
    """Serve for as long as the context lasts. The model writes `answer` characters, or a line.

    It writes at `hurry` times its pace. The files of a hub of models have `model_mb` million bytes.
    """
    sites, are_articles = _sites()
    with _Server(sites, answer_text(answer, sites, sources=8), hurry, model_mb) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        port = server.server_port
        try:
            yield World(
                f"http://127.0.0.1:{port}", port, sites, are_articles, server.served, server.found
            )
        finally:
            server.shutdown()
            thread.join()


def _sites() -> tuple[tuple[Site, ...], bool]:
    if FOLDER.is_dir():
        found = [a for a in load_articles(FOLDER) if len(a.html) < _LARGEST_PAGE]
        pages = [(a.html, a.text) for a in found]
    else:
        read = load_library().documents.values()
        pages = [(_dressed(d.title, d.text), d.text) for d in read]
    hosts = (f"page{n}.example" for n in range(len(pages)))
    sites = tuple(Site(host, *page) for host, page in zip(hosts, pages, strict=True))
    return sites, FOLDER.is_dir()


def _dressed(title: str, text: str) -> bytes:
    paragraphs = "".join(f"<p>{line}</p>" for line in text.split("\n") if line)
    return f"<html><title>{title}</title><article>{paragraphs}</article></html>".encode()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, sites: Sequence[Site], answer: str, hurry: float, model_mb: int) -> None:
        self.sites = {site.host: site for site in sites}
        self.order = list(sites)
        self.answer = answer
        self.token_s = 1 / (TOKENS_A_SECOND * hurry)
        self.model_mb = model_mb
        self.model_sha256 = hashlib.sha256(_BLOCK * model_mb).hexdigest()
        self.served: list[str] = []
        self.found: list[float] = []
        self.searches = 0
        self.verdicts = 0
        self.is_enough = False
        super().__init__(("127.0.0.1", 0), _Handler)


class _Handler(BaseHTTPRequestHandler):
    disable_nagle_algorithm = True

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the library's interface
        pass

    @property
    def _world(self) -> _Server:
        assert isinstance(self.server, _Server)
        return self.server

    def do_GET(self) -> None:
        site = self._world.sites.get(self.headers.get("Host", "").partition(":")[0])
        if site is not None:
            self._world.served.append(site.host)
            return self._send(site.html, "text/html; charset=utf-8")
        parts = urlsplit(self.path)
        match parts.path:
            case "/search":
                query = parse_qs(parts.query).get("q", [""])[0]
                self._json(self._found(query) if query else {"error": "No query"})
                self._world.found.append(monotonic())
                return None
            case "/config":
                return self._json({"engines": [], "version": "0"})
            case "/healthz":
                return self._send(b"OK", "text/plain")
            case "/api/version":
                return self._json({"version": "0.34.0"})
            case path if path.startswith("/api/models/"):
                size, lfs = self._world.model_mb * len(_BLOCK), {"oid": self._world.model_sha256}
                return self._json(
                    [{"path": t.file, "size": size, "lfs": lfs} for t in model_tiers()]
                )
            case path if path.endswith(".gguf"):
                return self._send_model()
            case _:
                return self._json({"models": [{"name": MODEL, "model": MODEL, "size": 1}]})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path != "/api/chat":
            info = {"general.architecture": "s", "s.context_length": CONTEXT_TOKENS}
            return self._json({"model_info": info, "capabilities": ["completion"]})
        fields = body["format"]["properties"] if body.get("format") else {}
        if "action" in fields:
            text = json.dumps(_PLAN)
        elif "sufficiency" in fields:
            self._world.verdicts += 1
            is_last = self._world.verdicts % _ROUNDS == 0
            self._world.is_enough = is_last
            text = json.dumps(_ENOUGH if is_last else _GAP)
        elif ">>>" in (asked := body["messages"][-1]["content"]) and not (
            self._world.is_enough or REPORT in asked
        ):
            # Where code finds the answer plain the writer is asked first: each run shall have its rounds.
            text = _GIVEN_UP
        else:
            self._world.is_enough = False
            text = self._world.answer
        return self._say(text, self._world.token_s if not fields else 0)

    def _found(self, query: str) -> dict[str, Any]:
        """Other pages for each query, so that every round has some to read."""
        first = self._world.searches * _HITS
        self._world.searches += 1
        order = self._world.order
        chosen = [order[(first + n) % len(order)] for n in range(_HITS)]
        results = [
            {"url": s.url, "title": f"{query}: {s.text[:60]}", "content": s.text[60:360],
             "engine": "scripted", "engines": ["scripted"], "score": 1.0}
            for s in chosen
        ]  # fmt: skip
        return {"query": query, "results": results, "unresponsive_engines": []}

    def _say(self, text: str, token_s: float) -> None:
        """Write a reply token by token; each has its moment, whatever the last one took."""
        self.send_response(200)
        self.send_header("Content-Type", "application/x-ndjson")
        self.end_headers()
        tokens = [text[i : i + TOKEN_CHARACTERS] for i in range(0, len(text), TOKEN_CHARACTERS)]
        began = monotonic()
        with suppress(OSError):
            for n, token in enumerate(tokens):
                sleep(max(0.0, began + n * token_s - monotonic()))
                self._line({"message": {"role": "assistant", "content": token}, "done": False})
            counts = {"prompt_eval_count": 100, "eval_count": len(tokens)}
            end = {"message": {"role": "assistant", "content": ""}, "done_reason": "stop"}
            self._line({**end, "done": True, **counts})

    def _line(self, value: dict[str, Any]) -> None:
        self.wfile.write(json.dumps({"model": MODEL, **value}).encode() + b"\n")

    def _json(self, value: Any) -> None:
        self._send(json.dumps(value).encode(), "application/json")

    def _send_model(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(self._world.model_mb * len(_BLOCK)))
        self.end_headers()
        for _ in range(self._world.model_mb):
            self.wfile.write(_BLOCK)

    def _send(self, body: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
