"""The first page: what is there is said, a click mends it, and nothing happens without one."""

from __future__ import annotations

import asyncio
import tomllib
from collections.abc import Mapping
from pathlib import Path
from threading import Thread, current_thread, main_thread
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from askance.adapters.containers.problems import NoCli
from askance.app.checks.first_steps import (
    TRIAL_COUNTS_S,
    CheckResult,
    Trials,
    look_at_model,
    look_at_reader,
    look_at_search,
    suggested,
)
from askance.config.folders import find_folders
from askance.config.settings import Settings
from askance.domain.downloads import FoundServer, ProcessorTrial
from askance.domain.errors import ServiceDown, ServiceRefused
from askance.domain.messages import FixKind
from askance.domain.ports.model import ModelInfo
from askance.presentation.i18n import size_text
from askance.ui.design.theme import LIGHT, Look
from askance.ui.settings.first_run import FirstRun
from askance.ui.settings.model_cards import ServerCard, TierCard
from servers.faults import address_of_nobody
from servers.loopback import Request, Wire, serve
from servers.model_hub import FILE, serve_hub, tier
from ui.settings.room import FakeModel, FakeParts, FakeServices, Room, SignalLog
from waiting import patience

# What the checks look at of the open parts.
Parts: Any = FakeParts

DOWN = ServiceDown("Ollama", "http://x", "Ollama does not answer.", fix="Start it.")
GB = 1_000_000_000


def steps(found: CheckResult) -> list[FixKind]:
    return [way.step for way in found.actions]


class Card:
    """The page, shown, and what it told."""

    def __init__(self, place: Room, qtbot: QtBot) -> None:
        self.opened: list[str] = []
        self.page = FirstRun(Look(LIGHT, moves=False), place.surroundings, self._open)
        self.bot = qtbot
        self.changes = SignalLog(self.page.changed)
        self.page.show()

    def _open(self, url: str) -> str:
        self.opened.append(url)
        return ""

    def wait_for(self, part: str, text: str) -> None:
        label = self.page.rows[part].status_label
        try:
            self.bot.waitUntil(lambda: text in label.text())
        except self.bot.TimeoutError:
            pytest.fail(f"{part} says: {label.text()}")

    def press(self, part: str) -> None:
        self.page.rows[part].button.click()


LLAMA = FoundServer("llama.cpp", "openai", "http://127.0.0.1:8080", "wren-4b", 3.0)
JAN = FoundServer("Jan", "openai", "http://127.0.0.1:1337", "finch", 9.0)
STOPPED = FoundServer("Ollama", "ollama", "http://127.0.0.1:11434", is_running=False)


def nothing_here(place: Room) -> None:
    """A machine without a model server and without containers, where nothing was chosen yet."""
    place.parts.model = FakeModel(DOWN)
    place.services.seen = NoCli()
    place.services.trial = ProcessorTrial(4000, 80)
    place.environment.pop("ASKANCE_LLM__URL")


def key(page: FirstRun, which: Qt.Key) -> None:
    QTest.keyClick(page.focusWidget() or page, which)


def test_a_server_that_runs_here_is_found_and_taken_with_enter(place: Room, qtbot: QtBot) -> None:
    nothing_here(place)
    place.services.servers = (LLAMA, JAN)
    page = Card(place, qtbot).page
    qtbot.waitUntil(lambda: len(page.choice.cards) == 5)
    first, second, *_ = page.choice.cards
    assert isinstance(first, ServerCard)
    assert page.choice.title.text() == "A model runs here already"
    assert [first.isChecked(), first.program.text(), first.model.text()] == [
        True,
        "llama.cpp",
        "wren-4b",
    ]
    assert first.about.text() == "127.0.0.1:8080"
    qtbot.waitUntil(lambda: page.focusWidget() is first.button)
    assert first.button.property("primary")
    assert page.rows["model"].isHidden()
    assert place.written == ""
    # Arrows choose, and the main button of what is chosen has the focus.
    key(page, Qt.Key.Key_Down)
    assert second.isChecked()
    assert isinstance(second, ServerCard)
    assert page.focusWidget() is second.button
    key(page, Qt.Key.Key_Return)
    chosen = {"api": "openai", "url": JAN.url, "model": "finch"}
    assert tomllib.loads(place.written) == {"llm": chosen}


