"""A person's words as a full-text query, and where they stand in a text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from askance.ranking.tokens import CJK, CJK_RUN, fold

_WORD = re.compile(r"[^\W_]+")
_MAX_WORDS = 32
_EXCERPT_CHARACTERS = 160
_BEFORE_CHARACTERS = 40

Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A piece of a text on one line, and the ranges in it to be marked, in order and apart."""

    text: str
    marks: tuple[Range, ...]


def pairs(text: str) -> str:
    """Return the character bigrams of all runs without spaces, for an index that knows only spaces.

    The last character of a run follows alone, so that each can be found by itself. Letters and
    digits that are written close to such a run are in it too: no tokeniser parts them.
    """
    found: list[str] = []
    for word in _WORD.findall(text):
        if CJK_RUN.search(word):
            for piece in _pieces(word):
                wide = CJK_RUN.fullmatch(piece)
                found += [*_bigrams(piece), piece[-1]] if wide else [piece]
    return " ".join(found)


def query_of(words: str) -> str:
    """Return words as an FTS5 query for rows with all of them; empty if there is no word.

    Each matches what begins with it. Whatever is typed stands in a quoted string, where FTS5 has
    no syntax.
    """
    terms = [
        f'{{title_pairs pairs}} : "{" ".join(_bigrams(piece))}"'
        if len(piece) > 1 and CJK_RUN.fullmatch(piece)
        else f'"{piece}"*'
        for piece in _all_pieces(words)
    ]
    return " AND ".join(terms)


def excerpt(words: str, texts: Sequence[str]) -> Excerpt:
    """Return a piece of the text that holds most of the words; of equal ones, the first.

    Without any of them it is the beginning of the first text that is not empty.
    """
    patterns = [_pattern(piece) for piece in _all_pieces(words)]
    best, best_marks, most = "", list[Range](), 0
    for text in (" ".join(text.split()) for text in texts):
        marks = _found(text, patterns)
        if len(marks) > most or not best:
            best, best_marks, most = text, sorted(m for found in marks for m in found), len(marks)
    return _cut(best, _apart(best_marks))


def _all_pieces(words: str) -> list[str]:
    # Letters with their accents composed: one that stands alone would part a word.
    composed = unicodedata.normalize("NFC", words)
    pieces = (piece for word in _WORD.findall(composed) for piece in _pieces(word))
    return list(dict.fromkeys(pieces))[:_MAX_WORDS]


def _pieces(word: str) -> Iterator[str]:
    """Part a word where a script without spaces begins or ends."""
    done = 0
    for match in CJK_RUN.finditer(word):
        if match.start() > done:
            yield word[done : match.start()]
        yield match.group()
        done = match.end()
    if done < len(word):
        yield word[done:]


def _bigrams(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(len(run) - 1)]


def _pattern(piece: str) -> re.Pattern[str]:
    if CJK_RUN.fullmatch(piece):
        return re.compile(re.escape(fold(piece)))
    # A word begins behind a script without spaces too, as it does for the index.
    return re.compile(rf"(?:(?<![^\W_])|(?<=[{CJK}])){re.escape(fold(piece))}")


def _found(text: str, patterns: Sequence[re.Pattern[str]]) -> list[list[Range]]:
    """Return the ranges of each pattern that is in a text."""
    folded, places = _folded(text)
    found = [
        [(places[match.start()], places[match.end() - 1] + 1) for match in matches]
        for matches in (list(pattern.finditer(folded)) for pattern in patterns)
    ]
    return [ranges for ranges in found if ranges]


def _folded(text: str) -> tuple[str, Sequence[int]]:
    """Return a text without case and accents, and the place of each of its characters."""
    if text.isascii():
        return text.lower(), range(len(text))
    folded: list[str] = []
    places: list[int] = []
    for i, character in enumerate(text):
        plain = fold(character)
        folded.append(plain)
        places += [i] * len(plain)
    return "".join(folded), places


def _apart(marks: Sequence[Range]) -> list[Range]:
    merged: list[Range] = []
    for start, end in marks:
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged


def _cut(text: str, marks: Sequence[Range]) -> Excerpt:
    """Cut a text around its first mark, at words where there are some near."""
    start = max(marks[0][0] - _BEFORE_CHARACTERS, 0) if marks else 0
    if start and (space := text.find(" ", start, marks[0][0])) >= 0:
        start = space + 1
    end = min(start + _EXCERPT_CHARACTERS, len(text))
    if end < len(text) and (space := text.rfind(" ", start + _EXCERPT_CHARACTERS // 2, end)) >= 0:
        end = space
    head, tail = "…" if start else "", "…" if end < len(text) else ""
    shift = len(head) - start
    kept = tuple((a + shift, min(b, end) + shift) for a, b in marks if a < end)
    return Excerpt(f"{head}{text[start:end]}{tail}", kept)
