"""The model picker and downloading a model: what the server has, chosen, downloaded, stopped, refused."""

from __future__ import annotations

import asyncio
import json
import tomllib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from askance.app.container import Container
from askance.app.evaluation.records import Evaluation, Grade, label_of
from askance.config.settings import Settings
from askance.domain.errors import ServiceDown
from askance.domain.ports.model import ModelInfo
from askance.ui.settings.models import ModelControl
from servers.loopback import Handler, Request, Wire, serve
from ui.settings.room import FakeModel, Room, SignalLog, room
from waiting import patience

DOWN = ServiceDown("Ollama", "http://x", "Ollama does not answer.", fix="Start it.")


class Picker:
    """The page of models, opened, and what it told."""

    def __init__(self, place: Room, qtbot: QtBot) -> None:
        self.window = place.open_settings("Model")
        self.bot = qtbot
        self.changes = SignalLog(self.window.changed)
        control = self.window.field("llm.model").control
        assert isinstance(control, ModelControl)
        self.control = control

    @property
    def labels(self) -> list[str]:
        return [line.spoken for line in self.control.list.lines]

    @property
    def chosen(self) -> str:
        return self.control.list.lines[self.control.list.row].key

    def wait_for(self, text: str) -> None:
        self.bot.waitUntil(lambda: text in self.control.state.text())


def test_models_are_listed_with_size_and_context_and_one_is_chosen(
    place: Room, qtbot: QtBot
) -> None:
    picker = Picker(place, qtbot)
    picker.wait_for("2 models on this server")
    assert picker.labels == [
        "Automatic",
        "wren:8b, 5.2 GB · 8,192 tokens",
        "finch:latest, 815 MB · 4,096 tokens",
    ]
    assert picker.chosen == ""
    place_of_row = picker.control.list.visualRect(picker.control.list.model().index(2, 0)).center()
    qtbot.mouseClick(picker.control.list.viewport(), Qt.MouseButton.LeftButton, pos=place_of_row)
    assert tomllib.loads(place.written) == {"llm": {"model": "finch:latest"}}
    assert [s.llm.model for s in picker.changes.all] == ["finch:latest"]
    assert picker.chosen == "finch:latest"


def test_what_was_measured_of_a_model_stands_beside_it(place: Room, qtbot: QtBot) -> None:
    server = place.surroundings.source.load().llm.server
    evaluated = Container(Settings(), place.surroundings.folders).evaluations
    evaluated.store(Evaluation.begin(server, "finch:latest", 56))
    evaluated.store(Evaluation.begin("http://elsewhere:11434", "wren:8b", 56))
    picker = Picker(place, qtbot)
    picker.wait_for("2 models on this server")
    assert picker.labels[1:] == [
        "wren:8b, 5.2 GB · 8,192 tokens",
        f"finch:latest, {label_of(Grade.UNKNOWN)} · 815 MB · 4,096 tokens",
    ]


def test_a_model_that_is_not_there_stays_chosen_and_is_named(place: Room, qtbot: QtBot) -> None:
    place.surroundings.source.write("llm.model", "heron:70b")
    picker = Picker(place, qtbot)
    picker.wait_for("2 models")
    assert picker.chosen == "heron:70b"
    assert picker.labels[-1] == "heron:70b, not installed"


def test_a_name_without_its_tag_is_found(place: Room, qtbot: QtBot) -> None:
    place.surroundings.source.write("llm.model", "finch")
    picker = Picker(place, qtbot)
    picker.wait_for("2 models")
    assert (picker.chosen, len(picker.labels)) == ("finch:latest", 3)


def test_a_server_that_is_down_is_told_and_asked_again(place: Room, qtbot: QtBot) -> None:
    place.parts.model = FakeModel(DOWN)
    picker = Picker(place, qtbot)
    picker.wait_for("Ollama does not answer. Start it.")
    assert not picker.control.start.isVisible()
    place.parts.model = FakeModel((ModelInfo("wren:8b", 8192),))
    picker.control.again.click()
    picker.wait_for("1 model on this server")


def test_ollama_is_offered_to_be_started_where_it_is_installed(
    tmp_path: Path, qtbot: QtBot
) -> None:
    executable = tmp_path / "ollama"
    executable.write_text("#!/bin/sh\nexit 3\n", encoding="utf-8")
    executable.chmod(0o755)
    with room(tmp_path / "home", {"PATH": f"{tmp_path}:/bin:/usr/bin"}) as place:
        place.parts.model = FakeModel(DOWN)
        picker = Picker(place, qtbot)
        qtbot.waitUntil(picker.control.start.isVisible)
        picker.control.start.click()
        picker.wait_for("Ollama ended at once, with status 3.")
        assert picker.control.start.isEnabled()


