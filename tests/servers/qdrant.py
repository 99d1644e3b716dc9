"""A Qdrant server as far as the vectors ask one: HTTP in front of the client's own mode in memory.

Each request is read by the models of Qdrant's own API, so that what goes over the wire must be one.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from qdrant_client import QdrantClient
from qdrant_client.http import models

KEY = "hush"
_COLLECTION = re.compile(r"/collections/(\w+)(/[\w/]+)?")
_WRITES = ("/points/delete",)
_DONE = {"operation_id": 0, "status": "completed"}


def _query(client: QdrantClient, name: str, body: Any) -> Any:
    asked = models.QueryRequest.model_validate(body)
    found: Any = asked.query
    found = client.query_points(
        name, found.nearest if isinstance(found, models.NearestQuery) else found,
        query_filter=asked.filter, limit=asked.limit or 10, score_threshold=asked.score_threshold,
        with_payload=asked.with_payload or False,
    )  # fmt: skip
    return {"points": [p.model_dump(mode="json") for p in found.points]}


def _put(client: QdrantClient, name: str, body: Any) -> Any:
    client.upsert(name, models.PointsList.model_validate(body).points)
    return _DONE


def _delete(client: QdrantClient, name: str, body: Any) -> Any:
    client.delete(name, models.PointIdsList.model_validate(body))
    return _DONE


def _make(client: QdrantClient, name: str, body: Any) -> Any:
    asked = models.CreateCollection.model_validate(body)
    client.create_collection(name, vectors_config=asked.vectors)
    return True


def _drop(client: QdrantClient, name: str, _body: Any) -> Any:
    return client.delete_collection(name)


def _exists(client: QdrantClient, name: str, _body: Any) -> Any:
    return {"exists": client.collection_exists(name)}


_ROUTES: dict[tuple[str, str], Callable[[QdrantClient, str, Any], Any]] = {
    ("GET", "/exists"): _exists,
    ("PUT", ""): _make,
    ("DELETE", ""): _drop,
    ("PUT", "/points"): _put,
    ("POST", "/points/delete"): _delete,
    ("POST", "/points/query"): _query,
}


@dataclass
class Life:
    """Until when a server lives: so many `writes` more, for ever where that is None.

    The one at which it is killed may have been done. What was done before is there when it is started again.
    """

    writes: int | None = None
    does_last: bool = False

    def ends(self, *, writes: bool) -> bool:
        """Count a request, and return whether no reply comes of it."""
        if self.writes is None:
            return False
        if writes or self.writes < 0:
            self.writes -= 1
        return self.writes < 0


def _reply(client: QdrantClient, command: str, path: str, body: Any) -> tuple[int, Any]:
    found = _COLLECTION.fullmatch(path.partition("?")[0])
    assert found is not None, path
    is_made = command == "PUT" or found[2] == "/exists"
    if not is_made and not client.collection_exists(found[1]):
        return 404, {"status": {"error": "no such collection"}}
    result = _ROUTES[command, found[2] or ""](client, found[1], body)
    return 200, {"result": result, "status": "ok", "time": 0.0}


@contextmanager
def serve_qdrant(life: Life | None = None, memory: QdrantClient | None = None) -> Generator[str]:
    """Serve on a free port of this machine, to whoever has the key; give the address."""
    client = memory or QdrantClient(":memory:")
    life = life or Life()
    one_at_a_time = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        disable_nagle_algorithm = True  # heads and bodies are sent apart: 40 ms a request
        protocol_version = "HTTP/1.1"

        def log_message(self, *args: Any, **named: Any) -> None:
            """Say nothing."""

        def _answer(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length)) if length else {}
            if self.headers.get("api-key") != KEY:
                self._send(401, {"status": {"error": "no key"}})
                return
            with one_at_a_time:
                if life.ends(
                    writes=self.command == "PUT" or self.path.split("?")[0].endswith(_WRITES)
                ):
                    if life.does_last and life.writes == -1:
                        _reply(client, self.command, self.path, body)
                    self.close_connection = True
                    return
                self._send(*_reply(client, self.command, self.path, body))

        def _send(self, status: int, text: Any) -> None:
            data = json.dumps(text).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_PUT = do_POST = do_DELETE = _answer  # noqa: N815 - their names

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
        client.close()
