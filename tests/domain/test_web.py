from __future__ import annotations

import pytest

from askance.domain.conversation import Conversation, Turn
from askance.domain.errors import InputError
from askance.domain.web_pages import (
    MOST_DOMAINS,
    WHOLE_WEB,
    Recency,
    SearchScope,
    host_of,
    narrowed,
)


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://www.Example.org:8080/a", "example.org"),
        ("https://user:pass@news.example.org/", "news.example.org"),
        ("http://[::1]/", "::1"),
        ("http://[broken", ""),
        ("not a url", ""),
    ],
)
def test_a_host_is_named_as_people_know_it(url: str, host: str) -> None:
    assert host_of(url) == host


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        (" Docs.Python.ORG. ", "docs.python.org"),
        ("www.example.org", "example.org"),
        ("bücher.example", "xn--bcher-kva.example"),
        ("edu", "edu"),
        ("xn--a.example", "xn--a.example"),
    ],
)
def test_a_website_is_named_by_its_host(typed: str, name: str) -> None:
    assert narrowed([typed, typed], Recency.DAY) == SearchScope((name,), Recency.DAY)


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "https://example.org/",
        "example.org/path",
        "example.org:80",
        "a.example OR site:b.example",
        "-example.org",
        "*.example.org",
        "example..org",
        "10.0.0.1",
        "[::1]",
        "a" * 64,
        ".".join(["a" * 60] * 5),
        "a.example\nb",
        "ü" * 64 + ".example",
    ],
)
def test_what_is_no_name_of_a_host_narrows_nothing(typed: str) -> None:
    with pytest.raises(InputError):
        narrowed([typed])


def test_more_websites_than_can_be_asked_for_are_refused() -> None:
    names = [f"{i}.example" for i in range(MOST_DOMAINS + 1)]
    assert narrowed(names[1:]).domains == tuple(names[1:])
    with pytest.raises(InputError):
        narrowed(names)


def test_a_domain_admits_its_hosts_and_those_below_it() -> None:
    part = narrowed(["example.org", "bücher.example"])
    inside = ["https://example.org/", "http://www.a.EXAMPLE.org:8080/x", "https://Bücher.example/"]
    outside = ["https://notexample.org/", "https://example.org.evil.example/", "http://[broken", ""]
    assert all(map(part.admits, inside))
    assert not any(map(part.admits, outside))
    assert all(map(WHOLE_WEB.admits, [*inside, *outside]))


def test_a_conversation_grows_by_a_new_value() -> None:
    empty = Conversation()
    first = empty.with_turn(Turn("q", "a"))
    assert empty.turns == ()
    assert first.with_turn(Turn("r", "b")).turns == (Turn("q", "a"), Turn("r", "b"))
