"""Pages of all kinds are read in confined children as they are read in this process."""

from __future__ import annotations

import asyncio

import pytest

from askance.adapters.reader.workers import WorkerPool
from askance.domain.web_pages import PageStatus
from askance.extract.page import extract_page
from servers.all_kinds import samples


@pytest.mark.exhaustive
async def test_pages_of_all_kinds_are_read_the_same_and_the_children_live_on() -> None:
    pages, readable = list(samples()), 0
    async with WorkerPool(2, 768) as pool:
        # A page for each, so that both have come up.
        async with asyncio.TaskGroup() as tasks:
            for _ in range(2):
                tasks.create_task(pool.extract(b"words", "", "text/plain"))
        before = sorted(pool.pids)
        for page in pages:
            apart = await pool.extract(page.data, page.url, page.content_type)
            assert apart == extract_page(page.data, page.url, page.content_type), page
            readable += apart.status is PageStatus.OK
        assert sorted(pool.pids) == before
    assert readable > 150
