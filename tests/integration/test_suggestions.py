"""What may be asked next: suggested behind the answer, from its prompt, and never in the way of a question."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock

import pytest

from askance.app.container import App
from askance.app.conversation import ConversationSession
from askance.domain.conversation import CHAT, SEARCH, ParsedCommand
from askance.domain.events import Answered, Cancelled
from askance.domain.ports.model import Speed
from askance.engine.judge import Judge
from askance.engine.prompts import shared_chars
from askance.engine.suggestions import (
    LONGEST_SUGGESTION,
    MOST_FRESH_TOKENS,
    MOST_SUGGESTED,
    questions_in,
)
from integration.program import opened
from servers.faults import FAULTS
from servers.loopback import Handler, Request, Wire
from servers.model_script import ModelScript, Scripted, plan, verdict
from servers.world import GAP, ONE_ROUND, QUESTION, knowing_model, some_answer
from waiting import patience

NEXT = "Who paid for the Lindmouth lighthouse?"
LAMP = "Which lamp did the lighthouse of Lindmouth get?"
STAYS_OPEN = (verdict("partial", GAP),)
ASKED = ParsedCommand(SEARCH, QUESTION)


def suggesting(reply: Scripted, judge: Any = ONE_ROUND) -> ModelScript:
    return knowing_model(judge=judge, answer=[some_answer, reply])


@asynccontextmanager
async def answered(
    home: Path,
    script: ModelScript,
    settings: Mapping[str, Any] | None = None,
    asked: ParsedCommand = ASKED,
) -> AsyncIterator[tuple[App, ConversationSession, dict[str, Any]]]:
    chosen = {"limits.rounds": 1, **(settings or {})}
    async with opened(home, script, chosen) as (app, servers), AsyncExitStack() as stack:
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        # The judge is asked however plain the answer is: what it misses stays open.
        patch.setattr(Judge, "could_answer", AsyncMock(return_value=False))
        session = ConversationSession(pytest.fail)
        end = await session.ask(app, asked, lambda _: None)
        assert isinstance(end, Answered), end
        # What this machine was seen to take says nothing of a model that is a script.
        app.engine.model_speed.speed = Speed(prompt_tps=1000.0, reply_tps=100.0)
        app.engine.model_speed.keeps_prefix = True
        yield app, session, servers


async def test_questions_come_from_the_prompt_that_the_server_has(tmp_path: Path) -> None:
    script = suggesting(f"1. {NEXT}\n2. {LAMP}")
    async with answered(tmp_path, script) as (app, session, _):
        assert await session.suggest(app) == (NEXT, LAMP)
        assert await session.suggest(app) == (), "once for each answer"
        written, asked = script.calls[-2:]
        before, after = (
            "".join(f"\0{m['role']}\0{m['content']}" for m in call.messages)
            for call in (written, asked)
        )
    fresh = after[shared_chars(before, after) :]
    reply = asked.messages[-2]["content"]
    assert fresh.startswith("\0assistant\0" + reply)
    assert (len(fresh) - len(reply)) / 4 <= MOST_FRESH_TOKENS
    assert asked.options["num_predict"] <= 100


async def test_none_is_asked_for_where_the_setting_is_off(tmp_path: Path) -> None:
    script = suggesting(NEXT, STAYS_OPEN)
    async with answered(tmp_path, script, {"answer.suggest": False}) as (app, session, _):
        calls = len(script.calls)
        assert await session.suggest(app) == ()
        assert len(script.calls) == calls


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "I have no suggestions.",
        "{}" * 400,
        "\x00\ud7ff<|im_end|>?",
        f"{QUESTION}\n{QUESTION.upper()}",
        "**Which lamp?**x? [link](http://light.example)?",
        "Wer bezahlte den Leuchtturm von Lindmouth, und wann wurde er eigentlich gebaut?",
        f"{'Which of the lighthouses ' * 5}?",
        "?\n??\n - ?",
    ],
)
async def test_a_reply_of_no_use_leaves_what_stayed_open(tmp_path: Path, reply: str) -> None:
    async with answered(tmp_path, suggesting(reply, STAYS_OPEN)) as (app, session, _):
        assert await session.suggest(app) == (f"{GAP}?",)


@pytest.mark.parametrize("name", ["hangs_up", "fails", "talks_nonsense", "breaks_off"])
async def test_a_model_that_dies_leaves_what_stayed_open(tmp_path: Path, name: str) -> None:
    fault: Handler = FAULTS[name]
    async with answered(tmp_path, suggesting(fault, STAYS_OPEN)) as (app, session, _):
        assert await session.suggest(app) == (f"{GAP}?",)


async def test_a_question_ends_the_call_and_has_the_model(tmp_path: Path) -> None:
    begun = asyncio.Event()

    async def waits(request: Request, wire: Wire) -> None:
        await wire.start()
        begun.set()
        await wire.client_gone()

    script = knowing_model(judge=ONE_ROUND, answer=[some_answer, waits, "Hello."])
    async with (
        answered(tmp_path, script) as (app, session, _),
        patience(),
        asyncio.TaskGroup() as group,
    ):
        suggesting_it = group.create_task(session.suggest(app))
        await begun.wait()
        # Of another conversation: the window has begun a new one.
        other = ConversationSession(pytest.fail)
        end = await other.ask(app, ParsedCommand(CHAT, "hello"), lambda _: None)
        assert isinstance(end, Answered)
        assert suggesting_it.cancelled()


async def test_a_cancelled_call_leaves_nothing_running(tmp_path: Path) -> None:
    begun = asyncio.Event()

    async def waits(request: Request, wire: Wire) -> None:
        await wire.start()
        begun.set()
        await wire.client_gone()

    async with answered(tmp_path, suggesting(waits)) as (app, session, servers):
        async with patience(), asyncio.TaskGroup() as group:
            task = group.create_task(session.suggest(app))
            await begun.wait()
            task.cancel()
        assert task.cancelled()
        async with patience():
            await servers["model"].until_idle()
        assert app.engine.queue is not None
        assert app.engine.queue.is_free()


async def test_no_model_is_asked_while_somebody_waits_for_it(tmp_path: Path) -> None:
    script = suggesting(NEXT, STAYS_OPEN)
    async with answered(tmp_path, script) as (app, session, _):
        calls = len(script.calls)
        assert app.engine.queue is not None
        async with app.engine.queue.turn(lambda _: None):
            assert await session.suggest(app) == (f"{GAP}?",)
        assert len(script.calls) == calls


async def test_a_slow_model_is_not_asked(tmp_path: Path) -> None:
    script = suggesting(NEXT, STAYS_OPEN)
    async with answered(tmp_path, script) as (app, session, _):
        app.engine.model_speed.speed = Speed(prompt_tps=500.0, reply_tps=20.0)
        calls = len(script.calls)
        assert await session.suggest(app) == (f"{GAP}?",)
        assert len(script.calls) == calls


async def test_no_private_word_is_suggested(tmp_path: Path) -> None:
    reply = f"Does a melanoma keep Mr Osterhagen from the lighthouse?\n{NEXT}"
    script = knowing_model(
        plan=[plan("x")],
        judge=[verdict("partial", "Osterhagen melanoma")],
        answer=[some_answer, reply],
    )
    letter = (
        "My neighbour Osterhagen has a melanoma, says the biopsy of last week, and he is not well."
    )
    asked = ParsedCommand(SEARCH, QUESTION, letter)
    async with answered(tmp_path, script, asked=asked) as (app, session, _):
        assert await session.suggest(app) == (NEXT,)
    script.answer = [some_answer, "None."]
    script.calls.clear()
    async with answered(tmp_path, script, asked=asked) as (app, session, _):
        assert await session.suggest(app) == ()


async def test_what_stopped_or_was_not_searched_suggests_nothing(tmp_path: Path) -> None:
    script = knowing_model(answer=["Hello."])
    async with opened(tmp_path, script) as (app, _):
        session = ConversationSession(pytest.fail)
        await session.ask(app, ParsedCommand(CHAT, "hello"), lambda _: None)
        assert await session.suggest(app) == ()
        seen: list[object] = []
        async with patience(), asyncio.TaskGroup() as group:
            task = group.create_task(
                session.ask(app, ASKED, lambda timed: seen.append(timed.event))
            )
            await asyncio.sleep(0)
            task.cancel()
        assert any(isinstance(event, Cancelled) for event in seen) or not seen
        assert await session.suggest(app) == ()
        assert len(script.calls) <= 2


@pytest.mark.parametrize(
    "reply",
    [
        f'["{NEXT}", "{LAMP}"]',
        f'- "{NEXT}"\n- {LAMP}',
        f"Q1: {NEXT}\nQ2: {LAMP}",
        f"1) {NEXT}\n\n2) “{LAMP}”",
    ],
)
def test_replies_are_read_in_the_forms_of_models(reply: str) -> None:
    assert questions_in(reply)[:MOST_SUGGESTED] == [NEXT, LAMP]
    assert len(NEXT) <= LONGEST_SUGGESTION
