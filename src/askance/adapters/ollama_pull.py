"""Fetching a model through Ollama, and starting Ollama itself. Both only ever at somebody's wish."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from subprocess import Popen

from pydantic import BaseModel, ConfigDict

from askance.adapters.model_server import ModelServer
from askance.adapters.ollama import refuse_cloud
from askance.adapters.program import start_detached
from askance.adapters.refusals import message_of
from askance.config.settings import LlmSettings
from askance.domain.errors import ModelMissing, ServiceDown, ServiceError, ServiceSlow

SERVICE = "Ollama"
START_LIMIT_S = 20.0
_KNOCK_S = 0.3
# What Ollama says of a name that its registry does not know.
_UNKNOWN = ("file does not exist", "not found", "invalid model name")
# They outlive this program; a child that nobody holds would be missed by Python.
_children: list[Popen[bytes]] = []


@dataclass(frozen=True, slots=True)
class PullStep:
    """How far a model is. `doing` is Ollama's own word; bytes are those of all layers known by now."""

    doing: str
    done_bytes: int = 0
    total_bytes: int = 0


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    status: str = ""
    digest: str = ""
    total: int = 0
    completed: int = 0
    error: str | None = None


async def pull_model(settings: LlmSettings, name: str, report: Callable[[PullStep], None]) -> None:
    """Fetch a model. Cancelling stops it; what has come already is there for the next time.

    Raises:
        ModelRefused: it would run in a cloud.
        ModelMissing: there is none of that name.
        ServiceDown, ServiceSlow, ServiceRefused, ServiceNonsense: Ollama failed.
        SettingsError: the address is none.
    """
    refuse_cloud(name)
    server = ollama_server(settings)
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
                if not line.strip():
                    continue
                said = _parsed(server, line)
                if said.error is not None:
                    raise _failure(server, name, said.error, 0, line.decode(errors="replace"))
                if said.status == "success":
                    return
                report(_step(said, layers))
            raise server.cut_off()
    finally:
        await server.aclose()


async def start_ollama(
    settings: LlmSettings, executable: str, environment: Mapping[str, str]
) -> None:
    """Start Ollama so that it outlives this program, and wait until it answers.

    Raises:
        ServiceDown: it cannot be started.
        ServiceSlow: it does not answer in time.
    """
    server = ollama_server(settings)
    try:
        try:
            child = start_detached([executable, "serve"], environment)
        except OSError as exc:
            problem = f"Ollama cannot be started: {exc.strerror or exc}."
            raise ServiceDown(SERVICE, server.address, problem) from exc
        _children.append(child)
        try:
            async with asyncio.timeout(START_LIMIT_S):
                while not await _answers(server):
                    if child.poll() is not None:
                        problem = f"Ollama ended at once, with status {child.returncode}."
                        fix = "Run `ollama serve` in a terminal to see why."
                        raise ServiceDown(SERVICE, server.address, problem, fix=fix)
                    await asyncio.sleep(_KNOCK_S)
        except TimeoutError as exc:
            problem = f"Ollama was started, and does not answer at {server.address} yet."
            raise ServiceSlow(SERVICE, server.address, problem, fix="Look again soon.") from exc
    finally:
        await server.aclose()


def ollama_server(settings: LlmSettings) -> ModelServer:
    """Return the connection to the Ollama of the settings. Close it."""
    return ModelServer(
        settings,
        service=SERVICE,
        address=settings.url.removesuffix("/api"),
        start="Start it with `ollama serve`, or set llm.url.",
    )


async def _answers(server: ModelServer) -> bool:
    try:
        stream = await server.send("GET", "/api/version")
        await stream.text()
    except ServiceError:
        return False
    return stream.status == 200


def _step(said: _Line, layers: dict[str, tuple[int, int]]) -> PullStep:
    if said.digest:
        layers[said.digest] = (min(said.completed, said.total), said.total)
    done, total = (
        (sum(column) for column in zip(*layers.values(), strict=True)) if layers else (0, 0)
    )
    return PullStep(said.status, done, total)


def _parsed(server: ModelServer, line: bytes) -> _Line:
    try:
        return _Line.model_validate_json(line)
    except ValueError as exc:
        raise server.unreadable(line.decode(errors="replace")) from exc


def _failure(
    server: ModelServer, name: str, said: str, status: int, body: str
) -> ModelMissing | ServiceError:
    if any(sign in said for sign in _UNKNOWN):
        return ModelMissing(
            f"There is no model {name} to fetch.", fix="https://ollama.com/search lists them."
        )
    return server.refused(status, body) if status else server.broken(body)
