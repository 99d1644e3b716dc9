"""Searching: every query once, a dead one costs only itself, the best of all is on top."""

from __future__ import annotations

import asyncio

import pytest

from askance.domain.conversation import SearchSize
from askance.domain.errors import (
    InputError,
    ServiceDown,
    ServiceError,
    ServiceProtocolError,
    ServiceRefused,
    ServiceTimeout,
)
from askance.domain.events import (
    ResultsFound,
    ResultsRanked,
    RunEvent,
    SearchStarted,
    WarningCode,
)
from askance.domain.messages import Message
from askance.domain.web_pages import Recency, ResultPage, SearchScope, UnresponsiveEngine
from askance.engine import search as search_module
from askance.engine.run_progress import RunState
from askance.engine.search import RESULTS_PER_QUERY, SearchRun
from engine.contexts import search_run_of
from fakes.search import Found, ScriptedSearch, result


def searching_of(
    search: ScriptedSearch, progress: RunState, settings: SearchSize | None = None
) -> SearchRun:
    return search_run_of(search, progress, size=settings)


async def searched(
    progress: RunState, search: ScriptedSearch, queries: list[str], size: SearchSize | None = None
) -> SearchRun:
    searching = searching_of(search, progress, size)
    await searching.ask(queries, 1)
    return searching


def urls(searching: SearchRun, *wanted: str) -> list[str]:
    return [offer.result.url for offer in searching.ranked(wanted, 1)]


async def test_a_dead_query_costs_only_itself(progress: RunState, events: list[RunEvent]) -> None:
    search = ScriptedSearch(
        {
            "good": [result("https://a.example/")],
            "slow": ServiceTimeout("SearXNG", "", "It took too long."),
            "mad": ServiceProtocolError("SearXNG", "", "It made no sense."),
        }
    )
    searching = searching_of(search, progress)
    assert await searching.ask(["slow", "good", "mad"], 1) == 1
    assert [type(e) for e in searching.errors] == [ServiceTimeout, ServiceProtocolError]
    record = {e.query: e.error for e in events if isinstance(e, ResultsFound)}
    assert record == {"slow": "It took too long.", "good": "", "mad": "It made no sense."}
    assert progress.warned == {WarningCode.SEARCH_FAILED}
    assert urls(searching, "good") == ["https://a.example/"]


async def test_an_error_of_ours_is_logged_and_costs_one_query(
    progress: RunState, caplog: pytest.LogCaptureFixture
) -> None:
    search = ScriptedSearch({"q": KeyError("about q"), "good": [result("https://a.example/")]})
    searching = searching_of(search, progress)
    assert await searching.ask(["q", "good"], 1) == 1
    assert [type(error) for error in searching.errors] == [ServiceProtocolError]
    assert "KeyError" in caplog.text
    assert "about q" not in caplog.text
    caplog.clear()


async def test_no_query_is_asked_twice(progress: RunState, events: list[RunEvent]) -> None:
    search = ScriptedSearch({"Who is Abel Moss?": ServiceDown("SearXNG", "", "Down.")})
    searching = await searched(progress, search, ["Who is Abel Moss?"])
    assert await searching.ask(["who is  abel moss", "WHO IS ABEL MOSS!", "?", ""], 2) == 0
    await searching.ask(["Sela Marrin", "sela marrin?"], 2)
    assert len(search.asked) == 2
    assert searching.asked == tuple(search.asked)
    assert [e.round for e in events if isinstance(e, SearchStarted)] == [1, 2]


async def test_signs_that_tell_languages_apart_make_other_queries(progress: RunState) -> None:
    search = ScriptedSearch()
    await searching_of(search, progress).ask(["history of C", "history of C++", "history of C#"], 1)
    assert len(search.asked) == 3


async def test_a_round_sends_only_so_many_queries(progress: RunState) -> None:
    search = ScriptedSearch()
    searching = await searched(progress, search, ["one", "two", "three"], SearchSize(queries=2))
    assert search.asked == ["one", "two"]
    assert search.wanted == [RESULTS_PER_QUERY] * 2
    assert searching.unasked(["two", "three", "four", "five"]) == ["three", "four"]
    assert progress.usage.searches == 2


