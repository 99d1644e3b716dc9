"""What a conversation can be written as. Light enough to be known before anything is written."""

from __future__ import annotations

from enum import StrEnum


class Form(StrEnum):
    """A kind of document; its value is what its files end with."""

    MD = "md"
    HTML = "html"
    JSON = "json"