def test_an_ollama_that_is_not_started_is_started_with_a_click(place: Room, qtbot: QtBot) -> None:
    nothing_here(place)
    place.services.servers = (STOPPED,)
    page = Card(place, qtbot).page
    qtbot.waitUntil(lambda: len(page.choice.cards) == 4)
    first = page.choice.cards[0]
    assert isinstance(first, ServerCard)
    assert (first.button.text(), first.about.text()) == (
        "Start and use it",
        "Ollama is installed, but not running",
    )
    first.button.click()
    assert page.rows["model"].isVisibleTo(page)
    # There is no such program here.
    qtbot.waitUntil(lambda: "Ollama cannot be started" in page.rows["model"].status_label.text())


def test_without_any_three_models_are_offered_and_one_fits(place: Room, qtbot: QtBot) -> None:
    nothing_here(place)
    page = Card(place, qtbot).page
    qtbot.waitUntil(lambda: len(page.choice.cards) == 3)
    tiers = [card for card in page.choice.cards if isinstance(card, TierCard)]
    fits = [card for card in tiers if "Fits this computer" in card.fits.text()]
    assert [card.isChecked() for card in fits] == [True]
    assert page.choice.title.text() == "Choose a model to download"
    qtbot.waitUntil(lambda: page.focusWidget() is page.choice.download)
    tiers[0].click()
    assert page.choice.download.text() == "Download 1.1 GB"
    assert page.choice.terms.text().startswith("Apache 2.0 · checked when it is here · ")
    # On a card Enter does what the card is for; nothing was asked of anybody until then.
    tiers[0].setFocus()
    assert place.surroundings.downloads.entries == ()


def test_the_next_main_button_has_the_focus_behind_each_step(place: Room, qtbot: QtBot) -> None:
    nothing_here(place)
    place.environment["ASKANCE_LLM__HUB"] = address_of_nobody()
    page = Card(place, qtbot).page
    qtbot.waitUntil(lambda: page.focusWidget() is page.choice.download)
    key(page, Qt.Key.Key_Return)
    downloads = place.surroundings.downloads
    qtbot.waitUntil(lambda: len(page.downloads) == 1)
    (row,) = page.downloads.values()
    qtbot.waitUntil(lambda: row.title.text() == "Offline")
    assert row.state.text() == "No connection. It goes on by itself when there is one."
    assert row.button.text() == "Try now"
    assert page.choice.isHidden()
    button = page.rows["search"].button
    qtbot.waitUntil(lambda: page.focusWidget() is button)
    key(page, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: page.focusWidget() is page.later)
    assert tomllib.loads(place.written) == {"search": {"in_process": "given"}}
    assert page.later.text() == "Hide"
    row.stop.click()
    qtbot.waitUntil(lambda: downloads.entries == () and not page.choice.isHidden())
    qtbot.waitUntil(lambda: page.focusWidget() is page.choice.download)


