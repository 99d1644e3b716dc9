"""What a document becomes in Qdrant: points with numbers of their own, vectors of stems, and payloads."""

from __future__ import annotations

import hashlib
import math
import re
import uuid
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice, pairwise
from typing import Any, Final, TypeVar, cast

from askance.adapters.library.sqlite.library_search import FIELDS, page_within
from askance.adapters.library.sqlite.library_tables import content_hash, tidy_tags
from askance.adapters.library.sqlite.sqlite_library import SHORTEST_ID
from askance.domain.library import DocumentKind, DocumentRecord, LibraryHit, Origin, first_page
from askance.text.ranking.index_terms import count_words, index_terms, terms
from askance.text.ranking.passages import (
    cut_document,
    fenced_blocks,
    snippet,
    spelled_out,
    syntaxes_within,
)

Payload = dict[str, Any]
_Item = TypeVar("_Item")

CURRENT, EARLIER = "current", "earlier"
RECORD_FIELDS = (
    *("document", "place", "url", "title", "origin", "kind", "syntax", "language"),
    *("published", "fetched_at", "hash", "words", "passages", "tags"),
)
"""What is read of a document where its text is not needed."""
# Our namespace for UUIDs of version 5 (RFC 9562, 5.5): every machine makes the same ones.
_POINTS = uuid.UUID("6f1a2f0e-8f43-4d0c-9e0b-3c9f6f4a7b11")
# A point has one vector of stems: how often they occur, each field weighted and measured by the
# usual length, since the mean of all is not known to who writes one (docs/decisions/0033-qdrant.md).
_LENGTHS = {"title": 4.0, "content": 60.0, "tags": 2.0}
_K1 = 1.2
# Places in Qdrant's sparse vectors have 32 bits; two stems that share one are added up.
_STEM_BYTES = 4
_DIGEST_BYTES = 12


@dataclass(frozen=True, slots=True)
class Held:
    """A document with its text, as it is stored."""

    record: DocumentRecord
    place: str
    text: str

    def with_record(self, **changes: Any) -> Held:
        """Return it with other facts."""
        return replace(self, record=replace(self.record, **changes))


@dataclass(frozen=True, slots=True)
class PassagePoint:
    """A passage on its way to the server: its number, its stems and its payload."""

    id: str
    stems: dict[int, float]
    payload: Payload


def document_point(document: str) -> str:
    """Return the number of a document's point."""
    return str(uuid.uuid5(_POINTS, document))


def version_point(document: str, digest: str) -> str:
    """Return the number of the point of an earlier text."""
    return str(uuid.uuid5(_POINTS, f"{document}@{digest}"))


def passage_point(document: str, number: int) -> str:
    """Return the number of a passage's point: the same from every machine."""
    return str(uuid.uuid5(_POINTS, f"{document}:{number}"))


def text_digest(point: str, title: str, text: str) -> str:
    """Return what identifies all that a model reads of a passage; `text` begins with its heading."""
    return hashlib.blake2b(
        f"{point}\n{title}\n{text}".encode(), digest_size=_DIGEST_BYTES
    ).hexdigest()


def stem_number(stem: str) -> int:
    """Return the place of a stem in a sparse vector."""
    digest = hashlib.blake2b(stem.encode(), digest_size=_STEM_BYTES).digest()
    return int.from_bytes(digest)


def stems_of(terms_by_language: Mapping[str, Sequence[str]]) -> dict[int, float]:
    """Return the weights of stems by the formula of BM25F; the server multiplies them by their rarity."""
    weighted: defaultdict[str, float] = defaultdict(float)
    for name, field in FIELDS.items():
        stems = terms_by_language[name]
        norm = 1 - field.b + field.b * len(stems) / _LENGTHS[name]
        for stem, count in Counter(stems).items():
            weighted[stem] += field.weight * count / norm
    found: defaultdict[int, float] = defaultdict(float)
    for stem, tf in weighted.items():
        found[stem_number(stem)] += tf / (_K1 + tf)
    return dict(found)


