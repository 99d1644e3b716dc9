"""Pages that were not there, were refused, or held nothing to read: for a while they are not fetched again."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from adapters.storage.test_caching_reader import URL, cached_reads
from askance.adapters.storage import page_cache
from askance.domain.messages import Message
from askance.domain.web_pages import Page, PageReason, PageStatus

UNREADABLE = [
    Page(URL, PageStatus.EMPTY, PageReason.SCRIPT_ONLY, Message("Only scripts: {n}.", n=3)),
    Page(URL, PageStatus.EMPTY, PageReason.CONSENT_WALL, Message("Only a form.")),
    Page(URL, PageStatus.EMPTY, PageReason.NO_TEXT),
    Page(URL, PageStatus.FAILED, PageReason.NOT_TEXT, Message.verbatim("It is image/png.")),
    Page(URL, PageStatus.FAILED, PageReason.REDIRECTS, Message("It goes in a circle.")),
    Page(URL, PageStatus.FAILED, PageReason.NOT_FOUND, Message("The server answered 404.")),
    Page(URL, PageStatus.FAILED, PageReason.DENIED, Message("The server answered 403.")),
]


@pytest.mark.parametrize("fate", UNREADABLE, ids=lambda page: page.reason)
async def test_a_page_that_holds_nothing_to_read_is_not_fetched_again_for_a_while(
    tmp_path: Path, fate: Page
) -> None:
    async with cached_reads(tmp_path) as d:
        d.server.fate = replace(fate, final_url=URL, fetched_at=d.clock().isoformat())
        await d.read()
        again = await d.read()
        assert len(d.server.asked) == 1
        assert (again.status, again.reason, again.detail) == (fate.status, fate.reason, fate.detail)
        assert again.detail.to_record() == fate.detail.to_record()
        assert again.served_by == "the page cache"
        assert d.cache.contents().pages == 0
        d.clock.now += page_cache.LASTING[fate.reason]
        d.server.fate = None
        assert (await d.read()).markdown == "old"
        assert d.server.asked[-1] == (URL, None)
        assert d.cache.contents().pages == 1


async def test_what_was_read_once_is_not_given_up_for_a_reading_that_found_nothing(
    tmp_path: Path,
) -> None:
    async with cached_reads(tmp_path) as d:
        await d.read()
        d.clock.now += timedelta(minutes=61)
        d.server.fate = replace(UNREADABLE[0], fetched_at=d.clock().isoformat())
        assert (await d.read()).status is PageStatus.EMPTY
        d.server.fate = None
        assert (await d.read()).markdown == "old"
        assert d.server.asked[-1][1] is not None
