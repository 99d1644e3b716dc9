"""Addresses through which search engines and front pages lead to others: where they lead is known without a request.

Only what stands in the address itself is taken. One that does not say where it leads stays as it is.
"""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode
from binascii import Error
from urllib.parse import parse_qsl, unquote, urlsplit

from askance.domain.web import is_web_address

_MOST_HOPS = 3
_LONGEST = 8_192
_GOOGLE = re.compile(r"(?:www\.|news\.|images\.)?google\.(?:[a-z]{2,3}|com?\.[a-z]{2})")
_YAHOO = re.compile(r"/RU=([^/]{1,4000})/R[KS]=")
_AMP_CACHE = re.compile(r"/[a-z]/(s/)?([^/]{3,253}(?:/.{0,4000})?)")
_AMP_PATH = re.compile(r"/amp/(s/)?([^/]{3,253}\.[^/]{2,63}(?:/.{0,4000})?)")
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
        if match := _AMP_PATH.fullmatch(parts.path):
            found = _of_amp(match[1], match[2], parts.query)
        else:
            found = _field(parts.query, _GOOGLE_PATHS.get(parts.path, ()))
    else:
        for leading, path, names in _LEADING:
            if host == leading and parts.path.rstrip("/") == path.rstrip("/"):
                found = _field(parts.query, names)
    return found if is_web_address(found) and _has_host(found) else ""


def _field(query: str, names: tuple[str, ...]) -> str:
    fields = dict(reversed(parse_qsl(query, max_num_fields=100))) if names else {}
    return next((_decoded(fields[name]) for name in names if fields.get(name)), "")


def _decoded(value: str) -> str:
    """Return a value; Bing's has two signs before the address in Base64."""
    if not value.startswith("a1"):
        return value
    bare = value[2:]
    try:
        return urlsafe_b64decode(bare + "=" * (-len(bare) % 4)).decode()
    except (Error, ValueError):
        return ""


def _of_amp(is_secure: str | None, rest: str, query: str) -> str:
    return f"http{'s' if is_secure else ''}://{rest}{'?' if query else ''}{query}"


def _has_host(url: str) -> bool:
    try:
        return bool(urlsplit(url).hostname)
    except ValueError:
        return False
