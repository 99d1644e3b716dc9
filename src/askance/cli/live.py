"""A run on a terminal (status line, draft, checked answer in rich's Markdown), and progress bars.

While the model writes, its draft stands in a region that is drawn over and at last taken away: only
the check of the citations knows which markers stay, and what is once printed cannot be fixed. Of a
draft that is taller than the terminal the last lines are shown.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import dropwhile, zip_longest
from typing import Protocol, TextIO, TypeGuard, cast

from markdown_it.token import Token
from rich.console import Console, ConsoleOptions, RenderResult
from rich.live import Live
from rich.markdown import Markdown
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

from askance.citations.markdown.answer_markers import citation_at, reset_markers
from askance.citations.markdown.grammar import CITATION, Places, line_spans, outlines, parse
from askance.citations.markdown.marker_forms import Span
from askance.cli.exits import Output
from askance.cli.views import Footer, Narration, about, footer_of
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
from askance.domain.evidence import Citation, Source
from askance.domain.web_pages import is_web_address
from askance.presentation.answers import SIGNS, SourceRow, link_of
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
            # `Output` has all of a text file that rich asks for.
            file=cast("TextIO", output),
            width=width,
            theme=_THEME,
            markup=False,
            emoji=False,
            highlight=False,
            # What rich reads of TERM, COLUMNS and NO_COLOR is the shell's, not the process'.
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
            # Drawn by `tick` alone: rich's refresh thread would draw in the middle of an event.
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
                # An answer of the model alone has no `SourcesReady` before it.
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
        # The detail is truncated, so that spinner and seconds stay visible.
        line.truncate(max(options.max_width - len(took), 1), overflow="ellipsis")
        yield line + took

    def _print(self, end: Answered) -> None:
        text = AnswerMarkdown(end.sources, links=self._screen.links)
        self._screen.print(text.checked(end.answer, end.citations))
        for line in footer_texts(footer_of(end, self._command), links=self._screen.links):
            self._screen.print(line)


def footer_texts(footer: Footer, *, links: bool) -> list[Text]:
    """Return the footer as styled lines."""
    lines = [Text(), *map(Text, footer.disagreements)] if footer.disagreements else []
    lines += [Text(footer.as_of, style="dim")] if footer.as_of else []
    lines.append(Text())
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
    # Without a hyperlink, or for a file, the address is written out to be copied.
    if not linked:
        line.append(f"  {row.address}", style="dim")
    return line


# An answer's Markdown on a terminal: markers are links, the model's own links are plain text.

Line = list[Segment]


class AnswerMarkdown:
    """Builds rich Markdown of an answer. `links` says whether the terminal can show hyperlinks."""

    def __init__(self, sources: Sequence[Source], *, links: bool) -> None:
        self._sources = {source.n: source for source in sources}
        self._links = links

    def draft(self, text: str) -> Markdown:
        """Return a piece of the answer as it is being written.

        A marker that names no source is taken out, with the space before it. In a checked answer
        such a thing is no marker, and stays.
        """
        return self.checked(reset_markers(text, self._sources), ())

    def checked(self, text: str, citations: Sequence[Citation]) -> Markdown:
        """Return the finished answer; `citations` say which quote each marker opens."""
        tokens, places = parse(text, self._sources), Places(text)
        for token in tokens:
            if token.type == "inline":
                children = list(places.children(token))
                token.children = list(self._inline(children, citations))
        markdown = Markdown("", hyperlinks=True)
        markdown.parsed = tokens
        return markdown

    def _inline(
        self, tokens: Sequence[tuple[Token, Span]], citations: Sequence[Citation]
    ) -> Iterator[Token]:
        behind = [token for token, _ in tokens[1:]]
        for (token, (start, _)), following in zip_longest(tokens, behind):
            source = self._sources.get(following.meta["n"]) if _is_marker(following) else None
            match token.type:
                case "text" if _is_marker(following) and source is None:
                    yield _text(token.content.removesuffix(" "))
                case "link_open" | "link_close":
                    # The model's own links: their text stays, their target does not.
                    continue
                case "image":
                    yield _text(token.content)
                case "citation":
                    if (n := token.meta["n"]) in self._sources:
                        yield from self._marker(n, citation_at(citations, n, start))
                case _:
                    yield token

    def _marker(self, n: int, citation: Citation | None) -> Iterator[Token]:
        url = link_of(self._sources[n], citation.quote if citation else "")
        is_link = self._links and bool(url)
        if is_link:
            yield Token("link_open", "a", 1, attrs={"href": url})
        yield _text(f"[{n}]")
        if is_link:
            yield Token("link_close", "a", -1)
        if citation and (sign := SIGNS[citation.support]):
            yield _text(sign)


class StreamedMarkdown:
    """The answer while it is written: finished blocks are rendered once, the open tail every time."""

    def __init__(self, text: AnswerMarkdown) -> None:
        self._text = text
        self._written = ""
        self._finished = 0
        self._lines: list[Line] = []
        self._width = 0

    def add(self, piece: str) -> None:
        """Take in what the model wrote next."""
        self._written += piece

    def emptied(self) -> StreamedMarkdown:
        """Return a draft of the same sources in which nothing is written yet."""
        return StreamedMarkdown(self._text)

    def lines(self, console: Console, options: ConsoleOptions) -> list[Line]:
        """Return the whole draft as lines of the given width."""
        # Finished blocks hold lines of the old width, so a resized terminal lays all out anew.
        if options.max_width != self._width:
            self._width, self._finished, self._lines = options.max_width, 0, []
        tail = self._written[self._finished :]
        if end := end_of_finished(tail):
            self._lines += [*self._drawn(tail[:end], console, options), []]
            self._finished += end
        tail = tail[end:].strip()
        return [*self._lines, *(self._drawn(tail, console, options) if tail else [])]

    def _drawn(self, block: str, console: Console, options: ConsoleOptions) -> list[Line]:
        lines = console.render_lines(self._text.draft(block), options, pad=False)
        # rich begins a list with an empty line, which the blank line before the block already is.
        return list(dropwhile(lambda line: not any(s.text.strip() for s in line), lines))


def end_of_finished(text: str) -> int:
    """Return where the finished blocks end: behind the last blank line outside of code, or 0."""
    panels = outlines(text).panels
    end = 0
    for start, stop in line_spans(text):
        # The last line may still get a word; with its end behind it, it is blank for good.
        is_blank = stop < len(text) and not text[start:stop].strip()
        # A blank line in a block of code ends nothing: cut there, the rest would be prose.
        if is_blank and not any(first <= start < last for first, last in panels):
            end = stop + 1
    return end if text[:end].strip() else 0


def _is_marker(token: Token | None) -> TypeGuard[Token]:
    return token is not None and token.type == CITATION


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)
