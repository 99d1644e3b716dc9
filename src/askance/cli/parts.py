"""The parts of the program as commands see them; `wiring` opens the real ones."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

from askance.checkup import findings
from askance.config.folders import Folders
from askance.config.settings import LlmSettings, Settings
from askance.ports.outbound import OutboundLedger
from askance.session import conversing


class App(conversing.Parts, findings.Parts, Protocol):
    """The parts, opened. `model` is None where no model server is set up."""

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


def without_model(settings: Settings) -> Settings:
    """Return settings for work that asks no model: an embedded one takes seconds to start."""
    return settings.model_copy(update={"llm": LlmSettings()})
