"""A bar that says how many questions or files are done, on a terminal that can be drawn over."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from askance.cli.render.live import Screen
from askance.cli.render.output import Output

_LAST = "{task.fields[last]}"


class QuestionBar:
    """How far something is, and what became of the last step."""

    def __init__(self, progress: Progress, done: int, of: int) -> None:
        self._progress = progress
        self._task = progress.add_task("", total=of, completed=done, last="")

    def advance(self, last: str, by: int = 1) -> None:
        """Show one more as done, or several."""
        self._progress.update(self._task, advance=by, last=last)


@contextmanager
def question_bar(
    output: Output, environment: Mapping[str, str], done: int, of: int, label: str = "Evaluating"
) -> Generator[QuestionBar]:
    """Draw a bar for as long as the context lasts; nothing of it stays."""
    columns = (
        TextColumn(label),
        BarColumn(bar_width=28),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn(_LAST, markup=False),
    )
    with Progress(
        *columns,
        console=Screen(output, environment),
        refresh_per_second=2,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    ) as progress:
        yield QuestionBar(progress, done, of)
