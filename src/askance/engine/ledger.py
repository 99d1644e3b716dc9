"""The evidence as a ledger: passages are selected, sources get a number and keep it."""

from __future__ import annotations

import asyncio
import math
import re
import secrets
import string
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import replace

from askance.citations.markers import round_foreign_markers
from askance.config.settings import EvidenceSettings
from askance.domain.events import PassagesSelected, WarningCode
from askance.domain.evidence import Extract, ExtractKind, Passage, Source
from askance.domain.messages import Message
from askance.domain.web import SearchResult, host_of
from askance.engine.budget import Governor
from askance.engine.progress import Progress
from askance.engine.transcript import PromptedTurn
from askance.extract.text import break_control_tokens, strip_invisible
from askance.ranking.selection import Budget, Found, Selector
from askance.ranking.urls import canonical

NONCE_PAIRS = 4
_BLANK_LINES = re.compile(r"\n\s*\n+")
_SPACES = re.compile(r"[ \t\u00a0]+")


def new_nonce() -> str:
    """Return what no page can know, and what has as many tokens each time: letters between digits
    are one each in nearly every vocabulary."""
    pairs = range(NONCE_PAIRS)
    return "".join(
        secrets.choice(string.ascii_lowercase) + secrets.choice(string.digits) for _ in pairs
    )


class Ledger:
    """Numbered evidence, and its text as it stands in every prompt of the run."""

    def __init__(self, nonce: str) -> None:
        self._open, self._close = f"<<<web {nonce}", f"web {nonce}>>>"
        self._numbers: dict[str, int] = {}
        self._sources: dict[int, Source] = {}
        self._extracts: list[Extract] = []
        self._earlier = 0
        self._earlier_sources: frozenset[int] = frozenset()
        self._batches: list[str] = []
        self._shown: set[int] = set()

    def keep(self, turns: Iterable[PromptedTurn]) -> None:
        """Begin with what stands in the prompts of earlier turns; its numbers stay, and go on."""
        for turn in turns:
            self._extracts += turn.extracts
            for source in turn.sources:
                self._sources[source.n] = source
                self._numbers[canonical(source.url)] = source.n
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

    def add_passages(self, passages: Iterable[Passage], published: dict[str, str | None]) -> None:
        """Enter passages, those of one page together. `published` gives dates by page URL."""
        by_page: dict[str, list[Passage]] = {}
        for passage in passages:
            by_page.setdefault(passage.url, []).append(passage)
        blocks: list[str] = []
        for url, found in by_page.items():
            n = self._number(url, found[0].title, published.get(url))
            self._sources[n] = replace(self._sources[n], snippet_only=False)
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


# Selecting: the best passages of the pages read enter the ledger, as many as the context carries.

# Tokens of a source's own line in the evidence.
HEAD_TOKENS = 16

# Share of a snippet, which is cut anywhere, that tells whether its place on the page has entered.
KNOWN_SNIPPET = 0.5


class Selecting:
    """Remembers what entered in earlier rounds."""

    def __init__(
        self, question: str, settings: EvidenceSettings, ledger: Ledger, progress: Progress
    ) -> None:
        self._settings = settings
        self._ledger = ledger
        self._progress = progress
        self.withheld = False
        """Whether the last selection left passages out because there was no time for them."""
        self.left = 0
        """Tokens that the round still has for passages which the last selection left out."""
        self._entered = 0
        self._selector = Selector(question)

    def keep(self, turns: Iterable[PromptedTurn]) -> None:
        """Take note of what stands in the ledger from earlier turns: no copy of it enters."""
        for turn in turns:
            for extract in turn.extracts:
                self._selector.remember(extract.text)

    def holds(self, snippet: str) -> bool:
        """Say whether what a snippet shows has entered, perhaps from another page that says the same."""
        return self._selector.share_known(snippet) >= KNOWN_SNIPPET

    async def add(
        self,
        pages: Sequence[Found],
        governor: Governor,
        room: int,
        round_number: int,
        in_time: float = math.inf,
        *,
        portion: float = math.inf,
        more: bool = False,
    ) -> int:
        """Enter the best passages into the ledger and return how many.

        `room` is what the context still holds, `in_time` what the model can take in before its time
        is up, both in tokens. No more than a `portion` enters at once; `more` goes on with the round.
        Many pages take seconds, so a thread chooses, on a copy of what was seen: one that is given up
        has changed nothing.
        """
        settings = self._settings
        whole = settings.first_round_tokens if round_number == 1 else settings.later_round_tokens
        if not more:
            self.left, self._entered = whole, 0
        # A round that goes on beyond its share does so because time had kept it from the model.
        wanted = int(min(self.left or settings.later_round_tokens, portion))
        fitting = min(wanted, room)
        count = settings.max_passages and max(1, settings.max_passages - self._entered)
        budget = Budget(int(min(fitting, in_time)), count, settings.max_passages_per_host)
        selector = self._selector.copy()
        selection = await asyncio.to_thread(
            selector.select,
            pages,
            budget,
            lambda text: governor.cost(text) + HEAD_TOKENS,
            more=more,
        )
        self._selector = selector
        published = {f.page.url: f.page.published for f in pages}
        before = governor.cost(self._ledger.text)
        self._ledger.add_passages(selection.passages, published)
        tokens = governor.cost(self._ledger.text) - before
        self._entered += len(selection.passages)
        is_full = settings.max_passages and self._entered >= settings.max_passages
        has_more = selection.dropped > 0 and not is_full
        self.withheld = in_time < fitting and has_more
        self.left = max(0, self.left - tokens) if has_more else 0
        if room < wanted and selection.dropped:
            self._progress.warn(
                WarningCode.EVIDENCE_DROPPED,
                Message("{n} passages did not fit into the model's context.", n=selection.dropped),
            )
        self._progress.emit(
            PassagesSelected(
                len(selection.passages),
                len({p.url for p in selection.passages}),
                tokens,
                selection.dropped,
                selection.copies,
                round_number,
            )
        )
        return len(selection.passages)
