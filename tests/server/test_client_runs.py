"""Runs that outlive a call: deadlines, going on, giving up, and whose turn it is."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from askance.app.client_service import RoundRobinQueue
from askance.domain.conversation import Conversation, RunRequest, Turn
from askance.domain.errors import NotAllowed, TooManyWaiting
from askance.domain.events import Answered, Cancelled, RunEvent, ignore
from server.served import ERAS, Era, Gate, Served, served, text_of, tokens_in, told
from servers.faults import stalls
from servers.loopback import Handler, Request, Wire
from servers.model_script import ModelScript, Role, verdict
from servers.world import (
    LIGHTHOUSE,
    QUESTION,
    always,
    knowing_model,
    the_answer,
    where,
)
from waiting import patience, stretched

DEADLINE_S = 1.0


def slow_writer() -> tuple[ModelScript, Gate]:
    """A model that has found enough, and does not write before its gate is open."""
    gate = Gate()
    script = knowing_model(judge=[verdict("sufficient")])

    async def write(request: Request, wire: Wire) -> None:
        gate.reached.set()
        await gate.opened.wait()
        await wire.start()
        await wire.chunk(script.ollama.text("The Lindmouth lighthouse was built in 1871 [1]."))
        await wire.chunk(script.ollama.end(prompt=100, output=20))

    script.answer = [write]
    return script, gate


def silent_writer() -> ModelScript:
    """A model that has found enough, and never writes."""
    return knowing_model(judge=[verdict("sufficient")], answer=[stalls])


async def timed(call: Any) -> tuple[Any, float]:
    began = time.monotonic()
    result = await call
    return result, time.monotonic() - began


@pytest.mark.parametrize("era", ERAS)
async def test_the_deadline_brings_the_evidence_so_far_and_the_rest_is_had_by_going_on(era: Era):
    script, gate = slow_writer()
    async with served(script) as s, s.client(era) as client:
        # On a busy machine the first page is read later.
        deadline_s = stretched(DEADLINE_S)
        limit = stretched(deadline_s + 1)
        asked = client.call_tool("search_web", {"question": QUESTION, "deadline_s": deadline_s})
        result, took_s = await timed(asked)
        assert took_s < limit
        out = told(result)
        assert (out["outcome"], out["answer"]) == ("running", "")
        assert LIGHTHOUSE in {source["url"] for source in out["sources"]}
        assert any("built in 1871" in passage["text"] for passage in out["passages"])
        assert out["doing"]
        assert out["run_id"] in text_of(result)
        assert tokens_in(result) <= 8_000

        gate.opened.set()
        going_on = {"run_id": out["run_id"]}
        whole = told(await client.call_tool("continue_search", going_on))
        assert whole["outcome"] == "web"
        assert "1871" in whole["answer"]
        again = told(await client.call_tool("continue_search", going_on))
        assert again["answer"] == whole["answer"]
        assert s.service.runs.open == []


async def test_the_deadline_holds_in_the_queue_too():
    script, gate = slow_writer()
    async with served(script) as s, s.client() as client, asyncio.TaskGroup() as group:
        first = group.create_task(client.call_tool("search_web", {"question": QUESTION}))
        async with patience():
            await gate.reached.wait()
        limit = stretched(DEADLINE_S + 1)
        waiting = client.call_tool("search_web", {"question": "Why?", "deadline_s": DEADLINE_S})
        result, took_s = await timed(waiting)
        assert took_s < limit
        assert told(result)["outcome"] == "running"
        assert told(result)["passages"] == []
        gate.opened.set()
        assert told(await first)["outcome"] == "web"


async def test_a_run_is_its_clients_own():
    script, gate = slow_writer()
    async with served(script) as s, s.client() as client:
        asked = {"question": QUESTION, "deadline_s": DEADLINE_S}
        run_id = told(await client.call_tool("search_web", asked))["run_id"]
        stolen = await s.call("continue_search", name="thief", run_id=run_id)
        assert stolen.is_error
        assert (await s.call("continue_search", run_id="guessed")).is_error
        gate.opened.set()


async def test_a_run_that_nobody_waits_for_ends():
    async with served(silent_writer(), lingers_s=0.0) as s, s.client() as client:
        asked = {"question": QUESTION, "deadline_s": DEADLINE_S}
        run_id = told(await client.call_tool("search_web", asked))["run_id"]
        await s.world.until_idle()
        assert s.service.runs.open == []
        assert (await client.call_tool("continue_search", {"run_id": run_id})).is_error


async def test_a_run_ends_with_its_connection():
    async with served(silent_writer()) as s:
        async with s.client() as client:
            asked = {"question": QUESTION, "deadline_s": DEADLINE_S}
            assert told(await client.call_tool("search_web", asked))["outcome"] == "running"
        await s.world.until_idle()
        assert s.service.runs.open == []


async def leaves(s: Served, era: Era, reached: asyncio.Event) -> None:
    """Ask, go away once something is reached, and look for what is left."""
    async with s.client(era) as client, patience():
        async with asyncio.TaskGroup() as group:
            asked = {"question": QUESTION}
            calling = group.create_task(client.call_tool("search_web", asked))
            await reached.wait()
            calling.cancel()
        await s.world.until_idle()
        while s.service.runs.open:
            await asyncio.wait([run.task for run in s.service.runs.open])
        assert await client.list_tools(cache_mode="refresh")


def announced(reached: asyncio.Event) -> Handler:
    async def handler(request: Request, wire: Wire) -> None:
        reached.set()
        await stalls(request, wire)

    return handler


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("role", ["plan", "judge", "answer"])
async def test_who_goes_while_the_model_works_leaves_nothing(era: Era, role: Role):
    reached = asyncio.Event()
    async with served(knowing_model(**{role: [announced(reached)]})) as s:
        await leaves(s, era, reached)
    assert [call.outcome for call in s.book.noted] == ["cancelled"]


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(("server", "part"), [("search", "q=Where"), ("web", "light")])
async def test_who_goes_while_a_service_works_leaves_nothing(era: Era, server: str, part: str):
    reached = asyncio.Event()
    async with served(breaks={server: where(part, announced(reached))}) as s:
        await leaves(s, era, reached)


async def test_who_goes_while_waiting_leaves_nothing():
    script, gate = slow_writer()
    async with served(script) as s, s.client() as client, asyncio.TaskGroup() as group:
        first = group.create_task(client.call_tool("search_web", {"question": QUESTION}))
        async with patience():
            await gate.reached.wait()
            second = group.create_task(
                s.service.answer(s.known(), RunRequest("Why?"), emit=_unheard)
            )
            await asyncio.sleep(0)
            second.cancel()
        gate.opened.set()
        assert told(await first)["outcome"] == "web"


def _unheard(_: RunEvent) -> None:
    pass


async def test_an_answer_and_a_conversation_go_over_the_service():
    received: list[RunEvent] = []
    async with served(knowing_model(answer=[the_answer, "You are welcome."])) as s:
        end = await s.service.answer(s.known(), RunRequest(QUESTION), emit=received.append)
        assert isinstance(end, Answered)
        assert received[-1] is end
        turns = Conversation().with_turn(Turn(QUESTION, end.answer))
        text = await s.service.converse(
            s.known(), RunRequest("Thanks", turns), emit=received.append
        )
        assert isinstance(text, Answered)


async def test_a_cancelled_answer_says_so_and_leaves_nothing():
    reached, received = asyncio.Event(), list[RunEvent]()
    async with (
        served(knowing_model(answer=[announced(reached)])) as s,
        asyncio.TaskGroup() as group,
    ):
        asking = group.create_task(
            s.service.answer(s.known(), RunRequest(QUESTION), emit=received.append)
        )
        async with patience():
            await reached.wait()
        asking.cancel()
        await asyncio.wait([asking])
        await s.world.until_idle()
    assert received[-1] == Cancelled()


async def test_who_may_not_search_is_refused_before_anything_runs():
    async with served(allowed=frozenset(), breaks={"search": always(stalls)}) as s:
        with pytest.raises(NotAllowed):
            await s.service.answer(s.known(), RunRequest(QUESTION), emit=_unheard)
        with pytest.raises(NotAllowed):
            await s.service.converse(s.known(), RunRequest("Hello"), emit=_unheard)
        assert s.world.script.calls == []


# Turns


async def turn(
    turns: RoundRobinQueue, client: str, done: list[str], reported_ahead: list[int]
) -> None:
    async with turns.of(client).turn(reported_ahead.append):
        done.append(client)
        await asyncio.sleep(0)


async def test_each_client_has_a_turn_before_any_has_a_second_one():
    turns, done, ahead = RoundRobinQueue(1), list[str](), list[int]()
    async with asyncio.TaskGroup() as group:
        for client in ["greedy"] * 5 + ["b", "c"] * 2:
            group.create_task(turn(turns, client, done, ahead))
    assert done[:4] == ["greedy", "greedy", "b", "c"]
    assert done[4:] == ["greedy", "b", "c", "greedy", "greedy"]
    assert turns.is_free()
    assert min(ahead) == 1


async def test_a_turn_that_is_given_up_goes_to_the_next():
    turns, done, ahead = RoundRobinQueue(1), list[str](), list[int]()
    held = asyncio.Event()

    async def hold() -> None:
        async with turns.of("first").turn(ahead.append):
            await held.wait()

    async with asyncio.TaskGroup() as group:
        group.create_task(hold())
        await asyncio.sleep(0)
        gone = group.create_task(turn(turns, "gone", done, ahead))
        group.create_task(turn(turns, "next", done, ahead))
        await asyncio.sleep(0)
        held.set()
        await asyncio.sleep(0)
        gone.cancel()
    assert "next" in done
    assert turns.is_free()


async def test_a_client_may_have_so_many_waiting_and_no_more():
    turns, done, ahead = RoundRobinQueue(1, None, 2), list[str](), list[int]()
    async with asyncio.TaskGroup() as group:
        for _ in range(3):
            group.create_task(turn(turns, "a", done, ahead))
        await asyncio.sleep(0)
        with pytest.raises(TooManyWaiting):
            turns.refuse_more("a")
        turns.refuse_more("b")
    turns.refuse_more("a")


async def test_sixty_four_questions_of_one_client_are_answered_in_their_order():
    turns, begun = RoundRobinQueue(1), list[int]()

    async def ask(number: int) -> None:
        turns.refuse_more("a")
        async with turns.turn("a", ignore):
            begun.append(number)
            await asyncio.sleep(0)

    async with asyncio.TaskGroup() as group:
        for number in range(64):
            group.create_task(ask(number))
    assert begun == list(range(64))
