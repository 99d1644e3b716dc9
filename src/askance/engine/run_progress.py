"""Where a run stands, its turn at the model's server, what it has cost, what left the machine, and what is logged."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import asdict
from typing import Any

from askance.domain.conversation import Usage
from askance.domain.errors import AskanceError, ServiceError, ServiceRefused, StorageError
from askance.domain.events import (
    Answered,
    Cancelled,
    ClarifyAsked,
    Dequeued,
    Emit,
    Failed,
    Queued,
    RequestSent,
    RunEnd,
    Sending,
    Warned,
    WarningCode,
)
from askance.domain.messages import Message, Remedy
from askance.domain.phases import Phase, advance
from askance.domain.ports.model import ModelChanged, ModelInfo, ModelQueue
from askance.domain.ports.web import OutboundLedger, Sent

Warn = Callable[[WarningCode, Message], None]
_UNRECORDED = Remedy(
    "`--set ledger.required=false` sends it unrecorded, for one command.", setting="ledger.required"
)
WITHOUT_REASONING = Remedy(
    "Switch its reasoning off in its server, or set llm.model to a model that does not reason.",
    setting="llm.model",
)


def recorded(ledger: OutboundLedger | None, occasion: str, emit: Emit) -> Sent:
    """Return what takes note of the requests of one run: in the ledger first, then as an event.

    It raises ServiceRefused where the ledger cannot be written: then the request must not be sent.
    """

    def sent(request: RequestSent) -> None:
        # First in the ledger: what leaves is on record, whatever becomes of the event.
        if ledger is not None:
            try:
                ledger.add(request, occasion)
            except StorageError as exc:
                problem = Message(
                    "Nothing was sent, since it cannot be recorded: {problem}", problem=exc.problem
                )
                raise ServiceRefused(
                    "ledger", "", problem, fix=Message.joined(exc.fix, _UNRECORDED)
                ) from exc
        emit(request)

    return sent


def log_model(info: ModelInfo, sent: Sent) -> None:
    """Record that prompts go to a model on another machine; nothing for one on this."""
    if info.host:
        sent(RequestSent(Sending.MODEL, info.host, Message("this program"), info.name))


def warn_withheld_turns(warn: Warn, host: str) -> None:
    """Warn that earlier turns were not shown to a model on another computer."""
    warn(
        WarningCode.HISTORY_WITHHELD,
        Message(
            "Earlier questions and answers that may hold private text were not shown to the model, because "
            "it is on {host} (library.share_with_remote_model).",
            host=host,
        ),
    )


def change_message(change: ModelChanged) -> Message:
    """Say that another model replied than the one that was chosen before."""
    return Message(
        "The model {before} is gone; {now} was asked instead.",
        before=change.before,
        now=change.now,
    )


def only_reasoned(model: str) -> Message:
    """Say that a model came to no reply."""
    return Message("{model} used up its tokens by reasoning, and gave no reply.", model=model)


@asynccontextmanager
async def turn(queue: ModelQueue | None, emit: Emit) -> AsyncGenerator[None]:
    """Wait for the turn of a run, and tell of it if that takes time; without a queue it has it."""
    if queue is None:
        yield
        return
    clock = asyncio.get_running_loop().time
    began, waited = clock(), False

    def report_position(ahead: int) -> None:
        nonlocal waited
        waited = True
        emit(Queued(ahead))

    async with queue.turn(report_position):
        if waited:
            emit(Dequeued(round(1000 * (clock() - began))))
        yield


_log = logging.getLogger(__name__)


def log_error(error: AskanceError) -> None:
    """Log what a part failed with: the service and the kind of error. Its text has names in it."""
    details = {"error": type(error).__name__}
    if isinstance(error, ServiceError):
        details["service"] = error.service
    _log.info("A part failed.", extra=details)


def failure_of(error: AskanceError) -> Failed:
    """Log an error, and return the end of the run that it stops."""
    log_error(error)
    return Failed.of(error)


class RunState:
    """The phase, the warnings, the counters and the clock of one run.

    `sent` takes note of what leaves this machine.
    """

    def __init__(
        self,
        emit: Emit,
        *,
        wall_clock_s: float = math.inf,
        answer_reserve_s: float = 0,
        ledger: OutboundLedger | None = None,
        occasion: str = "",
    ) -> None:
        self.emit = emit
        """Tells the world what happens."""
        self.sent = recorded(ledger, occasion, emit)
        # With the turn of the run, so that waiting for other runs costs none of its time (decision
        # 20).
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
        # A short limit may be less than what is kept for the answer: then nothing is searched for
        # longer.
        self.research_ends_at = self._started + max(0.0, wall_clock_s - answer_reserve_s)

    def move(self, to: Phase) -> None:
        """Go to the next phase.

        Raises:
            IllegalMove: the table of phases does not list the move.
        """
        self.phase = advance(self.phase, to)

    def warn(
        self,
        code: WarningCode,
        message: Message,
        *,
        again: bool = False,
        words: tuple[str, ...] = (),
    ) -> None:
        """Warn once for each code; `again` says that there is something new to tell, `words` is as in `Warned`."""
        if again or code not in self.warned:
            self._warnings.append((code, message))
            self.emit(Warned(code, message, words))

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

    def end(self, end: RunEnd, kind: str) -> None:
        """Emit the end of the run, and log it. `kind` says whether it searched."""
        self.emit(end)
        # Kinds, counts and seconds: a log may be sent to somebody, and tells no word of a question.
        details: dict[str, Any] = {"kind": kind, "seconds": round(self.elapsed_ms() / 1000, 1)}
        if self.warned:
            details["warned"] = sorted(self.warned)
        match end:
            case Answered(outcome=outcome, rounds=rounds, usage=usage):
                details |= {"outcome": outcome, "rounds": rounds, "sources": len(end.sources)}
                details |= {"citations": len(end.citations)} | asdict(usage)
            case ClarifyAsked(usage=usage):
                details |= {"outcome": "clarify"} | asdict(usage)
            case Failed():
                details["outcome"] = "failed"
            case Cancelled():
                details["outcome"] = "cancelled"
        _log.info("Run ended.", extra=details)

    def elapsed_ms(self) -> int:
        """Milliseconds since the run began."""
        return self.ms_since(self._started)

    def ms_since(self, moment: float) -> int:
        """Milliseconds since a moment of the loop's clock."""
        return round(1000 * (asyncio.get_running_loop().time() - moment))
