"""What the library holds: documents, their passages and versions, and what became of each file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from askance.domain.messages import NOTHING, Message
from askance.domain.web_pages import Page

Range = tuple[int, int]
PAGE_BREAK = "\f"
"""Stands in the text of a document between two of its pages, as in the output of other programs."""


class Origin(StrEnum):
    """Where a document came from. Stable codes: other programs read them."""

    WEB = "web"
    FILE = "file"
    IMPORT = "import"


class DocumentKind(StrEnum):
    """What a document is made of."""

    PAGE = "page"
    SNIPPET = "snippet"
    """What a search showed of a page that was not read, and an answer cited."""
    MARKDOWN = "markdown"
    TEXT = "text"
    PDF = "pdf"
    DOCUMENT = "document"
    BOOK = "book"
    MAIL = "mail"
    CODE = "code"


class AddOutcome(StrEnum):
    """What became of a document that was given to the library."""

    ADDED = "added"
    CHANGED = "changed"
    UNCHANGED = "unchanged"
    MOVED = "moved"


class FileState(StrEnum):
    """What became of a file of a folder when it was last looked at."""

    INDEXED = "indexed"
    UNCHANGED = "unchanged"
    EXCLUDED = "excluded"
    FAILED = "failed"


def first_page(text: str, start: int) -> int:
    """Return the page of a place in a text; 0 in a text without pages."""
    return text.count(PAGE_BREAK, 0, start) + 1 if PAGE_BREAK in text else 0


@dataclass(frozen=True, slots=True)
class Document:
    """A document as it is given to the library.

    `url` is its address: that of a page, or the `file:` URI of a file. `text` is Markdown, or source
    code where `kind` is `code`; `syntax` then names the programming language. `language` is a code of
    ISO 639-1; where it is empty the library recognises it. `published` is an ISO date, `fetched_at`
    a moment in ISO 8601, UTC; empty takes the present one. `moved_from` is the address of a file
    that is there no more and held the same. `id` is the identity that it had in another store. What is
    stored `in_passing`, as the pages of a search are, goes after a while (`library.pages_days`).
    """

    url: str
    title: str
    text: str
    origin: Origin
    kind: DocumentKind = DocumentKind.TEXT
    syntax: str = ""
    tags: tuple[str, ...] = ()
    language: str = ""
    published: str = ""
    fetched_at: str = ""
    moved_from: str = ""
    id: str = ""
    in_passing: bool = False


class PreparedPassage(NamedTuple):
    """A passage of a text, from `start` to `end` in characters, and what the index of words holds of it.

    `syntaxes` are the programming languages of the code in it, each between spaces.
    """

    start: int
    end: int
    heading: str
    syntaxes: str
    stems: str


class Prepared(NamedTuple):
    """What is stored beside a text, computed before: its language, its words, the packed text and its passages."""

    language: str
    words: int
    packed: bytes
    passages: tuple[PreparedPassage, ...]


@dataclass(frozen=True, slots=True)
class Added:
    """A document that is stored now: its identity, and whether that is news."""

    id: str
    outcome: AddOutcome
    passages: int = 0


@dataclass(frozen=True, slots=True)
class DocumentRecord:
    """A document as it is stored. `passages` and `words` are counts, `versions` that of earlier texts.

    One that is stored `in_passing` goes after a while, unless somebody adds or tags it.
    """

    id: str
    url: str
    title: str
    origin: Origin
    kind: DocumentKind
    syntax: str
    language: str
    published: str
    fetched_at: str
    content_hash: str
    words: int
    passages: int
    versions: int
    tags: tuple[str, ...] = ()
    in_passing: bool = False


@dataclass(frozen=True, slots=True)
class DocumentVersion:
    """An earlier text of a document: its hash, its title then, when it was read and until when it held."""

    content_hash: str
    title: str
    fetched_at: str
    until: str


@dataclass(frozen=True, slots=True)
class Filters:
    """Which documents are meant; an empty field means any. `since` and `until` are ISO dates, inclusive.

    The date of a document is that of its publication or, where that is not known, of its reading.
    All of the tags are asked for, and any of the `documents`, which are identities.
    """

    tags: tuple[str, ...] = ()
    origin: str = ""
    language: str = ""
    kind: str = ""
    syntax: str = ""
    since: str = ""
    until: str = ""
    documents: tuple[str, ...] = ()


EVERY = Filters()
"""All documents are meant."""


@dataclass(frozen=True, slots=True)
class LibraryHit:
    """A passage that was found.

    `document` and `number` identify it. `snippet` is a piece of it on one line, `marks` the ranges
    in it that hold words of the query. `offset` is the passage's place in the document's text, `page` the
    number of the page on which the first of those words stands, 0 in a document without pages.
    """

    document: str
    number: int
    url: str
    title: str
    heading: str
    offset: int
    text: str
    snippet: str
    marks: tuple[Range, ...]
    score: float
    origin: Origin
    kind: DocumentKind
    syntax: str
    language: str
    published: str
    fetched_at: str
    tags: tuple[str, ...] = ()
    page: int = 0

    @property
    def passage(self) -> str:
        """The identity of the passage: the same wherever the same document is stored."""
        return f"{self.document}:{self.number}"


@dataclass(frozen=True, slots=True)
class Caller:
    """Who searches the library. The user's own window and commands have no `name`, others do."""

    name: str = ""
    may_read: bool = True


USER = Caller()
"""The user, through this program."""


class SearchMode(StrEnum):
    """How the library is searched. `auto` lets the query decide, and what there is."""

    AUTO = "auto"
    KEYWORDS = "keywords"
    SEMANTIC = "semantic"
    HYBRID = "hybrid"


