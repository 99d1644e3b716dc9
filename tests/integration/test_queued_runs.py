"""Several runs and one model server with one slot: every one gets its answer, and none its time eaten."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from askance.app.container import open_app
from askance.config.folders import find_folders
from askance.domain.conversation import RunRequest
from askance.domain.events import Answered, Queued, RunEvent
from integration.test_command_line_runs import Machine, machine
from servers.loopback import Request, Wire
from servers.model_script import ModelScript, plan, verdict
from servers.world import (
    LIGHTHOUSE,
    QUESTION,
    TITLES,
    as_sample_web,
    serving,
    settings_for,
    some_answer,
)
from waiting import patience

OTHER_QUESTION = "Who built the Lindmouth lighthouse?"
# The second finds what the first has left behind.
ROUNDS = 2


def judged(task: str) -> str:
    """Snippets are not enough, the page about the lighthouse is."""
    is_there = "two grain ships" in " ".join(task.split())
    return json.dumps(verdict("sufficient" if is_there else "insufficient"))


@dataclass
class OneSlot(ModelScript):
    """A model that does one thing at a time. it replies once `holds` is set."""

    asked: list[str] = field(default_factory=list[str])
    """Whose call each was, by its question."""
    holds: asyncio.Event = field(default_factory=asyncio.Event)
    at_once: int = 0
    most_at_once: int = 0

    async def __call__(self, request: Request, wire: Wire) -> None:
        if request.path != "/api/chat":
            await super().__call__(request, wire)
            return
        text = request.json()["messages"][-1]["content"]
        self.asked.append(OTHER_QUESTION if OTHER_QUESTION in text else QUESTION)
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            await self.holds.wait()
            await super().__call__(request, wire)
        finally:
            self.at_once -= 1


def answered(prompt: str) -> str:
    """With its source in a search, and without one in a conversation."""
    return some_answer(prompt) if TITLES[LIGHTHOUSE] in prompt else "The engineer Clara Whitlow."


def one_slot() -> OneSlot:
    return OneSlot(plan=(plan("Lindmouth lighthouse"),), judge=(judged,), answer=(answered,))


def owners(asked: list[str]) -> list[str]:
    """Whose calls the server had, one after the other: each change costs the cached prompt."""
    return [who for i, who in enumerate(asked) if i == 0 or asked[i - 1] != who]


@pytest.mark.exhaustive
async def test_two_processes_at_once_get_an_answer_each_in_every_round(tmp_path: Path) -> None:
    script = one_slot()
    async with machine(tmp_path, script) as m:
        for _ in range(ROUNDS):
            script.asked.clear()
            script.holds.clear()
            async with patience(), asyncio.TaskGroup() as group:
                runs = [
                    group.create_task(asked(m, question, script.holds.set))
                    for question in (QUESTION, OTHER_QUESTION)
                ]
            ends = [run.result() for run in runs]

            kinds = [[line["type"] for line in lines] for lines in ends]
            assert [k[-1] for k in kinds] == ["answered", "answered"]
            assert [lines[-1]["warnings"] for lines in ends] == [[], []]
            assert all("Clara Whitlow [" in lines[-1]["answer"] for lines in ends)
            # The later one was told, before anything else.
            (later,) = (k for k in kinds if "queued" in k)
            assert later[:2] == ["queued", "dequeued"]
            assert script.most_at_once == 1
            assert len(owners(script.asked)) == 2


async def asked(m: Machine, question: str, on_queued: Callable[[], None]) -> list[dict[str, Any]]:
    """Ask in a process of its own, and return its lines."""
    process = await m.start("ask", "--json", question)
    assert process.stdout is not None
    lines: list[dict[str, Any]] = []
    while line := await process.stdout.readline():
        lines.append(json.loads(line))
        if lines[-1]["type"] == "queued":
            on_queued()
    assert await process.wait() == 0
    return lines


async def test_two_runs_of_one_process_go_one_after_the_other(tmp_path: Path) -> None:
    """As those of the window do, and as a conversation beside a search does."""
    script = one_slot()
    record: dict[str, list[RunEvent]] = {QUESTION: [], OTHER_QUESTION: []}
    async with serving(script) as (servers, _, _):
        chosen = settings_for(servers, {})
        folders = find_folders({"ASKANCE_HOME": str(tmp_path)})

        def emit_of(question: str) -> Callable[[RunEvent], None]:
            def emit(event: RunEvent) -> None:
                record[question].append(event)
                if isinstance(event, Queued):
                    script.holds.set()

            return emit

        async with open_app(chosen, folders, sample_web=as_sample_web(servers), eager=False) as app:
            engine = app.engine
            async with patience(), asyncio.TaskGroup() as group:
                group.create_task(engine.run(RunRequest(QUESTION), emit=emit_of(QUESTION)))
                group.create_task(
                    engine.chat(RunRequest(OTHER_QUESTION), emit=emit_of(OTHER_QUESTION))
                )

    assert all(isinstance(events[-1], Answered) for events in record.values())
    assert sorted(sum(isinstance(e, Queued) for e in events) for events in record.values()) == [
        0,
        1,
    ]
    assert script.most_at_once == 1
    assert len(owners(script.asked)) == 2
    assert list((tmp_path / "run" / "queue").rglob("0*")) == []
