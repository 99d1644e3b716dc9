"""Consent and login walls are no articles, and articles about them are no walls."""

from __future__ import annotations

import pytest

from askance.domain.web_pages import PageReason, PageStatus
from askance.extract.html.html_page import extract_html
from askance.extract.html.tree import parse_tree, text_of
from askance.extract.html.walls import drop_banners, is_wall
from servers.site import article, sentence

DIALOGUE = (
    "<h2>We value your privacy</h2><p>We and our partners store and access information on your "
    "device. Accept all cookies to continue to the site, or manage your choices.</p>"
    "<button>Accept all</button>"
)
WALLS = {
    "consent": DIALOGUE,
    "consent in German": "<h2>Wir schätzen Ihre Privatsphäre</h2><p>Wir und unsere Partner speichern Informationen "
    "auf einem Gerät. Mit einem Klick auf „Alle akzeptieren“ stimmen Sie zu.</p><button>Alle ablehnen</button>",
    "consent in French": "<p>Nous et nos partenaires utilisons des traceurs pour mesurer l'audience. Votre vie "
    "privée compte. Tout accepter ou tout refuser, vous pouvez changer d'avis à tout moment.</p>",
    "login": "<h1>Please sign in</h1><p>You must be logged in to see this page. Forgot your password? "
    "Don't have an account? Create an account.</p>",
    "paywall": "<p>Subscribe to continue. Already a subscriber? Log in to read the full story.</p>",
    "cookies": "<p>This website uses cookies to improve your experience. By clicking Accept all, you agree.</p>",
}
ABOUT_COOKIES = (
    "<p>Cookies are small files that a site keeps in a browser, and since 2018 the law of the "
    "European Union demands that visitors agree to most of them. Researchers at the university of "
    "Lindmouth looked at ten thousand sites and found that nine in ten show the button that says "
    "accept all in a brighter colour than its neighbour.</p>"
    "<p>The regulator fined three publishers in March because their banners had no way to refuse. "
    "One of them wrote on its front page that we use cookies only for statistics, which the judges "
    "did not believe. The appeal will be heard in the autumn, and until then the fines stand.</p>"
)


def outcome(body: str, title: str = "Site"):
    page = f"<html><head><title>{title}</title></head><body>{body}</body></html>"
    extracted = extract_html(page.encode(), "http://a.example/", "text/html")
    return extracted.status, extracted.reason


@pytest.mark.parametrize("body", WALLS.values(), ids=WALLS)
def test_a_page_that_only_asks_is_a_wall(body: str):
    assert outcome(f"<main>{body}</main>") == (PageStatus.EMPTY, PageReason.CONSENT_WALL)


def test_a_wall_in_a_full_site_is_still_a_wall():
    page = article().replace("<article>", "<section>").split("<h1>")[0]
    teasers = "".join(f'<li><a href="/{n}">{sentence(n)}</a></li>' for n in range(2))
    body = f"{page}{DIALOGUE}<aside><ul>{teasers}</ul></aside>"
    assert outcome(body) == (PageStatus.EMPTY, PageReason.CONSENT_WALL)


def test_an_article_about_cookies_is_an_article():
    body = f"<article><h1>Cookie banners before the judge</h1>{ABOUT_COOKIES}</article>"
    assert outcome(body) == (PageStatus.OK, PageReason.NONE)


def test_a_banner_beside_an_article_is_left_out_of_it():
    banner = f'<div id="cookie-consent" class="modal">{DIALOGUE}</div>'
    page = article().replace("<nav>", f"{banner}<nav>")
    extracted = extract_html(page.encode(), "http://a.example/", "text/html")
    assert extracted.status is PageStatus.OK
    assert sentence(0) in extracted.markdown
    assert "partners" not in extracted.markdown


def test_a_box_about_cookies_that_is_no_dialogue_stays():
    recipe = '<div class="cookie-recipe"><p>These cookies need butter, oats and two eggs.</p></div>'
    tree = parse_tree(article(recipe))
    assert tree is not None
    assert not drop_banners(tree)
    assert "butter, oats and two eggs" in text_of(tree)


def test_a_page_behind_nothing_but_a_marked_banner_is_a_wall():
    body = f'<div class="cookie-banner">{DIALOGUE}</div><div id="content"></div>'
    assert outcome(body) == (PageStatus.EMPTY, PageReason.CONSENT_WALL)


def test_a_long_text_is_no_wall_whatever_it_says():
    long_text = (
        " ".join(sentence(n % 6) for n in range(30)) + " accept all, reject all, we use cookies"
    )
    assert not is_wall(long_text)
