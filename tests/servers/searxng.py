"""SearXNG for tests: a scripted one, and the real one in a child process where it is installed."""

from __future__ import annotations

import http.client
import json
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

from servers.faults import free_port
from servers.loopback import Request, Wire
from waiting import PATIENCE_S

Hit = dict[str, Any]
Hits = Callable[[str], list[Hit]]


def hit(url: str, title: str, content: str, **more: Any) -> Hit:
    """A result with the keys that the real one sends."""
    return {
        "url": url,
        "title": title,
        "content": content,
        "engine": "alpha",
        "template": "default.html",
        "parsed_url": list(urlsplit(url))[:3],
        "img_src": "",
        "thumbnail": "",
        "priority": "",
        "engines": ["alpha"],
        "positions": [1],
        "score": 1.0,
        "category": "general",
        "publishedDate": None,
        **more,
    }


def reply(
    query: str,
    results: list[Hit],
    silent: list[list[str]] | None = None,
    infoboxes: list[Hit] | None = None,
) -> dict[str, Any]:
    """The body of a whole answer."""
    return {
        "query": query,
        "results": results,
        "answers": [],
        "corrections": [],
        "infoboxes": infoboxes or [],
        "suggestions": [],
        "unresponsive_engines": silent or [],
    }


@dataclass
class ScriptedSearxng:
    """Answers as SearXNG does, its query syntax included. A handler for `servers.loopback.serve`.

    `hits` gives the results of a query; raising `LookupError` plays an engine that is blocked.
    `heard` are the queries that reached an engine.
    """

    hits: Hits
    formats: tuple[str, ...] = ("html", "json")
    heard: list[str] = field(default_factory=list[str])

    async def __call__(self, request: Request, wire: Wire) -> None:
        asked = request.query
        words = asked.get("q", "").split()
        if request.path != "/search":
            await wire.send("not found", 404)
        elif asked.get("format") not in self.formats:
            await wire.send("<h1>Forbidden</h1>", 403, {"Content-Type": "text/html"})
        elif not asked.get("q"):
            await wire.send_json({"error": "No query"}, 400)
        elif any(word.startswith("!!") for word in words):
            await wire.send("", 302, {"Location": "https://elsewhere.example/?q="})
        else:
            query = " ".join(word for word in words if word[0] not in "!:<")
            self.heard.append(query)
            await wire.send_json(self._answer(query))

    def _answer(self, query: str) -> dict[str, Any]:
        try:
            return reply(query, self.hits(query))
        except LookupError:
            return reply(query, [], [["alpha", "too many requests"]])


@contextmanager
def engine_behind(hits: Hits) -> Iterator[tuple[str, list[str]]]:
    """A search engine that the real SearXNG asks: its address, and the queries that reached it."""
    received: list[str] = []

    class Engine(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            query = parse_qs(urlsplit(self.path).query).get("q", [""])[0]
            received.append(query)
            try:
                body, status = json.dumps({"hits": hits(query)}).encode(), 200
            except LookupError:
                body, status = b"", 429
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its name upstream
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Engine) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", received
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def real_searxng(
    python: str, folder: Path, engine_url: str, formats: tuple[str, ...] = ("html", "json")
) -> Iterator[str]:
    """Run SearXNG itself with one engine, and give its address. `python` has `searx` installed."""
    port = free_port()
    settings = folder / f"settings-{port}.yml"
    settings.write_text(json.dumps(_settings(engine_url, formats, port)), encoding="utf-8")
    with (folder / f"searxng-{port}.log").open("wb") as log:
        process = subprocess.Popen(  # noqa: S603 - the developer's own Python
            [python, "-m", "searx.webapp"],
            stdout=log,
            stderr=log,
            cwd=folder,
            env={"SEARXNG_SETTINGS_PATH": str(settings), "PATH": "", "HOME": str(folder)},
        )
        try:
            _until_healthy(port, process)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait(PATIENCE_S)


def _settings(engine_url: str, formats: tuple[str, ...], port: int) -> dict[str, Any]:
    engine = {
        "name": "alpha",
        "engine": "json_engine",
        "shortcut": "al",
        "categories": "general",
        "enable_http": True,
        "search_url": f"{engine_url}/?q={{query}}",
        "results_query": "hits",
        "url_query": "url",
        "title_query": "title",
        "content_query": "content",
    }
    return {
        "use_default_settings": {"engines": {"keep_only": []}},
        "search": {"formats": list(formats), "suspended_times": {"SearxEngineTooManyRequests": 0}},
        "server": {
            "port": port,
            "bind_address": "127.0.0.1",
            "limiter": False,
            "secret_key": "of no use outside this test",
        },
        "plugins": {},
        "engines": [engine],
    }


def _until_healthy(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline and process.poll() is None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
        try:
            connection.request("GET", "/healthz")
            if connection.getresponse().status == http.client.OK:
                return
        except OSError:
            time.sleep(0.05)  # nothing else tells that a foreign process listens
        finally:
            connection.close()
    raise RuntimeError("SearXNG did not start")
