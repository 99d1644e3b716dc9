"""The variable in which Ollama's own programs are told where it is."""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import ip_address
from urllib.parse import urlsplit

OLLAMA_HOST = "OLLAMA_HOST"
_PORT = 11434
_PORTS = {"http": 80, "https": 443}
_LOOPBACK = {4: "127.0.0.1", 6: "::1"}


def address_of_ollama(environment: Mapping[str, str]) -> str:
    """Return the address that `OLLAMA_HOST` gives, "" where it is not set or gives none.

    It is read as Ollama reads it: the scheme, the host or the port may be missing, and the port
    of an address with a scheme is that of its scheme. Where Ollama listens on every address of its
    machine, it is asked on loopback.
    """
    said = environment.get(OLLAMA_HOST, "").strip().strip("\"'")
    if not said:
        return ""
    scheme, mark, rest = said.partition("://")
    if not mark:
        scheme, rest = "http", said
    if scheme not in _PORTS:
        return ""
    if rest.count(":") > 1 and not rest.startswith("["):
        rest = f"[{rest}]"
    try:
        parts = urlsplit(f"{scheme}://{rest}")
        port = parts.port or (_PORTS[scheme] if mark else _PORT)
    except ValueError:
        return ""
    host = _reachable(parts.hostname or "")
    return f"{scheme}://{host}:{port}{parts.path.rstrip('/')}"


def _reachable(host: str) -> str:
    try:
        address = ip_address(host or _LOOPBACK[4])
    except ValueError:
        return host
    plain = _LOOPBACK[address.version] if address.is_unspecified else str(address)
    return f"[{plain}]" if address.version == 6 else plain
