"""What is wanted of one run: front ends make the value, the engine reads it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from askance.domain.conversation import Conversation
from askance.domain.web import WHOLE_WEB, SearchScope


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
    from them, and nothing is searched. With `think` the model reasons before it answers.
    """

    question: str
    conversation: Conversation = Conversation()  # noqa: RUF009 - it is frozen
    about: str = ""
    scope: SearchScope = WHOLE_WEB
    think: bool = False
    fresh: bool = False
    """Search the web even where the library or the conversation has the answer."""
    allowed_words: tuple[str, ...] = ()
    """Private words that the user lets queries of this question say."""
    asks_library: bool | None = None
    """Whether the library has a say: where True it is asked even if the settings say never."""
    keeps_pages: bool = True
    """Whether pages that are read may be stored in the library."""
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
    reply_schema: Mapping[str, Any] | None = None
    """JSON schema that a reply without a search follows, as far as the model's server can hold it to one."""
