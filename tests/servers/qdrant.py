"""A Qdrant server as far as the library asks one: HTTP in front of the client's own mode in memory.

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
_WRITES = ("/points/payload", "/points/delete")
_DONE = {"operation_id": 0, "status": "completed"}


def _scroll(client: QdrantClient, name: str, body: Any) -> Any:
    asked = models.ScrollRequest.model_validate(body)
    points, offset = client.scroll(
        name, asked.filter, limit=asked.limit or 10, offset=asked.offset,
        order_by=asked.order_by, with_payload=asked.with_payload or False,
    )  # fmt: skip
    return {"points": [p.model_dump(mode="json") for p in points], "next_page_offset": offset}


def _query(client: QdrantClient, name: str, body: Any) -> Any:
    asked = models.QueryRequest.model_validate(body)
    found: Any = asked.query
    found = client.query_points(
        name, found.nearest if isinstance(found, models.NearestQuery) else found,
        using=asked.using, query_filter=asked.filter, limit=asked.limit or 10,
        offset=asked.offset, score_threshold=asked.score_threshold,
        with_payload=asked.with_payload or False,
    )  # fmt: skip
    return {"points": [p.model_dump(mode="json") for p in found.points]}


def _read(client: QdrantClient, name: str, body: Any) -> Any:
    asked = models.PointRequest.model_validate(body)
    found = client.retrieve(name, asked.ids, with_payload=asked.with_payload or False)
    return [point.model_dump(mode="json") for point in found]


def _count(client: QdrantClient, name: str, body: Any) -> Any:
    return {"count": client.count(name, models.CountRequest.model_validate(body).filter).count}


def _facet(client: QdrantClient, name: str, body: Any) -> Any:
    asked = models.FacetRequest.model_validate(body)
    found = client.facet(name, asked.key, asked.filter, limit=asked.limit or 10)
    return found.model_dump(mode="json")


def _put(client: QdrantClient, name: str, body: Any) -> Any:
    client.upsert(name, models.PointsList.model_validate(body).points)
    return _DONE


def _vectors(client: QdrantClient, name: str, body: Any) -> Any:
    client.update_vectors(name, models.UpdateVectors.model_validate(body).points)
    return _DONE


def _payload(client: QdrantClient, name: str, body: Any) -> Any:
    asked = models.SetPayload.model_validate(body)
    assert asked.filter is not None
    client.set_payload(name, asked.payload, points=asked.filter)
    return _DONE


def _delete(client: QdrantClient, name: str, body: Any) -> Any:
    client.delete(name, models.FilterSelector.model_validate(body))
    return _DONE


def _make(client: QdrantClient, name: str, body: Any) -> Any:
    asked = models.CreateCollection.model_validate(body)
    client.create_collection(
        name, vectors_config=asked.vectors, sparse_vectors_config=asked.sparse_vectors
    )
    return True


def _drop(client: QdrantClient, name: str, _body: Any) -> Any:
    return client.delete_collection(name)


def _index(_client: QdrantClient, _name: str, body: Any) -> Any:
    assert models.CreateFieldIndex.model_validate(body).field_schema is not None
    return _DONE


def _exists(client: QdrantClient, name: str, _body: Any) -> Any:
    return {"exists": client.collection_exists(name)}


_ROUTES: dict[tuple[str, str], Callable[[QdrantClient, str, Any], Any]] = {
    ("GET", "/exists"): _exists,
    ("PUT", ""): _make,
    ("DELETE", ""): _drop,
    ("PUT", "/index"): _index,
    ("PUT", "/points"): _put,
    ("POST", "/points"): _read,
    ("PUT", "/points/vectors"): _vectors,
    ("POST", "/points/payload"): _payload,
    ("POST", "/points/delete"): _delete,
    ("POST", "/points/scroll"): _scroll,
    ("POST", "/points/query"): _query,
    ("POST", "/points/count"): _count,
    ("POST", "/facet"): _facet,
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


@contextmanager
def serve_qdrant(life: Life | None = None) -> Generator[str]:
    """Serve on a free port of this machine, to whoever has the key; give the address."""
    client = QdrantClient(":memory:")
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
                        self._result(body)
                    self.close_connection = True
                    return
                self._send(200, {"result": self._result(body), "status": "ok", "time": 0.0})

        def _result(self, body: Any) -> Any:
            path = self.path.partition("?")[0]
            if path == "/collections":
                return client.get_collections().model_dump(mode="json")
            found = _COLLECTION.fullmatch(path)
            assert found is not None, path
            return _ROUTES[self.command, found[2] or ""](client, found[1], body)

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
