"""The evidence of a run: numbered sources, what of the pages read enters, and how much still fits."""

from __future__ import annotations

import asyncio
import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from askance.citations.markdown.foreign_markers import clean_text, new_nonce, seen_text
from askance.domain.events import PassagesSelected, WarningCode
from askance.domain.evidence import (
    Citation,
    Extract,
    ExtractKind,
    Passage,
    RememberedAnswer,
    Source,
)
from askance.domain.library import PAGE_BREAK, DocumentKind, Origin, first_page
from askance.domain.messages import Message
from askance.domain.web_pages import Page, SearchResult, day_in, host_of
from askance.engine.context import RunContext
from askance.engine.prompts import ContextBudget, PromptedTurn
from askance.engine.search import SearchCandidate
from askance.text.ranking.origins import ComparedText, have_one_origin
from askance.text.ranking.scoring import Budget, FoundPage, PassageSelector, Selection
from askance.text.ranking.urls import canonical, page_key

# Numbered sources and their text as prompts show it: a source gets its number when it enters,
# and keeps it.


# As long is an ISO date.
_WHOLE_DAY = 10
# A quote that goes on on the next page is known by its beginning.
_QUOTE_BEGINNING = 40


class NumberedEvidence:
    """Numbered evidence, and its text as it stands in every prompt of the run."""

    def __init__(self, nonce: str) -> None:
        # The word is drawn for each run (`new_nonce`): a page that writes a fence cannot close
        # ours.
        self._open, self._close = f"<<<web {nonce}", f"web {nonce}>>>"
        self._numbers: dict[tuple[str, bool], int] = {}
        self._sources: dict[int, Source] = {}
        self._extracts: list[Extract] = []
        self._earlier = 0
        self._earlier_sources: frozenset[int] = frozenset()
        self._batches: list[str] = []
        self._shown: set[int] = set()
        # Of each source with pages: what its passages say on each of theirs, and on which they begin.
        self._page_parts: dict[int, list[tuple[int, list[str]]]] = {}

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

    def prompted(self, written: PromptedTurn, pages: Sequence[Page]) -> PromptedTurn:
        """Return the writer's prompt and reply with what entered for them, and what was read."""
        return replace(
            written, sources=self.entered_sources, extracts=self.entered, pages=tuple(pages)
        )

    @property
    def text(self) -> str:
        """The evidence as prompts show it; empty while there is none."""
        return "\n\n".join(self._batches)

    def fenced(self, text: str) -> str:
        """Return clean words of sources between the fences of the evidence, for a task that holds some."""
        return f"{self._open}\n{text}\n{self._close}"

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
            text = self._add(n, ExtractKind.SNIPPET, result.snippet)
            blocks.append(f"{self._head(n)}\n{text}".rstrip())
        self._append(blocks)

    def add_passages(
        self,
        passages: Iterable[Passage],
        published: Mapping[str, str | None],
        origins: Mapping[str, Origin] = MappingProxyType({}),
        unread: Collection[str] = (),
        texts: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """Enter passages, those of one page together. The best of each comes first.

        By page URL, `published` gives dates, `origins` where documents of the library came from, and `texts` these. Of
        those that are `unread` no more is known than what a search showed.
        """
        by_page: dict[str, list[Passage]] = {}
        for passage in passages:
            by_page.setdefault(passage.url, []).append(passage)
        blocks: list[str] = []
        for url, found in by_page.items():
            origin = origins.get(url, Origin.WEB)
            n = self._number(url, found[0].title, published.get(url), origin)
            # It may have entered as a snippet in an earlier round: now its page was read.
            source = replace(self._sources[n], snippet_only=url in unread)
            if url in origins and n not in self._shown:
                page = first_page(texts.get(url, ""), found[0].offset)
                source = replace(source, origin=origins[url], kept=True, page=page)
            self._sources[n] = source
            if PAGE_BREAK in (text := texts.get(url, "")):
                self._page_parts.setdefault(n, []).extend(_page_parts(text, p) for p in found)
            # In the order of the page, not of the ranking: a pronoun then follows its name.
            ordered = sorted(found, key=lambda p: p.offset)
            seen = [self._add(n, ExtractKind.PASSAGE, p.text, p.heading, p.offset) for p in ordered]
            blocks.append(f"{self._head(n)}\n" + "\n...\n".join(seen))
        self._append(blocks)

    def number_of(self, page: Page) -> int:
        """Return the number of a page that was read; one of which nothing has entered gets its own."""
        n = self._number(page.url, page.title, page.published)
        self._sources[n] = replace(self._sources[n], snippet_only=False)
        return n

    def page_of(self, n: int, quote: str) -> int:
        """Return the page of source `n` on which a quote begins; 0 where that is not known."""
        begins = quote[:_QUOTE_BEGINNING]
        for first, parts in self._page_parts.get(n, ()) if begins else ():
            for number, part in enumerate(parts, first):
                if begins in part:
                    return number
        return 0

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
        # Once in full: a source's date and host cost tokens each time that more of it enters.
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


def _has_text_of(text: ComparedText, source: ComparedText, quotes: Sequence[str]) -> bool:
    """Say whether a text has that of a source, and with it what is cited of it: a changed copy has not."""
    long = [quote for quote in quotes if source.states(quote)]
    stated = [quote for quote in long if text.states(quote)]
    if stated and stated == long:
        return True
    return bool(stated or not long) and text.is_copy_of(source)


def _page_parts(text: str, passage: Passage) -> tuple[int, list[str]]:
    """Return the page on which a passage begins, and what of it is seen on that page and on each further one."""
    stop = passage.offset + len(passage.text)
    # A passage is made of paragraphs, and has none of the breaks between them.
    stop += text.count(PAGE_BREAK, passage.offset, stop)
    parts = text[passage.offset : stop].split(PAGE_BREAK)
    return first_page(text, passage.offset), [*map(seen_text, parts)]


def _key(url: str, origin: Origin) -> tuple[str, bool]:
    """Return what a source is known by: what others tell of a page is another source than the page."""
    return canonical(url), origin is Origin.WEB


# Evidence is measured with this context where no model tells its own.
CONTEXT_WITHOUT_MODEL = 8192
# The longest task text that stands behind the evidence, the question in it aside.
TASK_TOKENS = 200
# Tokens of a source's own line in the evidence.
HEAD_TOKENS = 16
# What is left of a round is no portion of its own below this.
SMALLEST_PORTION_TOKENS = 200
# Long snippets in a small context must not leave the passages without room.
SNIPPET_SHARE = 0.5


class EvidenceSet(NumberedEvidence):
    """Takes in passages and snippets, the best first, as far as the context and the time allow.

    It is measured by the context of the run's model, once there is one.
    """

    def __init__(self, run: RunContext) -> None:
        super().__init__(new_nonce())
        self._run = run
        self._selector = PassageSelector(run.question)
        self._listed: set[str] = set()
        # All that was read, by address: what has entered of it, and what was left out.
        self._read: dict[str, FoundPage] = {}
        self._compared: dict[str, ComparedText] = {}
        self._round_passages = 0
        self._round_tokens_left = 0
        self.withheld = False
        """Whether the last selection left passages out because there was no time for them."""

    @property
    def read(self) -> tuple[FoundPage, ...]:
        """All that was read for the question, whether something of it has entered or not."""
        return tuple(self._read.values())

    @property
    def left(self) -> int:
        """Tokens that the round has for passages which were left out; 0 if they are too few to matter."""
        left = self._round_tokens_left
        return left if left >= SMALLEST_PORTION_TOKENS else 0

    def restore(self, turns: Iterable[PromptedTurn]) -> None:
        """Begin with what stands in the prompts of earlier turns; no copy of it enters."""
        turns = tuple(turns)
        super().restore(turns)
        for turn in turns:
            for extract in turn.extracts:
                self._selector.remember(extract.text)

    def add_read(self, passages: Sequence[Passage], pages: Sequence[Page]) -> None:
        """Enter passages of pages that were read for an earlier turn, where they fit."""
        budget, room = self._room(for_model=True)
        published = {page.url: page.published for page in pages}
        passages = [passage for passage in passages if passage.url in published]
        if sum(budget.cost(passage.text) + HEAD_TOKENS for passage in passages) <= room:
            self.add_passages(passages, published)
            for passage in passages:
                self._selector.remember(passage.text)

    def add_remembered(
        self, remembered: Sequence[RememberedAnswer], *, for_model: bool = True
    ) -> bool:
        """Enter what has answered the question before, all of it or nothing, and return which."""
        budget, room = self._room(for_model=for_model)
        records = [known.record for known in remembered]
        passages = [passage for known in remembered for passage in known.passages]
        tokens = sum(budget.cost(p.text) for p in passages) + HEAD_TOKENS * len(remembered)
        # All or nothing: an answer that rests on a part of its evidence may be wrong in just that
        # part.
        if tokens > room:
            return False
        self.add_passages(
            passages,
            {record.url: record.published or None for record in records},
            {record.url: record.origin for record in records},
            {record.url for record in records if record.kind is DocumentKind.SNIPPET},
        )
        for passage in passages:
            self._selector.remember(passage.text)
        self._run.progress.emit(PassagesSelected(len(passages), len(records), tokens, 0, 0, 0))
        return True

    async def select(
        self,
        pages: Sequence[FoundPage],
        round_number: int,
        *,
        max_tokens: float = math.inf,
        continue_round: bool = False,
        for_model: bool = True,
    ) -> int:
        """Enter the best passages of some pages, at most a portion, and return how many.

        `continue_round` says that the round has already brought some. Without `for_model` what enters is for
        the user to read, whatever fits the model.
        """
        run, settings = self._run, self._run.settings.evidence
        budget, room = self._room(for_model=for_model)
        is_first = round_number <= 1
        in_time = math.inf
        if run.calls is not None and for_model:
            share = settings.first_round_tokens if is_first else settings.later_round_tokens
            in_time = run.time_budget.evidence_tokens(
                run.calls.fresh_tokens(self.text, ""),
                int(min(share, max_tokens)),
                first=is_first and not continue_round,
            )
        if not continue_round:
            self._round_passages = 0
            self._round_tokens_left = (
                settings.first_round_tokens if is_first else settings.later_round_tokens
            )
        # A round that goes on beyond its share does so because time had kept it from the model.
        wanted = int(min(self._round_tokens_left or settings.later_round_tokens, max_tokens))
        fitting = min(wanted, room)
        most = run.request.size.passages
        limit = Budget(
            int(min(fitting, in_time)),
            most and max(1, most - self._round_passages),
        )

        # Many pages take seconds, so a thread chooses, on a copy: a selection that is given up changes nothing.
        async def chosen(limit: Budget) -> Selection:
            selector = self._selector.copy()
            selection = await asyncio.to_thread(
                selector.select,
                pages,
                limit,
                lambda text: budget.cost(text) + HEAD_TOKENS,
                more=continue_round,
            )
            self._selector = selector
            return selection

        selection = await chosen(limit)
        # However slow a model is, one passage is better than none, as long as those of a page without paragraphs are.
        if not (selection.passages or self.entered) and limit.tokens < fitting:
            selection = await chosen(Budget(int(fitting), 1))
        tokens = self._add_selection(selection, pages, budget)
        self._round_passages += len(selection.passages)
        # A round that is full by count has left nothing back for want of time.
        is_full = most and self._round_passages >= most
        has_more = selection.dropped > 0 and not is_full
        self._read |= {found.page.url: found for found in pages}
        self.withheld = in_time < fitting and has_more
        self._round_tokens_left = max(0, self._round_tokens_left - tokens) if has_more else 0
        if room < wanted and selection.dropped:
            run.progress.warn(
                WarningCode.EVIDENCE_DROPPED,
                Message("{n} passages did not fit into the model's context.", n=selection.dropped),
            )
        run.progress.emit(
            PassagesSelected(
                len(selection.passages),
                len({p.url for p in selection.passages}),
                tokens,
                selection.dropped,
                selection.copies,
                round_number,
            )
        )
        marked = await asyncio.to_thread(self.with_origins)
        self._sources |= {source.n: source for source in marked}
        return len(selection.passages)

    def with_origins(
        self, citations: Sequence[Citation] = (), offers: Iterable[SearchCandidate] = ()
    ) -> tuple[Source, ...]:
        """Return all sources with what each is a copy of, and how many hosts have copies that were left out.

        What `citations` quote of two sources for the same words counts, too. `offers` are results; those
        that were not read are known by their snippets.
        """
        sources, texts = self.sources, {source.n: self._text_of(source) for source in self.sources}
        quotes: defaultdict[int, list[str]] = defaultdict(list)
        pairs: defaultdict[tuple[int, int], list[tuple[str, str]]] = defaultdict(list)
        by_claim = {(c.n, c.start): c.quote for c in citations}
        for c in citations:
            quotes[c.n].append(c.quote)
            for n in c.beside:
                pairs[c.n, n].append((c.quote, by_claim.get((n, c.start), "")))
        origins: dict[int, int] = {}
        for n, text in texts.items():
            alike = (m for m in origins if have_one_origin(texts[m], text, pairs[m, n]))
            # Of an earlier turn's sources what was found then is known, and their pages are not.
            known = origins.get(self._sources[n].copy_of, n) if n in self._earlier_sources else n
            origins[n] = origins.get(next(alike, 0), known)
        own = {(origins[source.n], source.host) for source in sources}
        copies: set[tuple[int, str]] = set()
        for host, text in self._left_out(offers):
            copied = (n for n in origins if _has_text_of(text, texts[n], quotes[n]))
            copies.add((origins.get(next(copied, 0), 0), host))
        counts = Counter(n for n, _ in copies - own)
        before = {s.n: s.copies for s in sources if s.n in self._earlier_sources}
        return tuple(
            replace(s, copy_of=n if n != s.n else 0, copies=max(counts[s.n], before.get(s.n, 0)))
            for s, n in zip(sources, origins.values(), strict=True)
        )

    def _text_of(self, source: Source) -> ComparedText:
        if source.url in self._read:
            return self._compared_page(source.url)
        # Of what was read for an earlier turn, or not at all, this is known.
        return ComparedText("\n".join(e.text for e in self.extracts if e.n == source.n))

    def _compared_page(self, url: str) -> ComparedText:
        if url not in self._compared:
            self._compared[url] = ComparedText(self._read[url].page.markdown)
        return self._compared[url]

    def _left_out(self, offers: Iterable[SearchCandidate]) -> Iterator[tuple[str, ComparedText]]:
        """Yield host and text of each page of which nothing has entered."""
        entered = {page_key(source.url) for source in self.sources}
        for url in tuple(self._read):
            if page_key(url) not in entered:
                yield host_of(url) or url, self._compared_page(url)
        entered |= {page_key(url) for url in self._read}
        for offer in offers:
            if page_key(offer.result.url) not in entered:
                yield host_of(offer.result.url), ComparedText("\n".join(offer.snippets))

    def _number(
        self, url: str, title: str, published: str | None, origin: Origin = Origin.WEB
    ) -> int:
        # A page may bear a day that is still to come.
        is_sure = len(published or "") < _WHOLE_DAY or day_in(published, self._run.today)
        return super()._number(url, title, published if is_sure else None, origin)

    def list(self, offers: Sequence[SearchCandidate], *, for_model: bool = True) -> int:
        """Enter new snippets, as many as leave room for the passages, and return how many."""
        progress = self._run.progress
        offers = [offer for offer in offers if offer.result.url not in self._listed]
        budget, room = self._room(for_model=for_model)
        room = round(SNIPPET_SHARE * room)
        in_time = self._run.time_budget.snippet_tokens(room)
        retained: list[SearchResult] = []
        for offer in offers:
            cost = budget.cost(offer.result.title + offer.result.snippet) + HEAD_TOKENS
            room, in_time = room - cost, in_time - cost
            # What time leaves out is no fault of the context: of that there is no warning.
            if in_time < 0 <= room:
                break
            if room < 0:
                left_out = len(offers) - len(retained)
                progress.warn(
                    WarningCode.EVIDENCE_DROPPED,
                    Message("{n} snippets did not fit into the model's context.", n=left_out),
                )
                break
            retained.append(offer.result)
        self._listed |= {result.url for result in retained}
        self.add_snippets(retained)
        return len(retained)

    def unread(self, offers: Sequence[SearchCandidate]) -> Sequence[SearchCandidate]:
        """Return the offers of which nothing stands in the evidence, nor what their snippets say."""
        # A private document may have a page's address: the page itself is still unread.
        known = {page_key(s.url) for s in self.sources if not s.is_private}
        return [
            offer
            for offer in offers
            if page_key(offer.result.url) not in known and not self.holds(offer.result.snippet)
        ]

    def holds(self, text: str) -> bool:
        """Return whether most of a text has entered, perhaps from another page that says the same."""
        return self._selector.holds(text)

    def _add_selection(
        self, selection: Selection, pages: Sequence[FoundPage], budget: ContextBudget
    ) -> int:
        """Enter selected passages, and return how many tokens of text they are."""
        # As the whole costs with and without them: heads and fences count as well.
        before = budget.cost(self.text)
        self.add_passages(
            selection.passages,
            {f.page.url: f.page.published for f in pages},
            {f.page.url: f.library_origin for f in pages if f.library_origin is not None},
            texts={f.page.url: f.page.markdown for f in pages},
        )
        return budget.cost(self.text) - before

    def _room(self, *, for_model: bool) -> tuple[ContextBudget, int]:
        """Return what measures tokens, and how many the evidence may still fill before the task."""
        calls = self._run.calls
        if calls is None or not for_model:
            # No answer is written, so no room is kept for one.
            budget = ContextBudget(CONTEXT_WITHOUT_MODEL, 0)
            return budget, budget.room(())
        room = calls.budget.room(calls.messages(self.text, ""))
        task = TASK_TOKENS + calls.budget.cost(self._run.question)
        return calls.budget, max(0, room - task)
