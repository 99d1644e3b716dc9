"""The models to choose from, and one conversation that another one answers."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from askance.adapters.llm.model_queue import SpeedFile
from askance.app import model_choices as choices
from askance.app.container import App, open_app
from askance.app.conversation import ConversationSession
from askance.app.model_choices import model_choices, with_less_memory
from askance.config.folders import find_folders
from askance.config.settings import Settings
from askance.domain.conversation import ParsedCommand
from askance.domain.ports.model import Speed
from askance.presentation.missing_parts import OUT_OF_MEMORY
from servers.loopback import serve
from servers.ollama import FakeOllama, shown, tag

GIGABYTE = 1_000_000_000


@asynccontextmanager
async def opened(ollama: FakeOllama, home: Path) -> AsyncIterator[App]:
    folders = find_folders({"ASKANCE_HOME": str(home)})
    async with serve(ollama) as server:
        settings = Settings.model_validate({"llm": {"url": server.url, "model": "small:1b"}})
        await SpeedFile(folders.speeds).store(
            settings.llm.server, "small:1b", Speed(reply_tps=28.0)
        )
        async with open_app(settings, folders) as app:
            yield app


@pytest.fixture
def ollama() -> FakeOllama:
    names = ("small:1b", "large:24b")
    return FakeOllama(
        tags=[tag(names[0], size=GIGABYTE), tag(names[1], size=15 * GIGABYTE)],
        shows={name: shown() for name in names},
    )


async def test_each_model_comes_with_its_size_its_pace_and_whether_it_fits(
    ollama: FakeOllama, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choices, "free_memory", lambda: 11 * GIGABYTE)
    async with opened(ollama, tmp_path) as app:
        found = {choice.name: choice for choice in await model_choices(app)}
    small, large = found["small:1b"], found["large:24b"]
    assert (small.size_bytes, small.words_a_second, small.free_bytes) == (GIGABYTE, 21, 0)
    assert (large.words_a_second, large.free_bytes) == (0, 11 * GIGABYTE)
    assert small.grade is None
    assert not small.is_loaded


async def test_a_smaller_model_answers_what_another_had_no_memory_for(
    ollama: FakeOllama, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choices, "free_memory", lambda: 11 * GIGABYTE)
    async with opened(ollama, tmp_path) as app:
        found = await with_less_memory(app, "large:24b")
        assert (found.button, found.model) == ("Answer with small:1b", "small:1b")
        assert found.sentence == "What was written is kept above. small:1b needs 1.0 GB."
        # The model of the settings, which is the smallest there is.
        assert await with_less_memory(app, "") is OUT_OF_MEMORY
        # One of the tiers has the name that the first page gives it.
        ollama.tags[0] = tag("qwen3:1.7b", size=GIGABYTE)
        ollama.shows["qwen3:1.7b"] = shown()
        assert (await with_less_memory(app, "large:24b")).button == "Answer with Small"


async def test_a_conversation_is_answered_by_the_model_that_was_chosen_for_it_and_no_other(
    ollama: FakeOllama, tmp_path: Path
) -> None:
    asked = ParsedCommand("chat", "Where is Lisbon?")
    async with opened(ollama, tmp_path) as app:
        chosen = ConversationSession(lambda _: None)
        chosen.model = "large:24b"
        for conversation in (chosen, ConversationSession(lambda _: None)):
            await conversation.ask(app, asked, lambda _: None)
    assert ollama.chats[0]["model"] == "large:24b"
    assert ollama.chats[-1]["model"] == "small:1b"
