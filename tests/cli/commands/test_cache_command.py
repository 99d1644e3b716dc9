"""`askance cache` over real files."""

from __future__ import annotations

import random

import pytest

from askance.adapters.storage.page_cache import PageCache
from askance.domain.web import Page, PageStatus
from cli.desk import Desk, run


def keep(desk: Desk, pages: int) -> None:
    """Keep pages of a quarter of a MiB."""
    cache = PageCache(desk.shell.folders.page_cache, 50, pytest.fail)
    for i in range(pages):
        text = random.Random(i).randbytes(262_144).hex()  # noqa: S311 - no secret
        url = f"https://a.example/{i}"
        cache.store(Page(url, PageStatus.OK, final_url=url, markdown=text))
    cache.close()


def test_it_shows_how_much_is_kept_where_and_for_how_long(desk: Desk) -> None:
    keep(desk, 4)
    assert run(desk, "cache") == 0
    counted, file, use = desk.printed.splitlines()
    assert counted.startswith("4 pages kept, 1.")
    assert counted.endswith(" of 200 MiB.")
    assert file == f"File: {desk.shell.folders.page_cache}"
    assert " 60 minutes" in use


def test_an_empty_cache_is_shown_and_not_made(desk: Desk) -> None:
    assert run(desk, "cache") == 0
    assert desk.printed.startswith("0 pages kept, 0.0 of 200 MiB.\n")
    assert run(desk, "cache", "--clear") == 0
    assert desk.printed.endswith("0 pages forgotten.\n")
    assert not desk.shell.folders.page_cache.exists()


def test_a_cache_that_is_switched_off_says_so(desk: Desk) -> None:
    desk.environment["ASKANCE_CACHE__SIZE_MB"] = "0"
    assert run(desk, "cache") == 0
    assert "(cache.size_mb)" in desk.printed


def test_clearing_forgets_all_and_says_how_much(desk: Desk) -> None:
    keep(desk, 3)
    file = desk.shell.folders.page_cache
    before = file.stat().st_size
    assert run(desk, "cache", "--clear") == 0
    assert desk.printed == "3 pages forgotten.\n"
    assert file.stat().st_size < before / 10
    assert run(desk, "cache") == 0
    assert "\n0 pages kept, 0.0 of 200 MiB.\n" in desk.printed


def test_a_damaged_cache_is_told(desk: Desk) -> None:
    file = desk.shell.folders.page_cache
    file.parent.mkdir(parents=True)
    file.write_bytes(b"no database" * 1000)
    assert run(desk, "cache") == 0
    assert str(file.parent) in desk.told
    assert desk.printed.startswith("0 pages kept, 0.0 of 200 MiB.\n")


def test_a_cache_that_cannot_be_opened_is_wrong_usage(desk: Desk) -> None:
    desk.shell.folders.page_cache.mkdir(parents=True)
    assert run(desk, "cache", "--clear") == 2
    assert str(desk.shell.folders.page_cache) in desk.told