def held_of(payload: Payload) -> Held:
    """Return the point of a document, with its text."""
    return Held(record_of(payload, 0), payload["place"], payload["text"])


def batches(items: Iterable[_Item], size: int) -> Iterator[list[_Item]]:
    """Yield items, so many at once."""
    rest = iter(items)
    while batch := list(islice(rest, size)):
        yield batch


def passages_of(held: Held) -> list[PassagePoint]:
    """Cut a document, and return the points of its passages."""
    record, text = held.record, held.text
    chunks = cut_document(text, is_code=record.kind is DocumentKind.CODE)
    syntaxes = _syntaxes_in(held, [(chunk.start, chunk.end) for chunk in chunks])
    passages: list[PassagePoint] = []
    for number, chunk in enumerate(chunks):
        piece = text[chunk.start : chunk.end]
        text_of_field = f"{chunk.heading}\n{piece}" if chunk.heading else piece
        point = passage_point(record.id, number)
        payload = {
            **passage_facts(record),
            "syntaxes": list(syntaxes[number]),
            "number": number,
            "start": chunk.start,
            "heading": chunk.heading,
            "text": piece,
            "page": first_page(text, chunk.start),
            # A vector counts only where this is the same in its own point
            # (docs/decisions/0033-qdrant.md).
            "said": text_digest(point, record.title, text_of_field),
        }
        passages.append(PassagePoint(point, stems_of_payload(payload), payload))
    return passages


def stems_of_payload(payload: Payload) -> dict[int, float]:
    """Return the stems of a passage out of its payload."""
    heading, text, language = payload["heading"], payload["text"], payload["language"]
    value = f"{heading}\n{text}" if heading else text
    fields = {
        "title": payload["title"],
        "content": spelled_out(value) if payload["kind"] == DocumentKind.CODE else value,
        "tags": " ".join(payload["tags"]),
    }
    return stems_of({name: index_terms(field, language) for name, field in fields.items()})


def passage_facts(record: DocumentRecord) -> Payload:
    """Return what each passage tells of its document."""
    return {
        "document": record.id,
        "hash": record.content_hash,
        "url": record.url,
        "title": record.title,
        **_facts(record),
    }


def document_payload(held: Held) -> Payload:
    """Return all that is stored of a document."""
    record = held.record
    return {
        "state": CURRENT,
        "document": record.id,
        # The server finds whole values only, so each beginning of an identity is a value.
        "begins": [record.id[:n] for n in range(SHORTEST_ID, len(record.id))],
        "place": held.place,
        "hash": record.content_hash,
        "url": record.url,
        "title": record.title,
        "words": record.words,
        "passages": record.passages,
        "fetched": moment(record.fetched_at),
        "text": held.text,
        "syntaxes": list(*_syntaxes_in(held, [(0, len(held.text))])),
        **_facts(record),
    }


def version_payload(held: Held, until: str) -> Payload:
    """Return all that is stored of an earlier text."""
    return {
        "state": EARLIER,
        "document": held.record.id,
        "hash": held.record.content_hash,
        "title": held.record.title,
        "fetched_at": held.record.fetched_at,
        "until": until,
        "until_at": moment(until),
        "text": held.text,
    }


def record_of(payload: Payload, versions: int) -> DocumentRecord:
    """Return the point of a document."""
    return DocumentRecord(
        id=payload["document"],
        url=payload["url"],
        title=payload["title"],
        origin=Origin(payload["origin"]),
        kind=DocumentKind(payload["kind"]),
        syntax=payload["syntax"],
        language=payload["language"],
        published=payload["published"],
        fetched_at=payload["fetched_at"],
        content_hash=payload["hash"],
        words=payload["words"],
        passages=payload["passages"],
        versions=versions,
        tags=tuple(payload["tags"]),
    )


