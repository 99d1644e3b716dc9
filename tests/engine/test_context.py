"""What counts for a run where request and settings differ, and its phase, warnings, counters and clock."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from askance.config.choices import LibraryLookup
from askance.config.settings import Settings
from askance.domain.conversation import RunRequest, Usage
from askance.domain.events import RunEvent, Warned, WarningCode
from askance.domain.messages import Message
from askance.domain.phases import IllegalMove, Phase
from askance.domain.web_pages import SearchScope
from askance.engine.context import RunContext
from askance.engine.prompts import THINKING_TOKENS
from askance.engine.run_progress import RunState
from engine.contexts import context_of

CHOSEN = SearchScope(documents=("a",))


def run_of(progress: RunState, wanted: dict[str, Any], **settings: dict[str, Any]) -> RunContext:
    run = context_of("Why?", progress, Settings.model_validate(settings))
    run.request = RunRequest("Why?", **wanted)
    return run


@pytest.mark.parametrize(
    ("wanted", "chosen", "lookup"),
    [
        ({}, "first", LibraryLookup.FIRST),
        ({}, "never", LibraryLookup.NEVER),
        ({}, "only", LibraryLookup.ONLY),
        ({"asks_library": False}, "first", LibraryLookup.NEVER),
        ({"asks_library": False}, "only", LibraryLookup.NEVER),
        ({"asks_library": True}, "never", LibraryLookup.FIRST),
        ({"asks_library": True}, "only", LibraryLookup.ONLY),
        ({"scope": CHOSEN}, "first", LibraryLookup.ONLY),
        ({"scope": CHOSEN}, "never", LibraryLookup.ONLY),
        ({"scope": SearchScope(("a.example",))}, "first", LibraryLookup.FIRST),
    ],
)
async def test_what_the_library_has_to_do_with_a_question(
    progress: RunState, wanted: dict[str, Any], chosen: str, lookup: LibraryLookup
) -> None:
    run = run_of(progress, wanted, library={"recall": chosen})
    assert run.lookup is lookup
    assert run.searches_web is (lookup is not LibraryLookup.ONLY)
    assert run.is_narrowed is ("scope" in wanted)


async def test_a_search_is_fresh_only_where_there_is_one(progress: RunState) -> None:
    assert run_of(progress, {"fresh": True}).is_fresh
    assert not run_of(progress, {"fresh": True}, search={"enabled": False}).is_fresh
    assert not run_of(progress, {"fresh": True, "scope": CHOSEN}).is_fresh


async def test_limits_of_a_request_count_before_those_of_the_settings(progress: RunState) -> None:
    settings = {"limits": {"rounds": 4}, "library": {"completeness_threshold": 0.6}}
    of_settings = run_of(progress, {}, **settings)
    assert (of_settings.rounds, of_settings.completeness) == (4, 0.6)
    wanted = run_of(progress, {"rounds": 1, "completeness": 0.0}, **settings)
    assert (wanted.rounds, wanted.completeness) == (1, 0.0)


async def test_a_reply_is_no_longer_than_wanted_nor_than_set(progress: RunState) -> None:
    answer = {"answer": {"max_tokens": 500}}
    assert run_of(progress, {}, **answer).reply_tokens == 500
    assert run_of(progress, {"answer_tokens": 90}, **answer).reply_tokens == 90
    assert run_of(progress, {"answer_tokens": 900}, **answer).reply_tokens == 500
    thinking = run_of(progress, {"answer_tokens": 90, "think": True}, **answer)
    assert thinking.reply_tokens == 90 + THINKING_TOKENS
    assert run_of(progress, {}, llm={"think": True}).thinks


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
