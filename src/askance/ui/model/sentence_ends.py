"""Full stops in front of the markers that stand before them, as they are printed: `before.[1]`.

The check sets a marker into its sentence, and a model behind it. To show both alike, the pieces of
a line change places; each keeps where it stands in the text, so that a doubt ends where it did.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from askance.ui.model.inline import Kind, Token

_BETWEEN = " ,;\t"
_BLANKS = " \t"
_STOP = re.compile(r"[。！？]++[”’」』]*+|[.!?…]++[”\"’»]*+(?![^\W_])")
_ESCAPED = re.compile(r"[.!]")
# Behind these no sentence ends: one has ended already, a cell or a bracket has only begun.
_NO_WORD = tuple(".!?…。！？,;:|([{\\")
# What is no word either, but the beginning of a heading, a quotation or an item.
_SIGNS = re.compile(r"(?:[ \t]*(?:[-*+>#|]|[0-9]{1,9}[.)]|\[[ xX]\]))*[ \t]*")


def stops_first(line: Sequence[Token]) -> list[Token]:
    """Return the pieces of a line, the end of a sentence before the markers that precede it."""
    moved: list[Token] = []
    rest = list(line)
    while rest:
        run = _run_of_markers(rest)
        if not run:
            moved.append(rest.pop(0))
            continue
        blank = _cut_blank_end(moved)
        stops = list(_stops(rest[run:])) if _is_behind_words(moved) else []
        moved += [*stops, *blank, *rest[:run]]
        left = _behind(rest[run + len(stops) - 1], stops[-1]) if stops else []
        rest[: run + len(stops)] = left
    return moved


def _run_of_markers(tokens: Sequence[Token]) -> int:
    """Return how many pieces at the start are markers and what parts them."""
    run = 0
    for i, token in enumerate(tokens):
        if token.kind is Kind.MARKER:
            run = i + 1
        elif not run or token.kind is not Kind.TEXT or token.text.strip(_BETWEEN):
            break
    return run


def _is_behind_words(before: Sequence[Token]) -> bool:
    if not before or before[-1].kind is Kind.GAP:
        return False
    text = before[-1].text
    return not text.endswith(_NO_WORD) and not (len(before) == 1 and _SIGNS.fullmatch(text))


def _stops(tokens: Sequence[Token]) -> Iterator[Token]:
    """Yield what ends a sentence at the start, written so that it can be nothing else."""
    for token in tokens:
        if token.kind is Kind.LITERAL and token.text == "!":
            yield token
            continue
        found = _STOP.match(token.text) if token.kind is Kind.TEXT else None
        if found is None:
            return
        end = token.start + found.end()
        # A year and a full stop that open a line would be the first item of a list.
        yield Token(Kind.ESCAPE, token.start, end, _ESCAPED.sub(r"\\\g<0>", found.group()))
        if end < token.end:
            return


def _cut_blank_end(tokens: list[Token]) -> list[Token]:
    """Take the blanks off the end, and return them as a piece if there are any."""
    if not tokens or tokens[-1].kind is not Kind.TEXT:
        return []
    last = tokens.pop()
    kept = last.text.rstrip(_BLANKS)
    at = last.start + len(kept)
    if kept:
        tokens.append(Token(Kind.TEXT, last.start, at, kept))
    return [Token(Kind.TEXT, at, last.end, last.text[len(kept) :])] if at < last.end else []


def _behind(token: Token, stop: Token) -> list[Token]:
    """Return what is left of a piece whose beginning has changed its place."""
    if stop.end == token.end:
        return []
    return [Token(Kind.TEXT, stop.end, token.end, token.text[stop.end - token.start :])]
