"""The first page: what is there is said, a click mends it, and nothing happens without one."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
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
from askance.domain.errors import ServiceDown, ServiceRefused
from askance.domain.messages import FixKind
from askance.domain.ports.containers import ComposeProgress, ResourceKind
from askance.domain.ports.model import ModelInfo
from askance.presentation.i18n import size_text, without_backticks
from askance.ui.design.theme import LIGHT, Look
from askance.ui.settings.first_run import FirstRun
from ui.settings.room import FakeModel, FakeParts, FakeServices, Room, SignalLog

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


def test_a_machine_with_nothing_is_told_so_and_can_try_the_sample_web(
    place: Room, qtbot: QtBot
) -> None:
    place.parts.model = FakeModel(DOWN)
    place.services.seen = NoCli()
    card = Card(place, qtbot)
    card.wait_for("model", "Ollama, which runs the model, is not installed.")
    card.wait_for("search", "No web search is set up yet.")
    assert "Docker" in card.page.rows["search"].more.text()
    card.wait_for("reader", "Built in.")
    sample, later = SignalLog(card.page.sample_requested), SignalLog(card.page.dismissed)
    card.page.sample.click()
    QTest.keyClick(card.page, Qt.Key.Key_Escape)
    assert (len(sample.all), len(later.all)) == (1, 1)
    card.press("model")
    assert card.opened == ["https://ollama.com/download"]
    assert not card.page.isVisible()
    assert (place.written, place.services.done) == ("", [])


def test_the_services_are_started_with_a_click(place: Room, qtbot: QtBot) -> None:
    place.services.steps = (ComposeProgress(ResourceKind.BUILD, "reader", "Step 1"),)
    card = Card(place, qtbot)
    card.wait_for("search", "No web search is set up yet.")
    assert card.page.rows["search"].button.accessibleName() == "Search: Start it"
    assert place.services.done == []
    card.press("search")
    qtbot.waitUntil(lambda: place.services.done == ["up"] and len(card.changes.all) == 1)


def test_starting_can_be_stopped_and_failing_is_told(place: Room, qtbot: QtBot) -> None:
    place.services.hangs = True
    card = Card(place, qtbot)
    card.wait_for("search", "No web search is set up yet.")
    card.press("search")
    assert card.page.rows["search"].button.text() == "Stop"
    qtbot.waitUntil(lambda: place.services.done == ["begun"])
    card.press("search")
    qtbot.waitUntil(lambda: place.services.done == ["begun", "given up"])
    card.wait_for("search", "No web search is set up yet.")
    place.services.hangs, place.services.failure = False, NoCli()
    card.press("search")
    card.wait_for("search", without_backticks(str(NoCli())))
    assert card.page.rows["search"].button.text() == "Start it"


def test_direct_search_is_explained_before_it_is_allowed(place: Room, qtbot: QtBot) -> None:
    place.services.seen = NoCli()
    card = Card(place, qtbot)
    row = card.page.rows["search"]
    qtbot.waitUntil(lambda: row.button.text() == "Use built-in search")
    assert " brave" in row.more.text()
    qtbot.waitUntil(lambda: row.height() >= row.heightForWidth(row.width()))
    card.press("search")
    card.wait_for("search", "as you allowed")
    assert tomllib.loads(place.written) == {"search": {"in_process": "given"}}
    assert [s.search.in_process.value for s in card.changes.all] == ["given"]


def test_enter_presses_the_main_button_alone_and_never_records_a_hotkey(
    place: Room, qtbot: QtBot
) -> None:
    place.parts.model = FakeModel(DOWN)
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
    card.wait_for("search", "as you allowed")
    assert page.focusWidget() is page.later
    assert page.later.property("primary")
    QTest.keyClick(page.later, enter)
    assert (len(asked.all), len(sample.all), recording.all) == (1, 0, [])


def test_with_all_there_enter_asks_a_question_and_not_the_sample_web(
    place: Room, qtbot: QtBot
) -> None:
    place.services.seen = NoCli()
    card = Card(place, qtbot)
    page = card.page
    qtbot.waitUntil(lambda: page.rows["search"].button.text() == "Use built-in search")
    card.press("search")
    card.wait_for("search", "as you allowed")
    page.hide()
    page.show()
    assert page.focusWidget() is page
    qtbot.waitUntil(lambda: page.focusWidget() is page.later)


def test_the_button_that_stops_stands_not_where_another_one_was_pressed(
    place: Room, qtbot: QtBot
) -> None:
    place.services.hangs = True
    card = Card(place, qtbot)
    card.wait_for("search", "No web search is set up yet.")
    row = card.page.rows["search"]
    at = row.other.geometry()
    row.show_work("Saving")
    placing = row.layout()
    assert placing is not None
    placing.activate()
    assert row.childAt(at.center()) is row.other
    assert not row.other.isEnabled()


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
        (None, "", 9, "Ollama is running, but has no model yet. gemma3:4b fits this computer (3.3 GB).", FixKind.DOWNLOAD_MODEL),
        (None, "", 2, "Ollama is running, but has no model yet. gemma3:1b fits this computer (815 MB).", FixKind.DOWNLOAD_MODEL),
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
    assert [suggested(n)[0] for n in (0, 24 * GB, 4 * GB, 1)] == [
        "gemma3:4b", "gemma3:4b", "gemma3:1b", "gemma3:1b",
    ]  # fmt: skip
