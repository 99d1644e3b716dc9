"""Telling pages that only ask for something (consent, an account, a script) from pages that say something."""

from __future__ import annotations

import re
from functools import lru_cache

from askance.extract.text import count_words, has_words
from askance.extract.tree import Node, drop_tree, text_of

# Said by walls to their visitor, and hardly ever by an article to its reader. In the languages
# whose sites must ask by law.
_WALL_MARKS = (
    # en
    "we value your privacy", "we care about your privacy", "we respect your privacy",
    "we and our partners", "we and our", "store and access information", "access information on",
    "store and/or access", "accept all", "reject all", "accept cookies", "accept and continue",
    "manage your choices", "manage preferences", "manage options", "manage cookies",
    "cookie settings", "cookie preferences", "privacy settings", "this site uses cookies",
    "this website uses cookies", "we use cookies", "by clicking", "continue to the site",
    "your consent", "personalised ads", "personalized ads", "cookie policy",
    # en, accounts
    "log in to continue", "sign in to continue", "login to continue", "please log in",
    "please sign in", "you must be logged in", "create an account", "create a free account",
    "subscribe to continue", "already a subscriber", "already a member", "to continue reading",
    "log in to read", "sign in to read", "subscribe to read", "forgot your password",
    "forgot password", "remember me", "don't have an account", "keep me signed in",
    # de
    "wir verwenden cookies", "wir nutzen cookies", "wir und unsere", "alle akzeptieren",
    "alle ablehnen", "alle cookies", "ihre privatsphäre", "deine privatsphäre",
    "einstellungen verwalten", "ihre einwilligung", "mit werbung", "bereits abonnent",
    "jetzt anmelden", "melden sie sich an", "passwort vergessen",
    # fr
    "nous et nos", "nous utilisons des cookies", "tout accepter", "tout refuser",
    "accepter et continuer", "continuer sans accepter", "votre vie privée", "votre consentement",
    "connectez-vous", "déjà abonné", "mot de passe oublié", "gérer mes choix", "paramétrer",
    # es, pt, it, nl, pl
    "nosotros y nuestros", "utilizamos cookies", "aceptar todo", "rechazar todo", "tu privacidad",
    "su privacidad", "inicia sesión", "aceitar tudo", "aceitar todos", "rejeitar",
    "sua privacidade", "os nossos parceiros", "noi e i nostri", "utilizziamo i cookie",
    "accetta tutt", "rifiuta tutt", "la tua privacy", "accedi per", "wij en onze",
    "we gebruiken cookies", "wij gebruiken cookies", "alles accepteren", "alles weigeren",
    "jouw privacy", "uw privacy", "my i nasi", "akceptuj wszyst", "twoja prywatność",
)  # fmt: skip
_SCRIPT_MARKS = (
    "enable javascript", "javascript is disabled", "javascript is required", "requires javascript",
    "javascript to run", "turn on javascript", "without javascript", "javascript aktivieren",
    "activer javascript", "activez javascript", "habilita javascript", "activar javascript",
    "abilita javascript", "javascript in your browser",
)  # fmt: skip

# What a dialogue says at its core. Four of these close together are a dialogue, whatever stands
# around it; footers and articles about consent have one or two.
_CORE_MARKS = (
    "value your privacy", "respect your privacy", "care about your privacy", "and our partners",
    "information on your device", "information on a device", "accept all", "reject all",
    "accept and continue", "continue to the site", "manage your choices", "manage options",
    "manage preferences", "und unsere partner", "alle akzeptieren", "alle ablehnen",
    "ihre privatsphäre", "informationen auf einem", "et nos partenaires", "tout accepter",
    "tout refuser", "continuer sans accepter", "y nuestros socios", "aceptar todo",
    "rechazar todo", "e i nostri partner", "accetta tutt", "rifiuta tutt", "en onze partners",
    "alles accepteren", "alles weigeren",
)  # fmt: skip
CORE_MARKS = 4
CORE_CHARACTERS = 500

# A wall says little beside its request; dialogues that list their purposes stay under this, and
# so do the teasers that 133 real page shells leave around one.
WALL_WORDS = 280
# One request for every so many words; articles about consent have one in a hundred or fewer.
WORDS_PER_MARK = 25
FEWEST_MARKS = 2
# Text that is shorter than this beside a dialogue is what the shell had left: a teaser, a name.
REMNANT_WORDS = 130
# A page that needs a script says so in a line or two; with more text than this it has text.
SCRIPT_WORDS = 40
# "Loading…", a name and a footer: with a script beside it, a page that is yet to be built.
LOADING_PAGE_WORDS = 8
_BANNER = re.compile(
    r"cookie|consent|gdpr|ccpa|onetrust|didomi|usercentrics|sourcepoint|(?:^|[\s_-])(?:cmp|qc-cmp)",
    re.IGNORECASE,
)


def is_wall(text: str, words: int | None = None) -> bool:
    """Whether a text does little else than ask for consent or for an account. `words` are how many it has, if known."""
    if words is None:
        words = WALL_WORDS + 1 if has_words(text, WALL_WORDS + 1) else count_words(text)
    if words > WALL_WORDS:
        return False
    marks = _count(_WALL_MARKS, text)
    return (marks >= FEWEST_MARKS and marks * WORDS_PER_MARK >= words) or holds_dialogue(text)


def is_remnant(words: int, shown: str) -> bool:
    """Whether a text of so many words is all that was left of a page that shows a dialogue instead."""
    return words < REMNANT_WORDS and holds_dialogue(shown)


def holds_dialogue(text: str) -> bool:
    """Whether a consent dialogue stands somewhere in a text."""
    plain = _plain(text)
    found = sorted((plain.find(mark), mark) for mark in _CORE_MARKS if mark in plain)
    starts = [start for start, _ in found]
    return any(
        starts[i + CORE_MARKS - 1] - starts[i] <= CORE_CHARACTERS
        for i in range(len(starts) - CORE_MARKS + 1)
    )


def awaits_script(words: int, apology: str, *, scripts: int) -> bool:
    """Whether a page is an empty shell that a script would fill.

    `words` is how many were extracted, `apology` all that the page shows, `noscript` included.
    """
    if words >= SCRIPT_WORDS:
        return False
    if _count(_SCRIPT_MARKS, apology):
        return True
    return scripts > 0 and words < LOADING_PAGE_WORDS


def asks_for_script(text: str, words: int) -> bool:
    """Whether a text of so many words only says that the page needs a script."""
    return words < SCRIPT_WORDS * 2 and bool(_count(_SCRIPT_MARKS, text))


def drop_banners(tree: Node) -> bool:
    """Remove the consent dialogues that are marked as such, in place. Return whether one was there."""
    banners = [
        element
        for element in tree.iter("div", "section", "aside", "form", "dialog", "footer")
        if _is_banner(element.get("id"), element.get("class")) and is_wall(text_of(element))
    ]
    for element in banners:
        drop_tree(element)
    return bool(banners)


@lru_cache(maxsize=4096)
def _is_banner(name: str | None, classes: str | None) -> bool:
    return _BANNER.search(f"{name or ''} {classes or ''}") is not None


def _count(marks: tuple[str, ...], text: str) -> int:
    plain = _plain(text)
    return sum(mark in plain for mark in marks)


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text).lower().replace("’", "'")
