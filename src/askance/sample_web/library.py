"""All pages and sites of the sample web, as the package ships them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from askance.sample_web.documents import Document, parse_document


@dataclass(frozen=True, slots=True)
class Site:
    """One host: its name, its motto, and the shell that its pages are dressed in."""

    name: str
    motto: str
    shell: str


@dataclass(frozen=True, slots=True)
class Library:
    """The sites by host, and the documents by URL, both in alphabetical order."""

    sites: Mapping[str, Site]
    documents: Mapping[str, Document]

    def of_host(self, host: str) -> tuple[Document, ...]:
        """Return the pages that a host still has."""
        return tuple(d for d in self.documents.values() if d.host == host and not d.missing)


@lru_cache(maxsize=1)
def load_library() -> Library:
    """Return the library; it is read once in a process."""
    root = files("askance.sample_web")
    sites = json.loads(root.joinpath("sites.json").read_text(encoding="utf-8"))
    documents = [
        parse_document(host, file.name, file.read_text(encoding="utf-8"))
        for host in sites
        for file in root.joinpath("pages", host).iterdir()
    ]
    return Library(
        {host: Site(**fields) for host, fields in sorted(sites.items())},
        {d.url: d for d in sorted(documents, key=lambda d: d.url)},
    )
