"""The search engine of the sample web: BM25F over titles, texts, and the names of the sites."""

from __future__ import annotations

from dataclasses import dataclass

from askance.ranking.bm25 import Bm25f, Field
from askance.ranking.tokens import terms
from askance.sample_web.documents import Document
from askance.sample_web.library import Library
from askance.sample_web.snippets import best_snippet

FIELDS = {"title": Field(2.0), "text": Field(1.0), "site": Field(0.5)}


@dataclass(frozen=True, slots=True)
class Hit:
    """A page that a query found. `position` counts from 1 over all result pages."""

    document: Document
    position: int
    snippet: str


class SearchIndex:
    """Finds documents by plain words. The same query always gives the same hits."""

    def __init__(self, library: Library) -> None:
        self._documents = list(library.documents.values())
        fields = [
            {
                "title": terms(d.title),
                "text": terms(d.text),
                "site": terms(library.sites[d.host].name),
            }
            for d in self._documents
        ]
        self._ranking = Bm25f(fields, FIELDS)

    def search(self, query: str, *, first: int, count: int) -> list[Hit]:
        """Return up to `count` hits from position `first` on, best first; equals by URL."""
        wanted = terms(query)
        scores = zip(self._ranking.scores(wanted), self._documents, strict=True)
        found = sorted(((s, d) for s, d in scores if s > 0), key=lambda row: (-row[0], row[1].url))
        return [
            Hit(d, position, best_snippet(d.text, wanted, self._ranking.idf))
            for position, (_, d) in enumerate(found[first - 1 : first - 1 + count], start=first)
        ]
