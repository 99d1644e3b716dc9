"""The second search is asked where nothing answers at the first, and only there."""

from __future__ import annotations

import pytest

from askance.adapters.web_choice import REMEMBERED_S, FallbackSearch
from askance.domain.errors import (
    ServiceDown,
    ServiceError,
    ServiceProtocolError,
    ServiceRefused,
    ServiceSwitchedOff,
    ServiceTimeout,
)
from askance.domain.web_pages import SearchScope
from fakes.outbound import ignore
from fakes.search import ScriptedSearch, result

URL = "http://127.0.0.1:25017"
DOWN = ServiceDown("SearXNG", URL, "Nothing answers.")
FIRST, SECOND = [result("https://first.example/")], [result("https://second.example/")]


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def searches(first: Exception | None = DOWN) -> tuple[ScriptedSearch, ScriptedSearch]:
    return ScriptedSearch({"cats": first or FIRST}), ScriptedSearch({"cats": SECOND})


async def test_a_service_that_answers_is_the_only_one_asked() -> None:
    first, second = searches(None)
    page = await FallbackSearch(first, second).search("cats", wanted=7, sent=ignore)
    assert (page.results, page.fallback) == (tuple(FIRST), "")
    assert (first.wanted, second.asked) == ([7], [])


async def test_where_nothing_answers_the_other_is_asked_and_says_so() -> None:
    first, second = searches()
    part = SearchScope(("second.example",))
    search = FallbackSearch(first, second)
    page = await search.search("cats", wanted=7, sent=ignore, narrowing=part, language="fr")
    assert page.results == tuple(SECOND)
    assert "http://127.0.0.1:25017" in page.fallback
    assert second.wanted == [7]
    assert first.narrowed == second.narrowed == [part]
    assert first.languages == second.languages == {"cats": "fr"}


async def test_one_that_does_not_let_programs_search_is_replaced_too() -> None:
    first, second = searches(ServiceSwitchedOff("SearXNG", URL, "JSON is switched off."))
    page = await FallbackSearch(first, second).search("cats", wanted=7, sent=ignore)
    assert page.results == tuple(SECOND)
    assert "JSON" in page.fallback


@pytest.mark.parametrize("kind", [ServiceTimeout, ServiceRefused, ServiceProtocolError])
async def test_a_service_that_is_there_and_fails_is_not_replaced(kind: type[ServiceError]) -> None:
    first, second = searches(kind("SearXNG", URL, "No."))
    with pytest.raises(kind):
        await FallbackSearch(first, second).search("cats", wanted=7, sent=ignore)
    assert second.asked == []


async def test_a_run_does_not_knock_for_each_query_and_a_later_one_does() -> None:
    first, second = searches()
    clock = Clock()
    search = FallbackSearch(first, second, clock=clock)
    for _ in range(3):
        assert (await search.search("cats", wanted=7, sent=ignore)).fallback
    assert (len(first.asked), len(second.asked)) == (1, 3)
    clock.now += REMEMBERED_S - 1
    await search.search("cats", wanted=7, sent=ignore)
    assert len(first.asked) == 1
    clock.now += 1
    first.found["cats"] = FIRST
    assert (await search.search("cats", wanted=7, sent=ignore)).results == tuple(FIRST)
    first.found["cats"] = DOWN
    assert (await search.search("cats", wanted=7, sent=ignore)).fallback
    assert (len(first.asked), len(second.asked)) == (3, 5)


async def test_a_second_search_that_fails_too_is_the_one_that_is_told() -> None:
    offline = ServiceDown("the search engines", "this program", "None can be reached.")
    first = ScriptedSearch({"cats": DOWN})
    search = FallbackSearch(first, ScriptedSearch({"cats": offline}))
    for _ in range(2):
        with pytest.raises(ServiceDown) as caught:
            await search.search("cats", wanted=7, sent=ignore)
        assert caught.value is offline
    assert len(first.asked) == 1
