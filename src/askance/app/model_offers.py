"""What models there are for this machine: servers that run on it already, and tiers to download, with what fits."""

from __future__ import annotations

import asyncio
import json
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib.util import find_spec

from askance.adapters.containers.compose import find_executable
from askance.adapters.llm.embedded import has_engine
from askance.adapters.llm.local_servers import find_servers
from askance.adapters.llm.model_queue import SpeedFile
from askance.app.model_tiers import model_tiers
from askance.config.choices import LlmApi
from askance.config.folders import Folders
from askance.config.settings import LlmSettings
from askance.domain.downloads import FoundServer, ModelTier, ProcessorTrial
from askance.system.children import end_child, start_child
from askance.system.machine import free_disk, free_memory, graphics_memory
from askance.system.program import child_command

FindServers = Callable[[], Awaitable[tuple[FoundServer, ...]]]
TryProcessor = Callable[[], Awaitable[ProcessorTrial | None]]
_WORDS_A_TOKEN = 0.75
"""Words that a token makes, in English."""
# What an answer takes: the tokens that are read for it in all, and those that are written.
_READ_TOKENS, _WRITTEN_TOKENS = 2000, 300
# llama.cpp multiplies about half as fast as a matrix library, and reads memory with several threads.
_MULTIPLYING, _READING = 0.5, 1.5
# With its model in a graphics card a computer takes about so long, and longer with larger models.
_CARD_S, _CARD_S_A_BILLION = 2.0, 1.0
# Nobody waits longer for an answer while a smaller model has one.
_LONGEST_ANSWER_S = 120.0
_TRIAL_LIMIT_S = 10.0


@dataclass(frozen=True, slots=True)
class OfferedTier:
    """A tier as it would be here. `answer_s` is 0 where the machine was not tried."""

    tier: ModelTier
    answer_s: float
    has_room: bool
    is_quick: bool

    @property
    def fits(self) -> bool:
        """Whether this computer has the memory for it, and the speed."""
        return self.has_room and self.is_quick


@dataclass(frozen=True, slots=True)
class ModelOffers:
    """The tiers, which of them fits best, and by what they come.

    `by_ollama` says that Ollama runs and would download them; `can_run` that a downloaded file can be run
    here. `has_card` says that a graphics card would be used. `free_disk` is 0 where it is not known.
    """

    tiers: tuple[OfferedTier, ...]
    chosen: int
    by_ollama: bool
    can_run: bool
    has_card: bool
    free_disk: int


async def running_servers(
    folders: Folders, environment: Mapping[str, str], find: FindServers = find_servers
) -> tuple[FoundServer, ...]:
    """Return the model servers of this machine, the fastest first; an Ollama that is not started is the last.

    Only ports of this machine are asked.
    """
    speeds, found = SpeedFile(folders.speeds), list[FoundServer]()
    for server in await find():
        known = await speeds.known(server.url, server.model)
        found.append(replace(server, words_per_s=known.reply_tps * _WORDS_A_TOKEN))
    # What was measured here says more than how soon a list came.
    found.sort(key=lambda server: (not server.model, -server.words_per_s, server.answered_ms))
    is_there = any(server.program == "Ollama" for server in found)
    if not is_there and find_executable("ollama", environment):
        url = LlmSettings().url
        found.append(FoundServer("Ollama", LlmApi.OLLAMA.value, url, is_running=False))
    return tuple(found)


async def offers(
    folders: Folders,
    servers: tuple[FoundServer, ...],
    trial: ProcessorTrial | None,
    *,
    free: Callable[[], int] = free_memory,
    card: Callable[[], int] = graphics_memory,
) -> ModelOffers:
    """Return what can be downloaded, and which of it fits."""
    by_ollama = any(server.program == "Ollama" and server.is_running for server in servers)
    memory, card_bytes, disk = await asyncio.to_thread(
        lambda: (free(), card() if by_ollama else 0, free_disk(folders.models) or 0)
    )
    tiers = tuple(_offered(tier, memory, card_bytes, trial) for tier in model_tiers())
    fitting = [at for at, offered in enumerate(tiers) if offered.fits]
    roomy = [at for at, offered in enumerate(tiers) if offered.has_room]
    # Where all are slow the smallest is the least so.
    chosen = fitting[-1] if fitting else min(roomy, default=0)
    can_run = by_ollama or (has_engine() and (trial is None or trial.runs_engine))
    return ModelOffers(tiers, chosen, by_ollama, can_run, bool(card_bytes), disk)


def _offered(
    tier: ModelTier, memory: int, card_bytes: int, trial: ProcessorTrial | None
) -> OfferedTier:
    if card_bytes >= tier.needs_bytes:
        answer_s = _CARD_S + _CARD_S_A_BILLION * tier.parameters
        return OfferedTier(tier, answer_s, has_room=True, is_quick=True)
    # 0 where the system does not tell.
    has_room = not memory or tier.needs_bytes <= memory
    if trial is None:
        return OfferedTier(tier, 0.0, has_room, is_quick=True)
    answer_s = expected_answer_s(tier, trial)
    return OfferedTier(tier, answer_s, has_room, is_quick=answer_s <= _LONGEST_ANSWER_S)


def expected_answer_s(tier: ModelTier, trial: ProcessorTrial) -> float:
    """Return how long an answer takes where the processor runs the model."""
    # A token takes two operations a parameter while it is read, and all weights while it is written.
    reads_tps = _MULTIPLYING * trial.gigaflops / (2 * tier.parameters)
    writes_tps = _READING * trial.gigabytes_per_s * 1e9 / tier.bytes
    return _READ_TOKENS / reads_tps + _WRITTEN_TOKENS / writes_tps


async def try_processor() -> ProcessorTrial | None:
    """Multiply and read for a moment in a process of its own; None where that cannot be done."""
    if find_spec("numpy") is None:
        return None
    with suppress(OSError, ValueError, TypeError, TimeoutError):
        async with asyncio.timeout(_TRIAL_LIMIT_S):
            child = await start_child(
                *child_command("askance.system.processor_trial"),
                stdin=DEVNULL,
                stdout=PIPE,
                stderr=DEVNULL,
            )
            try:
                assert child.stdout is not None
                return ProcessorTrial(**json.loads(await child.stdout.readline()))
            finally:
                await end_child(child)
    return None