async def test_a_model_that_has_come_is_used_at_once(
    place: Room, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    nothing_here(place)
    source, threads = place.surroundings.source, list[Thread]()
    write_all = source.write_all

    def write(values: Mapping[str, str]) -> Settings:
        threads.append(current_thread())
        return write_all(values)

    monkeypatch.setattr(source, "write_all", write)
    async with serve_hub() as hub:
        place.environment["ASKANCE_LLM__HUB"] = hub.url
        page = Card(place, qtbot).page
        arrived = SignalLog(place.surroundings.downloads.arrived)
        place.surroundings.downloads.download(tier(), by_ollama=False)
        async with patience():
            while not arrived.all:
                QApplication.processEvents()
                await asyncio.sleep(0.005)
    assert page.downloads == {}
    (settings,) = arrived.all
    # It is read, checked and written whole: the window would not turn meanwhile.
    assert main_thread() not in threads
    assert settings.llm.api.value == "embedded"
    assert Path(settings.llm.gguf).name == FILE
    assert await asyncio.to_thread(Path(settings.llm.gguf).read_bytes) == hub.content


async def test_where_ollama_runs_a_model_comes_through_its_pull(place: Room, qtbot: QtBot) -> None:
    nothing_here(place)
    pulled: list[object] = []

    async def ollama(request: Request, wire: Wire) -> None:
        pulled.append(request.json())
        await wire.start()
        await wire.chunk(b'{"status":"success"}\n')

    async with serve(ollama) as server:
        place.environment["ASKANCE_LLM__URL"] = server.url
        place.services.servers = (FoundServer("Ollama", "ollama", server.url),)
        page = Card(place, qtbot).page
        arrived = SignalLog(place.surroundings.downloads.arrived)
        async with patience():
            while page.focusWidget() is not page.choice.download:
                QApplication.processEvents()
                await asyncio.sleep(0.005)
            assert len(page.choice.cards) == 3
            page.choice.cards[0].click()
            key(page, Qt.Key.Key_Return)
            while not arrived.all:
                QApplication.processEvents()
                await asyncio.sleep(0.005)
    assert pulled == [{"model": "qwen3:1.7b", "stream": True}]
    assert tomllib.loads(place.written)["llm"] == {"api": "ollama", "model": "qwen3:1.7b"}


def test_an_address_of_ones_own_is_taken(place: Room, qtbot: QtBot) -> None:
    nothing_here(place)
    page = Card(place, qtbot).page
    qtbot.waitUntil(lambda: page.focusWidget() is page.choice.download)
    page.choice.address_link.click()
    assert page.focusWidget() is page.choice.address
    QTest.keyClicks(page.choice.address, "192.0.2.7:9")
    key(page, Qt.Key.Key_Return)
    assert tomllib.loads(place.written)["llm"] == {
        "api": "openai",
        "url": "http://192.0.2.7:9",
        "model": "",
    }
    # What was chosen is said, with what is wrong with it.
    qtbot.waitUntil(lambda: page.rows["model"].isVisibleTo(page))


def test_a_machine_with_nothing_can_try_a_demo_and_ask_without_a_model(
    place: Room, qtbot: QtBot
) -> None:
    nothing_here(place)
    card = Card(place, qtbot)
    card.wait_for("search", "Asks five public engines from this computer.")
    row = card.page.rows["search"]
    assert row.more.isHidden()
    row.ways.click()
    assert "Docker" in row.more.text()
    assert not row.more.isHidden()
    sample, later = SignalLog(card.page.sample_requested), SignalLog(card.page.dismissed)
    card.page.sample.click()
    assert card.page.later.text() == "Ask without a model"
    QTest.keyClick(card.page, Qt.Key.Key_Escape)
    assert (len(sample.all), len(later.all)) == (1, 1)
    assert (place.written, place.services.done) == ("", [])


def test_the_services_are_started_where_that_can_be_watched(place: Room, qtbot: QtBot) -> None:
    card = Card(place, qtbot)
    card.wait_for("search", "Asks five public engines from this computer.")
    row, wanted = card.page.rows["search"], SignalLog(card.page.services_wanted)
    assert row.other.isHidden()
    row.ways.click()
    assert row.other.accessibleName() == "Search: Start SearXNG"
    row.other.click()
    assert (len(wanted.all), place.services.done) == (1, [])


def test_direct_search_is_explained_before_it_is_allowed(place: Room, qtbot: QtBot) -> None:
    place.services.seen = NoCli()
    card = Card(place, qtbot)
    row = card.page.rows["search"]
    qtbot.waitUntil(lambda: row.button.text() == "Use built-in search")
    row.ways.click()
    assert " brave" in row.more.text()
    qtbot.waitUntil(lambda: row.height() >= row.heightForWidth(row.width()))
    card.press("search")
    qtbot.waitUntil(lambda: row.finding is not None and row.finding.is_well)
    assert row.status_label.text() == "Asks five public engines from this computer."
    assert tomllib.loads(place.written) == {"search": {"in_process": "given"}}
    assert [s.search.in_process.value for s in card.changes.all] == ["given"]


def test_enter_presses_the_main_button_alone_and_never_records_a_hotkey(
    place: Room, qtbot: QtBot
) -> None:
    place.services.seen = NoCli()
    card = Card(place, qtbot)
    page, enter = card.page, Qt.Key.Key_Return
    sample, asked = SignalLog(page.sample_requested), SignalLog(page.dismissed)
    recording = SignalLog(page.hotkey_recording)
    QTest.keyClick(page.focusWidget() or page, enter)  # nothing was looked at yet
    assert (sample.all, asked.all, place.written) == ([], [], "")
    button = page.rows["search"].button
    qtbot.waitUntil(lambda: page.focusWidget() is button)
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: page.focusWidget() is page.later)
    assert page.later.property("primary")
    assert page.later.text() == "Ask a question"
    QTest.keyClick(page.later, enter)
    assert (len(asked.all), len(sample.all), recording.all) == (1, 0, [])