async def test_only_so_many_queries_are_under_way_at_once(progress: RunState) -> None:
    release = asyncio.Event()
    names = ["one", "two", "three"]
    search = ScriptedSearch(holds=dict.fromkeys(names, release))
    searching = searching_of(search, progress, SearchSize())
    async with asyncio.TaskGroup() as group:
        group.create_task(searching.ask(names, 1))
        await search.tally.until_begun(2)
        assert search.asked == ["one", "two"]
        release.set()
    assert search.tally.finished == names
    assert search.tally.most_at_once == 2


async def test_cancelling_leaves_no_query_under_way(progress: RunState) -> None:
    search = ScriptedSearch(holds={"one": asyncio.Event(), "two": asyncio.Event()})
    searching = searching_of(search, progress)
    async with asyncio.TaskGroup() as group:
        task = group.create_task(searching.ask(["one", "two"], 1))
        await search.tally.until_begun(2)
        task.cancel()
    assert sorted(search.tally.cancelled) == ["one", "two"]


async def test_one_page_found_by_two_queries_is_one_offer(
    monkeypatch: pytest.MonkeyPatch, progress: RunState, events: list[RunEvent]
) -> None:
    monkeypatch.setattr(search_module, "CONCURRENCY", 1)
    search = ScriptedSearch(
        {
            "one": [result("https://www.a.example/x?utm_source=y"), result("https://b.example/")],
            "two": [result("http://a.example/x/"), result("https://c.example/")],
        }
    )
    searching = searching_of(search, progress, SearchSize())
    assert await searching.ask(["one", "two"], 1) == 3
    assert searching.offers["a.example/x"].queries == ["one", "two"]
    assert [(e.results, e.new) for e in events if isinstance(e, ResultsFound)] == [(2, 2), (2, 1)]
    assert progress.usage.pages_offered == 3


async def test_words_and_the_engines_order_decide_together(progress: RunState) -> None:
    found = [
        result("https://first.example/", "Shops", "Bread and wool."),
        result("https://second.example/", "Ferries", "The lighthouse is seen from the ferry."),
        result("https://third.example/", "The lighthouse of Kelhaven", "Built in 1867."),
    ]
    searching = await searched(progress, ScriptedSearch({"q": found}), ["q"])
    best = urls(searching, "When was the lighthouse of Kelhaven built?")
    assert best == ["https://third.example/", "https://second.example/", "https://first.example/"]
    assert urls(searching) == [r.url for r in found]


async def test_the_order_in_which_answers_come_does_not_change_the_ranking(
    progress: RunState,
) -> None:
    found: dict[str, Found] = {
        "one": [result(f"https://{h}.example/", f"Lighthouse {h}") for h in "abcd"],
        "two": [result(f"https://{h}.example/", f"Lighthouse {h}") for h in "dcbe"],
    }
    rankings: list[list[str]] = []
    for late in ("one", "two"):
        release = asyncio.Event()
        search = ScriptedSearch(found, holds={late: release})
        searching = searching_of(search, progress)
        async with asyncio.TaskGroup() as group:
            group.create_task(searching.ask(["one", "two"], 1))
            await search.tally.until_finished(1)
            release.set()
        rankings.append(urls(searching, "lighthouse"))
    assert rankings[0] == rankings[1]


async def test_copies_are_set_aside_and_only_so_many_are_kept(
    progress: RunState, events: list[RunEvent]
) -> None:
    snippet = "The lighthouse at Kelhaven was built in 1867 by three brothers."
    found = [
        result("https://a.example/", "The light", snippet),
        result("https://mirror.example/", "The Light!", snippet),
        result("https://b.example/", "Another page", snippet),
        result(
            "https://c.example/", "The light", "Its lamp has been automatic since 1988, it says."
        ),
        result("https://d.example/", "Shops", "Bread and wool."),
    ]
    searching = await searched(progress, ScriptedSearch({"q": found}), ["q"], SearchSize(results=3))
    assert urls(searching) == ["https://a.example/", "https://b.example/", "https://c.example/"]
    (ranked,) = [e for e in events if isinstance(e, ResultsRanked)]
    assert ranked.copies == 1
    assert ranked.titles == ("The light", "Another page", "The light")


