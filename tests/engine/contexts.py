"""A run as the stages of one get it, without an engine around it."""

from __future__ import annotations

from askance.config.settings import Settings
from askance.domain.conversation import RunRequest
from askance.engine.context import RunContext, TimeBudget
from askance.engine.model_session import ModelSession
from askance.engine.model_speed import ModelSpeed
from askance.engine.prompts import load_prompts
from askance.engine.query_privacy import PrivateWords
from askance.engine.run_progress import RunState
from askance.text.message_parts import read_message


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
        TimeBudget(progress, speed, settings.limits),
        PrivateWords(question, [], []),
        calls,
    )
