"""What was said before, what a question is asked with, and what a run gives back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Self

from askance.domain.checked_text import TextClaim
from askance.domain.evidence import Quote
from askance.domain.messages import Message
from askance.domain.web_pages import WHOLE_WEB, SearchScope

CHAT = "chat"
"""It talks to the model alone and never searches."""
SEARCH = "search"
THINK = "think"
"""As `CHAT`, and the model is to reason before it answers."""
SEARCH_THINKING = "search /think"
"""A search whose answer the model is to reason about. It is typed in either order."""
FILES = "files"
"""It is answered from the files of the conversation alone, and nothing is searched."""
FILES_THINKING = "files /think"
CHECK = "check"
"""A text is compared with the web, claim by claim, once its user has seen what is searched."""


class TextTask(StrEnum):
    """The text commands, by the names under which they are typed. `about` says what each does, in one line."""

    _value_: str
    about: Message

    TLDR = "tldr", Message("Summarise the text in a few sentences")
    REWRITE = "rewrite", Message("Rephrase the text")
    REFINE = "refine", Message("Fix spelling, grammar and style")
    TRANSLATE = "translate", Message("Translate the text")
    EXPLAIN = "explain", Message("Explain the text in plain words")
    BULLETS = "bullets", Message("Turn the text into a list of points")
    TODOS = "todos", Message("List the tasks in the text")

    def __new__(cls, name: str, about: Message) -> Self:
        """Make the name the value, so that records and prompts know a task by it."""
        task = str.__new__(cls, name)
        task._value_, task.about = name, about
        return task


def searches(command: str) -> bool:
    """Return whether what is asked with this command is searched on the web."""
    return command in {SEARCH, SEARCH_THINKING}


def thinks(command: str) -> bool:
    """Return whether the model is to reason about what is asked with this command."""
    return command in {THINK, SEARCH_THINKING, FILES_THINKING}


def asks_files(command: str) -> bool:
    """Return whether what is asked with this command is answered from attached files alone."""
    return command in {FILES, FILES_THINKING}


def from_memory(command: str) -> bool:
    """Return whether what is asked with this command is answered from what the model remembers."""
    return command in {CHAT, THINK}


class TurnInput(StrEnum):
    """What went into a turn: where the texts came from that its answer was made of. Stored with the turn."""

    QUERY = "query"
    """The question, which was searched on the web."""
    TYPED = "typed"
    """A message that was not searched."""
    WEB = "web"
    """Pages and snippets of the web."""
    TEXT = "text"
    """A text that the question was about: a selection, a quote, a file."""
    DOCUMENTS = "documents"
    """The user's own documents in the library."""
    EARLIER = "earlier"
    """Earlier turns that are not public themselves."""


# A message that was typed and not searched has gone to no search engine: it stays as private as a
# file.
_PUBLIC_INPUTS = frozenset({TurnInput.QUERY, TurnInput.WEB})


@dataclass(frozen=True, slots=True)
class Turn:
    """A question and the answer it got, markers included.

    `published` are those texts of it that are no secret: the question if it was searched, and what
    the web said. Nothing else of it may be searched later. `quoted` is what the pages said that
    carried the answer: a later answer may rest on it. `inputs` are what went into it, empty where that
    is not known; `model_host` is the other computer whose model answered, empty for this one.
    """

    question: str
    answer: str
    published: tuple[str, ...] = ()
    quoted: tuple[Quote, ...] = ()
    inputs: tuple[TurnInput, ...] = ()
    model_host: str = ""

    @property
    def is_public(self) -> bool:
        """Whether all of it came from the web or was searched there. What is not known is private."""
        return bool(self.inputs) and _PUBLIC_INPUTS.issuperset(self.inputs)

    def may_be_sent_to(self, host: str) -> bool:
        """Return whether a model on a host may read it: on this computer (empty), or where it has been read."""
        # A host that has read the turn once learns nothing when it reads it again.
        return not host or self.is_public or self.model_host == host


