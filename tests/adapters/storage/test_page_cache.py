from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from askance.adapters.storage import page_cache
from askance.adapters.storage.page_cache import CacheContents, PageCache
from askance.domain.web_pages import Page, PageStatus, Validators

URL = "https://www.lindmouth.example/harbour"
MIB = 1_048_576
PAGE = Page(
    URL,
    PageStatus.OK,
    final_url=URL,
    title="The harbour",
    markdown="# The harbour\n\nDredged in 1871. 港 🚢",
    words=4,
    published="1871-05-01",
    language="en",
    byline="Clara Whitlow",
    fetched_at="2026-03-01T10:00:00+00:00",
    content_hash="ab" * 32,
    validators=Validators('W/"7"', "Sun, 01 Mar 2026 09:00:00 GMT"),
)


def page(url: str, markdown: str = "words", *, final_url: str = "") -> Page:
    return replace(PAGE, url=url, final_url=final_url or url, markdown=markdown)


def noise(seed: int, size: int = 40_000) -> str:
    """A text that cannot be packed to less than three quarters of its size."""
    return random.Random(seed).randbytes(size // 2).hex()  # noqa: S311 - no secret


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "pages.sqlite3"


@pytest.fixture
def cache(file: Path) -> Iterator[PageCache]:
    cache = PageCache(file, 1, pytest.fail)
    yield cache
    cache.close()


def test_a_page_comes_back_as_it_was_kept(cache: PageCache, file: Path) -> None:
    assert cache.find(URL) is None
    cache.store(PAGE)
    assert cache.find(URL) == PAGE
    cache.close()
    assert PageCache(file, 1, pytest.fail).find(URL) == PAGE


_TEXT = st.text(max_size=40)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    title=_TEXT,
    byline=_TEXT,
    markdown=st.text(max_size=2000),
    words=st.integers(0, 10**9),
    published=st.none() | _TEXT,
    language=st.none() | _TEXT,
    etag=_TEXT,
)
def test_any_text_comes_back_as_it_was(
    cache: PageCache,
    title: str,
    byline: str,
    markdown: str,
    words: int,
    published: str | None,
    language: str | None,
    etag: str,
) -> None:
    shortened = replace(
        PAGE,
        title=title,
        byline=byline,
        markdown=markdown,
        words=words,
        published=published,
        language=language,
        validators=Validators(etag),
    )
    cache.store(shortened)
    assert cache.find(URL) == shortened


@pytest.mark.parametrize("field", ["url", "title", "markdown", "published"])
def test_half_a_character_is_not_kept_and_harms_nothing(cache: PageCache, field: str) -> None:
    broken = replace(PAGE, **{field: f"{URL}\ud83d"})
    cache.store(broken)
    assert cache.find(broken.url) is None
    assert cache.contents().pages == 0


def test_a_newer_reading_takes_the_place_of_an_older_one(cache: PageCache) -> None:
    cache.store(PAGE)
    cache.store(page(URL, "new"))
    found = cache.find(URL)
    assert found is not None
    assert (found.markdown, cache.contents().pages) == ("new", 1)


@pytest.mark.parametrize(
    "url",
    [
        "https://www.lindmouth.example/harbour?utm_source=mail&gclid=1",
        "https://www.lindmouth.example/harbour#depth",
        "HTTPS://WWW.Lindmouth.EXAMPLE/harbour",
        " https://www.lindmouth.example/harbour ",
    ],
)
def test_another_spelling_of_the_same_address_is_the_same_page(cache: PageCache, url: str) -> None:
    cache.store(PAGE)
    assert cache.find(url) == replace(PAGE, url=url)


@pytest.mark.parametrize(
    ("kept", "asked"),
    [
        ("http://a.example/x", "https://a.example/x"),
        ("https://a.example/x", "https://www.a.example/x"),
        ("https://a.example/x", "https://a.example/x/"),
        ("https://a.example/x/y", "https://a.example/x%2Fy"),
        ("https://a.example/%ff", "https://a.example/%fe"),
        ("https://a.example/?i=1&i=2", "https://a.example/?i=2&i=1"),
        ("https://a.example/?i=%ff", "https://a.example/?i=%fe"),
        ("https://a.example/?i", "https://a.example/?i="),
        ("https://a.example:443/x", "http://a.example:443/x"),
        ("https://a.example/Y", "https://a.example/y"),
        ("https://a.example/?page=1", "https://a.example/?page=2"),
    ],
)
def test_an_address_that_only_looks_alike_is_given_nothing(
    cache: PageCache, kept: str, asked: str
) -> None:
    cache.store(page(kept))
    assert cache.find(asked) is None
    assert cache.find(kept) is not None


def test_an_address_that_answered_is_known_to_lead_to_the_page(cache: PageCache) -> None:
    asked, answered = "https://a.example/x", "https://www.a.example/x/"
    cache.store(page(asked, final_url=answered))
    for url in (asked, answered, f"{answered}?utm_source=mail"):
        found = cache.find(url)
        assert found is not None
        assert (found.url, found.final_url) == (url, answered)
    assert cache.find("https://a.example/x/") is None


