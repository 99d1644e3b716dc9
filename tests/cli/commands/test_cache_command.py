"""`askance cache` over real files."""

from __future__ import annotations

import random

import pytest

from askance.adapters.storage.page_cache import PageCache
from askance.domain.web_pages import Page, PageStatus
from cli.fake_shell import FakeShell, run


def keep(fake_shell: FakeShell, pages: int) -> None:
    """Keep pages of a quarter of a MiB."""
    cache = PageCache(fake_shell.shell.folders.page_cache, 50, pytest.fail)
    for i in range(pages):
        text = random.Random(i).randbytes(262_144).hex()  # noqa: S311 - no secret
        url = f"https://a.example/{i}"
        cache.store(Page(url, PageStatus.OK, final_url=url, markdown=text))
    cache.close()


def test_it_shows_how_much_is_kept_where_and_for_how_long(fake_shell: FakeShell) -> None:
    keep(fake_shell, 4)
    assert run(fake_shell, "cache") == 0
    counted, file, use = fake_shell.printed.splitlines()
    assert counted.startswith("4 pages kept, 1.")
    assert counted.endswith(" of 200 MiB.")
    assert file == f"File: {fake_shell.shell.folders.page_cache}"
    assert "an hour" in use


def test_an_empty_cache_is_shown_and_not_made(fake_shell: FakeShell) -> None:
    assert run(fake_shell, "cache") == 0
    assert fake_shell.printed.startswith("0 pages kept, 0.0 of 200 MiB.\n")
    assert run(fake_shell, "cache", "--clear") == 0
    assert fake_shell.printed.endswith("0 pages forgotten.\n")
    assert not fake_shell.shell.folders.page_cache.exists()


def test_a_cache_that_is_switched_off_says_so(fake_shell: FakeShell) -> None:
    fake_shell.environment["ASKANCE_CACHE__SIZE_MB"] = "0"
    assert run(fake_shell, "cache") == 0
    assert "(cache.size_mb)" in fake_shell.printed


def test_clearing_forgets_all_and_says_how_much(fake_shell: FakeShell) -> None:
    keep(fake_shell, 3)
    file = fake_shell.shell.folders.page_cache
    before = file.stat().st_size
    assert run(fake_shell, "cache", "--clear") == 0
    assert fake_shell.printed == "3 pages forgotten.\n"
    assert file.stat().st_size < before / 10
    assert run(fake_shell, "cache") == 0
    assert "\n0 pages kept, 0.0 of 200 MiB.\n" in fake_shell.printed


def test_a_damaged_cache_is_told(fake_shell: FakeShell) -> None:
    file = fake_shell.shell.folders.page_cache
    file.parent.mkdir(parents=True)
    file.write_bytes(b"no database" * 1000)
    assert run(fake_shell, "cache") == 0
    assert str(file.parent) in fake_shell.errors
    assert fake_shell.printed.startswith("0 pages kept, 0.0 of 200 MiB.\n")


def test_a_cache_that_cannot_be_opened_is_wrong_usage(fake_shell: FakeShell) -> None:
    fake_shell.shell.folders.page_cache.mkdir(parents=True)
    assert run(fake_shell, "cache", "--clear") == 2
    assert str(fake_shell.shell.folders.page_cache) in fake_shell.errors