@dataclass(frozen=True, slots=True)
class Conversation:
    """The turns so far, oldest first. Answers are in it, and what was written of one until it was stopped."""

    turns: tuple[Turn, ...] = ()

    def with_turn(self, turn: Turn) -> Conversation:
        """Return the conversation with one more turn."""
        return Conversation((*self.turns, turn))


class Outcome(StrEnum):
    """What an answer rests on. `MEMORY` is what the model remembers: nothing of it was checked.

    `GIVEN` is a text that came with the question; what the model adds to it was not checked either.
    """

    WEB = "web"
    HISTORY = "history"
    MEMORY = "memory"
    GIVEN = "given"
    LIBRARY = "library"
    INSUFFICIENT = "insufficient"
    PASSAGES_ONLY = "passages_only"


def rests_on(outcome: Outcome, command: str, quote: str = "") -> Outcome:
    """Return what an answer to a command about a quoted text rests on.

    Text commands end with another outcome: what they rest on is recognised by how they were asked.
    """
    if not from_memory(command) or outcome is Outcome.GIVEN:
        return outcome
    return Outcome.GIVEN if quote.strip() else Outcome.MEMORY


@dataclass(frozen=True, slots=True)
class Usage:
    """What a run cost. Tokens as the model server reports them, or estimated where it does not."""

    model_calls: int = 0
    prompt_tokens: int = 0
    output_tokens: int = 0
    searches: int = 0
    pages_offered: int = 0
    pages_read: int = 0


# What was typed, and what is wanted of one run: front ends make the values, the engine reads the second.


class QuoteOrigin(StrEnum):
    """Where a quoted text comes from."""

    PASTED = "pasted"
    SELECTED = "selected"
    COPIED = "copied"
    FILE = "file"
    LIBRARY = "library"
    QUOTED = "quoted"
    """Of several origins, or of one that is not known any more."""
    ATTACHED = "attached"
    """Names of files that were attached: they are shown, and neither read nor searched."""


@dataclass(frozen=True, slots=True)
class SearchSize:
    """How much one run searches at the most. Of `passages` 0 means as many as the tokens allow."""

    queries: int = 3
    """In one round."""
    results: int = 10
    """After ranking."""
    passages: int = 0
    """In one round."""


USUAL_SIZE = SearchSize()


class CommandMode(StrEnum):
    """What a command of the user's own asks: the web, the model alone, or the library alone."""

    WEB = "web"
    CHAT = "chat"
    FILES = "files"


@dataclass(frozen=True, slots=True)
class OwnCommand:
    """A prompt that is asked by its name. Empty `model` is the one that is chosen for all questions.

    In the prompt `{argument}`, `{selection}`, `{clipboard}` and `{date}` stand for texts.
    """

    name: str
    prompt: str
    mode: CommandMode = CommandMode.CHAT
    model: str = ""

    def uses(self, variable: str) -> bool:
        """Whether a variable stands in the prompt."""
        return f"{{{variable}}}" in self.prompt


