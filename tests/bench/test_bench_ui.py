"""The measuring of the window: it measures what it says, and its page says what was measured."""

from __future__ import annotations

import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from bench.ui import QUICK, Bench, main, measure
from bench.ui_figures import Gaps, Measured, gaps_of
from bench.ui_page import render_page
from bench.ui_probe import Heartbeat, rest
from bench.ui_processes import Memory, Program, Usage
from bench.ui_world import serve_world
from pytestqt.qtbot import QtBot

SMALL = replace(
    QUICK, starts=1, toggles=1, exchanges=3, idle_s=0.2, settling_s=0.2, calm_s=0.2,
    # Still longer than it takes from the last page to the end of an answer, on a busy machine too.
    hurry=4.0, readers_idle_s=15.0,
)  # fmt: skip
HELD = Memory(100.0, 90.0, 80.0, 150.0)


@pytest.fixture
def measured() -> Measured:
    """A window that meets everything."""
    made = Measured(are_articles=True)
    made.icons, made.turns, made.paints, made.commands = [0.5], [0.6], [20.0], [80.0]
    made.fresh = made.shown = made.warm = made.asked = HELD
    made.rested = Memory(100.0, 90.0, 80.0, 0.0)
    made.idle = Usage(30.0, 0.0, 0)
    made.resumed_s, made.sources = [(0.2, 3.0)], [80.0]
    for name in (
        "streaming",
        "rendering",
        "searching",
        "citing",
        "checking",
        "resuming",
        "pasting",
        "widening",
        "downloading",
        "reading",
    ):
        setattr(made, name, Gaps((4.0,) * 999 + (30.0,), (0.0,) * 1000))
    return made


def verdicts(page: str) -> list[str]:
    rows = page.partition("## Targets")[2].partition("##")[0].splitlines()
    reported = [row.split("|")[-2].strip() for row in rows if row.startswith("|")][2:]
    return [verdict for verdict in reported if verdict]


def test_the_page_says_what_was_met_and_what_only_the_machine_made_long(measured: Measured) -> None:
    assert set(verdicts(render_page(measured))) == {"met"}
    measured.rendering = Gaps((60.0,), (30.0,))
    page = render_page(measured)
    assert "60 ms, own 30 ms" in page
    assert verdicts(page).count("met but for the machine") == 1
    measured.downloading = measured.reading = Gaps((60.0,), (30.0,))
    assert verdicts(render_page(measured)).count("met but for the machine") == 3
    measured.paints = [20.0, 51.0]
    measured.idle = Usage(30.0, 10.0, 5)
    measured.rested = HELD
    measured.streaming = Gaps((60.0,), (0.0,))
    assert verdicts(render_page(measured)).count("not met") == 5


def test_gaps_belong_to_the_time_in_which_they_ended() -> None:
    beats = [(1.0, 4.0, 0.0), (2.0, 20.0, 15.0), (3.0, 5.0, 0.0)]
    assert gaps_of(beats, 1.0, 2.0) == Gaps((20.0,), (15.0,))
    assert gaps_of(beats, 1.0).own_ms == (5.0, 5.0)
    assert gaps_of(beats).under_a_frame == pytest.approx(2 / 3)


def test_a_thread_that_is_kept_busy_misses_beats(qtbot: QtBot) -> None:
    heart = Heartbeat()
    rest(0.05)
    sum(range(3_000_000))
    rest(0.05)
    heart.stop()
    longest = max(heart.beats, key=lambda beat: beat[1])
    assert longest[1] > 10
    assert longest[2] <= longest[1]


def test_without_xvfb_nothing_is_measured_and_one_line_says_why(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(sys, "argv", ["bench.ui"])
    with pytest.raises(SystemExit, match="install Xvfb"):
        main()


class Unmoved(Program):
    """A window that hears each toggle, and is never painted."""

    def toggle(self) -> float:
        return 0.0

    def next(self, *what: str, limit_s: float = 0.0) -> tuple[str, float]:
        return "hidden" if "hidden" in what else "heard", 0.0


def test_a_window_that_never_paints_ends_the_measuring(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("bench.ui._BETWEEN_S", 0.0)
    with serve_world(100) as world:
        bench = Bench(SMALL, {"ASKANCE_HOME": str(tmp_path)}, world)
        with pytest.raises(TimeoutError, match="not painted after 20 toggles"):
            bench._shown(object.__new__(Unmoved))


@pytest.mark.exhaustive
@pytest.mark.skipif(sys.platform != "linux", reason="it looks into /proc: run it on Linux")
@pytest.mark.skipif(
    shutil.which("Xvfb") is None, reason="no screen to measure the window on: install Xvfb"
)
@pytest.mark.timeout(300)
def test_the_real_program_is_measured_from_its_start_to_a_pasted_megabyte() -> None:
    found = measure(SMALL)
    assert min(found.turns) > 0.1
    assert len(found.paints) == 1
    assert 0 < found.paints[0] < found.commands[0]
    assert found.warm.resident > found.warm.own > 10
    assert found.warm.readers == found.rested.readers == 0
    assert found.asked.readers > found.rested.share / 4
    assert found.characters > 1_000
    assert found.pages_ranked >= 8  # more where a page was slow, and the search went on
    assert found.citations > 0
    assert all(g.ms for g in (found.streaming, found.checking, found.resuming, found.pasting))
    assert all(g.ms for g in (found.widening, found.downloading, found.reading))
    assert found.pdf_pages == SMALL.pdf_pages
    assert "## Targets" in render_page(found)
