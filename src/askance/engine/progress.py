"""Where a run stands, what it has cost, and what its user should know."""

from __future__ import annotations

import asyncio

from askance.domain.conversation import Usage
from askance.domain.events import RunEvent, Warned, WarningCode
from askance.domain.messages import Message
from askance.domain.phases import Phase, advance
from askance.engine.outbound import Emit, recorded
from askance.ports.outbound import OutboundLedger


class Progress:
    """The phase, the warnings, the counters and the clock of one run.

    `sent` takes note of what leaves this machine.
    """

    def __init__(
        self,
        emit: Emit,
        *,
        wall_clock_s: float,
        answer_reserve_s: float,
        ledger: OutboundLedger | None = None,
        occasion: str = "",
    ) -> None:
        self._emit = emit
        self.sent = recorded(ledger, occasion, emit, self.warn)
        self._started = asyncio.get_running_loop().time()
        self.phase = Phase.PLANNING
        self.set_ends(wall_clock_s, answer_reserve_s)
        self.model_calls = self.prompt_tokens = self.output_tokens = 0
        self.searches = self.pages_offered = self.pages_read = 0
        self._warnings: list[tuple[WarningCode, Message]] = []

    def set_ends(self, wall_clock_s: float, answer_reserve_s: float) -> None:
        """Set how long the run may take, and how much of that is kept for its answer."""
        self.wall_clock_s = wall_clock_s
        self.ends_at = self._started + wall_clock_s
        self.research_ends_at = self._started + max(0.0, wall_clock_s - answer_reserve_s)

    def emit(self, event: RunEvent) -> None:
        """Tell the world."""
        self._emit(event)

    def move(self, to: Phase) -> None:
        """Go to the next phase.

        Raises:
            IllegalMove: the table of phases does not list the move.
        """
        self.phase = advance(self.phase, to)

    def warn(self, code: WarningCode, message: Message, *, again: bool = False) -> None:
        """Warn once for each code; `again` says that there is something new to tell."""
        if again or code not in self.warned:
            self._warnings.append((code, message))
            self._emit(Warned(code, message))

    @property
    def warnings(self) -> tuple[Message, ...]:
        """The warnings so far, in their order."""
        return tuple(message for _, message in self._warnings)

    @property
    def warned(self) -> frozenset[WarningCode]:
        """The codes of the warnings so far."""
        return frozenset(code for code, _ in self._warnings)

    @property
    def tokens(self) -> int:
        """Prompt and reply tokens of all model calls so far."""
        return self.prompt_tokens + self.output_tokens

    @property
    def usage(self) -> Usage:
        """What the run has cost so far."""
        return Usage(
            self.model_calls,
            self.prompt_tokens,
            self.output_tokens,
            self.searches,
            self.pages_offered,
            self.pages_read,
        )

    def elapsed_ms(self) -> int:
        """Milliseconds since the run began."""
        return self.ms_since(self._started)

    def ms_since(self, moment: float) -> int:
        """Milliseconds since a moment of the loop's clock."""
        return round(1000 * (asyncio.get_running_loop().time() - moment))
