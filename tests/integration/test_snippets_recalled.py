"""What an answer cited of pages that were not read is remembered as what a search showed of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from askance.adapters.library.sqlite_library import SqliteLibrary
from askance.domain.conversation import Outcome
from askance.domain.events import SearchStarted
from askance.domain.library import DocumentKind
from integration.test_recall_in_runs import YESTERDAY, cited
from servers.faults import hangs_up
from servers.model_script import verdict
from servers.world import (
    LIGHTHOUSE,
    WHITLOW,
    always,
    knowing_model,
    where,
    world,
)

WHITLOW_HOST = urlsplit(WHITLOW).netloc


@pytest.fixture
def library(tmp_path: Path) -> Iterator[SqliteLibrary]:
    opened = SqliteLibrary(tmp_path / "library.sqlite3", 90, pytest.fail, lambda: YESTERDAY)
    yield opened
    opened.close()


@pytest.mark.parametrize(
    ("judged", "breaks"),
    [
        (True, {}),
        (False, {"web": where(WHITLOW_HOST, hangs_up)}),
    ],
    ids=["snippets and passages of one page", "one page unread"],
)
async def test_a_source_that_is_cited_by_its_snippet_is_remembered_with_it(
    library: SqliteLibrary, judged: bool, breaks: dict[str, Any], request: pytest.FixtureRequest
):
    if judged:
        request.getfixturevalue("snippets_judged")
    async with world(library=library, breaks=breaks) as w:
        first = await w.ask()
    assert first.end.outcome is Outcome.WEB
    gone = {"search": always(hangs_up), "web": always(hangs_up)}
    script = knowing_model(judge=[verdict("sufficient")])
    async with world(script, breaks=gone, library=library) as w:
        reported = await w.ask()
        assert w.servers["search"].requests == []
    assert reported.end.outcome is Outcome.LIBRARY
    assert sorted(cited(reported)) == sorted(cited(first))
    of_first = {source.url: source.snippet_only for source in first.end.sources}
    of_cited = {url for url, _ in cited(reported)}
    assert {s.url: s.snippet_only for s in reported.end.sources if s.url in of_cited} == {
        url: of_first[url] for url in of_cited
    }


async def test_an_answer_from_snippets_alone_is_searched_again(library: SqliteLibrary):
    async with world(library=library, breaks={"web": always(hangs_up)}) as w:
        first = await w.ask()
    assert first.end.outcome is Outcome.WEB
    assert library.find(LIGHTHOUSE) == ()
    async with world(library=library) as w:
        reported = await w.ask()
    assert reported.of(SearchStarted)
    assert not any(source.snippet_only for source in reported.end.sources)


async def test_a_snippet_gives_way_to_its_page(library: SqliteLibrary):
    async with world(library=library, breaks={"web": where(WHITLOW_HOST, hangs_up)}) as w:
        await w.ask()
    assert library.find(WHITLOW)[0].kind is DocumentKind.SNIPPET
    async with world(library=library, settings={"library.recall": "never"}) as w:
        await w.ask()
    assert library.find(WHITLOW)[0].kind is DocumentKind.PAGE
