"""The containers started, stopped and given up from the window; what is kept, seen and forgotten."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from askance.adapters.containers.problems import NoCli, Unhealthy
from askance.adapters.storage.ledger import SqliteLedger
from askance.domain.events import RequestSent, Sending
from askance.domain.messages import Message
from askance.domain.ports.containers import (
    READER,
    RUNNING,
    SEARXNG,
    SERVER,
    ComposeProgress,
    Health,
    ResourceKind,
    ServiceState,
)
from askance.presentation.i18n import without_backticks
from askance.ui.settings.installation_page import LedgerControl, ServicesControl
from askance.ui.settings.window import SettingsWindow
from ui.settings.room import WELL, Room, SignalLog, status_lines

FETCHING = ComposeProgress(
    ResourceKind.IMAGE, "docker.io/searxng/searxng:2026", "Downloading", False, 30, 120
)


def services(window: SettingsWindow) -> ServicesControl:
    (control,) = window.findChildren(ServicesControl)
    return control


def test_each_service_is_told_of_and_started_with_progress(place: Room, qtbot: QtBot) -> None:
    place.services.steps = (FETCHING,)
    window = place.open_settings("Services")
    control, changed = services(window), SignalLog(window.changed)
    qtbot.waitUntil(lambda: len(status_lines(control)) == 2)
    assert status_lines(control) == ["SearXNG: not started", "Page reader: not started"]
    reported = list[str]()
    control.state.show_text = lambda text, tone=None: reported.append(text)
    control.up.click()
    qtbot.waitUntil(lambda: place.services.done == ["up"] and bool(changed.all))
    assert "Downloading searxng: 0 MB of 0 MB" in reported
    assert status_lines(control) == [
        "SearXNG: running · 127.0.0.1:25017 · 3 ms",
        "Page reader: running",
    ]
    assert {SEARXNG, READER} == {state.name for state in WELL.services}
    assert not control.up.isVisible()
    control.down.click()
    qtbot.waitUntil(lambda: place.services.done == ["up", "down"] and len(changed.all) == 2)
    assert control.up.isVisible()


@pytest.mark.parametrize(("ill", "is_offered"), [(SERVER, False), (READER, True)])
def test_a_start_is_offered_for_what_it_starts(
    place: Room, qtbot: QtBot, ill: str, is_offered: bool
) -> None:
    sick = ServiceState(ill, RUNNING, Health.UNHEALTHY)
    others = tuple(state for state in WELL.services if state.name != ill)
    place.services.seen = replace(WELL, services=(*others, sick), round_trips=())
    control = services(place.open_settings("Services"))
    qtbot.waitUntil(lambda: any("unhealthy" in line for line in status_lines(control)))
    assert control.up.isVisible() is is_offered
    assert control.down.isVisible()


def test_starting_can_be_given_up(place: Room, qtbot: QtBot) -> None:
    place.services.hangs = True
    control = services(place.open_settings("Services"))
    assert not control.stop.isVisible()
    control.up.click()
    qtbot.waitUntil(control.stop.isVisible)
    assert not control.up.isEnabled()
    qtbot.waitUntil(lambda: place.services.done == ["begun"])
    control.stop.click()
    qtbot.waitUntil(lambda: place.services.done == ["begun", "given up"])
    assert (control.up.isEnabled(), control.stop.isVisible()) == (True, False)


@pytest.mark.parametrize("problem", [NoCli(), Unhealthy(SEARXNG, "ended with status 1", ["oh"])])
def test_what_goes_wrong_is_said_with_its_remedy(
    place: Room, qtbot: QtBot, problem: Exception
) -> None:
    place.services.failure = problem
    control = services(place.open_settings("Services"))
    control.up.click()
    qtbot.waitUntil(lambda: control.state.text() == without_backticks(str(problem)))
    assert control.up.isEnabled()
    assert control.up.isVisible()


def test_an_engine_that_cannot_be_asked_is_told(place: Room, qtbot: QtBot) -> None:
    place.services.seen = NoCli()
    control = services(place.open_settings("Services"))
    qtbot.waitUntil(lambda: control.state.text() == without_backticks(str(NoCli())))
    assert status_lines(control) == []


def ledger(place: Room) -> LedgerControl:
    (control,) = place.open_settings("Privacy").findChildren(LedgerControl)
    return control


def test_what_left_is_counted_shown_and_forgotten_only_when_asked_twice(
    place: Room, qtbot: QtBot
) -> None:
    with closing(SqliteLedger(place.surroundings.folders.ledger, 90, print)) as store:
        store.add(
            RequestSent(Sending.QUERY, "duckduckgo", Message("SearXNG"), "larkmoor"), "Where is it?"
        )
    control = ledger(place)
    qtbot.waitUntil(lambda: control.state.text() == "1 request is on record.")
    control.show_it.click()
    assert control.view is not None
    view = control.view
    qtbot.waitUntil(lambda: "larkmoor" in view.toPlainText())
    assert "Where is it?" in view.toPlainText()
    assert "query to duckduckgo through SearXNG: larkmoor" in view.toPlainText()
    assert view.isReadOnly()
    control.forget.offer.click()
    QTest.keyClick(control.forget.no, Qt.Key.Key_Escape)
    assert not control.forget.is_asking
    assert control.window().isVisible()
    control.forget.offer.click()
    control.forget.yes.click()
    qtbot.waitUntil(lambda: control.state.text() == "0 requests are on record.")
    assert view.toPlainText() == ""


@pytest.mark.parametrize(
    ("kind", "empty"),
    [
        ("history", "No conversations are kept."),
        ("cache", "No pages are kept."),
        ("crashes", "No crash reports."),
    ],
)
def test_nothing_kept_is_told_and_forgetting_it_does_no_harm(
    place: Room, qtbot: QtBot, kind: str, empty: str
) -> None:
    window = place.open_settings("Privacy")
    control = next(f.control for p in window.pages for f in p.fields if f.row.kind == kind)
    qtbot.waitUntil(lambda: control.state.text() == empty)  # type: ignore[attr-defined]
    control.state.show_text("…")  # type: ignore[attr-defined]
    control.forget.confirmed.emit()  # type: ignore[attr-defined]
    qtbot.waitUntil(lambda: control.state.text() == empty)  # type: ignore[attr-defined]


def test_a_file_that_cannot_be_read_is_told(place: Room, qtbot: QtBot) -> None:
    place.surroundings.folders.ledger.mkdir(parents=True)
    control = ledger(place)
    qtbot.waitUntil(
        lambda: "ledger" in control.state.text().lower() and control.state.text()[0] != "0"
    )
