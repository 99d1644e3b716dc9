"""The child process that serves a GGUF file, as its parent sees it."""

from __future__ import annotations

import asyncio
import json
import os
import re
import secrets
import signal
import tempfile
from pathlib import Path
from typing import IO, Self

from askance.adapters.system.program import child_command
from askance.domain.errors import ServiceDown, ServiceSlow
from askance.domain.messages import Message

SERVICE = Message("The embedded llama.cpp")
_TAIL_BYTES = 4000
_TAIL_LINES = 2
_EXIT_GRACE_S = 1.0
# llama.cpp begins each line of its log with the time and the level.
_LOG_PREFIX = re.compile(r"^[\d.]+ [A-Z] ")


class EmbeddedProcess:
    """A running server: its address, and the key that requests must carry."""

    def __init__(self, child: asyncio.subprocess.Process, gguf: Path, log: IO[bytes]) -> None:
        self.url = ""
        self.key = secrets.token_urlsafe(24)
        self._child = child
        self._gguf = gguf
        self._log = log

    @classmethod
    async def start(cls, gguf: Path, *, num_ctx: int, threads: int, load_timeout_s: float) -> Self:
        """Start the server and wait until the model is loaded. Cancelling ends the process.

        Raises:
            ServiceDown: the process ended while loading.
            ServiceSlow: loading took too long.
        """
        log = tempfile.TemporaryFile("a+b")  # noqa: SIM115
        try:
            child = await asyncio.create_subprocess_exec(
                *child_command("askance.adapters.llm.embedded_server"),
                *("--gguf", str(gguf), "--num-ctx", str(num_ctx), "--threads", str(threads)),
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
        if self._child.returncode is None:
            self._child.kill()
        try:
            await self._child.wait()
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
        child.stdin.write(f"{self.key}\n".encode())
        try:
            async with asyncio.timeout(load_timeout_s):
                line = await child.stdout.readline()
        except TimeoutError as exc:
            raise ServiceSlow(
                SERVICE,
                str(self._gguf),
                Message(
                    "{service} did not load {model} within {n} s.",
                    service=SERVICE,
                    model=self._gguf.name,
                    n=load_timeout_s,
                ),
                fix=Message("Use a smaller GGUF file, or raise llm.load_timeout_s."),
            ) from exc
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
        if said := self._log_tail():
            problem = (
                Message(
                    "{service} ended while loading {model} ({how}): {said}.", **values, said=said
                )
                if loading
                else Message("{service} ended ({how}): {said}.", **values, said=said)
            )
        else:
            problem = (
                Message("{service} ended while loading {model} ({how}).", **values)
                if loading
                else Message("{service} ended ({how}).", **values)
            )
        return ServiceDown(
            SERVICE,
            self.url or str(self._gguf),
            problem,
            fix=Message("Try a smaller GGUF file: memory may have run out.")
            if status == -signal.SIGKILL
            else Message("Set llm.gguf to another GGUF file, or install a newer xllamacpp."),
        )

    def _log_tail(self) -> str:
        self._log.seek(0, os.SEEK_END)
        self._log.seek(max(0, self._log.tell() - _TAIL_BYTES))
        lines = self._log.read().decode(errors="replace").splitlines()
        said = [_LOG_PREFIX.sub("", line).strip() for line in lines]
        return "; ".join([line.rstrip(".") for line in said if line][-_TAIL_LINES:])
