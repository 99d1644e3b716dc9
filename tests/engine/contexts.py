"""A run as the stages of one get it, its calls without an engine around them, and an engine of scripts."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from askance.config.settings import Settings
from askance.domain.conversation import RunRequest, SearchSize, Turn
from askance.domain.ports.model import ChatModel
from askance.domain.web_pages import WHOLE_WEB, SearchScope
from askance.engine.context import RunContext, TimeBudget
from askance.engine.model_session import ModelSession
from askance.engine.model_speed import ModelSpeed
from askance.engine.prompts import ContextBudget, load_prompts
from askance.engine.query_privacy import PrivateWords
from askance.engine.run import Engine
from askance.engine.run_progress import RunState
from askance.engine.search import SearchRun
from askance.text.message_parts import read_message
from fakes.model import ScriptedModel
from fakes.reader import ScriptedReader
from fakes.search import ScriptedSearch


def context_of(
    question: str,
    progress: RunState,
    settings: Settings | None = None,
    calls: ModelSession | None = None,
) -> RunContext:
    """Return the context of a question whose model's pace nobody knows."""
    settings, speed = settings or Settings(), ModelSpeed()
    return RunContext(
        RunRequest(question),
        read_message(question),
        settings,
        load_prompts(),
        progress,
        speed,
        TimeBudget(progress, speed, settings),
        PrivateWords(question, [], []),
        date(2026, 11, 29),
        calls,
    )


def session_of(
    progress: RunState,
    model: ScriptedModel | None = None,
    question: str = "Why?",
    *,
    turns: tuple[Turn, ...] = (),
    context: int = 8192,
    answer: int = 900,
    **options: Any,
) -> ModelSession:
    """Return the calls of a run with a model of so much context, and room for so long an answer."""
    budget, prompts = ContextBudget(context, answer), load_prompts()
    model = model or ScriptedModel()
    return ModelSession(model, budget, prompts, progress, "System.", question, turns, **options)


def engine_of(
    model: ChatModel,
    search: ScriptedSearch | None = None,
    reader: ScriptedReader | None = None,
    **parts: Any,
) -> Engine:
    """Return an engine; without `search` and `reader` the web is empty."""
    return Engine(
        model,
        search or ScriptedSearch({}),
        reader or ScriptedReader({}),
        load_prompts(),
        Settings(),
        lambda: date(2026, 11, 29),
        **parts,
    )


def search_run_of(
    search: ScriptedSearch,
    progress: RunState,
    question: str = "",
    *,
    size: SearchSize | None = None,
    private: Sequence[str] = (),
    narrowing: SearchScope = WHOLE_WEB,
) -> SearchRun:
    """Return the searches for a question beside which some texts are private."""
    words = PrivateWords(question, private, [])
    return SearchRun(search, size or SearchSize(), progress, words, narrowing, question)
