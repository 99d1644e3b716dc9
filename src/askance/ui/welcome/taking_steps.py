"""Doing what a button of the first page promises. No Qt in here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from askance.adapters.containers.executables import find_executable
from askance.adapters.llm.ollama_pull import pull_model, start_ollama
from askance.checkup.first_steps import Step, Way
from askance.config.settings import Consent
from askance.ui.settings.surroundings import Surroundings


async def take(way: Way, around: Surroundings, tell: Callable[[Any], None]) -> None:
    """Do it, and `tell` each `PullStep` or `Progress` of it.

    Raises:
        AskanceError: it could not be done.
        ValueError: it is nothing that can be done from here.
    """
    match way.step:
        case Step.START_OLLAMA:
            environment = around.source.environment
            executable = find_executable("ollama", environment)
            await start_ollama(around.source.load().llm, executable, environment)
        case Step.FETCH_MODEL:
            await pull_model(around.source.load().llm, way.model, tell)
        case Step.START_SERVICES:
            await around.services().up(tell)
        case Step.ALLOW_SEARCH:
            around.source.write("search.in_process", Consent.GIVEN.value)
        case _:
            raise ValueError(way.step)
