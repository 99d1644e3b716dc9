"""Markdown from a model without what a viewer would load or run: images, tags, odd addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator

from markdown_it.token import Token

from askance.citations.grammar import viewer
from askance.citations.markup import code_spans
from askance.presentation.answers import is_web_address

# An image, a tag or an entity; a link, a definition or an address in brackets that is not a page's.
# One behind an odd number of backslashes is spelled out already.
_HARM = re.compile(
    r"(?<!\\)((?:\\\\)*)(!(?=\[)|<(?!https?://)|\](?=[(:](?!\s*<?https?://))|&(?=#|\w))",
    re.IGNORECASE,
)
_ANY_SYNTAX = re.compile(r"(?<!\\)((?:\\\\)*)([\[<&])")
_TAGS = frozenset({"image", "html_inline", "html_block"})


def harmless(text: str) -> str:
    """Return the Markdown with such things spelled out; code stays as it is wherever it can."""
    pieces: list[str] = []
    done = 0
    for start, end in code_spans(text):
        pieces += [_spelled_out(text[done:start]), text[start:end]]
        done = end
    gentle = "".join([*pieces, _spelled_out(text[done:])])
    # Viewers and the citation check may disagree on what is code: then code pays for it.
    return _spelled_out(text, _ANY_SYNTAX) if is_harmful(gentle) else gentle


def is_harmful(text: str) -> bool:
    """Return whether a viewer would find something in it to load or run, or an odd address."""
    return any(
        token.type in _TAGS
        or (token.type == "link_open" and not is_web_address(str(token.attrs.get("href", ""))))
        for token in _read(text)
    )


def leads_away(text: str) -> bool:
    """Return whether a viewer would find any link in it, or anything to load or run."""
    return any(token.type in {*_TAGS, "link_open"} for token in _read(text))


def _spelled_out(text: str, syntax: re.Pattern[str] = _HARM) -> str:
    return syntax.sub(r"\1\\\2", text)


def _read(text: str) -> Iterator[Token]:
    return _all_tokens(viewer().parse(text))


def _all_tokens(tokens: list[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from token.children or ()
