"""Prompts in portions at servers that wait, keep no prefix, or do not count: what they cost.

    python -m bench.waiting_servers --out docs/bench/slow-server.md

Whole runs on a simulated clock, one question after the other from a cold start. Beside each stands the
same with every prompt sent whole.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from string import Template

from askance.config.settings import Settings
from askance.domain.conversation import Outcome, RunRequest
from askance.domain.events import Answered
from askance.engine.model_speed import HANG_UP_S, ModelSpeed
from askance.engine.prompts import load_prompts
from askance.engine.run import Engine
from askance.sample_web.sample_pages import Question, load_questions
from bench.clock import simulate
from bench.costs import Speed
from bench.slow_model import ServerHabits, SlowModel
from bench.web import SampleReader, SampleSearch

WAITS_S = (0.0, 0.5, 1.0, 2.0, 3.0, 6.0, 10.0)
PREFILLS = (60.0, 150.0, 300.0)
DECODE = 20.0
QUESTIONS = load_questions()[:3]
STOPPED_AFTER_S = range(1, 41, 3)
PAGE = Path(__file__).with_name("waiting_servers.md")


@dataclass(frozen=True, slots=True)
class Server:
    """What a server does: its prompt tokens a second, and its habits."""

    prefill: float
    habits: ServerHabits

    def model(self, question: Question) -> SlowModel:
        """Start it."""
        return SlowModel(question, Speed(self.prefill, DECODE), self.habits)


@dataclass(frozen=True, slots=True)
class Runs:
    """What the runs took, in seconds and requests, and how many ended with an answer of the model."""

    seconds: float
    requests: int
    answers: int


@dataclass(frozen=True, slots=True)
class Row:
    """A server, with the same questions asked in whole prompts and as the program sends them."""

    server: Server
    whole: Runs
    shipped: Runs
    whole_busy_s: float
    busy_s: float

    @property
    def ratio(self) -> float:
        """How many times as long as in whole prompts it took."""
        return self.shipped.seconds / self.whole.seconds

    def __str__(self) -> str:
        habits = self.server.habits
        return (
            f"| {habits.wait_s:g} | {self.server.prefill:g} | {_yes(habits.keeps_prompt)} |"
            f" {_yes(habits.counts)} | {self.whole.requests} | {self.whole.seconds:.0f} |"
            f" {self.shipped.requests} | {self.shipped.seconds:.0f} | {self.ratio:.2f} |"
            f" {self.shipped.answers} of {len(QUESTIONS)} |"
            f" {self.whole_busy_s:.1f} | {self.busy_s:.1f} |"
        )


def servers(
    waits_s: Sequence[float] = WAITS_S, prefills: Sequence[float] = PREFILLS, *, noise: float = 0.0
) -> Iterator[Server]:
    """Return every kind of server."""
    for counts in (False, True):
        for keeps in (True, False):
            for prefill in prefills:
                for wait_s in waits_s:
                    habits = ServerHabits(keeps, wait_s=wait_s, counts=counts, noise=noise)
                    yield Server(prefill, habits)


def measure(
    server: Server,
    questions: Sequence[Question] = QUESTIONS,
    *,
    whole: bool = False,
    pace: ModelSpeed | None = None,
) -> Runs:
    """Ask questions one after the other; with `whole` no prompt is sent in portions.

    `pace` is what is known of the server before; nothing where it is left out.
    """
    return simulate(_measured(server, questions, _paced(pace or ModelSpeed(), whole=whole)))


def busy_after_stop_s(
    server: Server, *, whole: bool = False, questions: Sequence[Question] = QUESTIONS
) -> float:
    """Return for how long the server goes on at the most where a run is stopped, its speed known."""
    pace = _paced(ModelSpeed(), whole=whole)
    simulate(_measured(server, questions, pace))
    return max(simulate(_stopped(server, pace, seconds)) for seconds in STOPPED_AFTER_S)


def _paced(pace: ModelSpeed, *, whole: bool) -> ModelSpeed:
    if whole:
        pace.hang_up_s = math.inf
    return pace


def _engine(model: SlowModel, pace: ModelSpeed) -> Engine:
    return Engine(
        model,
        SampleSearch(),
        SampleReader(),
        load_prompts(),
        Settings(),
        lambda: date(2026, 3, 2),
        model_speed=pace,
    )


async def _measured(server: Server, questions: Iterable[Question], pace: ModelSpeed) -> Runs:
    model: SlowModel | None = None
    answers, loop = 0, asyncio.get_running_loop()
    for question in questions:
        model = model or server.model(question)
        model.question = question
        engine = _engine(model, pace)
        end = await engine.run(RunRequest(question.question), emit=lambda _: None)
        is_written = isinstance(end, Answered) and end.outcome is not Outcome.PASSAGES_ONLY
        answers += is_written
    return Runs(loop.time(), len(model.calls) if model else 0, answers)


async def _stopped(server: Server, pace: ModelSpeed, after_s: float) -> float:
    question = QUESTIONS[1]
    model = server.model(question)
    pace.held = ""
    with suppress(TimeoutError):
        async with asyncio.timeout(after_s):
            await _engine(model, pace).run(RunRequest(question.question), emit=lambda _: None)
    return max(model.remainders, default=0.0)


def row(server: Server) -> Row:
    """Measure a server."""
    return Row(
        server,
        measure(server, whole=True),
        measure(server),
        busy_after_stop_s(server, whole=True),
        busy_after_stop_s(server),
    )


def summary(rows: Sequence[Row]) -> str:
    """Say in a sentence what holds of all rows."""
    worst = max(r.ratio for r in rows)
    answers = sum(r.shipped.answers for r in rows)
    promised = [r for r in rows if r.server.habits.keeps_prompt and r.server.habits.wait_s == 0]
    return (
        f"The slowest takes {worst:.2f} times as long as in whole prompts; {answers} of"
        f" {len(rows) * len(QUESTIONS)} runs end with an answer of the model. Where nothing waits and the"
        f" beginning of a prompt is kept, a stop leaves the server busy for"
        f" {max(r.busy_s for r in promised):.1f} s at the most ({HANG_UP_S:g} s are promised)."
    )


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def main() -> int:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m bench.waiting_servers", description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--noise", type=float, default=0.0, help="share by which times vary")
    options = parser.parse_args()
    rows: list[Row] = []
    for server in servers(noise=options.noise):
        rows.append(row(server))
        sys.stderr.write(f"{rows[-1]}\n")
    text = Template(PAGE.read_text("utf-8")).substitute(
        rows="\n".join(map(str, rows)), summary=summary(rows)
    )
    options.out.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
