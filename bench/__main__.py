"""`python -m bench`: run all questions in all setups and write `pipeline.md` and `pipeline.png`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from askance.sample_web.sample_pages import Question, load_questions
from bench.chart import draw_chart
from bench.costs import Speed
from bench.figures import sum_up
from bench.levers import LEVERS
from bench.report import render_report
from bench.runs import Run, Setup, run_question
from bench.script import Manner

# Sets of runs of a model that errs by chance.
SETS = 4
FOLDER = Path(__file__).parents[1] / "docs" / "bench"
VARIANTS = {
    "as shipped": Setup(),
    "no shared prefix": Setup(shared_prefix=False),
    "no early stop": Setup(early_stop=False),
    "no reading ahead": Setup(read_ahead=False),
    **{name: Setup(without=(name,)) for name in LEVERS},
    "none of them": Setup(
        shared_prefix=False,
        early_stop=False,
        read_ahead=False,
        without=tuple(LEVERS),
    ),
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and write the page and its picture."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--prefill", type=_speed, default=300, help="prompt tokens a second")
    parser.add_argument("--decode", type=_speed, default=25, help="reply tokens a second")
    parser.add_argument("--questions", type=int, help="only so many, from the first on")
    parser.add_argument("--out", type=Path, default=FOLDER, help="folder to write to")
    options = parser.parse_args(arguments)
    questions = load_questions()[: options.questions]
    if not questions:
        parser.error("there is no question to measure")
    speed = Speed(options.prefill, options.decode)
    variants = {name: _measure(questions, setup, speed, name) for name, setup in VARIANTS.items()}
    manners = {Manner.RIGHT: variants["as shipped"]} | {
        manner: _measure(questions, Setup(), speed, f"manner: {manner.name.lower()}", manner)
        for manner in Manner
        if manner is not Manner.RIGHT
    }
    options.out.mkdir(parents=True, exist_ok=True)
    page = render_report(variants, manners, speed, SETS)
    (options.out / "pipeline.md").write_text(page, encoding="utf-8")
    rows = {name: sum_up(runs) for name, runs in variants.items()}
    draw_chart(rows, speed, options.out / "pipeline.png")


def _speed(text: str) -> float:
    value = float(text)
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError("must be more than 0")
    return value


def _measure(
    questions: Sequence[Question],
    setup: Setup,
    speed: Speed,
    name: str,
    manner: Manner = Manner.RIGHT,
) -> list[Run]:
    sys.stderr.write(f"{name}: {len(questions)} questions\n")
    sets = SETS if manner in {Manner.NOISY, Manner.GARBAGE} else 1
    return [
        run_question(question, setup, speed, manner=manner, seed=seed)
        for seed in range(sets)
        for question in questions
    ]


if __name__ == "__main__":
    main()
