"""Two addresses of one page give one key, two pages give two; and one that only passes on gives that of its target."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.text.ranking.urls import canonical, page_key, resolved, without_tracking
from sampled import each_row


@each_row(
    ("url", "key"),
    [
        ("https://example.com/a", "example.com/a"),
        ("http://example.com/a", "example.com/a"),
        ("HTTPS://WWW.Example.COM/a", "example.com/a"),
        ("https://example.com/a/", "example.com/a"),
        ("https://example.com/", "example.com"),
        ("https://example.com", "example.com"),
        ("https://example.com./a", "example.com/a"),
        ("https://example.com:443/a", "example.com/a"),
        ("http://example.com:80/a", "example.com/a"),
        ("https://example.com:8443/a", "example.com:8443/a"),
        ("http://example.com:443/a", "example.com:443/a"),
        ("https://example.com/a#part", "example.com/a"),
        ("https://user:secret@example.com/a", "example.com/a"),
        ("  https://example.com/a \n", "example.com/a"),
        ("https://example.com/a?b=2&a=1", "example.com/a?a=1&b=2"),
        ("https://example.com/a?q=one+two", "example.com/a?q=one+two"),
        ("https://example.com/a?q=one%20two", "example.com/a?q=one+two"),
        ("https://example.com/a?empty=", "example.com/a?empty="),
        ("https://example.com/a?utm_source=x&gclid=1&FBCLID=2", "example.com/a"),
        ("https://example.com/a?utm_source=x&id=7", "example.com/a?id=7"),
        ("https://example.com/%7Eann/%C3%A9", "example.com/~ann/%C3%A9"),
        ("https://example.com/~ann/é", "example.com/~ann/%C3%A9"),
        ("https://example.com/a%20b", "example.com/a%20b"),
        ("https://example.com/100%25", "example.com/100%25"),
        # Half a character does no harm.
        ("https://example.com/\ud800?a=\udfff", "example.com/%3F?a=%3F"),
    ],
)
def test_an_address_has_one_key(url: str, key: str) -> None:
    assert canonical(url) == key


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://example.com/A", "https://example.com/a"),
        ("https://example.com/?id=1", "https://example.com/?id=2"),
        ("https://example.com/?ref=1", "https://example.com/"),
        ("https://a.example.com/", "https://b.example.com/"),
        ("https://example.com:8080/", "https://example.com/"),
        ("https://example.com/a%3Fb=1", "https://example.com/a?b=1"),
    ],
)
def test_different_pages_have_different_keys(one: str, other: str) -> None:
    assert canonical(one) != canonical(other)


@pytest.mark.parametrize(
    "url",
    [
        "https://m.harbour.example/larkspur",
        "http://mobile.harbour.example/larkspur",
        "https://amp.harbour.example/larkspur",
        "https://harbour.example/amp/larkspur",
        "https://harbour.example/larkspur/amp",
        "https://harbour.example/larkspur/amp/",
        "https://harbour.example/larkspur.amp",
        "https://harbour.example/larkspur?outputType=amp",
        "https://harbour.example/larkspur?amp",
        "https://harbour.example/larkspur?amp=1&gad_source=1&gad_campaignid=2",
        "https://harbour.example/larkspur?ref=twitter",
        "https://harbour.example/larkspur?ref=news.example.com&ref_=nv_sr_1",
        "https://harbour.example/larkspur?source=rss&via=newsletter",
    ],
)
def test_variants_of_a_page_are_one_page_of_a_search(url: str) -> None:
    assert (
        page_key(url) == page_key("https://harbour.example/larkspur") == "harbour.example/larkspur"
    )


@pytest.mark.parametrize(
    "url",
    [
        "https://harbour.example/?ref=main",
        "https://harbour.example/?ref=1",
        "https://harbour.example/?source=gazette",
        "https://harbour.example/amplifier",
        "https://harbour.example/camp/x",
        "https://amp.example/x",
        "https://m.example/x",
        "https://mm.harbour.example/x",
    ],
)
def test_what_only_looks_like_a_variant_is_a_page_of_its_own(url: str) -> None:
    assert page_key(url) == canonical(url)


def test_a_variant_in_a_language_is_that_of_the_language() -> None:
    assert page_key("https://en.m.wiki.example/wiki/Orr") == "en.wiki.example/wiki/Orr"


@pytest.mark.parametrize(
    "url", ["", "no url", "mailto:ann@example.com", "http://example.com:99999/", "http://[broken/"]
)
def test_what_is_no_web_address_stays_as_it_is(url: str) -> None:
    assert canonical(f" {url} ") == url


_LABEL = st.text("abcdefghijklmnopqrstuvwxyz0123456789", min_size=1, max_size=8)
_HOST = st.tuples(_LABEL, _LABEL).map(".".join).filter(lambda h: not h.startswith("www."))
_SEGMENT = st.text("abcXYZ019-._~!éß %/?#&=+日", max_size=6)
_PATH = st.lists(_SEGMENT, max_size=4).map(
    lambda parts: "".join(f"/{p}" for p in parts).replace("#", "").replace("?", "")
)
_TRACKING = st.sampled_from(
    ["utm_source=news", "utm_campaign=x", "gclid=abc", "fbclid=1", "srsltid=q"]
)


@given(_HOST, _PATH, st.lists(st.tuples(_LABEL, _LABEL), max_size=3))
def test_the_key_of_a_key_is_itself(host: str, path: str, query: list[tuple[str, str]]) -> None:
    url = f"https://{host}{path}?{'&'.join('='.join(pair) for pair in query)}"
    key = canonical(url)
    assert canonical(f"http://{key}") == key
    assert canonical(f"https://www.{key}") == key


@given(_HOST, _PATH, st.lists(_TRACKING, max_size=3), st.booleans())
def test_tracking_parameters_never_matter(
    host: str, path: str, tracking: list[str], behind: bool
) -> None:
    own = ["id=7", "page=2"]
    parts = [*own, *tracking] if behind else [*tracking, *own]
    base = f"https://{host}{path}"
    assert canonical(f"{base}?{'&'.join(parts)}") == canonical(f"{base}?id=7&page=2")


@pytest.mark.parametrize(
    ("url", "bare"),
    [
        ("https://www.A.example/x%2F/?b=1&a=%20#part", "https://www.A.example/x%2F/?b=1&a=%20"),
        ("http://a.example/?utm_source=x&b&utm%5Fmedium=y&a=", "http://a.example/?b&a="),
        ("http://a.example/?gclid=1", "http://a.example/"),
        (" http://[ ", "http://["),
        ("https://a.example/ #part", "https://a.example/"),
    ],
)
def test_without_tracking_a_url_stays_as_it_is_written(url: str, bare: str) -> None:
    assert without_tracking(url) == bare


@given(st.text())
def test_no_text_is_too_strange_for_a_key_or_to_lose_its_tracking(text: str) -> None:
    for url in (text, f"https://{text}", f"https://a.example/{text}"):
        assert isinstance(canonical(url), str)
        assert without_tracking(without_tracking(url)) == without_tracking(url)


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