def test_a_button_that_is_pressed_and_goes_hands_the_focus_to_the_main_one(
    place: Room, qtbot: QtBot
) -> None:
    nothing_here(place)
    page = Card(place, qtbot).page
    button = page.rows["search"].button
    qtbot.waitUntil(lambda: page.focusWidget() is page.choice.download and button.isVisible())
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(button.isHidden)
    qtbot.waitUntil(lambda: page.focusWidget() is page.choice.download)


def test_with_all_there_enter_asks_a_question_and_not_the_sample_web(
    place: Room, qtbot: QtBot
) -> None:
    place.services.seen = NoCli()
    card = Card(place, qtbot)
    page = card.page
    qtbot.waitUntil(lambda: page.rows["search"].button.text() == "Use built-in search")
    card.press("search")
    qtbot.waitUntil(lambda: page.focusWidget() is page.later)
    page.hide()
    page.show()
    assert page.focusWidget() is page
    qtbot.waitUntil(lambda: page.focusWidget() is page.later)
    assert page.choice.isHidden()


def test_the_hotkey_is_recorded_and_what_is_wrong_with_it_is_said(
    place: Room, qtbot: QtBot
) -> None:
    card = Card(place, qtbot)
    card.page.keys.click()
    QTest.keyClick(card.page.keys, Qt.Key.Key_J, Qt.KeyboardModifier.ControlModifier)
    assert tomllib.loads(place.written) == {"window": {"hotkey": "Ctrl+J"}}
    card.page.show_hotkey("Another program has it.")
    assert card.page.rows["hotkey"].status_label.text() == "Another program has it."
    assert (
        card.page.rows["hotkey"].status_label.accessibleName()
        == "Attention: Another program has it."
    )


def test_on_a_low_screen_the_page_scrolls_to_what_has_the_focus(place: Room, qtbot: QtBot) -> None:
    nothing_here(place)
    page = Card(place, qtbot).page
    qtbot.waitUntil(lambda: page.focusWidget() is page.choice.download)
    bar, high = page.area.verticalScrollBar(), page.screen().availableGeometry().height()
    qtbot.waitUntil(lambda: page.height() == page.sizeHint().height())
    assert (page.height() < high, bar.maximum()) == (True, 0)
    page.set_look(Look(LIGHT, scale=2.0, moves=False))
    qtbot.waitUntil(lambda: page.height() == high and bar.maximum() > 0)
    page.sample.setFocus()
    page.focusNextPrevChild(True)
    assert page.focusWidget() is page.later
    seen = page.later.mapTo(page.area.viewport(), page.later.rect().bottomLeft()).y()
    assert bar.value() > 0
    assert seen <= page.area.viewport().height()
    page.focusNextPrevChild(True)
    assert bar.value() < bar.maximum()


def test_a_settings_file_that_is_wrong_is_told(place: Room, qtbot: QtBot) -> None:
    place.file.parent.mkdir(parents=True)
    place.file.write_text("[", encoding="utf-8")
    card = Card(place, qtbot)
    assert "TOML" in card.page.rows["model"].status_label.text()


@pytest.mark.parametrize(
    ("has", "wanted", "free", "says", "step"),
    [
        (("wren:4b", 3), "", 11, "Ollama is running; wren:4b fits your memory (3.0 of 11 GB free).", None),
        (("wren:4b", 3), "wren:4b", 2, "Ollama is running; wren:4b is large for this computer (3.0 of 2.0 GB free).", None),
        (("wren:4b", 3), "", 0, "Ollama is running; wren:4b is there.", None),
        (("wren:4b", 3), "owl", 9, "Ollama is running, but does not have owl.", FixKind.DOWNLOAD_MODEL),
        (None, "", 9, "Ollama is running, but has no model yet. qwen3:4b-instruct fits this computer (2.5 GB).", FixKind.DOWNLOAD_MODEL),
        (None, "", 2, "Ollama is running, but has no model yet. qwen3:1.7b fits this computer (1.1 GB).", FixKind.DOWNLOAD_MODEL),
    ],
)  # fmt: skip
async def test_a_model_is_looked_at_with_the_memory_that_is_free(
    has: tuple[str, int] | None, wanted: str, free: int, says: str, step: FixKind | None
) -> None:
    models = (ModelInfo(has[0], 8192, size_bytes=has[1] * GB),) if has else ()
    settings = Settings.model_validate({"llm": {"model": wanted}})
    parts = Parts(FakeModel(models), settings)
    found = await look_at_model(parts, {}, lambda: free * GB)
    assert (found.message, steps(found), found.is_well) == (
        says,
        [step] if step else [],
        step is None,
    )


