"""Prompts in portions at servers that wait, keep no prefix, or do not count: what they cost.

    python -m bench.waiting_servers --out docs/bench/slow-server.md

Whole runs on a simulated clock, two questions one after the other from a cold start. Beside each
stands the same with every prompt sent whole.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from string import Template

from askance.config.settings import Settings
from askance.domain.conversation import Conversation, Outcome
from askance.domain.events import Answered
from askance.engine.pace import Pace
from askance.engine.prompts import load_prompts
from askance.engine.run import Engine
from askance.sample_web.server import Question, load_questions
from bench.clock import simulate
from bench.costs import Speed
from bench.slow_model import SlowModel
from bench.web import SampleReader, SampleSearch

WAITS_S = (0.0, 1.0, 3.0, 6.0, 10.0)
PREFILLS = (60.0, 150.0, 300.0)
DECODE = 20.0
QUESTIONS = load_questions()[:2]
PAGE = Path(__file__).with_name("waiting_servers.md")


@dataclass(frozen=True, slots=True)
class Server:
    """What a server does: its wait in seconds before each request, and its prompt tokens a second."""

    wait_s: float
    prefill: float
    keeps_prompt: bool
    counts: bool

    def model(self, question: Question) -> SlowModel:
        """Start it."""
        return SlowModel(
            question,
            Speed(self.prefill, DECODE),
            keeps_prompt=self.keeps_prompt,
            wait_s=self.wait_s,
            counts=self.counts,
        )


@dataclass(frozen=True, slots=True)
class Runs:
    """What the runs took, in seconds and requests, and how many ended with an answer of the model."""

    seconds: float
    requests: int
    answers: int


def servers(
    waits_s: Sequence[float] = WAITS_S, prefills: Sequence[float] = PREFILLS
) -> Iterator[Server]:
    """Return every kind of server."""
    for counts in (False, True):
        for keeps in (True, False):
            for prefill in prefills:
                for wait_s in waits_s:
                    yield Server(wait_s, prefill, keeps, counts)


def measure(
    server: Server,
    questions: Sequence[Question] = QUESTIONS,
    *,
    whole: bool = False,
    pace: Pace | None = None,
) -> Runs:
    """Ask questions one after the other; with `whole` no prompt is sent in portions.

    `pace` is what is known of the server before; nothing where it is left out.
    """
    return simulate(_measured(server, questions, pace or Pace(), whole=whole))


async def _measured(
    server: Server, questions: Sequence[Question], pace: Pace, *, whole: bool
) -> Runs:
    model = server.model(questions[0])
    if whole:
        pace.hang_up_s = math.inf
    answers, loop = 0, asyncio.get_running_loop()
    for question in questions:
        model.question = question
        engine = Engine(
            model,
            SampleSearch(),
            SampleReader(),
            load_prompts(),
            Settings(),
            lambda: date(2026, 3, 2),
            pace=pace,
        )
        end = await engine.run(question.question, Conversation(), emit=lambda _: None)
        is_written = isinstance(end, Answered) and end.outcome is not Outcome.PASSAGES_ONLY
        answers += is_written
    return Runs(loop.time(), len(model.calls), answers)


def row(server: Server) -> str:
    """Return one line of the table."""
    portions, whole = measure(server), measure(server, whole=True)
    line = (
        f"| {server.wait_s:g} | {server.prefill:g} | {_yes(server.keeps_prompt)} |"
        f" {_yes(server.counts)} | {whole.requests} | {whole.seconds:.0f} | {portions.requests} |"
        f" {portions.seconds:.0f} | {portions.seconds / whole.seconds:.2f} |"
        f" {portions.answers} of {len(QUESTIONS)} |"
    )
    sys.stderr.write(f"{line}\n")
    return line


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def main() -> int:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m bench.waiting_servers", description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    rows = "\n".join(row(server) for server in servers())
    options.out.write_text(Template(PAGE.read_text("utf-8")).substitute(rows=rows), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
