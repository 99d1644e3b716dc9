"""What can be chosen in settings that take one of a few words."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal


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