async def test_a_page_that_looks_again_and_again_asks_for_a_word_once_a_minute() -> None:
    models = (ModelInfo("wren:4b", 8192, size_bytes=GB),)
    model, now = FakeModel(models), 100.0
    trials = Trials(lambda: now)

    async def look(url: str = "http://127.0.0.1:11434") -> int:
        settings = Settings.model_validate({"llm": {"url": url}})
        found = await look_at_model(Parts(model, settings), {}, lambda: 9 * GB, trials=trials)
        assert found.is_well
        return model.asked

    assert [await look(), await look()] == [1, 1]
    assert await look("http://127.0.0.1:1") == 2
    now += TRIAL_COUNTS_S
    assert [await look("http://127.0.0.1:1"), await look("http://127.0.0.1:1")] == [3, 3]
    trials.forget()
    assert await look("http://127.0.0.1:1") == 4


async def test_what_a_model_said_in_place_of_a_word_is_remembered_too() -> None:
    refused = ServiceRefused("Ollama", "http://x", "No.")
    model, trials = FakeModel((ModelInfo("wren:4b", 8192, size_bytes=GB),)), Trials()
    model.refusal = refused
    for _ in range(2):
        found = await look_at_model(Parts(model), {}, lambda: 9 * GB, trials=trials)
        assert not found.is_well
    assert model.asked == 1


async def test_a_server_elsewhere_is_not_ours_to_start() -> None:
    settings = Settings.model_validate({"llm": {"url": "http://attic.invalid"}})
    found = await look_at_model(Parts(FakeModel(DOWN), settings), {"PATH": ""})
    assert (found.message, found.actions) == (str(DOWN), ())
    refused = ServiceRefused("Ollama", "http://x", "No.")
    assert (await look_at_model(Parts(FakeModel(refused)), {})).actions == ()
    assert (await look_at_model(Parts(None), {})).is_well is False


async def test_a_search_engine_elsewhere_is_not_ours_to_start(tmp_path: Path) -> None:
    folders = find_folders({"ASKANCE_HOME": str(tmp_path)})

    async def survey() -> None:
        raise AssertionError

    settings = Settings.model_validate({"search": {"url": "http://127.0.0.1:1"}})
    settings = settings.model_copy(
        update={"search": settings.search.model_copy(update={"url": "http://attic.invalid."})}
    )
    found = await look_at_search(settings, folders, survey)  # type: ignore[arg-type]
    assert steps(found) == [FixKind.ALLOW_SEARCH]


async def test_a_reader_that_was_set_up_and_is_gone_is_told(tmp_path: Path) -> None:
    folders = find_folders({"ASKANCE_HOME": str(tmp_path)})
    gone = Settings.model_validate({"reader": {"mode": "container", "url": "http://127.0.0.1:1"}})
    assert steps(await look_at_reader(gone, folders, FakeServices().survey)) == [
        FixKind.START_SERVICES
    ]
    nowhere = await look_at_reader(gone, folders, FakeServices(NoCli()).survey)
    assert (nowhere.is_well, nowhere.actions) == (False, ())
    assert "Docker" in nowhere.more
    here = Settings.model_validate({"reader": {"mode": "inprocess"}})
    assert (await look_at_reader(here, folders, FakeServices().survey)).message == "Built in."


async def test_a_reader_that_no_page_may_leave_is_said_to_be_missing(tmp_path: Path) -> None:
    folders = find_folders({"ASKANCE_HOME": str(tmp_path)})
    reader = {"url": "http://127.0.0.1:1", "mode": "container_only"}
    only = Settings.model_validate({"reader": reader})
    for token in ("", "a-token-of-the-tests-only"):
        if token:
            folders.reader_token.parent.mkdir(parents=True)
            folders.reader_token.write_text(token)
        found = await look_at_reader(only, folders, FakeServices().survey)
        assert (found.is_well, steps(found)) == (False, [FixKind.START_SERVICES])


def test_sizes_are_short_and_the_model_offered_fits() -> None:
    assert [size_text(n) for n in (815_000_000, 3_340_000_000, 21 * GB)] == [
        "815 MB",
        "3.3 GB",
        "21 GB",
    ]
    assert [suggested(n)[0] for n in (0, 24 * GB, 3 * GB, 1)] == [
        "qwen3:4b-instruct", "qwen3:4b-instruct", "qwen3:1.7b", "qwen3:1.7b",
    ]  # fmt: skip
