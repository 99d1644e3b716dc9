"""URLs of pages: two addresses of one page should give one key, and a redirect's that of its target."""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode
from binascii import Error
from urllib.parse import parse_qsl, quote, unquote, unquote_plus, urlencode, urlsplit, urlunsplit

from askance.domain.patterns import lazy_re
from askance.domain.web_pages import host_of, is_web_address

_TRACKING = lazy_re(
    r"^(utm_\w+|gclid|gclsrc|gad_\w+|dclid|gbraid|wbraid|fbclid|msclkid|yclid|twclid|ttclid|li_fat_id|igshid?|mibextid|"
    r"mc_[ce]id|_hs\w+|hsa_\w+|mkt_tok|ref_|ref_\w+|_ga|_gl|spm|scid|cmpid|ocid|ncid|wt_mc|wt_zmc|s_cid|vero_id|"
    r"oly_\w+_id|srsltid|pk_\w+|mtm_\w+|at_(?:medium|campaign|link_\w+)|__twitter_impression|guccounter|guce_\w+)$",
    re.IGNORECASE,
)
# Names of a referrer whose values are a program's own where they are not one of these: `ref` is a branch, too.
_REFERRER = lazy_re(r"(?:ref|referrer|referer|source|src|via|from)", re.IGNORECASE)
_REFERRERS = lazy_re(
    r"(?:twitter|x|facebook|fb|linkedin|reddit|rss|atom|feed|feedly|newsletter|e?mail|google|bing|duckduckgo|share|sharing|social"
    r"|hn|hackernews|home|homepage|nav|navbar|footer|header|sidebar|search|serp|producthunt|medium|telegram|whatsapp|mastodon"
    r"|(?:[a-z0-9-]{1,63}\.){1,4}(?:com|org|net|io|dev|de|fr|uk|news|co|app|xyz))",
    re.IGNORECASE,
)
_AMP_FIELDS = frozenset({("outputtype", "amp"), ("output", "amp"), ("amp", ""), ("amp", "1"), ("amp", "true"),
                         ("amp", "yes"), ("usqp", "mq331aq")})  # fmt: skip
_AMP_PATH = lazy_re(r"(?<=/)amp(?:/|$)|(?<=[^/])\.amp(?=\.html$|$)")
# A name before that of the site by which it serves phones, on the first place or behind a language.
# `m.example.org` and `de.m.wikipedia.org`, but not `m.de`, which is a site: two labels must follow.
_MOBILE = lazy_re(r"^(?:m|mobile|amp)\.(?=[^.]+\.[^.])|(?<=^[a-z]{2}\.)m\.")
_DEFAULT_PORTS = {"http": 80, "https": 443}
# What may stand in a path as itself: pchar of RFC 3986, 3.3, and the slash.
_SAFE_IN_PATH = "/:@!$&'()*+,;=~-._"


def canonical(url: str) -> str:
    """Return the key of a URL: no scheme, `www.`, default port, tracking parameter, fragment or last slash.

    What cannot be parsed is returned as it is, stripped.
    """
    try:
        parts = urlsplit(url.strip())
        port = parts.port
    except ValueError:
        return url.strip()
    if not parts.hostname:
        return url.strip()
    host = parts.hostname.removeprefix("www.").rstrip(".")
    if port is not None and port != _DEFAULT_PORTS.get(parts.scheme.lower()):
        host = f"{host}:{port}"
    # `%7E` and `~` are one character (RFC 3986, 6.2.2.2), and letters beyond ASCII come in both
    # forms.
    path = quote(unquote(parts.path), safe=_SAFE_IN_PATH, errors="replace").rstrip("/")
    fields = [
        (k, v) for k, v in parse_qsl(parts.query, keep_blank_values=True) if not _TRACKING.match(k)
    ]
    # Sorted, since programs that make addresses write their fields in any order.
    query = f"?{urlencode(sorted(fields), errors='replace')}" if fields else ""
    return f"{host}{path}{query}"


def page_key(url: str) -> str:
    """Return the key under which a search lists a page: that of the page for desktops, recognised by its address alone.

    It only parts the results of searches: what is stored is stored under `canonical`, for two of these may differ.
    """
    try:
        parts = urlsplit(url.strip())
        host = parts.hostname or ""
    except ValueError:
        return canonical(url)
    site = _MOBILE.sub("", host, count=1)
    path = _AMP_PATH.sub("", parts.path) if "amp" in parts.path else parts.path
    fields = [field for field in parts.query.split("&") if not _is_of_variant(field)]
    netloc = parts.netloc.replace(host, site, 1) if site != host else parts.netloc
    return canonical(parts._replace(netloc=netloc, path=path, query="&".join(fields)).geturl())


def _is_of_variant(field: str) -> bool:
    name, _, value = field.partition("=")
    name, value = unquote_plus(name), unquote_plus(value)
    if (name.lower(), value.lower()) in _AMP_FIELDS:
        return True
    return _REFERRER.fullmatch(name) is not None and _REFERRERS.fullmatch(value) is not None


