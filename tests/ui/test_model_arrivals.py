"""A download where one asks: on the model button, in the list of models, and questions that wait for it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from askance.app.model_downloads import ModelDownloads
from askance.config.settings import Settings
from askance.domain.conversation import ParsedCommand
from askance.domain.downloads import DownloadPhase
from askance.domain.errors import ServiceDown
from askance.domain.messages import Message
from askance.presentation.steps import Tone
from askance.ui.overlay.bar.status import StatusIndicator
from askance.ui.overlay.conversation.session import Session
from askance.ui.overlay.overlay import Overlay
from askance.ui.settings.waiting_questions import WaitingLine
from askance.ui.shell.model_arrivals import ModelArrivals
from servers.model_hub import Hub, serve_hub, tier
from ui.settings.room import STILL, Room
from waiting import patience

MISSING = StatusIndicator("No model", Tone.AMBER, "No language model is set up.", "Model")
FERRY, OWL = "Which ferry takes bicycles?", "What do owls eat?"


class AskedSession(Session):
    """A session that only remembers what it would ask."""

    asked: list[str]

    def ask(self, asked: ParsedCommand) -> None:
        self.asked.append(asked.text)


class Asking:
    """The overlay of a machine without a model, and what is downloaded meanwhile."""

    def __init__(self, place: Room, hub: Hub) -> None:
        place.environment["ASKANCE_LLM__HUB"] = hub.url
        place.environment.pop("ASKANCE_LLM__URL")
        self.hub, self.pages, self.ended = hub, 0, False
        self.downloads = place.surroundings.downloads
        self.session = AskedSession(place.surroundings.bridge)
        self.session.asked = []
        self.overlay = Overlay(STILL, self.session)
        self.overlay.set_lights((MISSING,))
        self.windows = self.missing_parts = self
        self.context = place.surroundings
        self.is_model_coming: Callable[[], bool] = lambda: False
        self.arrivals = ModelArrivals(self, self.downloads)  # type: ignore[arg-type]
        self.overlay.summon()

    def welcome(self) -> None:
        self.pages += 1

    def apply(self, _settings: Settings) -> None:
        assert self.session.asked == []  # what waits is asked of the new parts

    @property
    def lines(self) -> list[WaitingLine]:
        return self.arrivals.row.lines

    @property
    def button(self) -> str:
        return self.overlay.ask_bar.tools.model_button.words

    def ask(self, question: str) -> None:
        field = self.overlay.ask_bar.field
        field.set_text(question)
        QTest.keyClick(field, Qt.Key.Key_Return)

    async def until(self, holds: Callable[[], bool]) -> None:
        """Let the hub, which lives in this loop, and the window take turns until something holds."""
        async with patience():
            while not holds():
                QApplication.processEvents()
                await asyncio.sleep(0.005)


@asynccontextmanager
async def asking(place: Room) -> AsyncIterator[Asking]:
    """Begin a download, which stops in its middle."""
    async with serve_hub(holds_at=2_100_000) as hub:
        made = Asking(place, hub)
        made.downloads.download(tier(), by_ollama=False)
        await hub.held.wait()
        await made.until(lambda: "%" in made.button and made.button != "Wren 1B · 0 %")
        yield made
        if not made.ended and made.downloads.entries:
            made.downloads.cancel(made.downloads.entries[0])
            await made.until(lambda: made.downloads.entries == ())


@pytest.mark.usefixtures("qtbot")
async def test_a_question_waits_and_is_asked_when_the_model_is_ready(place: Room) -> None:
    async with asking(place) as made:
        made.ask(FERRY)
        made.ask(OWL)
        assert [line.chip.question.text() for line in made.lines] == [FERRY, OWL]
        assert made.lines[0].chip.accessibleName() == f"{FERRY}, asked when ready"
        assert made.arrivals.row.isVisible()
        assert made.session.asked == []
        made.lines[1].chip.cross.click()
        made.hub.go_on.set()
        await made.until(lambda: made.downloads.entries == () and not made.lines)
        assert made.session.asked == [FERRY]
        assert not made.arrivals.row.isVisible()
        assert made.button == "No model"


@pytest.mark.usefixtures("qtbot")
async def test_passages_are_shown_at_once_where_that_is_wanted(place: Room) -> None:
    async with asking(place) as made:
        made.ask(FERRY)
        made.lines[0].now.click()
        assert (made.session.asked, made.lines) == ([FERRY], [])


@pytest.mark.usefixtures("qtbot")
async def test_another_model_that_answers_meanwhile_is_asked(place: Room) -> None:
    async with asking(place) as made:
        made.ask(FERRY)
        made.overlay.set_lights((StatusIndicator("wren:4b", Tone.GOOD),))
        assert (made.session.asked, made.lines) == ([FERRY], [])
        # From now on questions have somebody who answers.
        made.overlay.set_lights((StatusIndicator("wren:4b", Tone.GOOD),))
        assert made.button == "wren:4b"
        held = made.arrivals.questions.held
        made.ask(OWL)
        assert held == []


@pytest.mark.usefixtures("qtbot")
async def test_what_waits_says_that_the_download_was_paused(place: Room) -> None:
    async with asking(place) as made:
        made.ask(FERRY)
        (entry,) = made.downloads.entries
        made.downloads.press(entry)
        await made.until(lambda: made.lines[0].left.text() == "Paused")
        assert [line.chip.question.text() for line in made.lines] == [FERRY]
        # What is asked now is not kept: nothing comes.
        made.ask(OWL)
        assert made.session.asked == [OWL]


@pytest.mark.usefixtures("qtbot")
async def test_the_list_of_models_has_the_download_and_pauses_it(place: Room) -> None:
    async with asking(place) as made:
        rows = made.overlay.models._downloads
        assert [(row.title, row.state, row.glyph) for row in rows] == [
            ("Wren 1B", "Pause", "download")
        ]
        press = rows[0].press
        assert press is not None
        press()
        await made.until(lambda: made.overlay.models._downloads[0].below.endswith("a restart."))
        again = made.overlay.models._downloads[0].press
        assert again is not None
        again()
        assert made.pages == 1


@pytest.mark.usefixtures("qtbot")
async def test_an_evaluation_stands_in_the_list_until_it_ends_or_is_stopped(
    place: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    ends, ended = asyncio.Event(), list[str]()

    async def evaluated(
        settings: Settings, _folders: object, model: str, report: Callable[[tuple[int, int]], None]
    ) -> None:
        report((3, 24))
        try:
            await ends.wait()
        finally:
            ended.append(f"{model} on {settings.llm.server}")
        raise ServiceDown("model", "http://x", Message("It does not answer."))

    monkeypatch.setattr("askance.app.model_choices.evaluate_model", evaluated)
    async with asking(place) as made:
        switch, arrivals = made.overlay.models, made.arrivals
        arrivals.evaluate("wren:8b")
        await made.until(lambda: switch._downloads[-1].below == "Evaluating: 3 of 24")
        # One after the other: two would measure each other.
        arrivals.evaluate("wren:4b")
        assert [row.title for row in switch._downloads] == ["Wren 1B", "wren:8b"]
        stop = switch._downloads[-1].press
        assert stop is not None
        stop()
        await made.until(lambda: bool(ended))
        assert [row.title for row in switch._downloads] == ["Wren 1B"]
        arrivals.evaluate("wren:8b")
        place.surroundings.chores.call(lambda _: _set(ends), lambda _result: None)
        await made.until(lambda: len(ended) == 2 and len(switch._downloads) == 1)
        assert "It does not answer." in made.overlay.ask_bar.inline_message.sentence


async def _set(event: asyncio.Event) -> None:
    event.set()


@pytest.mark.usefixtures("qtbot")
async def test_the_program_ends_in_the_middle_and_lists_the_part_the_next_time(
    place: Room,
) -> None:
    async with asking(place) as made:
        assert place.surroundings.chores.close(5)
        again = ModelDownloads(
            place.surroundings.folders, place.surroundings.source.load, lambda *_: lambda: None
        )
        (left,) = again.entries()
        assert (left.phase, left.name) == (DownloadPhase.PAUSED, "Wren 1B")
        assert left.done_bytes > 0
        made.ended = True
