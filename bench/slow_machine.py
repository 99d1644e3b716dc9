"""Runs on a slow machine: a real small model, held to so many prompt tokens a second.

    python -m bench.slow_machine --gguf MODEL.gguf --tps 60 --tps 25 --out docs/bench/slow-machine.md

llama.cpp's server runs with its own defaults in a child process that is stopped whenever it has had
its share of a processor. Long prompts are stopped in the midst of their evaluation, and the next one
timed; then twenty questions of the sample web are asked one after another, as by one user.

On a machine with processors to spare `--users` shares the questions out among several users, each
with a server and a home of their own, who ask at the same time.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import AsyncGenerator
from concurrent.futures import ProcessPoolExecutor
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from string import Template

from askance.app.container import App, open_app
from askance.config.folders import find_folders
from askance.config.sources import load_settings
from askance.domain.conversation import Outcome, RunRequest
from askance.domain.events import Answered
from askance.domain.ports.model import ChatMessage, ChatModel, Finished, ModelCall, Role, Timing
from askance.engine import run as engine_run
from askance.engine.model_session import ReplyOpener
from askance.engine.model_speed import ModelSpeed
from askance.engine.prompts import ContextBudget, prompted
from askance.engine.run_progress import RunState
from askance.sample_web.sample_pages import Question, load_library, load_questions
from askance.sample_web.sample_server import serve_sample_web
from bench.slow_server import CONTEXT_TOKENS, SlowServer, serve

QUESTIONS = 20
CALIBRATION_WORDS = 400
STOPPED_WORDS = 400
STOPPED_AFTER_S = 4.0
STOPS = 5
PAGE = Path(__file__).with_name("slow_machine.md")


@dataclass(frozen=True, slots=True)
class Row:
    """One question: how it ended, and what it took."""

    id: str
    outcome: str
    cited: int
    quoted: bool
    seconds: float
    limit_s: float
    prompt_tps: float
    reply_tps: float
    warnings: int

    @property
    def has_sources(self) -> bool:
        """Whether it ended with a citation or a quoted passage."""
        return self.cited > 0 or self.quoted


@dataclass(frozen=True, slots=True)
class Stop:
    """A prompt that was stopped while it was evaluated: seconds until the next one's first token."""

    portions: bool
    idle_s: float
    after_stop_s: float


class LastProgress(RunState):
    """A run's progress as it is; the newest one is kept, for it has the limit that the run had."""

    newest: LastProgress

    def set_ends(self, wall_clock_s: float, answer_reserve_s: float) -> None:
        """See `RunState.set_ends`."""
        LastProgress.newest = self
        super().set_ends(wall_clock_s, answer_reserve_s)


def words(count: int, seed: int) -> str:
    """Return so many words of the sample web's pages, others for each seed."""
    pages = [" ".join(d.text.split()) for d in load_library().documents.values()]
    text = " ".join(pages[seed % len(pages) :] + pages).split()
    return " ".join(text[seed * 97 : seed * 97 + count])


async def calibrate(model: ChatModel, server: SlowServer) -> float:
    """Return how many prompt tokens the server takes in within a second of processor."""
    before = server.brake.used_s()
    timing = Timing()
    call = ModelCall((ChatMessage(Role.USER, words(CALIBRATION_WORDS, 1)),), 1)
    async with model.reply(call) as parts:
        async for part in parts:
            if isinstance(part, Timing):
                timing = part
    return timing.evaluated_tokens / (server.brake.used_s() - before)


async def ask(app: App, question: Question) -> Row:
    """Ask one question and say how it ended."""
    pace = app.engine.model_speed
    started = time.monotonic()
    end = await app.engine.run(RunRequest(question.question), emit=lambda _: None)
    seconds = time.monotonic() - started
    speed, limit_s = pace.speed, LastProgress.newest.wall_clock_s
    if not isinstance(end, Answered):
        return Row(question.id, type(end).__name__, 0, False, seconds, limit_s,
                   speed.prompt_tps, speed.reply_tps, 0)  # fmt: skip
    quoted = end.outcome is Outcome.PASSAGES_ONLY and "\n> " in end.answer
    return Row(
        question.id,
        end.outcome.value,
        len(end.citations),
        quoted,
        seconds,
        limit_s,
        speed.prompt_tps,
        speed.reply_tps,
        len(end.warnings),
    )


async def first_token_s(asking: ReplyOpener, text: str) -> float:
    """Return the seconds until the first token of a reply."""
    started = time.monotonic()
    call = ModelCall((prompted(Role.SYSTEM, "Answer."), prompted(Role.USER, text)), 2)
    async with aclosing(asking.parts(call)) as parts:
        async for part in parts:
            if not isinstance(part, Finished):
                break
    return time.monotonic() - started