async def test_every_gap_gets_its_turn(monkeypatch: pytest.MonkeyPatch, progress: RunState) -> None:
    monkeypatch.setattr(search_module, "CONCURRENCY", 1)
    search = ScriptedSearch(
        {
            "first": [
                result(f"https://one.example/{i}", f"Page {i}", f"first {i}") for i in range(3)
            ],
            "second": [
                result(f"https://two.example/{i}", f"Page {i}", f"second {i}") for i in range(2)
            ],
            "empty": [],
            "dead": ServiceDown("SearXNG", "", "Down."),
        }
    )
    searching = searching_of(search, progress, SearchSize(queries=4))
    queries = ["first", "second", "empty", "dead"]
    await searching.ask(queries, 2)
    best = [o.result.url for o in searching.ranked_in_turn([*queries, "never asked"], 2)]
    assert best == [
        "https://one.example/0",
        "https://two.example/0",
        "https://one.example/1",
        "https://two.example/1",
        "https://one.example/2",
    ]


async def test_a_gap_ranks_its_own_results_by_its_own_words(progress: RunState) -> None:
    found = [result("https://a.example/", "Shops"), result("https://b.example/", "Abel Moss")]
    search = ScriptedSearch(
        {"Abel Moss": found, "other": [result("https://c.example/", "Abel Moss")]}
    )
    searching = await searched(progress, search, ["other", "Abel Moss"])
    best = [o.result.url for o in searching.ranked_in_turn(["Abel Moss"], 2)]
    assert best == ["https://b.example/", "https://a.example/"]


async def test_pages_that_a_gap_names_come_before_those_that_speak_of_it(
    progress: RunState,
) -> None:
    spoken = [result(f"https://{n}.example/", "Moss, Moss", "Abel Abel Abel") for n in range(3)]
    titled = [result(f"https://t{n}.example/", f"Abel Moss {n}") for n in range(3)]
    searching = await searched(
        progress, ScriptedSearch({"Abel Moss": [*spoken, *titled]}), ["Abel Moss"]
    )
    best = [o.result.title for o in searching.ranked_in_turn(["Abel Moss"], 2)]
    assert best[:2] == ["Abel Moss 0", "Abel Moss 1"]


async def test_what_is_compared_is_served_in_turn(progress: RunState) -> None:
    question = "Which is older, Kelhaven or Stoll?"
    found = [
        *(result(f"https://k{n}.example/", f"Kelhaven {n}", "Kelhaven, older") for n in range(4)),
        result("https://s.example/", "Stoll", ""),
    ]
    searching = await searched(progress, ScriptedSearch({question: found}), [question])
    best = [o.result.title for o in searching.ranked([question], 1)]
    assert best[:3] == ["Kelhaven 0", "Stoll", "Kelhaven 1"]


async def test_every_snippet_that_a_page_was_shown_with_is_kept_once(
    monkeypatch: pytest.MonkeyPatch, progress: RunState
) -> None:
    monkeypatch.setattr(search_module, "CONCURRENCY", 1)
    page = "https://a.example/"
    search = ScriptedSearch(
        {
            "one": [result(page, "A", "Built in 1867.")],
            "two": [result(page, "A", "Its lamp is automatic.")],
            "three": [result(page, "A", "Built in 1867.")],
        }
    )
    searching = await searched(progress, search, ["one", "two", "three"], SearchSize())
    (offer,) = searching.offers.values()
    assert offer.snippets == ["Built in 1867.", "Its lamp is automatic."]


@pytest.mark.parametrize(
    ("wanted", "queries"),
    [
        # The same words in another order or form bring the same results.
        (["Kelhaven lighthouse builders", "Sela Marrin"], ["Sela Marrin"]),
        (["the lighthouses at Kelhaven"], []),
        (["who was the builder of it", "lighthouse Abel Moss"], ["lighthouse Abel Moss"]),
        (["Sela Marrin", "SELA MARRIN?", "Abel Moss"], ["Sela Marrin", "Abel Moss"]),
        (["builder of the Kelhaven lighthouse", "Kelhaven"], ["Kelhaven"]),
        (["Kelhaven: lighthouse builder", "Sela", "Abel", "Moss"], ["Sela", "Abel"]),
        (["builder of the Kelhaven lighthouse", "?", ""], []),
        ([], []),
    ],
)
async def test_a_later_round_asks_what_brings_a_new_word_and_else_names(
    wanted: list[str], queries: list[str], progress: RunState
) -> None:
    searching = await searched(
        progress, ScriptedSearch(), ["builder of the Kelhaven lighthouse"], SearchSize(queries=2)
    )
    assert searching.promising(wanted) == queries


