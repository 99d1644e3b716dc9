"""A run on a terminal: a status line, the answer as it is written, then the checked answer for good.

While the model writes, its draft stands in a region that is drawn over and at last taken away: only
the check of the citations knows which markers stay, and what is once printed cannot be fixed. Of a
draft that is taller than the terminal the last lines are shown.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from typing import Protocol, TextIO, cast

from rich.console import Console, ConsoleOptions, RenderResult
from rich.live import Live
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TextColumn,
    TimeElapsedColumn,
)
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from rich.theme import Theme

from askance.cli.render.markdown import AnswerMarkdown, StreamedMarkdown
from askance.cli.render.output import Output
from askance.cli.render.views import Footer, Narration, about, footer_of
from askance.domain.characters import clean_event, one_line
from askance.domain.conversation import SEARCH
from askance.domain.events import (
    Answered,
    Cancelled,
    ClarifyAsked,
    DraftRetracted,
    Failed,
    RunEvent,
    SourcesReady,
    TokenArrived,
)
from askance.domain.web import is_web_address
from askance.presentation.answers import SourceRow
from askance.presentation.progress import SILENCE_S, RunProgress

_FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_THEME = Theme({"markdown.link_url": "cyan", "markdown.h1": "bold underline"})
# Terminals that print a hyperlink's escape sequence as text, or know no cursor movement at all.
_WITHOUT_LINKS = frozenset({"linux", "dumb", "unknown"})


class PlainConsole(Console):
    """A rich console that interprets nothing in the texts it is given.

    Control characters are taken out of the texts before they come here (`cleaning`).
    """

    def __init__(
        self, output: Output, environment: Mapping[str, str], *, width: int | None = None
    ) -> None:
        super().__init__(
            file=cast("TextIO", output),  # it has all of a text file that rich asks for
            width=width,
            theme=_THEME,
            markup=False,
            emoji=False,
            highlight=False,
            _environ=environment,
        )
        self.links = environment.get("TERM", "") not in _WITHOUT_LINKS


class Advance(Protocol):
    """Called with what was done last, and how much that is."""

    def __call__(self, last: str = "", by: int = 1) -> None:
        """Show so much more as done."""
        ...


@contextmanager
def drawn_bar(screen: PlainConsole, label: str, of: int, done: int) -> Generator[Advance]:
    """Draw how much is done for as long as the context lasts; nothing of it stays."""
    columns = (TextColumn(label), BarColumn(bar_width=28), MofNCompleteColumn())
    last = TextColumn("{task.fields[last]}", markup=False)
    with _drawn(screen, *columns, TimeElapsedColumn(), last) as progress:
        task = progress.add_task("", total=of, completed=done, last="")
        yield lambda last="", by=1: progress.update(task, advance=by, last=last)


@contextmanager
def drawn_line(screen: PlainConsole, description: str) -> Generator[Callable[[str], None]]:
    """Draw what is being done, and for how long, until the context ends; nothing of it stays."""
    shown = TextColumn("{task.description}", markup=False)
    with _drawn(screen, shown, TimeElapsedColumn()) as progress:
        task = progress.add_task(description, total=None)
        yield lambda text: progress.update(task, description=text)


def _drawn(screen: PlainConsole, *columns: ProgressColumn) -> Progress:
    return Progress(
        *columns,
        console=screen,
        refresh_per_second=4,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )


class LiveRenderer:
    """Shows a run on a terminal. With `verbose` the whole trace scrolls by above the status line."""

    def __init__(
        self,
        screen: PlainConsole,
        *,
        verbose: bool = False,
        command: str = SEARCH,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._screen, self._clock, self._command = screen, clock, command
        self._began = self._last_event = clock()
        self._narration = Narration() if verbose else None
        self._progress = RunProgress(command)
        self._draft: StreamedMarkdown | None = None
        self._live = Live(
            self,
            console=screen,
            auto_refresh=False,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
            vertical_overflow="crop",
        )
        self._live.start()

    def show(self, event: RunEvent) -> None:
        """Take in one event; what moves is drawn at the next tick."""
        event = clean_event(event)
        self._progress.apply(event)
        self._last_event = self._clock()
        if self._narration is not None:
            for line in self._narration.lines(event, self._last_event - self._began):
                self._screen.print(Text(line, style="dim"), soft_wrap=True)
        match event:
            case SourcesReady(sources=sources):
                self._draft = StreamedMarkdown(AnswerMarkdown(sources, links=self._screen.links))
            case TokenArrived(text=text):
                self._draft = self._draft or StreamedMarkdown(AnswerMarkdown((), links=False))
                self._draft.add(text)
            case DraftRetracted() if self._draft is not None:
                self._draft = self._draft.emptied()
            case ClarifyAsked(question=question):
                self.close()
                self._screen.print(Text(question, style="bold"))
            case Answered() as end:
                self.close()
                self._print(end)
            case Failed() | Cancelled():
                self.close()
            case _:
                pass

    def tick(self) -> None:
        """Draw the status line and the draft anew."""
        if self._live.is_started:
            self._live.refresh()

    def close(self) -> None:
        """Take the moving region away."""
        self._live.stop()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw the end of the draft, as much as fits, and the status line below it."""
        room = max(console.height - 2, 1)
        for line in self._draft.lines(console, options)[-room:] if self._draft else []:
            yield from line
            yield Segment.line()
        seconds = self._clock() - self._began
        frame = _FRAMES[int(seconds * 10) % len(_FRAMES)]
        status = self._progress.status
        if self._clock() - self._last_event >= SILENCE_S:
            status = status.silent
        took = Text(f"  {seconds:.0f} s", style="dim")
        line = Text(f"{frame} {one_line(status.text)}", no_wrap=True)
        if status.detail:
            line.append(f" · {one_line(status.detail)}", style="dim")
        # What moves stays in sight, however long the detail is.
        line.truncate(max(options.max_width - len(took), 1), overflow="ellipsis")
        yield line + took

    def _print(self, end: Answered) -> None:
        text = AnswerMarkdown(end.sources, links=self._screen.links)
        self._screen.print(text.checked(end.answer, end.citations))
        for line in footer_texts(footer_of(end, self._command), links=self._screen.links):
            self._screen.print(line)


def footer_texts(footer: Footer, *, links: bool) -> list[Text]:
    """Return the footer as styled lines."""
    lines = [Text()]
    lines += [_source_text(row, links=links) for row in footer.sources]
    if footer.uncited:
        lines.append(Text(footer.uncited, style="dim"))
    if footer.legend:
        lines.append(Text(footer.legend, style="yellow"))
    lines += [Text(f"! {one_line(note)}", style="yellow") for note in footer.notes]
    return [*lines, Text(footer.closing, style="dim")]


def _source_text(row: SourceRow, *, links: bool) -> Text:
    line = Text(f"[{row.n}] ", style="cyan")
    linked = links and is_web_address(row.url)
    line.append(row.title, style=Style(link=row.url) if linked else Style())
    line.append(f"  {about(row)}", style="dim")
    if not linked:
        line.append(f"  {row.address}", style="dim")
    return line
