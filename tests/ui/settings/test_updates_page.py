"""New versions in the settings: what is known is shown as plain text, and only the button asks."""

from __future__ import annotations

import dataclasses

import pytest
from pytestqt.qtbot import QtBot

from askance import __version__
from askance.app.checks.installation_check import UpdateChecker
from askance.domain.errors import ServiceDown
from askance.domain.messages import Message
from askance.domain.ports.web import Sent
from askance.domain.updates import Release
from askance.ui.design.theme import LIGHT, Look
from askance.ui.settings.installation_page import UpdatesControl
from ui.settings.room import Room


class Page:
    """The control, shown, over a list of releases that counts who asks."""

    def __init__(self, place: Room, qtbot: QtBot) -> None:
        self.asked = 0
        self.answer: tuple[Release, ...] | Exception = ()
        self.bot = qtbot
        around = dataclasses.replace(
            place.surroundings,
            open_updates=lambda settings, folders: UpdateChecker(
                settings, folders, lambda _: True, self._fetch
            ),
        )
        self.control = UpdatesControl(Look(LIGHT, moves=False), around)
        self.control.show()

    async def _fetch(self, _sent: Sent) -> tuple[Release, ...]:
        self.asked += 1
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    def press(self) -> None:
        self.control.ask.click()
        self.bot.waitUntil(self.control.ask.isEnabled)

    @property
    def status(self) -> str:
        return self.control.state.text()


@pytest.fixture
def page(place: Room, qtbot: QtBot) -> Page:
    made = Page(place, qtbot)
    qtbot.waitUntil(lambda: bool(made.status))
    return made


def test_nobody_is_asked_before_the_button_is_pressed(page: Page) -> None:
    page.control.refresh()
    assert page.asked == 0
    page.press()
    assert page.asked == 1
    assert __version__ in page.status
    assert page.control.how.isHidden()


def test_a_new_version_is_shown_with_how_to_get_it(page: Page) -> None:
    page.answer = (Release("99.1", "<b>bold</b> [x](https://x)"), Release("99.0", "- more"))
    page.press()
    assert "99.1" in page.status
    assert page.control.how.text()
    page.answer = ()
    page.press()


def test_a_failure_is_said_and_stays_in_view(page: Page) -> None:
    page.answer = ServiceDown("GitHub", "https://x", Message("Nothing answers."))
    page.press()
    assert "Nothing answers" in page.status
    page.control.refresh()
    page.bot.waitUntil(lambda: "Nothing answers" in page.control.how.text())
