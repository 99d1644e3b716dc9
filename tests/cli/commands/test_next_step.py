"""`askance doctor` ends with the command that leads on, the one that the first page has as a button."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, cast

import pytest

from askance.adapters.llm.ollama import OllamaModel
from askance.app.checks.first_steps import command_of
from askance.cli.commands.doctor import examine
from askance.config.settings import Settings
from askance.domain.errors import ServiceDown, SettingsError
from cli.commands.examination import DOWN, FakeServices, look, made_healthy
from cli.fake_shell import FakeApp, FakeModel, FakeSearch, FakeShell
from sampled import sampled
from ui.beginnings import Docker, Ollama, Searxng, machine

NEXT = {
    Ollama.NONE: "https://ollama.com/download",
    Ollama.DOWN: "ollama serve",
    Ollama.EMPTY: "ollama pull gemma3:4b",
}


@asynccontextmanager
async def opened(
    app: FakeApp, settings: Settings, *_: object, **__: object
) -> AsyncIterator[FakeApp]:
    """The parts of a machine, its real model server among them."""
    async with OllamaModel(settings.llm) as model:
        yield replace(app, model=model, settings=settings)


@pytest.mark.parametrize("docker", sampled(Docker, every=6))
async def test_the_command_is_that_of_the_main_button_on_every_machine(
    fake_shell: FakeShell, docker: Docker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("askance.app.checks.first_steps.suggested", lambda _: ("gemma3:4b", 1))
    for n, (searxng, ollama, online) in enumerate(product(Searxng, Ollama, (True, False))):
        async with machine(tmp_path / str(n), docker, searxng, ollama, online=online) as there:
            finds = online and searxng is Searxng.UP
            fake_shell.app.search = FakeSearch() if finds else FakeSearch(DOWN)
            fake_shell.environment, before = there.environment, len(fake_shell.printed)
            await asyncio.to_thread(
                examine,
                replace(fake_shell.shell, open_app=partial(opened, fake_shell.app, there.settings)),
                {},
                open_services=cast("Any", lambda *_: there),
                is_online=lambda _: there.online,
            )
            *_, last = fake_shell.printed[before:].splitlines()
            whole = finds and ollama is Ollama.READY
            expected = f"Next: {command_of(*await there.look())}"
            assert (last == expected) is not whole, (searxng, ollama, online)


@pytest.mark.parametrize(
    ("services", "command"),
    [(FakeServices(), "askance up"),
     (FakeServices(ServiceDown("Docker", "x", "It is down.")),
      "askance config set search.in_process given")],
)  # fmt: skip
def test_the_doctor_says_it_last(
    fake_shell: FakeShell, services: FakeServices, command: str
) -> None:
    fake_shell = made_healthy(fake_shell)
    fake_shell.app.search = FakeSearch(DOWN)
    assert look(fake_shell, services, search__proxy="http://proxy.example:1") == 1
    assert fake_shell.printed.endswith(
        f"A search cannot be answered completely yet.\nNext: {command}\n"
    )


def test_nothing_is_said_where_all_is_well_or_nothing_is_known(fake_shell: FakeShell) -> None:
    fake_shell = made_healthy(fake_shell)
    assert look(fake_shell) == 0
    fake_shell.app.model = FakeModel(ServiceDown("x", "y", "It is down."))
    fake_shell.app.failure = SettingsError("The GGUF file is not there.")
    assert look(fake_shell) == 1
    assert "Next:" not in fake_shell.printed
