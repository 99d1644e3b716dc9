"""A run as it goes on: what was asked, by which settings, with which model, and what it still has time for."""

from __future__ import annotations

from dataclasses import dataclass

from askance.config.choices import LibraryLookup
from askance.config.settings import Settings
from askance.domain.conversation import Turn
from askance.domain.requests import RunRequest
from askance.domain.web import WHOLE_WEB
from askance.engine.context_budget import reply_tokens
from askance.engine.model_session import ModelSession
from askance.engine.model_speed import ModelSpeed
from askance.engine.progress import RunState
from askance.engine.prompts import Prompts
from askance.engine.query_privacy import PrivateWords
from askance.engine.time_budget import TimeBudget


@dataclass(slots=True)
class RunContext:
    """What all stages of one run share. Where request and settings differ, its properties say which counts.

    `question` is what of the request is searched, `about` what stands beside it. `settings` are made to fit
    the model once it is known, and `calls` are there once it can be asked.
    """

    request: RunRequest
    question: str
    about: str
    settings: Settings
    prompts: Prompts
    progress: RunState
    model_speed: ModelSpeed
    time_budget: TimeBudget
    private: PrivateWords
    calls: ModelSession | None = None

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The turns before the question."""
        return self.request.conversation.turns

    @property
    def is_narrowed(self) -> bool:
        """Whether only a part of the web, or of the library, is to answer."""
        return self.request.scope != WHOLE_WEB

    @property
    def lookup(self) -> LibraryLookup:
        """What the library has to do with the question."""
        request, chosen = self.request, self.settings.library.recall
        if request.scope.documents:
            return LibraryLookup.ONLY
        if request.asks_library is False:
            return LibraryLookup.NEVER
        if request.asks_library and chosen is LibraryLookup.NEVER:
            return LibraryLookup.FIRST
        return chosen

    @property
    def searches_web(self) -> bool:
        """Whether the web may be searched at all."""
        return self.settings.search.enabled and self.lookup is not LibraryLookup.ONLY

    @property
    def is_fresh(self) -> bool:
        """Whether the web is searched whatever is at hand."""
        return self.request.fresh and self.searches_web

    @property
    def thinks(self) -> bool:
        """Whether the model reasons before it writes."""
        return self.request.think or self.settings.llm.think

    @property
    def rounds(self) -> int:
        """How many rounds there may be."""
        return self.request.rounds or self.settings.limits.rounds

    @property
    def completeness(self) -> float:
        """How far the library must have the answer, 0 to 1."""
        wanted = self.request.completeness
        return self.settings.library.completeness_threshold if wanted is None else wanted

    @property
    def reply_tokens(self) -> int:
        """How long the written reply may get."""
        return reply_tokens(self.settings, think=self.thinks, most=self.request.answer_tokens)

    def fit(self, settings: Settings) -> None:
        """Go on with other settings, which fit the model."""
        self.settings = settings
        self.time_budget.limits = settings.limits
