"""The settings of search by meaning. `config.settings` has all others."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, field_validator

from askance.config.choices import EmbeddingsApi, EmbeddingsPreset, RerankerApi
from askance.config.values import web_address


class EmbeddingsSettings(BaseModel):
    """Search by meaning in the library; keywords find without it."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    api: EmbeddingsApi = EmbeddingsApi.NONE
    """`ollama`, `openai` for any OpenAI-compatible server, `embedded` for a GGUF file of yours, `onnx` or `static`
    for a model in a folder of yours; `none` finds by keywords alone."""
    url: str = "http://127.0.0.1:11434"
    """Address of the server, without `/api` or `/v1`."""
    model: str = ""
    """Name of the embedding model on the server; empty takes the first that it has."""
    gguf: str = ""
    """Path of the GGUF file that the embedded server loads."""
    folder: str = ""
    """Path of the folder with the model: `tokenizer.json`, and `model.onnx` or `model.safetensors`."""
    preset: EmbeddingsPreset = EmbeddingsPreset.BALANCED
    """Which model to recommend where the folder has none: `fast`, `balanced` or `quality`."""
    batch_size: Annotated[int, Field(ge=1, le=512)] = 32
    """Passages that are embedded together."""
    timeout_s: Annotated[float, Field(gt=0, le=3600)] = 120.0
    """Seconds that one batch may take, loading the model included."""
    query_timeout_s: Annotated[float, Field(gt=0, le=600)] = 5.0
    """Seconds that a search waits for its question to be embedded; keywords find alone then."""
    min_similarity: Annotated[float, Field(ge=0, le=1)] = 0.3
    """How similar a passage must be to be found by its meaning alone, from 0 to 1."""
    context_lines: bool = False
    """Let the chat model put each passage into a line before it is embedded: one call for each of them."""
    reranker: RerankerApi = RerankerApi.NONE
    """What reads the best passages a second time: `server` for the `/v1/rerank` of llama.cpp, `onnx` for a
    cross-encoder in a folder of yours, or `none`."""
    reranker_url: str = "http://127.0.0.1:8080"
    """Address of the server that reranks, without `/v1`."""
    reranker_folder: str = ""
    """Path of the folder with the cross-encoder: `tokenizer.json` and `model.onnx`."""

    _address = field_validator("url", "reranker_url")(web_address)
