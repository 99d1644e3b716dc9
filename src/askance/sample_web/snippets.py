"""The lines that a search engine shows under a result: the part of a page nearest to the query."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from askance.ranking.sentences import sentences
from askance.ranking.tokens import terms

MIN_CHARS = 150
MAX_CHARS = 250
MARK = "…"


def best_snippet(text: str, query: Iterable[str], weight: Callable[[str], float]) -> str:
    """Return the window of a text that holds most of the query's terms by weight.

    Of equal ones it is the first, moved on as far as nothing is lost, so that what follows the
    hit is seen rather than what goes before. It begins with a sentence where it can, is `MIN_CHARS` to `MAX_CHARS` characters long, and
    shorter only where the text is. A mark stands where it was cut.
    """
    wanted = set(query)
    line, starts = _joined(text)
    windows = [_window(line, start) for start in starts] or [""]
    weights = [sum(map(weight, sorted(wanted.intersection(terms(w))))) for w in windows]
    best = chosen = weights.index(max(weights))
    while (
        weights[best] > 0
        and chosen + 1 < len(starts)
        and starts[chosen + 1] < starts[best] + MAX_CHARS
        and weights[chosen + 1] == weights[best]
    ):
        chosen += 1
    return windows[chosen]


def _joined(text: str) -> tuple[str, list[int]]:
    parts: list[str] = []
    starts: list[int] = []
    length = 0
    for sentence in sentences(text):
        starts.append(length)
        parts.append(sentence)
        length += len(sentence) + 1
    return " ".join(parts), starts


def _window(line: str, start: int) -> str:
    if len(line) - start < MIN_CHARS and start > 0:
        return MARK + _tail(line, MAX_CHARS - len(MARK))
    window = line[start : start + MAX_CHARS]
    if start + MAX_CHARS >= len(line):
        return window
    # Scripts without spaces are cut where the room ends.
    space = window.rfind(" ", MIN_CHARS, MAX_CHARS - len(MARK))
    return window[: space if space > 0 else MAX_CHARS - len(MARK)] + MARK


def _tail(line: str, room: int) -> str:
    tail = line[-room:]
    space = tail.find(" ", 0, room - MIN_CHARS)
    return tail[space + 1 :] if len(line) > room and space >= 0 else tail
