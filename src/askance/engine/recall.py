"""What is known before the web is asked: from the conversation, and from the library."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import TypeVar

from askance.config.choices import Completeness, LibraryLookup
from askance.domain.conversation import Turn
from askance.domain.errors import StorageError
from askance.domain.events import Judging, LibraryRecalled, WarningCode
from askance.domain.evidence import Extract, ExtractKind, Passage, Quote, RememberedAnswer
from askance.domain.library import (
    DocumentKind,
    DocumentRecord,
    Filters,
    LibraryHit,
    Origin,
    SearchMode,
)
from askance.domain.messages import NOTHING, Message
from askance.domain.phases import Phase, Sufficiency, Verdict
from askance.engine.context import RunContext
from askance.engine.evidence_set import NumberedEvidence
from askance.engine.judge import (
    FEW_WORDS,
    LEAST_WORDS_IN_SNIPPET,
    LEAST_WORDS_OF_FEW,
    Judge,
    is_plain,
    share_covered,
)
from askance.engine.local_library import LocalLibrary, page_of, stands_alone
from askance.engine.prompts import ContextBudget, PromptedTurn
from askance.engine.queries import compared, content_words_of, holds, missing_from, named
from askance.engine.research import PAGES_A_ROUND, Research
from askance.engine.run_progress import log_error
from askance.text.languages.recognition import language_of, recognise
from askance.text.ranking.index_terms import estimated_tokens
from askance.text.ranking.intent import asks_for_now
from askance.text.ranking.scoring import Budget, FoundPage, PassageSelector

# A page that was read so long ago is searched for anew; files do not age (decision 35).
RECALL_DAYS = 90
# What a verdict is worth by itself; the rest depends on the words of the question that were found.
_WORTH = {
    Sufficiency.SUFFICIENT: (0.8, 0.2),
    Sufficiency.PARTIAL: (0.4, 0.3),
    Sufficiency.INSUFFICIENT: (0.0, 0.3),
}


def relevant(question: str, hits: Sequence[LibraryHit]) -> tuple[LibraryHit, ...]:
    """Return the passages that have, at a glance, what a question asks for.

    Of what is compared, each side has a document of its own. Otherwise a passage, with its titles, has
    every name of the question and enough of its other words: half of a few, nearly all of many or where
    nothing is named. A library that grows has much that speaks of the same things.
    """
    if sides := compared(question):
        of_side = [[hit for hit in hits if holds(hit.title, side)] for side in sides]
        return tuple(hit for of in of_side for hit in of) if all(of_side) else ()
    code = recognise(question)
    wanted, names = content_words_of(question, code), " ".join(named(question))
    # Without a name half of a few words is nothing: a grown library speaks of the same things
    # everywhere.
    is_short = bool(names) and len(wanted) <= FEW_WORDS
    least = LEAST_WORDS_OF_FEW if is_short else LEAST_WORDS_IN_SNIPPET

    def is_relevant(hit: LibraryHit) -> bool:
        text = f"{hit.title}\n{hit.heading}\n{hit.text}"
        return share_covered(wanted, text, code) >= least and holds(text, names, code)

    return tuple(hit for hit in hits if is_relevant(hit)) if wanted else ()


def related(question: str, hits: Sequence[LibraryHit]) -> tuple[LibraryHit, ...]:
    """Return the passages that have, with their titles, half of a question's content words at least.

    Where no model judges them, and nothing else is to be had, these are shown, and no others.
    """
    code = language_of([hit.text for hit in hits])
    wanted = content_words_of(question, code)
    return tuple(
        hit
        for hit in hits
        if share_covered(wanted, f"{hit.title}\n{hit.heading}\n{hit.text}", code)
        >= LEAST_WORDS_OF_FEW
    )


def completeness(question: str, sufficiency: Sufficiency, extracts: Sequence[Extract]) -> float:
    """Return how far evidence answers a question, 0 to 1: by a verdict, and by the question's words in it.

    A verdict of "sufficient" alone is .8, and .4 the half of it: no number is asked of the model.
    """
    texts = [extract.text for extract in extracts]
    code = language_of(texts)
    wanted = content_words_of(question, code)
    least, more = _WORTH[sufficiency]
    return least + more * max((share_covered(wanted, text, code) for text in texts), default=0.0)


# Recalling: whether what the web said earlier in a conversation answers the next question too.
#
# Where the model's server still has the evidence of earlier answers in its cache, the judge is
# asked first, and a search begins with what it misses. Otherwise a model that claims to know from
# the conversation is not taken at its word: the earlier quotes enter the evidence and are judged as
# any evidence is. The answer cites what it rests on either way. A conversation in which nothing was
# read holds none.

# Of a question with so few content words a passage must have them all.
MOST_WORDS_IN_FULL = 2
# So much of the pages that were read for earlier turns may enter.
READ_TOKENS = 400


def in_hand_of(
    question: str, turns: Sequence[Turn], prompted: Sequence[PromptedTurn | None]
) -> Sequence[Passage] | None:
    """Return what must enter so that earlier evidence has, at a glance, what a follow-up asks for; None if nothing does.

    Nothing must where it stands in the prompts. Otherwise the pages that were read for them may have it: little of
    what was read has entered. One passage must have the question's names and half of its other words, of two words
    both. A question that names nothing itself speaks of what was named last: the passage, or its page's title, must
    name that.
    """
    retained = [turn for turn in prompted if turn is not None]
    extracts = [extract for turn in retained for extract in turn.extracts]
    sources = [source for turn in retained for source in turn.sources]
    code = recognise(question)
    # A glance before a call: it costs milliseconds, a verdict that says no a second.
    if not content_words_of(question, code):
        return None
    is_named = not missing_from(question, " ".join(extract.text for extract in extracts))
    if compared(question):
        return () if is_named and is_plain(question, extracts, sources) else None
    named_before = (found for turn in reversed(turns) if (found := named(turn.question)))
    names = " ".join(named(question) or next(named_before, ()))
    wanted = content_words_of(question, code) - content_words_of(names, code)
    least = LEAST_WORDS_OF_FEW if len(wanted) > MOST_WORDS_IN_FULL else 1.0

    def states(title: str, heading: str, text: str) -> bool:
        text = f"{title}\n{heading}\n{text}"
        return holds(text, names, code) and share_covered(wanted, text, code) >= least

    titles = {source.n: source.title for source in sources}
    passages = (e for e in extracts if e.kind is ExtractKind.PASSAGE)
    if is_named and any(states(titles[e.n], e.heading, e.text) for e in passages):
        return ()
    selector = PassageSelector(question)
    for extract in extracts:
        selector.remember(extract.text)
    pages = {page.url: FoundPage(page, ()) for turn in retained for page in turn.pages}
    best = selector.select(
        [*pages.values()], Budget(READ_TOKENS), lambda text: round(estimated_tokens(text))
    )
    return [p for p in best.passages if states(p.title, p.heading, p.text)] or None


async def ask_evidence(run: RunContext, evidence: NumberedEvidence, judge: Judge) -> Verdict | None:
    """Have the evidence of earlier answers judged for the next question; None if the judge failed."""
    run.progress.move(Phase.RECALLING)
    return await judge.judge(evidence, Judging.PASSAGES, 1)


def enter_quotes(run: RunContext, turns: Sequence[Turn], evidence: NumberedEvidence) -> bool:
    """Enter what was quoted in these turns, newest first, and return whether there is any."""
    if run.calls is None:
        return False
    quotes = _newest(turns, run.calls.budget, run.settings.evidence.first_round_tokens)
    passages = [Passage(q.source.url, q.source.title, q.text, q.offset) for q in quotes]
    sources = {q.source.url: q.source for q in quotes}
    evidence.add_passages(
        passages,
        {url: source.published for url, source in sources.items()},
        {url: source.origin for url, source in sources.items() if source.kept},
    )
    return bool(quotes)


def _newest(turns: Sequence[Turn], budget: ContextBudget, most_tokens: int) -> list[Quote]:
    newest: dict[tuple[str, str], Quote] = {}
    for turn in reversed(turns):
        for quote in turn.quoted:
            # The newest first: a follow-up goes on from the last answer.
            most_tokens -= budget.cost(quote.text)
            if most_tokens < 0:
                return list(newest.values())
            newest.setdefault((quote.source.url, quote.text), quote)
    return list(newest.values())


# Recalling from the library: what is stored on this machine answers first, where it can.
#
# A search of it takes milliseconds, so it stands before everything else. Where it finds what the
# question speaks of, nothing leaves this machine before the judge has said what is missing; where
# it does not, the run goes on as if there were none. Documents enter as pages that were read: the
# same passages of them are chosen, and cited, as on the day when they came from the web.

# Passages looked at for one query, and of one document.
MOST_PASSAGES = 16
MOST_OF_EACH = 3
# Of so many documents that were chosen each has a say, even where no word of the question stands in it.
MOST_WITHOUT_WORDS = 12
# What a document begins with stands for it where a question has none of its words.
OPENING_CHARACTERS = 300
# Searches of one library before the web is asked: for the question, and for what is missing then.
_STEPS = 2
_Reply = TypeVar("_Reply")
_Dated = TypeVar("_Dated", DocumentRecord, LibraryHit)


class LibraryRecall:
    """What one run recalls. Without a library it finds nothing.

    What became of the question before counts only where it stands alone: elsewhere the same words may ask
    something else. Where documents were chosen, they alone are recalled.
    """

    def __init__(self, run: RunContext, library: LocalLibrary | None, today: date) -> None:
        documents = run.request.scope.documents or run.request.attached
        self._run = run
        self._stands_alone = not (run.about or documents) and stands_alone(run.question, run.turns)
        self._among = Filters(documents=documents)
        self._library = None if run.lookup is LibraryLookup.NEVER else library
        oldest = today - timedelta(days=RECALL_DAYS)
        self._oldest = oldest.isoformat()
        self._is_for_the_web = run.is_fresh or asks_for_now(run.question, today.year)
        self._is_public_only, self._host = False, ""
        self._hits: tuple[LibraryHit, ...] = ()
        self._known: tuple[RememberedAnswer, ...] = ()
        self._texts: dict[str, str] = {}
        self._documents: set[str] = set()

    @property
    def is_promising(self) -> bool:
        """Whether the library may answer before the web is asked.

        A question about the present is the web's, and pages that were read long ago do not count.
        """
        if self._is_for_the_web:
            return False
        return self._is_known or bool(relevant(self._run.question, self._in_time(self._hits)))

    @property
    def _is_known(self) -> bool:
        """Whether all is there, and recent enough, that has answered the question before."""
        records = [known.record for known in self._known]
        # One page that is too old, and the whole of what has answered is: it answered together.
        return bool(records) and self._in_time(records) == tuple(records)

    async def look(self, *, in_full: bool = False) -> None:
        """Find what the library has for the question, and what has answered it before.

        A glance looks for words alone: what embeds a question may take its time.
        """
        question, mode = self._run.question, SearchMode.AUTO if in_full else SearchMode.KEYWORDS
        self._hits = await self._found(question, mode)
        if self._stands_alone:
            self._known = (
                await self._asked(lambda library: asyncio.to_thread(library.remembered, question))
                or ()
            )
        if self._is_public_only:
            self._withhold()

    def withhold_from(self, host: str) -> None:
        """Leave out private documents, unless they may go to a model on another host; empty is here."""
        if not host or self._run.settings.library.share_with_remote_model:
            return
        self._is_public_only = True
        self._host = host
        self._withhold()

    def _withhold(self) -> None:
        """Leave what is private out of all that was found."""
        public = tuple(hit for hit in self._hits if hit.origin is Origin.WEB)
        if any(known.record.origin is not Origin.WEB for known in self._known):
            self._known = ()
        if len(public) < len(self._hits):
            self._warn_withheld()
        self._hits = public

    def _warn_withheld(self) -> None:
        self._run.progress.warn(
            WarningCode.LIBRARY_WITHHELD,
            Message(
                "Your own files were not used, because the model is on {host} "
                "(library.share_with_remote_model).",
                host=self._host,
            ),
        )

    async def recall(self, research: Research, *, include_weak: bool = False) -> Verdict:
        """Enter passages of the library, search it again for the judge's gaps, and return the verdict.

        A verdict is `sufficient` where the settings hold that to be enough. Without `include_weak` only
        what promises to answer enters.
        """
        progress = self._run.progress
        if progress.phase is not Phase.RECALLING:
            progress.move(Phase.RECALLING)
        started = asyncio.get_running_loop().time()
        verdict = Verdict(Sufficiency.INSUFFICIENT)
        if self._is_known and research.enter_remembered(self._known):
            self._documents |= {known.record.id for known in self._known}
            verdict = await self._verdict(research, is_known=True)
        if verdict.sufficiency is not Sufficiency.SUFFICIENT:
            hits: Sequence[LibraryHit] = self._hits
            if not include_weak:
                hits = relevant(self._run.question, self._in_time(hits))
            elif research.judge is None and not self._among.documents:
                hits = related(self._run.question, hits)
            pages = await self._chosen(hits)
            verdict = await self._searched(research, verdict, pages, include_weak=include_weak)
        progress.emit(
            LibraryRecalled(
                len(research.evidence.entered),
                verdict.sufficiency,
                progress.ms_since(started),
                len(self._documents),
                round(verdict.completeness or 0.0, 2),
                self._run.completeness,
            )
        )
        return verdict

    async def enter_beside(self, research: Research) -> None:
        """Enter the best passages of what was chosen, unjudged: the web is searched beside it, and judged with it."""
        self._run.progress.move(Phase.RECALLING)
        if pages := await self._chosen(self._hits):
            await research.enter(pages)

    async def _chosen(self, hits: Sequence[LibraryHit]) -> list[FoundPage]:
        """Return the documents of some passages as pages, and with them a few chosen ones that have none of the words."""
        chosen = self._among.documents
        if len(chosen) > MOST_WITHOUT_WORDS and hits:
            chosen = ()
        return await self._pages(hits, (self._run.question,), every=chosen[:MOST_WITHOUT_WORDS])

    def left_out(self, url: str) -> Message:
        """Return what of a file was not read; nothing for one that was read whole, and for a page. It blocks."""
        return self._library.left_out(url) if self._library is not None else NOTHING

    async def _searched(
        self,
        research: Research,
        verdict: Verdict,
        pages: Sequence[FoundPage],
        *,
        include_weak: bool,
    ) -> Verdict:
        """Enter what a search of the library has found, and then what others find of what the judge misses.

        Without `include_weak` a search for what is missing is tried once: the web is nearer then.
        """
        # Each step asks the judge: a second without the web is worth it only where there is no web.
        for step in range(self._run.rounds if include_weak else _STEPS):
            if not pages or not await research.enter(pages, is_first=step == 0):
                break
            verdict = await self._verdict(research, is_known=False)
            queries = verdict.gap_queries
            if verdict.sufficiency is Sufficiency.SUFFICIENT or not queries:
                break
            hits = await self._of_gaps(queries, research, include_weak=include_weak)
            pages = await self._pages(hits, queries)
        return verdict

    async def fall_back(self, research: Research) -> bool:
        """Enter what there is, unjudged, where the web cannot be asked; say whether it is anything."""
        question = self._run.question
        pages = await self._pages(related(question, self._hits), (question,))
        return await research.enter_unjudged(self._known, pages)

    async def _found(
        self, words: str, mode: SearchMode = SearchMode.AUTO
    ) -> tuple[LibraryHit, ...]:
        found = await self._asked(
            lambda library: library.search.find(
                words, MOST_PASSAGES, self._among, passages_each=MOST_OF_EACH, mode=mode
            )
        )
        if found is None:
            return ()
        for note in found.notes:
            self._run.progress.warn(WarningCode.LIBRARY_UNUSABLE, note)
        return tuple(
            hit
            for hit in found.hits
            # A snippet stands for a page that was not read: the page itself is worth a search.
            if hit.kind is not DocumentKind.SNIPPET
            and (not self._is_public_only or hit.origin is Origin.WEB)
        )

    async def _of_gaps(
        self, queries: Sequence[str], research: Research, *, include_weak: bool
    ) -> list[LibraryHit]:
        """What the library has for the queries of a judge, where it tells what they ask for."""
        hits: list[LibraryHit] = []
        for query in queries:
            found = await self._found(query)
            found = found if include_weak else relevant(query, self._in_time(found))
            hits += [hit for hit in found if not research.evidence.holds(hit.text)]
        return hits

    def _in_time(self, documents: Sequence[_Dated]) -> tuple[_Dated, ...]:
        return tuple(
            d for d in documents if d.origin is not Origin.WEB or d.fetched_at >= self._oldest
        )

    async def _pages(
        self, hits: Sequence[LibraryHit], queries: Sequence[str], *, every: Sequence[str] = ()
    ) -> list[FoundPage]:
        """Return the documents of some passages as pages, the best first, and those of `every` behind them.

        What was chosen is wanted even where no word of the question stands in it: "What do they agree on?"
        """
        by_document: dict[str, list[LibraryHit]] = {}
        for hit in hits:
            by_document.setdefault(hit.document, []).append(hit)
        for document in every:
            by_document.setdefault(document, [])
        # As many documents as a first round reads pages: they are ranked as pages are, and in the
        # same time.
        most = max(PAGES_A_ROUND, len(every))
        pages: list[FoundPage] = []
        for document, found in by_document.items():
            if len(pages) == most:
                break
            record = found[0] if found else await self._record(document)
            if record is not None and (text := await self._text(document)):
                asked, snippets = tuple(queries), tuple(hit.snippet for hit in found)
                if not found:
                    opening = text[:OPENING_CHARACTERS]
                    asked, snippets = (*queries, record.title or opening), (opening,)
                page = page_of(record, text, found)
                pages.append(FoundPage(page, asked, snippets, record.origin))
                self._documents.add(document)
        return pages

    async def _record(self, document: str) -> DocumentRecord | None:
        """Return a document by its identity; None where it is gone, or is not for the model to see."""
        found = await self._asked(lambda of: asyncio.to_thread(of.documents.find, document)) or ()
        if self._is_public_only and any(record.origin is not Origin.WEB for record in found):
            self._warn_withheld()
            return None
        return found[0] if found else None

    async def _text(self, document: str) -> str:
        if document not in self._texts:
            text = await self._asked(lambda of: asyncio.to_thread(of.documents.text, document))
            self._texts[document] = text or ""
        return self._texts[document]

    async def _asked(self, asking: Callable[[LocalLibrary], Awaitable[_Reply]]) -> _Reply | None:
        """Ask the library; None where there is none, or where it cannot be read, which is reported."""
        if self._library is None:
            return None
        try:
            return await asking(self._library)
        except StorageError as exc:
            log_error(exc)
            self._run.progress.warn(WarningCode.LIBRARY_UNUSABLE, exc.message)
            return None

    async def _verdict(self, research: Research, *, is_known: bool) -> Verdict:
        """The judge's verdict, or the program's own where there is none; as the settings value it.

        What is known to have answered the question need not have its words.
        """
        question, evidence, judge = self._run.question, research.evidence, research.judge
        if judge is None:
            enough = is_known or is_plain(question, evidence.entered, evidence.sources)
            verdict = Verdict(Sufficiency.SUFFICIENT if enough else Sufficiency.PARTIAL)
        else:
            is_scored = self._run.settings.library.completeness is Completeness.MODEL
            verdict = await judge.judge(
                evidence, Judging.PASSAGES, 0, is_believed=is_known, is_scored=is_scored
            ) or Verdict(Sufficiency.INSUFFICIENT)
        known_share = verdict.completeness
        if known_share is None:
            known_share = completeness(question, verdict.sufficiency, evidence.entered)
        sufficiency = verdict.sufficiency
        if known_share >= self._run.completeness:
            sufficiency = Sufficiency.SUFFICIENT
        elif sufficiency is Sufficiency.SUFFICIENT:
            sufficiency = Sufficiency.PARTIAL
        return replace(verdict, sufficiency=sufficiency, completeness=known_share)
