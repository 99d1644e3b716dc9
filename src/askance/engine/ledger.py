"""The evidence as a ledger: sources get a number when they enter and keep it; entries are only added."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import replace

from askance.citations.foreign_markers import round_foreign_markers
from askance.domain.evidence import Extract, ExtractKind, Passage, Source
from askance.domain.web import SearchResult, host_of
from askance.extract.control_tokens import break_control_tokens
from askance.extract.invisible import strip_invisible
from askance.ranking.urls import canonical

_BLANK_LINES = re.compile(r"\n\s*\n+")
_SPACES = re.compile(r"[ \t\u00a0]+")


class Ledger:
    """Numbered evidence, and its text as it stands in every prompt of the run."""

    def __init__(self, nonce: str) -> None:
        self._open, self._close = f"<<<web {nonce}", f"web {nonce}>>>"
        self._numbers: dict[str, int] = {}
        self._sources: list[Source] = []
        self._extracts: list[Extract] = []
        self._batches: list[str] = []
        self._shown: set[int] = set()

    @property
    def sources(self) -> tuple[Source, ...]:
        """All sources, by number."""
        return tuple(self._sources)

    @property
    def extracts(self) -> tuple[Extract, ...]:
        """All texts, in the order in which they entered."""
        return tuple(self._extracts)

    @property
    def text(self) -> str:
        """The evidence as prompts show it; empty while there is none."""
        return "\n\n".join(self._batches)

    def add_snippets(self, results: Iterable[SearchResult]) -> None:
        """Enter results by title and snippet."""
        blocks: list[str] = []
        for result in results:
            n = self._number(result.url, result.title, result.published)
            blocks.append(self._entry(n, ExtractKind.SNIPPET, result.snippet))
        self._append(blocks)

    def add_passages(self, passages: Iterable[Passage], published: dict[str, str | None]) -> None:
        """Enter passages, those of one page together. `published` gives dates by page URL."""
        by_page: dict[str, list[Passage]] = {}
        for passage in passages:
            by_page.setdefault(passage.url, []).append(passage)
        blocks: list[str] = []
        for url, found in by_page.items():
            n = self._number(url, found[0].title, published.get(url))
            self._sources[n - 1] = replace(self._sources[n - 1], snippet_only=False)
            ordered = sorted(found, key=lambda p: p.offset)
            texts = [
                self._keep(n, ExtractKind.PASSAGE, p.text, p.heading, p.offset) for p in ordered
            ]
            blocks.append(f"{self._head(n)}\n" + "\n...\n".join(texts))
        self._append(blocks)

    def _entry(self, n: int, kind: ExtractKind, text: str) -> str:
        kept = self._keep(n, kind, text)
        return f"{self._head(n)}\n{kept}".rstrip()

    def _keep(
        self, n: int, kind: ExtractKind, text: str, heading: str = "", offset: int = 0
    ) -> str:
        seen = seen_text(text)
        if seen:
            self._extracts.append(Extract(n, kind, seen, heading, offset))
        return clean_text(seen)

    def _number(self, url: str, title: str, published: str | None) -> int:
        key = canonical(url)
        if key not in self._numbers:
            n = len(self._sources) + 1
            self._numbers[key] = n
            name = seen_text(title).replace("\n", " ") or host_of(url)
            self._sources.append(Source(n, url, name, host_of(url), published))
        return self._numbers[key]

    def _head(self, n: int) -> str:
        """The source's line: in full where it enters, short where more of it follows."""
        source = self._sources[n - 1]
        title = clean_text(source.title)
        if n in self._shown:
            return f"[{n}] {title}"
        self._shown.add(n)
        date = f", {clean_text(source.published[:10])}" if source.published else ""
        return f"[{n}] {title} ({clean_text(source.host)}{date})"

    def _append(self, blocks: list[str]) -> None:
        if blocks:
            self._batches.append("\n".join([self._open, *blocks, self._close]))


def seen_text(text: str) -> str:
    """Return what a reader of a page sees: no invisible characters, no idle white space.

    Quotes are taken from it, so that they are found again on the page.
    """
    seen = unicodedata.normalize("NFC", strip_invisible(text))
    return _BLANK_LINES.sub("\n", _SPACES.sub(" ", seen)).strip()


def clean_text(text: str) -> str:
    """Return what a model may read of a page: what is seen, without markers and control tokens."""
    return break_control_tokens(round_foreign_markers(seen_text(text)))
