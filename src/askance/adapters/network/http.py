"""The one place that builds HTTP clients."""

from __future__ import annotations

import ssl
from http.cookiejar import CookieJar, DefaultCookiePolicy

import certifi
import httpcore
import httpx

from askance.adapters.network.transport import PlainTransport
from askance.adapters.network.wire import BoundedBackend
from askance.domain.errors import SettingsError
from askance.domain.messages import Message

# As httpx has it by itself.
_KEPT_CONNECTIONS = 20
_KEPT_S = 5.0

USER_AGENT = "Mozilla/5.0 (compatible; Askance/0.1)"


def service_client(
    base_url: str, *, connect_timeout_s: float, setting: str = ""
) -> httpx.AsyncClient:
    """Return a client for one of the user's own services. `setting` is where its address stands.

    It follows no redirect (SearXNG's `!!` answers one to another site), takes no proxy from the
    environment, takes no packed reply, and has no read timeout: callers bound their waits by
    `asyncio.timeout`, and the bytes that they keep.

    Raises:
        SettingsError: the address is none.
    """
    try:
        return _service_client(base_url, connect_timeout_s)
    except httpx.InvalidURL as exc:
        said = f"{setting} = {base_url!r}" if setting else repr(base_url)
        raise SettingsError(
            Message("{said} is not an address: {problem}.", said=said, problem=exc)
        ) from exc


def _service_client(base_url: str, connect_timeout_s: float) -> httpx.AsyncClient:
    pool = httpcore.AsyncConnectionPool(
        ssl_context=_tls_context(base_url),
        network_backend=BoundedBackend(),
        max_keepalive_connections=_KEPT_CONNECTIONS,
        keepalive_expiry=_KEPT_S,
    )
    return httpx.AsyncClient(
        transport=PlainTransport(pool),
        base_url=base_url,
        headers={"Accept-Encoding": "identity"},
        timeout=httpx.Timeout(None, connect=connect_timeout_s),
        follow_redirects=False,
        trust_env=False,
    )


def page_client(transport: httpx.AsyncBaseTransport) -> httpx.AsyncClient:
    """Return a client for pages of the web, over a transport that guards where they come from.

    It follows no redirect by itself, keeps no cookie, takes nothing from the environment, and has
    no time limit: callers bound the whole page by `asyncio.timeout`.
    """
    return httpx.AsyncClient(
        transport=transport,
        headers={
            "User-Agent": USER_AGENT,
            "Accept": "text/html,application/xhtml+xml,text/markdown;q=0.9,text/plain;q=0.9,"
            "application/pdf;q=0.8,*/*;q=0.1",
            "Accept-Language": "en;q=0.8,*;q=0.5",
            "Accept-Encoding": "gzip, deflate",
        },
        cookies=CookieJar(policy=DefaultCookiePolicy(allowed_domains=[])),
        timeout=None,  # noqa: S113 - see above
        follow_redirects=False,
        trust_env=False,
    )


def page_tls_context() -> ssl.SSLContext:
    """Return a context that trusts the system's authorities and those that certifi knows.

    The system's own cover a company's; certifi's are there where a Python finds no store.
    """
    context = ssl.create_default_context()
    context.load_verify_locations(certifi.where())
    return context


def _tls_context(base_url: str) -> ssl.SSLContext:
    """Loading the certificate store takes 79 ms; a plain-text address never needs it."""
    if base_url.startswith("https://"):
        return ssl.create_default_context()
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
