"""Links that open a page at a quote."""

from __future__ import annotations

from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.presentation.answers import fragment_url

URL = "https://a.example/page"


@pytest.mark.parametrize(
    ("quote", "fragment"),
    [
        ("It opened in 1890.", "It%20opened%20in%201890"),
        ("A well-known case, R&D", "A%20well%2Dknown%20case%2C%20R%26D"),
        (
            "The Forth Bridge was opened on 4 March 1890 by a duke.",
            "The%20Forth%20Bridge%20was,1890%20by%20a%20duke",
        ),
        ("- **Paris** is the [capital](http://x.example) of _France_", "Paris%20is%20the%20capital%20of%20France"),
        ("12. Delhi\n  iv. Its river", "Delhi,Its%20river"),
        ("A snake_case name", "A%20snake_case%20name"),
        ("## Height\n\nIt is 330 m tall", "Height,is%20330%20m%20tall"),
        ("| Height | 330 m |", "Height,330%20m"),
        ("東京塔は高い", "%E6%9D%B1%E4%BA%AC%E5%A1%94%E3%81%AF%E9%AB%98%E3%81%84"),
    ],
)  # fmt: skip
def test_a_quote_becomes_its_whole_text_or_its_two_ends(quote: str, fragment: str):
    assert fragment_url(URL, quote) == f"{URL}#:~:text={fragment}"


def test_a_long_quote_without_spaces_is_given_by_its_ends():
    quote = "东京塔位于东京都港区芝公园是一座红白色的铁塔其高度为三百三十三米"
    start, end = fragment_url(URL, quote).partition("#:~:text=")[2].split(",")
    assert unquote(start) == quote[:12]
    assert unquote(end) == quote[-12:]


def test_a_fragment_that_is_there_is_replaced():
    assert fragment_url(f"{URL}?a=1#top", "It is so") == f"{URL}?a=1#:~:text=It%20is%20so"


@pytest.mark.parametrize("quote", ["", " \n ", "***", "| --- |", "…"])
def test_a_quote_without_a_word_makes_no_fragment(quote: str):
    assert fragment_url(f"{URL}#old", quote) == URL


@given(st.text(max_size=200))
def test_no_quote_breaks_the_address(quote: str):
    address = fragment_url(URL, quote)
    fragment = address.removeprefix(URL)
    assert address.startswith(URL)
    assert fragment == "" or fragment.startswith("#:~:text=")
    parts = fragment.removeprefix("#:~:text=")
    assert address.isascii()
    assert parts.count(",") <= 1
    assert not set(parts) & set("-&# ")
