"""All documents of one library into another: each as it is, with its identity and its earlier texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from askance.domain.library import EVERY, Document, DocumentRecord, DocumentVersion, Removed
from askance.domain.ports.storage import Library

_AT_ONCE = 64
_MOST_NAMED = 10


@dataclass(slots=True)
class Moved:
    """What became of a move. `there` were in the other library before; `wrong` are addresses, some of
    those whose documents are not there as they should be."""

    documents: int = 0
    versions: int = 0
    there: int = 0
    verified: int = 0
    wrong: list[str] = field(default_factory=list[str])


def state_of(library: Library) -> str:
    """Return what tells whether anything was added to a library since."""
    newest = library.documents(EVERY, 1)
    counts = library.stats()
    last = newest[0].fetched_at if newest else ""
    # Counts alone would miss a text that was changed into one of as many words.
    return f"{counts.documents} {counts.versions} {counts.words} {last}"


def move(source: Library, target: Library, advance: Callable[[int], None]) -> Moved:
    """Bring what the other library does not hold yet into it. One that broke off goes on where it was."""
    moved = Moved()
    waiting: list[Document] = []

    def bring() -> None:
        target.add(waiting)
        advance(len(waiting))
        waiting.clear()

    for record, text in source.every():
        moved.documents += 1
        moved.versions += record.versions
        if _is_there(source, target, record):
            moved.there += 1
            for there in target.find(record.url)[:1]:
                target.tag(
                    there.id, record.tags, ()
                )  # it is meant to be there, whoever had kept it
            advance(1)
            continue
        # Oldest first: each addition makes the one before it an earlier version.
        for old in _oldest_first(source, record):
            earlier = source.text(record.id, old.content_hash) or ""
            target.add([_document(record, earlier, title=old.title, fetched_at=old.fetched_at)])
        waiting.append(_document(record, text))
        if len(waiting) == _AT_ONCE:
            bring()
    if waiting:
        bring()
    return moved


def verify(source: Library, target: Library, moved: Moved, advance: Callable[[int], None]) -> None:
    """Read every document of both, and note which are not the same; one that is newer there is right."""
    for record, text in source.every():
        there = _found(target, record.url)
        is_right = there is not None and (
            there.fetched_at > record.fetched_at or target.text(there.id) == text
        )
        moved.verified += is_right
        if not is_right and len(moved.wrong) < _MOST_NAMED:
            moved.wrong.append(record.url)
        advance(1)


def delete_all(source: Library, remove: Callable[[Sequence[str]], Removed]) -> int:
    """Let the documents of a library be deleted, and return how many they were. The folders stay."""
    return remove([record.id for record, _ in source.every()]).documents


def _is_there(source: Library, target: Library, record: DocumentRecord) -> bool:
    there = _found(target, record.url)
    if there is None or there.fetched_at < record.fetched_at:
        return False
    # What was changed on the other side since is newer, and wins.
    if there.fetched_at > record.fetched_at:
        return True
    if there.content_hash != record.content_hash or not {*record.tags} <= {*there.tags}:
        return False
    hashes = {version.content_hash for version in target.versions(there.id)}
    return {version.content_hash for version in _oldest_first(source, record)} <= hashes


def _found(library: Library, url: str) -> DocumentRecord | None:
    return next(iter(library.find(url)), None)


def _oldest_first(source: Library, record: DocumentRecord) -> Iterator[DocumentVersion]:
    return reversed(source.versions(record.id)) if record.versions else iter(())


def _document(
    record: DocumentRecord, text: str, *, title: str = "", fetched_at: str = ""
) -> Document:
    return Document(
        record.url,
        title or record.title,
        text,
        record.origin,
        record.kind,
        record.syntax,
        record.tags,
        record.language,
        record.published,
        fetched_at or record.fetched_at,
        id=record.id,
        in_passing=record.in_passing,
    )