@pytest.mark.parametrize("scheme", ["https", "HTTPS", " https"])
@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        ("http://a.example/x", "http://a.example/x"),
        ("http://a.example/x", "https://a.example/x"),
        ("https://a.example/x", "http://a.example/x"),
        ("https://a.example/x", "http://www.a.example/x/"),
        ("HTTPS://a.example/x", "HTTP://a.example/x"),
    ],
)
def test_what_came_in_the_open_never_answers_for_https(
    cache: PageCache, asked: str, answered: str, scheme: str
) -> None:
    cache.store(page(asked, final_url=answered))
    assert cache.find(f"{scheme}://a.example/x") is None


def test_each_scheme_has_a_page_of_its_own(cache: PageCache) -> None:
    for scheme in ("http", "https"):
        cache.store(page(f"{scheme}://a.example/x", scheme))
    for scheme in ("http", "https"):
        found = cache.find(f"{scheme}://a.example/x")
        assert found is not None
        assert found.markdown == scheme
    cache.forget("http://a.example/x#part")
    assert cache.find("http://a.example/x") is None
    assert cache.find("https://a.example/x") is not None


_ADDRESS = st.builds(
    "{}://{}{}{}".format,
    st.sampled_from(["http", "https"]),
    st.sampled_from(["a.example", "www.a.example", "a.example:443"]),
    st.sampled_from(["", "/", "/x", "/x/", "/%78", "/x%2F", "/X", "//x"]),
    st.sampled_from(["", "?", "?i=1", "?i=1&j=2", "?j=2&i=1", "?i=1&utm_id=3", "?i=%31", "#i"]),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(kept=_ADDRESS, asked=_ADDRESS)
def test_no_address_gets_what_another_request_brought(
    cache: PageCache, kept: str, asked: str
) -> None:
    def request(url: str) -> str:
        bare = url.partition("#")[0].replace("&utm_id=3", "").rstrip("?")
        return f"{bare}/" if bare.endswith(("example", "443")) else bare.replace("example?", "example/?").replace("443?", "443/?")  # fmt: skip

    cache.clear()
    cache.store(page(kept))
    assert (cache.find(asked) is not None) == (request(kept) == request(asked))


def test_a_page_that_another_version_took_apart_is_read_anew(
    cache: PageCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.store(PAGE)
    monkeypatch.setattr(page_cache, "__version__", "99.0")
    assert cache.find(URL) is None


def test_a_damaged_text_is_not_given(cache: PageCache, file: Path) -> None:
    cache.store(PAGE)
    cache.close()
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE page SET markdown = x'00112233'")
    connection.close()
    assert cache.find(URL) is None


def test_pages_that_were_not_used_for_longest_go_first(cache: PageCache) -> None:
    urls = [f"https://a.example/{i}" for i in range(60)]
    for i, url in enumerate(urls[:20]):
        cache.store(page(url, noise(i)))
    cache.touch(urls[0])
    for i, url in enumerate(urls[20:], 20):
        cache.store(page(url, noise(i)))
        cache.touch(urls[0])
    retained = [url for url in urls if cache.find(url)]
    assert retained[0] == urls[0]
    assert retained[1:] == urls[-len(retained) + 1 :]
    assert 20 < len(retained) < 60


def test_the_file_stays_within_its_size(cache: PageCache, file: Path) -> None:
    for i in range(80):
        cache.store(page(f"https://a.example/{i}", noise(i, 5_000 + 2_000 * (i % 17))))
        assert cache.contents().bytes <= MIB
    cache.close()
    assert MIB * 0.8 < file.stat().st_size <= MIB


def test_a_smaller_size_makes_the_file_shrink(file: Path) -> None:
    roomy = PageCache(file, 4, pytest.fail)
    for i in range(100):
        roomy.store(page(f"https://a.example/{i}", noise(i)))
    roomy.close()
    assert file.stat().st_size > 2 * MIB
    tight = PageCache(file, 1, pytest.fail)
    tight.store(PAGE)
    assert tight.find(URL) == PAGE
    tight.close()
    assert file.stat().st_size <= MIB


def test_a_page_too_large_for_the_cache_does_not_empty_it(cache: PageCache) -> None:
    cache.store(PAGE)
    cache.store(page("https://a.example/", noise(1, 1_600_000)))
    assert cache.find("https://a.example/") is None
    assert cache.find(URL) == PAGE


def test_pages_are_packed(cache: PageCache) -> None:
    text = "The harbour of Lindmouth was dredged. " * 10_000
    cache.store(page(URL, text))
    assert cache.find(URL) == page(URL, text)
    assert cache.contents().bytes < len(text) / 5


def test_clearing_forgets_all_and_gives_the_room_back(cache: PageCache, file: Path) -> None:
    for i in range(10):
        cache.store(page(f"https://a.example/{i}", noise(i)))
    cache.store(replace(PAGE, title="a secret title"))
    assert cache.contents().pages == 11
    assert cache.clear() == 11
    assert cache.contents().pages == 0
    assert file.stat().st_size < 50_000
    assert all(b"secret title" not in part.read_bytes() for part in file.parent.iterdir())


def test_looking_makes_no_file(cache: PageCache, file: Path) -> None:
    assert (cache.contents(), cache.clear()) == (CacheContents(0, 0), 0)
    assert not file.exists()
