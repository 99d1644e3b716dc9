"""Request smuggling: what two readers could frame in two ways is refused by every HTTP server of ours."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import pytest

from askance.local_service.request_head import AmbiguousHead, check_head
from askance.sample_web.sample_server import serve_sample_web
from fakes.reader import ScriptedReader
from reader_service.served_reader import serving
from sampled import each_row
from server.daemons import running
from servers.search_gateway import gateway_before
from servers.smuggling import SHAPES, serves, wrongly_told


@each_row("name", SHAPES)
def test_an_ambiguous_head_is_known(name: str) -> None:
    request = SHAPES[name].replace("TARGET", "/health").replace("HOST", "127.0.0.1")
    with pytest.raises(AmbiguousHead):
        check_head(request.encode("latin-1").removesuffix(b"hello"))


PLAIN = [
    b"GET / HTTP/1.1\r\nHost: a\r\n\r\n",
    b"GET / HTTP/1.0\r\n\r\n",
    b"POST /a?b=c HTTP/1.1\r\nhost:a:80\r\ncontent-length: 0\r\n\r\n",
    b"POST /a HTTP/1.1\r\nHost: a\r\nContent-Length:17\r\nX-Empty:\r\n\r\n",
    b"POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n",
    b"POST /a HTTP/1.1\r\nHost: a\r\nX_Other: caf\xe9\ta\r\nAccept: a, b\r\nAccept: c\r\n\r\n",
]


@pytest.mark.parametrize("head", PLAIN)
def test_what_clients_send_is_let_pass(head: bytes) -> None:
    check_head(head)


async def test_the_server_of_programs_refuses_each_shape_once(tmp_path: Path) -> None:
    async with running(tmp_path, http=True) as run:
        assert await wrongly_told(run.port, "/health") == {}
        assert await serves(run.port, "/health")


async def test_the_reader_service_refuses_each_shape_once() -> None:
    async with serving(ScriptedReader({})) as service:
        assert await wrongly_told(service.port, "/version") == {}
        assert await serves(service.port, "/version")


async def test_the_gateway_of_searches_refuses_each_shape_once(tmp_path: Path) -> None:
    with gateway_before("http://127.0.0.1:1", tmp_path / "search.token") as url:
        port = urlsplit(url).port or 0
        assert await wrongly_told(port, "/") == {}
        assert await serves(port, "/")


async def test_the_sample_web_refuses_each_shape_once() -> None:
    with serve_sample_web() as web:
        port = urlsplit(web.search_url).port or 0
        assert await wrongly_told(port, "/search?q=a&format=json") == {}
        assert await serves(port, "/search?q=a&format=json")
