"""What all processes of the program hold together while nobody asks anything."""

from __future__ import annotations

import re
import sys
import time
from pathlib import Path

import pytest

from servers.world import QUESTION
from ui.whole.neighbours import Neighbours
from ui.whole.window_child import WindowChild, children_of, window
from waiting import PATIENCE_S

MOST_MB = 150.0

pytestmark = [
    pytest.mark.exhaustive,
    pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc: run it on Linux"),
]


def held_mb(pid: int) -> float:
    """The memory of a process and of its children, what they share counted once."""
    kilobytes = 0
    for process in (pid, *children_of(pid)):
        rollup = Path(f"/proc/{process}/smaps_rollup").read_text("ascii")
        found = re.search(r"\nPss:\s+(\d+) kB", rollup)
        assert found
        kilobytes += int(found[1])
    return kilobytes * 1024 / 1e6


def until_small(pid: int) -> None:
    """Wait until little memory is held: what is freed is given back once it has been calm for a while."""
    end = time.monotonic() + PATIENCE_S
    while (held := held_mb(pid)) >= MOST_MB:
        assert time.monotonic() < end, f"{held} MB are held"
        time.sleep(0.05)


def until_alone(child: WindowChild) -> None:
    """Wait until the program has no child processes."""
    end = time.monotonic() + PATIENCE_S
    while children_of(child.pid):
        assert time.monotonic() < end, "the processes that take pages apart are still there"
        time.sleep(0.05)


def test_a_window_that_waits_for_its_first_question_has_no_process_beside_it(
    around: Neighbours, home: Path
) -> None:
    around.script.answer = ["Good morning to you."]
    with window({**around.environment(home), "READERS_IDLE_S": "0.5"}) as child:
        assert held_mb(child.pid) < MOST_MB
        assert not children_of(child.pid)
        child.type("/tldr The lamp is on the hill, and has been there for years.")
        child.until("0 answered")
        # A letter was typed: what that has started holds nothing for long.
        until_alone(child)
        until_small(child.pid)


def test_after_a_search_all_processes_together_hold_little_again(
    around: Neighbours, home: Path
) -> None:
    with window({**around.environment(home), "READERS_IDLE_S": "0.5"}) as child:
        child.type(f"/search {QUESTION}")
        child.until("0 answered")
        until_alone(child)
        until_small(child.pid)
