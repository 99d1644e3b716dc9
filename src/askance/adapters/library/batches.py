"""Documents kept so many at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from askance.domain.library import Added, Document, FileRecord
from askance.ports.library import Library

# So many documents, or characters of them, are kept at once: the more, the faster, and the more is
# read again after a kill.
BATCH_DOCUMENTS = 64
BATCH_CHARACTERS = 1_000_000


@dataclass(slots=True)
class Batch:
    """Documents on their way into the library, and the files that they came from."""

    documents: list[Document] = field(default_factory=list[Document])
    records: list[FileRecord] = field(default_factory=list[FileRecord])

    @property
    def is_full(self) -> bool:
        """Whether it is time to keep them."""
        characters = sum(len(document.text) for document in self.documents)
        held = max(len(self.records), len(self.documents))
        return held >= BATCH_DOCUMENTS or characters >= BATCH_CHARACTERS


def keep_all(library: Library, documents: Iterator[Document]) -> Iterator[tuple[Added, ...]]:
    """Keep documents in batches, and yield what became of each batch once it is kept."""
    batch = Batch()
    for document in documents:
        batch.documents.append(document)
        if batch.is_full:
            yield library.add(batch.documents)
            batch = Batch()
    if batch.documents:
        yield library.add(batch.documents)
