"""A GGUF file of the user's, run by llama.cpp in a child process of this program."""

from __future__ import annotations

import asyncio
import importlib.util
import os
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Self

from askance.adapters.llm.embedded_process import SERVICE, EmbeddedProcess
from askance.adapters.llm.openai import OpenAIModel
from askance.adapters.system.program import is_packaged
from askance.config.settings import LlmSettings
from askance.domain.errors import ServiceError, SettingsError
from askance.domain.messages import Message
from askance.ports.model import ModelCall, ModelInfo, ReplyPart

_GGUF_MAGIC = b"GGUF"
_IN_A_PACKAGE = Message("Set llm.api to ollama: this build of Askance comes without llama.cpp.")
_CPUS = Path("/sys/devices/system/cpu")


class EmbeddedModel:
    """A `ChatModel` in a child process, which lives as long as this async context manager.

    The first use looks for the file and loads the model, so that a run may search while it loads,
    and searches without it where it cannot be loaded. It raises a `SettingsError` where there is
    no such GGUF file, or xllamacpp is not installed.
    """

    def __init__(self, settings: LlmSettings) -> None:
        self._settings = settings
        self._running: tuple[OpenAIModel, EmbeddedProcess] | None = None
        self._loading = asyncio.Lock()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        if self._running is None:
            return
        (model, process), self._running = self._running, None
        try:
            await model.__aexit__(*error)
        finally:
            await process.stop()

    async def info(self) -> ModelInfo:
        """Describe the model. See `ChatModel.info`."""
        async with self._served() as model:
            return await model.info()

    async def models(self) -> tuple[ModelInfo, ...]:
        """List the one model. See `ChatModel.models`."""
        return (await self.info(),)

    @asynccontextmanager
    async def reply(self, call: ModelCall) -> AsyncGenerator[AsyncIterator[ReplyPart]]:
        """Open a reply. See `ChatModel.reply`."""
        async with self._served() as model, model.reply(call) as parts:
            yield parts

    @asynccontextmanager
    async def _served(self) -> AsyncGenerator[OpenAIModel]:
        """Load the model if need be, and name the end of its process where that is what failed."""
        model, process = await self._loaded()
        try:
            yield model
        except ServiceError as exc:
            if exc.address == process.url and (crash := await process.crash()):
                raise crash from exc
            raise

    async def _loaded(self) -> tuple[OpenAIModel, EmbeddedProcess]:
        async with self._loading:
            if self._running is None:
                gguf = _checked_file(self._settings.gguf)
                _require_engine()
                process = await EmbeddedProcess.start(
                    gguf,
                    num_ctx=self._settings.context_tokens,
                    threads=physical_cores(),
                    load_timeout_s=self._settings.load_timeout_s,
                )
                model = OpenAIModel(
                    self._settings.model_copy(update={"url": process.url, "model": ""}),
                    service=SERVICE,
                    start=Message("Start Askance again."),
                    headers={"Authorization": f"Bearer {process.key}"},
                )
                self._running = (model, process)
            return self._running


def physical_cores() -> int:
    """Count the physical cores that this process may use; 0 where the system does not tell.

    Two threads on one core make llama.cpp slower, not faster. By hand, because psutil counts those
    of the whole machine; llama.cpp does so by itself.
    """
    if not hasattr(os, "sched_getaffinity"):
        return 0
    try:
        siblings = {
            (_CPUS / f"cpu{cpu}" / "topology" / "thread_siblings_list").read_text("ascii")
            for cpu in os.sched_getaffinity(0)
        }
    except OSError:
        return 0
    return len(siblings)


def _require_engine() -> None:
    if importlib.util.find_spec("xllamacpp") is None:
        raise SettingsError(
            Message("The embedded model needs xllamacpp, which is not installed."),
            fix=_IN_A_PACKAGE
            if is_packaged()
            else Message("Install it with `pip install 'askance[embedded]'`."),
        )


def _checked_file(setting: str) -> Path:
    if not setting:
        raise SettingsError(
            Message("llm.api is `embedded`, but llm.gguf names no file."),
            fix=Message("Set llm.gguf to the path of a GGUF file with an instruction-tuned model."),
        )
    path = Path(setting).expanduser().absolute()
    try:
        with path.open("rb") as file:
            magic = file.read(len(_GGUF_MAGIC))
    except OSError as exc:
        raise SettingsError(
            Message("The model file {file} cannot be read: {problem}.", file=path, problem=exc),
            fix=Message("Set llm.gguf to the path of a GGUF file."),
        ) from exc
    if magic != _GGUF_MAGIC:
        raise SettingsError(
            Message("The file {file} is not a GGUF file.", file=path),
            fix=Message("Set llm.gguf to the path of one that is."),
        )
    return path
