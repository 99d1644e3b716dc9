"""A GGUF file of the user's, run by llama.cpp in a child process of this program."""

from __future__ import annotations

import asyncio
import hashlib
import importlib.util
import json
import os
import re
import secrets
import signal
import sys
import tempfile
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import IO, Generic, Self, TypeVar

from askance.adapters.llm.model_server import Served
from askance.adapters.llm.openai import OpenAIModel
from askance.config.settings import LlmSettings
from askance.domain.errors import ServiceDown, ServiceError, ServiceTimeout, SettingsError
from askance.domain.messages import Message
from askance.domain.ports.model import ModelCall, ModelInfo, ReplyPart
from askance.system.children import end_child, start_child
from askance.system.program import child_command, is_packaged

SERVICE = Message("The embedded llama.cpp")
_TAIL_BYTES = 4000
_TAIL_LINES = 2
# The connections of a process that crashed are closed before the system says that it has ended.
_EXIT_GRACE_S = 1.0
# llama.cpp begins each line of its log with the time and the level.
_LOG_PREFIX = re.compile(r"^[\d.]+ [A-Z] ")
_GGUF_MAGIC = b"GGUF"
# Of a large file the beginning, the end and the size tell two models apart, in milliseconds.
_DIGESTED_BYTES = 4_194_304
_DIGEST_CHARACTERS = 16
_IN_A_PACKAGE = Message("Set llm.api to ollama: this build of Askance comes without llama.cpp.")
_CPUS = Path("/sys/devices/system/cpu")


_Served = TypeVar("_Served", bound=Served)


class ChildModel(ABC, Generic[_Served]):
    """A model in a child process, which lives as long as this async context manager.

    The first use looks for the file and loads the model. It raises a `SettingsError` where there is
    no such GGUF file, or xllamacpp is not installed.
    """

    def __init__(self) -> None:
        self._running: tuple[_Served, EmbeddedProcess] | None = None
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

    async def _loaded(self) -> tuple[_Served, EmbeddedProcess]:
        async with self._loading:
            if self._running is None:
                self._running = await self._started()
            return self._running

    @abstractmethod
    async def _started(self) -> tuple[_Served, EmbeddedProcess]:
        """Start the process, and return who speaks to it."""


class EmbeddedModel(ChildModel[OpenAIModel]):
    """A `ChatModel` in a child process, which is loaded while a run searches.

    A run searches without it where it cannot be loaded.
    """

    def __init__(self, settings: LlmSettings) -> None:
        super().__init__()
        self._settings = settings

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

    async def _started(self) -> tuple[OpenAIModel, EmbeddedProcess]:
        fix = Message("Set llm.gguf to the path of a GGUF file with an instruction-tuned model.")
        gguf = checked_gguf(self._settings.gguf, "llm.gguf", fix)
        require_engine()
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
        return model, process


