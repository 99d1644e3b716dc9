"""What a run tells the world: one closed union of frozen values.

A run ends with exactly one of `Answered`, `ClarifyAsked`, `Failed` and `Cancelled`. Front ends
`match` over `RunEvent` to the end and close with `assert_never`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from askance.domain.conversation import Outcome, TurnInput, Usage
from askance.domain.errors import AskanceError, PromptTooLong, ServiceError, kind_of
from askance.domain.evidence import Citation, Disagreement, Source
from askance.domain.messages import NOTHING, Message
from askance.domain.phases import Action, Sufficiency
from askance.domain.web_pages import PageReason, PageStatus, UnresponsiveEngine


class Judging(StrEnum):
    """What a judge looked at."""

    SNIPPETS = "snippets"
    PASSAGES = "passages"


class Sending(StrEnum):
    """What a request took out of this machine."""

    QUERY = "query"
    PAGE = "page"
    MODEL = "model"
    LIBRARY = "library"
    UPDATE = "update"
    """The question which versions of this program there are."""
    MODEL_FILE = "model file"
    """What a model that is downloaded was asked for by."""


class WarningCode(StrEnum):
    """Why a person should look twice at an answer. Stable codes."""

    PLAN_FAILED = "plan_failed"
    JUDGE_FAILED = "judge_failed"
    WORDS_HELD_BACK = "words_held_back"
    PART_SEARCHED = "part_searched"
    OPERATOR_UNKNOWN = "operator_unknown"
    SEARCH_FAILED = "search_failed"
    SEARCH_FALLBACK = "search_fallback"
    ENGINES_SILENT = "engines_silent"
    ENGINES_UNREACHABLE = "engines_unreachable"
    NO_RESULTS = "no_results"
    READER_UNAVAILABLE = "reader_unavailable"
    READER_FALLBACK = "reader_fallback"
    MOST_PAGES_FAILED = "most_pages_failed"
    SNIPPETS_ONLY = "snippets_only"
    ROUND_LIMIT = "round_limit"
    TIME_LIMIT = "time_limit"
    TOKEN_LIMIT = "token_limit"  # noqa: S105 - not a password
    NO_PROGRESS = "no_progress"
    EVIDENCE_DROPPED = "evidence_dropped"
    HISTORY_DROPPED = "history_dropped"
    HISTORY_WITHHELD = "history_withheld"
    MODEL_UNAVAILABLE = "model_unavailable"
    MODEL_CHANGED = "model_changed"
    NOT_REASONING = "not_reasoning"
    REASONED_UNASKED = "reasoned_unasked"
    ONLY_REASONED = "only_reasoned"
    ANSWER_CUT = "answer_cut"
    ANSWER_FROM_REASONING = "answer_from_reasoning"
    ANSWER_UNUSABLE = "answer_unusable"
    WEAK_SOURCES = "weak_sources"
    NEWER_DISAGREES = "newer_disagrees"
    LIBRARY_UNUSABLE = "library_unusable"
    LIBRARY_ALONE = "library_alone"
    LIBRARY_WITHHELD = "library_withheld"
    READ_IN_PART = "read_in_part"


@dataclass(frozen=True, slots=True)
class Queued:
    """The model's server is busy with so many questions that came before; the run waits for them."""

    ahead: int


@dataclass(frozen=True, slots=True)
class Dequeued:
    """It is this run's turn. Its time begins now: waiting costs none of it."""

    waited_ms: int


@dataclass(frozen=True, slots=True)
class Planned:
    """The plan is made. `fallback` says that the model gave none that could be used."""

    action: Action
    history_sufficiency: Sufficiency
    queries: tuple[str, ...]
    fallback: bool
    elapsed_ms: int


@dataclass(frozen=True, slots=True)
class ClarifyAsked:
    """The run ends with a question to the user."""

    question: str
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True)
class TimeExpected:
    """Past runs with this model took so many seconds here, more or less."""

    seconds: int


