"""Where an address leads that only passes on is told from the address alone; what does not say it stays."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.text.ranking.urls import resolved

TARGET = "http://light.example/history?a=1&b=ä#x"
QUOTED = quote(TARGET, safe="")
BASE64 = urlsafe_b64encode(TARGET.encode()).decode().rstrip("=")


@pytest.mark.parametrize(
    "url",
    [
        f"https://www.bing.com/ck/a?!&&p=abc&u=a1{BASE64}&ntb=1",
        f"https://www.bing.com/news/apiclick.aspx?ref=x&url={QUOTED}&c=1",
        f"https://duckduckgo.com/l/?uddg={QUOTED}&rut=x",
        f"https://html.duckduckgo.com/l/?kh=-1&uddg={QUOTED}",
        f"https://www.google.com/url?q={QUOTED}&sa=U",
        f"https://www.google.co.uk/url?sa=t&url={QUOTED}",
        f"https://google.de/imgres?imgurl=http://x.example/a.png&imgrefurl={QUOTED}",
        f"https://r.search.yahoo.com/_ylt=Aw;_ylu=X/RV=2/RE=17/RO=10/RU={QUOTED}/RK=2/RS=x-",
        f"https://l.facebook.com/l.php?u={QUOTED}&h=x",
        f"https://www.youtube.com/redirect?event=x&q={QUOTED}",
        f"https://www.google.com/url?q={quote(f'https://duckduckgo.com/l/?uddg={QUOTED}', safe='')}",
    ],
)
def test_an_address_that_passes_on_is_where_it_leads(url: str) -> None:
    assert resolved(url) == TARGET


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("https://www.google.com/amp/s/light.example/a/b?c=1", "https://light.example/a/b?c=1"),
        ("https://www.google.com/amp/light.example/a", "http://light.example/a"),
        ("https://light-example.cdn.ampproject.org/c/s/light.example/a", "https://light.example/a"),
    ],
)
def test_a_page_that_is_kept_for_phones_is_the_page(url: str, target: str) -> None:
    assert resolved(url) == target


@pytest.mark.parametrize(
    "url",
    [
        "http://light.example/url?q=http://other.example/",
        "http://bing.com.evil.example/ck/a?u=a1" + BASE64,
        "https://www.bing.com/ck/a?u=a1!!!!",
        "https://www.bing.com/ck/a?u=b1" + BASE64,
        "https://www.bing.com/search?q=http://light.example/",
        "https://www.google.com/search?q=http://light.example/",
        "https://www.google.com/url?q=javascript:alert(1)",
        "https://www.google.com/url?q=/relative",
        "https://www.google.com/url?q=http://",
        "https://www.google.com/url",
        "https://duckduckgo.com/l/?rut=x",
        "https://r.search.yahoo.com/_ylt=Aw/RV=2",
        "https://www.google.com/amp",
        "https://www.google.evil-example.com/url?q=http://light.example/",
        "http://[broken/",
        "",
    ],
)
def test_what_does_not_say_where_it_leads_stays(url: str) -> None:
    assert resolved(url) == url


@given(st.text(max_size=300))
def test_any_text_is_read_and_what_it_leads_to_is_a_page(text: str) -> None:
    for url in (
        text,
        f"https://www.google.com/url?q={text}",
        f"https://www.bing.com/ck/a?u=a1{text}",
    ):
        found = resolved(url)
        assert found == url or found.startswith(("http://", "https://"))
