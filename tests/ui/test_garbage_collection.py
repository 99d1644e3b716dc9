"""Widgets that nobody holds die in the window's thread, whichever thread allocates."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from askance.ui.shell import upkeep
from askance.ui.shell.upkeep import GarbageCollector


class Mortal:
    """A cycle that says in which thread it dies."""

    died_in: list[threading.Thread] = []  # noqa: RUF012 - shared on purpose

    def __init__(self) -> None:
        self.itself = self

    def __del__(self) -> None:
        self.died_in.append(threading.current_thread())


@pytest.fixture
def collecting(qtbot: QtBot) -> Iterator[GarbageCollector]:
    parent = QObject()
    made = GarbageCollector(parent)
    Mortal.died_in = []
    yield made
    made.stop()
    assert gc.isenabled()
    gc.collect()


def test_another_thread_that_allocates_collects_nothing(
    collecting: GarbageCollector, qtbot: QtBot
) -> None:
    Mortal()
    thread = threading.Thread(target=lambda: [[n] for n in range(200_000)])
    thread.start()
    thread.join()
    assert Mortal.died_in == []
    retained = [[n] for n in range(5_000)]
    qtbot.waitUntil(lambda: bool(Mortal.died_in))
    assert Mortal.died_in == [threading.main_thread()]
    assert retained


def test_little_garbage_is_left_alone_and_old_garbage_goes_in_the_end(
    collecting: GarbageCollector,
) -> None:
    gc.collect()
    Mortal()
    collecting.collect()
    assert Mortal.died_in == []
    retained: list[list[int]] = []
    for _ in range(40):
        retained = [[n] for n in range(2_000)]
        collecting.collect()
    assert retained
    assert len(Mortal.died_in) == 1


def test_what_was_imported_before_is_not_looked_through(qtbot: QtBot) -> None:
    Mortal.died_in = []
    gc.collect()
    gc.disable()
    Mortal()
    parent = QObject()
    collecting = GarbageCollector(parent)
    retained = [[n] for n in range(5_000)]
    collecting.collect()
    assert gc.get_count()[0] < len(retained)  # it has looked
    assert Mortal.died_in == []
    collecting.stop()
    gc.collect()
    assert len(Mortal.died_in) == 1


def test_old_garbage_goes_once_nothing_happens(collecting: GarbageCollector, qtbot: QtBot) -> None:
    collecting._calm.setInterval(0)
    made_by_the_start = Mortal()
    gc.collect(1)  # it has grown old
    del made_by_the_start
    _make_garbage(collecting)
    # It stays: nobody waits for the longest of all collections.
    qtbot.waitUntil(lambda: collecting._is_started)
    mortal = Mortal()
    gc.collect(1)
    del mortal
    _make_garbage(collecting)
    assert Mortal.died_in == []
    qtbot.waitUntil(lambda: bool(Mortal.died_in))
    assert len(Mortal.died_in) == 1


def _make_garbage(collecting: GarbageCollector) -> None:
    retained = [[n] for n in range(2 * gc.get_threshold()[0])]
    collecting.collect()
    assert retained


def test_freed_memory_is_given_back_once_nothing_happens(
    collecting: GarbageCollector, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[threading.Thread] = []
    monkeypatch.setattr(
        "askance.ui.shell.upkeep.give_back_memory",
        lambda: given.append(threading.current_thread()),
    )
    collecting._calm.setInterval(1)
    retained = [[n] for n in range(5_000)]
    qtbot.waitUntil(lambda: bool(given))
    assert given[0] is threading.main_thread()
    assert retained


def test_memory_is_given_back_in_calm_and_again_when_the_program_has_been_idle(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[bool] = []
    monkeypatch.setattr(upkeep, "give_back_memory", lambda: given.append(True))
    monkeypatch.setattr(upkeep, "_CALM_MS", 1)
    monkeypatch.setattr(upkeep, "_IDLE_MS", 1)
    parent = QObject()
    collecting = GarbageCollector(parent)
    retained = [[n] for n in range(5_000)]
    qtbot.waitUntil(lambda: len(given) > 1)
    collecting.stop()
    assert retained