@dataclass(frozen=True, slots=True)
class SettingsFitted:
    """What was measured of the model here took the place of settings that nobody has set.

    None where it did not. `judges` and `verifies` say whether the model is asked for verdicts and for
    verification, `is_small` whether it is asked in few words.
    """

    first_portion_tokens: int | None
    run_timeout_s: int | None
    judges: bool | None
    verifies: bool | None
    is_small: bool | None


@dataclass(frozen=True, slots=True)
class LibraryRecalled:
    """The local library was asked first.

    So many passages of so many documents entered the evidence. `completeness`, 0 to 1, is how far they
    answer the question; from `threshold` on nothing is searched.
    """

    passages: int
    sufficiency: Sufficiency
    elapsed_ms: int
    documents: int = 0
    completeness: float = 0.0
    threshold: float = 0.0


@dataclass(frozen=True, slots=True)
class SearchStarted:
    """Queries are on their way to the search engine. `round` counts from 1."""

    queries: tuple[str, ...]
    round: int


@dataclass(frozen=True, slots=True)
class RequestSent:
    """Something is about to leave this machine, or has just left it.

    `to` is whom it goes to: a host, or search engines by their names. `through` is what carries it:
    this program, a service, a proxy. `content` is the query, the page's address, or the model.
    """

    sending: Sending
    to: str
    through: Message
    content: str


@dataclass(frozen=True, slots=True)
class ResultsFound:
    """One query came back. `error` is empty unless it failed; `new` results were not seen before.

    `served_by` names the search that was asked. `urls` are the first of the results, before they are ranked.
    """

    query: str
    results: int
    new: int
    silent_engines: tuple[UnresponsiveEngine, ...]
    error: Message
    elapsed_ms: int
    served_by: Message = NOTHING
    urls: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ResultsRanked:
    """The best results of the round, best first, and how many near-copies were set aside."""

    urls: tuple[str, ...]
    titles: tuple[str, ...]
    copies: int
    round: int


@dataclass(frozen=True, slots=True)
class Judged:
    """A judge gave its verdict. `doubt` says why code did not take the model's word for it.

    `by_code` says that the model was not asked: its verdicts were measured to be noise. Then `doubt` is
    what code found missing.
    """

    judging: Judging
    sufficiency: Sufficiency
    gap_queries: tuple[str, ...]
    doubt: Message
    round: int
    elapsed_ms: int
    by_code: bool = False


@dataclass(frozen=True, slots=True)
class PagesChosen:
    """The model chose which of the offered pages to read; `scores` say how promising, 0 to 1."""

    urls: tuple[str, ...]
    scores: tuple[float, ...]
    offered: int
    round: int
    elapsed_ms: int


@dataclass(frozen=True, slots=True)
class PageRequested:
    """A page is about to be read."""

    url: str
    round: int


@dataclass(frozen=True, slots=True)
class PageRead:
    """Reading a page ended, well or not. `served_by` names the reader."""

    url: str
    status: PageStatus
    reason: PageReason
    detail: Message
    title: str
    words: int
    elapsed_ms: int
    served_by: Message = NOTHING


@dataclass(frozen=True, slots=True)
class PassagesSelected:
    """Passages entered the evidence. `dropped` did not fit into the token budget."""

    passages: int
    pages: int
    tokens: int
    dropped: int
    copies: int
    round: int


@dataclass(frozen=True, slots=True)
class GapFound:
    """Something is missing; these queries go out next."""

    queries: tuple[str, ...]
    round: int


@dataclass(frozen=True, slots=True)
class SourcesReady:
    """The sources the writer sees, before its first token."""

    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class TokenArrived:
    """A piece of the answer as the model writes it. The checked text comes with `CitationsChecked`."""

    text: str


@dataclass(frozen=True, slots=True)
class DraftRetracted:
    """What came as `TokenArrived` so far was the model's reasoning, and no part of the answer."""


@dataclass(frozen=True, slots=True)
class CitationsChecked:
    """The answer with its markers set right, and the verdict on each."""

    text: str
    citations: tuple[Citation, ...]
    added: int
    removed: int


