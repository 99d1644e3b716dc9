"""What is attached to a conversation: files, folders and pictures, and how far each is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from math import ceil
from pathlib import Path

from askance.domain.conversation import Picture
from askance.domain.library import PAGE_BREAK, Document, DocumentKind, Prepared
from askance.domain.messages import NOTHING, Message

MOST_FILES = 200
"""A folder of more files is offered to the library, which reads it once for all conversations."""
MOST_MB = 200
LONGEST_SIDE = 1_568
"""Pixels: models that see make a larger picture smaller themselves, or take more tokens for it."""
# A page of print, for a text that has no pages of its own.
_PAGE_CHARACTERS = 2_500

GONE = Message("The file is gone.")
EMPTY = Message("Empty.")
NO_ACCESS = Message("You may not open it.")
NEEDS_PASSWORD = Message("Needs a password.")
NO_ARCHIVES = Message("Archives cannot be read.")
TOO_LARGE = Message("Larger than {n} MB.", n=MOST_MB)
ONLY_PICTURES = Message("Only pictures inside. Read them?")
ONLY_PICTURES_UNREAD = Message("Only pictures inside.")
NO_LETTERS = Message("There are no letters in it.")


class AttachmentState(StrEnum):
    """How far an attached file, folder or picture is."""

    WAITING = "waiting"
    READING = "reading"
    READY = "ready"
    PASSAGES = "passages"
    """It is longer than the model's context, and asked by passage."""
    QUESTION = "question"
    """It holds only pictures, in which Tesseract would read the letters."""
    TOO_MANY = "too_many"
    """A folder of more files than are attached: the library would take it."""
    FAILED = "failed"

    @property
    def is_settled(self) -> bool:
        """Whether nothing more is read of it, unless somebody asks for that."""
        return self not in {AttachmentState.WAITING, AttachmentState.READING}


@dataclass(frozen=True, slots=True)
class AttachedFile:
    """A file of an attached folder, and why it could not be read; nothing where it was."""

    name: str
    problem: Message = NOTHING


@dataclass(frozen=True, slots=True)
class FilesRead:
    """What was read of a file, folder or picture. `left_out` says by an address what of that file was not read.

    `prepared` is what was computed of the documents already, as `Library.add` takes it.
    """

    documents: tuple[Document, ...] = ()
    state: AttachmentState = AttachmentState.READY
    problem: Message = NOTHING
    files: tuple[AttachedFile, ...] = ()
    is_folder: bool = False
    picture: Picture | None = None
    left_out: dict[str, Message] = field(default_factory=dict[str, Message])
    prepared: Sequence[Prepared] = ()

    @property
    def characters(self) -> int:
        """How long all texts are together."""
        return sum(len(document.text) for document in self.documents)

    @property
    def pages(self) -> int:
        """How many pages they have; of a text without pages, how many it would take in print."""
        return sum(map(_pages_of, self.documents))


def _pages_of(document: Document) -> int:
    if document.kind is DocumentKind.PDF or PAGE_BREAK in document.text:
        return document.text.count(PAGE_BREAK) + 1
    return ceil(len(document.text) / _PAGE_CHARACTERS)


@dataclass(frozen=True, slots=True)
class Attachment:
    """One of them. `number` names it. Of `pages` so many are read (`page`) while it is being read; 0 is not known.

    `path` is where it lies, None for a picture that was pasted. `documents` are what it was read into.
    """

    number: int
    name: str
    path: Path | None = None
    state: AttachmentState = AttachmentState.WAITING
    page: int = 0
    pages: int = 0
    problem: Message = NOTHING
    files: tuple[AttachedFile, ...] = ()
    is_folder: bool = False
    picture: Picture | None = None
    documents: tuple[str, ...] = ()

    @property
    def is_failed(self) -> bool:
        """Whether it could not be read."""
        return self.state is AttachmentState.FAILED

    @property
    def failed_files(self) -> int:
        """How many files of a folder could not be read."""
        return sum(bool(file.problem) for file in self.files)
