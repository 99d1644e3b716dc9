"""The parts of the program as commands see them; `wiring` opens the real ones."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

from askance.config.folders import Folders
from askance.config.settings import LlmSettings, Settings
from askance.ports.model import ChatModel
from askance.ports.outbound import OutboundLedger
from askance.ports.reader import PageReader
from askance.ports.search import WebSearch
from askance.session.conversing import Parts


class App(Parts, Protocol):
    """The parts, opened. `model` is None where no model server is set up."""

    @property
    def model(self) -> ChatModel | None:
        """The language model."""
        ...

    @property
    def search(self) -> WebSearch:
        """The web search."""
        ...

    @property
    def reader(self) -> PageReader:
        """The page reader."""
        ...

    @property
    def ledger(self) -> OutboundLedger | None:
        """The record of what leaves this machine."""
        ...


class Opener(Protocol):
    """Opens the parts. A sample web, where given, takes the place of the real one."""

    def __call__(
        self, settings: Settings, folders: Folders, *, sample_web: Any | None = None
    ) -> AbstractAsyncContextManager[App]:
        """Return the context in which the parts are open."""
        ...


class SampleGold(Protocol):
    """A page of the sample web that answers a question."""

    @property
    def url(self) -> str:
        """Its address."""
        ...


class SampleQuestion(Protocol):
    """A question that the sample web answers."""

    @property
    def id(self) -> str:
        """Its name among the questions."""
        ...

    @property
    def question(self) -> str:
        """The question itself."""
        ...

    @property
    def gold(self) -> Sequence[SampleGold]:
        """The pages that have the answer."""
        ...


class SampleWeb(Protocol):
    """The invented web that the demo and the doctor read, being served."""

    @property
    def questions(self) -> Sequence[SampleQuestion]:
        """Questions that its pages answer."""
        ...


def without_model(settings: Settings) -> Settings:
    """Return settings for work that asks no model: an embedded one takes seconds to start."""
    return settings.model_copy(update={"llm": LlmSettings()})
