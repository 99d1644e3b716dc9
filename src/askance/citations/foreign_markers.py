"""Markers in a page's text. They name that page's own notes, and in an answer would name our sources.

Every bracket that holds nothing but small numbers, with or without a label, becomes round: `(3)`
means nothing to the citation check. That is more than the check takes for a marker, because a
writer may tidy up what it copies.
"""

from __future__ import annotations

import re

from askance.citations.markers import LABEL, without_brackets

_DIGITS = (
    "[0-9\u00b2\u00b3\u00b9\u0660-\u0669\u2070-\u2079\u2080-\u2089\u2460-\u2473\uff10-\uff19"
    "\U0001d7ce-\U0001d7ff]{1,3}+"
)
# A line's end, or any of the wide spaces, becomes a space where a writer tidies up.
_BLANK = r"\s{0,2}"
# Emphasis, code and tags go then, too.
_AROUND = r"(?:[*_`~\\]{1,3}|</?(?:b|i|u|em|strong|a|span)>)?"
_MARK = rf"(?:[^\W\d_]{{1,12}}+\.?{_BLANK}[:#\u2116\uff1a]?{_BLANK}|[\^#*\u2116]{{1,2}}+{_BLANK})?"
_LIST = rf"{_MARK}{_DIGITS}(?:{_BLANK}(?:[,;/\uff0c\u3001&–—-]|and\b|und\b){_BLANK}{_MARK}{_DIGITS}){{0,20}}"
_OPEN = (
    r"(?:\\?[\[\uff3b\u3014\u3010\u27e6\u301a]{1,2}|&(?:#0{0,5}91|#[xX]0{0,5}5[bB]|lbrack|lsqb);?)"
)
_SHUT = (
    r"(?:\\?[\]\uff3d\u3015\u3011\u27e7\u301b]|&(?:#0{0,5}93|#[xX]0{0,5}5[dD]|rbrack|rsqb);?){1,2}"
)
_BRACKET = re.compile(
    rf"{_OPEN}{_BLANK}{_AROUND}(?P<list>{_LIST})[*^]{{0,2}}{_AROUND}(?:(?::\d{{1,3}})?†[^\]】\n]{{0,60}})?{_BLANK}{_SHUT}",
    re.IGNORECASE,
)
_RAISED = re.compile(rf"<sup>{_BLANK}(?P<list>{_LIST}){_BLANK}</sup>", re.IGNORECASE)
_LABELLED = re.compile(rf"(?:{LABEL}|\^)(?=\d)", re.IGNORECASE)


def round_foreign_markers(text: str) -> str:
    """Return a page's text without anything that an answer's reader would take for a marker."""
    text = _BRACKET.sub(lambda match: f"({_LABELLED.sub('', match['list'])})", text)
    text = _RAISED.sub(lambda match: f"^{match['list']}", text)
    return without_brackets(text)
