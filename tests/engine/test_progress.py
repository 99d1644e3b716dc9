"""Phase, warnings, counters and clock of a run."""

from __future__ import annotations

import asyncio

import pytest

from askance.domain.conversation import Usage
from askance.domain.events import RunEvent, Warned, WarningCode
from askance.domain.messages import Message
from askance.domain.phases import IllegalMove, Phase
from askance.engine.run_progress import RunState


async def test_a_run_begins_with_planning_and_moves_by_the_table(progress: RunState) -> None:
    assert progress.phase is Phase.PLANNING
    progress.move(Phase.SEARCHING)
    assert progress.phase is Phase.SEARCHING
    with pytest.raises(IllegalMove):
        progress.move(Phase.DONE)
    assert progress.phase is Phase.SEARCHING


async def test_a_warning_is_given_once_for_each_code(
    progress: RunState, events: list[RunEvent]
) -> None:
    progress.warn(WarningCode.SEARCH_FAILED, Message("first"))
    progress.warn(WarningCode.NO_RESULTS, Message("other"))
    progress.warn(WarningCode.SEARCH_FAILED, Message("second"))
    assert events == [
        Warned(WarningCode.SEARCH_FAILED, Message("first")),
        Warned(WarningCode.NO_RESULTS, Message("other")),
    ]
    assert progress.warnings == ("first", "other")
    assert progress.warned == {WarningCode.SEARCH_FAILED, WarningCode.NO_RESULTS}


async def test_usage_is_what_was_counted(progress: RunState) -> None:
    progress.model_calls, progress.prompt_tokens, progress.output_tokens = 2, 300, 40
    progress.searches, progress.pages_offered, progress.pages_read = 3, 20, 5
    assert progress.usage == Usage(2, 300, 40, 3, 20, 5)
    assert progress.tokens == 340


@pytest.mark.parametrize(("reserve", "research"), [(10.0, 50.0), (90.0, 0.0)])
async def test_the_time_for_writing_is_kept_back(reserve: float, research: float) -> None:
    progress = RunState(lambda _: None, wall_clock_s=60, answer_reserve_s=reserve)
    started = progress.ends_at - 60
    assert progress.research_ends_at - started == pytest.approx(research, abs=1e-6)


async def test_time_is_told_in_milliseconds_since_a_moment(progress: RunState) -> None:
    now = asyncio.get_running_loop().time()
    assert 2000 <= progress.ms_since(now - 2) < 3000
    assert 0 <= progress.elapsed_ms() < 60_000
