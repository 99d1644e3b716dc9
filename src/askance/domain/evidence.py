"""What an answer stands on: sources, the passages taken from them, and the citations checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Literal

from askance.domain.library import DocumentRecord, Origin
from askance.domain.messages import Message
from askance.domain.phases import Sufficiency
from askance.domain.web_pages import WHOLE_WEB, SearchScope


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of a page's text.

    `offset` is where it starts in the page's Markdown, in characters; `heading` the nearest heading
    above it, or the empty string. `query` is the query that found the page.
    """

    url: str
    title: str
    text: str
    offset: int
    heading: str = ""
    query: str = ""


class ExtractKind(StrEnum):
    """Where a numbered text comes from."""

    SNIPPET = "snippet"
    PASSAGE = "passage"


@dataclass(frozen=True, slots=True)
class Extract:
    """A text that stands in the evidence under source number `n`.

    It is what is seen of so many characters (`length`) of its page's Markdown, from `offset` on.
    """

    n: int
    kind: ExtractKind
    text: str
    heading: str = ""
    offset: int = 0
    length: int = 0


@dataclass(frozen=True, slots=True)
class Source:
    """A numbered source. `snippet_only` says that its page was not read.

    `kept` says that its text came from the local library. `origin` is where it came from before
    that: what is not from the web is private. `page` is that of a document on which the best passage of it
    begins, 0 where it has no pages. `copy_of` is the number of an earlier source of which this one is a copy, 0 for
    none, and `copies` how many more pages with its text were found and left out.
    """

    n: int
    url: str
    title: str
    host: str
    published: str | None = None
    snippet_only: bool = True
    origin: Origin = Origin.WEB
    kept: bool = False
    page: int = 0
    copy_of: int = 0
    copies: int = 0

    @property
    def is_private(self) -> bool:
        """Whether no word that stands in it alone may leave this machine."""
        return self.origin is not Origin.WEB


def independent(sources: Iterable[Source]) -> int:
    """Return how many of these sources are independent: one and its copies count once, as do pages of one host."""
    # Files have no host, and are one by one.
    found = {(source.copy_of or source.n, source.host or source.n) for source in sources}
    return min(len({origin for origin, _ in found}), len({host for _, host in found}))


@dataclass(frozen=True, slots=True)
class Position:
    """What some sources say to a question that others answer otherwise.

    `value` is verbatim from one of them, `sources` their numbers in ascending order. `date` is the newest of their days
    (ISO, empty where none is known), `origins` how many of them are independent. `is_used` says that the answer says it, too.
    """

    value: str
    sources: tuple[int, ...]
    date: str = ""
    origins: int = 1
    is_used: bool = False


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Two or more positions of which not all can be right, or of which each is right of another thing.

    `subject` is what they differ in, as the question words it.
    """

    subject: str
    positions: tuple[Position, ...]

    def renumbered(self, numbers: Mapping[int, int]) -> Disagreement:
        """Return it with other numbers of its sources; those that have none are left out."""
        moved = (sorted(numbers[n] for n in p.sources if n in numbers) for p in self.positions)
        pairs = zip(self.positions, moved, strict=True)
        return replace(self, positions=tuple(replace(p, sources=tuple(n)) for p, n in pairs))


@dataclass(frozen=True, slots=True)
class Quote:
    """What a page said that carried an answer. `offset` is its place in the extract it was found in."""

    source: Source
    text: str
    offset: int = 0


class Support(StrEnum):
    """How well a source carries the sentence that cites it."""

    SUPPORTED = "supported"
    WEAK = "weak"
    UNSUPPORTED = "unsupported"


@dataclass(frozen=True, slots=True)
class Citation:
    """One marker of the answer, checked.

    `start` and `end` bound the sentence in the final answer, in characters. `n` is the source cited, 0 where a text
    was checked and nothing was found about the sentence.
    `quote` is the sentence of the source that carries it best, `quote_offset` its place in the
    extract it was found in. `added` says that the check set the marker, not the writer. `page` is that of a
    document on which the quote begins, 0 where it has no pages. `beside` are the other sources
    that are cited in the same place, if this one and they carry it each by itself. `contradicts` says that the quote says
    otherwise. `origins` is how many independent sources of a checked text say the same, 0 where nobody counted.
    """

    n: int
    sentence: str
    start: int
    end: int
    support: Support
    quote: str = ""
    quote_offset: int = 0
    added: bool = False
    page: int = 0
    beside: tuple[int, ...] = ()
    contradicts: bool = False
    origins: int = 0


@dataclass(frozen=True, slots=True)
class EvidenceRequest:
    """What a prompt of evidence may be: tokens in all, blocks, blocks of one page and of one host."""

    max_tokens: int = 2000
    max_blocks: int = 6
    per_url: int = 2
    per_host: int = 3
    # With one domain alone `per_host` would leave most of the blocks empty: it does not count then.
    narrowing: SearchScope = WHOLE_WEB


@dataclass(frozen=True, slots=True)
class EvidenceBlock:
    """A numbered stretch of a page. `date` is ISO or empty; `preview` what the search showed of the page."""

    n: int
    title: str
    url: str
    date: str
    preview: str
    text: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Evidence:
    """A prompt that grounds an answer, and the blocks in it, the best first.

    `tokens` is what the prompt is held to be at the most. `sufficiency` is what its words tell: evidence is
    insufficient where no block has half of what the question speaks of, and partial where it fits poorly.
    """

    question: str
    prompt: str
    tokens: int
    blocks: tuple[EvidenceBlock, ...]
    sufficiency: Sufficiency
    warnings: tuple[Message, ...] = ()

    @property
    def outcome(self) -> Literal["found", "partial", "insufficient"]:
        """What other programs are sent of it."""
        # A vocabulary of its own: other programs compare these words, whatever verdicts are called
        # in here.
        match self.sufficiency:
            case Sufficiency.SUFFICIENT:
                return "found"
            case Sufficiency.PARTIAL:
                return "partial"
            case Sufficiency.INSUFFICIENT:
                return "insufficient"


@dataclass(frozen=True, slots=True)
class RememberedAnswer:
    """What of a document has answered a question, in the words that it has now as then."""

    record: DocumentRecord
    passages: tuple[Passage, ...]
