"""A text whose claims are compared with the web: its claims, and what was found about each."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum

from askance.domain.messages import NOTHING, Message


class ClaimVerdict(StrEnum):
    """What the web says to a claim."""

    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    NOT_FOUND = "not_found"
    NOT_CHECKABLE = "not_checkable"


class CitedState(StrEnum):
    """What a page says to the claim that cites it."""

    STATES_IT = "states_it"
    DOES_NOT_STATE_IT = "does_not_state_it"
    CONTRADICTS_IT = "contradicts_it"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class TextClaim:
    """A sentence at `start` to `end` of a text, in characters.

    `query` is what is searched for it, empty where it cannot be checked; `asked` is the sentence with the name that
    its pronoun stands for in front. `cited` are the addresses of the pages that it cites itself.
    """

    start: int
    end: int
    text: str
    paragraph: int
    query: str = ""
    asked: str = ""
    cited: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ClaimEvidence:
    """What one page says to a claim, word for word. `published` is an ISO date, or empty.

    `snippet_only` says that the page was not read, and the quote is what a search showed of it.
    """

    url: str
    title: str
    quote: str
    published: str = ""
    contradicts: bool = False
    snippet_only: bool = False


@dataclass(frozen=True, slots=True)
class CitedPage:
    """A page that a claim cites itself. `problem` says why it could not be read."""

    url: str
    state: CitedState
    quote: str = ""
    problem: Message = NOTHING


@dataclass(frozen=True, slots=True)
class CheckedClaim:
    """A claim, what was found, and by how many origins: copies of one text count once.

    Where nothing supports or contradicts it, `evidence` holds the nearest that was found.
    """

    claim: TextClaim
    verdict: ClaimVerdict
    evidence: tuple[ClaimEvidence, ...] = ()
    origins: int = 0
    cited: tuple[CitedPage, ...] = ()


@dataclass(frozen=True, slots=True)
class CheckedText:
    """A text and its claims, in their order."""

    text: str
    claims: tuple[CheckedClaim, ...]
    warnings: tuple[Message, ...] = ()

    def counts(self) -> dict[str, int]:
        """Return how many claims have each verdict."""
        found = Counter(claim.verdict for claim in self.claims)
        return {verdict.value: found[verdict] for verdict in ClaimVerdict}


@dataclass(frozen=True, slots=True)
class CheckProposal:
    """A text whose check nobody has confirmed yet.

    `leaving` is what would leave this machine: a query for each of its claims that can be checked, and the addresses of
    the pages that those cite.
    """

    text: str
    claims: tuple[TextClaim, ...]
    leaving: tuple[str, ...]

    @property
    def searched(self) -> int:
        """How many claims would be searched; what stands there twice is searched once."""
        return len({claim.query for claim in self.claims if claim.query})
