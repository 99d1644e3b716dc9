"""The model that the settings choose, and how much memory it takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from askance.config.choices import LlmApi
from askance.config.settings import LlmSettings

if TYPE_CHECKING:
    from askance.adapters.llm.compatible_model import CompatibleModel
    from askance.adapters.llm.embedded import EmbeddedModel
    from askance.adapters.llm.ollama import OllamaModel

# Each kind is imported where it is chosen.
# ruff: noqa: PLC0415

ChosenModel: TypeAlias = "OllamaModel | CompatibleModel | EmbeddedModel"


def model_of(settings: LlmSettings) -> ChosenModel:
    """Return the model, to be opened as a context.

    Raises:
        SettingsError: it cannot be built from these settings.
    """
    match settings.api:
        case LlmApi.OLLAMA:
            from askance.adapters.llm.ollama import OllamaModel

            return OllamaModel(settings)
        case LlmApi.OPENAI:
            from askance.adapters.llm.compatible_model import CompatibleModel

            return CompatibleModel(settings)
        case LlmApi.EMBEDDED:
            from askance.adapters.llm.embedded import EmbeddedModel

            return EmbeddedModel(settings)