async def test_a_reworded_question_is_asked_where_it_is_wanted(progress: RunState) -> None:
    searching = await searched(
        progress, ScriptedSearch(), ["builder of the Kelhaven lighthouse"], SearchSize(queries=2)
    )
    assert searching.promising(["the lighthouses at Kelhaven"]) == []
    reworded = searching.promising(["the lighthouses at Kelhaven"], reworded=True)
    assert reworded == ["the lighthouses at Kelhaven"]


async def test_before_any_search_every_query_is_promising(progress: RunState) -> None:
    searching = searching_of(ScriptedSearch(), progress, SearchSize(queries=2))
    assert searching.promising(["one word", "another"]) == ["one word", "another"]


SILENT = (
    UnresponsiveEngine("alpha", Message("timeout")),
    UnresponsiveEngine("beta", Message("CAPTCHA")),
)


GONE = (UnresponsiveEngine("alpha", Message("HTTP connection error"), unreachable=True),)


@pytest.mark.parametrize(
    ("page", "error", "code"),
    [
        (ResultPage("q", (), SILENT), ServiceRefused, WarningCode.ENGINES_SILENT),
        (ResultPage("q", (), GONE), ServiceDown, WarningCode.ENGINES_UNREACHABLE),
        (ResultPage("q", (), (*GONE, *SILENT)), ServiceRefused, WarningCode.ENGINES_SILENT),
    ],
)
async def test_engines_that_were_not_heard_refuse_to_speak_for_the_web(
    page: ResultPage, error: type[ServiceError], code: WarningCode, progress: RunState
) -> None:
    searching = await searched(progress, ScriptedSearch({"q": page}), ["q"])
    with pytest.raises(error, match="alpha"):
        searching.refuse_if_unheard()
    assert progress.warned == {code}


@pytest.mark.parametrize(
    ("page", "warned"),
    [
        (ResultPage("q", ()), {WarningCode.NO_RESULTS}),
        (ResultPage("q", (result("https://a.example/"),), SILENT), set[WarningCode]()),
    ],
)
async def test_a_web_that_was_heard_is_believed(
    page: ResultPage, warned: set[WarningCode], progress: RunState
) -> None:
    searching = await searched(progress, ScriptedSearch({"q": page}), ["q"])
    searching.refuse_if_unheard()
    assert progress.warned == warned


async def test_searches_that_never_came_back_say_nothing_of_the_web(progress: RunState) -> None:
    with pytest.raises(ServiceTimeout):
        searching_of(ScriptedSearch(), progress).refuse_if_unheard()


@pytest.mark.parametrize("question", ["\U0001f642\U0001f642", "?!", "\u2014", ""])
async def test_a_question_without_a_word_is_no_slow_search(
    question: str, progress: RunState
) -> None:
    searching = await searched(progress, ScriptedSearch(), [question] if question else [])
    with pytest.raises(InputError):
        searching.refuse_if_unheard()


@pytest.mark.parametrize(
    ("question", "recency"),
    [("Is the ferry running today?", Recency.DAY), ("Who built the ferry?", Recency.ANY)],
)
async def test_a_question_about_today_is_searched_in_pages_of_the_day(
    progress: RunState, question: str, recency: Recency
) -> None:
    search = ScriptedSearch({question: [result("https://a.example/")]})
    await search_run_of(search, progress, question).ask([question, "ferry"], 1)
    assert sorted(n.recency for n in search.narrowed) == sorted([recency, Recency.ANY])


async def test_what_no_page_of_the_day_says_is_searched_everywhere(progress: RunState) -> None:
    search, question = ScriptedSearch(), "Is the ferry running today?"
    await search_run_of(search, progress, question).ask([question], 1)
    assert [narrowing.recency for narrowing in search.narrowed] == [Recency.DAY, Recency.ANY]


async def test_how_new_pages_are_to_be_is_for_the_user_to_say(progress: RunState) -> None:
    search, question = ScriptedSearch(), "Is the ferry running today?"
    wanted = SearchScope(recency=Recency.YEAR)
    await search_run_of(search, progress, question, narrowing=wanted).ask([question], 1)
    assert search.narrowed == [wanted]
