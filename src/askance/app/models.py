"""Model servers as front ends use them: which models are in memory, downloading one, starting Ollama."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress

from askance.adapters.containers.tool import find_executable
from askance.adapters.llm import ollama_pull
from askance.adapters.network import service_status
from askance.config.choices import LlmApi
from askance.config.settings import LlmSettings
from askance.domain.downloads import PullStep
from askance.domain.errors import AskanceError


async def loaded_models(settings: LlmSettings) -> frozenset[str]:
    """Return the models that Ollama holds in memory; none where no server says so."""
    if settings.api is LlmApi.OLLAMA:
        with suppress(AskanceError):  # an older Ollama does not tell
            return frozenset(await service_status.loaded_models(settings.url))
    return frozenset()


async def pull_model(
    settings: LlmSettings, name: str, on_progress: Callable[[PullStep], None]
) -> None:
    """Have Ollama download a model. Raises ServiceError: it failed."""
    await ollama_pull.pull_model(settings, name, on_progress)


async def start_ollama(settings: LlmSettings, environment: Mapping[str, str]) -> None:
    """Start Ollama, and wait until it answers. Raises AskanceError: it cannot be started."""
    executable = find_executable("ollama", environment)
    await ollama_pull.start_ollama(settings, executable, environment)
