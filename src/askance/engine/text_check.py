"""A text of whoever wrote it, compared with the web: its claims are searched, read about and graded.

Words alone decide, and no model is asked: nobody can talk it into a verdict, and it takes seconds. What words
leave open is "not found".
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby

from askance.citations.check.checking import read_outline
from askance.citations.check.contradicting import contradicts
from askance.citations.check.facts import read_facts
from askance.citations.check.grading import Match
from askance.citations.check.support import CLEAR_COVERAGE, SupportIndex, is_claim
from askance.citations.markdown.answer_markers import UnmarkedAnswer
from askance.citations.markdown.foreign_markers import clean_text
from askance.citations.markdown.grammar import BARE, LineKind, trimmed
from askance.domain.checked_text import (
    CheckedClaim,
    CheckedText,
    CitedPage,
    CitedState,
    ClaimEvidence,
    ClaimVerdict,
    TextClaim,
)
from askance.domain.conversation import SearchSize
from askance.domain.errors import InputError, ServiceError
from askance.domain.events import Emit, WarningCode, ignore
from askance.domain.evidence import Extract, ExtractKind, Support
from askance.domain.messages import Message
from askance.domain.web_pages import Page, PageStatus
from askance.engine.context import EngineParts
from askance.engine.evidence_search import shown_page
from askance.engine.page_reads import PageReads
from askance.engine.prompts import ContextBudget
from askance.engine.queries import wanted_names
from askance.engine.query_privacy import PrivateWords
from askance.engine.run_progress import RunState, log_error
from askance.engine.search import SearchCandidate, SearchRun
from askance.engine.turn_privacy import is_personal
from askance.text.caches import forget_texts
from askance.text.languages.recognition import recognise
from askance.text.ranking.index_terms import terms, words
from askance.text.ranking.origins import ComparedText, have_one_origin
from askance.text.ranking.scoring import FoundPage
from askance.text.ranking.sentence_windows import rank_windows

LONGEST_TEXT, MOST_CLAIMS = 60_000, 80
# Claims of one paragraph share searches and pages, so many at a time.
CLAIMS_AT_ONCE = 6
PAGES_A_CLAIM, MOST_PAGES = 3, 10
# Searching and reading for the claims of a paragraph, in seconds; what has come by then is compared.
ROUND_S, CITED_S = 25.0, 20.0
_WINDOWS = 12
_MOST_EVIDENCE = 3
_LONGEST_QUERY = 240
_LEAST_TERMS = 3
_BLANK_LINE = re.compile(r"\n[ \t]*+\n")
# Atomic: what is an address could else be a part of what stands behind it in many ways.
_LINK = re.compile(
    r"!?\[([^\[\]\n]{0,300}+)\]"
    r"\((https?://[^\s()]{1,2000}+(?>(?:\([^\s()]{0,200}+\)[^\s()]{0,500}+){0,5}))(?:[ \t][^()\n]{0,200}+)?\)"
)
_MARKER = re.compile(r"\[\^?(\d{1,3}(?:\s*[,;]\s*\d{1,3})*)\]")
_LEADING_MARKERS = re.compile(r"\s*(?:\[\^?\d{1,3}(?:\s*[,;]\s*\d{1,3})*\]\s*)+")
_REFERENCE = re.compile(
    r"^[ \t>*-]{0,6}(?:\[\^?(\d{1,3})\]:?|(\d{1,3})[.)])[ \t]++(.{0,400}+)$", re.MULTILINE
)
_BEFORE_MARK = re.compile(r" (?=[.,;:!?])")
_MARKUP = re.compile(r"[*_`~#>|]+")
# An opinion or advice is neither true nor false; of other languages only the first person tells.
# fmt: off
_OPINION = frozenset([
    "should", "must", "ought", "hopefully", "arguably", "perhaps", "maybe", "beautiful", "lovely", "wonderful", "awesome",
    "amazing", "ugly", "delicious", "boring", "exciting", "worth", "recommend", "please", "consider",
])
# fmt: on


def read_claims(text: str) -> tuple[TextClaim, ...]:
    """Return the sentences of a text; those that can be checked have a query.

    Raises:
        InputError: the text is empty, or too long.
    """
    if not text.strip():
        raise InputError(Message("There is no text."), fix=Message("Select or paste one."))
    if len(text) > LONGEST_TEXT:
        raise InputError(
            Message("The text is longer than {n} characters.", n=LONGEST_TEXT),
            fix=Message("Check a part of it."),
        )
    references = _references(text)
    sentences = list(_sentences(text))
    claims: list[TextClaim] = []
    subject, paragraph, searched = "", -1, 0
    for place, (start, end, number) in enumerate(sentences):
        raw = text[start:end]
        plain = _plain(raw)
        if not plain:
            continue
        if number != paragraph:
            subject, paragraph = "", number
        code = recognise(plain) or recognise(text)
        behind = text[end : sentences[place + 1][0]] if place + 1 < len(sentences) else text[end:]
        facts = read_facts(plain, code)
        names = wanted_names(plain)
        asked = f"{subject}: {plain}" if facts.refers_back and subject else plain
        if names and not facts.refers_back:
            subject = _without_numbers(names[0]) or subject
        can_be = searched < MOST_CLAIMS and _is_checkable(
            plain, code, has_facts=bool(names or facts.numbers)
        )
        searched += can_be
        claims.append(
            TextClaim(
                start,
                end,
                plain,
                number,
                _cut(asked.replace(": ", " ", 1) if asked != plain else plain) if can_be else "",
                asked,
                tuple(dict.fromkeys(_cited(raw + _markers_of(behind), references))),
            )
        )
    return tuple(claims)


def _sentences(text: str) -> Iterator[tuple[int, int, int]]:
    """Yield start, end and paragraph of each sentence, without markers that belong to the one before."""
    paragraph, last = 0, 0
    references = [match.span() for match in _REFERENCE.finditer(text) if BARE.search(match[3])]
    for sentence in read_outline(UnmarkedAnswer(text, (), 0)).sentences:
        start, end = sentence.start, sentence.end
        paragraph += bool(_BLANK_LINE.search(text, last, start))
        last = end
        leading = _LEADING_MARKERS.match(text, start, end)
        start = leading.end() if leading else start
        is_reference = any(begin <= start < stop for begin, stop in references)
        if sentence.kind is LineKind.TEXT and start < end and not is_reference:
            yield start, end, paragraph


def _plain(raw: str) -> str:
    """Return the words of a sentence, without links, markers and marks of emphasis."""
    words_only = _MARKER.sub("", _LINK.sub(r"\1", raw))
    plain = " ".join(_MARKUP.sub("", BARE.sub("", words_only)).split())
    return _BEFORE_MARK.sub("", plain).strip("()[] ")


def _without_numbers(name: str) -> str:
    return " ".join(word for word in name.split() if not any(map(str.isdecimal, word)))


def _is_checkable(plain: str, code: str, *, has_facts: bool) -> bool:
    if not is_claim(plain) or is_personal(plain, "", code):
        return False
    if not _OPINION.isdisjoint(words(plain)):
        return False
    return len(set(terms(plain, code))) >= _LEAST_TERMS - has_facts


def _cut(query: str) -> str:
    """Return a query as long as engines read it, cut between two words."""
    query = query.rstrip(".!… ")
    return query if len(query) <= _LONGEST_QUERY else query[:_LONGEST_QUERY].rsplit(" ", 1)[0]


def _references(text: str) -> dict[str, str]:
    """Return the addresses of a list of references by their numbers."""
    found: dict[str, str] = {}
    for match in _REFERENCE.finditer(text):
        url = BARE.search(match[3])
        if url:
            found.setdefault(match[1] or match[2], trimmed(url.group()))
    return found


def _markers_of(behind: str) -> str:
    leading = _LEADING_MARKERS.match(behind)
    return leading.group() if leading else ""


def _cited(raw: str, references: Mapping[str, str]) -> Iterator[str]:
    for match in _LINK.finditer(raw):
        yield match[2]
    for match in BARE.finditer(_LINK.sub(" ", raw)):
        yield trimmed(match.group())
    for match in _MARKER.finditer(raw):
        for number in re.findall(r"\d+", match[1]):
            if number in references:
                yield references[number]


@dataclass(frozen=True, slots=True)
class TextCheck:
    """Compares the claims of texts with the web."""

    parts: EngineParts

    async def check(
        self,
        text: str,
        claims: Sequence[TextClaim],
        *,
        emit: Emit = ignore,
        settled: Callable[[CheckedClaim], object] = ignore,
    ) -> CheckedText:
        """Search for the claims that have a query, and return what the web says to each.

        `claims` are those of `read_claims`, as their user has confirmed them: no other word is searched. `settled` gets
        each as soon as it is known.

        Raises:
            ServiceError: no search was answered.
        """
        progress = RunState(
            emit, ledger=self.parts.ledger, occasion=claims[0].text if claims else ""
        )
        queries = [claim.query for claim in claims if claim.query]
        private = PrivateWords("\n".join(queries), self.parts.own_names, [])
        checked: list[CheckedClaim] = []
        try:
            for group in _groups(claims):
                pages, cited = await self._read(group, private, progress)
                read = cache(ComparedText)
                for claim in group:
                    found = await asyncio.to_thread(_compared, claim, pages, cited, read)
                    checked.append(found)
                    settled(found)
        finally:
            forget_texts()
        return CheckedText(text, tuple(checked), progress.warnings)

    async def _read(
        self, group: Sequence[TextClaim], private: PrivateWords, progress: RunState
    ) -> tuple[list[FoundPage], dict[str, Page]]:
        """Return what the web has about the claims of a group, and the pages that they cite."""
        queries = [claim.query for claim in group if claim.query]
        urls = dict.fromkeys(url for claim in group if claim.query for url in claim.cited)
        if not queries:
            return [], {}
        size = SearchSize(queries=len(queries), results=MOST_PAGES)
        searching = SearchRun(self.parts.search, size, progress, private, question=queries[0])
        best: list[SearchCandidate] = []
        pages: list[FoundPage] = []
        async with asyncio.TaskGroup() as tasks:
            cited = {url: tasks.create_task(self._cited_page(url, progress)) for url in urls}
            reading = PageReads(self.parts.reader, tasks, self.parts.settings.reader, progress)
            try:
                async with asyncio.timeout(ROUND_S):
                    await searching.ask(queries, 1)
                    best = searching.ranked_in_turn(searching.asked, 1)
                    first = best[: PAGES_A_CLAIM * len(queries)]
                    reading.request(first, 1)
                    await reading.until_enough(len(first))
            except TimeoutError:
                pass
            finally:
                searching.stop()
                pages = reading.take_pages()
                reading.stop()
        searching.refuse_if_unheard()
        read = {found.page.url for found in pages}
        shown = [shown_page(offer) for offer in best if offer.result.url not in read]
        return [*pages, *shown], {url: task.result() for url, task in cited.items()}

    async def _cited_page(self, url: str, progress: RunState) -> Page:
        problem = Message("it took too long")
        try:
            async with asyncio.timeout(CITED_S):
                return await self.parts.reader.read(url, sent=progress.sent)
        except TimeoutError:
            pass
        except ServiceError as exc:
            log_error(exc)
            problem = exc.problem
            progress.warn(WarningCode.READER_UNAVAILABLE, exc.message)
        return Page(url, PageStatus.FAILED, detail=problem)


def _groups(claims: Sequence[TextClaim]) -> Iterator[list[TextClaim]]:
    """Yield the claims paragraph by paragraph, of a long one so many at a time."""
    for _, paragraph in groupby(claims, key=lambda claim: claim.paragraph):
        rest = list(paragraph)
        while rest:
            yield rest[:CLAIMS_AT_ONCE]
            rest = rest[CLAIMS_AT_ONCE:]


def _compared(
    claim: TextClaim,
    pages: Sequence[FoundPage],
    cited: Mapping[str, Page],
    read: Callable[[str], ComparedText],
) -> CheckedClaim:
    if not claim.query:
        return CheckedClaim(claim, ClaimVerdict.NOT_CHECKABLE)
    matched = _matched(claim, [found for found in pages if found.page.markdown])
    supporting = [pair for pair in matched if _is_stated(pair[1])]
    against = [pair for pair in matched if pair[2]]
    if supporting and _origins(supporting, read) >= _origins(against, read):
        verdict, shown = ClaimVerdict.SUPPORTED, supporting
    elif against:
        verdict, shown = ClaimVerdict.CONTRADICTED, against
    else:
        verdict, shown = ClaimVerdict.NOT_FOUND, []
    others = [pair for pair in (*supporting, *against) if pair not in shown]
    # The nearest, for who reads on: half a claim may stand there.
    nearest = [] if shown else [p for p in matched if p[1].support is not Support.UNSUPPORTED][:1]
    evidence = (*shown[:_MOST_EVIDENCE], *others[:_MOST_EVIDENCE], *nearest)
    return CheckedClaim(
        claim,
        verdict,
        tuple(_evidence(*pair) for pair in evidence),
        _origins(shown, read),
        tuple(_cited_page(claim, url, cited[url]) for url in claim.cited if url in cited),
    )


_Compared = tuple[Page, Match, bool]
"""A page, its best match for a claim, and whether that contradicts it."""


def _matched(claim: TextClaim, pages: Sequence[FoundPage]) -> list[_Compared]:
    """Return the best match of each page that has something of a claim, best first."""
    ranked = rank_windows(claim.asked, pages, ContextBudget(0, 0).cost)[:_WINDOWS]
    numbered: dict[str, int] = {}
    found_pages: dict[int, Page] = {}
    extracts: list[Extract] = []
    for window in ranked:
        page = window.found.page
        n = numbered.setdefault(page.url, len(numbered) + 1)
        found_pages[n] = page
        kind = ExtractKind.PASSAGE if window.found.is_read else ExtractKind.SNIPPET
        extracts.append(Extract(n, kind, clean_text(window.text), window.window.heading))
    titles = {n: page.title for n, page in found_pages.items()}
    index = SupportIndex(extracts, titles, recognise(claim.text))
    read = index.read(claim.asked)
    matches = sorted(
        index.match(read).values(),
        key=lambda match: (match.support is Support.SUPPORTED, match.score, -match.n),
        reverse=True,
    )
    return [
        (found_pages[m.n], m, m.support is not Support.SUPPORTED and contradicts(read, m))
        for m in matches
    ]


def _is_stated(match: Match) -> bool:
    # The claim was not written from these pages: what is enough for an answer's own source is too little here.
    return match.support is Support.SUPPORTED and match.coverage >= CLEAR_COVERAGE


def _origins(compared: Iterable[_Compared], read: Callable[[str], ComparedText]) -> int:
    """Return how many of these are independent: one report on several sites is one."""
    origins: list[tuple[ComparedText, str]] = []
    for page, match, _ in compared:
        text, quote = read(page.markdown), match.quote
        if not any(have_one_origin(o, text, [(other, quote)]) for o, other in origins):
            origins.append((text, quote))
    return len(origins)


def _evidence(page: Page, match: Match, against: bool) -> ClaimEvidence:
    return ClaimEvidence(
        page.final_url or page.url,
        page.title,
        match.quote,
        (page.published or "")[:10],
        contradicts=against,
        # Whoever reads a page says which address has answered.
        snippet_only=not page.final_url,
    )


def _cited_page(claim: TextClaim, url: str, page: Page) -> CitedPage:
    if page.status is not PageStatus.OK:
        return CitedPage(
            url, CitedState.UNREADABLE, problem=page.detail or Message.verbatim(page.reason)
        )
    matched = _matched(claim, [FoundPage(page, (claim.query,))])
    for _, match, against in matched:
        if match.support is Support.SUPPORTED:
            return CitedPage(url, CitedState.STATES_IT, match.quote)
        if against:
            return CitedPage(url, CitedState.CONTRADICTS_IT, match.quote)
    return CitedPage(url, CitedState.DOES_NOT_STATE_IT)
