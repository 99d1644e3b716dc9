from __future__ import annotations

import pytest

from askance.domain.conversation import Conversation, Turn
from askance.domain.web import host_of


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


def test_a_conversation_grows_by_a_new_value() -> None:
    empty = Conversation()
    first = empty.with_turn("q", "a")
    assert empty.turns == ()
    assert first.with_turn("r", "b").turns == (Turn("q", "a"), Turn("r", "b"))
