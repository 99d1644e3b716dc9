"""From a machine without a model to an answer: first page, download from a hub, a question that waits, its answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from askance.domain.downloads import FoundServer, ProcessorTrial
from askance.ui.overlay.conversation.exchange import State
from askance.ui.shell.desktop import Desktop
from servers.loopback import Request, Wire, serve
from servers.model_hub import Hub, serve_hub, tier
from servers.ollama import FakeOllama, shown, tag
from servers.xllamacpp_fake import SOURCE
from ui.overlay_room import running
from waiting import patience

FERRY = "Which ferry takes bicycles?"


async def nobody() -> tuple[FoundServer, ...]:
    return ()


async def quick() -> ProcessorTrial:
    return ProcessorTrial(4000, 80)


async def until(holds: Callable[[], bool]) -> None:
    """Let the hub, which lives in this loop, and the window take turns until something holds."""
    async with patience():
        while not holds():
            QApplication.processEvents()
            await asyncio.sleep(0.005)


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have files run by a stand-in for llama.cpp, in the child process that the real one would have."""
    folder = tmp_path / "packages"
    folder.mkdir()
    (folder / "xllamacpp.py").write_text(SOURCE, "utf-8")
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setenv("PYTHONPATH", str(folder))
    monkeypatch.setattr("askance.app.model_offers.model_tiers", lambda: (tier(),))


async def walk(desktop: Desktop, hub: Hub) -> None:
    for name, stand_in in (("find_servers", nobody), ("try_processor", quick)):
        object.__setattr__(desktop.context, name, stand_in)
    page = desktop.windows.welcome()
    await until(lambda: page.focusWidget() is page.choice.download)
    assert hub.asked == []
    QTest.keyClick(page.choice.download, Qt.Key.Key_Return)
    await hub.held.wait()
    overlay, field = desktop.overlay, desktop.overlay.ask_bar.field
    overlay.summon()
    await until(lambda: "%" in overlay.ask_bar.tools.model_button.words)
    # The row that says what is missing would say it twice.
    assert overlay.missing.part is None or overlay.missing.part.icon != "chip"
    field.set_text(FERRY)
    QTest.keyClick(field, Qt.Key.Key_Return)
    (line,) = desktop.arrivals.row.lines
    assert line.chip.accessibleName() == f"{FERRY}, asked when ready"
    assert desktop.session.views == []
    hub.go_on.set()
    await until(lambda: any(view.ended for view in desktop.session.views))
    (view,) = desktop.session.views
    assert (view.asked.text, view.state) == (FERRY, State.ANSWERED)
    # The stand-in writes down with what it was started.
    assert "n_ctx" in view.text
    assert desktop.arrivals.row.lines == []
    assert not overlay.ask_bar.tools.model_button.is_missing


@pytest.mark.usefixtures("qtbot", "engine")
async def test_a_machine_without_a_model_downloads_one_and_answers_what_waited(
    environment: dict[str, str],
) -> None:
    async with serve_hub(b"GGUF" + b" " * 2_999_996, holds_at=2_100_000) as hub:
        environment["ASKANCE_LLM__HUB"] = hub.url
        environment["ASKANCE_ASK__MODE"] = "chat"
        with running(environment) as desktop:
            await walk(desktop, hub)


@pytest.mark.usefixtures("qtbot")
async def test_what_a_model_has_no_memory_for_a_smaller_one_answers(
    environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("askance.app.model_choices.free_memory", lambda: 9_000_000_000)

    async def chat(request: Request, wire: Wire) -> None:
        if request.json()["model"] == "owl:12b":
            needs = "model requires more system memory (11.6 GiB) than is available (2.1 GiB)"
            await wire.send_json({"error": needs}, 500)
        else:
            await ollama._chat(request, wire)

    ollama = FakeOllama(
        tags=[tag("owl:12b", size=8_000_000_000), tag("qwen3:1.7b", size=1_400_000_000)],
        shows={"owl:12b": shown(), "qwen3:1.7b": shown()},
        on_chat=chat,
    )
    async with serve(ollama) as server:
        environment |= {"ASKANCE_LLM__URL": server.url, "ASKANCE_LLM__MODEL": "owl:12b"}
        with running(environment | {"ASKANCE_ASK__MODE": "chat"}) as desktop:
            row = desktop.overlay.missing
            desktop.overlay.summon()
            desktop.session.submit("/chat Where is Lisbon?")
            await until(lambda: row.texts[2] == "Answer with Small")
            assert row.texts[:2] == (
                "The model ran out of memory",
                "What was written is kept above. Small needs 1.4 GB.",
            )
            row.button.click()
            await until(lambda: desktop.session.views[-1].state is State.ANSWERED)
            assert "Tagus" in desktop.session.views[-1].text
            assert desktop.session.model == "qwen3:1.7b"
            await until(row.isHidden)
