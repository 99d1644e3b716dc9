"""What a single setting may hold: one of some words, an address of a server or a proxy, a key, a duration.

What it may not hold is raised as ValueError, in words for the user.
"""

from __future__ import annotations

import math
import re
from enum import StrEnum
from typing import Literal
from urllib.parse import urlsplit

from pydantic import SecretStr

from askance.domain.messages import Message


class LlmApi(StrEnum):
    """Which protocol the model server speaks."""

    OLLAMA = "ollama"
    OPENAI = "openai"
    EMBEDDED = "embedded"


class EmbeddingsApi(StrEnum):
    """What embeds the library's passages."""

    NONE = "none"
    OLLAMA = "ollama"
    OPENAI = "openai"
    EMBEDDED = "embedded"
    ONNX = "onnx"
    STATIC = "static"


class ReaderMode(StrEnum):
    """Where pages are read."""

    AUTO = "auto"
    CONTAINER = "container"
    CONTAINER_ONLY = "container_only"
    INPROCESS = "inprocess"


class Consent(StrEnum):
    """What the user said when asked."""

    UNASKED = "unasked"
    GIVEN = "given"
    REFUSED = "refused"


class AskMode(StrEnum):
    """What a question in plain text is asked."""

    WEB = "web"
    CHAT = "chat"

    @property
    def other(self) -> AskMode:
        """The one that is not in front."""
        return AskMode.CHAT if self is AskMode.WEB else AskMode.WEB


class AnswerLength(StrEnum):
    """How much the writer is asked to write."""

    SHORT = "short"
    NORMAL = "normal"
    LONG = "long"


class Verification(StrEnum):
    """Whether the model says which sentences their sources state in other words."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


class LibraryLookup(StrEnum):
    """What the local library has to do with a question."""

    FIRST = "first"
    NEVER = "never"
    ONLY = "only"


class Completeness(StrEnum):
    """How it is decided how far the library answers a question."""

    CHECKS = "checks"
    MODEL = "model"


AnswerLanguage = Literal[
    "auto", "en", "de", "fr", "es", "it", "pt", "nl", "pl", "cs", "sv", "da", "nb", "fi", "ro", "hu", "tr",
    "ru", "uk", "el", "ar", "fa", "he", "hi", "zh", "ja", "ko", "th",
]  # fmt: skip


class Theme(StrEnum):
    """Which colours the window has."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


class Preload(StrEnum):
    """Whether the model is loaded before a question is there."""

    PLUGGED_IN = "plugged_in"
    ALWAYS = "always"
    NEVER = "never"


ALL_DAYS = 36_500
"""For ever, as days: a hundred years."""
DIRECT = "direct"
"""The value of `reader.proxy` that keeps pages out of the proxy of the search."""


_SCHEME = re.compile(r"https?://", re.IGNORECASE)
# What may lack its scheme: localhost, [::1], gpu.lan:8080/v1, and a lone word only before a port.
_HOST_ALONE = re.compile(
    r"(?:[^\s/?#@]{1,200}@)?(?:localhost|\[[0-9a-f:.]{2,45}\]|(?:[\w-]{1,63}\.){1,10}[\w-]{1,63}\.?|[\w.-]{1,253}(?=:\d))"
    r"(?::\d{1,5})?(?:[/?#].*)?",
    re.IGNORECASE,
)
# What people copy out of a program or a manual: the path of one request in place of the server's.
_REQUEST_PATH = re.compile(
    r"(?:/v1)?/(?:chat/completions|completions|responses|embeddings|rerank|models)|(?<=/api)/(?:chat|generate|tags|"
    r"show|version|embed|embeddings|ps)"
)