@dataclass(frozen=True, slots=True)
class LibraryMatches:
    """What a search of the library found, best first; how it was searched; what did not work."""

    hits: tuple[LibraryHit, ...]
    mode: SearchMode
    notes: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True)
class AnsweringPlace:
    """A stretch of a document that stood in the evidence of an answer and was cited.

    `document` is its identity, or its address where it is handed in. `start` and `stop` bound the stretch in
    the document's text, `digest` tells whether it still says the same.
    """

    document: str
    start: int
    stop: int
    heading: str
    digest: str


@dataclass(frozen=True, slots=True)
class Removed:
    """What was deleted, the damaged files that still hold it, and the log, if that does.

    The log holds it as long as another program reads the library.
    """

    documents: int
    passages: int
    versions: int
    vectors: int = 0
    copies: tuple[Path, ...] = ()
    log: Path | None = None

    @property
    def left(self) -> tuple[Message, ...]:
        """Where it can still be, each in a sentence."""
        messages = [
            Message("An older copy of the library may still hold it: {file}", file=file)
            for file in self.copies
        ]
        # SQLite cannot empty its write-ahead log while another connection still reads from it.
        if self.log is not None:
            reading = Message(
                "Another program is reading the library: until it is done and Askance has ended, "
                "{file} may still hold it.",
                file=self.log,
            )
            messages.append(reading)
        return tuple(messages)


@dataclass(frozen=True, slots=True)
class LibraryStats:
    """How much is stored. `bytes` is the size of the file; counts are by origin, kind and language.

    `embedded` counts the passages that have a vector, by the model that made it.
    """

    documents: int
    passages: int
    versions: int
    words: int
    bytes: int
    origins: Mapping[str, int] = field(default_factory=dict[str, int])
    kinds: Mapping[str, int] = field(default_factory=dict[str, int])
    languages: Mapping[str, int] = field(default_factory=dict[str, int])
    tags: Mapping[str, int] = field(default_factory=dict[str, int])
    embedded: Mapping[str, int] = field(default_factory=dict[str, int])


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder, or a single file, that was added; `include` and `exclude` are patterns for its files."""

    path: str
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FileRecord:
    """What became of a file, or of a folder that is excluded.

    `rule` is the pattern, or the code of the rule, that excludes it. `detail` says so in words, or why
    it failed; beside `indexed` it says what of the file is left out. `size` and `changed_ns`
    tell whether it has changed (of what is excluded, when that was seen), `content_hash` (SHA-256 of
    its bytes) and `identity` (device and number of the file) whether it was moved. `is_cut` says
    that the time ended before the file did: the next look reads on.
    """

    path: str
    folder: str
    state: FileState
    detail: Message = NOTHING
    rule: str = ""
    size: int = 0
    changed_ns: int = 0
    content_hash: str = ""
    identity: str = ""
    document: str = ""
    is_cut: bool = False

    @property
    def is_partly_lost(self) -> bool:
        """Whether the file, or a part of it, could not be read."""
        return self.state is FileState.FAILED or self.is_partial

    @property
    def is_partial(self) -> bool:
        """Whether the file is in the library, but not all of it."""
        return self.is_found and bool(self.detail)

    @property
    def is_found(self) -> bool:
        """Whether the file is in the library."""
        return self.state in {FileState.INDEXED, FileState.UNCHANGED}


@dataclass(frozen=True, slots=True)
class Tally:
    """How many files are in each state, and which share of those that should be found is.

    Of some of those that are found a part could not be read: `partial`.
    """

    indexed: int
    unchanged: int
    excluded: int
    failed: int
    partial: int = 0

    @property
    def coverage(self) -> float:
        """The share of files that are found among those that no rule excludes; 1 of none."""
        found = self.indexed + self.unchanged
        # What a rule excludes was never wanted: it lowers no share.
        return found / (found + self.failed) if found + self.failed else 1.0


def tally(records: Iterable[FileRecord]) -> Tally:
    """Count files by their states."""
    every = list(records)
    counts = Counter(record.state for record in every)
    partial = sum(record.is_partial for record in every)
    # The fields of `Tally` stand in the order of `FileState`.
    return Tally(*(counts[state] for state in FileState), partial=partial)


def document_of(page: Page, tags: tuple[str, ...] = (), *, in_passing: bool = False) -> Document:
    """Return a page that was read well as a document."""
    return Document(
        page.final_url or page.url,
        page.title,
        page.markdown,
        Origin.WEB,
        DocumentKind.PAGE,
        tags=tags,
        language=page.language or "",
        published=page.published or "",
        fetched_at=page.fetched_at,
        in_passing=in_passing,
    )


# What changes in the folders of the library while they are followed.


class Became(StrEnum):
    """What became of a file that is followed, or of a folder. Stable codes: other programs read them."""

    NEW = "new"
    CHANGED = "changed"
    MOVED = "moved"
    DELETED = "deleted"
    EXCLUDED = "excluded"
    FAILED = "failed"
    AWAY = "away"
    BACK = "back"


@dataclass(frozen=True, slots=True)
class Followed:
    """A change that the library has followed; `detail` is its reason, or what was left out."""

    path: str
    became: Became
    detail: Message = NOTHING
    rule: str = ""
    moved_from: str = ""


@dataclass(frozen=True, slots=True)
class Listeners:
    """Callbacks: for the folders that are watched, each change, once all is caught up, and troubles.

    Changes are reported in threads.
    """

    watching: Callable[[Sequence[Folder]], None]
    followed: Callable[[Followed], None]
    caught_up: Callable[[], None]
    trouble: Callable[[Message], None]
