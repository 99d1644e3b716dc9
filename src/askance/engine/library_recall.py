"""Recalling from the library: what is kept on this machine answers first, where it can.

A search of it takes milliseconds, so it stands before everything else. Where it finds what the question
speaks of, nothing leaves this machine before the judge has said what is missing; where it does not, the
run goes on as if there were none. Documents enter as pages that were read: the same passages of
them are chosen, and cited, as on the day when they came from the web.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from askance.config.choices import Completeness, Recall
from askance.config.settings import Settings
from askance.domain.errors import StoreUnusable
from askance.domain.events import Judging, LibraryRecalled, WarningCode
from askance.domain.evidence import Extract
from askance.domain.library import LibraryHit, Origin
from askance.domain.messages import Message
from askance.domain.phases import Phase, Sufficiency, Verdict
from askance.domain.web import Page, PageStatus
from askance.engine.judge import (
    FEW_WORDS,
    LEAST_WORDS_IN_SNIPPET,
    LEAST_WORDS_OF_FEW,
    Judge,
    is_plain,
    share_told,
)
from askance.engine.names import missing_from, named, telling_words
from askance.engine.progress import Progress, log_error
from askance.engine.research import Research
from askance.languages.recognition import language_of
from askance.ports.library import Library, LibrarySearch
from askance.ranking.intent import asks_for_now
from askance.ranking.selection import Found

# Passages looked at for one query, and of one document.
MOST_PASSAGES = 16
MOST_OF_EACH = 3
# Share of a question's content words that one passage must have, where all of its names are found.
LEAST_WORDS_RELATED = 0.4
# A document longer than this many characters enters by what stands around the passages that were found.
LONGEST_WHOLE = 60_000
AROUND_CHARACTERS = 6_000
# What a verdict is worth by itself; the rest is told by the words of the question that were found.
_WORTH = {
    Sufficiency.SUFFICIENT: (0.8, 0.2),
    Sufficiency.PARTIAL: (0.4, 0.3),
    Sufficiency.INSUFFICIENT: (0.0, 0.3),
}


@dataclass(frozen=True, slots=True)
class LocalLibrary:
    """The library as a run needs it: how it is searched, and where its texts are."""

    search: LibrarySearch
    documents: Library


class LibraryRecall:
    """What one run recalls. Without a library it finds nothing."""

    def __init__(
        self,
        question: str,
        library: LocalLibrary | None,
        settings: Settings,
        progress: Progress,
        today: date,
    ) -> None:
        self._question = question
        self._library = None if settings.library.recall is Recall.NEVER else library
        self._settings = settings
        self._progress = progress
        self._oldest = (today - timedelta(days=settings.library.recall_days)).isoformat()
        self._is_fresh = asks_for_now(question, today.year)
        self._is_public_only = False
        self._hits: tuple[LibraryHit, ...] = ()
        self._texts: dict[str, str] = {}
        self._passages = 0
        self._documents: set[str] = set()

    @property
    def is_promising(self) -> bool:
        """Whether the library may answer before the web is asked.

        A question about the present is the web's, and pages that were read long ago do not count.
        """
        return not self._is_fresh and is_related(self._question, self._in_time(self._hits))

    async def look(self) -> None:
        """Find what the library has for the question."""
        self._hits = await self._found(self._question)

    def withhold_from(self, host: str) -> None:
        """Leave out private documents, unless they may go to a model on another host; empty is here."""
        if not host or self._settings.library.share_with_remote_model:
            return
        self._is_public_only = True
        public = tuple(hit for hit in self._hits if hit.origin is Origin.WEB)
        if len(public) < len(self._hits):
            self._progress.warn(
                WarningCode.LIBRARY_WITHHELD,
                Message(
                    "Your own files were not used, because the model is on {host} "
                    "(library.share_with_remote_model).",
                    host=host,
                ),
            )
        self._hits = public

    async def recall(
        self, research: Research, judge: Judge | None, *, whatever: bool = False
    ) -> Verdict:
        """Enter what the library has, and what it has of what is missing then, and say how far that goes.

        A verdict is `sufficient` where the settings hold that to be enough. `whatever` takes old pages too.
        """
        if self._progress.phase is not Phase.RECALLING:
            self._progress.move(Phase.RECALLING)
        started = asyncio.get_running_loop().time()
        verdict = Verdict(Sufficiency.INSUFFICIENT)
        queries: tuple[str, ...] = (self._question,)
        found = self._hits if whatever else self._in_time(self._hits)
        for round_number in range(1, self._settings.limits.rounds + 1):
            pages = await self._pages(found, queries)
            if not pages or not await research.enter(pages, round_number, judge):
                break
            self._passages = len(research.ledger.entered)
            verdict = await self._verdict(research, judge, round_number)
            queries = verdict.gap_queries
            if verdict.sufficiency is Sufficiency.SUFFICIENT or not queries:
                break
            found = await self._of_gaps(queries)
        self._progress.emit(
            LibraryRecalled(
                self._passages,
                verdict.sufficiency,
                self._progress.ms_since(started),
                len(self._documents),
                round(verdict.completeness or 0.0, 2),
                self._settings.library.completeness_threshold,
            )
        )
        return verdict

    async def fall_back(self, research: Research) -> bool:
        """Enter what there is, unjudged, where the web cannot be asked; say whether it is anything."""
        pages = await self._pages(self._hits, (self._question,))
        if pages:
            await research.enter(pages, 1, None)
        return bool(research.ledger.entered)

    async def _found(self, words: str) -> tuple[LibraryHit, ...]:
        if self._library is None:
            return ()
        try:
            found = await self._library.search.find(
                words, MOST_PASSAGES, passages_each=MOST_OF_EACH
            )
        except StoreUnusable as exc:
            log_error(exc)
            self._progress.warn(WarningCode.LIBRARY_UNUSABLE, exc.message)
            return ()
        for note in found.notes:
            self._progress.warn(WarningCode.LIBRARY_UNUSABLE, note)
        return tuple(h for h in found.hits if not self._is_public_only or h.origin is Origin.WEB)

    async def _of_gaps(self, queries: Sequence[str]) -> tuple[LibraryHit, ...]:
        """What the library has for the queries of a judge, where it speaks of what they name."""
        hits: list[LibraryHit] = []
        for query in queries:
            found = self._in_time(await self._found(query))
            if is_related(query, found):
                hits += found
        return tuple(hits)

    def _in_time(self, hits: Sequence[LibraryHit]) -> tuple[LibraryHit, ...]:
        return tuple(h for h in hits if h.origin is not Origin.WEB or h.fetched_at >= self._oldest)

    async def _pages(self, hits: Sequence[LibraryHit], queries: Sequence[str]) -> list[Found]:
        """Return the documents of some passages as pages, the best first."""
        by_document: dict[str, list[LibraryHit]] = {}
        for hit in hits:
            by_document.setdefault(hit.document, []).append(hit)
        pages: list[Found] = []
        for document, found in by_document.items():
            if len(pages) == self._settings.limits.first_round_pages:
                break
            if text := await self._text(document):
                snippets = tuple(hit.snippet for hit in found)
                page = _page(found[0], _around(text, found))
                pages.append(Found(page, tuple(queries), snippets, found[0].origin))
                self._documents.add(document)
        return pages

    async def _text(self, document: str) -> str:
        if self._library is None:
            return ""
        if document not in self._texts:
            try:
                text = await asyncio.to_thread(self._library.documents.text, document)
            except StoreUnusable as exc:
                log_error(exc)
                self._progress.warn(WarningCode.LIBRARY_UNUSABLE, exc.message)
                return ""
            self._texts[document] = text or ""
        return self._texts[document]

    async def _verdict(self, research: Research, judge: Judge | None, round_number: int) -> Verdict:
        """The judge's verdict, or the program's own where there is none; as the settings value it."""
        ledger, settings = research.ledger, self._settings.library
        if judge is None:
            plain = is_plain(self._question, ledger.entered, ledger.sources)
            verdict = Verdict(Sufficiency.SUFFICIENT if plain else Sufficiency.PARTIAL)
        else:
            is_scored = settings.completeness is Completeness.MODEL
            verdict = await judge.judge(
                ledger, Judging.PASSAGES, round_number, is_last_word=True, is_scored=is_scored
            ) or Verdict(Sufficiency.INSUFFICIENT)
        told = verdict.completeness
        if told is None:
            told = completeness(self._question, verdict.sufficiency, ledger.entered)
        sufficiency = verdict.sufficiency
        if told >= settings.completeness_threshold:
            sufficiency = Sufficiency.SUFFICIENT
        elif sufficiency is Sufficiency.SUFFICIENT:
            sufficiency = Sufficiency.PARTIAL
        return replace(verdict, sufficiency=sufficiency, completeness=told)


def is_related(question: str, hits: Sequence[LibraryHit]) -> bool:
    """Say whether passages speak of what a question does: all of its names, and enough of its words.

    Where it names nothing, one passage must have as many of them as an answer would.
    """
    if not hits:
        return False
    told = [f"{hit.title}\n{hit.heading}\n{hit.text}" for hit in hits]
    if missing_from(question, "\n".join(told)):
        return False
    code = language_of(told)
    wanted = telling_words(question, code)
    if named(question):
        least = LEAST_WORDS_RELATED
    else:
        least = LEAST_WORDS_OF_FEW if len(wanted) <= FEW_WORDS else LEAST_WORDS_IN_SNIPPET
    return max(share_told(wanted, text, code) for text in told) >= least


def completeness(question: str, sufficiency: Sufficiency, extracts: Sequence[Extract]) -> float:
    """Return how far evidence answers a question, 0 to 1: by a verdict, and by the question's words in it.

    A verdict of "sufficient" alone is .8, and .4 the half of it: no number is asked of the model.
    """
    texts = [extract.text for extract in extracts]
    code = language_of(texts)
    wanted = telling_words(question, code)
    least, more = _WORTH[sufficiency]
    return least + more * max((share_told(wanted, text, code) for text in texts), default=0.0)


def _around(text: str, hits: Sequence[LibraryHit]) -> str:
    """Return a text, of a long one what stands around some passages.

    Line feeds stand for the rest, so that every passage keeps its place in the document.
    """
    if len(text) <= LONGEST_WHOLE:
        return text
    kept = ["\n"] * len(text)
    for hit in hits:
        start = max(0, hit.offset - AROUND_CHARACTERS)
        stop = min(len(text), hit.offset + len(hit.text) + AROUND_CHARACTERS)
        kept[start:stop] = text[start:stop]
    return "".join(kept)


def _page(hit: LibraryHit, text: str) -> Page:
    return Page(
        hit.url,
        PageStatus.OK,
        final_url=hit.url,
        title=hit.title,
        markdown=text,
        published=hit.published or None,
        language=hit.language or None,
        fetched_at=hit.fetched_at,
    )
