"""The model that the settings choose, and how much memory it takes."""

from __future__ import annotations

from askance.adapters.llm.compatible import CompatibleModel
from askance.adapters.llm.embedded import EmbeddedModel
from askance.adapters.llm.ollama import OllamaModel
from askance.adapters.network.service_status import loaded_sizes
from askance.config.choices import LlmApi
from askance.config.settings import LlmSettings
from askance.domain.errors import AskanceError

ChosenModel = OllamaModel | CompatibleModel | EmbeddedModel


def model_of(settings: LlmSettings) -> ChosenModel:
    """Return the model, to be opened as a context.

    Raises:
        SettingsError: it cannot be built from these settings.
    """
    match settings.api:
        case LlmApi.OLLAMA:
            return OllamaModel(settings)
        case LlmApi.OPENAI:
            return CompatibleModel(settings)
        case LlmApi.EMBEDDED:
            return EmbeddedModel(settings)


async def memory_bytes(settings: LlmSettings, model: ChosenModel) -> int:
    """Return how many bytes of memory the model takes where it runs, 0 where no server says so."""
    if isinstance(model, EmbeddedModel):
        return model.memory_bytes()
    if settings.api is not LlmApi.OLLAMA:
        return 0
    try:
        name = (await model.info()).name
        return (await loaded_sizes(settings.url)).get(name, 0)
    except AskanceError:  # an older Ollama does not tell
        return 0
