"""Plain words for SearXNG: nothing in a query may select engines, a language, or another site."""

from __future__ import annotations

import re

# Engines cut or refuse longer ones; the strictest widely used limit is 400 characters.
MAX_QUERY_CHARS = 400

# SearXNG reads any word that begins with one of these as a command (`!engine`, `!!other-site`,
# `:language`, `<seconds`). The hyphen is the engines' own: it excludes a word.
_MARKS = "!:<-"
_OPERATORS = (
    "site|inurl|intitle|intext|inbody|inanchor|allinurl|allintitle|allintext|allinanchor|filetype|"
    "ext|lang|language|loc|location|before|after|related|cache|info|link|linkfrom|domain|host|url"
)
_OPERATOR = re.compile(rf"(?<![\w/.])(?:{_OPERATORS}):(?=\S)", re.IGNORECASE)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


def plain_query(text: str) -> str:
    """Return the words of a query on one line, without the syntax of SearXNG or of its engines.

    Quotes stay. `site:` and its like leave their value as a word. The result is at most
    `MAX_QUERY_CHARS` long, and empty where no word is left.
    """
    readable = text.encode("utf-8", "ignore").decode("utf-8")
    without_operators = _OPERATOR.sub("", _CONTROL.sub(" ", readable))
    words = [_plain_word(word) for word in without_operators.split()]
    return _shortened(" ".join(word for word in words if word))


def _plain_word(word: str) -> str:
    bare = word.lstrip(_MARKS)
    if not any(character.isalnum() for character in word):
        # `:=` and `!=` are no command, but `!!` alone asks for a redirect to the first result.
        return bare if word.startswith("!!") else word
    if bare[:1].isdigit() and word.removesuffix(bare).endswith("-"):
        return f"-{bare}"
    return bare


def _shortened(query: str) -> str:
    if len(query) <= MAX_QUERY_CHARS:
        return query
    head = query[: MAX_QUERY_CHARS + 1]
    return head[: head.rfind(" ")] if " " in head else head[:MAX_QUERY_CHARS]