def without_tracking(url: str) -> str:
    """Return a URL without its tracking parameters and its fragment, and otherwise as it is written.

    What cannot be parsed is returned as it is, stripped.
    """
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return url.strip()
    fields = parts.query.split("&")
    untracked = [f for f in fields if not _TRACKING.match(unquote_plus(f.partition("=")[0]))]
    # What stood before the fragment is the end now, white space as well.
    return urlunsplit(parts._replace(query="&".join(untracked), fragment="")).strip()


# Addresses through which search engines and front pages lead to others: where they lead is known
# without a request.
#
# Only what stands in the address itself is taken. One that does not say where it leads stays as it
# is.

_MOST_HOPS = 3
# No address of a result is longer: it is bounded where results are read (decision 13).
_LONGEST = 8_192
_GOOGLE = lazy_re(r"(?:www\.|news\.|images\.)?google\.(?:[a-z]{2,3}|com?\.[a-z]{2})")
_YAHOO = lazy_re(r"/RU=([^/]{1,4000})/R[KS]=")
# `/c/s/host/path`: the kind of document, `s` where its own server is asked by HTTPS, the address.
_AMP_CACHE = lazy_re(r"/[a-z]/(s/)?([^/]{3,253}(?:/.{0,4000})?)")
_AMP_CACHE_PATH = lazy_re(r"/amp/(s/)?([^/]{3,253}\.[^/]{2,63}(?:/.{0,4000})?)")
# Hosts with the path that leads away, and the fields that may say where to.
_LEADING: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("bing.com", "/ck/a", ("u",)),
    ("bing.com", "/alink/link", ("url",)),
    ("bing.com", "/news/apiclick.aspx", ("url",)),
    ("duckduckgo.com", "/l/", ("uddg",)),
    ("html.duckduckgo.com", "/l/", ("uddg",)),
    ("lite.duckduckgo.com", "/l/", ("uddg",)),
    ("yandex.com", "/clck/jsredir", ("url",)),
    ("yandex.ru", "/clck/jsredir", ("url",)),
    ("l.facebook.com", "/l.php", ("u",)),
    ("lm.facebook.com", "/l.php", ("u",)),
    ("l.instagram.com", "/", ("u",)),
    ("youtube.com", "/redirect", ("q",)),
    ("out.reddit.com", "", ("url",)),
    ("linkedin.com", "/redir/redirect", ("url",)),
    ("vk.com", "/away.php", ("to",)),
    ("t.umblr.com", "/redirect", ("z",)),
    ("steamcommunity.com", "/linkfilter/", ("u", "url")),
    ("startpage.com", "/cgi-bin/serveredirect", ("url",)),
    ("ecosia.org", "/url", ("url",)),
)
_GOOGLE_PATHS = {"/url": ("q", "url"), "/imgres": ("imgrefurl",), "/interstitial": ("url",)}


def resolved(url: str) -> str:
    """Return where an address leads to that only passes on, and any other as it is."""
    # One engine's address may lead through another's, and one that is made by hand to itself.
    for _ in range(_MOST_HOPS):
        target = _target(url) if len(url) <= _LONGEST else ""
        if not target:
            return url
        url = target
    return url


def _target(url: str) -> str:
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").lower().removeprefix("www.")
    except ValueError:
        return ""
    found = ""
    if host == "r.search.yahoo.com" and (match := _YAHOO.search(parts.path)):
        found = unquote(match[1])
    elif host.endswith(".cdn.ampproject.org") and (match := _AMP_CACHE.fullmatch(parts.path)):
        found = _of_amp(match[1], match[2], parts.query)
    elif _GOOGLE.fullmatch(host):
        if match := _AMP_CACHE_PATH.fullmatch(parts.path):
            found = _of_amp(match[1], match[2], parts.query)
        else:
            found = _field(parts.query, _GOOGLE_PATHS.get(parts.path, ()))
    else:
        for leading, path, names in _LEADING:
            if host == leading and parts.path.rstrip("/") == path.rstrip("/"):
                found = _field(parts.query, names)
    return found if is_web_address(found) and host_of(found) else ""


def _field(query: str, names: tuple[str, ...]) -> str:
    fields = dict(reversed(parse_qsl(query, max_num_fields=100))) if names else {}
    return next((_decoded(fields[name]) for name in names if fields.get(name)), "")


def _decoded(value: str) -> str:
    """Return a value; Bing's has two signs before the address in Base64."""
    # `u` of bing.com/ck/a: `a1`, then the address in URL-safe Base64 without its padding.
    if not value.startswith("a1"):
        return value
    bare = value[2:]
    try:
        return urlsafe_b64decode(bare + "=" * (-len(bare) % 4)).decode()
    except (Error, ValueError):
        return ""


def _of_amp(is_secure: str | None, rest: str, query: str) -> str:
    return f"http{'s' if is_secure else ''}://{rest}{'?' if query else ''}{query}"
