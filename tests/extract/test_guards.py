"""Bot checks and sign-in forms that come with status 200 are no articles; short articles that speak of them are."""

from __future__ import annotations

import pytest

from askance.domain.web_pages import PageReason, PageStatus
from askance.extract.html.html_page import extract_html

CHECKS = {
    "proof of work": (
        "Making sure you're not a bot!",
        "<h1>Making sure you’re not a bot!</h1><p>Loading...</p><p>A small proof of work is asked of each browser, because "
        "programs copy this site with great force.</p><script id=anubis_challenge type=application/json>{}</script>",
    ),
    "interstitial": (
        "Just a moment...",
        "<div class=main><h2>wiki.example</h2><p>Verifying you are human. This may take a few seconds.</p><p>wiki.example needs "
        "to review the security of your connection before proceeding.</p></div><script>window._cf_chl_opt={}</script>",
    ),
    "short": (
        "App",
        "<h1>Just a moment...</h1><p>Verify you are human by completing the action below.</p><script>var a = 1;</script>",
    ),
    "blocked": (
        "Attention Required! | Guard",
        "<h1>Sorry, you have been blocked</h1><p>You are unable to access wiki.example</p><p>This website is using a security "
        "service to protect itself.</p><p>Ray ID: 77aa</p>",
    ),
    "press and hold": (
        "Access to this page has been denied.",
        "<p>Press &amp; Hold to confirm you are a human (and not a bot).</p><p>Reference ID 1f2e</p><div id=px-captcha></div>",
    ),
    "interruption": (
        "Pardon Our Interruption",
        "<h1>Pardon Our Interruption...</h1><p>As you were browsing, something about your browser made us think you were a bot."
        " Enable cookies and JavaScript, then reload.</p>",
    ),
    "checkpoint": (
        "Vercel Security Checkpoint",
        "<p>We're verifying your browser</p><p>Website owner? Learn how to fix this</p><p>Enable JavaScript to continue</p>",
    ),
    "access denied": (
        "Access Denied",
        "<h1>Access Denied</h1><p>You don't have permission to access this page on this server.</p><p>Reference #18.2f</p>",
    ),
    "robot check": (
        "shop.example",
        "<h4>Enter the characters you see below</h4><p>Sorry, we just need to make sure you're not a robot. For best results, "
        "please make sure your browser is accepting cookies.</p><p>Type the characters:</p>",
    ),
    "German": (
        "Nur einen Moment …",
        "<p>Wir prüfen, ob Sie ein Mensch sind. Bitte JavaScript aktivieren und Cookies aktivieren.</p>",
    ),
    "frame": (
        "wiki.example",
        "<p>Please enable JS and disable any ad blocker</p><script src=https://ct.captcha-delivery.com/c.js></script>",
    ),
}
SIGN_INS = {
    "password": (
        "Sign in",
        "<h1>Sign in to view this post</h1><p>Join millions of members.</p><form><input type=email><input type=password></form>",
    ),
    "providers": (
        "Log in | Forum",
        "<h1>Log in</h1><p>Continue with Google</p><p>Continue with Apple</p><p>New to Forum? Create account</p>",
    ),
    "German": (
        "Anmelden – Forum",
        "<h1>Anmelden</h1><form><input type=text><input type=PASSWORD></form><p>Passwort vergessen?</p>",
    ),
    "French": (
        "Connexion",
        "<h2>Connexion</h2><form><input type=password></form><p>Mot de passe oublié ?</p>",
    ),
}
ARTICLES = {
    "a question about one": (
        "Why do I see “Just a moment” everywhere?",
        "<h1>Why do I see “Just a moment” everywhere?</h1><p>Since Tuesday every site shows me “Verify you are human” and "
        "“checking your browser” for ever. My Ray ID changes each time. What can I do about it?</p>",
    ),
    "a note about one": (
        "Captcha",
        "<h1>Captcha</h1><p>A captcha is a test that tells people from programs. The word was made up in 2003 by four people "
        "in Pittsburgh, who sold theirs to a company six years later.</p>",
    ),
    "a song": (
        "Just a Moment",
        "<h1>Just a Moment</h1><p>Just a Moment is the second song of the album, written in Lindmouth in 1987.</p>",
    ),
    "a short article beside a form": (
        "The lighthouse of Lindmouth",
        "<form><input type=password><button>Sign in</button></form><h1>The lighthouse of Lindmouth</h1>"
        "<p>The Lindmouth lighthouse was built in 1871 by the engineer Clara Whitlow.</p>",
    ),
    "how to sign in": (
        "How to sign in to the harbour's radio",
        "<h1>How to sign in to the harbour's radio</h1><p>Turn the dial to twelve, wait for the tone, then say the name of the "
        "boat and where it lies. The harbour master answers within a minute.</p>",
    ),
    "a guarded article": (
        "Tides of Lindmouth",
        "<h1>Tides of Lindmouth</h1><p>High water comes at noon on the third of May, and two hours later on the fourth.</p>"
        "<script src=/cdn-cgi/challenge-platform/scripts/jsd/main.js></script><div class=g-recaptcha></div>",
    ),
}


def outcome(title: str, body: str):
    page = f"<!doctype html><html><head><title>{title}</title></head><body>{body}</body></html>"
    extracted = extract_html(page.encode(), "http://a.example/", "text/html; charset=utf-8")
    return extracted.status, extracted.reason


@pytest.mark.parametrize(("title", "body"), CHECKS.values(), ids=CHECKS)
def test_a_check_for_robots_is_no_article(title: str, body: str):
    assert outcome(title, body) == (PageStatus.EMPTY, PageReason.CONSENT_WALL)


@pytest.mark.parametrize(("title", "body"), SIGN_INS.values(), ids=SIGN_INS)
def test_a_form_for_an_account_is_no_article(title: str, body: str):
    assert outcome(title, body) == (PageStatus.EMPTY, PageReason.CONSENT_WALL)


@pytest.mark.parametrize(("title", "body"), ARTICLES.values(), ids=ARTICLES)
def test_a_short_article_that_speaks_of_them_stays(title: str, body: str):
    assert outcome(title, body) == (PageStatus.OK, PageReason.NONE)
