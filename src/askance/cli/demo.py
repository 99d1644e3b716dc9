"""`askance demo`: a whole search over an invented web, without a network."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from askance.cli.asking import answer
from askance.cli.demo_model import choose_model
from askance.cli.endings import Exit, exit_of, failure_sentence, say
from askance.cli.parts import SampleWeb
from askance.cli.shell import Shell
from askance.domain.events import Failed, RunEnd

DEMO_QUESTION = "strongest-gust"


def demonstrate(
    shell: Shell,
    question: str,
    overrides: Mapping[str, Any],
    *,
    as_json: bool = False,
    verbose: bool = False,
) -> Exit:
    """Answer a question from the sample web; an empty one takes the web's own best question."""

    async def run() -> RunEnd:
        model = await choose_model(shell, shell.settings(overrides))
        settings = shell.settings({**model.overrides, **overrides})
        with shell.serve_sample_web() as web:
            asked = question or default_question(web)
            say(shell.stderr, f"{model.says}\n> {asked}")
            front = shell.front(as_json=as_json, verbose=verbose)
            return await answer(shell, front, settings, asked, sample_web=web)

    end = asyncio.run(run())
    if isinstance(end, Failed):
        say(shell.stderr, f"askance: {failure_sentence(end)}")
    return exit_of(end)


def default_question(web: SampleWeb) -> str:
    """Return the question of the demo: one that the small model can answer, too."""
    return next(sample.question for sample in web.questions if sample.id == DEMO_QUESTION)
