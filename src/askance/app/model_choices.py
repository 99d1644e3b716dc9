"""The models of the server that are there to choose from, with what is known of each, and finding out more."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from askance.app.checks.first_steps import loaded_models
from askance.app.evaluation.records import Grade, label_of
from askance.app.model_tiers import model_tiers
from askance.domain.events import ignore
from askance.domain.messages import Message
from askance.presentation.missing_parts import OUT_OF_MEMORY, MissingPart, with_smaller
from askance.presentation.model_words import TIER_NAMES
from askance.system.machine import free_memory

if TYPE_CHECKING:
    from askance.app.container import App
    from askance.config.folders import Folders
    from askance.config.settings import Settings

# What a token is of a word, about, in languages that are written with an alphabet.
_WORDS_A_TOKEN = 0.75


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """One model: 0 is what is not known. `grade` is what its evaluation on this machine came to, None before one."""

    name: str
    size_bytes: int = 0
    is_loaded: bool = False
    words_a_second: int = 0
    grade: Message | None = None
    is_good: bool = False
    """Whether it is good for research."""
    free_bytes: int = 0
    """What it could take of this machine's memory, where that is too little for it; else 0."""
    context_tokens: int = 0
    host: str = ""
    """Where it runs, if not here."""


async def with_less_memory(parts: App, model: str) -> MissingPart:
    """Return what can be done about a model that ran out of memory: a smaller one of its server, where there is one.

    An empty name is that of the settings. Raises ServiceError: the server failed.
    """
    choices = {choice.name: choice for choice in await model_choices(parts)}
    if not model and parts.model is not None:
        model = (await parts.model.info()).name
    size = choices[model].size_bytes if model in choices else 0
    fitting = [c for c in choices.values() if not c.free_bytes and 0 < c.size_bytes < size]
    if not fitting:
        return OUT_OF_MEMORY
    # The largest of them answers best.
    best = max(fitting, key=lambda choice: choice.size_bytes)
    labels = {tier.ollama: TIER_NAMES[tier.key] for tier in model_tiers()}
    label = Message.term(labels[best.name]) if best.name in labels else Message.verbatim(best.name)
    return with_smaller(best.name, label, best.size_bytes)


async def model_choices(parts: App) -> tuple[ModelChoice, ...]:
    """Ask the server for its models. Raises ServiceError: it failed."""
    from askance.adapters.llm.model_queue import SpeedFile  # noqa: PLC0415 - once it is asked for

    if parts.model is None:
        return ()
    llm = parts.settings.llm
    models = await parts.model.models()
    # Asked only once the list has come: without it there is nothing to mark.
    loaded = await loaded_models(llm) if models else frozenset[str]()
    grades = await asyncio.to_thread(parts.container.evaluations.labels, llm.server)
    speeds = SpeedFile(parts.container.folders.speeds)
    # A model that is loaded makes room for the next one.
    free = free_memory() + sum(model.size_bytes for model in models if model.name in loaded)
    found: list[ModelChoice] = []
    for model in models:
        speed = await speeds.known(llm.server, model.name)
        is_here, grade = not model.host and model.name not in loaded, grades.get(model.name)
        choice = ModelChoice(
            model.name,
            model.size_bytes,
            model.name in loaded,
            round(speed.reply_tps * _WORDS_A_TOKEN),
            grade,
            is_good=grade == label_of(Grade.RESEARCH),
            free_bytes=free if is_here and 0 < free < model.size_bytes else 0,
            context_tokens=model.context_tokens,
            host=model.host,
        )
        found.append(choice)
    return tuple(found)


async def evaluate_model(
    settings: Settings, folders: Folders, model: str, report: Callable[[tuple[int, int]], None]
) -> None:
    """Evaluate a model of the server on the sample web; `report` gets what is done, and of how many.

    Raises:
        AskanceError: the model server failed.
    """
    # The parts are loaded by whoever evaluates alone.
    from askance.app.container import Container, open_app  # noqa: PLC0415
    from askance.app.evaluation.running import evaluation_run  # noqa: PLC0415
    from askance.sample_web.sample_server import serve_sample_web  # noqa: PLC0415

    llm = settings.llm.model_copy(update={"model": model})
    settings = settings.model_copy(update={"llm": llm})
    folder = Container(settings, folders).evaluations
    with serve_sample_web() as web:
        going = evaluation_run(folder, llm.server, model, web.questions, ignore)
        evaluation = going.evaluation
        done, of = len(evaluation.done), evaluation.of + evaluation.of_batches
        report((done, of))
        async with open_app(settings, folders, sample_web=web, on_error=ignore) as app:
            await going.go_on(app.engine, web.questions, lambda _: report((done + going.asked, of)))
