"""What shows a run to whom: the common shape, and the two that draw nothing."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Protocol, TextIO

from askance.cli.render.footer import footer_of, plain_lines
from askance.cli.render.marks import replace_marks
from askance.cli.render.output import Output, say
from askance.cli.render.rows import Narration
from askance.domain.asking import SEARCH
from askance.domain.events import Answered, ClarifyAsked, RunEvent
from askance.domain.records import to_record
from askance.presentation.cleaning import clean_event

Clock = Callable[[], float]


class Front(Protocol):
    """Takes the events of one run, in order."""

    def show(self, event: RunEvent) -> None:
        """Show one event. Raises OutputLost: the output cannot be written."""
        ...

    def tick(self) -> None:
        """Draw anew what moves with time, if anything does. Called several times a second."""

    def close(self) -> None:
        """Leave the terminal as it was found."""


class JsonFront(Front):
    """One JSON object a line, for other programs.

    Only ASCII is written: whatever a page holds stays escaped, and no encoding can fail.
    """

    def __init__(self, output: Output, clock: Clock = time.monotonic) -> None:
        self._output, self._clock = output, clock
        self._began = clock()

    def show(self, event: RunEvent) -> None:
        """Write the event's record."""
        self._output.line(json.dumps(to_record(event, self._clock() - self._began)))


class PlainFront(Front):
    """Plain text for files and pipes: the checked answer and its footer, once they are there."""

    def __init__(self, output: Output, command: str = SEARCH) -> None:
        self._output, self._command = output, command

    def show(self, event: RunEvent) -> None:
        """Write what belongs into a text."""
        match clean_event(event):
            case ClarifyAsked(question=question):
                self._output.line(question)
            case Answered() as end:
                self._output.line(replace_marks(end.answer, end.sources, end.citations, str))
                for line in plain_lines(footer_of(end, self._command)):
                    self._output.line(line)
            case _:
                pass


class Narrated(Front):
    """Another front, with the whole trace told on the error stream beside it."""

    def __init__(self, front: Front, stderr: TextIO, clock: Clock = time.monotonic) -> None:
        self._front, self._stderr, self._clock = front, stderr, clock
        self._began = clock()
        self._narration = Narration()

    def show(self, event: RunEvent) -> None:
        """Tell the event, then show it."""
        for line in self._narration.lines(event, self._clock() - self._began):
            say(self._stderr, line)
        self._front.show(event)

    def tick(self) -> None:
        """Pass on the time."""
        self._front.tick()

    def close(self) -> None:
        """Close the front."""
        self._front.close()
