"""`askance ask`: one question, one answer."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from askance.cli.consent import settled
from askance.cli.endings import Exit, told_end
from askance.cli.keeping import traced
from askance.cli.render.following import follow
from askance.cli.render.fronts import Front
from askance.cli.shell import Shell
from askance.config.settings import Settings
from askance.domain.conversation import Conversation
from askance.domain.events import RunEnd
from askance.session.conversing import Emit


def ask(
    shell: Shell,
    question: str,
    overrides: Mapping[str, Any],
    *,
    as_json: bool = False,
    verbose: bool = False,
) -> Exit:
    """Answer a question and return the exit code."""
    settings = shell.settings(overrides)
    if not as_json:
        settings = settled(shell, settings)
    front = shell.front(as_json=as_json, verbose=verbose)
    return told_end(asyncio.run(answer(shell, front, settings, question)), shell.stderr)


async def answer(
    shell: Shell, front: Front, settings: Settings, question: str, *, sample_web: Any | None = None
) -> RunEnd:
    """Open the parts, run the question without a history, and show it."""

    async def run(emit: Emit) -> RunEnd:
        async with shell.open_app(settings, shell.folders, sample_web=sample_web) as app:
            with traced(shell, settings.trace, question, emit) as keeping:
                return await app.engine.run(question, Conversation(), emit=keeping)

    return await follow(front, run)