@dataclass(frozen=True, slots=True)
class ParsedCommand:
    """What to do: the name of a command or `SEARCH_THINKING`, and the text with it.

    `quote` is the text that it is about, and `origin` where that comes from. `fresh` says that an answer is
    there and another one is wanted: the web is searched. `scope` is what a question is to be answered from.
    `allowed` are private words that its queries may say. `pasted` are those stretches of the text that were not
    typed, None where nobody knows. `own` is the user's own command that the text begins with, and `lens` the
    name of the one that `scope` comes from; `clipboard` is there for the first. `own_names` are theirs in a text from
    the history, in which they are still to be looked up. `claims` are those of a text to be checked, as its user has
    confirmed them; None before that.
    The methods return what may be asked next.
    """

    command: str
    text: str = ""
    quote: str = ""
    origin: QuoteOrigin = QuoteOrigin.QUOTED
    fresh: bool = False
    scope: SearchScope = WHOLE_WEB
    allowed: tuple[str, ...] = ()
    pasted: tuple[str, ...] | None = field(default=None, compare=False)
    size: SearchSize = USUAL_SIZE
    own: OwnCommand | None = None
    lens: str = ""
    clipboard: str = field(default="", compare=False)
    own_names: tuple[str, ...] = field(default=(), compare=False)
    claims: tuple[TextClaim, ...] | None = field(default=None, compare=False)

    @property
    def documents(self) -> tuple[str, ...]:
        """Identities of the documents that alone are to answer."""
        return self.scope.documents

    @property
    def question(self) -> str:
        """The text without the own command and the lens that it begins with."""
        text = self.text
        for begun in (self.own and f"/{self.own.name}", self.lens and f"@{self.lens}"):
            if begun:
                text = text.removeprefix(begun).lstrip()
        return text

    def clarified(self, reply: str) -> ParsedCommand:
        """Ask it with the answer to what was asked back: both together are searched."""
        return replace(self, text=f"{self.text} {reply.strip()}", fresh=False)

    def allowing(self, words: Sequence[str]) -> ParsedCommand:
        """Search the same with words that queries were sent without."""
        # `fresh`, or the library could answer once more and nothing would be searched.
        return replace(self, fresh=True, allowed=(*self.allowed, *words))

    def with_web(self) -> ParsedCommand:
        """Search the web for what the model was asked alone."""
        return self._asked_by(SEARCH_THINKING if thinks(self.command) else SEARCH)

    def without_web(self) -> ParsedCommand:
        """Ask the model alone what was searched for."""
        return self._asked_by(THINK if thinks(self.command) else CHAT)

    def _asked_by(self, command: str) -> ParsedCommand:
        return ParsedCommand(
            command,
            self.text,
            self.quote,
            self.origin,
            # A lens goes with its question: what it leaves out is not searched the second time either.
            scope=self.scope if self.lens else WHOLE_WEB,
            own=self.own,
            lens=self.lens,
            clipboard=self.clipboard,
            own_names=self.own_names,
        )


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture as a model is shown it: its bytes, and their media type, such as `image/png`.

    `width` and `height` are those of the original, in pixels; 0 where nobody has looked.
    """

    data: bytes = field(repr=False)
    media_type: str
    name: str = ""
    width: int = 0
    height: int = 0


@dataclass(frozen=True, slots=True)
class PageChoice:
    """How the model chooses the pages of a round: by a score of 0 to 1, and so many at the most."""

    least_score: float = 0.7
    most: int = 3


@dataclass(frozen=True, slots=True)
class RunRequest:
    """A question, and how it is to be answered. What is None or 0 is as the settings say.

    `about` is a text of the user's that the question is about: the model reads it, and nothing is searched
    that stands in it alone. A question with a `scope` is answered from that part of the web: neither the
    library nor what was found earlier has a say. One whose scope names documents of the library is answered
    from them, and nothing is searched. With `think` the model reasons before it answers. `attached` are
    documents of attached files that answer beside the web. `pictures` are shown to the model with the task to
    answer, and never with that to plan.
    """

    question: str
    conversation: Conversation = Conversation()
    about: str = ""
    scope: SearchScope = WHOLE_WEB
    think: bool = False
    fresh: bool = False
    """Search the web even where the library or the conversation has the answer."""
    pasted: tuple[str, ...] | None = None
    """Those stretches of the question that were not typed; None where nobody knows."""
    allowed_words: tuple[str, ...] = ()
    """Private words that the user lets queries of this question say."""
    asks_library: bool | None = None
    """Whether the library has a say: where True it is asked even if the settings say never."""
    keeps_pages: bool = True
    """Whether pages that are read may be stored in the library."""
    size: SearchSize = USUAL_SIZE
    reads_ahead: bool = True
    """Search and read while the plan is made: a benchmark measures what it costs not to."""
    hints: bool = False
    """Make queries of the titles and headings that were read, too."""
    page_choice: PageChoice | None = None
    """Let the model choose which pages are read; None leaves it to their rank."""
    rounds: int = 0
    completeness: float | None = None
    """How far the library must have the answer, 0 to 1, for the web not to be asked."""
    answer_tokens: int = 0
    """No more than this is written; more than the settings allow is not."""
    attached: tuple[str, ...] = ()
    pictures: tuple[Picture, ...] = ()
    reply_schema: Mapping[str, Any] | None = None
    """JSON schema that a reply without a search follows, as far as the model's server can hold it to one."""
