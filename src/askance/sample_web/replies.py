"""What the server says to a request: by host name a page in its dress, on its own address the search."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from http import HTTPStatus
from importlib.resources import files
from string import Template
from typing import Any
from urllib.parse import unquote, urlsplit

from askance.sample_web.documents import FileFormat, SamplePage, SampleSites, render_html
from askance.sample_web.search import SearchIndex, configuration, search_reply

HTML = "text/html; charset=utf-8"
PLAIN = "text/plain; charset=utf-8"
JSON = "application/json"
SERVICE_HOSTS = frozenset({"127.0.0.1", "localhost"})
BROWSE = "/pages/"
LINKS = 6
TEASERS = 5
Address = Callable[[SamplePage], str]


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
            return self._page(host, path, browsing=False)
        return _text(HTTPStatus.MISDIRECTED_REQUEST, "This host is not served here.")

    def _service(self, path: str, query: Mapping[str, str]) -> HttpReply:
        match path:
            case "/search":
                return self._search(query)
            case "/config":
                return _json(configuration())
            case "/healthz":
                return _text(HTTPStatus.OK, "OK")
            case "/":
                return _html(HTTPStatus.OK, listing(self._library, local_path))
            case _ if path.startswith(BROWSE):
                host, _, rest = path.removeprefix(BROWSE).partition("/")
                return self._page(host, f"/{rest}", browsing=True)
            case _:
                return _text(HTTPStatus.NOT_FOUND, "There is nothing here.")

    def _search(self, query: Mapping[str, str]) -> HttpReply:
        if query.get("format") != "json":
            return _text(HTTPStatus.FORBIDDEN, "Only format=json is served here.")
        words = query.get("q", "")
        if not words:
            return _text(HTTPStatus.BAD_REQUEST, "No query.")
        page = query.get("pageno", "1")
        if not page.isdecimal() or int(page) < 1:
            return _text(HTTPStatus.BAD_REQUEST, "pageno must be a number from 1 on.")
        return _json(search_reply(self._index, words, page=int(page)))

    def _page(self, host: str, path: str, *, browsing: bool) -> HttpReply:
        document = self._find(host, unquote(path))
        if document is None or document.missing:
            return _html(HTTPStatus.NOT_FOUND, "<h1>Not found</h1><p>This page has moved on.</p>")
        if document.form is FileFormat.TEXT:
            return _text(HTTPStatus.OK, document.body)
        if document.form is FileFormat.HTML:
            return _html(HTTPStatus.OK, document.body)
        address = local_path if browsing else _own_url
        return _html(HTTPStatus.OK, dress(document, self._library, address))

    def _find(self, host: str, path: str) -> SamplePage | None:
        return self._library.documents.get(f"http://{host}{path.rstrip('/') or '/'}")


def split_target(target: str, host_header: str) -> tuple[str, str, str]:
    """Return host without port, path, and query string of a request.

    A proxy's request carries the host in its target; that one wins.

    Raises:
        ValueError: the target or the host cannot be read.
    """
    parts = urlsplit(target)
    named = parts.hostname or urlsplit(f"//{host_header}").hostname or ""
    return named, parts.path or "/", parts.query


def local_path(document: SamplePage) -> str:
    """Return the path at which the service itself shows a page, for a person's browser."""
    return f"{BROWSE}{document.host}{document.path}"


def dress(document: SamplePage, library: SampleSites, address: Address) -> str:
    """Return a Markdown document as a whole HTML page of its host.

    `address` says where a link to another page leads.
    """
    site = library.sites[document.host]
    own = library.of_host(document.host)
    return _shell(site.shell).substitute(
        language=document.language,
        title=escape(document.title),
        site=escape(site.name),
        motto=escape(site.motto),
        date=document.date,
        url=escape(document.url),
        home=escape(address(own[0])),
        links=" ".join(_link(d, address) for d in own[:LINKS]),
        teasers="".join(f"<li>{_link(d, address)}</li>" for d in _teasers(document, library)),
        content=render_html(document.body),
    )


def listing(library: SampleSites, address: Address) -> str:
    """Return a page with a link to every document, by site."""
    parts = [
        f"<h2>{escape(site.name)}</h2><ul>{_items(library.of_host(host), address)}</ul>"
        for host, site in library.sites.items()
    ]
    return (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        "<title>The sample web</title></head><body><h1>The sample web</h1>"
        f"{''.join(parts)}</body></html>"
    )


def _own_url(document: SamplePage) -> str:
    return document.url


def _html(status: HTTPStatus, body: str) -> HttpReply:
    return HttpReply(status, HTML, body.encode())


def _text(status: HTTPStatus, body: str) -> HttpReply:
    return HttpReply(status, PLAIN, body.encode())


def _json(value: dict[str, Any]) -> HttpReply:
    return HttpReply(HTTPStatus.OK, JSON, json.dumps(value, ensure_ascii=False).encode())


def _items(documents: Iterable[SamplePage], address: Address) -> str:
    return "".join(f"<li>{_link(d, address)}</li>" for d in documents)


def _link(document: SamplePage, address: Address) -> str:
    return f'<a href="{escape(address(document))}">{escape(document.title)}</a>'


def _teasers(document: SamplePage, library: SampleSites) -> list[SamplePage]:
    # By checksum: they look random, and are the same every time.
    elsewhere = [d for d in library.documents.values() if d.host != document.host and not d.missing]
    elsewhere.sort(key=lambda d: zlib.crc32(f"{document.url} {d.url}".encode()))
    return elsewhere[:TEASERS]


@lru_cache(maxsize=8)
def _shell(name: str) -> Template:
    folder = files("askance.sample_web").joinpath("shells")
    return Template(folder.joinpath(f"{name}.html").read_text(encoding="utf-8"))
