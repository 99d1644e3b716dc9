"""The canonical form of a URL: two addresses of one page should give one key."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, quote, unquote, unquote_plus, urlencode, urlsplit, urlunsplit

_TRACKING = re.compile(
    r"^(utm_\w+|gclid|gclsrc|dclid|gbraid|wbraid|fbclid|msclkid|yclid|twclid|igshid|mc_[ce]id|_hs\w+|"
    r"mkt_tok|ref_src|ref_url|spm|scid|cmpid|wt_mc|s_cid|vero_id|oly_\w+_id|srsltid)$",
    re.IGNORECASE,
)
_DEFAULT_PORTS = {"http": 80, "https": 443}
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
    path = quote(unquote(parts.path), safe=_SAFE_IN_PATH, errors="replace").rstrip("/")
    kept = [
        (k, v) for k, v in parse_qsl(parts.query, keep_blank_values=True) if not _TRACKING.match(k)
    ]
    query = f"?{urlencode(sorted(kept), errors='replace')}" if kept else ""
    return f"{host}{path}{query}"


def without_tracking(url: str) -> str:
    """Return a URL without its tracking parameters and its fragment, and otherwise as it is written.

    What cannot be parsed is returned as it is, stripped.
    """
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return url.strip()
    fields = parts.query.split("&")
    kept = [f for f in fields if not _TRACKING.match(unquote_plus(f.partition("=")[0]))]
    # What stood before the fragment is the end now, white space as well.
    return urlunsplit(parts._replace(query="&".join(kept), fragment="")).strip()
