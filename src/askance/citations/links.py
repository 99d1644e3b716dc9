"""Links to a source: each can open its page at a quote."""

from __future__ import annotations

import re
from urllib.parse import quote as percent_encode

from askance.text.ranking.tokens import count_words

_WHOLE_WORDS = 8
"""A quote of up to this many words stands in the link as a whole, a longer one by both its ends."""
_EDGE_WORDS = 4
_EDGE_CHARACTERS = 12
"""Length of an end in scripts without spaces."""

_LINK = re.compile(r"!?\[([^\[\]\n]{0,500})\]\([^()\s]{0,1500}(?:[ \t]+\"[^\"\n]{0,200}\")?\)")
_LINE_MARK = re.compile(
    r"^\s{0,60}(?:#{1,6}\s|[-*+•>]\s|(?:[0-9]{1,4}|[a-zA-Z]|[ivxlcIVXLC]{1,6})[.)]\s)\s{0,20}"
)
_EMPHASIS = re.compile(r"\*{1,3}|(?<!\w)_{1,3}|_{1,3}(?!\w)|`+|~~|\\(?=[\\`*_{}\[\]()#+.!|>~-])")
_OUTER = " \t\n\r.,;:!?…\"'“”‘’«»()[]{}。！？、\uff0c\uff1b\uff1a「」『』"


def fragment_url(url: str, quote: str) -> str:
    """Return the address that opens a page at a quote.

    It follows the URL Fragment Text Directives draft of the WICG: the parts are percent-encoded,
    with dash, comma and ampersand encoded too, because they are its syntax.

    `quote` may be Markdown: its marks are not on the page and are left out. A fragment that `url`
    has is replaced. Without a word in the quote the address comes back without a fragment.
    """
    page = url.partition("#")[0]
    runs = _runs(quote)
    if not runs:
        return page
    first, last = runs[0], runs[-1]
    if len(runs) == 1 and count_words(first) <= _WHOLE_WORDS:
        return f"{page}#:~:text={_encoded(first)}"
    start, end = _start_of(first), _end_of(last)
    if not start or not end:
        return f"{page}#:~:text={_encoded(start or end or first)}"
    return f"{page}#:~:text={_encoded(start)},{_encoded(end)}"


def _runs(quote: str) -> list[str]:
    """Return the stretches of a quote that stand on the page without a break, in order."""
    runs: list[str] = []
    for line in quote.splitlines():
        plain = _EMPHASIS.sub("", _LINK.sub(r"\1", _LINE_MARK.sub("", line)))
        for cell in plain.split("|"):
            run = " ".join(cell.split()).strip(_OUTER)
            if count_words(run):
                runs.append(run)
    return runs


def _start_of(run: str) -> str:
    words = run.split(" ")
    if count_words(run) > 2 * len(words):
        return run[:_EDGE_CHARACTERS].strip(_OUTER)
    return " ".join(words[:_EDGE_WORDS]).strip(_OUTER)


def _end_of(run: str) -> str:
    words = run.split(" ")
    if count_words(run) > 2 * len(words):
        return run[-_EDGE_CHARACTERS:].strip(_OUTER)
    return " ".join(words[-_EDGE_WORDS:]).strip(_OUTER)


def _encoded(text: str) -> str:
    readable = text.encode("utf-8", "replace")
    return percent_encode(readable, safe="").replace("-", "%2D")
