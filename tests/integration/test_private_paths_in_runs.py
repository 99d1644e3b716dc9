"""A path that was typed is in nothing that leaves: not at once, nor by later questions."""

from __future__ import annotations

import asyncio
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest

from askance.app.container import App
from askance.app.conversation import ConversationSession
from askance.domain.conversation import CHAT, SEARCH, ParsedCommand
from askance.domain.events import Answered
from integration.program import opened
from servers.model_script import ModelScript, plan, verdict
from servers.world import knowing_model

FOLDER = "/" + "home/erika/Quarzbein"
TYPED = f"When was the Lindmouth lighthouse built, as {FOLDER}/biopsy-result.md says?"
NOSY = "Lindmouth lighthouse Quarzbein biopsy result erika"
SECRET = ("quarzbein", "biopsy", "erika")


def nosy_model() -> ModelScript:
    """A model that asks for all that it has read in the path."""
    return knowing_model(
        plan=[plan(NOSY)],
        judge=[verdict("partial", NOSY), verdict("sufficient")],
        answer=["It was built in 1871 [1].", "Why does Quarzbein matter?\nAnd the biopsy?"] * 8,
    )


def program(home: Path) -> AbstractAsyncContextManager[tuple[App, dict[str, Any]]]:
    return opened(home, nosy_model(), {"limits.rounds": 2})


def sent(servers: dict[str, Any]) -> str:
    requests = [*servers["search"].requests, *servers["web"].requests]
    assert servers["search"].requests
    return "\n".join(f"{r.target} {r.query} {r.body!r}" for r in requests).lower()


async def test_a_typed_path_leaves_neither_at_once_nor_later(tmp_path: Path) -> None:
    async with program(tmp_path) as (app, servers):
        session = ConversationSession(pytest.fail)
        for asked in (
            ParsedCommand(SEARCH, TYPED),
            ParsedCommand(SEARCH, "And who built it?"),
            # As the window asks once more, and with the question changed.
            ParsedCommand(SEARCH, TYPED, fresh=True),
            ParsedCommand(SEARCH, TYPED.replace("When was", "Who says when")),
        ):
            end = await session.ask(app, asked, lambda _: None)
            assert isinstance(end, Answered), end
            # In a task of its own: the next question ends it.
            async with asyncio.TaskGroup() as group:
                suggesting = group.create_task(session.suggest(app))
            assert [word for word in SECRET if word in str(suggesting.result()).lower()] == []
        assert [word for word in SECRET if word in sent(servers)] == []


@pytest.mark.parametrize("command", [CHAT, SEARCH])
async def test_nor_from_a_conversation_that_is_gone_on_with(tmp_path: Path, command: str) -> None:
    """What was asked of the model alone is searched later, or followed up."""
    async with program(tmp_path) as (app, servers):
        first = ConversationSession(pytest.fail)
        await first.ask(app, ParsedCommand(command, TYPED), lambda _: None)
        later = ConversationSession(pytest.fail, turns=first.turns)
        await later.ask(app, ParsedCommand(command, TYPED).with_web(), lambda _: None)
        await later.ask(app, ParsedCommand(SEARCH, "And who built it?"), lambda _: None)
        assert [word for word in SECRET if word in sent(servers)] == []