def web_address(value: str) -> str:
    """Return an address of a server without its last slash, and what was pasted around it."""
    value = value.strip().strip("\"'`<>").strip()
    # RFC 3986, section 3.1: schemes are case-insensitive; their canonical form is lower case.
    if scheme := _SCHEME.match(value):
        value = scheme[0].lower() + value[scheme.end() :]
    if not value.startswith(("http://", "https://")):
        raise ValueError(Message("must begin with http:// or https://"))
    try:
        parts = urlsplit(value)
        usable = bool(parts.hostname) and parts.port != 0
    # A bracket left open, a port that is no number or above 65535.
    except ValueError:
        usable = False
    if not usable:
        raise ValueError(Message("must name a host, and a port between 1 and 65535 if any"))
    return value.rstrip("/")


def model_address(value: str) -> str:
    """Return the address of a model server, of which the scheme may be missing and a path of its may be left.

    Of the protocols' own paths none is left but `/api`, which is Ollama's and that of others.
    """
    value = value.strip().strip("\"'`<>").strip()
    if "://" not in value and _HOST_ALONE.fullmatch(value):
        value = f"http://{value}"
    address = web_address(value)
    address = re.split(r"[?#]", address, maxsplit=1)[0].rstrip("/")
    path = urlsplit(address).path
    # Only at the end of the path: a proxy's prefix may hold such a word.
    cut = next((m for m in _REQUEST_PATH.finditer(path) if m.end() == len(path)), None)
    path_left = (path[: cut.start()] if cut else path).removesuffix("/").removesuffix("/v1")
    return address[: len(address) - len(path)] + path_left.rstrip("/")


def model_key(value: SecretStr) -> SecretStr:
    """Return a key that can stand in a header, without what was pasted around it."""
    key = value.get_secret_value().strip().strip("\"'")
    key = re.sub(r"^Bearer\s+", "", key, flags=re.IGNORECASE)
    # The key becomes a header, in which a line end would begin another one.
    if not re.fullmatch(r"[\x21-\x7e]*", key):
        raise ValueError(Message("must be one word of letters, digits and signs"))
    return SecretStr(key)


def web_address_or_none(value: str) -> str:
    """Return an address of a server without its last slash, or nothing."""
    return web_address(value) if value else value


def page_proxy(value: str) -> str:
    """Return the address of a proxy for pages, or `DIRECT`."""
    return value if value == DIRECT else proxy_address(value)


def proxy_address(value: str) -> str:
    """Return the address of an HTTP or SOCKS proxy, or nothing."""
    scheme, mark, rest = value.partition("://")
    if scheme in {"socks5", "socks5h"} and mark:
        # Raises for a wrong host or port, whose rules do not depend on the scheme.
        web_address(f"http://{rest}")
        return value.rstrip("/")
    return web_address_or_none(value)


# As Go reads a duration, which is what Ollama does: parts with units, or seconds alone.
# Every repetition is bounded, so that any text is read in linear time (decision 13).
_UNITS_S = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
_NUMBER_WITH_UNIT = re.compile(r"(\d{1,6}(?:\.\d{0,9})?|\.\d{1,9})(ns|us|ms|s|m|h)", re.ASCII)
_PART = r"(?:\d{1,6}(?:\.\d{0,9})?|\.\d{1,9})(?:ns|us|ms|s|m|h)"
_DURATION = re.compile(rf"[-+]?(?:\d{{1,9}}(?:\.\d{{0,9}})?|(?:{_PART}){{1,6}})", re.ASCII)


def as_duration(value: object) -> object:
    """Take a number for seconds, as a settings file may have it."""
    # `keep_alive = true` is no duration, though Python's bool is an int.
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


def ollama_duration(value: str) -> str:
    """Return how long Ollama is to keep a model."""
    text = value.strip()
    if not _DURATION.fullmatch(text):
        raise ValueError(
            Message("must be seconds or a duration such as 30m, 1h30m, 0, or -1 for ever")
        )
    return text


def duration_s(value: str) -> float:
    """Return the seconds of a duration that `ollama_duration` takes; a negative one has no end."""
    text = value.strip()
    # For a negative duration Ollama never unloads the model.
    if text.startswith("-"):
        return math.inf
    text = text.removeprefix("+")
    parts = _NUMBER_WITH_UNIT.findall(text)
    return sum(float(n) * _UNITS_S[unit] for n, unit in parts) if parts else float(text)