def line(**fields: Any) -> bytes:
    return json.dumps(fields).encode() + b"\n"


@asynccontextmanager
async def served(place: Room, qtbot: QtBot, answer: Handler) -> AsyncIterator[Picker]:
    """The page over a server that answers so."""
    source = place.surroundings.source
    async with serve(answer) as server:
        source.environment = dict(source.environment) | {"ASKANCE_LLM__URL": server.url}
        yield Picker(place, qtbot)


async def test_a_model_is_downloaded_with_progress_and_chosen(place: Room, qtbot: QtBot) -> None:
    async def answer(request: Request, wire: Wire) -> None:
        await wire.start()
        await wire.chunk(line(status="pulling a", digest="a", total=4_000_000_000))
        await wire.chunk(line(status="success"))

    async with served(place, qtbot, answer) as picker:
        downloads = place.surroundings.downloads
        arrived = SignalLog(downloads.arrived)
        picker.control.download.field.setText("heron:3b")
        picker.control.download.button.click()
        assert [entry.name for entry in downloads.entries] == ["heron:3b"]
        await eventually(qtbot, lambda: len(arrived.all) == 1)
        await eventually(qtbot, lambda: picker.control.download.rows == {})
    assert arrived.all[0].llm.model == "heron:3b"
    assert tomllib.loads(place.written)["llm"]["model"] == "heron:3b"


async def test_a_model_that_comes_after_another_was_chosen_is_not_used(
    place: Room, qtbot: QtBot
) -> None:
    go_on = asyncio.Event()

    async def answer(request: Request, wire: Wire) -> None:
        await wire.start()
        await wire.chunk(line(status="pulling a", digest="a", total=100, completed=40))
        await go_on.wait()
        await wire.chunk(line(status="success"))

    async with served(place, qtbot, answer) as picker:
        downloads = place.surroundings.downloads
        arrived = SignalLog(downloads.arrived)
        downloads.pull("heron:3b")
        await eventually(qtbot, lambda: any(e.done_bytes for e in downloads.entries))
        place.surroundings.source.write("llm.model", "wren:8b")
        go_on.set()
        await eventually(qtbot, lambda: picker.control.download.rows == {})
    assert (arrived.all, downloads.entries) == ([], ())


async def test_a_download_is_paused_hangs_up_and_goes(place: Room, qtbot: QtBot) -> None:
    gone: list[bool] = []

    async def answer(request: Request, wire: Wire) -> None:
        await wire.start()
        await wire.chunk(line(status="pulling a", digest="a", total=100, completed=40))
        await wire.client_gone()
        gone.append(True)

    async with served(place, qtbot, answer) as picker:
        download = picker.control.download
        download.field.setText("heron:3b")
        download.button.click()
        await eventually(qtbot, lambda: "heron:3b" in download.rows)
        row = download.rows["heron:3b"]
        await eventually(qtbot, lambda: row.line.fraction == 0.4)
        assert row.button.accessibleName() == "heron:3b: Pause"
        row.button.click()
        await eventually(qtbot, lambda: bool(gone))
        await eventually(qtbot, lambda: row.button.text() == "Resume")
        assert row.title.text() == "Paused"
        row.stop.click()
        await eventually(qtbot, lambda: download.rows == {})


async def test_a_download_that_fails_says_why(place: Room, qtbot: QtBot) -> None:
    async def answer(request: Request, wire: Wire) -> None:
        await wire.send_json({"error": "file does not exist"}, 400)

    async with served(place, qtbot, answer) as picker:
        download = picker.control.download
        download.field.setText("dodo:3b")
        download.button.click()
        await eventually(qtbot, lambda: "dodo:3b" in download.rows)
        state = download.rows["dodo:3b"].state
        await eventually(qtbot, lambda: "There is no model dodo:3b" in state.text())
        assert download.rows["dodo:3b"].button.text() == "Try again"


async def eventually(qtbot: QtBot, holds: Any) -> None:
    """Let the server, which lives in this loop, and the window take turns until something holds."""
    async with patience():
        while not holds():
            QApplication.processEvents()
            await asyncio.sleep(0.005)
