"""Downloading a model through Ollama, and starting Ollama itself. Both only ever at somebody's wish."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping
from contextlib import aclosing, suppress
from threading import Thread
from urllib.parse import urlsplit

from askance.adapters.containers.tool import program_on
from askance.adapters.llm.model_server import OLLAMA_IS_AT, ModelServer, Wire
from askance.adapters.llm.ollama import SERVICE, refuse_cloud, server_of
from askance.adapters.llm.replies import message_of
from askance.config.settings import LlmSettings
from askance.domain.errors import (
    ModelMissing,
    ServiceDown,
    ServiceError,
    ServiceRefused,
    ServiceTimeout,
)
from askance.domain.messages import Message, Remedy
from askance.domain.ports.model import PullStep
from askance.system.program import start_detached

START_LIMIT_S = 20.0
_KNOCK_S = 0.3
_LOOK_S = 2.0
# What Ollama says of a name that its registry does not know.
_UNKNOWN = ("file does not exist", "not found", "invalid model name")
_LISTED = Message("https://ollama.com/search lists them.")
# How Go tells of a connection that did not come about.
_OFFLINE = re.compile(
    r"dial tcp|proxyconnect|no such host|server misbehaving|network is unreachable|"
    r"TLS handshake|i/o timeout|connection re(?:fused|set)",
    re.IGNORECASE,
)


class _Line(Wire):
    status: str = ""
    digest: str = ""
    total: int = 0
    completed: int = 0
    error: str | None = None


async def pull_model(settings: LlmSettings, name: str, report: Callable[[PullStep], None]) -> None:
    """Fetch a model. Cancelling stops it; what has come already is there for the next time.

    Raises:
        ModelRefused: it would run in a cloud.
        ModelMissing: there is none of that name, or no name.
        ServiceDown, ServiceTimeout, ServiceRefused, ServiceProtocolError: Ollama failed.
        SettingsError: the address is none.
    """
    name = name.strip()
    if not name:
        raise ModelMissing(Message("No model is named for the download."), fix=_LISTED)
    refuse_cloud(name)
    server = server_of(settings)
    try:
        # The registry is asked before the first line comes, which may take longer than a reply.
        body = {"model": name, "stream": True}
        stream = await server.send("POST", "/api/pull", body, loads=True)
        async with aclosing(stream):
            if stream.status != 200:
                text = await stream.text()
                raise _failure(server, name, message_of(text), stream.status, text)
            layers: dict[str, tuple[int, int]] = {}
            while (line := await stream.line()) is not None:
                stream.alive()
                if not line.strip():
                    continue
                parsed = server.parsed(_Line, line)
                if parsed.error is not None:
                    raise _failure(server, name, parsed.error, 0, line.decode(errors="replace"))
                if parsed.status == "success":
                    return
                report(_step(parsed, layers))
            raise server.cut_off()
    finally:
        await server.aclose()


async def start_ollama(
    settings: LlmSettings, executable: str, environment: Mapping[str, str]
) -> None:
    """Start Ollama at the address of llm.url, so that it outlives this program, and wait until it
    answers.

    Raises:
        ServiceDown: it cannot be started.
        ServiceTimeout: it does not answer in time.
    """
    server = server_of(settings)
    try:
        try:
            here = {**environment, "OLLAMA_HOST": _listening_at(server.address)}
            child = start_detached([executable, "serve"], here)
        except OSError as exc:
            problem = Message("Ollama cannot be started: {problem}.", problem=exc)
            raise ServiceDown(SERVICE, server.address, problem) from exc
        # Whenever it ends, it is not to stay behind as a process that nobody has waited for.
        Thread(target=child.wait, name="ollama", daemon=True).start()
        try:
            async with asyncio.timeout(START_LIMIT_S):
                while not await _answers(server):
                    if child.poll() is not None:
                        raise await _ended(server.address, child.returncode)
                    await asyncio.sleep(_KNOCK_S)
        except TimeoutError as exc:
            problem = Message(
                "Ollama was started, and does not answer at {address} yet.", address=server.address
            )
            raise ServiceTimeout(
                SERVICE, server.address, problem, fix=Message("Check again in a moment.")
            ) from exc
    finally:
        await server.aclose()


def _listening_at(address: str) -> str:
    """Return an address in the form in which OLLAMA_HOST is written."""
    parts = urlsplit(address)
    host = parts.hostname or ""
    port = parts.port or (443 if parts.scheme == "https" else 80)
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


async def _ended(address: str, status: int) -> ServiceDown:
    """Return the error of an Ollama that did not stay, with what can be seen of the reason."""
    problem = Message("Ollama ended at once, with status {status}.", status=str(status))
    place = _listening_at(address)
    fix = Remedy(
        "Run `OLLAMA_HOST={place} ollama serve` in a terminal to see why.",
        command="ollama serve",
        place=place,
    )
    host, _, port = place.rpartition(":")
    with suppress(OSError, TimeoutError):
        async with asyncio.timeout(_LOOK_S):
            _, writer = await asyncio.open_connection(host.strip("[]"), int(port))
        writer.close()
        holder = await asyncio.to_thread(program_on, int(port)) or Message("another program")
        problem = Message(
            "Ollama ended at once, with status {status}: {name} listens at {place} already.",
            status=str(status),
            name=holder,
            place=place,
        )
        fix = Message("Stop that, or set llm.url to another port.")
    return ServiceDown(SERVICE, address, problem, fix=fix)


async def _answers(server: ModelServer) -> bool:
    try:
        stream = await server.send("GET", "/api/version")
        await stream.text()
    except ServiceError:
        return False
    return stream.status == 200


def _step(line: _Line, layers: dict[str, tuple[int, int]]) -> PullStep:
    if line.digest:
        layers[line.digest] = (min(line.completed, line.total), line.total)
    done, total = (
        (sum(column) for column in zip(*layers.values(), strict=True)) if layers else (0, 0)
    )
    return PullStep(done, total)


def _failure(
    server: ModelServer, name: str, error: str, status: int, body: str
) -> ModelMissing | ServiceError:
    if _OFFLINE.search(error):
        # The address that it asked stands before the reason, and is none of the user's.
        reason = error.rpartition('": ')[2].rstrip(".")
        problem = Message(
            "Ollama cannot connect to the site that models are downloaded from: {said}.",
            said=reason,
        )
        fix = Message(
            "Connect this computer to the internet and download it again: it continues where "
            "it stopped. Behind a proxy, start Ollama with HTTPS_PROXY."
        )
        return ServiceRefused(SERVICE, server.address, problem, fix=fix)
    if "no space left" in error:
        problem = Message("The disk is full on which Ollama keeps its models.")
        return ServiceRefused(
            SERVICE, server.address, problem, fix=Message("Free some space on it.")
        )
    if "newer version" in error:
        problem = Message("This Ollama is too old for {model}.", model=name)
        fix = Message("Update it: {address} has the newest.", address=OLLAMA_IS_AT)
        return ServiceRefused(SERVICE, server.address, problem, fix=fix)
    if any(sign in error for sign in _UNKNOWN):
        return ModelMissing(
            Message("There is no model {model} to download.", model=name), fix=_LISTED
        )
    return server.refused(status, body) if status else server.broken(body)