def hit_of(payload: Payload, score: float, stems: Mapping[str, Sequence[str]]) -> LibraryHit:
    """Return a passage that was found, with a snippet around the words of the query."""
    language, text = payload["language"], payload["text"]
    marked = stems.get(language) or next(iter(stems.values()), ())
    shown = snippet(text, dict.fromkeys(marked, 1.0), language)
    return LibraryHit(
        document=payload["document"],
        number=payload["number"],
        url=payload["url"],
        title=payload["title"],
        heading=payload["heading"],
        offset=payload["start"],
        text=text,
        snippet=shown.text,
        marks=shown.marks,
        score=score,
        origin=Origin(payload["origin"]),
        kind=DocumentKind(payload["kind"]),
        syntax=payload["syntax"],
        language=language,
        published=payload["published"],
        fetched_at=payload["fetched_at"],
        tags=tuple(payload["tags"]),
        page=page_within(payload["page"], text, shown),
    )


def holds(payload: Payload, phrases: Sequence[str], without: Sequence[str]) -> bool:
    """Whether a passage has all phrases side by side, and none of the words that must not be there."""
    language = payload["language"]
    heading, tags = payload["heading"], " ".join(payload["tags"])
    text = spelled_out(payload["text"]) if payload["kind"] == DocumentKind.CODE else payload["text"]
    fields = [
        f" {' '.join(terms(field, language))} "
        for field in (payload["title"], f"{heading}\n{text}", tags)
    ]

    def stands(text: str) -> bool:
        stems = terms(text, language)
        return bool(stems) and any(f" {' '.join(stems)} " in field for field in fields)

    return all(map(stands, phrases)) and not any(map(stands, without))


def day_number(stamp: str, fill: str = "0") -> int:
    """Return an ISO date, or the beginning of one, as a number: 2024-05 is 20240500."""
    digits = "".join(c for c in stamp[:10] if c.isascii() and c.isdecimal())
    return int(digits.ljust(8, fill)[:8] or 0)


def moment(stamp: str) -> float:
    """Return a moment in ISO 8601 as seconds; 0 for what is none."""
    try:
        return datetime.fromisoformat(stamp).timestamp()
    except (ValueError, OverflowError, OSError):
        return 0.0


def measured(record: DocumentRecord, text: str) -> DocumentRecord:
    """Return a document with the figures of a text."""
    count = len(cut_document(text, is_code=record.kind is DocumentKind.CODE))
    return replace(record, content_hash=content_hash(text), words=count_words(text), passages=count)


def _syntaxes_in(held: Held, spans: Sequence[tuple[int, int]]) -> list[tuple[str, ...]]:
    """Return the programming languages of the blocks of code in parts of a text; source code has none."""
    is_code = held.record.kind is DocumentKind.CODE
    return syntaxes_within([] if is_code else list(fenced_blocks(held.text)), spans)


def _facts(record: DocumentRecord) -> Payload:
    """Return what filters ask for."""
    return {
        "origin": record.origin.value,
        "kind": record.kind.value,
        "syntax": record.syntax,
        "language": record.language,
        "published": record.published,
        "fetched_at": record.fetched_at,
        "day": day_number(record.published or record.fetched_at),
        "tags": list(tidy_tags(record.tags)),
    }


DOCUMENTS, PASSAGES = "askance_documents", "askance_passages"
_VECTOR_FIELDS = ("document", "number", "said")
_PASSAGE_FIELDS = (
    *("document", "hash", "url", "title", "origin", "kind", "syntax", "language", "published"),
    *("fetched_at", "tags", "number", "start", "heading", "text", "page", "said"),
)
# Up to here whole numbers survive parsers of JSON that have floats alone (RFC 8259, 6).
_HIGHEST: Final = 2**53
# JSON can escape a lone surrogate, which neither SQLite nor a terminal takes.
_SURROGATE = re.compile("[\ud800-\udfff]")
_POINT = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class Nonsense(ValueError):
    """A reply that no Qdrant server with a library of ours would send. The text never quotes it."""


def _is_text(value: object) -> bool:
    return isinstance(value, str) and _SURROGATE.search(value) is None


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and all(map(_is_text, cast("list[object]", value)))


def _is_count(value: object) -> bool:
    # Not `isinstance`, which takes `True` for an int.
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
