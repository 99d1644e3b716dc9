"""Numbered sources and their text as prompts show it: a source gets its number when it enters, and keeps it."""

from __future__ import annotations

import re
import secrets
import string
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from askance.citations.foreign_markers import round_foreign_markers
from askance.domain.evidence import Extract, ExtractKind, Passage, Source
from askance.domain.library import Origin
from askance.domain.web import SearchResult, host_of
from askance.engine.transcript import PromptedTurn
from askance.extract.markdown import FENCES, code_apart
from askance.extract.text import break_control_tokens, strip_invisible
from askance.text.ranking.urls import canonical

NONCE_PAIRS = 4
_BLANK_LINES = re.compile(r"\n\s*\n+")
_SPACES = re.compile(r"[ \t\u00a0]+")
_FENCE = re.compile(r"^[ \t>]{0,8}(?:```|~~~)", re.MULTILINE)


def new_nonce() -> str:
    """Return what no page can know, and what has as many tokens each time: letters between digits
    are one each in nearly every vocabulary."""
    pairs = range(NONCE_PAIRS)
    return "".join(
        secrets.choice(string.ascii_lowercase) + secrets.choice(string.digits) for _ in pairs
    )


class NumberedEvidence:
    """Numbered evidence, and its text as it stands in every prompt of the run."""

    def __init__(self, nonce: str) -> None:
        self._open, self._close = f"<<<web {nonce}", f"web {nonce}>>>"
        self._numbers: dict[tuple[str, bool], int] = {}
        self._sources: dict[int, Source] = {}
        self._extracts: list[Extract] = []
        self._earlier = 0
        self._earlier_sources: frozenset[int] = frozenset()
        self._batches: list[str] = []
        self._shown: set[int] = set()

    def restore(self, turns: Iterable[PromptedTurn]) -> None:
        """Begin with what stands in the prompts of earlier turns; its numbers stay, and go on."""
        for turn in turns:
            self._extracts += turn.extracts
            for source in turn.sources:
                self._sources[source.n] = source
                self._numbers[_key(source.url, source.origin)] = source.n
                self._shown.add(source.n)
        self._earlier = len(self._extracts)
        self._earlier_sources = frozenset(self._sources)

    @property
    def sources(self) -> tuple[Source, ...]:
        """All sources, by number."""
        return tuple(self._sources[n] for n in sorted(self._sources))

    @property
    def extracts(self) -> tuple[Extract, ...]:
        """All texts, in the order in which they entered."""
        return tuple(self._extracts)

    @property
    def entered(self) -> tuple[Extract, ...]:
        """The texts that entered in this run."""
        return tuple(self._extracts[self._earlier :])

    @property
    def entered_sources(self) -> tuple[Source, ...]:
        """The sources that entered in this run, or of which more did."""
        again = {extract.n for extract in self.entered}
        return tuple(s for s in self.sources if s.n in again or s.n not in self._earlier_sources)

    def prompted(self, written: PromptedTurn) -> PromptedTurn:
        """Return the writer's prompt and reply with what entered for them."""
        return replace(written, sources=self.entered_sources, extracts=self.entered)

    @property
    def text(self) -> str:
        """The evidence as prompts show it; empty while there is none."""
        return "\n\n".join(self._batches)

    def listing(self, results: Sequence[SearchResult]) -> tuple[str, int]:
        """Return results as they would stand in the evidence, without entering them, and the first's number."""
        first = max(self._sources, default=0) + 1
        blocks = [
            f"[{n}] {clean_text(r.title)} ({clean_text(host_of(r.url))})\n{clean_text(r.snippet)}"
            for n, r in enumerate(results, first)
        ]
        return "\n".join([self._open, *blocks, self._close]), first

    def add_snippets(self, results: Iterable[SearchResult]) -> None:
        """Enter results by title and snippet."""
        blocks: list[str] = []
        for result in results:
            n = self._number(result.url, result.title, result.published)
            blocks.append(self._entry(n, ExtractKind.SNIPPET, result.snippet))
        self._append(blocks)

    def add_passages(
        self,
        passages: Iterable[Passage],
        published: Mapping[str, str | None],
        origins: Mapping[str, Origin] = MappingProxyType({}),
        unread: Collection[str] = (),
    ) -> None:
        """Enter passages, those of one page together.

        By page URL, `published` gives dates, and `origins` where documents of the library came from. Of
        those that are `unread` no more is known than what a search showed.
        """
        by_page: dict[str, list[Passage]] = {}
        for passage in passages:
            by_page.setdefault(passage.url, []).append(passage)
        blocks: list[str] = []
        for url, found in by_page.items():
            origin = origins.get(url, Origin.WEB)
            n = self._number(url, found[0].title, published.get(url), origin)
            source = replace(self._sources[n], snippet_only=url in unread)
            if url in origins and n not in self._shown:
                source = replace(source, origin=origins[url], kept=True)
            self._sources[n] = source
            ordered = sorted(found, key=lambda p: p.offset)
            texts = [
                self._add(n, ExtractKind.PASSAGE, p.text, p.heading, p.offset) for p in ordered
            ]
            blocks.append(f"{self._head(n)}\n" + "\n...\n".join(texts))
        self._append(blocks)

    def _entry(self, n: int, kind: ExtractKind, text: str) -> str:
        extract = self._add(n, kind, text)
        return f"{self._head(n)}\n{extract}".rstrip()

    def _add(self, n: int, kind: ExtractKind, text: str, heading: str = "", offset: int = 0) -> str:
        seen = seen_text(text)
        if seen:
            self._extracts.append(Extract(n, kind, seen, heading, offset, len(text)))
        return clean_text(seen)

    def _number(
        self, url: str, title: str, published: str | None, origin: Origin = Origin.WEB
    ) -> int:
        key = _key(url, origin)
        if key not in self._numbers:
            n = max(self._sources, default=0) + 1
            self._numbers[key] = n
            name = seen_text(title).replace("\n", " ") or host_of(url)
            self._sources[n] = Source(n, url, name, host_of(url), published)
        return self._numbers[key]

    def _head(self, n: int) -> str:
        """The source's line: in full where it enters, short where more of it follows."""
        source = self._sources[n]
        title = clean_text(source.title)
        if n in self._shown:
            return f"[{n}] {title}"
        self._shown.add(n)
        date = f", {clean_text(source.published[:10])}" if source.published else ""
        place = clean_text(source.host) if source.host else "local file"
        if source.host and source.is_private:
            place = "imported"
        return f"[{n}] {title} ({place}{date})"

    def _append(self, blocks: list[str]) -> None:
        if blocks:
            self._batches.append("\n".join([self._open, *blocks, self._close]))


def _key(url: str, origin: Origin) -> tuple[str, bool]:
    """Return what a source is known by: what others tell of a page is another source than the page."""
    return canonical(url), origin is Origin.WEB


def seen_text(text: str) -> str:
    """Return what a reader of a page sees: no invisible characters, no idle white space outside of code.

    Quotes are taken from it, so that they are found again on the page.
    """
    seen = unicodedata.normalize("NFC", strip_invisible(text))
    if not _FENCE.search(seen):
        return _tidy(seen)
    parts = (
        part if is_code and part.startswith(FENCES) else _tidy(part)
        for is_code, part in code_apart(seen)
    )
    return "\n".join(part for part in parts if part.strip()).strip()


def _tidy(text: str) -> str:
    return _BLANK_LINES.sub("\n", _SPACES.sub(" ", text)).strip()


def clean_text(text: str) -> str:
    """Return what a model may read of a page: what is seen, without markers and control tokens."""
    return break_control_tokens(round_foreign_markers(seen_text(text)))