async def stop(model: ChatModel, pace: ModelSpeed, seed: int, *, portions: bool) -> Stop:
    """Stop a prompt in the midst of its evaluation, and time the next one."""
    asking = ReplyOpener(model, pace, ContextBudget(CONTEXT_TOKENS, 100))
    pace.keeps_prefix = portions
    short = "Say yes. "
    await first_token_s(asking, short + words(30, seed + 50))
    idle_s = await first_token_s(asking, short + words(30, seed + 60))
    with suppress(TimeoutError):
        async with asyncio.timeout(STOPPED_AFTER_S):
            await first_token_s(asking, words(STOPPED_WORDS, seed))
    pace.keeps_prefix = portions
    after_s = await first_token_s(asking, short + words(30, seed + 70))
    return Stop(portions, idle_s, after_s)


@asynccontextmanager
async def opened(server: SlowServer, home: Path) -> AsyncGenerator[App]:
    """Open the program as it ships, on the sample web and this server."""
    # A whole prompt, which is stopped for comparison, may keep the server silent for minutes.
    overrides = {"llm.api": "openai", "llm.url": server.url, "llm.idle_timeout_s": 600.0}
    settings = load_settings(None, {}, overrides)
    with serve_sample_web() as web:
        folders = find_folders({"ASKANCE_HOME": str(home)})
        async with open_app(settings, folders, sample_web=web) as app:
            yield app


async def measure(
    gguf: Path, threads: int, tps: float, asked: tuple[Question, ...], *, stops: bool
) -> tuple[list[Row], list[Stop]]:
    """Ask questions of a server that is held to so many prompt tokens a second; stop some prompts."""
    rows: list[Row] = []
    stopped: list[Stop] = []
    with serve(gguf, threads=threads) as server, tempfile.TemporaryDirectory() as home:
        async with opened(server, Path(home)) as app:
            assert app.model
            per_processor_s = await calibrate(app.model, server)
            server.brake.set(tps / per_processor_s)
            pace = app.engine.model_speed
            if stops:
                stopped = [
                    await stop(app.model, pace, 10 * n + 5 * portions, portions=portions)
                    for portions in (True, False)
                    for n in range(STOPS)
                ]
                sys.stderr.write(f"{tps:g}/s {stopped}\n")
            pace.held, pace.keeps_prefix = "", True
            for question in asked:
                row = await ask(app, question)
                rows.append(row)
                sys.stderr.write(f"{tps:g}/s {row}\n")
    return rows, stopped


def measure_alone(
    gguf: Path, threads: int, work: tuple[float, tuple[Question, ...], bool]
) -> tuple[list[Row], list[Stop]]:
    """Measure in a process of its own."""
    engine_run.RunState = LastProgress
    tps, asked, stops = work
    return asyncio.run(measure(gguf, threads, tps, asked, stops=stops))


def report(tps: float, rows: list[Row], stops: list[Stop]) -> str:
    """Return the section of one speed."""
    ended = sum(row.has_sources for row in rows)
    lines = [
        f"## Held to {tps:g} prompt tokens a second",
        "",
        f"{ended} of {len(rows)} runs ended with citations or quoted passages;"
        f" {sum(row.cited > 0 for row in rows)} with citations."
        f" {sum(row.seconds <= row.limit_s for row in rows)} within their limit."
        f" A run took {median(row.seconds for row in rows):.0f} s (median),"
        f" {max(row.seconds for row in rows):.0f} s at the most.",
        "",
        "| question | outcome | citations | seconds | limit | learned: prompt/s | reply/s |",
        "|---|---|---:|---:|---:|---:|---:|",
        *(
            f"| {r.id} | {r.outcome} | {r.cited} | {r.seconds:.0f} | {r.limit_s:.0f} |"
            f" {r.prompt_tps:.0f} | {r.reply_tps:.0f} |"
            for r in rows
        ),
        "",
        "| stopped in mid-evaluation | idle server, s | after the stop, s (median) | most |",
        "|---|---:|---:|---:|",
    ]
    for portions, name in ((True, "in portions, as shipped"), (False, "whole prompts")):
        of = [s for s in stops if s.portions is portions]
        after = [s.after_stop_s for s in of]
        lines.append(
            f"| {name} | {median(s.idle_s for s in of):.1f} | {median(after):.1f} |"
            f" {max(after):.1f} |"
        )
    return "\n".join([*lines, ""])


def main() -> int:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m bench.slow_machine", description=__doc__)
    parser.add_argument("--gguf", type=Path, required=True)
    parser.add_argument("--tps", type=float, action="append", required=True)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--users", type=int, default=1, help="who ask at the same time")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    questions = load_questions()
    asked = tuple(questions[:: max(1, len(questions) // QUESTIONS)][:QUESTIONS])
    users: int = options.users
    work = [(tps, asked[n::users], n == 0) for tps in options.tps for n in range(users)]
    alone = partial(measure_alone, options.gguf, options.threads)
    # With several users all speeds are measured at once, too.
    processes = 1 if users == 1 else len(work)
    with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
        done = list(pool.map(alone, work))
    sections = []
    for n, tps in enumerate(options.tps):
        of = done[n * users : (n + 1) * users]
        sections.append(report(tps, [r for rows, _ in of for r in rows], of[0][1]))
    page = Template(PAGE.read_text("utf-8")).substitute(
        model=options.gguf.stem,
        threads=options.threads,
        users="one user" if users == 1 else f"{users} users, who share the questions,",
        sections="\n".join(sections),
    )
    options.out.write_text(page, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
