"""Telling pages that only ask for something (consent, an account, a script, a proof) from pages that say something."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from askance.extract.html.text_blocks import Block, BlockKind
from askance.extract.html.tree import Node, drop_tree, text_of
from askance.extract.text.characters import count_words, has_words

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
    words = _words_up_to(WALL_WORDS, text) if words is None else words
    # Articles are longer, so that most pages are not looked through at all.
    if words > WALL_WORDS:
        return False
    marks = _marks(_WALL_MARKS, text)
    return (marks >= FEWEST_MARKS and marks * WORDS_PER_MARK >= words) or holds_dialogue(text)


def is_remnant(words: int, shown: str) -> bool:
    """Whether a text of so many words is all that was left of a page that shows a dialogue instead."""
    return words < REMNANT_WORDS and holds_dialogue(shown)


def holds_dialogue(text: str) -> bool:
    """Whether a consent dialogue stands somewhere in a text."""
    plain = _plain(text)
    starts = sorted(at for at in map(plain.find, _CORE_MARKS) if at >= 0)
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
    if _marks(_SCRIPT_MARKS, apology):
        return True
    return scripts > 0 and words < LOADING_PAGE_WORDS


def asks_for_script(text: str, words: int) -> bool:
    """Whether a text of so many words only says that the page needs a script."""
    return words < SCRIPT_WORDS * 2 and bool(_marks(_SCRIPT_MARKS, text))


def drop_banners(tree: Node) -> bool:
    """Remove the consent dialogues that are marked as such, in place. Return whether one was there."""
    banners = [
        element
        for element in tree.iter("div", "section", "aside", "form", "dialog", "footer")
        # By its name and by its words: a box that is called `cookie-recipes` is text.
        if _is_banner(element.get("id"), element.get("class")) and is_wall(text_of(element))
    ]
    for element in banners:
        drop_tree(element)
    return bool(banners)


@lru_cache(maxsize=4096)
def _is_banner(name: str | None, classes: str | None) -> bool:
    return _BANNER.search(f"{name or ''} {classes or ''}") is not None


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text).lower().replace("’", "'").strip()


# Telling the pages that bot checks and sign-in forms put in the place of what was asked for, with status 200.

# What guards call their pages: all of a title or of a first heading, the site's name aside.
_CHECK_TITLES = re.compile(
    r"(?:making sure you're not a (?:ro)?bot|just a moment|one moment,? please|please wait|please stand by"
    r"|attention required|checking your browser|checking your connection|verifying your browser|verify(?:ing)? you are (?:a )?human"
    r"|verify(?:ing)? (?:that )?you(?:'re| are) (?:not a (?:ro)?bot|(?:a )?human)|please verify (?:that )?you are (?:a )?human"
    r"|(?:human|bot|browser|security|captcha) (?:verification|check|checkpoint|challenge)|vercel security checkpoint"
    r"|performing security verification|client challenge|robot check|robot or human|captcha|ddos-guard|access denied|access blocked"
    r"|access to this page has been denied|pardon our interruption|are you (?:a |still )?(?:robot|human|there)|unusual traffic"
    r"|let's confirm you are human|confirm (?:that )?you(?:'re| are) (?:a )?human|sorry,? you have been blocked"
    r"|you have been blocked|you've been blocked|request (?:rejected|blocked|unsuccessful)|prove your humanity"
    r"|bitte warten|nur einen moment|einen moment,? bitte|sicherheitsüberprüfung|sicherheitsprüfung|bist du ein mensch"
    r"|sind sie ein mensch|zugriff verweigert|un instant|un momento|vérification de sécurité|accès refusé|acceso denegado"
    r"|comprobación de seguridad|accesso negato|controllo di sicurezza|even geduld|проверка браузера|доступ ограничен"
    r"|请稍候|人机验证|安全验证|しばらくお待ちください)[.!?… ]{0,5}"
)
_SIGN_IN_TITLES = re.compile(
    r"(?:please )?(?:sign[ -]?in|log[ -]?in|sign up|join(?: now)?|members only|subscribers only|anmelden|anmeldung|einloggen"
    r"|melden sie sich an|connexion|connectez-vous|se connecter|identifiez-vous|iniciar sesión|inicia sesión|acceder"
    r"|accedi|inloggen|zaloguj się|entrar|войти|вход|登录|登入|ログイン|로그인)"
    r"(?: (?:or|und|oder|ou|o|and) (?:sign up|register|join|create an account|registrieren|s'inscrire))?"
    r"(?: (?:to|for|on|at|with|um|bei|pour|sur|para|en|per|su|op) [^\n]{1,80})?[.!?:… ]{0,5}"
)
# Said to a visitor who is held up.
_CHECK_MARKS = (
    "making sure you're not a bot", "checking your browser", "checking if the site connection",
    "verify you are human", "verifying you are human", "verify that you are human", "verify you are a human",
    "verify you're human", "you are a human", "not a robot", "not a bot", "you're a robot", "you are a robot",
    "complete the security check", "security check to access", "needs to review the security of your connection",
    "performing security verification", "security service to protect", "performance & security by",
    "performance and security by", "protected by", "press & hold", "press and hold", "enable javascript",
    "enable js", "disable any ad blocker", "cookies enabled", "enable cookies", "javascript and cookies",
    "unusual traffic", "automated requests", "automated access", "automated traffic", "suspicious activity",
    "something about your browser", "you've been blocked", "you have been blocked", "blocked by network security",
    "access denied", "access to this page has been denied", "you don't have permission to access",
    "incident id", "ray id", "reference id", "reference #", "support id", "request id",
    "complete the captcha", "solve the captcha", "solve this captcha", "solve this puzzle", "enter the characters you see",
    "type the characters", "confirm you are human", "confirm that you are human", "confirm you're human",
    "completing the challenge", "to get past this challenge", "proof of work", "proof-of-work", "ai companies", "stand by",
    "redirected automatically", "redirected once", "will redirect", "this process is automatic", "may take a few seconds",
    "should only take", "verification successful", "ihren browser", "kein roboter", "javascript aktivieren",
    "cookies aktivieren", "überprüfen ihren", "mensch sind", "n'êtes pas un robot", "activer javascript", "no eres un robot",
    "non sei un robot", "не робот", "验证您是", "不是机器人",
)  # fmt: skip
_SIGN_IN_MARKS = (
    "sign in to", "log in to", "login to", "sign in with", "log in with", "continue with google", "continue with apple",
    "continue with facebook", "continue with email", "sign up with", "by continuing, you", "by signing in", "forgot password",
    "forgot your password", "forgotten password", "remember me", "keep me logged in", "keep me signed in", "create account",
    "create an account", "create new account", "don't have an account", "already have an account", "already a member",
    "new to ", "join now", "agree & join", "enter your email", "email or phone", "mobile number or email", "username or email",
    "members only", "for members", "for paid subscribers", "you must log in", "you must be logged in", "you need to log in",
    "you need to sign in", "passwort vergessen", "noch kein konto", "angemeldet bleiben", "mot de passe oublié",
    "pas encore de compte", "olvidaste tu contraseña", "no tienes cuenta", "password dimenticata", "wachtwoord vergeten",
    "забыли пароль", "忘记密码",
)  # fmt: skip
# Left in the source by the guards' own scripts. Ordinary pages load some of them too, so they count beside words alone.
_SCRIPTS = (
    "anubis_", "_cf_chl_opt", "challenge-platform", "cf-turnstile", "challenges.cloudflare.com", "px-captcha",
    "captcha-delivery.com", "gokuprops", "awswaf", "_incapsula_resource", "sucuri_cloudproxy", "ddos-guard", "kpsdk",
    "g-recaptcha", "h-captcha", "hcaptcha.com", "recaptcha/api", "smartcaptcha", "go-away", "__challenge",
)  # fmt: skip
_QUOTES = "\"'“”„«»‘`"
_SITE = re.compile(r" [|–—•·-] ")

# A guard explains itself in some 200 words at most; what is longer has an article beside its form.
MOST_WORDS = 280
# Without a title that says so, a page is a guard's that begins with one of its sentences and says little else.
MOST_WORDS_UNNAMED = 100
# A form with a field for a password beside this many words is all that the page is.
MOST_WORDS_OF_FORM = 150


@dataclass(frozen=True, slots=True)
class PageSigns:
    """What of a page tells a guard: its own title, whether it asks for a password, and its source."""

    title: str
    asks_password: bool
    source: str

    def has_guard_script(self) -> bool:
        """Whether the source names a script of a guard. Looks through all of it: asked of short pages only."""
        folded = self.source.lower()
        return any(mark in folded for mark in _SCRIPTS)


def signs_of(tree: Node, source: str) -> PageSigns:
    """Return the signs of a page as it came, before anything is taken out of it."""
    title = next((text_of(node) for node in tree.iter("title")), "")
    asks = any(node.get("type", "").strip().lower() == "password" for node in tree.iter("input"))
    return PageSigns(title, asks, source)


def is_bot_check(signs: PageSigns, blocks: Sequence[Block], shown: str, apology: str) -> bool:
    """Whether a page only checks that its visitor is a person.

    `blocks` are what it shows, in order, `shown` is their text, `apology` what it says to browsers without scripts.
    """
    words = _words_up_to(MOST_WORDS, shown)
    if words > MOST_WORDS:
        return False
    # The apology counts, too: guards that need a script say so in their `noscript` alone.
    marks = _marks(_CHECK_MARKS, f"{shown}\n{apology}")
    if _is_called(_CHECK_TITLES, signs.title, blocks):
        return marks > 0 or signs.has_guard_script()
    # An article about bot checks names them, too, but does not begin with their request.
    begins = _marks(_CHECK_MARKS, blocks[0].text) > 0 if blocks else bool(marks)
    if words > MOST_WORDS_UNNAMED or not begins or marks * WORDS_PER_MARK < words:
        return False
    return marks >= 2 or (marks == 1 and signs.has_guard_script())


def is_sign_in(signs: PageSigns, blocks: Sequence[Block], shown: str) -> bool:
    """Whether a page only asks its visitor for an account."""
    words = _words_up_to(MOST_WORDS_OF_FORM, shown)
    if words > MOST_WORDS_OF_FORM or not _is_called(_SIGN_IN_TITLES, signs.title, blocks):
        return False
    marks = _marks(_SIGN_IN_MARKS, shown)
    # Some sites ask for the password on a page of its own: there the words decide.
    return signs.asks_password or (marks >= 1 and marks * WORDS_PER_MARK >= words)


def _words_up_to(most: int, text: str) -> int:
    """Return how many words a text has; one more than `most` for any with more."""
    # Of a long text its beginning tells enough, as a rule.
    return most + 1 if has_words(text, most + 1) else count_words(text)


def _is_called(titles: re.Pattern[str], title: str, blocks: Sequence[Block]) -> bool:
    """Whether the title or the first heading is one of these, the name of a site before or behind it aside."""
    headings = (block.text for block in blocks if block.kind is BlockKind.HEADING)
    names = [*_SITE.split(title), title, *islice(headings, 1)]
    return any(titles.fullmatch(_plain(name).strip(" #")) is not None for name in names)


def _marks(marks: Sequence[str], text: str) -> int:
    """Return how many of the marks a text says itself; what stands in quotes is said by others."""
    plain, quotes = _plain(text), tuple(_QUOTES)
    places = (at for at in map(plain.find, marks) if at >= 0)
    return sum(plain[max(0, at - 1) : at] not in quotes for at in places)
