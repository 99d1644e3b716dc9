"""The searches of one run: queries out, results in, the best of them ranked."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from unicodedata import normalize

from askance.domain.conversation import SearchSize
from askance.domain.errors import (
    InputError,
    ServiceDown,
    ServiceError,
    ServiceProtocolError,
    ServiceRefused,
    ServiceTimeout,
    place_of,
)
from askance.domain.events import ResultsFound, ResultsRanked, SearchStarted, WarningCode
from askance.domain.messages import NOTHING, Message
from askance.domain.ports.web import WebSearch
from askance.domain.web_pages import (
    WHOLE_WEB,
    Recency,
    ResultPage,
    SearchResult,
    SearchScope,
    UnresponsiveEngine,
)
from askance.engine.queries import (
    compared,
    excluded_words,
    holds,
    is_name,
    language_of_query,
    without_excluded,
)
from askance.engine.query_privacy import PrivateWords
from askance.engine.run_progress import RunState, log_error
from askance.text.languages.language import ENGLISH
from askance.text.languages.names import language_of_question
from askance.text.languages.scripts import MARKS
from askance.text.message_parts import without_address
from askance.text.ranking.index_terms import compared_in, query_terms, terms, words
from askance.text.ranking.intent import asks_for_today
from askance.text.ranking.scoring import Bm25f, CopyIndex, ScoredField, fuse
from askance.text.ranking.urls import canonical, page_key

_log = logging.getLogger(__name__)

CONCURRENCY = 2
"""Queries under way at the same time."""
RESULTS_PER_QUERY = 20
# Whoever waits sees so many of a query's results before all of them are ranked.
_SHOWN_AT_ONCE = 8
# Weight of a result's title in BM25F; its snippet has 1.
TITLE_WEIGHT = 2.0
# Results of one title whose snippets say the same words are one page on two hosts.
SNIPPET_COPY = 0.8
# A page of a preferred site stands so many places higher. On the 49 questions of the sample web the right site, preferred,
# gains all that it can by 3 places; three wrong ones that are preferred cost 7 of 64 right pages a place among the four
# that are read first, with 4 places 14.
PREFERRED_PLACES = 3
# So many pages whose titles have a name come before those that only speak of it: one may fail.
FRONT_PAGES = 2
_SERVICE = "search"
_UNSEEN_MARK = re.compile("[\u200b-\u200f]")
_KEY_WORD = re.compile(rf"(?:(?<!\S)-{{1,3}})?[\w+#{MARKS}]+")


@dataclass(slots=True)
class SearchCandidate:
    """One page that searches offered: its first result, and every query and snippet that named it."""

    result: SearchResult
    queries: list[str] = field(default_factory=list[str])
    snippets: list[str] = field(default_factory=list[str])


@dataclass
class SearchRun:
    """The searches of one run. A query is never asked twice, and never tells what is private.

    `question` is what the queries are made for: they are searched in its language. It alone goes out with hyphens
    before words ("BBC -yhtiö"): of other queries none excludes a word, or a page could make a model leave out what
    others say.
    """

    search: WebSearch
    size: SearchSize
    progress: RunState
    private: PrivateWords
    narrowing: SearchScope = WHOLE_WEB
    question: str = ""

    def __post_init__(self) -> None:
        self._typed = {self.question, without_address(self.question)}
        self._excluded = excluded_words(self.question)
        self._held_back: set[str] = set()
        self._slots = asyncio.Semaphore(CONCURRENCY)
        self._asked: dict[str, str] = {}
        self._pages: dict[str, ResultPage] = {}
        self.offers: dict[str, SearchCandidate] = {}
        self.errors: list[ServiceError] = []
        self._is_over = False
        self._has_no_words = False

    @property
    def asked(self) -> tuple[str, ...]:
        """All queries so far, as they were sent."""
        return tuple(self._asked.values())

    def stop(self) -> None:
        """Take in nothing any more: a reply may come in the instant in which its query is given up."""
        self._is_over = True

    def unasked(self, queries: Sequence[str]) -> list[str]:
        """Return those queries that were not asked yet, at most as many as one round may send.

        They come without what may not leave this machine; one that has nothing else is left out.
        """
        screened = [self._screened(query) for query in queries]
        self._has_no_words = not any(map(_key, screened))
        fresh: dict[str, str] = {}
        for query in screened:
            # Of two spellings the first is sent: the question as it was typed comes before its words.
            if (key := _key(query)) and key not in self._asked:
                fresh.setdefault(key, query)
        return list(fresh.values())[: self.size.queries]

    def promising(
        self, queries: Sequence[str], *, reworded: bool = False, beside: Sequence[str] = ()
    ) -> list[str]:
        """Return the unasked queries that bring a new word; where none does, those that are names.

        A model that does not know what to ask words the old question anew: the results are mostly
        the old ones too, and their pages would be read in place of those of the queries that name
        something. Such a query is taken where there is no other, and `reworded` ones are wanted. Those asked `beside`
        them are of the same round.
        """
        queries = [self._screened(query) for query in queries]
        # By stems: a plural of an asked word is no new one.
        known = {t for query in self.asked if query not in beside for t in terms(query)}
        new = [query for query in queries if not known.issuperset(terms(query))]
        if (unasked := self.unasked(new)) or beside:
            return unasked
        # Of a question in another language a query may be in English.
        code = ENGLISH if language_of_question(self.question) == ENGLISH else ""
        return self.unasked([q for q in queries if reworded or is_name(q, code)])

    async def ask(self, queries: Sequence[str], round_number: int) -> int:
        """Send queries, a few at once, and return how many new pages they offered.

        A query that fails costs only itself; its error goes into `errors`.
        """
        await asyncio.to_thread(self.private.prepare)
        fresh = self.unasked(queries)
        if not fresh:
            return 0
        before = len(self.offers)
        # Before the first request: the plan's queries are asked meanwhile, and must not repeat them.
        self._asked |= {_key(q): q for q in fresh}
        self.progress.emit(SearchStarted(tuple(fresh), round_number))
        async with asyncio.TaskGroup() as group:
            for query in fresh:
                group.create_task(self._ask_one(query))
        return len(self.offers) - before

    def ranked(
        self, wanted: Sequence[str], round_number: int, *, first: str = ""
    ) -> list[SearchCandidate]:
        """Return the best offers for the given texts (question, queries), best first, copies aside.

        BM25F over title and snippet is fused with the order in which each search gave its results. The best of
        the query `first` come before: one in another language shares no words with the others' results.
        """
        keys = list(self.offers)
        lists = [[page_key(r.url) for r in page.results] for page in self._pages.values()]
        # Engines rank by links and clicks that nobody sees here, BM25F by the words: fusion by
        # ranks needs no common scale (Cormack, Clarke, Büttcher 2009).
        lists += [self._by_words(text, keys) for text in wanted]
        sides = compared(wanted[0]) if wanted else []
        front = self._ranked_for(first)[:FRONT_PAGES] if first in self._pages else []
        ranking = self._titled(sides, fuse(lists))
        return self._best(list(dict.fromkeys([*front, *ranking])), round_number)

    def ranked_in_turn(self, queries: Sequence[str], round_number: int) -> list[SearchCandidate]:
        """Return the best offers of each query in turn: what is missing differs from gap to gap.

        Each query's own results are ranked by its own words, fused with their order.
        """
        rankings = [self._ranked_for(q) for q in queries if q in self._pages]
        # In turn: ranked by the question, the page that a gap names stood behind ten that resemble
        # it (.74, in turn .90; decision 4).
        return self._best(list(dict.fromkeys(_in_turn(rankings))), round_number)

    def refuse_if_unheard(self) -> None:
        """Tell an empty web, of which a warning is given, from one that did not answer.

        Raises:
            InputError: there was no word to search for.
            ServiceError: nothing came, and that is not the web's fault: a search failed, engines
                were silent, or no search came back in time.
        """
        if self.offers:
            return
        if self.errors:
            raise self.errors[0]
        if self._has_no_words and not self._asked:
            if terms(self.question):
                raise InputError(
                    Message("The question alone does not say what to search for."),
                    fix=Message("Name in it what it is about."),
                )
            raise InputError(
                Message("The question has no word that can be searched for."),
                fix=Message("Ask it in words."),
            )
        if not self._pages:
            problem = Message("No search was answered before the time limit.")
            fix = Message("A larger limits.run_timeout_s gives them more time.")
            raise ServiceTimeout(_SERVICE, "", problem, fix=fix)
        # SearXNG answers 200 with no results where every engine has failed: only this list tells.
        silent = {e.name: e for page in self._pages.values() for e in page.silent_engines}
        if not silent:
            hints = dict.fromkeys(hint for page in self._pages.values() for hint in page.hints)
            message = Message("The searches brought no results.")
            if hinted := _quoted(hints):
                message = Message(
                    "The searches brought no results, but these hints: {told}.", told=hinted
                )
            self.progress.warn(WarningCode.NO_RESULTS, message)
            return
        error = _of_silent(list(silent.values()))
        if isinstance(error, ServiceDown):
            self.progress.warn(WarningCode.ENGINES_UNREACHABLE, error.problem)
        else:
            self.progress.warn(WarningCode.ENGINES_SILENT, error.problem)
        raise error

    def _screened(self, query: str) -> str:
        is_typed = query in self._typed
        wanted = query if is_typed else without_excluded(query, self._excluded)
        screened = self.private.screen(wanted)
        new, paths = (
            tuple(text for text in found if text not in self._held_back)
            for found in (screened.held_back, screened.paths)
        )
        self._held_back.update(new, paths)
        if new:
            message = Message(
                "Not searched, because only your own texts say it: {words}. A question that says it is "
                "searched with it.",
                words=_quoted(new),
            )
            self.progress.warn(WarningCode.WORDS_HELD_BACK, message, again=True, words=new)
        if paths:
            message = Message(
                "Not searched, because it is on this computer: {paths}.", paths=_quoted(paths)
            )
            self.progress.warn(WarningCode.WORDS_HELD_BACK, message, again=True)
        # Letter by letter as it was typed, joiners included, where nothing was held back.
        is_as_typed = is_typed and _unmarked(query) == _unmarked(screened.query)
        return query if is_as_typed else screened.query

    async def _ask_one(self, query: str) -> None:
        async with self._slots:
            started = asyncio.get_running_loop().time()
            self.progress.searches += 1
            try:
                page = await self._found(query)
                error = NOTHING
            # One query of several: the others may still bring what is needed.
            except ServiceError as exc:
                self.errors.append(exc)
                log_error(exc)
                page, error = ResultPage(query, ()), exc.problem
                message = Message("A search failed: {problem}", problem=error)
                self.progress.warn(WarningCode.SEARCH_FAILED, message)
            if page.fallback:
                self.progress.warn(WarningCode.SEARCH_FALLBACK, page.fallback)
        if self._is_over:
            return
        new = self._add_results(query, page)
        self.progress.emit(
            ResultsFound(
                query,
                len(page.results),
                new,
                page.silent_engines,
                error,
                self.progress.ms_since(started),
                page.served_by,
                tuple(result.url for result in page.results[:_SHOWN_AT_ONCE]),
            )
        )

    async def _found(self, query: str) -> ResultPage:
        """Ask one query.

        Raises:
            ServiceError: it failed, in whatever way.
        """
        narrowing = self.narrowing
        # "Is it open today?": of its queries the question itself is searched for in pages of the day.
        is_of_today = query == self.question and not narrowing.recency and asks_for_today(query)
        if is_of_today:
            narrowing = replace(narrowing, recency=Recency.DAY)
        try:
            page = await self._page(query, narrowing)
            # The day may hold nothing about it: then older pages are better than none.
            return page if page.results or not is_of_today else await self._page(query)
        except ServiceError:
            raise
        except Exception as exc:
            # A search says what it expects as a ServiceError. A bug of it, to which foreign bytes
            # may have led, costs one query as well, and never the run.
            _log.error("A search failed: %s", place_of(exc))
            problem = Message("The search failed inside this program; the log says where.")
            raise ServiceProtocolError(_SERVICE, "", problem) from exc

    async def _page(self, query: str, narrowing: SearchScope | None = None) -> ResultPage:
        return await self.search.search(
            query,
            wanted=RESULTS_PER_QUERY,
            sent=self.progress.sent,
            narrowing=narrowing or self.narrowing,
            language=language_of_query(query, self.question),
        )

    def _add_results(self, query: str, page: ResultPage) -> int:
        self._pages[query] = page
        new = 0
        for result in page.results:
            key = page_key(result.url)
            known = self.offers.get(key)
            if known is None:
                known = self.offers[key] = SearchCandidate(result)
                new += 1
            else:
                known.result = _together(known.result, result)
            if query not in known.queries:
                known.queries.append(query)
            # Each search shows the place of its own query: all of them tell what the page has.
            if result.snippet and result.snippet not in known.snippets:
                known.snippets.append(result.snippet)
        self.progress.pages_offered = len(self.offers)
        return new

    def _ranked_for(self, query: str) -> list[str]:
        order = [page_key(r.url) for r in self._pages[query].results]
        ranking = fuse([order, self._by_words(query, order)])
        return self._titled([query], ranking)

    def _by_words(self, text: str, keys: list[str]) -> list[str]:
        results = [self.offers[k].result for k in keys]
        code = _compared_in(text, results)
        index = Bm25f(
            [{"title": terms(r.title, code), "body": terms(r.snippet, code)} for r in results],
            {"title": ScoredField(TITLE_WEIGHT), "body": ScoredField()},
        )
        scored = zip(keys, index.scores(query_terms(text, code)), strict=True)
        # Without a word in common a result has no place in this list; in the engine's own it still
        # has one.
        return [k for k, s in sorted(scored, key=lambda pair: (-pair[1], pair[0])) if s > 0]

    def _titled(self, names: Sequence[str], ranking: Sequence[str]) -> list[str]:
        """Put in front, for each name in turn, the best pages whose titles have it."""
        results = {key: self.offers[key].result for key in ranking}
        code = _compared_in(" ".join(names), results.values()) if names else ""
        front = [
            [key for key in ranking if holds(results[key].title, name, code)] for name in names
        ]
        return list(dict.fromkeys([*_in_turn(keys[:FRONT_PAGES] for keys in front), *ranking]))

    def _lifted(self, ranking: Sequence[str]) -> Sequence[str]:
        """Return a ranking in which pages of preferred sites stand some places higher."""
        if not self.narrowing.preferred:
            return ranking
        urls = {key: self.offers[key].result.url for key in ranking}
        # Between two places: it comes before the page that holds the place it is lifted to.
        place = {
            key: n - (PREFERRED_PLACES + 0.5) * self.narrowing.prefers(urls[key])
            for n, key in enumerate(ranking)
        }
        return sorted(ranking, key=place.__getitem__)

    def _best(self, ranking: Sequence[str], round_number: int) -> list[SearchCandidate]:
        best: list[SearchCandidate] = []
        # Only under one title are results copies: two pages may quote the same sentence.
        seen: dict[str, CopyIndex] = {}
        for key in self._lifted(ranking):
            result = self.offers[key].result
            index = seen.setdefault(" ".join(words(result.title)), CopyIndex(SNIPPET_COPY))
            if not index.is_copy(result.snippet):
                index.add(result.snippet)
                best.append(self.offers[key])
        copies = len(ranking) - len(best)
        best = best[: self.size.results]
        self.progress.emit(
            ResultsRanked(
                tuple(o.result.url for o in best),
                tuple(o.result.title for o in best),
                copies,
                round_number,
            )
        )
        return best


def _compared_in(text: str, results: Iterable[SearchResult]) -> str:
    """Return the language in which a text and results are compared; empty if it is not recognised."""
    return compared_in(text, (f"{result.title}. {result.snippet}" for result in results))


def _in_turn(rankings: Iterable[Sequence[str]]) -> list[str]:
    """Return the first of each ranking, the second of each, and so on."""
    return [key for row in zip_longest(*rankings) for key in row if key is not None]


def _together(first: SearchResult, other: SearchResult) -> SearchResult:
    """Return the first of two results of one page, with the day and the plainer address of both."""
    is_variant = canonical(first.url) != page_key(first.url)
    is_plainer = is_variant and canonical(other.url) == page_key(other.url)
    url = other.url if is_plainer else first.url
    return replace(first, url=url, published=first.published or other.published)


def _of_silent(silent: Sequence[UnresponsiveEngine]) -> ServiceError:
    """Return the error of a search that found nothing while these engines did not answer.

    Others may have answered, and known nothing: SearXNG does not say whom it asked.
    """
    engines = Message.joined(
        *(Message("{name} ({problem})", name=e.name, problem=e.reason) for e in silent), by=", "
    )
    # The remedy differs: a dead connection is the user's, blocked engines recover by themselves.
    if all(engine.unreachable for engine in silent):
        problem = Message(
            "The search found nothing: these engines could not be reached: {told}.", told=engines
        )
        fix = Message("Check this computer's connection to the internet, and search.proxy.")
        return ServiceDown(_SERVICE, "", problem, fix=fix)
    problem = Message(
        "The search found nothing: these engines did not answer: {told}.", told=engines
    )
    fix = Message("Try again later, or with other engines (search.engines).")
    return ServiceRefused(_SERVICE, "", problem, fix=fix)


def _quoted(texts: Iterable[str]) -> str:
    return ", ".join(f"“{text}”" for text in texts)


def _unmarked(query: str) -> str:
    """Return a query without joiners, marks of direction and blanks of no width: scripts need them inside a question."""
    return _UNSEEN_MARK.sub("", query)


def _key(query: str) -> str:
    """Equal for two spellings of one query; C, C# and C++ are three, and so are words with other accents.

    With and without a hyphen before a word are two as well: engines find something else.
    """
    return " ".join(_KEY_WORD.findall(normalize("NFKC", query).casefold()))