@dataclass(frozen=True, slots=True)
class CitationsVerified:
    """The model said which of the sentences that the check could not decide their sources state; or that of entailment.

    `supported` of the `asked` ones are now; the end of the run has the grades. `tokens` is what it cost
    beyond what its server had in its cache: the prompt's end and the reply, in part by estimate; 0 for entailment.
    """

    asked: int
    supported: int
    elapsed_ms: int
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class Warned:
    """Something a person should know about this answer.

    `words` are what queries were sent without (`WORDS_HELD_BACK`): the same may be asked again with them.
    """

    code: WarningCode
    message: Message
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Answered:
    """The run ended with an answer.

    `public_words` are the words of the answer that the web or the searched question said, too: they
    are no secret of the conversation. `as_of` is the day (ISO) of the newest source cited where the question asks for
    what changes, else empty. `opening` is what the program itself says where the answer
    begins, because no model has written it. `inputs` and `model_host` are as in `Turn`. `asked` is what
    of the message was taken for its question, empty where that is all of it.
    """

    answer: str
    sources: tuple[Source, ...]
    citations: tuple[Citation, ...]
    outcome: Outcome
    rounds: int
    usage: Usage
    warnings: tuple[Message, ...]
    elapsed_ms: int
    public_words: tuple[str, ...] = ()
    opening: Message = NOTHING
    inputs: tuple[TurnInput, ...] = ()
    model_host: str = ""
    asked: str = ""
    disagreements: tuple[Disagreement, ...] = ()
    as_of: str = ""


@dataclass(frozen=True, slots=True)
class Failed:
    """The run ended without an answer. `service` names what failed, `fix` the next step.

    `is_too_long` says that what was asked does not fit the model's context: asked again it fails again.
    """

    problem: Message
    fix: Message = NOTHING
    service: str = ""
    address: str = ""
    is_too_long: bool = False
    kind: str = ""
    """The name of the error's class in `domain.errors`; empty in older records."""

    @classmethod
    def of(cls, error: AskanceError) -> Failed:
        """Return the end of a run that an error stopped."""
        # Only a service has a name and an address that help to find what is wrong.
        if isinstance(error, ServiceError):
            where = (error.service, error.address)
            return cls(error.problem, error.fix, *where, kind=kind_of(error))
        is_too_long = isinstance(error, PromptTooLong)
        return cls(error.problem, error.fix, is_too_long=is_too_long, kind=kind_of(error))


@dataclass(frozen=True, slots=True)
class Cancelled:
    """The run was stopped by its user. `text` is what was written until then, where that is stored."""

    text: str = ""


# Traces and histories store events by the names of their classes (`history.type_name`) and fields:
# to rename one makes what is stored unreadable.
RunEvent = (
    Queued
    | Dequeued
    | Planned
    | ClarifyAsked
    | TimeExpected
    | SettingsFitted
    | LibraryRecalled
    | SearchStarted
    | RequestSent
    | ResultsFound
    | ResultsRanked
    | Judged
    | PagesChosen
    | PageRequested
    | PageRead
    | PassagesSelected
    | GapFound
    | SourcesReady
    | TokenArrived
    | DraftRetracted
    | CitationsChecked
    | CitationsVerified
    | Warned
    | Answered
    | Failed
    | Cancelled
)
RunEnd = Answered | ClarifyAsked | Failed | Cancelled
Emit = Callable[[RunEvent], None]


def ignore(*_: object) -> None:
    """Do nothing: the callback of whoever does not listen."""


def once(on_error: Callable[[str], None]) -> Callable[[str], None]:
    """Return a callback that hands each trouble on one time only: some fail again with each page, or every minute."""
    reported = set[str]()

    def report(text: str) -> None:
        if text not in reported:
            reported.add(text)
            on_error(text)

    return report


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """One request that left this machine. `at` is in UTC; the others are as in `RequestSent`."""

    at: datetime
    occasion: str
    sending: str
    to: str
    through: str
    content: str