class EmbeddedProcess:
    """A running server: its address, and the key that requests must carry."""

    def __init__(self, child: asyncio.subprocess.Process, gguf: Path, log: IO[bytes]) -> None:
        self.url = ""
        self.key = secrets.token_urlsafe(24)
        self._child = child
        self._gguf = gguf
        self._log = log

    @classmethod
    async def start(
        cls,
        gguf: Path,
        *,
        num_ctx: int,
        threads: int,
        load_timeout_s: float,
        embeddings: bool = False,
    ) -> Self:
        """Start the server and wait until the model is loaded. Cancelling ends the process.

        With `embeddings` it embeds texts; a context of 0 tokens is that of the model.

        Raises:
            ServiceDown: the process ended while loading.
            ServiceTimeout: loading took too long.
        """
        # A file, not a pipe: nobody reads it while the model works, and a full pipe would block
        # llama.cpp.
        log = tempfile.TemporaryFile("a+b")  # noqa: SIM115
        try:
            child = await start_child(
                *child_command("askance.adapters.llm.embedded_server"),
                *("--gguf", str(gguf), "--num-ctx", str(num_ctx), "--threads", str(threads)),
                *(("--embeddings",) if embeddings else ()),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
                # Ctrl-C in the terminal is for the parent, which then ends its child.
                start_new_session=True,
            )
        except BaseException:
            log.close()
            raise
        self = cls(child, gguf, log)
        try:
            await self._wait_for_address(load_timeout_s)
        except BaseException:
            await self.stop()
            raise
        return self

    async def stop(self) -> None:
        """End the process at once; it has nothing to save."""
        try:
            await end_child(self._child)
        finally:
            self._log.close()

    async def crash(self) -> ServiceDown | None:
        """Return the error that tells how the process ended, or None if it is running."""
        try:
            async with asyncio.timeout(_EXIT_GRACE_S):
                await self._child.wait()
        except TimeoutError:
            return None
        return self._ended()

    async def _wait_for_address(self, load_timeout_s: float) -> None:
        child = self._child
        assert child.stdin is not None
        assert child.stdout is not None
        # By the pipe, since every user of the machine can read arguments.
        child.stdin.write(f"{self.key}\n".encode())
        try:
            async with asyncio.timeout(load_timeout_s):
                line = await child.stdout.readline()
        except TimeoutError as exc:
            problem = Message(
                "{service} did not load {model} within {n} s.",
                service=SERVICE,
                model=self._gguf.name,
                n=load_timeout_s,
            )
            fix = Message("Use a smaller GGUF file, or raise llm.load_timeout_s.")
            raise ServiceTimeout(SERVICE, str(self._gguf), problem, fix=fix) from exc
        if not line:
            await child.wait()
            raise self._ended(loading=True)
        self.url = json.loads(line)["url"]

    def _ended(self, *, loading: bool = False) -> ServiceDown:
        status = self._child.returncode or 0
        how = (
            Message("signal {said}", said=signal.Signals(-status).name)
            if status < 0
            else Message("exit status {status}", status=str(status))
        )
        values = {"service": SERVICE, "model": self._gguf.name, "how": how}
        if last_line := self._log_tail():
            problem = (
                Message(
                    "{service} ended while loading {model} ({how}): {said}.",
                    **values,
                    said=last_line,
                )
                if loading
                else Message("{service} ended ({how}): {said}.", **values, said=last_line)
            )
        else:
            problem = (
                Message("{service} ended while loading {model} ({how}).", **values)
                if loading
                else Message("{service} ended ({how}).", **values)
            )
        fix = Message("Set llm.gguf to another GGUF file, or install a newer xllamacpp.")
        # How Linux's OOM killer ends a process.
        if sys.platform != "win32" and status == -signal.SIGKILL:
            fix = Message("Try a smaller GGUF file: memory may have run out.")
        return ServiceDown(SERVICE, self.url or str(self._gguf), problem, fix=fix)

    def _log_tail(self) -> str:
        self._log.seek(0, os.SEEK_END)
        self._log.seek(max(0, self._log.tell() - _TAIL_BYTES))
        lines = self._log.read().decode(errors="replace").splitlines()
        lines_left = [_LOG_PREFIX.sub("", line).strip() for line in lines]
        return "; ".join([line.rstrip(".") for line in lines_left if line][-_TAIL_LINES:])


def physical_cores() -> int:
    """Count the physical cores that this process may use; 0 where the system does not tell.

    Two threads on one core make llama.cpp slower, not faster. By hand, because psutil counts those
    of the whole machine; llama.cpp does so by itself.
    """
    if sys.platform != "linux":
        return 0
    try:
        siblings = {
            (_CPUS / f"cpu{cpu}" / "topology" / "thread_siblings_list").read_text("ascii")
            for cpu in os.sched_getaffinity(0)
        }
    except OSError:
        return 0
    return len(siblings)


def has_engine() -> bool:
    """Whether what runs a GGUF file is there."""
    return importlib.util.find_spec("xllamacpp") is not None


def require_engine() -> None:
    """Look whether what runs a GGUF file is there.

    Raises:
        SettingsError: it is not installed.
    """
    if not has_engine():
        raise SettingsError(
            Message("The embedded model needs xllamacpp, which is not installed."),
            fix=_IN_A_PACKAGE
            if is_packaged()
            else Message("Install it with `pip install 'askance[embedded]'`."),
        )


def digest_of(*files: Path) -> str:
    """Return what tells the contents of files from others, without reading large ones whole."""
    digest = hashlib.sha256()
    for file in files:
        with file.open("rb") as stream:
            size = os.fstat(stream.fileno()).st_size
            digest.update(f"{size}\n".encode())
            digest.update(stream.read(_DIGESTED_BYTES))
            # In a small file the end begins behind what was read: each byte is digested once.
            stream.seek(max(stream.tell(), size - _DIGESTED_BYTES))
            digest.update(stream.read())
    return digest.hexdigest()[:_DIGEST_CHARACTERS]


def starts_as_gguf(file: Path) -> bool:
    """Whether a file begins as a GGUF file does. Raises OSError where it cannot be read."""
    with file.open("rb") as stream:
        return stream.read(len(_GGUF_MAGIC)) == _GGUF_MAGIC


def checked_gguf(path_setting: str, name: str, fix: Message) -> Path:
    """Return the file that the setting called `name` names. It blocks.

    Raises:
        SettingsError: none is named, for which `fix` says what to do, or it is no GGUF file.
    """
    if not path_setting:
        raise SettingsError(Message("{setting} names no file.", setting=name), fix=fix)
    path = Path(path_setting).expanduser().absolute()
    try:
        is_one = starts_as_gguf(path)
    except OSError as exc:
        raise SettingsError(
            Message("The model file {file} cannot be read: {problem}.", file=path, problem=exc),
            fix=Message("Set {setting} to the path of a GGUF file.", setting=name),
        ) from exc
    if not is_one:
        raise SettingsError(
            Message("The file {file} is not a GGUF file.", file=path),
            fix=Message("Set {setting} to the path of one that is.", setting=name),
        )
    return path
