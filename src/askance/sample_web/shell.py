"""The dress of a page: what stands around its text, so that a reader has to find the text."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable
from functools import lru_cache
from html import escape
from importlib.resources import files
from string import Template

from askance.sample_web.documents import Document
from askance.sample_web.library import Library
from askance.sample_web.markdown import render_html

LINKS = 6
TEASERS = 5
Address = Callable[[Document], str]


def dress(document: Document, library: Library, address: Address) -> str:
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


def listing(library: Library, address: Address) -> str:
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


def _items(documents: Iterable[Document], address: Address) -> str:
    return "".join(f"<li>{_link(d, address)}</li>" for d in documents)


def _link(document: Document, address: Address) -> str:
    return f'<a href="{escape(address(document))}">{escape(document.title)}</a>'


def _teasers(document: Document, library: Library) -> list[Document]:
    # By checksum: they look random, and are the same every time.
    elsewhere = [d for d in library.documents.values() if d.host != document.host and not d.missing]
    elsewhere.sort(key=lambda d: zlib.crc32(f"{document.url} {d.url}".encode()))
    return elsewhere[:TEASERS]


@lru_cache(maxsize=8)
def _shell(name: str) -> Template:
    folder = files("askance.sample_web").joinpath("shells")
    return Template(folder.joinpath(f"{name}.html").read_text(encoding="utf-8"))
