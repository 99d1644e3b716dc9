"""Signals of the system reach a window that waits for nothing else, and cost nothing meanwhile."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from askance.ui.shell.desktop_app import Signals

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="Windows has no signals: run it on Linux or macOS"
)


@pytest.fixture
def signals(qtbot: QtBot) -> Iterator[Signals]:
    before = signal.getsignal(signal.SIGUSR1)
    made = Signals((signal.SIGUSR1,))
    yield made
    made.close()
    signal.signal(signal.SIGUSR1, before)


def test_a_signal_is_told_to_an_event_loop_that_sleeps(signals: Signals, qtbot: QtBot) -> None:
    child = subprocess.Popen([sys.executable, "-c", _LATER, str(os.getpid())])  # noqa: S603
    with qtbot.waitSignal(signals.came) as reported:
        pass
    assert reported.args == [signal.SIGUSR1]
    assert child.wait() == 0


def test_signals_that_come_together_are_told_one_by_one(signals: Signals, qtbot: QtBot) -> None:
    came: list[int] = []
    signals.came.connect(came.append)
    os.kill(os.getpid(), signal.SIGUSR1)
    os.kill(os.getpid(), signal.SIGUSR1)
    qtbot.waitUntil(lambda: len(came) == 2)


_LATER = "import os, signal, sys; os.kill(int(sys.argv[1]), signal.SIGUSR1)"
