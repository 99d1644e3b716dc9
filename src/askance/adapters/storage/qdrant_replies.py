"""What a Qdrant server sends, checked where it comes in: behind this, payloads have what their kind has, each of its type."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any, Final, cast

from askance.adapters.storage.qdrant_points import RECORD_FIELDS, Payload
from askance.domain.library import DocumentKind, Origin

DOCUMENTS, PASSAGES = "askance_documents", "askance_passages"
_VECTOR_FIELDS = ("document", "number", "said")
_PASSAGE_FIELDS = (
    *("document", "hash", "url", "title", "origin", "kind", "syntax", "language", "published"),
    *("fetched_at", "tags", "number", "start", "heading", "text", "said"),
)
_HIGHEST: Final = 2**53
_SURROGATE = re.compile("[\ud800-\udfff]")
_POINT = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class Nonsense(ValueError):
    """A reply that no Qdrant server with a library of ours would send. The text never quotes it."""


def _is_text(value: object) -> bool:
    return isinstance(value, str) and _SURROGATE.search(value) is None


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and all(map(_is_text, cast("list[object]", value)))


def _is_count(value: object) -> bool:
    return type(value) is int and 0 <= value < _HIGHEST


_TEXTS = (
    *("document", "hash", "place", "url", "title", "syntax", "language", "published", "fetched_at"),
    *("state", "text", "heading", "said", "until", "model", "mark", "machine"),
)
_CHECKS: dict[str, Callable[[object], bool]] = {
    **dict.fromkeys(_TEXTS, _is_text),
    **dict.fromkeys(("words", "passages", "number", "start", "page", "day", "process"), _is_count),
    "begun_at": lambda value: isinstance(value, int | float),
    **dict.fromkeys(("tags", "syntaxes", "begun"), _are_texts),
    "origin": lambda value: value in set(Origin),
    "kind": lambda value: value in set(DocumentKind),
}


def payload_of(point: Any, collection: str, fields: Sequence[str] | None) -> Payload:
    """Return the payload of a point: the fields that were asked for, None for all that such a point has.

    Raises:
        Nonsense: one of them is missing, or of another type.
    """
    payload = cast("Payload", point.payload or {})
    needed = _all_fields(collection) if fields is None else fields
    if any(field not in payload for field in needed):
        raise Nonsense("a field is missing")
    if not all(_CHECKS[field](value) for field, value in payload.items() if field in _CHECKS):
        raise Nonsense("a field has another type")
    return payload


def score_of(point: Any) -> float:
    """Return how well a point fits. Raises Nonsense: it is no number."""
    score = float(point.score)
    if not math.isfinite(score):
        raise Nonsense("a score is no number")
    return score


def count_of(number: object) -> int:
    """Return a count. Raises Nonsense: it is none."""
    if not _is_count(number):
        raise Nonsense("a count is none")
    return cast("int", number)


def at_most(found: Sequence[Any], limit: int) -> Sequence[Any]:
    """Return what was found. Raises Nonsense: it is more than was asked for."""
    if len(found) > limit:
        raise Nonsense("more came than was asked for")
    return found


def ascending(points: Iterable[Any], begin: str | None) -> list[str]:
    """Return the numbers of a page of points, which go up from where the page begins.

    Raises:
        Nonsense: one is no number of ours, comes twice, or lies before the one before it.
    """
    numbers = [str(point.id) for point in points]
    if not all(map(_POINT.fullmatch, numbers)):
        raise Nonsense("a point has no number of ours")
    if any(later <= sooner for sooner, later in pairwise(numbers)):
        raise Nonsense("points come twice, or in no order")
    if begin is not None and numbers and numbers[0] < begin:
        raise Nonsense("a page begins before its begin")
    return numbers


def next_page(after: object, numbers: Sequence[str]) -> str | None:
    """Return where the next page begins, None behind the last. Raises Nonsense: it does not lie ahead."""
    if after is None:
        return None
    begin = str(after)
    if not numbers or not _POINT.fullmatch(begin) or begin <= numbers[-1]:
        raise Nonsense("pages do not go on")
    return begin


def _all_fields(collection: str) -> Sequence[str]:
    if collection == DOCUMENTS:
        return (*RECORD_FIELDS, "text")
    return _PASSAGE_FIELDS if collection == PASSAGES else _VECTOR_FIELDS
